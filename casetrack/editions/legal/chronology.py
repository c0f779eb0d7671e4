"""The chronology of a case: its timeline with the user's picks."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from casetrack.api.viewer.gather import draw
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import sheet
from casetrack.api.viewer.symbols import counted
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.timeline_figure import when
from casetrack.base.arguments import day_text
from casetrack.base.records.shape import from_members
from casetrack.editions.legal.operation import READS, Arg, DayRef, operation
from casetrack.editions.legal.records.authorities import Chronology, ChronologyEntry
from casetrack.extract.days import typed_date
from casetrack.extract.papers.case_numbers import case_key
from casetrack.graph.answers.events import read_event
from casetrack.graph.answers.rows import ask
from casetrack.graph.answers.timeline import timeline
from casetrack.graph.cited import distinctive
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.base.records.graph import Event, Quote, Timeline
    from casetrack.base.records.marks import PlacedMark
    from casetrack.graph.graph import ContextGraph
    from casetrack.store.workspace import State

USUAL_EVENTS = 100


@operation("chronology", READS)
def chronology(
    case: Collection,
    /,
    *,
    start: Annotated[DayRef | None, Arg(cli="--from DATE")] = None,
    end: Annotated[DayRef | None, Arg(cli="--to DATE")] = None,
    limit: Annotated[int | None, Arg(cli="--limit -k N", ge=1)] = USUAL_EVENTS,
    only_picked: Annotated[bool, Arg(cli="--picked")] = False,
) -> Chronology:
    """Return the events of a case by date, each with its source.

    The user's picked and added events are always included, with the user's text if there is one;
    hidden events are not. These picks are marks of the collection and survive re-ingestion, export
    and import.

    Parameters
    ----------
    start
        From this day on (YYYY-MM-DD).
    end
        Up to this day (YYYY-MM-DD).
    limit
        Maximum number of events that you did not pick, by weight.
    only_picked
        Only events that you picked.

    Raises
    ------
    UsageError
        A date is invalid, or the end is before the start.
    """
    first, last = day_text(start), day_text(end)

    def answer(state: State) -> Chronology:
        graph = graph_of(state)
        foreign = _precedents(graph.documents, case.info.reference)
        events = timeline(graph, start=first, end=last, limit=limit, without=foreign)
        return _chronology(graph, events, len(foreign), only_picked=only_picked)

    return case.workspace.ask(answer)


def _precedents(documents: Sequence[Document], number: str | None) -> set[str]:
    """Return the ids of the decisions in other cases, whose facts are not those of this case.

    A decision of the case has its number, or the parties of another paper. A collection of
    decisions alone has no precedents.
    """
    others = [d for d in documents if d.legal_type not in {None, "opinion"}]
    numbers = {case_key(n) for n in (number, *(d.case_number for d in others)) if n}
    names = [distinctive(d.case_name) for d in others if d.case_name]

    def is_own(decision: Document) -> bool:
        left, right = map(set, distinctive(decision.case_name or ""))
        is_named = any(left & {*one} and right & {*two} for one, two in names)
        return is_named or case_key(decision.case_number or "") in numbers

    decisions = [d for d in documents if d.legal_type == "opinion" and others]
    return {d.document_id for d in decisions if not is_own(d)}


def _chronology(
    graph: ContextGraph, timeline: Timeline, precedents: int, *, only_picked: bool
) -> Chronology:
    taken = [m for m in graph.marks if m.mark.kind == "take_event" and m.state != "undone"]
    placed = {
        (m.quote.chunk_id, m.mark.value): m
        for m in taken
        if m.quote is not None and _touches(m, timeline)
    }
    entries = []
    for event in timeline.events:
        pick = placed.pop((event.quote.chunk_id, event.value), None)
        entries.append(_of_event(event, pick))
    others = [_of_mark(graph, pick) for pick in placed.values()]
    chosen = [e for e in (*entries, *others) if e.picked or not only_picked]
    chosen.sort(key=lambda e: (e.first, e.last, e.value))
    gone = sum(m.quote is None for m in taken)
    return Chronology(
        case=timeline.collection,
        start=timeline.start,
        end=timeline.end,
        total=timeline.total,
        entries=tuple(_with_names(graph, chosen)),
        notes=tuple(_notes(timeline, gone, precedents)),
    )


def _notes(timeline: Timeline, gone: int, precedents: int) -> list[str]:
    notes = [timeline.left_out] if timeline.left_out else []
    if precedents:
        named = counted(precedents, "decision")
        notes.append(f"Events in {named} of other cases are not included.")
    notes += timeline.notes
    if len(timeline.events) < timeline.total:
        rest = timeline.total - len(timeline.events)
        notes.append(f"{rest:,} less important events are not shown.")
    if gone:
        what = "1 picked event is" if gone == 1 else f"{gone} picked events are"
        notes.append(f"{what} missing: the passage is no longer in the case.")
    return notes


def _touches(pick: PlacedMark, timeline: Timeline) -> bool:
    day = typed_date(pick.mark.value)
    return (timeline.end is None or str(day.first) <= timeline.end) and (
        timeline.start is None or str(day.last) >= timeline.start
    )


def _of_event(event: Event, pick: PlacedMark | None) -> ChronologyEntry:
    own = pick.mark.note if pick is not None else ""
    return from_members(
        ChronologyEntry,
        event,
        event=own or event.description,
        document_says=event.description if own else "",
        who=(),
        picked=pick is not None or event.mark_id is not None,
    )


def _of_mark(graph: ContextGraph, pick: PlacedMark) -> ChronologyEntry:
    """Return a picked event that is not in the timeline."""
    quote: Quote | None = pick.quote
    if quote is None:
        raise ValueError(f"the mark {pick.mark_id} has no place")
    day = typed_date(pick.mark.value)
    precision = day.precision or "day"
    (chunk,) = graph.chunks([quote.chunk_id])
    read = read_event(chunk, quote.char_start, quote.char_end, precision)
    says = read.description if read is not None else quote.snippet
    return ChronologyEntry(
        value=pick.mark.value,
        first=str(day.first),
        last=str(day.last),
        precision=precision,
        event=pick.mark.note or says,
        document_says=says if pick.mark.note else "",
        who=(),
        quote=quote,
        picked=True,
        event_id=f"{pick.mark.value}@{quote.chunk_id[:8]}",
    )


def _with_names(
    graph: ContextGraph, entries: Sequence[ChronologyEntry]
) -> Iterable[ChronologyEntry]:
    """Set the participants: people and organisations in the text of an event."""
    from dataclasses import replace

    chunk_ids = list(dict.fromkeys(e.quote.chunk_id for e in entries))
    if not chunk_ids:
        return
    named: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in ask(graph, "event-names", chunk_ids=chunk_ids).to_pylist():
        named[row["chunk_id"]].append((row["text"], row["name"]))
    for entry in entries:
        words = f"{entry.document_says or entry.event} {entry.event}"
        matches = [(words.find(text), name) for text, name in named[entry.quote.chunk_id]]
        who = dict.fromkeys(name for at, name in sorted(matches) if at >= 0)
        yield replace(entry, who=tuple(who))


# The chronology of a case as one page of HTML: date, event, names, and the source passage.


def chronology_page(state: State, chronology: Chronology, /) -> str:
    """Return a chronology as a self-contained page with pictures of its passages, picks first."""
    first = sorted(chronology.entries, key=lambda e: not e.picked)
    cards = Cards(chronology.case, draw(state, [e.quote for e in first]))
    body = rendered(
        "chronology.html",
        Path(__file__).parent,
        chronology=chronology,
        counts=_counts(chronology),
        years=[
            (year, list(entries))
            for year, entries in groupby(
                enumerate(chronology.entries), key=lambda item: item[1].first[:4]
            )
        ],
        when=when,
        cards=cards,
    )
    return sheet("chronology", f"{chronology.case}: chronology", [body])


def _counts(chronology: Chronology) -> str:
    picked = sum(e.picked for e in chronology.entries)
    bounds = (("from", chronology.start), ("to", chronology.end))
    span_said = "".join(f", {word} {day}" for word, day in bounds if day)
    return (
        f"{counted(len(chronology.entries), 'event')}, {picked:,} picked by the reader{span_said}"
    )
