"""Parses a question: index terms, instructions, requested values, other names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.records.reading import Expansion, Reading
from casetrack.extract.language import language_of, script_of
from casetrack.ingest.steps.words import identifier_terms, terms_of_question
from casetrack.search.question.form import form_of
from casetrack.search.question.vocabularies import Match, matches
from casetrack.search.question.wanted import wanted
from casetrack.search.question.words import (
    may_cite,
    numbers_of,
    other_spellings,
    part,
    periods_of,
    phrases_of,
    spellings,
    stems_of,
    terms_of,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from casetrack.base.records.reading import AskedCitation, Part, Period, Want
    from casetrack.search.question.meaning import Meaning
    from casetrack.search.question.vocabularies import Term, Vocabulary
    from casetrack.search.question.words import Names, Word

# Instructions to the answering program, which are not about the documents. Programs and users of
# chats write "You are a careful analyst. Answer in one sentence:" around a question. Such words
# occur in many passages without being relevant. They are removed if they are certain: whole
# sentences that only instruct, and introductory phrases. Quoted text is never removed, nor the
# whole question.

_ROUNDS = 3
"""Maximum number of nested instructions: "please, show me" and then "the places about"."""
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
"""The rest of an instructing sentence; a question mark ends a question."""
_ASKED = r"(?:the|this|my|our) (?:following |above )?(?:questions?|query)"
_HOW = (
    r"(?:in|as|with|using|to|within) (?:an? |one |two |three |the |your )?"
    r"(?:(?:full|short|brief|concise|single|few|complete|simple|plain) )?"
    r"(?:sentences?|words?|paragraphs?|bullet points?|bullets|list|table|json|detail|percent\w*|"
    r"yes or no|us(?:d| dollars?)|usd|dollars|euros?|eur|gbp|chf|thousands?|millions?|billions?|"
    r"english|german|french|spanish|number|numbers|decimal|date format)"
)

_AS = r"(?:assume|imagine|pretend|suppose)(?: that)? (?:you are|you're|i am|we are)"
_SHOULD = r"(?:should|must|shall|is to|are to|needs? to|ha(?:s|ve) to)"
_OURS = r"(?:this|the|these|my|our|your)"
_EVERY = r"(?:(?:all|any|every|the|your|an?) )*"
_YOU = r"(?:can|could|would|will) you (?:please |kindly )?"
_ABOUT = (
    r"(?:relat(?:ed|ing|es?) to|relevant to|pertaining to|concerning|about|on|regarding|"
    r"deal(?:ing)? with|mention(?:ing)?|says?)"
)
_PLACES = r"(?:parts?|passages?|places?|sentences?|excerpts?|portions?|text)"
_USING = (
    r"(?:using|utili[sz]ing|relying|based|drawing on|considering|referring to|with reference to|"
    rf"according to|from|given)(?: {_ONLY}(?:up)?on)?"
)
_CITED = r"(?:relevant |exact |supporting )?(?:sources?|citations?|page numbers?|references|pages?)"

_SENTENCES = (
    # The role of the answering program.
    rf"(?:{_AS}|you are|act (?:as|like)) (?:an? )?{_ROLE}\b",
    # The form of the answer.
    rf"{_PLEASE}(?:answer|respond|reply|write|state it|give it)\b (?:only )?{_HOW}\b",
    (
        rf"{_PLEASE}(?:give|provide|write|return|output|state|express|format|phrase|keep|limit) "
        rf"(?:me )?(?:an?|the|your|this|all) (?:(?!to |about |of |for |on )\w+ )?{_ANSWER}s?\b"
        r"(?! (?:to|about|of|for|on|dated?) )"
    ),
    rf"(?:your {_ANSWER} {_SHOULD}|the {_ANSWER} {_SHOULD} be)\b",
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
        rf"{_PLEASE}(?:cite|quote|name|give|mention|include|provide) (?:me )?{_EVERY}{_CITED}\b"
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
    # The response if there is no answer.
    (
        r"if [^.?!\n]{3,160}?(?:,|\bthen\b),? ?(?:then )?(?:please )?(?:just )?"
        r"(?:state|say|write|answer|respond|reply|indicate|output|return|mention|note|explain) "
        r"(?:so\b|that\b|why\b|it\b|this\b|not\b|no\b|none\b|n/a|unknown\b|with\b|[\"'\u201c\u2018])"
    ),
)
_TURNS = (
    # Introductory phrases.
    r"^\W*(?:question|q|query|task|instructions?) ?:|\b(?:details|context|answer|question) ?:",
    rf"{_START}{_PLEASE}(?:answer|respond to|address|consider) {_ASKED}(?: {_ONLY}|\b)",
    rf"\b{_PLEASE}(?:give|provide|write|formulate) {_EVERY}(?:\w+ )?{_ANSWER} to {_ASKED}\b",
    (
        rf"\b(?:by |while )?{_ONLY}{_USING} {_ONLY}(?:only )?(?:(?:the|all|any|this|these) )?"
        rf"(?:(?:relevant|available|following|above|{_GIVEN}) )?{_INFORMATION}"
        rf"(?: (?:that|which) (?:is|are|was|were))?(?: {_ONLY}{_GIVEN})?"
        rf"(?: {_ONLY}(?:in|within|by|from|on))?\b"
        rf"(?: {_OURS} (?:{_GIVEN} |above |following |attached )?{_PAPERS}\b)?(?: {_GIVEN}\b)?"
    ),
    (
        rf"\b(?:based on|according to|from|in|using) {_OURS} (?:(?:{_GIVEN}|above|following) "
        rf"{_PAPERS}|(?:documents?|texts?|contexts?|passages?|files?|excerpts?)(?: {_GIVEN})?)\b"
        r"(?! (?:of|on|about|for|that|which|dated|named|called)\b)"
    ),
    r"^\W*(?:hi|hello|hey|dear \w+)\b,?",
    (
        rf"{_START}{_PLEASE}(?:{_YOU}|i(?: would|'d)? (?:like|want|need|wish) (?:you )?to |"
        r"help me (?:to )?|let me )?"
        r"(?:tell me|show me|give me|let me know|know|find out|explain to me)\b(?: about\b)?"
    ),
    rf"{_START}{_YOU}(?<!you )|{_START}please\b,?|,? please(?=\W*$)",
    (
        rf"{_START}{_PLEASE}(?:(?:highlight|identify|find|extract|locate|show|list|quote|mark) ?"
        rf"(?:me)?)?(?: all| any| every| the)*(?: of the)? {_PLACES}(?: \(if any\))?"
        rf"(?: (?:of|in|from|within) {_OURS} {_PAPERS})?"
        rf"(?: (?:that|which)(?: are| is)?)? ?{_ABOUT}\b"
    ),
    rf"(?:that|which) {_SHOULD} be (?:reviewed|checked|read|seen) by (?:an?|the|our|my) {_ROLE}\b",
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
    """Return the instructing parts of a question, in order; none if nothing else is left."""
    spans: list[tuple[int, int]] = []
    quoted = [match.span() for match in _QUOTED.finditer(query)]
    left = query
    for _ in range(_ROUNDS):
        hits = [match.span("cut") for match in _SENTENCE.finditer(left)]
        hits += [match.span() for match in _TURN.finditer(left)]
        cut = [_trimmed(left, *hit) for hit in hits]
        new = [s for s in cut if is_free(s, spans) and not _within(s, quoted)]
        spans += [span for n, span in enumerate(new) if is_free(span, new[:n])]
        if not new:
            break
        left = blanked(query, [part(query, *span) for span in spans])
    if not any(word.terms for word in words_of(left)):
        return ()
    return tuple(part(query, *span) for span in sorted(spans))


def blanked(query: str, dropped: Sequence[Part], /) -> str:
    """Return a question with blanks in place of some parts; offsets stay."""
    for each in dropped:
        query = f"{query[: each.start]}{' ' * len(each.text)}{query[each.end :]}"
    return query


def without(query: str, dropped: Sequence[Part], /) -> str:
    """Return a question without some parts."""
    return " ".join(_EDGE.sub("", blanked(query, dropped)).split()) if dropped else query


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without leading blanks and signs, and trailing blanks."""
    own = text[start:end]
    return start + len(own) - len(_EDGE.sub("", own)), start + len(own.rstrip())


def _within(span: tuple[int, int], quoted: Sequence[tuple[int, int]]) -> bool:
    """Return whether a span starts in a quotation, or contains the end of one."""
    return any(a <= span[0] < b or span[0] < a < span[1] < b for a, b in quoted)


def is_free(span: tuple[int, int], taken: Sequence[tuple[int, int]], /) -> bool:
    """Return whether a span is not empty and overlaps no other."""
    start, end = span
    return start < end and not any(a < end and start < b for a, b in taken)


# The values that a question requests, recognised by English phrases.

_PAPER = (
    r"(?:contract|agreement|document|deed|lease|licen[cs]e|report|filing|letter|memo\w*|amendment|"
    r"policy|will|act|form|order|judgment|opinion|complaint|deal|charter)"
)
_FIGURE = (
    r"(?:ratio|margin|percentage|percent|growth(?: rate)?|turnover|yield|rate|eps|"
    r"earnings per share|dpo|dso|dio|ebitda|ebit|total|average|balance)"
)
SCALE = re.compile(
    r"\b(?:in|to) (?:us ?d(?:ollars?)?|us\$|[$\u20ac\u00a3]|eur(?:os?)?|gbp|chf|dollars)? ?"
    r"(?:thousands?|millions?|billions?|percent)\b",
    re.IGNORECASE,
)
"""The requested scale of a figure; passages express it in other words."""
_READ_ASKED = r"(?:what|which) (?:(?:is|was|are|were|does|did) )?(?:[\w&'\u2019.-]+ ){0,6}?"
_ONE = r"(?:the|this|that|an?|our|your)"
_THE = rf"(?:{_ONE} )?(?:\w+ ){{0,3}}?"
_PARTIES = r"(?:parties|signatories)"
_DAY = r"(?:when|(?:what|which) (?:date|day))"
_SIGNED = (
    r"(?:sign(?:s|ed)?|execut(?:es?|ed)|dated|ma(?:k|d)e|enter(?:s|ed)?|effective|filed|issued|"
    r"published|conclud(?:es?|ed)|beg[ia]ns?|starts?|started|commences?|commenced|"
    r"c[oa]mes? into (?:force|effect)|takes? effect|took effect)\b"
)
_RULES: tuple[tuple[Want, str], ...] = (
    ("figure", r"\bhow much\b|\bhow (?:large|big|high|low)\b"),
    ("figure", rf"\b{_READ_ASKED}{_FIGURE}\b"),
    ("figure", r"\b(?:calculate|compute|determine)\b"),
    ("count", r"\bhow many\b"),
    ("figure", SCALE.pattern),
    ("figure", r"\b(?:round|decimal) (?:\w+ ){0,4}?(?:places?|percent|digits?)\b"),
    ("definition", r"\bdefin(?:e|es|ed|ition|itions)\b|\bmeaning of\b|\bmeant by\b"),
    ("definition", r"\bwhat (?:does|do|did|is) .{1,60}? (?:mean|stand for)\b"),
    ("definition", r"^\W*what (?:is|are) (?:an? )?\W?[\w-]+(?: [\w-]+)?\W*$"),
    # The head of a document: title, kind, parties, date.
    ("head", rf"\b(?:title|name|date|subject) (?:of|to|in|on) {_THE}{_PAPER}\b"),
    ("head", rf"\b{_PAPER} (?:title|name)\b|\b{_ONE} {_PAPER} called\W*$"),
    ("head", rf"\b(?:kind|type|sort) of {_PAPER}(?: (?:is|was|are) (?:it|this|that|these)\b|\W*$)"),
    (
        "head",
        rf"(?<!between the )\b{_PARTIES} (?:of|to|in|(?:who|that|which) \w+) {_THE}{_PAPER}\b",
    ),
    ("head", rf"\b(?:who|which|what|name) (?:are |were )?the (?:\w+ ){{0,2}}?{_PARTIES}\b"),
    ("head", rf"\b(?:between|among|with) (?:whom|who|which|what)\b.*\b{_ONE} {_PAPER}\b"),
    ("head", rf"\b(?:who|which \w+|what \w+) (?:\w+ )?{_SIGNED} (?:into )?{_THE}{_PAPER}\b"),
    (
        "head",
        r"\bwho (?:wrote|signed|issued|filed|made|prepared|is the author of) (?:it|th[ia][st])\b",
    ),
    ("head", rf"\b(?:{_PAPER}|effective|commencement|execution|signing|signature) date\b"),
    ("head", rf"\b{_PAPER} dated\b|\bdate of (?:signing|signature|execution|issue|filing)\b"),
    ("head", rf"\b{_DAY}\b.*\b(?:{_PAPER}\b.*\b{_SIGNED}|{_SIGNED} {_ONE} {_PAPER})"),
)
_RULE = tuple((want, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for want, pattern in _RULES)


_WANTS: dict[Want, frozenset[str]] = {
    "amount": frozenset({"money"}),
    "count": frozenset({"number"}),
    "date": frozenset({"date", "time"}),
    "person": frozenset({"person"}),
    "place": frozenset({"place"}),
}


def wants_of(text: str, /) -> frozenset[Want]:
    """Return the kinds of values that a question requests."""
    wants = {want for want, pattern in _RULE if pattern.search(text)}
    asked = wanted(text)
    wants |= {want for want, kinds in _WANTS.items() if asked and not asked.kinds.isdisjoint(kinds)}
    if "definition" in wants:
        # The fee in a definition is not requested.
        wants -= {"amount", "figure"}
    return frozenset(wants)


# The other names that models read in addition to the question.

_NAMES, _PARTS, _WITHIN = 2, 3, 1
_WORDS = 24
"""Maximum number of additional words: a model's time grows with them."""


def _other_names(words: Sequence[Word], named: Sequence[Match]) -> str:
    """Return the first other names, parts and places of the terms found in *words*."""
    others: list[str] = []
    room = _WORDS
    for name in dict.fromkeys(name for match in named for name in _others(words, match)):
        room -= len(name.split())
        if room < 0:
            break
        others.append(name)
    return "; ".join(others)


def _others(words: Sequence[Word], match: Match) -> Iterator[str]:
    own = tuple(t for word in words[match.first : match.last] for t in word.terms)
    for term in match.terms:
        yield from [name for name in term.names if stems_of(name) != own][:_NAMES]
        yield from term.parts[:_PARTS]
        yield from term.within[:_WITHIN]


EXPLAINING = 0.3
"""Weight of a word after the question: "Is there exclusivity? This includes ..."."""
OTHER_NAME = 0.6
"""Maximum weight of a word of another name, relative to one of the question."""
_ROOM = 3.0
"""Maximum total weight of all other names of a term, for each of its words."""


_OPENING = 16
"""Length in characters of instructions that are part of the form: "show me", "give me"."""


_SPECIFIC, _COMMON = 0.2, 0.5
"""Share of passages with a word up to which its other names count fully, and from which not."""


def _citations_of(asked: str) -> tuple[AskedCitation, ...]:
    """Return the citations of a question; their reader is imported only if needed."""
    if not may_cite(asked):
        return ()
    from casetrack.search.question.citations import citations_of

    return citations_of(asked)


def read(
    query: str,
    /,
    *,
    vocabularies: Sequence[Vocabulary] = (),
    names: Names | None = None,
    code: bool = False,
    meaning: Callable[[str], Meaning | None] | None = None,
    share: Callable[[str], float] | None = None,
) -> Reading:
    """Parse a question.

    *vocabularies* are sources of other names, *names* those of the collection's documents. With
    *code*, these contain source code: a word with inner capitals is then a name. *meaning* returns
    the similarities of a text with terms, or ``None`` if they are unknown; *share* returns the
    share of the searched passages with an index term.
    """
    dropped = instructions_of(query)
    # Offsets are kept, so that all parts refer to the original question.
    asked = blanked(query, dropped)
    words = words_of(asked)
    periods = periods_of(asked)
    numbers = numbers_of(asked, periods)
    cut = asked.rfind("?") + 1 or len(asked)
    terms: dict[str, float] = dict(Counter(terms_of_question(asked[:cut])))
    _add_words(terms, asked[cut:], EXPLAINING)
    if code:
        for term in identifier_terms(asked, code=True):
            terms.setdefault(term, OTHER_NAME)
    for period in periods:
        _add_period(terms, period)
    for number in numbers:
        for spelling in other_spellings(number.text):
            _add_words(terms, spelling, OTHER_NAME)
    plain = without(query, dropped)
    meant = meaning(plain) if meaning is not None and vocabularies else None
    named = _meant(words, matches(words, vocabularies), vocabularies, meant, share)
    searched = [(match, _specific(words, match, share) * sure) for match, sure in named]
    searched = [(match, weight) for match, weight in searched if weight > 0.0]
    expansions = [
        e for match, weight in searched for e in _expansions(query, words, match, weight, share)
    ]
    for name, weight in ((name, e.weight) for e in expansions for name in e.also):
        _add_words(terms, name, weight)
    script = script_of(query)
    language = language_of(query, script)
    return Reading(
        query=query,
        text=plain,
        other_names=_other_names(words, [match for match, _ in searched]),
        terms=terms,
        dropped=dropped,
        phrases=phrases_of(asked),
        numbers=numbers,
        periods=periods,
        named=names.named(query, words, periods, language) if names else (),
        wants=wants_of(asked).union(*(t.wants for match, _ in named for t in match.terms)),
        form=form_of(blanked(query, [p for p in dropped if len(p.text) > _OPENING]), language),
        language=language,
        script=script,
        expansions=tuple(expansions),
        citations=_citations_of(asked),
        titles=tuple(n for match, _ in named for term in match.terms for n in term.within),
    )


def _meant(
    words: Sequence[Word],
    named: Sequence[Match],
    vocabularies: Sequence[Vocabulary],
    meant: Meaning | None,
    share: Callable[[str], float] | None,
) -> list[tuple[Match, float]]:
    """Return the named terms that the question may mean, each with its certainty.

    A term that the question means but does not name is added without words, except one of the head
    of a document: that is asked for by name. The meaning of abbreviations is not known.
    """
    if meant is None:
        return [(match, 1.0) for match in named]
    kept = []
    for match in named:
        own = tuple(term for word in words[match.first : match.last] for term in word.terms)
        name = " ".join(word.text for word in words[match.first : match.last])
        is_sure = _stands_alone(name, share)
        sure = {t: is_sure or _is_called(own, t) or meant.certainty(t) for t in match.terms}
        if terms := tuple(t for t in match.terms if sure[t]):
            kept.append((replace(match, terms=terms), float(max(sure.values()))))
    nearest = meant.nearest([v.name for v in vocabularies])
    term = next(
        (v.term(nearest[1]) for v in vocabularies if nearest and v.name == nearest[0]), None
    )
    is_known = any(term in match.terms for match, _ in kept)
    if term is not None and not is_known and "head" not in term.wants:
        kept.append((Match(0, 0, (term,)), 1.0))
    return kept


def _stands_alone(name: str, share: Callable[[str], float] | None) -> bool:
    """Return whether a name is an abbreviation that no searched passage has, such as "CoC"."""
    is_short = sum(map(str.isupper, name)) > 1
    return is_short and share is not None and not any(map(share, terms_of(name)))


def _is_called(own: tuple[str, ...], term: Term) -> bool:
    """Return whether words are a name of a term, and not one word, which may mean another thing."""
    return len(own) > 1 and any(stems_of(name) == own for name in term.names)


def _specific(words: Sequence[Word], match: Match, share: Callable[[str], float] | None) -> float:
    """Return how specific the words of a match are among the searched passages, 0 to 1.

    Other names of a word that most passages contain find no other passages, and outweigh the words
    of the question: a confidentiality agreement has a "receiving party" in each clause.
    """
    if share is None or match.first == match.last:
        return 1.0
    terms = [term for word in words[match.first : match.last] for term in word.terms]
    least = min(map(share, terms), default=0.0)
    return min(1.0, max(0.0, (_COMMON - least) / (_COMMON - _SPECIFIC)))


def _expansions(
    query: str,
    words: Sequence[Word],
    match: Match,
    certainty: float,
    share: Callable[[str], float] | None,
) -> list[Expansion]:
    """Return the other names of a question's terms, one record per vocabulary."""
    is_named = match.first < match.last
    own = part(
        query, *(words[match.first].start, words[match.last - 1].end) if is_named else (0, 0)
    )
    own_terms = terms_of(own.text)
    by_vocabulary: dict[str, dict[str, None]] = {}
    for term in match.terms:
        others = [n for n in (*term.names, *term.parts, *term.within) if terms_of(n) != own_terms]
        by_vocabulary.setdefault(term.vocabulary, {}).update(dict.fromkeys(others))
    added = {t for others in by_vocabulary.values() for other in others for t in terms_of(other)}
    # A name without an index term, such as "M&A", counts as one word.
    count = max(1, len(own_terms))
    has_room = count > 1 or _stands_alone(own.text, share)
    room = count * (_ROOM if has_room else 1.0) if is_named else 2 * _ROOM
    weight = certainty * min(OTHER_NAME, room / max(1, len(added.difference(own_terms))))
    return [
        Expansion(own, tuple(others), vocabulary, weight)
        for vocabulary, others in by_vocabulary.items()
        if others
    ]


def _add_period(terms: dict[str, float], period: Period) -> None:
    """Add all spellings of a year or quarter; the year alone has full weight."""
    for spelling in spellings(period):
        _add_words(terms, spelling, 1.0 if spelling == str(period.year) else OTHER_NAME)


def _add_words(terms: dict[str, float], text: str, weight: float) -> None:
    for term in dict.fromkeys(terms_of(text)):
        terms[term] = max(terms.get(term, 0.0), weight)
