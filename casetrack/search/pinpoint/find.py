"""Finds where the results of a search answer: read and scored when somebody looks."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CollectionDamaged, CollectionGone, CollectionSealed
from casetrack.base.provenance import Box, LineBox
from casetrack.base.records.pinpoints import NOWHERE, Pinpoint, Pointed
from casetrack.search.asking import ask
from casetrack.search.lexical import rarity
from casetrack.search.pinpoint.clauses import clause_at
from casetrack.search.pinpoint.scoring import Sought, best, scores
from casetrack.search.pinpoint.tokens import Encoded, Tokens
from casetrack.search.pinpoint.units import units_of
from casetrack.search.pinpoint.values import VALUE_COLUMNS, answer_in
from casetrack.store.index.scope import scope_of
from casetrack.store.passages import narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk
    from casetrack.base.records.reading import Reading
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.workspace import State

_COLUMNS = ("paragraphs", "line_boxes", "printed")


@dataclass(frozen=True, slots=True)
class Passage:
    """A result as it is looked through: its text, its source, and the text before it."""

    text: str
    provenance: Provenance
    before: str
    row_id: int


@dataclass(slots=True)
class Finder:
    """Looks through the results of one search.

    Nothing is read before the first look; then what all results need is read at once. Where the
    rows are gone by then, a result is looked through by its words alone.
    """

    snapshot: Snapshot
    sought: Sought
    tokens: Tokens | None
    _passages: Sequence[Passage] = ()
    _rows: list[dict[str, Any]] | None = None
    _found: dict[int, Pointed] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(
        cls, snapshot: Snapshot, index: Index, reading: Reading, encoded: Encoded | None, /
    ) -> Finder:
        """Return what looks through results for a question that was read and maybe encoded."""
        own = len(reading.query) - sum(len(part.text) for part in reading.dropped)
        tokens = None if encoded is None else Tokens.of(reading.text, own, encoded)
        rare = rarity(scope_of(index), reading.terms)
        return cls(snapshot, Sought.of(reading, rare), tokens)

    def looks(self, passages: Sequence[Passage], /) -> list[Look]:
        """Return for each of the results what finds out where it answers."""
        self._passages = passages
        return [Look(self, number) for number in range(len(passages))]

    def at(self, number: int, /) -> Pointed:
        """Return where the result *number* answers; worked out once."""
        with self._lock:
            if number not in self._found:
                if self._rows is None:
                    self._rows = self._read()
                self._found[number] = point(
                    self._passages[number], self._rows[number], self.sought, self.tokens
                )
            return self._found[number]

    def _read(self) -> list[dict[str, Any]]:
        columns = [*_COLUMNS]
        if self.tokens is not None:
            columns.append("tokens")
        if self.sought.wants:
            columns += VALUE_COLUMNS
        ids = [passage.row_id for passage in self._passages]
        try:
            rows: list[dict[str, Any]] = self.snapshot.take(ids, columns).to_pylist()
        except (CollectionDamaged, CollectionGone, CollectionSealed):
            # The rows went away after the search; text and place of each are here.
            return [{} for _ in ids]
        return rows


@dataclass(frozen=True, slots=True)
class Look:
    """Finds out where one result answers; pickled, it is what it found."""

    finder: Finder
    number: int

    def __call__(self) -> Pointed:
        """Find it out."""
        return self.finder.at(self.number)

    def __reduce__(self) -> tuple[type[Known], tuple[Pointed]]:
        return Known, (self(),)


@dataclass(frozen=True, slots=True)
class Known:
    """What was found out before."""

    pointed: Pointed

    def __call__(self) -> Pointed:
        """Return it."""
        return self.pointed


def point_in(state: State, chunk: Chunk, question: str, /) -> Pointed:
    """Return where one passage answers a question, without a search; by its words alone.

    Parameters
    ----------
    state, chunk
        The collection, and a passage of it.
    question
        What it is to answer.
    """
    row = state.snapshot.where("chunk_id", chunk.chunk_id, (*_COLUMNS, *VALUE_COLUMNS))
    reading = ask(state, question).reading
    sought = Sought.of(reading, rarity(scope_of(state.index), reading.terms))
    passage = Passage(chunk.text, chunk.provenance, "", 0)
    return point(passage, row.to_pylist()[0], sought, None)


def point(
    passage: Passage, row: dict[str, Any], sought: Sought, tokens: Tokens | None, /
) -> Pointed:
    """Return where a passage answers.

    Parameters
    ----------
    passage
        Its text and place.
    row
        What is stored of it: paragraphs, rectangles, printed places, token matrix, values; what is
        missing is done without.
    sought, tokens
        The question.
    """
    text, whole = passage.text, passage.provenance
    paragraphs = row.get("paragraphs")
    units = units_of(text, paragraphs, offset=whole.char_start, rows=whole.sheet_name is not None)
    if not units:
        return NOWHERE
    near = None if tokens is None else tokens.near(text, units, row.get("tokens"))
    shares = scores(text, units, sought, near)
    whole = _with_boxes(whole, row)
    marked = []
    for number in best(shares):
        unit = units[number]
        place = narrow(whole, text, paragraphs, row.get("printed"), unit.start, unit.end)
        clause = clause_at(
            text,
            unit.start,
            paragraphs,
            offset=whole.char_start,
            before=passage.before,
            headings=whole.heading_path,
        )
        said = text[unit.start : unit.end]
        marked.append(Pinpoint(said, float(shares[number]), unit.kind, place, clause))
    answer = answer_in(marked[0], row, whole.char_start, sought)
    return Pointed(tuple(marked), answer, paragraphs, row.get("printed"))


def _with_boxes(whole: Provenance, row: dict[str, Any]) -> Provenance:
    boxes = tuple(
        LineBox(b["line"], Box(b["x0"], b["y0"], b["x1"], b["y1"]))
        for b in row.get("line_boxes") or ()
    )
    return replace(whole, line_boxes=boxes)
