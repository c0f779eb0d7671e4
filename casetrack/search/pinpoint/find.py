"""Finds the answers in the results of a search, on demand."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CollectionDamaged, CollectionGone, CollectionSealed
from casetrack.base.provenance import Box, LineBox
from casetrack.base.records.reading import NO_LOCATION, AnswerLocation, Pinpoint
from casetrack.search.pinpoint.clauses import clause_at
from casetrack.search.pinpoint.headers import header_of, with_headers
from casetrack.search.pinpoint.mail_heads import units_to_mark
from casetrack.search.pinpoint.scoring import (
    MOST,
    Encoded,
    Sought,
    Tokens,
    best,
    query_terms,
    scores,
)
from casetrack.search.pinpoint.units import clauses_of
from casetrack.search.pinpoint.values import VALUE_COLUMNS, Part, answer_in, is_same, names_of
from casetrack.search.pinpoint.wanted import wanted
from casetrack.search.plan import ask
from casetrack.store.passages import narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk
    from casetrack.base.records.reading import PinpointKind, Reading
    from casetrack.search.pinpoint.units import Unit
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.workspace import State

_COMPARED = 5
"""Number of results whose values must agree."""
_LEAST_HELD = 0.75
"""Minimum weight of the question's words in a compared result, as a share of the best one's."""
_EQUAL = 0.05
"""Difference of certainty up to which two values are equally certain."""
_NEAR_BEST = 0.5
"""Minimum score of a row with the value, as a share of the best score, to be marked first."""
_COLUMNS = ("paragraphs", "line_boxes", "printed")


@dataclass(frozen=True, slots=True)
class Passage:
    """A result for pinpointing: text, source, and the text before it."""

    text: str
    provenance: Provenance
    before: str
    row_id: int


@dataclass(slots=True)
class Finder:
    """Finds the answers in the results of one search.

    Nothing is read before the first call, which reads the rows of all results. If the rows are gone
    by then, results are scored by their words alone.
    """

    snapshot: Snapshot
    index: Index
    reading: Reading
    encoded: Encoded | None
    passages: Sequence[Passage]
    _question: tuple[Sought, Tokens | None] | None = None
    _rows: list[dict[str, Any]] | None = None
    _found: dict[int, AnswerLocation] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, number: int, /) -> AnswerLocation:
        """Return the answer in result *number*, computed once."""
        with self._lock:
            if number not in self._found:
                question = self._question = self._question or self._asked()
                if self._rows is None:
                    self._rows = self._read(*question)
                located = point(self.passages[number], self._rows[number], *question)
                if number == 0 and located.answer is not None and self._has_other(located):
                    located = located._replace(answer=None)
                self._found[number] = located
            return self._found[number]

    def _has_other(self, best: AnswerLocation) -> bool:
        """Return whether one of the next results has another value that is as certain.

        Results with far fewer of the question's words than the best one are not compared.
        """
        if best.answer is None or self._question is None or self._rows is None:
            return False
        sought, _ = self._question
        passages = self.passages[:_COMPARED]
        held = [self._held(passage, sought) for passage in passages]
        for passage, row, share in zip(passages[1:], self._rows[1:], held[1:], strict=False):
            if share < _LEAST_HELD * held[0]:
                continue
            units = _units_of(passage, row, sought)
            if not units:
                continue
            shares = scores(passage.text, units, sought, None)
            own = int(shares.argmax())
            part = Part.of(passage.text, units[own], float(shares[own]))
            other = answer_in(part, passage.text, passage.provenance, row, sought)
            if (
                other is not None
                and other[1] >= best.certainty - _EQUAL
                and not is_same(other[0].text, best.answer.text)
            ):
                return True
        return False

    @staticmethod
    def _held(passage: Passage, sought: Sought) -> float:
        """Return the weight of the question's words that a passage has."""
        held = query_terms(f"{passage.text} {names_of(passage.provenance)}")
        return math.fsum(w for t, w in sorted(sought.specific.items()) if t in held)

    def _asked(self) -> tuple[Sought, Tokens | None]:
        reading = self.reading
        own = len(reading.query) - sum(len(part.text) for part in reading.dropped)
        tokens = None if self.encoded is None else Tokens.of(reading.text, own, self.encoded)
        return Sought.of(reading, self.index), tokens

    def _read(self, sought: Sought, tokens: Tokens | None) -> list[dict[str, Any]]:
        columns = [*_COLUMNS]
        if tokens is not None:
            columns.append("tokens")
        if (asked := wanted(sought.query)) is not None and "person" in asked.kinds:
            columns += VALUE_COLUMNS
        ids = [passage.row_id for passage in self.passages]
        try:
            rows: list[dict[str, Any]] = self.snapshot.take(ids, columns).to_pylist()
        except (CollectionDamaged, CollectionGone, CollectionSealed):
            # The rows were removed after the search; text and place of each are still known.
            return [{} for _ in ids]
        return rows


@dataclass(frozen=True, slots=True)
class AnswerLocator:
    """Finds the answer in one result; pickled as the answer."""

    finder: Finder
    number: int

    def __call__(self) -> AnswerLocation:
        """Return the answer."""
        return self.finder.at(self.number)

    def __reduce__(self) -> tuple[type[KnownAnswer], tuple[AnswerLocation]]:
        return KnownAnswer, (self(),)


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer that is already known."""

    pointed: AnswerLocation

    def __call__(self) -> AnswerLocation:
        """Return the answer."""
        return self.pointed


def point_in(state: State, chunk: Chunk, question: str, /) -> AnswerLocation:
    """Return the answer to a question in one passage, without a search, by its words alone."""
    row = state.snapshot.where("chunk_id", chunk.chunk_id, (*_COLUMNS, *VALUE_COLUMNS))
    reading = ask(state, question).reading
    passage = Passage(chunk.text, chunk.provenance, "", 0)
    return point(passage, row.to_pylist()[0], Sought.of(reading, state.index), None)


def point(
    passage: Passage, row: dict[str, Any], sought: Sought, tokens: Tokens | None, /
) -> AnswerLocation:
    """Return the answer in a passage.

    *row* has the stored fields of the passage: paragraphs, rectangles, printed places, token
    matrix, values; missing fields are ignored.
    """
    text, whole = passage.text, passage.provenance
    paragraphs = row.get("paragraphs")
    units = _units_of(passage, row, sought)
    if not units:
        return NO_LOCATION
    near = None if tokens is None else tokens.near(text, units, row.get("tokens"))
    shares = scores(text, units, sought, near)
    whole = _with_boxes(whole, row)

    def mark(start: int, end: int, score: float, kind: PinpointKind) -> Pinpoint:
        place = narrow(whole, text, paragraphs, row.get("printed"), start, end)
        clause = clause_at(
            text,
            start,
            paragraphs,
            offset=whole.char_start,
            before=passage.before,
            headings=whole.heading_path,
        )
        return Pinpoint(text[start:end], score, kind, place, clause)

    def mark_unit(number: int) -> Pinpoint:
        unit = units[number]
        return mark(unit.start, unit.end, float(shares[number]), unit.kind)

    numbers = best(units, shares)
    first = Part.of(text, units[numbers[0]], float(shares[numbers[0]]))
    answer, certainty = answer_in(first, text, whole, row, sought) or (None, 0.0)
    if answer is not None:
        # The row with the value comes first, or is marked too.
        at = answer.char_start - whole.char_start
        own = next(n for n, unit in enumerate(units) if unit.start <= at < unit.end)
        if own in numbers or shares[own] >= _NEAR_BEST * shares[numbers[0]]:
            numbers = [own, *(n for n in numbers if n != own)][:MOST]
        elif certainty >= 1.0 - _EQUAL:
            numbers = [*numbers[: MOST - 1], own]
        else:
            answer, certainty = None, 0.0
    marked = [mark_unit(number) for number in numbers]
    headers = {header_of(units, number): float(shares[number]) for number in reversed(numbers)}
    marked += [
        mark(unit.start, unit.end, score, "header")
        for unit, score in headers.items()
        if unit is not None
    ]
    return AnswerLocation(tuple(marked), answer, paragraphs, row.get("printed"), certainty)


def _units_of(passage: Passage, row: dict[str, Any], sought: Sought) -> list[Unit]:
    """Return the parts of a passage that may be marked."""
    text, whole = passage.text, passage.provenance
    rows = whole.sheet_name is not None
    units = clauses_of(text, row.get("paragraphs"), offset=whole.char_start, rows=rows)
    units = units_to_mark(text, units, sought.query, continues=whole.char_start > 0)
    return with_headers(text, units)


def _with_boxes(whole: Provenance, row: dict[str, Any]) -> Provenance:
    boxes = row.get("line_boxes") or ()
    line_boxes = (LineBox(b["line"], Box(b["x0"], b["y0"], b["x1"], b["y1"])) for b in boxes)
    return replace(whole, line_boxes=tuple(line_boxes))
