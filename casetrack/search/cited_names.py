"""Which of the authorities that a collection cites a question means: by key and by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words.states import ABBREVIATED
from casetrack.graph.cited import Cited, distinctive, party_words, same_word
from casetrack.search.question.words import terms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records.reading import AskedCitation
    from casetrack.graph.cited import CitedCase

SHORTEST_NAME = 4
"""A shorter word is no name of a case by itself."""
_LONGEST_CASE = 150
"""Pages that a decision may run to, as in :mod:`casetrack.extract.references.antecedents`."""
_NEAR_NAME = 0.8
"""How much alike two names are, as :mod:`difflib` measures it, that are one but for a slip."""
_PUBLIC = frozenset("united states state people commonwealth government county city".split()).union(
    *(name.lower().replace("-", " ").split() for name in ABBREVIATED.values())
)
"""Parties by which no case is called."""


@dataclass(frozen=True, slots=True)
class Means:
    """Tells which keys a citation of a question means.

    Attributes
    ----------
    known
        What the documents cite.
    """

    known: Cited

    def of(self, citation: AskedCitation) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the keys of what a citation means, and of what it is a part of."""
        known = self.known
        if citation.kind in {"case", "name"}:
            return self._keys_of_case(citation), ()
        if citation.kind == "statute" and not citation.keys:
            # "Section 1983" is a law where the files cite one law with that section alone.
            laws = known.keys_ending("regulation:usc-", f"-{citation.number}")
            return (known.keys(starting=laws), ()) if len(laws) == 1 else ((), ())
        keys = known.keys(starting=citation.keys)
        shorter = {key.rsplit("-", n)[0] for key in citation.keys for n in (1, 2)}
        wider = tuple(k for k in known.keys(starting=shorter) if k in shorter) if not keys else ()
        return keys, tuple(k for k in wider if k.count("-") > 1)

    def _keys_of_case(self, citation: AskedCitation) -> tuple[str, ...]:
        known = self.known
        left, right = citation.parties
        if citation.number:
            return self._short_form(citation)
        if keys := known.keys(starting=citation.keys):
            return keys
        if not left:
            return ()
        if citation.kind == "name":
            cases = [c for c in known.cases_with(left[0]) if is_called(c.name, left[0])]
            return tuple(dict.fromkeys(case.key for case in cases))
        cases = self._named(left, right)
        if not cases and (slip := self._spelt(left, right)):
            cases = self._named(*slip)
        return tuple(dict.fromkeys(case.key for case in cases))

    def _short_form(self, citation: AskedCitation) -> tuple[str, ...]:
        """Return the case that "Daubert, 509 U.S. at 593" means: it has begun before that page."""
        (start,) = citation.keys
        page = int(citation.number)
        begun = {
            key: int(key.rsplit("-", 1)[1])
            for key in self.known.keys(starting=(start,))
            if key.rsplit("-", 1)[1].isdigit() and key.rsplit("-", 1)[0] == start
        }
        fits = {k: p for k, p in begun.items() if p <= page <= p + _LONGEST_CASE}
        if citation.parties[0]:
            named = {case.key for case in self.known.cases_with(citation.parties[0][0])}
            fits = {k: p for k, p in fits.items() if k in named} or fits
        return (max(fits, key=lambda k: fits[k]),) if fits else ()

    def _named(self, left: Sequence[str], right: Sequence[str]) -> list[CitedCase]:
        """Return the cases whose parties are called so: those with most of the words."""
        first, second = _telling(left), _telling(right)
        if not first or (right and not second):
            return []
        best: list[CitedCase] = []
        most = 0
        stem = first[0].split("'")[0][:SHORTEST_NAME]
        for case in self.known.cases_with(stem):
            one, other = distinctive(case.name)
            if bool(second) != bool(other):
                continue
            if not _has(one, first[0]) or (second and not _has(other, second[0])):
                continue
            shared = sum(_has(one, w) for w in first) + sum(_has(other, w) for w in second)
            if shared > most:
                best, most = [], shared
            if shared == most:
                best.append(case)
        return best

    def _spelt(
        self, left: Sequence[str], right: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return the names of parties with one letter put right where that makes them known."""
        from difflib import get_close_matches

        sides = (_telling(left), _telling(right))
        for side, other in ((0, 1), (1, 0)):
            if not sides[other]:
                continue
            stem = sides[other][0].split("'")[0][:SHORTEST_NAME]
            # The party that is spelt right leads to the other one.
            words = {
                words[0]: words
                for case in self.known.cases_with(stem)
                if (parties := distinctive(case.name))
                and _has(parties[other], sides[other][0])
                and (words := parties[side])
            }
            if sides[side] and (
                near := get_close_matches(sides[side][0], words, n=1, cutoff=_NEAR_NAME)
            ):
                put = [left, right]
                put[side] = (near[0],)
                return tuple(put[0]), tuple(put[1])
        return None


def _telling(words: Sequence[str]) -> tuple[str, ...]:
    return party_words(" ".join(words))


def _has(words: Sequence[str], word: str) -> bool:
    return any(same_word(known, word) for known in words)


def is_called(name: str, word: str, /) -> bool:
    """Return whether a case is called by a word for short: its first party, or who is no state."""
    left, right = distinctive(name)
    if left and not _PUBLIC.issuperset(left):
        return left[0] == word
    return bool(right) and right[0] == word


def as_written(citation: AskedCitation, /) -> tuple[tuple[tuple[str, ...], ...], str]:
    """Return how the names of a case stand in texts: in a sentence, or one below the other."""
    left, right = (_telling(side) for side in citation.parties)
    if not left:
        return (), ""
    first = re.escape(left[0])
    if not right:
        before = r"(?:in\s+re|ex\s+parte|matter\s+of)"
        return (terms_of(left[0]),), rf"(?i)\b{before}:?\s+(?:the\s+)?{first}\b"
    second = re.escape(right[0])
    pattern = rf"(?is)\b{first}\b.{{0,160}}?\sv(?:s|ersus)?\.?\s.{{0,60}}?\b{second}\b"
    return ((*terms_of(left[0]), *terms_of(right[0])),), pattern
