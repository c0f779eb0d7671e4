"""What a report says of what the documents hold: who, when, about what, how much."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.viewer.graph_figure import TALL, counted, graph_svg, legend
from casetrack.viewer.markup import esc, span
from casetrack.viewer.report.gather import MAX_LINKS
from casetrack.viewer.report.parts import (
    MAX_NAME,
    and_more,
    capital,
    command,
    nothing,
    section,
    spread_words,
    table,
)
from casetrack.viewer.symbols import KIND_WORDS, shortened, sign
from casetrack.viewer.timeline_figure import AXIS_WIDTHS, timeline_svg, when

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.records.graph import Edge, EntityGraph, Event, KeyActor, Quote, Topic
    from casetrack.viewer.report.amounts import Amounts, Sum
    from casetrack.viewer.report.gather import Report
    from casetrack.viewer.report.passages import Passages

_SAID = 320
_SAID_SHORT = 150
_BESIDE = 90
"""Characters of a paragraph that are shown on either side of a sum."""
_TERMS = 5
_ACTORS, _DATES, _TOPICS = 10, 6, 6
"""Of each so many at a glance."""
_UNITS = {"dollar": "Dollars (which, is not said)", None: "No currency named"}


# --- at a glance ---------------------------------------------------------------------------


def glance(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield the people, dates and topics that stand out."""
    passages.start_section()
    columns = (
        ("Key people and firms", _actors(report.actors[:_ACTORS], passages)),
        ("Key dates", _dates(report.summary.key_dates[:_DATES], passages)),
        ("What it is about", _topics(report.summary.topics[:_TOPICS], passages)),
    )
    body = ['<div class="columns">\n']
    for title, items in columns:
        body.append(f'<div class="card">\n<h3>{title}</h3>\n')
        body.append(f"<ul>{items}</ul>\n" if items else nothing("Nothing of the kind was found."))
        body.append("</div>\n")
    body.append("</div>\n")
    yield from section(("glance", "At a glance"), body)


def _actors(actors: Sequence[KeyActor], passages: Passages) -> str:
    return "".join(
        f'<li>{_named(a)}<p class="under">{_role(a)}{_cited(a, passages)}</p></li>\n'
        for a in actors
    )


def _named(actor: KeyActor) -> str:
    kind = KIND_WORDS.get(actor.entity.kind, actor.entity.kind)
    name = span(shortened(actor.entity.name, MAX_NAME))
    return (
        f'<b class="name">{sign(actor.entity.kind)} {name}</b><span class="hidden">, {kind}</span>'
    )


def _role(actor: KeyActor) -> str:
    role = actor.entity.role
    return f"{span(capital(shortened(role, MAX_NAME)))} \u00b7 " if role else ""


def _cited(actor: KeyActor, passages: Passages) -> str:
    if actor.quote is not None:
        return passages.link(actor.quote)
    return spread_words(actor.entity.mention_count, actor.entity.document_count)


def _dates(events: Sequence[Event], passages: Passages) -> str:
    return "".join(
        f'<li><b class="name">{esc(when(e))}</b>'
        f'<p class="said" dir="auto">{esc(shortened(e.description, _SAID_SHORT))}</p>'
        f'<p class="under">{passages.link(e.quote)}</p></li>\n'
        for e in events
    )


def _topics(topics: Sequence[Topic], passages: Passages) -> str:
    items = []
    for topic in topics:
        spread = counted(topic.chunk_count, "passage")
        documents = counted(topic.document_count, "document")
        others = [t for t in topic.terms if t.casefold() not in topic.label.casefold()][:_TERMS]
        terms = (
            f'<p class="said">{esc(shortened(", ".join(others), MAX_NAME))}</p>' if others else ""
        )
        cited = f" \u00b7 {passages.link(topic.quotes[0])}" if topic.quotes else ""
        items.append(
            f'<li><b class="name">{span(capital(shortened(topic.label, MAX_NAME)))}</b>{terms}'
            f'<p class="under">{spread} in {documents}{cited}</p></li>\n'
        )
    return "".join(items)


# --- timeline ------------------------------------------------------------------------------


def timeline(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield the axis, and the events by year, each cited."""
    passages.start_section()
    yield from section(("timeline", "Timeline"), _timeline(report, passages), lead=_span(report))


def _span(report: Report) -> str:
    found = report.timeline
    if not found.events:
        return ""
    shown = counted(found.total, "dated event")
    if len(found.events) < found.total:
        shown = f"The {len(found.events)} weightiest of {shown}"
    text = f"{shown}, from {esc(when(found.events[0]))} to {esc(when(found.events[-1]))}."
    if found.undated:
        unclear = counted(found.undated, "more date")
        text += f" {unclear} could not be read with certainty and so stand nowhere here."
    return text


def _timeline(report: Report, passages: Passages) -> Iterator[str]:
    found = report.timeline
    if not found.events:
        yield nothing("The documents name no date that could be read with certainty.")
        return
    yield '<div class="axis-box">\n'
    for name, width in AXIS_WIDTHS.items():
        yield f'<div class="axis-{name}">{timeline_svg(found, width=width, linked=True)}</div>\n'
    yield "</div>\n"
    numbered = enumerate(found.events)
    for year, events in groupby(numbered, key=lambda item: item[1].first[:4]):
        yield f'<h3 class="year">{esc(year)}</h3>\n<ol class="events">\n'
        for number, event in events:
            yield _event(number, event, passages)
        yield "</ol>\n"
    yield and_more(len(found.events), found.total, "event", command("timeline", report.name))


def _event(number: int, event: Event, passages: Passages) -> str:
    places = ""
    if event.mention_count > 1:
        mentions = counted(event.mention_count, "mention")
        places = f" \u00b7 {mentions} in {counted(event.document_count, 'document')}"
    return (
        f'<li id="event-{number}"><p class="day">{esc(when(event))}</p>'
        f'<div><p class="said" dir="auto">{esc(shortened(event.description, _SAID))}</p>'
        f'<p class="under">{passages.link(event.quote)}{places}</p></div></li>\n'
    )


# --- people and firms ----------------------------------------------------------------------

_PEOPLE = (("Name", "wide"), ("Who it is", ""), ("Mentions", "number"), ("Source", "source"))


def people(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield a table of people and firms, and who is mentioned together with whom."""
    passages.start_section()
    yield from section(("people", "People and firms"), _people(report, passages))


def _people(report: Report, passages: Passages) -> Iterator[str]:
    if report.graph is not None and report.graph.edges:
        yield from _graph(report.graph, passages)
    if report.graph is None:
        yield "".join(f'<p class="note" role="note">{esc(note)}</p>\n' for note in report.left_out)
    if not report.actors:
        yield nothing("No people and no firms were found.")
        return
    rows = [
        (
            _named(actor),
            span(capital(shortened(actor.entity.role or "", MAX_NAME))),
            spread_words(actor.entity.mention_count, actor.entity.document_count),
            passages.link(actor.quote) if actor.quote else "",
        )
        for actor in report.actors
    ]
    yield table(_PEOPLE, rows, "People and firms")
    yield and_more(len(rows), report.actor_count, "name", command("entities", report.name))


def _graph(graph: EntityGraph, passages: Passages) -> Iterator[str]:
    names = {n.entity_id: n for n in graph.nodes}
    links = [e for e in graph.edges if e.quote and e.source in names and e.target in names]
    yield '<div class="together">\n<figure class="drawing">\n'
    yield f'<div class="wide-only">{graph_svg(graph, width=620)}</div>\n'
    yield f'<div class="tall-only">{graph_svg(graph, width=TALL)}</div>\n'
    yield f'{legend(graph)}<figcaption class="aside">Lines join names that stand in one passage; '
    yield "the thicker, the more often.</figcaption></figure>\n"
    yield '<div class="card"><h3>Mentioned together</h3>\n<ul>\n'
    for edge in links[:MAX_LINKS]:
        yield _link(edge, [names[edge.source].name, names[edge.target].name], passages)
    yield "</ul></div>\n</div>\n"


def _link(edge: Edge, ends: Sequence[str], passages: Passages) -> str:
    a, b = (span(shortened(name, MAX_NAME)) for name in ends)
    cited = f" \u00b7 {passages.link(edge.quote)}" if edge.quote else ""
    return (
        f'<li><b class="name">{a} <span class="and">and</span> {b}</b>'
        f'<p class="under">{counted(edge.count, "passage")}{cited}</p></li>\n'
    )


# --- amounts -------------------------------------------------------------------------------

_AMOUNTS = (
    ("Amount", "money"),
    ("What is said", "wide"),
    ("Mentions", "number"),
    ("Source", "source"),
)


def amounts(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield the largest sums of money by currency."""
    passages.start_section()
    lead = (
        "The largest sums that the documents name, by currency. A sum is what the text says, not "
        "what was paid."
        if report.amounts
        else ""
    )
    yield from section(("amounts", "Amounts"), _amounts(report, passages), lead=lead)


def _amounts(report: Report, passages: Passages) -> Iterator[str]:
    if not report.amounts:
        yield nothing("No sums of money were found.")
    for group in report.amounts:
        unit = capital(_UNITS.get(group.unit, group.unit) or "")
        yield f'<h3 class="year">{esc(shortened(unit, MAX_NAME))}</h3>\n'
        rows = [_sum(group, one, passages) for one in group.sums]
        yield table(_AMOUNTS, rows, f"Sums, {shortened(unit, MAX_NAME)}")
        yield and_more(len(rows), group.total, "sum")


def _sum(group: Amounts, one: Sum, passages: Passages) -> Sequence[str]:
    return (
        f'<b class="name">{esc(_number(one, group.unit))}</b>',
        f'<span class="said" dir="auto">{_sentence(one.quote)}</span>',
        spread_words(one.mention_count, one.document_count),
        passages.link(one.quote),
    )


def _sentence(quote: Quote) -> str:
    """Return the words of a quote with what stands beside them in their own paragraph."""
    start = quote.snippet_start
    left, right = quote.snippet[:start], quote.snippet[start + len(quote.text) :]
    before, after = left.rpartition("\n")[2], right.partition("\n")[0]
    is_cut = before == left and quote.char_start > start
    if len(before) > _BESIDE:
        before, is_cut = before[-_BESIDE:].partition(" ")[2], True
    before = f"\u2026 {before.lstrip()}" if is_cut else before
    is_cut = after == right and not after.rstrip().endswith((".", "!", "?"))
    if len(after) > _BESIDE:
        after, is_cut = after[:_BESIDE].rpartition(" ")[0], True
    after = f"{after.rstrip()} \u2026" if is_cut else after
    words = " ".join(shortened(quote.text, _SAID_SHORT).split())
    return f"{esc(before.lstrip())}<b>{esc(words)}</b>{esc(after.rstrip())}"


def _number(one: Sum, unit: str | None) -> str:
    text = _plain(one.value)
    if one.high is not None:
        text += f" \u2013 {_plain(one.high)}"
    return f"{unit}\u00a0{text}" if unit and unit.isupper() else text


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


# --- references ----------------------------------------------------------------------------

_REFERENCES = (
    ("Referred to", "wide"),
    ("Kind", "short"),
    ("Places", "number"),
    ("In this collection", ""),
    ("Source", "source"),
)


def references(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield what the documents refer to most."""
    passages.start_section()
    yield from section(("references", "References"), _references(report, passages))


def _references(report: Report, passages: Passages) -> Iterator[str]:
    if not report.references:
        yield nothing("The documents refer to nothing that was recognised.")
        return
    rows = []
    for cited in report.references:
        reference = cited.reference
        target = reference.target_document
        rows.append(
            (
                f'<b class="name">{span(shortened(reference.name, MAX_NAME))}</b>',
                esc(capital(reference.type)),
                spread_words(reference.citation_count, reference.document_count),
                span(shortened(target, MAX_NAME)) if target else "",
                passages.link(cited.quote),
            )
        )
    yield table(_REFERENCES, rows, "References")
    yield and_more(
        len(rows), report.reference_count, "reference", command("references", report.name)
    )
