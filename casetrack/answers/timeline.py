"""The events of a collection by date: what the texts say of each day, month or year."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.answers.events import date_weight, read_event
from casetrack.answers.places import places_of
from casetrack.answers.rows import among, codes_of, counted, document_ranks, numbers, up_to
from casetrack.answers.values import day_span
from casetrack.errors import UsageError
from casetrack.records.graph import Event, Timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.answers.events import Reading
    from casetrack.answers.places import Place
    from casetrack.graph.graph import ContextGraph
    from casetrack.records import Chunk

_MOST = 1000
_PRECISIONS = ("day", "week", "month", "quarter", "half", "year", "range")
_READ_PER_DATE = 4
_READ_FACTOR = 3
_READ_AT_LEAST = 200
_BESIDE = 150
_SURE = 0.6
_WIDE = 1 << 32
_NAMED_THINGS = ("standard", "regulation", "case", "report", "document", "link")


@dataclass(frozen=True, slots=True)
class _Date:
    """A date with the places that may say most of it; *beside* counts what stands near each."""

    value: str
    first: str
    last: str
    precision: str
    mention_count: int
    document_count: int
    places: tuple[Place, ...]
    beside: tuple[int, ...]


_Read = tuple[float, _Date, "Place", "Reading"]


def timeline(
    source: ContextGraph,
    /,
    *,
    start: str | None = None,
    end: str | None = None,
    limit: int | None = 100,
) -> Timeline:
    """Return what the documents date, in order of date.

    Where there is more than *limit*, the weightiest events are kept: those of a day rather than of
    a year, in a sentence that says what was done, near names and sums, in several documents.

    Parameters
    ----------
    start, end
        First and last day; an event counts when it touches the span. ``YYYY-MM-DD`` or any other
        way to write a day, a month or a year.
    limit
        1..1000, or ``None`` for all.

    Raises
    ------
    UsageError
        *start* or *end* is no date, *start* is later than *end*, or *limit* is out of range.
    """
    limit = up_to(limit, _MOST)
    first = day_span(start, "start_date")[0] if start else None
    last = day_span(end, "end_date")[1] if end else None
    if first is not None and last is not None and first > last:
        raise UsageError(
            f"start_date {first} is later than end_date {last}.",
            hint="Give the earlier date first.",
        )
    table = counted(source.table("dates"))
    read = max(limit * _READ_FACTOR, _READ_AT_LEAST)
    dates, total = _dates(source, _dated(source, table, first, last), read)
    events, noise = _events(source, dates, limit)
    return Timeline(
        collection=source.info.name,
        start=first,
        end=last,
        total=total - noise,
        events=tuple(sorted(events, key=lambda e: (e.first, e.last, e.value))),
        undated=table.num_rows - int(pc.sum(pc.is_valid(table["entity_id"])).as_py() or 0),
    )


def _dated(source: ContextGraph, table: pa.Table, first: str | None, last: str | None) -> pa.Table:
    table = among(table.filter(pc.is_valid(table["entity_id"])), "precision", _PRECISIONS)
    # "In a month" or "the same week" is seldom a date; "last Tuesday" is one.
    relative = pc.equal(table["kind"], "relative")
    sure = pc.and_(
        pc.greater_equal(table["confidence"], _SURE), pc.equal(table["precision"], "day")
    )
    table = table.filter(pc.or_(pc.invert(relative), sure))
    if first is not None:
        table = table.filter(pc.greater_equal(table["last_day"], first))
    if last is not None:
        table = table.filter(pc.less_equal(table["first_day"], last))
    return table.filter(~_inside_names(source, table))


def _inside_names(source: ContextGraph, table: pa.Table) -> NDArray[np.bool_]:
    """Return which dates are part of the name of something, such as the year of an act."""
    inside = np.zeros(table.num_rows, dtype=bool)
    cited = among(source.table("citations"), "type", _NAMED_THINGS)
    # Whole dates may stand beside a title ("the Agreement of 12 March 2024") and stay events.
    years = set(np.flatnonzero(np.asarray(pc.equal(table["precision"], "year"))).tolist())
    if not years or cited.num_rows == 0:
        return inside
    spans: dict[str, list[tuple[int, int]]] = {}
    columns = (cited[c].to_pylist() for c in ("chunk_id", "char_start", "char_end"))
    for chunk, start, end in zip(*columns, strict=True):
        spans.setdefault(chunk, []).append((start, end))
    columns = (table[c].to_pylist() for c in ("chunk_id", "char_start", "char_end"))
    for row, (chunk, start, end) in enumerate(zip(*columns, strict=True)):
        if row in years:
            inside[row] = any(s <= start and end <= e for s, e in spans.get(chunk, ()))
    return inside


def _dates(source: ContextGraph, table: pa.Table, limit: int) -> tuple[list[_Date], int]:
    """Return the dates that promise most before any text is read, and how many there are."""
    if table.num_rows == 0:
        return [], 0
    codes, values = codes_of(table, "value")
    documents, _ = codes_of(table, "document_id")
    near = _beside(source, table)
    # The places of each date together, those with most beside them first, else in reading order.
    order = np.lexsort([np.arange(len(codes)), -near, codes])
    starts = np.searchsorted(codes[order], np.arange(len(values) + 1))
    counts = np.diff(starts)
    pairs = np.unique(codes * (documents.max() + 1) + documents) // (documents.max() + 1)
    spread = np.bincount(pairs, minlength=len(values))
    first = order[starts[:-1]]
    precisions = table["precision"].take(pa.array(first)).to_pylist()
    sure = numbers(table, "confidence")[first]
    promise = [
        date_weight(
            precisions[i], int(counts[i]), int(spread[i]), beside=int(near[first[i]]),
            says=0.5 * float(sure[i]),
        )
        for i in range(len(values))
    ]  # fmt: skip
    best = sorted(range(len(values)), key=lambda i: (-promise[i], values[i]))[:limit]
    chosen = [order[starts[i] : starts[i + 1]][:_READ_PER_DATE] for i in best]
    rows = np.concatenate(chosen)
    taken = table.take(pa.array(rows))
    places = {p.row: p for p in places_of(taken, document_ranks(source))}
    columns = [taken[c].to_pylist() for c in ("value", "first_day", "last_day", "precision")]
    dates, row = [], 0
    for i, own in zip(best, chosen, strict=True):
        dates.append(
            _Date(
                value=columns[0][row],
                first=columns[1][row],
                last=columns[2][row],
                precision=columns[3][row],
                mention_count=int(counts[i]),
                document_count=int(spread[i]),
                places=tuple(places[row + k] for k in range(len(own))),
                beside=tuple(int(near[o]) for o in own),
            )
        )
        row += len(own)
    return dates, len(values)


def _beside(source: ContextGraph, table: pa.Table) -> NDArray[np.int64]:
    """Count names, sums and references that stand near each place."""
    chunks = pc.unique(table["chunk_id"])
    keys = []
    mentions = among(source.table("mentions"), "kind", ["person", "organization", "amount"])
    for other in (mentions, source.table("citations")):
        found = pc.index_in(other["chunk_id"], value_set=chunks)
        known = pc.is_valid(found)
        code = np.asarray(found.filter(known), dtype=np.int64)
        keys.append(code * _WIDE + np.asarray(other["char_start"].filter(known), dtype=np.int64))
    near = np.unique(np.concatenate(keys))
    own = np.asarray(pc.index_in(table["chunk_id"], value_set=chunks), dtype=np.int64) * _WIDE
    # The chunks lie so far apart that none is beside another.
    low = np.searchsorted(near, own + numbers(table, "char_start") - _BESIDE)
    high = np.searchsorted(near, own + numbers(table, "char_end") + _BESIDE)
    counts: NDArray[np.int64] = (high - low).astype(np.int64)
    return counts


def _weight(date: _Date, beside: int, says: float) -> float:
    return date_weight(
        date.precision, date.mention_count, date.document_count, beside=beside, says=says
    )


def _events(source: ContextGraph, dates: Sequence[_Date], limit: int) -> tuple[list[Event], int]:
    """Read the texts of the most promising dates; return events, and how many were none."""
    ids = list(dict.fromkeys(p.chunk_id for date in dates for p in date.places))
    texts = dict(zip(ids, source.chunks(ids), strict=True))
    found = [_readings(date, texts) for date in dates]
    found = [readings for readings in found if readings]
    noise = len(dates) - len(found)
    found.sort(key=lambda readings: (-readings[0][0], readings[0][1].value))
    kept = sorted(_each_its_own(found), key=lambda r: (-r[0], r[1].value))[:limit]
    quotes = source.quotes([(p.chunk_id, p.start, p.end) for _, _, p, _ in kept])
    events = [
        Event(
            value=date.value,
            first=date.first,
            last=date.last,
            precision=date.precision,
            description=reading.description,
            mention_count=date.mention_count,
            document_count=date.document_count,
            weight=weight,
            quote=quote,
        )
        for (weight, date, _, reading), quote in zip(kept, quotes, strict=True)
    ]
    return events, noise


def _readings(date: _Date, texts: Mapping[str, Chunk]) -> list[_Read]:
    """Return what the texts say of a date at each place that says something, the most first."""
    readings = []
    for place, beside in zip(date.places, date.beside, strict=True):
        reading = read_event(texts[place.chunk_id], place.start, place.end, date.precision)
        if reading is not None:
            readings.append(
                (_weight(date, beside, reading.says * place.confidence), date, place, reading)
            )
    return sorted(readings, key=lambda r: (-r[0], r[2].order))


def _each_its_own(found: Sequence[list[_Read]]) -> list[_Read]:
    """Choose for each date a sentence that no weightier one has, where there is such."""
    used: set[str] = set()
    chosen = []
    for readings in found:
        best = next((r for r in readings if r[3].description not in used), readings[0])
        used.add(best[3].description)
        chosen.append(best)
    return chosen
