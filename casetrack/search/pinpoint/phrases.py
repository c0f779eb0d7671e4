"""Finds places, names and definitions in a sentence by its grammar."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.words.lists import ABBREVIATED, STATES, any_month
from casetrack.search.pinpoint.candidates import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_NO_NAME = rf"(?!(?:{any_month()}|[A-Z][a-z]+day|I|The|Th(?:at|is|ese|ey|ere)|He|She|It)\b)"
_WORD = rf"{_NO_NAME}[A-Z][\w.&'\u2019/-]{{0,40}}"
_PROPER = rf"{_WORD}(?:,? (?:(?:of|the|and|de|la|du|del|&) ){{0,2}}{_WORD}){{0,8}}"
_ANY = "(?:an?|the|its|their|his|her)"

# Places.

_HOUSE = rf"(?:\d[\w-]{{0,8}} (?={_WORD} {_WORD})|No\. ?\d+, )?"
_ADDRESS = rf"{_HOUSE}{_PROPER}(?:,? \d{{4,6}}(?:-\d{{4}})?\b)?"
_PLACE = re.compile(
    rf"(?<![\w-])(?:in|at|near|on|to|from|within|around|outside) (?:{_ANY} )?(?:[a-z-]{{3,15}} |"
    r"(?:city|town|village|state|county) of (?:the )?)?"
    rf"(?P<name>{_ADDRESS}(?:(?:,? (?:in|at|near)|,) (?:the )?{_ADDRESS}){{0,3}})"
)
_LEGAL = re.compile(
    rf"\b[Aa]n? (?P<name>{_PROPER}) (?:[a-z]{{1,20}} ){{0,2}}(?:corporation|company|partnership)\b"
)
_FORMED = re.compile(r"\b(?:incorporat|organi[sz]ed|formed|registered|established)")
_LISTED = re.compile(r", (?:an?|the) [^,.;]{1,60} and [A-Z]")
_DESCRIBES = re.compile(
    r" (?!(?:and|or|in|on|at|by|for|of|with|to|from|where|which|that|when|while|as|is|was|are|were|"
    r"has|had|who|under|until|since|after|before|during|between|but|because|also)\b)[a-z]"
)
"""A common noun after a name, which describes it: "Levantine corridor"."""
_IS_ONE_OF, _INITIALS = re.compile(r", the |(?: in .*){2}"), re.compile(r"[A-Z]{2,6}")
_SPACE = re.compile(r"\s")


def places_in(
    text: str, query: str, names: Sequence[Mapping[str, Any]], shift: int, /
) -> Iterator[Value]:
    """Yield the places that a question may ask for: names after a preposition, and addresses.

    *names* are the stored mentions of the passage, *shift* is the start of the text in it.
    """
    plain, asked = _SPACE.sub(" ", text), query.lower()
    formed = list(_LEGAL.finditer(plain)) if _FORMED.search(asked) else []
    spans = [(n["start"] - shift, n["end"] - shift, n["kind"]) for n in names]
    for match in formed or _PLACE.finditer(plain):
        start, end = match.span("name")
        # The subject of the sentence is no part of the place: "in Leeds, Ash Ltd".
        cuts = [a for a, _, kind in spans if kind != "location" and plain[a - 2 : a] == ", "]
        start, end = _trimmed(
            text, start, min((a - 2 for a in cuts if start < a < end), default=end)
        )
        named = [a for a, b, kind in spans if kind != "person" and a < end and start < b]
        # "National Council on Disability" is no place on Disability.
        is_place = (named or text[start].isdigit()) and min(named, default=start) >= match.start()
        is_state = any(map(_is_state, text[start:end].split(",")))
        is_place = is_place and not any(p.match(plain, end) for p in (_LISTED, _DESCRIBES))
        is_place = is_place and not (
            _IS_ONE_OF.search(plain, start, end) or _INITIALS.fullmatch(plain, start, end)
        )
        if formed or (is_place and (is_state or "state" not in asked.split())):
            yield Value(start, end, text[start:end], "place", "", 0.9)


def _is_state(name: str) -> bool:
    plain = re.sub(r"^State of |[ \d.-]+$", "", name.strip())
    return plain.lower() in STATES or plain in ABBREVIATED


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    end -= len(text[start:end]) - len(text[start:end].rstrip(",'\u2019/-"))
    return start, end - (text[end - 1] == "." and text[start:end].count(".") == 1)


# Names and definitions.

_AUX = r"(?:is|was|are|were|did|does|do|has|have|had|will|would|can|could|may|must|shall|should)\b"
_NOUN = rf"(?P<noun>(?!{_AUX})[\w-]{{1,40}}(?: (?!{_AUX})[\w-]{{1,40}}){{0,3}}?)"
_NAMING = r"(?:(?:re)?named|called|(?:also |now )?known as|(?:en)?titled|dubbed|nicknamed|termed)"
_WHAT = "what (?:is|was|are|were)(?: an?| the)?"
_SUBJECT = r"(?P<subject>[^?]{1,120})"
_OF = r"(?:'s?|\u2019s?)"
_QUESTIONS = {
    rf"what (?:does|do|did) {_SUBJECT} (?:mean|stand for)\b": "meaning",
    rf"how (?:is|are) {_SUBJECT} defined\b": "meaning",
    rf"{_WHAT} (?:meant by|meaning of|definition of) {_SUBJECT}": "meaning",
    r"(?:\w+ )?(?:what|which)(?: \w+['\u2019]s)? laws? (?:\w+ )?(?:governs?|appl|controls?)": "law",
    r"what is the (?:governing|applicable|proper) law\b": "law",
    rf"{_WHAT} {_SUBJECT} {_NAMING}": "called",
    rf"{_WHAT} (?:\w+ )?(?:name|title)s? (?:of|for|given to) {_SUBJECT}": "called",
    rf"{_WHAT} {_SUBJECT}{_OF} (?:\w+ )?(?:name|title)\b": "called",
    rf"(?:\w+ )?(?:what|which) {_NOUN} {_AUX}{_SUBJECT}": "kind",
    rf"{_WHAT} {_NOUN} (?:of|for) {_SUBJECT}": "attribute",
    rf"{_WHAT} {_SUBJECT}{_OF} {_NOUN}\W*$": "attribute",
    rf"{_WHAT} (?P<subject>[^?,]{{1,60}}?)\W*$": "identity",
}
"""What relates the requested phrase to the words of a question, by the start of the question."""
_QUOTED = r"[\"\u201c\u2018'](?P<quoted>[^\"\u201c\u201d\n]{1,120}?)[,.]?[\"\u201d\u2019']"
_NAMED = rf"(?:{_QUOTED}|(?P<name>{_PROPER}))"
_IN_BRACKETS = r"(?: ?\([^()]{1,60}\))?"
_STARTS = r"(?:^\W{0,3}(?:[\w.()]{1,6} {1,8})?\W?|[\"\u201c])"
_MEANS = r"(?:shall |will )?(?:only )?(?:means?|refers? to|stands? for|(?:is|are) defined as)\b,?"
_BY_LAW = r"\b(?:govern|constru|interpret|accordance)[^.;]{0,150}?\blaws? of (?:the )?"
_IS = "(?:is|are|was|were)"
_IS_ONE = rf"{_IS} (?=(?:an?|the|one) |\w{{1,40}}['\u2019]s )"
_ANSWERS = {
    "meaning": (rf"(?i:{_STARTS}SUBJECT)[\"\u201d]?{_IN_BRACKETS} {_MEANS} (?P<all>.+)",),
    "law": (
        rf"{_BY_LAW}(?P<name>{_PROPER})",
        rf"(?P<name>{_PROPER}) laws? (?:\w+ )?(?:govern|appl)",
    ),
    "called": (
        rf"\b{_NAMING} (?:the |an? )?{_NAMED}",
        rf"\b{_NAMING} (?=(?:the|an?) [a-z])(?P<rest>.+)",
    ),
    "kind": (rf"(?P<name>(?:{_WORD} ){{1,6}}CAPITAL(?: (?:of|for) (?:the )?{_PROPER})?)\b",),
    "attribute": (
        rf"\bNOUN(?: of [^,.;]{{1,60}}?)? {_IS} (?P<rest>(?:the |[A-Z\d$\u20ac\u00a3]).+)",
        rf"\bNOUN of {_QUOTED}",
    ),
    "identity": (
        rf"^\W*(?i:(?:the |an? )?SUBJECT)[\u2122\u00ae]?{_IN_BRACKETS} {_IS_ONE}(?P<rest>.+)",
    ),
}
"""Sentences with the phrase, by relation; it is the last group."""
_APPOSITIONS = (
    rf"\bNOUN(?:,? |: | ?[\u2013\u2014-] ?)(?:{_NAMING} )?{_NAMED}",
    # Not at the start: "Thus, the platform". After a preposition it is no apposition.
    (
        rf"(?<=.)(?<![Ii]n )(?<!\bof )(?<![Aa]t )(?<!from )(?<!and ){_NAMED}[\u2122\u00ae]?,?"
        rf" {_ANY}(?: [\w,-]{{1,30}}){{0,5}} NOUN\b"
    ),
)
_ENDS = re.compile(
    r"[.;:!?](?=\s|$)|[(),\u2013\u2014]|\s(?:that|which|who|whose|where|when|while|and \w{1,20}s|"
    r"but|as|because|since|although|by|for|in|on|at|to|from|with|under|after|before|during|until|if|"
    rf"{_AUX})\s"
)
"""Ends of a noun phrase."""
_HEADS = re.compile(rf" (?:of|in|for|that|which|who|on|at|by|to|from|used|{_AUX})\b")
_WHERE = re.compile(r" (?:in|under|for|within) (?:the|this|that|our|its)\b")
_LONGEST = 400
"""Maximum number of characters of a definition."""
OF_DOCUMENT = frozenset({"law", "meaning"})
"""Relations of a phrase that applies to its whole document."""


class Asked(NamedTuple):
    """A requested phrase: what relates it to a subject, and the noun that names its kind."""

    relation: str
    subject: str
    noun: str


@functools.lru_cache(maxsize=64)
def phrase_asked(query: str, /) -> Asked | None:
    """Return the phrase that a question requests, or ``None``."""
    for pattern, relation in _QUESTIONS.items():
        if match := re.match(rf"\W*{pattern}", query, re.IGNORECASE):
            groups = match.groupdict()
            subject = groups.get("subject") or ""
            if relation == "meaning":
                subject = re.sub(r"^the (?:term|word|acronym) ", "", _WHERE.split(subject)[0])
            noun = (groups.get("noun") or _HEADS.split(subject)[0]).split()
            return Asked(
                relation, subject.strip(" ?\"'\u201c\u201d\u2018\u2019"), "".join(noun[-1:])
            )
    return None


@functools.lru_cache(maxsize=16)
def _patterns(asked: Asked) -> list[re.Pattern[str]]:
    patterns = _ANSWERS[asked.relation]
    if asked.relation in {"called", "kind"}:
        patterns += _APPOSITIONS
    words = {"SUBJECT": asked.subject, "NOUN": asked.noun, "CAPITAL": asked.noun.capitalize()}
    for name, word in words.items():
        patterns = tuple(p.replace(name, re.escape(word)) for p in patterns)
    return [re.compile(p) for p in patterns]


def phrases_in(text: str, asked: Asked, /) -> list[tuple[int, int]]:
    """Return the phrases of a text that its grammar relates to the subject of a question."""
    plain, spans = _SPACE.sub(" ", text), list[tuple[int, int]]()
    for match in (match for pattern in _patterns(asked) for match in pattern.finditer(plain)):
        start, end = match.span(match.lastgroup or 0)
        if match.lastgroup == "rest" and (ends := _ENDS.search(plain, start + 2)):
            end = ends.start()
        elif match.lastgroup != "quoted":
            end = _trimmed(text, start, end)[1]
        if end - start <= _LONGEST:
            spans.append((start, end))
    return spans
