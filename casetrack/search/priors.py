"""What speaks for passages whatever the words of the question."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import numpy as np

from casetrack.ingest.steps.words import index_terms, is_source_code
from casetrack.search.question.words import pattern_of
from casetrack.search.ranking import Prior
from casetrack.store.index.scope import by_segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.reading import Reading
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import Place

QUOTED = 1.5
"""How far a passage comes forward that says what stands in quotation marks word by word."""
NAMED = 3.0
"""How far, in standard deviations of the joined score, a document that is named comes forward. With
words counted in it, questions that name their report find its page among all reports about as well
as in the report alone (114 questions, page hit@5 .46 → .58 and .59); 1.5 is too little for that."""

FIGURES = 1.0
"""How far a table comes forward where a question asks for a figure, in the same measure. On 114
questions to reports page hit@5 rises by .06; contracts, abstracts and articles stay as they are."""
_PROSE, _TABLE = 10.0, 30.0
"""Percent of numbers among the terms up to which a passage is prose, and from which on a table."""
HEAD = 3.0
"""How far the first passage of a document comes forward where its head is asked for, in the same
measure; each passage behind it half as far as the one before. On 186 such questions to contracts
nDCG@10 rises by .28; from 2 to 5 it hardly matters, and the signature at the end adds nothing."""
_ASKS_FOR_FIGURE = frozenset(("figure", "amount", "count"))
TITLED = 1.5
"""How far a passage comes forward whose page has the title under which one reads of what a question
names: of 114 questions to reports the first result's page answers .44 → .60."""
TESTS = -1.0
"""How far tests of programs step back where nobody asks for one, in the same measure: they say all
that an issue says, and are not what has to be changed. See docs/evaluation.md."""
_OF_TESTS = re.compile(
    r"(?:^|[/\\])(?:tests?|testing|specs?|__tests__|fixtures)[/\\]|"
    r"(?:^|[/\\])(?:tests?_|conftest\.)[^/\\]*$|[._-](?:tests?|spec)\.\w+$|\wTests?\.\w+$"
)
MANUAL = 1.5
"""How far texts for people come forward, in the same measure, where one asks how to do something in
a collection of source code: that stands in the manual."""
_HOW_TO = re.compile(
    r"\W*(?:how (?:do|can|could|should|would|to)\b|"
    r"(?:how|what|which|where|when|who|can|may|should|is there|are there)\b.*\?\W*$)",
    re.IGNORECASE | re.DOTALL,
)
"""Issues tell what happens; they seldom ask, but for "why"."""
_ASKS_FOR_TEST = frozenset(index_terms("test tests testing unittest spec fixture"))
_BESIDE = frozenset(index_terms("consolidated condensed unaudited continued"))
_IN_BRACKETS = re.compile(r"\([^)]*\)")


def priors_of(
    snapshot: Snapshot, index: Index, reading: Reading, /, *, code: bool = False
) -> list[Prior]:
    """Return what speaks for passages by what a question says beside its words.

    Parameters
    ----------
    snapshot, index
        What is searched.
    reading
        The question.
    code
        Whether there is source code among the documents.
    """
    found = (
        named_documents(index, reading),
        phrases(snapshot, index, reading),
        figures(index, reading),
        head(index, reading),
        titled(index, reading),
        tests(snapshot, index, reading) if code else None,
        manual(snapshot, index, reading) if code else None,
    )
    return [prior for prior in found if prior is not None]


def phrases(snapshot: Snapshot, index: Index, reading: Reading, /) -> Prior | None:
    """Return what speaks for passages that hold what stands in quotation marks, word by word.

    Only passages that hold all of its words are read for it.
    """
    if not reading.phrases:
        return None
    patterns = [(pattern_of(p.text), sorted(set(index_terms(p.text)))) for p in reading.phrases]

    def of(places: Sequence[Place]) -> np.ndarray:
        found = np.zeros(len(places))
        for number, here, rows in by_segment(places):
            data = index.segments[number].data
            for pattern, terms in patterns:
                holds = np.ones(len(rows), dtype=np.bool_)
                for posting in data.terms.find(terms):
                    holds &= False if posting is None else np.isin(rows, posting.rows)
                if not holds.any():
                    continue
                ids = data.column("row_id")[rows[holds]].tolist()
                texts = snapshot.take(ids, ["text"])["text"].to_pylist()
                found[here[holds]] += [pattern.search(text) is not None for text in texts]
        return found * (QUOTED / len(patterns))

    return Prior("phrase", of)


def named_documents(index: Index, reading: Reading, /) -> Prior | None:
    """Return what speaks for the documents that a question names; ``None`` where it names none."""
    weights = {named.document_id: named.weight for named in reading.named}
    if not weights:
        return None

    tables = [np.array([weights.get(d or "", 0.0) for d in p.documents]) for p in index.segments]

    def of(places: Sequence[Place]) -> np.ndarray:
        found = np.zeros(len(places))
        for number, here, rows in by_segment(places):
            codes = index.segments[number].data.column("revision")[rows]
            found[here] = tables[number][codes]
        return found * NAMED

    return Prior("document", of, within=tuple(weights))


def figures(index: Index, reading: Reading, /) -> Prior | None:
    """Return what speaks for tables where a figure is asked for; ``None`` where none is.

    Sentences about a thing are more like a question than the line of a table that answers it.
    """
    if not reading.wants & _ASKS_FOR_FIGURE:
        return None

    def of(places: Sequence[Place]) -> np.ndarray:
        found = np.zeros(len(places))
        for number, here, rows in by_segment(places):
            found[here] = index.segments[number].data.column("figures")[rows]
        return np.clip((found - _PROSE) / (_TABLE - _PROSE), 0.0, 1.0) * FIGURES

    return Prior("figures", of)


def head(index: Index, reading: Reading, /) -> Prior | None:
    """Return what speaks for first passages where a document's head is asked for; else ``None``.

    The head says what a document is, of which day and between whom, in other words than questions
    do, and every other passage names the same parties.
    """
    if "head" not in reading.wants:
        return None

    def of(places: Sequence[Place]) -> np.ndarray:
        found = np.zeros(len(places))
        for number, here, rows in by_segment(places):
            before = index.segments[number].data.column("chunk_index")[rows]
            found[here] = 0.5 ** before.astype(np.float64)
        return found * HEAD

    return Prior("head", of)


def titled(index: Index, reading: Reading, /) -> Prior | None:
    """Return what speaks for pages under whose title one reads of it; ``None`` where none is known.

    The title of a page is its own heading, or the one in force where it begins; a passage counts by
    the nearest heading as well. A title counts by the share of its words that are named.
    """
    names = {_stems(name) for name in reading.titles} - {frozenset()}
    if not names:
        return None

    def of(places: Sequence[Place]) -> np.ndarray:
        found = np.zeros(len(places))
        for number, here, rows in by_segment(places):
            data = index.segments[number].data
            asked = np.concatenate([rows, data.first_on_page[rows]])
            paths = data.places_of(asked.tolist(), ("heading_path",))
            shares = [_share(path["heading_path"], names) for path in paths]
            found[here] = np.maximum(shares[: len(rows)], shares[len(rows) :])
        return found * TITLED

    return Prior("title", of)


def tests(snapshot: Snapshot, index: Index, reading: Reading, /) -> Prior | None:
    """Return what speaks against tests of programs; ``None`` where the question speaks of tests."""
    if _ASKS_FOR_TEST & reading.terms.keys():
        return None

    return Prior("test", lambda places: _which(snapshot, index, places, _is_test) * TESTS)


def manual(snapshot: Snapshot, index: Index, reading: Reading, /) -> Prior | None:
    """Return what speaks for texts for people where one asks how to do something; else ``None``."""
    if not _HOW_TO.match(reading.text):
        return None
    return Prior("manual", lambda places: _which(snapshot, index, places, _is_text) * MANUAL)


def _which(
    snapshot: Snapshot, index: Index, places: Sequence[Place], fits: Callable[[Document], bool]
) -> np.ndarray:
    """Return of each place whether its document fits, as 1 or 0."""
    found = np.zeros(len(places))
    for number, here, rows in by_segment(places):
        segment = index.segments[number]
        codes = segment.data.column("revision")[rows].tolist()
        ids = {code: segment.documents[code] for code in set(codes)}
        known = {code: fits(snapshot.documents[d]) for code, d in ids.items() if d is not None}
        found[here] = [known.get(code, False) for code in codes]
    return found


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
    return frozenset(index_terms(_IN_BRACKETS.sub(" ", title))) - _BESIDE
