"""The set that a question is about: its words, the compared value, and what narrows it."""

from __future__ import annotations

import re
from typing import get_args

from casetrack.base.dataclass import dataclass
from casetrack.base.records.reading import QuestionForm, Reading
from casetrack.base.words import WordLists
from casetrack.search.question.form import superlative

LISTS = WordLists(__file__)
TYPES, ENTITIES, REFERENCES = (
    {word: name for name, words in LISTS.groups(kind).items() for word in words}
    for kind in ("types", "entities", "references")
)
"""Names of document types, and of kinds of entities and references, by their words."""
DOCUMENTS, PAPERS = frozenset(LISTS.words("documents")), frozenset(LISTS.words("papers"))
AMENDED = re.compile(r"(?<![a-z])(?:amend|nachtrag|addend)", re.IGNORECASE)
_QUANTIFIERS = frozenset(LISTS.words("quantifiers"))
_NEUTRAL = frozenset(LISTS.words("neutral"))
_STOPS = frozenset(LISTS.words("stops"))
_OF_TIME = frozenset(LISTS.words("of_time"))
_OF_LENGTH = frozenset(LISTS.words("of_length"))
_NUMERALS = frozenset(LISTS.words("numerals"))
_LOWEST = frozenset(LISTS.words("lowest"))
_WORD = re.compile(r"[\w&'’./-]*\w")
_MOST_WORDS = 5
"""Maximum number of words of a set: "approved change requests"."""

_ASKED: dict[QuestionForm, re.Pattern[str]] = {
    form: LISTS.pattern(f"asks_{form}")
    for form in get_args(QuestionForm)
    if form in {"list", "count", "sum", "extreme", "computation"}
}
_HAS = re.compile(
    r"\b(?:has|have|had|shows?|reports?|reported|received|with|costs?|hat|haben|hatte)"
    r"(?: (?:the|den|die|das))? ?$"
)


@dataclass(frozen=True, slots=True)
class AskedSet:
    """The set of a question.

    Attributes
    ----------
    words
        The words of the set in lower case, without quantifiers: ``change requests``.
    measure
        The words of the compared value, ``highest revenue``; empty if the set itself is compared.
    rest
        The words that narrow the set; empty if nothing does.
    lowest, by
        The direction of an extreme, and whether values, times or lengths are compared.
    """

    form: QuestionForm
    words: tuple[str, ...]
    measure: tuple[str, ...] = ()
    rest: str = ""
    lowest: bool = False
    by: str = "value"

    @property
    def name(self) -> str:
        """The words of the set."""
        return " ".join(self.words)


def asked_set(reading: Reading, text: str, /) -> AskedSet | None:
    """Return the set of a question without instructions, or ``None`` if it names none."""
    form = reading.form
    pattern = _ASKED.get(form)
    plain = " ".join(text.replace("\u2019", "'").split()).rstrip(" ?.!")
    opening = pattern.match(plain.lower()) if pattern else None
    if opening is None:
        return None
    if form != "extreme":
        words, rest = _phrase(plain[opening.end() :])
        return AskedSet(form, words, (), rest) if words else None
    top = superlative(plain.lower())
    if top is None:
        return None
    before, after = plain[opening.end() : top.start()], plain[top.end() :]
    lowest, by = not _LOWEST.isdisjoint(top.group().split()), _compared(top.group())
    has = _HAS.search(before.lower())
    if has is not None:
        # "Which company has the highest revenue?"
        words, narrowed = _phrase(before[: has.start()])
        measure, rest = _phrase(after)
        if not words or not measure:
            return None
        return AskedSet(form, words, measure, f"{narrowed} {rest}".strip(), lowest, by)
    words, rest = _phrase(before)
    if words and not _NUMERALS.issuperset(words):
        # "Which invoice is the highest?"
        verb = re.sub(r"\b(?:is|are|was|were|the|ist|sind|die|der|das)\b", " ", rest.lower())
        return AskedSet(form, words, (), f"{verb.strip()} {_narrowing(after)}".strip(), lowest, by)
    words, rest = _phrase(after)
    return AskedSet(form, words, (), rest, lowest, by) if words else None


def _compared(top: str) -> str:
    words = set(top.split())
    return "time" if words & _OF_TIME else "length" if words & _OF_LENGTH else "value"


def _phrase(text: str) -> tuple[tuple[str, ...], str]:
    """Return the words of a set at the start of a text, and the narrowing words after it."""
    words: list[str] = []
    end = last = len(text)
    for match in _WORD.finditer(text):
        word = match.group().lower()
        gap = text[last : match.start()]
        last = match.end()
        if (word in _STOPS and (words or word not in _QUANTIFIERS)) or "," in gap or ":" in gap:
            end = match.start()
            break
        if word not in _QUANTIFIERS or words:
            words.append(word)
        if len(words) > _MOST_WORDS:
            return (), text
    while words and words[-1] in _QUANTIFIERS:
        words.pop()  # "Liste alle Rechnungen auf"
    return tuple(words), _narrowing(text[end:])


def _narrowing(text: str) -> str:
    """Return the words after a set; empty if none of them narrows it."""
    words = [match.group().lower() for match in _WORD.finditer(text)]
    return "" if all(word in _NEUTRAL for word in words) else text.strip(" ?.,")
