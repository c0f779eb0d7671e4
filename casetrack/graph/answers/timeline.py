"""The events of a collection by date: what the texts say of each day, month or year."""

from __future__ import annotations

import heapq
import re
import weakref
from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import in_order
from casetrack.base.errors import See
from casetrack.base.records.graph import Event, Timeline
from casetrack.extract.days import day_span, typed_date
from casetrack.extract.language import sentence_ends
from casetrack.graph.answers.events import date_weight, read_event
from casetrack.graph.answers.rows import ask, quotes_of, up_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.records import Chunk
    from casetrack.graph.answers.events import Reading
    from casetrack.graph.graph import ContextGraph

# The user's part of the timeline: own events with a source in the collection, and hidden ones.

_WORD = re.compile(r"[^\W_]{3,}")
_MOST_QUOTED = 240


@dataclass(frozen=True, slots=True)
class UsersTimeline:
    """What the user adds to the timeline and takes from it.

    Attributes
    ----------
    events
        Own events whose source is there.
    notes
        What is left out because of the user's marks, in sentences.
    """

    events: tuple[Event, ...]
    notes: tuple[str, ...]
    _places: frozenset[tuple[str, str]]
    _said: frozenset[tuple[str, str]]

    def hides(self, place: Mapping[str, Any], description: str, /) -> bool:
        """Return whether the user has hidden what a text says of a date at a place.

        The place is in the passage that was hidden, or says just the same elsewhere.
        """
        here = (place["chunk_id"], place["value"]) in self._places
        return here or (place["value"], description) in self._said

    def joined(self, found: Timeline, limit: int | None, /) -> Timeline:
        """Return a timeline with the user's own events among the weightiest."""
        every = sorted((*found.events, *self.events), key=lambda e: (-e.weight, e.value))[:limit]
        return replace(
            found,
            total=found.total + len(self.events),
            events=tuple(sorted(every, key=lambda e: (e.first, e.last, e.value))),
            notes=self.notes,
        )


def users_timeline(graph: ContextGraph, first: str | None, last: str | None, /) -> UsersTimeline:
    """Return the user's part of the timeline between two days."""
    events: list[Event] = []
    places, said = set[tuple[str, str]](), set[tuple[str, str]]()
    homeless = hidden = 0
    for placed in graph.marks:
        mark = placed.mark
        if placed.state in {"undone", "idle"}:
            continue
        if mark.kind == "hide_event":
            said.add((mark.value, mark.note))
            hidden += placed.state == "in force"
            if placed.quote is not None:
                places.add((placed.quote.chunk_id, mark.value))
        elif mark.kind == "event":
            if placed.quote is None:
                homeless += 1
                continue
            date = typed_date(mark.value)
            begins, ends = str(date.first), str(date.last)
            if (last is None or begins <= last) and (first is None or ends >= first):
                events.append(
                    Event(
                        value=mark.value,
                        first=begins,
                        last=ends,
                        precision=date.precision or "day",
                        description=mark.note,
                        mention_count=1,
                        document_count=1,
                        weight=1.0,
                        quote=placed.quote,
                        mark_id=mark.mark_id,
                    )
                )
    notes = []
    if hidden:
        what = "1 event is" if hidden == 1 else f"{hidden} events are"
        notes.append(f"{what} hidden by you; {See('marks')} shows them.")
    if homeless:
        what = "1 event of yours is" if homeless == 1 else f"{homeless} events of yours are"
        notes.append(
            f"{what} left out: the source is not in the collection any more; {See('marks')} says "
            "which."
        )
    return UsersTimeline(tuple(events), tuple(notes), frozenset(places), frozenset(said))


def source_words(chunks: Sequence[Chunk], text: str, /) -> tuple[Chunk, int, int]:
    """Return the sentence of some chunks that has most words of a text, as its source.

    Parameters
    ----------
    chunks
        Of the page that the user names as the source; at least one.
    text
        What the user says happened.
    """
    words = {w.casefold() for w in _WORD.findall(text)}
    best, most = (chunks[0], *_trimmed(chunks[0].text, 0, len(chunks[0].text))), -1.0
    for chunk in chunks:
        start = 0
        for end in (*sentence_ends(chunk.text, 0, len(chunk.text)), len(chunk.text)):
            own = {w.casefold() for w in _WORD.findall(chunk.text[start:end])}
            score = len(words & own) - len(own) / 1000
            if own and score > most:
                most, best = score, (chunk, *_trimmed(chunk.text, start, end))
            start = end
    return best


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without blanks around it, and not longer than what is quoted."""
    while start < end and text[start].isspace():
        start += 1
    end = min(end, start + _MOST_QUOTED)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, max(end, start)


_MOST = 1000
_READ_PER_DATE = 6
_EVENTS_OF_A_DAY = 3
_SAME_WORDS = 0.5
_BESIDE = 60
_CROWDED = 0.02
_READ_FACTOR = 3
_READ_AT_LEAST = 200
_REMEMBERED = 20_000

_LONG_WORD = re.compile(r"[^\W_]{4,}")
"""Shorter words are those of grammar."""

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
    a year, in a sentence that says what was done, near names and sums, in several documents. The
    end of a fiscal year, the day of a balance and that of a filing weigh little. A date is one
    event, told by the place that says most, and a day up to three, where its texts speak of
    different deeds or mails: two texts with half of their words in common, in
    all or beside the date, tell the same event.

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
    first = day_span(start)[0] if start else None
    last = day_span(end)[1] if end else None
    in_order(("start", first), ("end", last), "is later than")
    read = None if limit is None else max(limit * _READ_FACTOR, _READ_AT_LEAST)
    rows = ask(
        graph, "timeline", start=first, end=last, limit=read, places=_READ_PER_DATE
    ).to_pylist()
    users = users_timeline(graph, first, last)
    places = [row for row in rows if row["value"] is not None]
    events, noise = _events(graph, places, limit, users)
    found = Timeline(
        collection=graph.info.name,
        start=first,
        end=last,
        total=rows[0]["total"] - noise,
        events=tuple(sorted(events, key=lambda e: (e.first, e.last, e.value))),
        undated=rows[0]["undated"],
        fiscal=rows[0]["fiscal"],
        unread=graph.unread,
        periods=tuple((each["period"], each["dates"]) for each in rows[0]["periods"]),
    )
    return users.joined(found, limit)


def _events(
    graph: ContextGraph, places: Sequence[_Place], limit: int | None, users: UsersTimeline
) -> tuple[list[Event], int]:
    """Read the texts of the most promising dates; leave out what the user has hidden.

    Returns
    -------
    tuple of list of Event and int
        The events, and how many fewer they are in all than the dates that were read: a date that
        is none or is hidden counts 1, a second event of a day -1.
    """
    said = _said(graph, places)
    read = [_readings(own, said) for _, own in groupby(places, key=lambda p: p["value"])]
    told = (event for readings in read if readings for event in _told_apart(readings))
    found = [e for e in told if not any(users.hides(r.place, r.reading.description) for r in e)]
    found.sort(key=lambda readings: _rank(readings[0]))
    kept = _spread_out(sorted(_each_its_own(found), key=_rank), limit)
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


def _spread_out(ranked: list[_Read], limit: int | None) -> list[_Read]:
    """Return the weightiest events; each weighs less the more there are of its document already."""
    if limit is None or len(ranked) <= limit:
        return ranked
    taken: Counter[int] = Counter()
    kept: list[_Read] = []
    waiting = [(-read.weight, number, 0) for number, read in enumerate(ranked)]
    heapq.heapify(waiting)
    while len(kept) < limit:
        _, number, seen = heapq.heappop(waiting)
        read = ranked[number]
        now = taken[read.place["position"]]
        if now == seen:
            kept.append(read)
            taken[read.place["position"]] += 1
        else:
            heapq.heappush(waiting, (_CROWDED * now - read.weight, number, now))
    return kept


def _rank(read: _Read) -> tuple[float, str, int, int, int]:
    """Return what sorts the weightiest first, equal ones by date and in reading order."""
    return (-read.weight, read.place["value"], *_order(read.place))


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


def _told_apart(readings: Sequence[_Read]) -> list[list[_Read]]:
    """Group what is said of a date by event: readings of each, those that say most first.

    What is no deed, and what is left over, tells of the first event again.
    """
    events = [[readings[0]]]
    for read in readings[1:]:
        may_be_new = read.reading.kind != "remark" and read.place["precision"] == "day"
        if not may_be_new:
            events[0].append(read)
            continue
        same = next((i for i, known in enumerate(events) if _is_same(read, known[0])), None)
        if same is None and len(events) < _EVENTS_OF_A_DAY:
            events.append([read])
        else:
            events[same or 0].append(read)
    return events


def _is_same(one: _Read, other: _Read) -> bool:
    """Whether the shorter of two texts has half of its words from the other, in all or near.

    Mails are the same where who wrote to whom of what is.
    """
    if "mail" in {one.reading.kind, other.reading.kind}:
        return one.reading.description.casefold() == other.reading.description.casefold()
    return any(
        len(a & b) >= _SAME_WORDS * min(len(a), len(b))
        for a, b in zip(_words(one), _words(other), strict=True)
    )


def _words(read: _Read) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a sentence, and those beside its date."""
    said, date = read.reading.description.casefold(), read.place["text"].casefold()
    before, _, behind = said.partition(date)
    near = f"{before[-_BESIDE:]} {behind[:_BESIDE]}"
    return frozenset(_LONG_WORD.findall(f"{before} {behind}")), frozenset(_LONG_WORD.findall(near))


def _each_its_own(found: Sequence[list[_Read]]) -> list[_Read]:
    """Choose for each event a sentence that no weightier one has, where there is such."""
    used: set[str] = set()
    chosen = []
    for readings in found:
        best = next((r for r in readings if r.reading.description not in used), readings[0])
        used.add(best.reading.description)
        chosen.append(best)
    return chosen
