"""The words of a question: their weights, and priors of passages."""

from __future__ import annotations

import functools
import re
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.dataclass import dataclass, replace
from casetrack.extract.language import is_structural
from casetrack.ingest.steps.words import STEMMED, index_terms, is_pair, is_source_code
from casetrack.search.question.read import SCALE, blanked
from casetrack.search.question.words import pattern_of, spellings, stems_of, words_of
from casetrack.search.ranking import Prior
from casetrack.search.scores import inverse_document_frequency
from casetrack.store.index.scope import by_segment

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records import Document
    from casetrack.base.records.reading import Reading
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.postings import Posting
    from casetrack.store.index.scope import Place, Scope

# Synonyms of everyday words: a lawyer is counsel, a deal an agreement.

Names = tuple[tuple[str, ...], ...]
"""Other names, each as its index terms."""
_BEGINNING = 2
"""Number of leading letters that all forms of a word share."""


@functools.lru_cache(maxsize=4096)
def synonyms_of(term: str, /) -> Names:
    """Return the synonyms of an index term, usually none."""
    # Stemming is slow: only words with the same first letters are compared.
    near = _groups().get(term[:_BEGINNING], ())
    groups = dict.fromkeys(group for name, group in near if stems_of(name) == (term,))
    names = dict.fromkeys(terms for group in groups for name in group if (terms := stems_of(name)))
    return tuple(name for name in names if name != (term,))


@functools.cache
def _groups() -> Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]:
    """Return the single words by their first letters, each with its group."""
    text = resources.files("casetrack.search").joinpath("synonyms.txt").read_text("utf-8")
    groups: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            group = tuple(line.split(", "))
            for name in group:
                if " " not in name:
                    groups.setdefault(name[:_BEGINNING], []).append((name, group))
    return groups


_MOST = 0.5
"""Minimum share of another name's words in a passage, at which it counts by that share."""
_SYNONYM = 0.8
"""Weight of a synonym relative to the word."""
_EVERY = 2.5
"""Weight of each word, added to its rarity and in its measure."""
_SHORTEST, _ENDING = 5, 3
"""Minimum length of a word with other forms, and maximum length of its ending."""
_INSTRUCTING = re.compile(
    r"(?:^|[.;:?!\n]|\bplease)\W*(?P<word>list|state|name|quote|cite|discuss|analy[sz]e|determine|"
    r"compute|outline|provide|describe)\b",
    re.IGNORECASE,
)
"""Start of a sentence that is an instruction."""


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Other names of some words: if most of one occurs, the words count in part."""

    own: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    weight: float
    least: float = _MOST


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words of a question within a scope."""

    scope: Scope
    weights: Mapping[str, float]  # Inverse document frequency of each content word's index term
    frequencies: Mapping[str, int]  # Number of passages with each term
    _postings: Mapping[str, Sequence[Posting | None]]
    others: tuple[Synonyms, ...]

    @property
    def worth(self) -> dict[str, float]:
        """The weight of each term as evidence.

        Within one document the words of its subject are in every passage and would count nothing,
        so each word has a fixed weight in addition to its rarity.
        """
        return {term: _EVERY + weight for term, weight in self.weights.items()}

    def coverage(self, places: Sequence[Place], /) -> NDArray[np.float64]:
        """Return the share of the words in each passage by worth; synonyms count in part."""
        return self._covered(self._held(places), len(places), self.worth)

    def coverage_of(self, number: int, /) -> NDArray[np.float64]:
        """Return the same for all rows of a segment, including those outside of the scope."""
        size = self.scope.index.segments[number].data.size
        held = {term: np.zeros(size, dtype=np.bool_) for term in self._postings}
        for term, postings in self._postings.items():
            if (posting := postings[number]) is not None:
                held[term][posting.rows] = True
        return self._covered(held, size, self.weights)

    def _covered(
        self, held: Mapping[str, NDArray[np.bool_]], count: int, weights: Mapping[str, float]
    ) -> NDArray[np.float64]:
        total = sum(weights.values())
        if not count or total <= 0.0:
            return np.zeros(count)
        credit = {term: held[term].astype(np.float64) for term in weights}
        for other in self.others:
            shares = [np.mean([held[t] for t in name], axis=0) for name in other.names]
            best = np.max(shares, axis=0)
            part = np.where(best >= other.least, best, 0.0) * other.weight
            for term in other.own:
                credit[term] = np.maximum(credit[term], part)
        counted = [weight * credit[term] for term, weight in weights.items()]
        covered: NDArray[np.float64] = np.sum(counted, axis=0) / total
        return covered

    def token_weights(self, text: str, spans: NDArray[np.int32], /) -> NDArray[np.float64]:
        """Return the weight of each token of the models' input *text*, float [n].

        A token has the worth of its word, divided by the word's number of tokens; other tokens
        have 0. All are 1 if no word has a weight. *spans* is int32 [n, 2], start and end of each
        token.
        """
        weights, worth = np.zeros(len(spans)), self.worth
        starts, ends = spans[:, 0], spans[:, 1]
        for word in words_of(text):
            rarity = sum(worth.get(term, 0.0) for term in word.terms)
            if rarity > 0.0:
                inside = (starts >= word.start) & (ends <= word.end) & (ends > starts)
                weights[inside] = rarity / max(1, int(np.count_nonzero(inside)))
        return weights if weights.any() else np.ones(len(spans))

    def _held(self, places: Sequence[Place]) -> dict[str, NDArray[np.bool_]]:
        """Return for each term which of *places* contain it."""
        held = {term: np.zeros(len(places), dtype=np.bool_) for term in self._postings}
        for number, positions, rows in by_segment(places):
            for term, postings in self._postings.items():
                if (posting := postings[number]) is not None:
                    held[term][positions] = _holds(posting, rows)
        return held


def asked_words(reading: Reading, scope: Scope, /) -> AskedWords:
    """Return the content words of a question in a scope, without those that its reading dropped."""
    dated = {stem for period in reading.periods for stem in stems_of(period.part.text)}
    named = {
        stem
        for document in reading.named
        if dated.isdisjoint(stems_of(document.part.text))
        for stem in stems_of(document.part.text)
        if any(scope.places_of(document.document_id))
    }
    query = blanked(reading.query, reading.dropped)
    left_out = [m.span() for m in SCALE.finditer(query)]
    left_out += [m.span("word") for m in _INSTRUCTING.finditer(query)]
    having = [word for word in words_of(query) if word.terms]
    having = [w for w in having if not any(a <= w.start < b for a, b in left_out)] or having
    words = [w for w in having if not is_structural(w.text)] or having
    # A file need not repeat its name next to each figure.
    words = [w for w in words if not named.issuperset(w.terms)] or words
    own = _parts_of_words(scope, [term for word in words for term in word.terms])
    others = [Synonyms(*entry) for entry in _alternatives(reading)]
    stemmed = reading.language in {*STEMMED, None}
    for term in own:
        forms = () if stemmed and term_frequency(scope, term) else forms_of(scope, term)
        names = (*synonyms_of(term), *((form,) for form in forms))
        others.append(Synonyms((term,), names, _SYNONYM, least=1.0))
    others = [o for o in others if o.names and any(term in own for term in o.own)]
    wanted = list(dict.fromkeys([*own, *(t for o in others for name in o.names for t in name)]))
    postings = {term: scope.index.postings(term) for term in wanted}
    frequencies = {term: _frequency(scope, postings[term]) for term in own}
    for other in others:
        if other.weight >= 1.0:
            # "FY2018" is as frequent as the year in all its spellings.
            most = max(_frequency(scope, postings[name[0]]) for name in other.names)
            frequencies.update({t: max(frequencies[t], most) for t in other.own if t in own})
    weights = {
        term: inverse_document_frequency(scope.chunk_count, count)
        for term, count in frequencies.items()
    }
    others = [replace(other, own=tuple(t for t in other.own if t in weights)) for other in others]
    return AskedWords(scope, weights, frequencies, postings, tuple(others))


def _parts_of_words(scope: Scope, terms: Sequence[str]) -> list[str]:
    """Return distinct terms without pairs of signs that only span a word boundary.

    Scripts without spaces are indexed in pairs. A pair that occurs nowhere, while a pair that
    shares a sign with it does, spans a word boundary.
    """
    terms = list(dict.fromkeys(terms))
    pairs = [t for t in terms if len(t) > 1 and is_pair(t)]
    present = {t for t in pairs if term_frequency(scope, t)}
    first, last = {t[0] for t in present}, {t[-1] for t in present}
    between = {t for t in pairs if t not in present and (t[0] in last or t[-1] in first)}
    return [t for t in terms if t not in between]


def forms_of(scope: Scope, term: str, /) -> list[str]:
    """Return index terms of similar length that start like *term*."""
    if len(term) < _SHORTEST or not term.isalpha():
        return []
    beginning = term[: max(_SHORTEST - 1, len(term) - _ENDING)]
    near = {t for part in scope.index.segments for t in part.data.terms.starting(beginning)}
    return sorted(t for t in near - {term} if abs(len(t) - len(term)) <= _ENDING)


def term_frequency(scope: Scope, term: str, /) -> int:
    """Return the number of passages in *scope* with a term."""
    return _frequency(scope, scope.index.postings(term))


def _alternatives(
    reading: Reading,
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[str, ...], ...], float]]:
    """Yield words of the question, their other names, and the weight of those."""
    for expansion in reading.expansions:
        names = tuple(name for name in map(stems_of, expansion.also) if name)
        yield stems_of(expansion.part.text), names, max(expansion.weight, _SYNONYM)
    for period in reading.periods:
        names = tuple(name for name in map(stems_of, spellings(period)) if name)
        yield stems_of(period.part.text), names, 1.0


def _frequency(scope: Scope, postings: Sequence[Posting | None]) -> int:
    return sum(scope.frequency(n, posting) for n, posting in enumerate(postings))


def _holds(posting: Posting, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    held = posting.rows
    if not len(held):
        return np.zeros(len(rows), dtype=np.bool_)
    # With another integer type, NumPy would convert all rows of the posting.
    places = np.minimum(np.searchsorted(held, rows.astype(held.dtype)), len(held) - 1)
    holds: NDArray[np.bool_] = held[places] == rows
    return holds


# Priors of passages, independent of the words of the question.

QUOTED = 1.5
"""Prior of a passage with the text in quotation marks word by word."""
NAMED = 3.0
"""Prior of a named document, in standard deviations of the joined score."""

FIGURES = 1.0
"""Prior of a table if a question asks for a figure, in the same measure."""
_PROSE, _TABLE = 10.0, 30.0
"""Percent of numbers among the terms up to which a passage is prose, and from which a table."""
HEAD = 3.0
"""Prior of the first passage for the head of a document; half as much for each later one."""
_ASKS_FOR_FIGURE = frozenset(("figure", "amount", "count"))
TITLED = 1.5
"""Prior of a page with the title of the section about the question's terms."""
TESTS = -1.0
"""Prior of program tests unless the question asks for one; see docs/evaluation.md."""
_OF_TESTS = re.compile(
    r"(?:^|[/\\])(?:tests?|testing|specs?|__tests__|fixtures)[/\\]|"
    r"(?:^|[/\\])(?:tests?_|conftest\.)[^/\\]*$|[._-](?:tests?|spec)\.\w+$|\wTests?\.\w+$"
)
MANUAL = 1.5
"""Prior of texts for people for how-to questions to source code."""
_HOW_TO = re.compile(
    r"\W*(?:how (?:do|can|could|should|would|to)\b|"
    r"(?:how|what|which|where|when|who|can|may|should|is there|are there)\b.*\?\W*$)",
    re.IGNORECASE | re.DOTALL,
)
"""Issues describe behaviour; they seldom ask, except "why"."""
_ASKS_FOR_TEST = frozenset(index_terms("test tests testing unittest spec fixture"))
_IGNORED_TITLE_WORDS = frozenset(index_terms("consolidated condensed unaudited continued"))
_IN_BRACKETS = re.compile(r"\([^)]*\)")


def priors_of(
    snapshot: Snapshot, index: Index, reading: Reading, /, *, code: bool = False
) -> list[Prior]:
    """Return the priors of passages for a question; *code*: the documents contain source code."""
    priors = (
        named_documents(index, reading),
        phrases(index, reading),
        figures(index, reading),
        head(index, reading),
        titled(index, reading),
        tests(snapshot, index, reading) if code else None,
        manual(snapshot, index, reading) if code else None,
    )
    return [prior for prior in priors if prior is not None]


def _by_rows(
    name: str, of_rows: Callable[[int, NDArray[np.intp]], np.ndarray], within: Collection[str] = ()
) -> Prior:
    """Return a prior with the values that *of_rows* returns for rows of a segment."""

    def of(places: Sequence[Place]) -> np.ndarray:
        values = np.zeros(len(places))
        for number, positions, rows in by_segment(places):
            values[positions] = of_rows(number, rows)
        return values

    return Prior(name, of, within)


def phrases(index: Index, reading: Reading, /) -> Prior | None:
    """Return the prior for passages with the quoted text word by word."""
    if not reading.phrases:
        return None
    patterns = [(pattern_of(p.text), sorted(set(index_terms(p.text)))) for p in reading.phrases]

    def of_rows(number: int, rows: NDArray[np.intp]) -> np.ndarray:
        data, values = index.segments[number].data, np.zeros(len(rows))
        for pattern, terms in patterns:
            holds = np.ones(len(rows), dtype=np.bool_)
            for posting in data.terms.find(terms):
                holds &= False if posting is None else np.isin(rows, posting.rows)
            texts = data.texts.take(rows[holds].tolist()).values()
            values[holds] += [pattern.search(text) is not None for text in texts]
        return values * (QUOTED / len(patterns))

    return _by_rows("phrase", of_rows)


def named_documents(index: Index, reading: Reading, /) -> Prior | None:
    """Return the prior for the documents that a question names; ``None`` without any."""
    weights = {named.document_id: named.weight for named in reading.named}
    if not weights:
        return None
    tables = [np.array([weights.get(d or "", 0.0) for d in p.documents]) for p in index.segments]

    def of_rows(number: int, rows: NDArray[np.intp]) -> np.ndarray:
        return np.asarray(NAMED * tables[number][index.column(number, "revision", rows)])

    return _by_rows("document", of_rows, tuple(weights))


def figures(index: Index, reading: Reading, /) -> Prior | None:
    """Return the prior for tables if a figure is asked for; else ``None``.

    Sentences about a topic resemble a question more than the table row that answers it.
    """
    if not reading.wants & _ASKS_FOR_FIGURE:
        return None

    def of_rows(number: int, rows: NDArray[np.intp]) -> np.ndarray:
        share = (index.column(number, "figures", rows) - _PROSE) / (_TABLE - _PROSE)
        return np.clip(share, 0.0, 1.0) * FIGURES

    return _by_rows("figures", of_rows)


def head(index: Index, reading: Reading, /) -> Prior | None:
    """Return the prior for first passages if a document's head is asked for; else ``None``.

    The head states kind, date and parties in other words than questions do, and every other passage
    names the same parties.
    """
    if "head" not in reading.wants:
        return None
    return _by_rows(
        "head", lambda n, rows: HEAD * 0.5 ** index.column(n, "chunk_index", rows).astype(float)
    )


def titled(index: Index, reading: Reading, /) -> Prior | None:
    """Return the prior for pages with a title about the question; ``None`` if none is known.

    The title of a page is its own heading, or the one in force at its start; the nearest heading of
    a passage counts as well. A title counts by the share of its words that are named.
    """
    names = {_stems(name) for name in reading.titles} - {frozenset()}
    if not names:
        return None

    def of_rows(number: int, rows: NDArray[np.intp]) -> np.ndarray:
        data = index.segments[number].data
        asked = np.concatenate([rows, data.first_on_page[rows]])
        paths = data.places_of(asked, ("heading_path",))
        shares = [_share(path["heading_path"], names) for path in paths]
        return TITLED * np.maximum(shares[: len(rows)], shares[len(rows) :])

    return _by_rows("title", of_rows)


def tests(snapshot: Snapshot, index: Index, reading: Reading, /) -> Prior | None:
    """Return the negative prior for program tests; ``None`` if the question is about tests."""
    is_about = bool(_ASKS_FOR_TEST & reading.terms.keys())
    return None if is_about else _fitting("test", snapshot, index, _is_test, TESTS)


def manual(snapshot: Snapshot, index: Index, reading: Reading, /) -> Prior | None:
    """Return the prior for texts for people if the question is a how-to; else ``None``."""
    is_how_to = _HOW_TO.match(reading.text)
    return _fitting("manual", snapshot, index, _is_text, MANUAL) if is_how_to else None


def _fitting(
    name: str, snapshot: Snapshot, index: Index, fits: Callable[[Document], bool], weight: float
) -> Prior:
    """Return a prior of *weight* for the passages of documents that fit."""

    def of_rows(number: int, rows: NDArray[np.intp]) -> np.ndarray:
        codes = index.column(number, "revision", rows).tolist()
        ids = {code: index.segments[number].documents[code] for code in set(codes)}
        known = {code: fits(snapshot.documents[d]) for code, d in ids.items() if d is not None}
        return np.array([known.get(code, False) for code in codes]) * weight

    return _by_rows(name, of_rows)


def _is_test(document: Document) -> bool:
    return is_source_code(document.name) and _OF_TESTS.search(document.path) is not None


def _is_text(document: Document) -> bool:
    return not is_source_code(document.name)


def _share(path: Sequence[str] | None, names: Iterable[frozenset[str]]) -> float:
    if not path:
        return 0.0
    title = _stems(path[-1])
    return max((len(name) / len(title) for name in names if name <= title), default=0.0)


@functools.lru_cache(maxsize=16384)
def _stems(title: str) -> frozenset[str]:
    return frozenset(index_terms(_IN_BRACKETS.sub(" ", title))) - _IGNORED_TITLE_WORDS
