"""The events of a collection by date, with the texts that describe them."""

from __future__ import annotations

import re
import weakref
from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.addresses import ADDRESS
from casetrack.base.arguments import in_order, one_of
from casetrack.base.errors import See
from casetrack.base.records.graph import Event, Timeline
from casetrack.base.records.graph.timeline import EVENT_TYPES
from casetrack.base.resources import resource_dir
from casetrack.extract.days import day_span, typed_date
from casetrack.extract.language import sentence_ends
from casetrack.graph.answers.events import date_weight, read_event
from casetrack.graph.answers.rows import ask, quotes_of, up_to

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from casetrack.base.records import Chunk
    from casetrack.graph.answers.events import Reading
    from casetrack.graph.graph import ContextGraph

# The user's part of the timeline: added events with a source in the collection, and hidden ones.

_WORD = re.compile(r"[^\W_]{3,}")
_MOST_QUOTED = 240


@dataclass(frozen=True, slots=True)
class UsersTimeline:
    """The user's additions to the timeline, and the events that the user hid."""

    events: tuple[Event, ...]  # Added events whose source exists
    notes: tuple[str, ...]  # Sentences about events left out because of the user's marks
    _places: frozenset[tuple[str, str]]
    _read_texts: frozenset[tuple[str, str]]

    def hides(self, place: Mapping[str, Any], description: str, /) -> bool:
        """Return whether the user hid the event at a place, or its description elsewhere."""
        hidden_place = (place["chunk_id"], place["value"]) in self._places
        return hidden_place or (place["value"], description) in self._read_texts

    def joined(self, timeline: Timeline, limit: int | None, /) -> Timeline:
        """Return a timeline that includes the user's events, limited by weight."""
        every = sorted((*timeline.events, *self.events), key=lambda e: (-e.weight, e.value))[:limit]
        return replace(
            timeline,
            total=timeline.total + len(self.events),
            events=tuple(sorted(every, key=lambda e: (e.first, e.last, e.value))),
            notes=self.notes,
        )


def users_timeline(graph: ContextGraph, first: str | None, last: str | None, /) -> UsersTimeline:
    """Return the user's part of the timeline between two days."""
    events: list[Event] = []
    places, descriptions = set[tuple[str, str]](), set[tuple[str, str]]()
    lost = hidden = 0
    for placed in graph.marks:
        mark = placed.mark
        if placed.state in {"undone", "idle"}:
            continue
        if mark.kind == "hide_event":
            descriptions.add((mark.value, mark.note))
            hidden += placed.state == "in force"
            if placed.quote is not None:
                places.add((placed.quote.chunk_id, mark.value))
        elif mark.kind == "event":
            if placed.quote is None:
                lost += 1
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
    if lost:
        what = "1 event of yours is" if lost == 1 else f"{lost} events of yours are"
        notes.append(
            f"{what} left out: the source is no longer in the collection; {See('marks')} lists "
            "them."
        )
    return UsersTimeline(tuple(events), tuple(notes), frozenset(places), frozenset(descriptions))


def source_words(chunks: Sequence[Chunk], text: str, /) -> tuple[Chunk, int, int]:
    """Return the sentence with most words of *text*, as its source; *chunks* are not empty."""
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
    """Return a span without outer blanks, at most as long as a quote."""
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
_NEAR_CHARS = 60
_CROWDED = 0.02
_READ_FACTOR = 3
_READ_AT_LEAST = 200
_REMEMBERED = 20_000

_LONG_WORD = re.compile(r"[^\W_]{4,}")
"""Shorter words are usually function words."""

_Key = tuple[str, int, int, str]
"""A place of a date: chunk, start and end in its text, and the date's precision."""
_Place = dict[str, Any]
"""A row of ``timeline.sql``: a date at one of its places."""
_read_before: weakref.WeakKeyDictionary[ContextGraph, dict[_Key, Reading | None]] = (
    weakref.WeakKeyDictionary()
)
"""Readings of dates at places, cached for the lifetime of the graph."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The reading of a date at a place, and its weight."""

    weight: float
    place: _Place
    reading: Reading


def timeline(
    graph: ContextGraph,
    /,
    *,
    start: str | None = None,
    end: str | None = None,
    type: str = "all",  # noqa: A002 - the word that users know
    limit: int | None = 100,
    without: Collection[str] = (),
) -> Timeline:
    """Return the dated events of the documents, except those *without*, in order of date.

    With more than *limit* events, those with the highest weight are kept: days rather than years,
    in a sentence that states a deed, near names and amounts, in several documents. The end of a
    fiscal year, the day of a balance and a filing day have little weight. A date is one event,
    described by its strongest place. A day has up to three events if documents or mails describe
    different deeds: texts of one document, and those that share half of their words near the
    date, describe the same event. Arguments and errors as in ``Collection.map.timeline``.
    """
    one_of("type", type, ("all", *EVENT_TYPES))
    limit = up_to(limit, _MOST)
    first = day_span(start)[0] if start else None
    last = day_span(end)[1] if end else None
    in_order(("start", first), ("end", last), "is later than")
    read = max(limit * _READ_FACTOR, _READ_AT_LEAST) if limit and type == "all" else None
    rows = ask(
        graph, "timeline", start=first, end=last, limit=read, places=_READ_PER_DATE
    ).to_pylist()
    users = users_timeline(graph, first, last)
    every = [row for row in rows if row["value"] is not None]
    places = [row for row in every if row["document_id"] not in without]
    events, noise = _events(graph, places, limit if type == "all" else None, users)
    noise += len({row["value"] for row in every} - {row["value"] for row in places})
    total = rows[0]["total"] - noise
    if type != "all":
        own = [e for e in (*events, *users.events) if e.type == type]
        own += _computed(graph, first, last) if type == "deadline" else []
        events = sorted(own, key=lambda e: (-e.weight, e.value))[:limit]
        total, users = len(own), replace(users, events=())
    result = Timeline(
        collection=graph.info.name,
        start=first,
        end=last,
        total=total,
        events=tuple(sorted(events, key=lambda e: (e.first, e.last, e.value))),
        undated=rows[0]["undated"],
        fiscal=rows[0]["fiscal"],
        unread=graph.unread,
        periods=tuple((each["period"], each["dates"]) for each in rows[0]["periods"]),
    )
    return users.joined(result, limit)


def _computed(graph: ContextGraph, first: str | None, last: str | None) -> list[Event]:
    """Return the deadlines whose day follows from their rule and a dated term of the document."""
    spans = graph.table("amounts")
    spans = spans.filter(
        pc.is_in(spans["unit"], value_set=pa.array(("day", "week", "month", "year")))
    )
    chunks = graph.chunks(spans["chunk_id"].unique().to_pylist())
    held = [{"chunk_id": c.chunk_id, "chunk_index": c.provenance.chunk_index, "text": c.text,
             "citation": c.citation} for c in chunks]  # fmt: skip
    columns = pa.schema([(n, pa.string()) for n in ("chunk_id", "text", "citation")])
    table = pa.Table.from_pylist(held, columns.append(pa.field("chunk_index", pa.int32())))
    saved = (resource_dir("pipelines") / "queries" / "deadlines.sql").read_text("utf-8")
    rows = graph.sql(saved, {"document": None}, tables={"chunks": table}).to_pylist()
    rows = [r | {"value": f"{r['day']:%F}"} for r in rows if r["day"] is not None]
    rows = [r for r in rows if (first or "") <= r["value"] <= (last or "9999")]
    return [
        Event(
            value=row["value"],
            first=row["value"],
            last=row["value"],
            precision="day",
            description=f"{row['rule']} ({row['anchor_day']})",
            mention_count=1,
            document_count=1,
            weight=0.6,
            quote=quote,
            type="deadline",
        )
        for row, quote in zip(rows, quotes_of(graph, rows), strict=True)
    ]


def _events(
    graph: ContextGraph, places: Sequence[_Place], limit: int | None, users: UsersTimeline
) -> tuple[list[Event], int]:
    """Read the texts of the most promising dates and leave out events that the user hid.

    The second value is the number of dates read minus the number of events: a date without a
    visible event counts 1, an additional event of a day -1.
    """
    texts = _read_texts(graph, places)
    read = [_readings(own, texts) for _, own in groupby(places, key=lambda p: p["value"])]
    groups = (event for readings in read if readings for event in _grouped_by_event(readings))
    shown = [e for e in groups if not any(users.hides(r.place, r.reading.description) for r in e)]
    shown.sort(key=lambda readings: _rank(readings[0]))
    kept = _spread_out(sorted(_distinct_descriptions(shown), key=_rank), limit)
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
            type=r.reading.type or ("signed" if r.place["is_own"] else None),
        )
        for r, quote in zip(kept, quotes_of(graph, [r.place for r in kept]), strict=True)
    ]
    return events, len(read) - len(shown)


def _spread_out(ranked: list[_Read], limit: int | None) -> list[_Read]:
    """Return the events with the highest weight; it falls with each event of the same document."""
    taken: Counter[int] = Counter()
    places = []
    for number, read in enumerate(ranked):
        places.append((_CROWDED * taken[read.place["position"]] - read.weight, number))
        taken[read.place["position"]] += 1
    return [ranked[number] for _, number in sorted(places)[:limit]]


def _rank(read: _Read) -> tuple[float, str, int, int, int]:
    """Return the sort key: highest weight first, then date and reading order."""
    return (-read.weight, read.place["value"], *_order(read.place))


def _read_texts(graph: ContextGraph, places: Sequence[_Place]) -> dict[_Key, Reading | None]:
    """Return the readings of dates at these places; each text is read once per state."""
    known = dict(_read_before.get(graph, {}))
    new = [place for place in places if _key(place) not in known]
    ids = list(dict.fromkeys(place["chunk_id"] for place in new))
    texts = dict(zip(ids, graph.chunks(ids), strict=True)) if ids else {}
    titles = {document.document_id: document.shown_title for document in graph.documents}
    for place in new:
        chunk, start, end, precision = _key(place)
        title = titles.get(texts[chunk].provenance.document_id)
        reading = read_event(texts[chunk], start, end, precision, title=title)
        if reading and reading.kind == "mail" and "@" in reading.description:
            reading = replace(reading, description=_with_names(graph, reading.description))
        known[_key(place)] = reading
    if new:
        _read_before[graph] = known if len(known) <= _REMEMBERED else {}
    return known


def _with_names(graph: ContextGraph, description: str) -> str:
    """Replace known addresses in the description of a mail by the names of their owners."""
    head, colon, subject = description.partition(": ")
    named = ADDRESS.sub(lambda m: graph.owners.get(m[0].casefold(), ("", m[0]))[1], head)
    return f"{named}{colon}{subject}"


def _key(place: _Place) -> _Key:
    return place["chunk_id"], place["char_start"], place["char_end"], place["precision"]


def _readings(places: Iterable[_Place], texts: Mapping[_Key, Reading | None]) -> list[_Read]:
    """Return the readings of a date at its places, highest weight first."""
    readings = []
    for place in places:
        precision, reading = place["precision"], texts[_key(place)]
        if reading is not None:
            weight = date_weight(
                precision,
                place["mention_count"],
                place["document_count"],
                nearby=place["beside"],
                strength=max(reading.strength * place["confidence"], place["is_own"]),
            )
            readings.append(_Read(weight, place, reading))
    return sorted(readings, key=lambda r: (-r.weight, *_order(r.place)))


def _order(place: _Place) -> tuple[int, int, int]:
    """Return the sort key for reading order."""
    return place["position"], place["chunk_index"], place["char_start"]


def _grouped_by_event(readings: Sequence[_Read]) -> list[list[_Read]]:
    """Group the readings of a date by event, highest weight first; remarks join the first event."""
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
    """Return whether two texts are of one document, or share half of the shorter one's words.

    The words are those near the date. Mails are the same if sender, recipient and subject
    are.
    """
    if "mail" in {one.reading.kind, other.reading.kind}:
        return one.reading.description.casefold() == other.reading.description.casefold()
    words, others = _words(one), _words(other)
    shared = len(words & others) >= _SAME_WORDS * min(len(words), len(others))
    return shared or one.place["position"] == other.place["position"]


def _words(read: _Read) -> frozenset[str]:
    """Return the long words near the date of a sentence."""
    before, _, behind = read.reading.description.partition(read.place["text"])
    return frozenset(
        _LONG_WORD.findall(f"{before[-_NEAR_CHARS:]} {behind[:_NEAR_CHARS]}".casefold())
    )


def _distinct_descriptions(events: Sequence[list[_Read]]) -> list[_Read]:
    """Choose for each event a sentence that no event with more weight uses, if possible."""
    used: set[str] = set()
    chosen = []
    for readings in events:
        best = next((r for r in readings if r.reading.description not in used), readings[0])
        used.add(best.reading.description)
        chosen.append(best)
    return chosen
