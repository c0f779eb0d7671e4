"""The events of a collection by date: what the texts say of each day, month or year."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.answers.events import date_weight, read_event
from casetrack.answers.rows import quotes_of, up_to
from casetrack.answers.statements import ask
from casetrack.answers.values import day_span
from casetrack.errors import UsageError
from casetrack.records.graph import Event, Timeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.answers.events import Reading
    from casetrack.graph.graph import ContextGraph

_MOST = 1000
_READ_PER_DATE = 4
_READ_FACTOR = 3
_READ_AT_LEAST = 200
_REMEMBERED = 20_000

_Key = tuple[str, int, int, str]
"""A place of a date: chunk, start and end in its text; and the date's precision."""
_Place = dict[str, Any]
"""A row of ``timeline.sql``: a date at one of its places."""
_read_before: weakref.WeakKeyDictionary[ContextGraph, dict[_Key, Reading | None]] = (
    weakref.WeakKeyDictionary()
)
"""What the texts of a state say of a date at a place, for as long as somebody holds the state."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What a text says of a date at a place, and how much the date then stands out."""

    weight: float
    place: _Place
    reading: Reading


def timeline(
    graph: ContextGraph,
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
    read = None if limit is None else max(limit * _READ_FACTOR, _READ_AT_LEAST)
    rows = ask(
        graph, "timeline", start=first, end=last, limit=read, places=_READ_PER_DATE
    ).to_pylist()
    events, noise = _events(graph, [row for row in rows if row["value"] is not None], limit)
    return Timeline(
        collection=graph.info.name,
        start=first,
        end=last,
        total=rows[0]["total"] - noise,
        events=tuple(sorted(events, key=lambda e: (e.first, e.last, e.value))),
        undated=rows[0]["undated"],
    )


def _events(
    graph: ContextGraph, places: Sequence[_Place], limit: int | None
) -> tuple[list[Event], int]:
    """Read the texts of the most promising dates; return events, and how many were none."""
    said = _said(graph, places)
    read = [_readings(own, said) for _, own in groupby(places, key=lambda p: p["value"])]
    found = [readings for readings in read if readings]
    found.sort(key=lambda readings: (-readings[0].weight, readings[0].place["value"]))
    kept = sorted(_each_its_own(found), key=lambda r: (-r.weight, r.place["value"]))[:limit]
    events = [
        Event(
            value=r.place["value"],
            first=r.place["first_day"],
            last=r.place["last_day"],
            precision=r.place["precision"],
            description=r.reading.description,
            mention_count=r.place["mention_count"],
            document_count=r.place["document_count"],
            weight=r.weight,
            quote=quote,
        )
        for r, quote in zip(kept, quotes_of(graph, [r.place for r in kept]), strict=True)
    ]
    return events, len(read) - len(found)


def _said(graph: ContextGraph, places: Sequence[_Place]) -> dict[_Key, Reading | None]:
    """Return what the texts say of dates at these places; a text is read once for a state."""
    known = dict(_read_before.get(graph, {}))
    new = [place for place in places if _key(place) not in known]
    ids = list(dict.fromkeys(place["chunk_id"] for place in new))
    texts = dict(zip(ids, graph.chunks(ids), strict=True)) if ids else {}
    for place in new:
        chunk, start, end, precision = _key(place)
        known[_key(place)] = read_event(texts[chunk], start, end, precision)
    if new:
        _read_before[graph] = known if len(known) <= _REMEMBERED else {}
    return known


def _key(place: _Place) -> _Key:
    return place["chunk_id"], place["char_start"], place["char_end"], place["precision"]


def _readings(places: Iterable[_Place], said: Mapping[_Key, Reading | None]) -> list[_Read]:
    """Return what the texts say of a date at each place that says something, the most first."""
    readings = []
    for place in places:
        precision, reading = place["precision"], said[_key(place)]
        if reading is not None:
            weight = date_weight(
                precision,
                place["mention_count"],
                place["document_count"],
                beside=place["beside"],
                says=reading.says * place["confidence"],
            )
            readings.append(_Read(weight, place, reading))
    return sorted(readings, key=lambda r: (-r.weight, *_order(r.place)))


def _order(place: _Place) -> tuple[int, int, int]:
    """Return what sorts places in reading order."""
    return place["position"], place["chunk_index"], place["char_start"]


def _each_its_own(found: Sequence[list[_Read]]) -> list[_Read]:
    """Choose for each date a sentence that no weightier one has, where there is such."""
    used: set[str] = set()
    chosen = []
    for readings in found:
        best = next((r for r in readings if r.reading.description not in used), readings[0])
        used.add(best.reading.description)
        chosen.append(best)
    return chosen
