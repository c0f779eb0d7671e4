"""Finds all occurrences of a document's names in one pass over its text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ahocorasick_rs import AhoCorasick, MatchKind

from casetrack.graph.document.anchored_names.companies import is_wrapped
from casetrack.graph.document.anchored_names.facts import is_written_so, patterns, readable
from casetrack.graph.document.words import FUNCTION_WORDS
from casetrack.graph.entities.lexicon import GIVEN_NAMES, HONORIFICS
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from casetrack.graph.document.anchored_names.facts import Form

_BEFORE: Final = re.compile(r"([^\W\d_][\w'’.]*)[ \n]$")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_BEHIND: Final = re.compile(r"[ \n](\(?[^\W\d_][\w'’&-]*)")
_SMALL_WORDS: Final = re.compile(r"(?<![\w.@/-])[a-z][a-z]+(?![\w@/]|\.\w)")
_THINGS: Final = re.compile(
    r"\b(?:the|The|an?|any|all|each|such|no|this|of|its) ([A-Z][a-z-]+)(?!\w)"
)
_TITLED: Final = re.compile(r"\b([A-Z][a-z-]+)(?!\w)")
_OTHERS: Final = frozenset(
    "holding holdings group international global bank bancorp capital ventures foundation trust "
    "industries enterprises asia europe america americas africa pacific canada mexico brazil china "
    "japan india germany france italy spain ireland uk usa australia singapore (asia (uk (us (usa "
    "(europe (china (india (canada (germany (hong".split()
)
"""Words after a name that turn it into another firm: Acme Holdings, Acme (Asia)."""
_ENGLISH = FUNCTION_WORDS["en"] | FUNCTION_WORDS["de"]
_LONGEST_HEADING = 70


@dataclass(frozen=True, slots=True)
class Hit:
    """An occurrence of a name: position of the form, code points in the text."""

    form: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of a document that are no names."""

    small: frozenset[str]  # Words in lower case, except in addresses
    # Words that are often capitalised after an article ("the Territory", "any Product"), here in
    # lower case.
    things: frozenset[str]


def vocabulary(texts: Iterable[str], /) -> Vocabulary:
    """Return the words of texts that are no names."""
    small: set[str] = set()
    things: Counter[str] = Counter()
    titled: Counter[str] = Counter()
    for text in texts:
        small.update(_SMALL_WORDS.findall(text))
        things.update(_THINGS.findall(text))
        titled.update(_TITLED.findall(text))
    # "the Google founders" is one of many mentions of Google without an article.
    return Vocabulary(
        frozenset(small), frozenset(w.lower() for w, n in things.items() if 3 * n >= titled[w])
    )


class NameFinder:
    """Finds the forms of names in texts; if two forms have the same pattern, the first counts."""

    def __init__(self, forms: Sequence[Form], words: Vocabulary, /) -> None:
        self._forms = forms
        self._common = words.small
        self._things = words.small | words.things
        number_of: dict[str, list[int]] = {}
        for number, form in enumerate(forms):
            for pattern in sorted(patterns(form)):
                number_of.setdefault(pattern, []).append(number)
        self._numbers = list(number_of.values())
        self._is_common = [_is_common(f, words.small) for f in forms]
        self._heads = {fold(f.text.split()[0]) for f in forms if f.text.split()}
        self._automaton = (
            AhoCorasick(number_of, matchkind=MatchKind.Standard) if number_of else None
        )

    def find(self, text: str, /) -> Iterator[Hit]:
        """Yield the forms in a text, in order, the longest first at one position."""
        if self._automaton is None:
            return
        read, places = readable(text)
        for number, low, high in self._automaton.find_matches_as_indexes(read, overlapping=True):
            before, behind = read[low - 1 : low], read[high : high + 1]
            if (before and (before.isalnum() or before in "_@")) or (
                behind and (behind.isalnum() or behind in "_@")
            ):
                continue
            start, end = (low, high) if places is None else (places[low], places[high - 1] + 1)
            if _is_address(text, start, end):
                continue
            occurrence = text[start:end]
            for form in self._numbers[number]:
                if is_written_so(
                    self._forms[form], occurrence, is_common=self._is_common[form]
                ) and (self._is_occurrence(form, text, start, end)):
                    yield Hit(form, start, end)
                    break

    def _is_occurrence(self, number: int, text: str, start: int, end: int) -> bool:
        """Return whether an occurrence is the form itself, not a part of another name."""
        form = self._forms[number]
        if form.manner == "full" and " " in form.text:
            return True
        all_caps = text[start:end].isupper() and _has_capital_context(text, start, end)
        if all_caps and self._is_common[number] and _is_heading(text, start, end):
            return False
        return self._may_follow(number, text, start, all_caps=all_caps) and self._may_precede(
            number, text, end, all_caps=all_caps
        )

    def _may_follow(self, number: int, text: str, start: int, *, all_caps: bool) -> bool:
        form = self._forms[number]
        match = _BEFORE.search(text, max(0, start - 28), start)
        if match is None or not match[1][0].isupper() or _POSSESSIVE.search(match[1]):
            return True
        if text[start - 1] == "\n" and not is_wrapped(text, start - 1):
            return True
        word = fold(match[1]).rstrip(".'’")
        if match[1].endswith("."):
            # A title or an initial after a name belongs to a person; but "A." may be a list mark.
            is_title = word in HONORIFICS and word != "the"
            before = text[max(0, match.start() - 2) : match.start()].strip(" ")
            is_initial = len(word) == 1 and (before[-1:].isalnum() or form.manner == "learned")
            return not (is_title or is_initial) or form.kind == "person"
        if word in _ENGLISH or all_caps:
            return True
        if form.kind == "organization" and word in HONORIFICS:
            return word == "the"
        if form.kind == "person":
            return form.manner != "learned" or word in HONORIFICS or word in self._common
        if form.manner == "term":
            return (
                text[max(0, match.start() - 1) : match.start()] in {"", "\n"}
                and word in self._common
            )
        if form.manner in {"short", "full"} and not self._is_common[number]:
            return word not in GIVEN_NAMES
        return word in self._things or word in self._heads

    def _may_precede(self, number: int, text: str, end: int, *, all_caps: bool) -> bool:
        form = self._forms[number]
        match = _BEHIND.match(text, end)
        if match is None or (text[end] == "\n" and not is_wrapped(text, end)):
            return True
        word = fold(match[1])
        if form.kind == "organization" and form.manner != "term" and word in _OTHERS:
            return match[1].lstrip("(")[0].islower()
        if not match[1][0].isupper() or all_caps or form.manner in {"short", "term", "full"}:
            return True
        return word in _ENGLISH or word in self._things or word in self._heads


def _is_common(form: Form, common: Collection[str]) -> bool:
    words = form.text.split()
    return len(words) == 1 and (form.text.lower() in common or fold(words[0]) in _ENGLISH)


def _is_address(text: str, start: int, end: int) -> bool:
    """Return whether a place is inside a mail or web address."""
    if text[end : end + 1] == "." and text[end + 1 : end + 2].islower():
        return True
    before = text[start - 1 : start]
    return before in {".", "\\"} and text[start - 2 : start - 1].islower()


def _line_of(text: str, start: int, end: int) -> str:
    low, high = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return text[low : high if high >= 0 else len(text)]


def _has_capital_context(text: str, start: int, end: int) -> bool:
    """Return whether the words around a place are also in capitals."""
    around = text[max(0, start - 24) : start] + text[end : end + 24]
    letters = [c for c in around if c.isalpha()]
    return bool(letters) and sum(c.isupper() for c in letters) * 10 >= len(letters) * 9


def _is_heading(text: str, start: int, end: int) -> bool:
    line = _line_of(text, start, end).strip()
    return (
        len(line) < _LONGEST_HEADING
        and line.isupper()
        and len(line.split()) < 8
        and (line.strip(" .:,") != text[start:end])
    )
