"""Finds the answers in the results of a search, on demand."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.errors import CollectionDamaged, CollectionGone, CollectionSealed
from casetrack.base.provenance import boxes_of
from casetrack.base.records.reading import NO_LOCATION, AnswerLocation, Pinpoint
from casetrack.search.pinpoint.clauses import clause_at
from casetrack.search.pinpoint.headers import header_of, with_headers
from casetrack.search.pinpoint.mail_heads import units_to_mark
from casetrack.search.pinpoint.phrases import OF_DOCUMENT, phrase_asked
from casetrack.search.pinpoint.scoring import MOST, Encoded, Sought, Tokens, best, fits, scores
from casetrack.search.pinpoint.units import clauses_of
from casetrack.search.pinpoint.values import (
    READ,
    READ_SENTENCES,
    VALUE_COLUMNS,
    Compared,
    Found,
    Scored,
    answer_in,
    value_asked,
)
from casetrack.search.question.wanted import kinds_of_label, query_terms, wanted
from casetrack.store.index.scope import scope_of
from casetrack.store.passages import MARK_COLUMNS, narrow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Quote
    from casetrack.base.records.reading import Answer, PinpointKind, Reading, Want
    from casetrack.search.pinpoint.scoring import Floats
    from casetrack.search.pinpoint.units import Unit
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.matrices import Matrices
    from casetrack.store.index.scope import Place

POINT_COLUMNS = (*MARK_COLUMNS, "tokens", *VALUE_COLUMNS)
"""Stored fields of a passage from which its answer is found."""


_FIGURES: frozenset[Want] = frozenset(("date", "amount"))
_LEAST_WORDS = 2
"""Minimum number of words of a question that are no names of a document."""
_BEGINNING = 300
"""Characters of the letterhead or title of a document."""
_SURE = 0.5
"""Minimum share of the best part that stays before one with a value of the requested kind."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A result for pinpointing: text, source, and the text before it."""

    text: str
    provenance: Provenance
    before: Callable[[], str]
    place: Place = (0, 0)


@dataclass(slots=True)
class Finder:
    """Finds the answers in the results of one search.

    Nothing is read before the first call, which reads the fields of all results. If the rows are
    gone by then, results are scored by their words alone. With a *computed* answer no result has a
    value, which could contradict it; its place is marked.
    """

    snapshot: Snapshot
    index: Index
    reading: Reading
    encoded: Encoded | None
    passages: Sequence[Passage]
    matrices: Matrices | None = None
    rows: list[dict[str, Any]] | None = None
    has_value: bool = True
    computed: Quote | None = None
    _question: tuple[Sought, Tokens | None] | None = None
    _scored: dict[int, Scored] = field(default_factory=dict)
    _names: dict[str, frozenset[str]] = field(default_factory=dict)
    _answer: Found | None = None
    _is_answered: bool = False
    _found: dict[int, AnswerLocation] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, number: int, /) -> AnswerLocation:
        """Return the answer in result *number*, computed once."""
        with self._lock:
            if number not in self._found:
                if self.has_value and number < READ and not self._is_answered:
                    self._answer, self._is_answered = self._best(), True
                found = self._answer
                passage = self._passage(number)
                answer = found.answer if found is not None and found.number == number else None
                at = answer.char_start - passage.whole.char_start if answer is not None else None
                if self.computed and self.computed.chunk_id == passage.whole.chunk_id:
                    at = self.computed.char_start
                chosen = self._marked(passage, at)
                self._found[number] = located(
                    passage, self.passages[number].before(), answer, chosen
                )
            return self._found[number]

    def _marked(self, passage: Scored, at: int | None) -> list[int]:
        """Return the parts to mark: the one with the answer first, or with a value of its kind.

        *at* is the start of the answer in the text, if it is known.
        """
        units, shares = passage.units, self._shares(passage)
        numbers = best(units, shares) if units else []
        if at is not None:
            with_it = [n for n, unit in enumerate(units) if unit.start <= at < unit.end]
            return [*with_it, *(n for n in numbers if n not in with_it)][:MOST]
        own = self._of_kind(passage, numbers)
        if own is None:
            return numbers
        first = 1 if shares[numbers[0]] >= _SURE else 0
        return [*numbers[:first], own, *numbers[first:]][:MOST]

    def _of_kind(self, passage: Scored, numbers: Sequence[int]) -> int | None:
        """Return the best part with a value of the requested kind if none of *numbers* has one."""
        sought, _ = self._question = self._question or self._asked()
        asked = value_asked(sought)
        if asked is None or not asked.kinds:
            return None

        is_name = bool(asked.kinds & {"person", "place"})

        def may_answer(n: int) -> bool:
            unit = passage.units[n]
            text = passage.text[unit.start : unit.end]
            if asked.unit is None and kinds_of_label(text) & asked.kinds:
                return True
            if unit.kind == "header" or not (is_name or fits(text, _FIGURES)):
                return False
            part = Compared(text, passage, unit, sought, asked)
            return any(part.fits(value) for value in part.values)

        if any(map(may_answer, numbers)):
            return None
        shares = self._shares(passage)
        order = sorted(range(len(passage.units)), key=lambda n: (-shares[n], n))
        return next((n for n in order if n not in numbers and may_answer(n)), None)

    def _best(self) -> Found | None:
        sought, _ = self._question = self._question or self._asked()
        asked = value_asked(sought)
        if asked is None:
            return None
        passages, phrase = self.scored(), phrase_asked(sought.query)
        passages = [p._replace(beginning=self._beginning_of(p.whole.document_id)) for p in passages]
        if asked.names:
            is_of_document = phrase is not None and phrase.relation in OF_DOCUMENT
            passages = [
                p._replace(elsewhere=self._held(p, asked.names, at_start=not is_of_document))
                for p in passages
            ]
        return answer_in(passages, sought, asked)

    def _held(self, passage: Scored, terms: frozenset[str], *, at_start: bool) -> frozenset[str]:
        """Return the terms that the document of a passage has, or its first passage."""
        scope = scope_of(self.index, [passage.whole.document_id])
        held = {t: list(scope.holding([t])) for t in terms}
        return frozenset(
            t
            for t, places in held.items()
            if any(
                not at_start or row["chunk_index"] == 0
                for row in self.index.rows_at(places, ["chunk_index"])
            )
        )

    def scored(self) -> list[Scored]:
        """Return the first results with their parts and scores; the later ones are for tables."""
        first = [self._passage(n) for n in range(min(READ_SENTENCES, len(self.passages)))]
        later = self.passages[READ_SENTENCES:READ]
        return [*first, *(Scored(p.text, p.provenance, {}, (), np.zeros(0)) for p in later)]

    def _passage(self, number: int) -> Scored:
        """Return a result with its parts and their scores."""
        sought, tokens = self._question = self._question or self._asked()
        if self.rows is None:
            self.rows = self._read(sought, tokens)
        if number not in self._scored:
            scored = score_passage(self.passages[number], self.rows[number], sought, tokens)
            pins = {page for cited in self.reading.citations for page in cited.pin}
            self._scored[number] = _on_pages(scored, pins) if pins else scored
        return self._scored[number]

    def _shares(self, passage: Scored) -> Floats:
        """Return the scores of parts without names of their document, which select no part."""
        sought, _ = self._question = self._question or self._asked()
        document, capitals = passage.whole.document_id, sought.capitals
        if document not in self._names:
            named = [n.part.text for n in self.reading.named if n.document_id == document]
            beginning = self._beginning_of(document) if capitals else capitals
            self._names[document] = query_terms(" ".join(named)) | (capitals & beginning)
        within = replace(sought, names=self._names[document])
        own = sum(weight >= 1.0 for weight in within.specific.values())
        if within.names == sought.names or own < _LEAST_WORDS or not passage.units:
            return passage.shares
        return scores(passage.text, passage.units, within, passage.near)

    def _beginning_of(self, document: str) -> frozenset[str]:
        """Return the terms of the letterhead or title of a document."""
        places = list(scope_of(self.index, [document]).places_of(document))
        rows = self.index.rows_at(places, ["chunk_index"])
        first = [p for p, row in zip(places, rows, strict=True) if row["chunk_index"] == 0]
        return query_terms(" ".join(t[:_BEGINNING] for t in self.index.texts(first).values()))

    def _asked(self) -> tuple[Sought, Tokens | None]:
        reading = self.reading
        tokens = None if self.encoded is None else Tokens.of(reading.text, self.encoded)
        return Sought.of(reading, self.index), tokens

    def _read(self, sought: Sought, tokens: Tokens | None) -> list[dict[str, Any]]:
        places = [passage.place for passage in self.passages]
        rows = self.index.rows_at(places, MARK_COLUMNS)
        ids, more = self.index.row_ids(places), list[dict[str, Any]]()
        # Rows may have been removed after the search; then marks depend on the words alone.
        with contextlib.suppress(CollectionDamaged, CollectionGone, CollectionSealed):
            if (asked := wanted(sought.query)) is not None and asked.kinds & {"person", "place"}:
                more = self.snapshot.take(ids, VALUE_COLUMNS).to_pylist()
            if tokens is not None and self.matrices is not None:
                taken = self.matrices.take(ids)
                rows = [{**row, "tokens": matrix} for row, matrix in zip(rows, taken, strict=True)]
            rows = [{**row, **own} for row, own in zip(rows, more or [{}] * len(rows), strict=True)]
        return rows


def score_passage(
    passage: Passage, row: dict[str, Any], sought: Sought, tokens: Tokens | None
) -> Scored:
    """Return a passage with its parts and their scores.

    *row* has the stored fields of the passage: paragraphs, rectangles, printed places, token
    matrix, values; missing fields are ignored.
    """
    text = passage.text
    units = _units_of(passage, row, sought)
    near = None if tokens is None or not units else tokens.near(text, units, row.get("tokens"))
    shares = scores(text, units, sought, near) if units else np.zeros(0)
    return Scored(text, passage.provenance, row, units, shares, near=near)


def _on_pages(passage: Scored, pins: Collection[str], /) -> Scored:
    """Return a passage in which only the parts on cited star pages have a score, if it has any."""
    stars = [p for p in passage.row.get("printed") or () if p["kind"] == "star"]
    spans = [(p["start"], p["end"]) for p in stars if p["label"] in pins]
    inside = np.array([any(s < u.end and u.start < e for s, e in spans) for u in passage.units])
    if not inside.any():
        return passage
    shares = (passage.shares + 1 / len(inside)) * inside
    return passage._replace(shares=shares / shares.sum())


def located(
    passage: Scored, before: str, answer: Answer | None, numbers: Sequence[int], /
) -> AnswerLocation:
    """Return the *numbers* of parts of a passage with their places."""
    text, whole, row, units, shares = passage[:5]
    if not units:
        return NO_LOCATION
    paragraphs = row.get("paragraphs")
    whole = replace(whole, line_boxes=boxes_of(row))

    def mark(start: int, end: int, score: float, kind: PinpointKind) -> Pinpoint:
        place = narrow(whole, text, paragraphs, row.get("printed"), start, end)
        clause = clause_at(
            text,
            start,
            paragraphs,
            offset=whole.char_start,
            before=before,
            headings=whole.heading_path,
        )
        return Pinpoint(text[start:end], score, kind, place, clause)

    marked = [mark(units[n].start, units[n].end, float(shares[n]), units[n].kind) for n in numbers]
    headers = {header_of(units, number): float(shares[number]) for number in reversed(numbers)}
    marked += [
        mark(unit.start, unit.end, score, "header")
        for unit, score in headers.items()
        if unit is not None
    ]
    return AnswerLocation(tuple(marked), answer, paragraphs, row.get("printed"))


def _units_of(passage: Passage, row: dict[str, Any], sought: Sought) -> list[Unit]:
    """Return the parts of a passage that may be marked."""
    text, whole = passage.text, passage.provenance
    rows = whole.sheet_name is not None
    units = clauses_of(text, row.get("paragraphs"), offset=whole.char_start, rows=rows)
    units = units_to_mark(text, units, sought.query, continues=whole.char_start > 0)
    return with_headers(text, units)
