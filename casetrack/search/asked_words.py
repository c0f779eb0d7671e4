"""The words of a question that carry its meaning: how rare each is, and which passages hold it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from casetrack.extract.language import is_structural
from casetrack.ingest.steps.words import STEMMED, is_pair
from casetrack.search.question.read import blanked
from casetrack.search.question.words import spellings, stems_of, words_of
from casetrack.search.scores import inverse_document_frequency
from casetrack.store.index.scope import by_segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.reading import Reading
    from casetrack.store.index.postings import Posting
    from casetrack.store.index.scope import Place, Scope

# Everyday words that documents say in another word: a lawyer is counsel, a deal an agreement.

Names = tuple[tuple[str, ...], ...]
"""Other names, each as its index terms."""
_BEGINNING = 2
"""So many letters of a word stand in all its forms."""


@functools.lru_cache(maxsize=4096)
def synonyms_of(term: str, /) -> Names:
    """Return other words for a word, mostly none.

    Parameters
    ----------
    term
        The word as an index term.
    """
    # Stems are costly: only words that begin as this one does are looked at.
    near = _groups().get(term[:_BEGINNING], ())
    groups = dict.fromkeys(group for name, group in near if stems_of(name) == (term,))
    names = dict.fromkeys(terms for group in groups for name in group if (terms := stems_of(name)))
    return tuple(name for name in names if name != (term,))


@functools.cache
def _groups() -> Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]:
    """Return the single words by how they begin, each with the group that it stands in."""
    text = resources.files("casetrack.search").joinpath("synonyms.txt").read_text("utf-8")
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            group = tuple(line.split(", "))
            for name in group:
                if " " not in name:
                    found.setdefault(name[:_BEGINNING], []).append((name, group))
    return found


_MOST = 0.5
"""Another name counts where at least so much of it stands in a passage, by that share."""
_SYNONYM = 0.8
"""How much another name of a word counts beside it. Its weight in ranking is no measure for that:
there the words of all names share one weight."""
_SHORTEST, _ENDING = 5, 3
"""Letters of a word that may have another form, and of the ending that may differ."""
_UNITS = re.compile(
    r"\b(?:in|to) (?:us ?d(?:ollars)?|us\$|[$\u20ac\u00a3]|eur(?:os?)?|gbp|chf|dollars)? ?"
    r"(?:thousands|millions|billions|percent)\b",
    re.IGNORECASE,
)
"""How a figure is to be written; passages have it in other words."""
_INSTRUCTING = re.compile(
    r"(?:^|[.;:?!\n]|\bplease)\W*(?P<word>list|state|name|quote|cite|discuss|analy[sz]e|determine|"
    r"compute|outline|provide|describe)\b",
    re.IGNORECASE,
)
"""A sentence that begins so gives an instruction."""


@dataclass(frozen=True, slots=True)
class _OtherNames:
    """Other names of some words: where most of one stands, the words count in part."""

    own: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    weight: float
    least: float = _MOST


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words of a question within what is searched.

    Attributes
    ----------
    scope
        What is searched.
    weights
        Index terms of the words that carry meaning, and how rare each is: its inverse document
        frequency.
    frequencies
        How many passages hold each.
    """

    scope: Scope
    weights: Mapping[str, float]
    frequencies: Mapping[str, int]
    _postings: Mapping[str, Sequence[Posting | None]]
    _others: tuple[_OtherNames, ...]

    def coverage(self, places: Sequence[Place], /) -> NDArray[np.float64]:
        """Return which share of the words each passage holds, by their rarity: 0 to 1.

        A word that stands there by another name of the vocabulary counts in part.
        """
        return self._covered(self._held(places), len(places))

    def coverage_of(self, number: int, /) -> NDArray[np.float64]:
        """Return the same of all rows of a segment, those outside of the scope among them."""
        size = self.scope.index.segments[number].data.size
        held = {term: np.zeros(size, dtype=np.bool_) for term in self._postings}
        for term, postings in self._postings.items():
            if (posting := postings[number]) is not None:
                held[term][posting.rows] = True
        return self._covered(held, size)

    def _covered(self, held: Mapping[str, NDArray[np.bool_]], count: int) -> NDArray[np.float64]:
        total = sum(self.weights.values())
        if not count or total <= 0.0:
            return np.zeros(count)
        credit = {term: held[term].astype(np.float64) for term in self.weights}
        for other in self._others:
            shares = [np.mean([held[t] for t in name], axis=0) for name in other.names]
            best = np.max(shares, axis=0)
            part = np.where(best >= other.least, best, 0.0) * other.weight
            for term in other.own:
                credit[term] = np.maximum(credit[term], part)
        counted = [weight * credit[term] for term, weight in self.weights.items()]
        covered: NDArray[np.float64] = np.sum(counted, axis=0) / total
        return covered

    def token_weights(self, text: str, spans: NDArray[np.int32], /) -> NDArray[np.float64]:
        """Return how much each token of what the models read tells, float [n].

        A token counts by the rarity of its word, shared among the word's tokens, and nothing
        outside of words that carry meaning; all count the same where no word tells anything.

        Parameters
        ----------
        text
            What the models read.
        spans
            int32 [n, 2], start and end of each token in it.
        """
        weights = np.zeros(len(spans))
        starts, ends = spans[:, 0], spans[:, 1]
        for word in words_of(text):
            rarity = sum(self.weights.get(term, 0.0) for term in word.terms)
            if rarity > 0.0:
                inside = (starts >= word.start) & (ends <= word.end) & (ends > starts)
                weights[inside] = rarity / max(1, int(np.count_nonzero(inside)))
        return weights if weights.any() else np.ones(len(spans))

    def _held(self, places: Sequence[Place]) -> dict[str, NDArray[np.bool_]]:
        """Return for each term which of *places* hold it."""
        held = {term: np.zeros(len(places), dtype=np.bool_) for term in self._postings}
        for number, here, rows in by_segment(places):
            for term, postings in self._postings.items():
                if (posting := postings[number]) is not None:
                    held[term][here] = _holds(posting, rows)
        return held


def asked_words(reading: Reading, scope: Scope, /) -> AskedWords:
    """Return the words of a question that carry meaning, within what is searched.

    Words that only hold a sentence together are left out, and so is what the reading dropped.
    """
    named = {
        stem
        for document in reading.named
        for stem in stems_of(document.part.text)
        if _is_searched(scope, document.document_id)
    }
    query = blanked(reading.query, reading.dropped)
    left_out = [m.span() for m in _UNITS.finditer(query)]
    left_out += [m.span("word") for m in _INSTRUCTING.finditer(query)]
    having = [word for word in words_of(query) if word.terms]
    having = [w for w in having if not any(a <= w.start < b for a, b in left_out)] or having
    words = [w for w in having if not is_structural(w.text)] or having
    # A file is not obliged to say its own name beside each figure.
    words = [w for w in words if not named.issuperset(w.terms)] or words
    own = _parts_of_words(scope, [term for word in words for term in word.terms])
    others = [_OtherNames(*said) for said in _said_otherwise(reading)]
    stemmed = reading.language in {*STEMMED, None}
    for term in own:
        forms = () if stemmed and term_frequency(scope, term) else forms_of(scope, term)
        names = (*synonyms_of(term), *((form,) for form in forms))
        others.append(_OtherNames((term,), names, _SYNONYM, least=1.0))
    others = [o for o in others if o.names and any(term in own for term in o.own)]
    wanted = list(dict.fromkeys([*own, *(t for o in others for name in o.names for t in name)]))
    found = [part.data.terms.find(wanted) for part in scope.index.segments]
    postings = {term: [each[n] for each in found] for n, term in enumerate(wanted)}
    frequencies = {term: _frequency(scope, postings[term]) for term in own}
    for other in others:
        if other.weight >= 1.0:
            # "FY2018" is as common as the year is, in whatever spelling.
            most = max(_frequency(scope, postings[name[0]]) for name in other.names)
            frequencies.update({t: max(frequencies[t], most) for t in other.own if t in own})
    weights = {
        term: inverse_document_frequency(scope.chunk_count, count)
        for term, count in frequencies.items()
    }
    others = [replace(other, own=tuple(t for t in other.own if t in weights)) for other in others]
    return AskedWords(scope, weights, frequencies, postings, tuple(others))


def _parts_of_words(scope: Scope, terms: Sequence[str]) -> list[str]:
    """Return distinct terms without the pairs of signs that only join one word to the next.

    Scripts without spaces are indexed in pairs. One that occurs nowhere, while a pair that shares
    a sign with it does, tells where words end and not what is asked for.
    """
    terms = list(dict.fromkeys(terms))
    pairs = [t for t in terms if len(t) > 1 and is_pair(t)]
    there = {t for t in pairs if term_frequency(scope, t)}
    first, last = {t[0] for t in there}, {t[-1] for t in there}
    between = {t for t in pairs if t not in there and (t[0] in last or t[-1] in first)}
    return [t for t in terms if t not in between]


def forms_of(scope: Scope, term: str, /) -> list[str]:
    """Return index terms that begin as *term* does and are about as long."""
    if len(term) < _SHORTEST or not term.isalpha():
        return []
    beginning = term[: max(_SHORTEST - 1, len(term) - _ENDING)]
    near = {t for part in scope.index.segments for t in part.data.terms.starting(beginning)}
    return sorted(t for t in near - {term} if abs(len(t) - len(term)) <= _ENDING)


def term_frequency(scope: Scope, term: str, /) -> int:
    """Return how many passages in *scope* hold a term."""
    return _frequency(scope, [part.data.terms.find([term])[0] for part in scope.index.segments])


def _said_otherwise(
    reading: Reading,
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[str, ...], ...], float]]:
    """Yield words of the question, how they are said as well, and what that counts."""
    for expansion in reading.expansions:
        names = tuple(name for name in map(stems_of, expansion.also) if name)
        yield stems_of(expansion.part.text), names, max(expansion.weight, _SYNONYM)
    for period in reading.periods:
        names = tuple(name for name in map(stems_of, spellings(period)) if name)
        yield stems_of(period.part.text), names, 1.0


def _is_searched(scope: Scope, document_id: str) -> bool:
    for part, rows in zip(scope.index.segments, scope.rows, strict=True):
        span = part.span_of(document_id)
        if span.start == span.stop:
            continue
        if rows is None:
            return True
        if isinstance(rows, slice):
            return bool(rows.start < span.stop and span.start < rows.stop)
        return bool(rows[span].any())
    return False


def _frequency(scope: Scope, postings: Sequence[Posting | None]) -> int:
    return sum(scope.frequency(n, posting) for n, posting in enumerate(postings))


def _holds(posting: Posting, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    held = posting.rows
    if not len(held):
        return np.zeros(len(rows), dtype=np.bool_)
    # Another type of integer would make NumPy convert all of the posting's rows.
    places = np.minimum(np.searchsorted(held, rows.astype(held.dtype)), len(held) - 1)
    found: NDArray[np.bool_] = held[places] == rows
    return found
