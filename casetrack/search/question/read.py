"""A question is read: what its words are looked up by, and what it says beside them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from casetrack.base.records.reading import Expansion, Reading
from casetrack.extract.language import language_of, script_of
from casetrack.ingest.steps.words import identifier_terms, terms_of_question
from casetrack.search.question.citations import citations_of
from casetrack.search.question.instructions import blanked, instructions_of, without
from casetrack.search.question.vocabularies import matches
from casetrack.search.question.words import (
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
    from collections.abc import Iterator, Sequence

    from casetrack.base.records.reading import Period, Want
    from casetrack.search.question.names import Names
    from casetrack.search.question.vocabularies import Match, Vocabulary
    from casetrack.search.question.words import Word

# What a question asks for, told by how English asks for it.

_PAPER = (
    r"(?:contract|agreement|document|deed|lease|licen[cs]e|report|filing|letter|memo\w*|amendment|"
    r"policy|will|act|form|order|judgment|opinion|complaint|deal|charter)"
)
_MONEY = (
    r"(?:amounts?|price|prices|fees?|costs?|rent|rents|salary|salaries|wages?|payments?|sums?|"
    r"penalt(?:y|ies)|damages|deposit|loan|debt|revenues?|sales|income|profits?|loss(?:es)?|"
    r"expenses?|capital|dividends?|premiums?|royalt(?:y|ies)|cap|budget|value|worth|compensation)"
)
_FIGURE = (
    r"(?:ratio|margin|percentage|percent|growth(?: rate)?|turnover|yield|rate|eps|"
    r"earnings per share|dpo|dso|dio|ebitda|ebit|total|average|balance)"
)
_ASKED = r"(?:what|which) (?:(?:is|was|are|were|does|did) )?(?:[\w&'\u2019.-]+ ){0,6}?"
_ONE = r"(?:the|this|that|an?|our|your)"
_THE = rf"(?:{_ONE} )?(?:\w+ ){{0,3}}?"
_SIGNED = (
    r"(?:sign(?:s|ed)?|execut(?:es?|ed)|dated|ma(?:k|d)e|enter(?:s|ed)?|effective|filed|issued|"
    r"published|conclud(?:es?|ed)|beg[ia]ns?|starts?|started|commences?|commenced|"
    r"c[oa]mes? into (?:force|effect)|takes? effect|took effect)\b"
)
_RULES: tuple[tuple[Want, str], ...] = (
    ("figure", r"\bhow much\b|\bhow (?:large|big|high|low)\b"),
    ("figure", rf"\b{_ASKED}{_FIGURE}\b"),
    ("figure", rf"\b(?:calculate|compute|determine)\b.*\b(?:{_FIGURE}|{_MONEY})\b"),
    (
        "figure",
        (
            r"\bin (?:us ?d(?:ollars?)?|us\$|\$|eur(?:os?)?|gbp|chf|dollars)? ?"
            r"(?:thousands?|millions?|billions?|percent)\b"
        ),
    ),
    ("figure", r"\b(?:round|decimal) (?:\w+ ){0,4}?(?:places?|percent|digits?)\b"),
    ("amount", r"\bhow much\b(?! (?:time|notice))"),
    ("amount", rf"\b{_ASKED}{_MONEY}\b"),
    ("count", r"\bhow many\b|\b(?:what|which) (?:is|was|are|were) the (?:total )?number of\b"),
    ("date", r"\bhow (?:soon|quickly|long)\b|\bwithin (?:what|which|how)\b|\bby when\b"),
    ("date", r"\bwhen\b(?! (?:calculating|answering|applicable|necessary))"),
    ("date", r"\b(?:what|which|on what|by what|until what) (?:date|day|month|year)s?\b"),
    ("date", r"\b(?:what|which) (?:is|was|are|were) the (?:\w+ ){0,4}?(?:date|deadline)\b"),
    ("person", r"\bwho(?:m|se)?\b"),
    ("person", r"\b(?:what|which) (?:is|was) the name of the (?!\w* ?" + _PAPER + r")"),
    ("person", r"\bwhich (?:person|judge|director|officer|lawyer|attorney|employee|witness)\b"),
    ("place", r"\bwhere\b(?! (?:applicable|necessary|possible|appropriate))"),
    (
        "place",
        r"\b(?:what|which) (?:country|state|city|town|county|court|jurisdiction|address|place)\b",
    ),
    (
        "place",
        r"\b(?:what|which) (?:is|was) the (?:\w+ ){0,3}?(?:address|location|headquarters|seat)\b",
    ),
    ("definition", r"\bdefin(?:e|es|ed|ition|itions)\b|\bmeaning of\b"),
    ("definition", r"\bwhat (?:does|do|did|is) .{1,60}? (?:mean|stand for)\b|\bmeant by\b"),
    (
        "definition",
        (
            r"^\W*what (?:is|are) (?:an? )?[\"\u201c'\u2018]?[\w-]+(?: [\w-]+)?"
            r"[\"\u201d'\u2019]?\W*$"
        ),
    ),
    # The head of a document: what it is called, what it is, between whom, of which day.
    ("head", rf"\b(?:title|name|date|subject) (?:of|to|in|on) {_THE}{_PAPER}\b"),
    ("head", rf"\b{_PAPER} (?:title|name)\b|\b{_ONE} {_PAPER} called\W*$"),
    ("head", rf"\b(?:kind|type|sort) of {_PAPER} (?:is|was|are) (?:it|this|that|these)\b"),
    ("head", rf"\b(?:kind|type|sort) of {_PAPER}\W*$"),
    (
        "head",
        (
            r"(?<!between the )\b(?:parties|signatories) (?:of|to|in|(?:who|that|which) \w+) "
            rf"{_THE}{_PAPER}\b"
        ),
    ),
    (
        "head",
        r"\b(?:who|which|what|name) (?:are |were )?the (?:\w+ ){0,2}?(?:parties|signatories)\b",
    ),
    ("head", rf"\b(?:between|among|with) (?:whom|who|which|what)\b.*\b{_ONE} {_PAPER}\b"),
    ("head", rf"\b(?:who|which \w+|what \w+) (?:\w+ )?{_SIGNED} (?:into )?{_THE}{_PAPER}\b"),
    (
        "head",
        r"\bwho (?:wrote|signed|issued|filed|made|prepared|is the author of) (?:it|this|that)\b",
    ),
    ("head", rf"\b(?:{_PAPER}|effective|commencement|execution|signing|signature) date\b"),
    ("head", rf"\b{_PAPER} dated\b|\bdate of (?:signing|signature|execution|issue|filing)\b"),
    ("head", rf"\b(?:when|what date|which date|what day|which day)\b.*\b{_PAPER}\b.*\b{_SIGNED}"),
    ("head", rf"\b(?:when|what date|which date|what day|which day)\b.*\b{_SIGNED} {_ONE} {_PAPER}"),
)
_RULE = tuple((want, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for want, pattern in _RULES)


def wants_of(text: str, /) -> frozenset[Want]:
    """Return what a question asks for: nothing, one thing, or several."""
    found = {want for want, pattern in _RULE if pattern.search(text)}
    if "definition" in found:
        # The fee that is to be explained is not asked for.
        found -= {"amount", "figure"}
    return frozenset(found)


# What the models read of a question: its words, and other names of what it names.

_NAMES, _PARTS, _WITHIN = 2, 3, 1
_WORDS = 24
"""A model's time grows with the words that it reads: these cost 1 ms, and more did not help."""


def with_other_names(asked: str, words: Sequence[Word], named: Sequence[Match], /) -> str:
    """Return what is asked, followed by the first other names, parts and places of its terms.

    Without any it is returned as it stands. *words* are those in which the terms were found.
    """
    others: list[str] = []
    room = _WORDS
    for name in dict.fromkeys(name for match in named for name in _others(words, match)):
        room -= len(name.split())
        if room < 0:
            break
        others.append(name)
    return f"{asked} {'; '.join(others)}" if others else asked


def _others(words: Sequence[Word], match: Match) -> Iterator[str]:
    said = tuple(t for word in words[match.first : match.last] for t in word.terms)
    for term in match.terms:
        yield from [name for name in term.names if stems_of(name) != said][:_NAMES]
        yield from term.parts[:_PARTS]
        yield from term.within[:_WITHIN]


OTHER_NAME = 0.6
"""How much a word of another name counts, at most, beside one of the question.

Measured on questions to annual reports, alone and among all: 0.4 is no better, and sharing it out
over the words of a name, or over the names, is worse. Nor do models find more where years are
rewritten for them."""
_ROOM = 3.0
"""What all the other names of a term may count together, for each of its words. A single word has
several meanings ("notice", "term"): its other names count no more than it does itself."""


def read(
    query: str,
    /,
    *,
    vocabularies: Sequence[Vocabulary] = (),
    names: Names | None = None,
    code: bool = False,
) -> Reading:
    """Read a question.

    Parameters
    ----------
    query
        The question, as a person or a program gives it.
    vocabularies
        Where other names of what it says are looked up.
    names
        What its collection's documents are called.
    code
        Whether there is source code among them: a word with capitals inside is a name then.
    """
    dropped = instructions_of(query)
    # What is left stands where it stood, so that all parts are those of the question itself.
    asked = blanked(query, dropped)
    words = words_of(asked)
    periods = periods_of(asked)
    numbers = numbers_of(asked, periods)
    terms: dict[str, float] = {t: float(n) for t, n in Counter(terms_of_question(asked)).items()}
    if code:
        for term in identifier_terms(asked, code=True):
            terms.setdefault(term, OTHER_NAME)
    for period in periods:
        _add_period(terms, period)
    for number in numbers:
        for spelling in other_spellings(number.text):
            _add_words(terms, spelling, OTHER_NAME)
    named = matches(words, vocabularies)
    expansions = [e for match in named for e in _expansions(query, words, match)]
    for other in expansions:
        _add(terms, other)
    script = script_of(query)
    language = language_of(query, script)
    return Reading(
        query=query,
        text=with_other_names(without(query, dropped), words, named),
        terms=terms,
        dropped=dropped,
        phrases=phrases_of(asked),
        numbers=numbers,
        periods=periods,
        named=names.named(query, words, periods, language) if names else (),
        wants=wants_of(asked).union(*(t.wants for match in named for t in match.terms)),
        language=language,
        script=script,
        expansions=tuple(expansions),
        citations=citations_of(asked),
        titles=tuple(n for match in named for term in match.terms for n in term.within),
    )


def _expansions(query: str, words: Sequence[Word], match: Match) -> list[Expansion]:
    """Return the other names of what a question names, one record per vocabulary."""
    own = part(query, words[match.first].start, words[match.last - 1].end)
    said = terms_of(own.text)
    found: dict[str, dict[str, None]] = {}
    for term in match.terms:
        others = [n for n in (*term.names, *term.parts, *term.within) if terms_of(n) != said]
        found.setdefault(term.vocabulary, {}).update(dict.fromkeys(others))
    added = {t for others in found.values() for other in others for t in terms_of(other)}
    room = len(said) * (_ROOM if len(said) > 1 else 1.0)
    weight = min(OTHER_NAME, room / max(1, len(added.difference(said))))
    return [
        Expansion(own, tuple(others), vocabulary, weight)
        for vocabulary, others in found.items()
        if others
    ]


def _add_period(terms: dict[str, float], period: Period) -> None:
    """Let all spellings of a year or quarter count; the year alone counts as a word of its own."""
    for spelling in spellings(period):
        _add_words(terms, spelling, 1.0 if spelling == str(period.year) else OTHER_NAME)


def _add(terms: dict[str, float], other: Expansion) -> None:
    """Let the words of other names count; those of the question itself count as they did."""
    for name in other.also:
        _add_words(terms, name, other.weight)


def _add_words(terms: dict[str, float], said: str, weight: float) -> None:
    for term in dict.fromkeys(terms_of(said)):
        terms[term] = max(terms.get(term, 0.0), weight)
