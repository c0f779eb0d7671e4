"""What a question says to whom answers it, and not about what is looked for.

Programs and people who are used to chat write "You are a careful analyst. Answer in one sentence:"
around what they want to know. Such words are found in many passages, and in none for that reason.
They are left out where they are surely such: whole sentences that do nothing but instruct, and
turns that only lead up to the matter. What stands in quotation marks is never left out, nor what
would leave nothing to look for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.search.question.words import part, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.records.reading import Part

_ROUNDS = 3
"""An instruction may stand behind another: "please, show me" and then "the places about"."""
_START = r"(?:^|(?<=[.?!:;\n] )|(?<=, ))\W*"

_PLEASE = r"(?:please,? )?"
_ONLY = r"(?:(?:primarily|mainly|only|solely|exclusively|strictly|directly|clearly) )?"
_PAPERS = (
    r"(?:documents?|contracts?|agreements?|filings?|reports?|texts?|contexts?|passages?|files?|"
    r"sources?|materials?|excerpts?|pages?|collection)"
)
_GIVEN = (
    r"(?:shown|given|provided|reported|presented|contained|available|stated|disclosed|found|"
    r"outlined|included|supplied|attached|uploaded|retrieved)"
)
_INFORMATION = r"(?:information|details|data|facts|contents?|context|evidence|material)"
_ANSWER = r"(?:answer|response|reply|explanation|summary)"
_ROLE = (
    r"(?:\w+[ -]){0,4}?(?:analyst|assistant|lawyer|attorney|investor|expert|accountant|auditor|"
    r"paralegal|consultant|professional|researcher|associate|specialist|advis[eo]r|chatbot|ai)"
)
_REST = r"[^.?!\n]*(?:[.!\n]|$)"
"""The rest of a sentence that instructs; a question mark is where a question ends."""
_ASKED = r"(?:the|this|my|our) (?:following |above )?(?:questions?|query)"
_HOW = (
    r"(?:in|as|with|using|to|within) (?:an? |one |two |three |the |your )?"
    r"(?:(?:full|short|brief|concise|single|few|complete|simple|plain) )?"
    r"(?:sentences?|words?|paragraphs?|bullet points?|bullets|list|table|json|detail|percent\w*|"
    r"yes or no|us(?:d| dollars?)|usd|dollars|euros?|eur|gbp|chf|thousands?|millions?|billions?|"
    r"english|german|french|spanish|number|numbers|decimal|date format)"
)

_SENTENCES = (
    # Who is to answer.
    (
        rf"(?:assume|imagine|pretend|suppose)(?: that)? (?:you are|you're|i am|we are) (?:an? "
        rf")?{_ROLE}\b"
    ),
    rf"you are (?:an? )?{_ROLE}\b",
    rf"act (?:as|like) (?:an? )?{_ROLE}\b",
    # How it is to be answered.
    rf"{_PLEASE}(?:answer|respond|reply|write|state it|give it)\b (?:only )?{_HOW}\b",
    (
        rf"{_PLEASE}(?:give|provide|write|return|output|state|express|format|phrase|keep|limit) "
        rf"(?:me )?"
        rf"(?:an?|the|your|this|all) (?:(?!to |about |of |for |on )\w+ )?{_ANSWER}s?\b"
        r"(?! (?:to|about|of|for|on|dated?) )"
    ),
    rf"your {_ANSWER} (?:should|must|shall|is to|has to|needs to)\b",
    rf"the {_ANSWER} (?:should|must|is to|has to|needs to) be\b",
    (
        rf"{_PLEASE}round (?:it|your {_ANSWER}|the {_ANSWER}|the (?:result|figure|number|value)|"
        r"(?:off )?to (?:\w+ ){1,2}(?:decimals?|decimal places?|digits?|places?))\b"
    ),
    (
        rf"{_PLEASE}(?:explain|show|include|give|provide|describe) (?:me )?your "
        r"(?:reasoning|work|working|calculations?|steps|sources?|thinking)\b"
    ),
    rf"{_PLEASE}(?:explain|say|tell me) (?:why|how you)(?: (?:so|or why not|not))?\W*$",
    r"(?:let's )?think (?:this through )?step by step\b",
    (
        rf"{_PLEASE}(?:cite|quote|name|give|mention|include|provide) (?:me )?(?:all |any |the |"
        rf"your |an? )?"
        r"(?:relevant |exact |supporting )?"
        r"(?:sources?|citations?|page numbers?|references|pages?)\b"
        r"(?! (?:of|to|for|about) )"
    ),
    rf"{_PLEASE}be (?:very |as )?(?:concise|brief|specific|precise|accurate|thorough|detailed)\b",
    rf"{_PLEASE}keep (?:it|this) (?:short|brief|simple|concise)\b",
    (
        rf"{_PLEASE}(?:do not|don't|never) (?:make (?:anything|things|something) up|hallucinate|"
        r"guess|speculate|use (?:any )?(?:outside|external|prior|your own))\b"
    ),
    (
        rf"{_PLEASE}(?:only use|use only|rely only on|stick to) (?:the |this |these )?"
        rf"(?:{_GIVEN} )?(?:{_INFORMATION}|{_PAPERS})\b"
    ),
    # What is to be said where there is no answer.
    (
        r"if [^.?!\n]{3,160}?(?:,|\bthen\b),? ?(?:then )?(?:please )?(?:just )?"
        r"(?:state|say|write|answer|respond|reply|indicate|output|return|mention|note|explain) "
        r"(?:so\b|that\b|why\b|it\b|this\b|not\b|no\b|none\b|n/a|unknown\b|with\b|[\"'\u201c\u2018])"
    ),
)
_TURNS = (
    # What leads up to the matter.
    r"^\W*(?:question|q|query|task|instructions?) ?:",
    r"\b(?:details|context|answer|question) ?:",
    rf"{_START}{_PLEASE}(?:answer|respond to|address|consider) {_ASKED}(?: {_ONLY}|\b)",
    (
        rf"\b{_PLEASE}(?:give|provide|write|formulate) (?:me )?(?:an?|the|your) (?:\w+ )?{_ANSWER} "
        rf"to {_ASKED}\b"
    ),
    (
        rf"\b(?:by |while )?{_ONLY}(?:using|utili[sz]ing|relying {_ONLY}(?:up)?on|based {_ONLY}on|"
        rf"drawing on|"
        rf"considering|referring to|with reference to|according to|from|given) {_ONLY}(?:only )?"
        rf"(?:the |all |any |this |these )?(?:(?:relevant|available|following|above|{_GIVEN}) "
        rf")?{_INFORMATION}"
        rf"(?: (?:that|which) (?:is|are|was|were))?(?: {_ONLY}{_GIVEN})?(?: {_ONLY}(?:in|within|by|"
        rf"from|on))?\b"
        r"(?: (?:the|this|these|my|our|your) "
        rf"(?:{_GIVEN} |above |following |attached )?{_PAPERS}\b)?"
        rf"(?: {_GIVEN}\b)?"
    ),
    (
        rf"\b(?:based on|according to|from|in|using) (?:the|this|these|my) "
        rf"(?:(?:{_GIVEN}|above|following) {_PAPERS}|(?:documents?|texts?|contexts?|passages?|"
        rf"files?|excerpts?)"
        rf"(?: {_GIVEN})?)\b(?! (?:of|on|about|for|that|which|dated|named|called)\b)"
    ),
    r"^\W*(?:hi|hello|hey|dear \w+)\b,?",
    (
        rf"{_START}{_PLEASE}(?:(?:can|could|would|will) you (?:please |kindly )?"
        r"|i(?: would|'d)? (?:like|want|need|wish) (?:you )?to |help me (?:to )?|let me )?"
        r"(?:tell me|show me|give me|let me know|know|find out|explain to me)\b(?: about\b)?"
    ),
    rf"{_START}(?:can|could|would|will) you (?:please |kindly )",
    rf"{_START}please\b,?|,? please(?=\W*$)",
    (
        rf"{_START}{_PLEASE}(?:(?:highlight|identify|find|extract|locate|show|list|quote|"
        rf"mark) ?(?:me)?)?"
        r"(?: all| any| every| the)*(?: of the)? (?:parts?|passages?|places?|sentences?|excerpts?|"
        rf"portions?|text)(?: \(if any\))?(?: (?:of|in|from|within) (?:this|the|these|my|our) "
        rf"{_PAPERS})?"
        r"(?: (?:that|which)(?: are| is)?)? ?(?:related to|relating to|relate to|relates to|"
        r"relevant to|"
        r"pertaining to|concerning|about|on|regarding|dealing with|deal with|mentioning|mention|"
        r"say|says)\b"
    ),
    (
        r"\b(?:that|which) (?:should|must|need to|needs to|has to|have to) be (?:reviewed|checked|"
        r"read|seen) "
        r"by (?:an?|the|our|my) (?:lawyer|attorney|counsel|analyst|accountant|auditor|expert)\b"
    ),
    r"\bthank(?:s| you)(?: (?:in advance|very much|a lot))?\b\W*$",
)
_SENTENCE = re.compile(
    r"(?:^|(?<=[.?!:;\n])\s+|(?<=\n))(?P<cut>(?:" + "|".join(_SENTENCES) + rf"){_REST})",
    re.IGNORECASE,
)
_TURN = re.compile("|".join(f"(?:{turn})" for turn in _TURNS), re.IGNORECASE)
_QUOTED = re.compile(r"[\"\u201c\u00ab][^\"\u201d\u00bb]*[\"\u201d\u00bb]")
_EDGE = re.compile(r"^[\s.,;:!?)-]+")


def instructions_of(query: str, /) -> tuple[Part, ...]:
    """Return the parts of a question that instruct, in order; none where nothing else is left."""
    spans: list[tuple[int, int]] = []
    quoted = [match.span() for match in _QUOTED.finditer(query)]
    left = query
    for _ in range(_ROUNDS):
        found = [match.span("cut") for match in _SENTENCE.finditer(left)]
        found += [match.span() for match in _TURN.finditer(left)]
        new = [
            s for s in map(_trimmed(left), found) if _is_free(s, spans) and not _within(s, quoted)
        ]
        spans += [span for n, span in enumerate(new) if _is_free(span, new[:n])]
        if not new:
            break
        left = blanked(query, [part(query, *span) for span in spans])
    if not any(word.terms for word in words_of(left)):
        return ()
    return tuple(part(query, *span) for span in sorted(spans))


def blanked(query: str, dropped: Sequence[Part], /) -> str:
    """Return a question with blanks in place of parts of it: all else stands where it stood."""
    for each in dropped:
        query = f"{query[: each.start]}{' ' * len(each.text)}{query[each.end :]}"
    return query


def without(query: str, dropped: Sequence[Part], /) -> str:
    """Return a question without parts of it."""
    return " ".join(_EDGE.sub("", blanked(query, dropped)).split()) if dropped else query


def _trimmed(text: str) -> Callable[[tuple[int, int]], tuple[int, int]]:
    """Return what takes the blanks and signs at its beginning, and the blanks at its end, off."""

    def trim(span: tuple[int, int]) -> tuple[int, int]:
        said = text[slice(*span)]
        return span[0] + len(said) - len(_EDGE.sub("", said)), span[0] + len(said.rstrip())

    return trim


def _within(span: tuple[int, int], quoted: Sequence[tuple[int, int]]) -> bool:
    """Return whether a span begins in a quotation, or takes the end of one with it."""
    return any(a <= span[0] < b or span[0] < a < span[1] < b for a, b in quoted)


def _is_free(span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    start, end = span
    return start < end and not any(a < end and start < b for a, b in taken)
