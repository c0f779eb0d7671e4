"""What a report says of what the documents hold: who, when, about what, how much."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.api.viewer.graph_figure import TALL, counted, graph_svg, legend
from casetrack.api.viewer.markup import esc, span
from casetrack.api.viewer.report.gather import MAX_LINKS
from casetrack.api.viewer.report.glance import other_terms, topic_spread, year_note
from casetrack.api.viewer.report.parts import (
    MAX_NAME,
    and_more,
    capital,
    command,
    named,
    nothing,
    number,
    section,
    spread_words,
    table,
)
from casetrack.api.viewer.symbols import shortened, sign
from casetrack.api.viewer.timeline_figure import AXIS_WIDTHS, event_anchor, timeline_svg, when

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.api.viewer.report.amounts import Amounts, Sum
    from casetrack.api.viewer.report.gather import Report
    from casetrack.api.viewer.report.passages import Passages
    from casetrack.base.records.graph import Edge, EntityGraph, Event, Quote, Topic

_SAID = 320
_SAID_SHORT = 150
_MOST_EVENTS, _MOST_NAMES = 1000, 500
"""So many the commands list at most."""
_BREAK = re.compile(r"\n(\w)")
_BESIDE = 90
"""Characters of a paragraph that are shown on either side of a sum."""
_UNITS = {"dollar": "Dollars (which, is not said)", None: "No currency named"}


# --- timeline ------------------------------------------------------------------------------


def timeline(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield the axis, and the events by year, each cited."""
    passages.start_section()
    yield from section(("timeline", "Timeline"), _timeline(report, passages), lead=_span(report))


def _span(report: Report) -> str:
    found = report.timeline
    if not found.events:
        return ""
    shown = report.at_least + counted(found.total, "dated event")
    if len(found.events) < found.total:
        shown = f"The {len(found.events)} weightiest of {shown}"
    text = f"{capital(shown)}, from {esc(when(found.events[0]))} to {esc(when(found.events[-1]))}."
    return f"{text} {esc(found.left_out)}".rstrip()


def _timeline(report: Report, passages: Passages) -> Iterator[str]:
    found = report.timeline
    if not found.events:
        yield nothing("The documents name no date that can be placed with certainty.")
        return
    yield '<div class="axis-box">\n'
    for name, width in AXIS_WIDTHS.items():
        drawn = timeline_svg(found, width=width, link=event_anchor)
        yield f'<div class="axis-{name}">{drawn}</div>\n'
    yield "</div>\n"
    numbered = enumerate(found.events)
    for year, events in groupby(numbered, key=lambda item: item[1].first[:4]):
        yield f'<h3 class="year">{esc(year)}</h3>\n<ol class="events">\n'
        for place, event in events:
            yield _event(place, event, passages)
        yield "</ol>\n"
    most = min(found.total, _MOST_EVENTS)
    how = command(f"timeline --limit {most}", report.name)
    yield and_more(len(found.events), found.total, "event", how)


def _event(number: int, event: Event, passages: Passages) -> str:
    places = " \u00b7 added by you" if event.mark_id else ""
    if event.mention_count > 1:
        mentions = counted(event.mention_count, "mention")
        places = f" \u00b7 {mentions} in {counted(event.document_count, 'document')}"
    return (
        f'<li id="event-{number}"><p class="day">{esc(when(event))}{year_note(event)}</p>'
        f'<div><p class="said" dir="auto">{esc(shortened(event.description, _SAID))}</p>'
        f'<p class="under">{passages.link(event.quote)}{places}</p></div></li>\n'
    )


# --- people and firms ----------------------------------------------------------------------

_PEOPLE = (("Name", "wide"), ("Who it is", ""), ("Mentions", "number"), ("Source", "source"))


def people(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield a table of people and firms, and who is mentioned together with whom."""
    passages.start_section()
    lead = ""
    if report.actors:
        people, firms = report.people_and_firms
        signs = (
            f"{sign('person')} {report.at_least}{counted(people, 'person', 'people')}",
            f"{sign('organization')} {report.at_least}{counted(firms, 'firm')}",
        )
        lead = " ".join(f'<span class="sign-word">{words}</span>' for words in signs)
        lead += (
            " The weightiest first: parties, signers and correspondents before those who are only "
            "mentioned, and by how many documents they are in."
        )
    yield from section(("people", "People and firms"), _people(report, passages), lead=lead)


def _people(report: Report, passages: Passages) -> Iterator[str]:
    if report.graph is not None and report.graph.edges:
        yield from _graph(report.graph, passages, report.name)
    if not report.actors:
        yield nothing("No people and no firms were found.")
        return
    rows = [
        (
            named(actor.entity)
            + ('<span class="under">as you said</span>' if actor.entity.edited_by_user else ""),
            span(capital(shortened(actor.entity.office, MAX_NAME))),
            spread_words(actor.entity.mention_count, actor.entity.document_count),
            passages.link(actor.quote) if actor.quote else "",
        )
        for actor in report.actors
    ]
    yield table(_PEOPLE, rows, "People and firms")
    kinds = [
        (kind, count)
        for kind, count in zip(("person", "organization"), report.people_and_firms, strict=True)
        if count
    ]
    how = [
        command(f"entities --kind {k} --limit {min(n, _MOST_NAMES)}", report.name) for k, n in kinds
    ]
    yield and_more(len(rows), report.actor_count, "name", *how)


def _graph(graph: EntityGraph, passages: Passages, collection: str) -> Iterator[str]:
    names = {n.entity_id: n for n in graph.nodes}
    links = [e for e in graph.edges if e.quote and e.source in names and e.target in names]
    yield '<div class="together">\n<figure class="drawing">\n'
    yield f'<div class="wide-only">{graph_svg(graph, width=620)}</div>\n'
    yield f'<div class="tall-only">{graph_svg(graph, width=TALL)}</div>\n'
    yield f'{legend(graph)}<figcaption class="aside">The names that weigh most. Lines join '
    yield "those that stand in one passage; the thicker, the more often.</figcaption></figure>\n"
    yield '<div class="card"><h3>Mentioned together</h3>\n<ul>\n'
    for edge in links[:MAX_LINKS]:
        yield _link(edge, [names[edge.source].name, names[edge.target].name], passages)
    yield "</ul>\n"
    how = command(f"graph --limit {len(graph.nodes)}", collection)
    yield and_more(min(len(links), MAX_LINKS), len(graph.edges), "pair", how)
    yield "</div>\n</div>\n"


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
    all_amounts = report.summary.statistics.entity_counts.get("amount", 0)
    most = min(max(all_amounts, 1), _MOST_NAMES)
    how = command(f"entities --kind amount --limit {most}", report.name)
    for group in report.amounts:
        if not group.sums:
            continue
        unit = capital(_UNITS.get(group.unit, group.unit) or "")
        yield f'<h3 class="year">{esc(shortened(unit, MAX_NAME))}</h3>\n'
        rows = [_sum(group, one, passages) for one in group.sums]
        yield table(_AMOUNTS, rows, f"Sums, {shortened(unit, MAX_NAME)}")
        yield and_more(len(rows), group.total, "sum", how)
    others = [group for group in report.amounts if not group.sums]
    if others:
        named_units = ", ".join(
            sorted(shortened(_UNITS.get(g.unit, g.unit) or "", MAX_NAME) for g in others)
        )
        rest = counted(sum(group.total for group in others), "more sum")
        yield (
            f'<p class="more">and {rest} in other currencies ({esc(shortened(named_units, 400))}). '
            f"See them with <code>{esc(how)}</code>.</p>\n"
        )


def _sum(group: Amounts, one: Sum, passages: Passages) -> Sequence[str]:
    return (
        f'<b class="name">{esc(number(one.value, one.high, group.unit))}</b>',
        f'{_label(one)}<span class="said" dir="auto">{_sentence(one.quote)}</span>',
        spread_words(one.mention_count, one.document_count),
        passages.link(one.quote),
    )


def _label(one: Sum) -> str:
    """Return what a sum of a table is of, as HTML; nothing where no table says so."""
    return f"<b>{span(shortened(one.label, MAX_NAME))}</b><br>" if one.label else ""


def _flowing(found: re.Match[str]) -> str:
    """Return a line's end as a space where a small letter goes on with the sentence."""
    return f" {found[1]}" if found[1].islower() else found[0]


def _sentence(quote: Quote) -> str:
    """Return the words of a quote with what stands beside them in their own paragraph."""
    start = quote.snippet_start
    left = _BREAK.sub(_flowing, quote.snippet[:start])
    right = _BREAK.sub(_flowing, quote.snippet[start + len(quote.text) :])
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
    most = min(report.reference_count, _MOST_NAMES)
    how = command(f"references --limit {most}", report.name)
    yield and_more(len(rows), report.reference_count, "reference", how)


# --- topics --------------------------------------------------------------------------------

_TOPICS = (("Topic", "wide"), ("Also", "wide"), ("Spread", "number"), ("Typical of it", "source"))
_MOST_TERMS = 12


def topics(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield what the passages are about, each topic with the places most typical of it."""
    passages.start_section()
    yield from section(("topics", "Topics"), _topics(report, passages))


def _topics(report: Report, passages: Passages) -> Iterator[str]:
    if not report.topics:
        yield nothing("There is too little text to tell topics apart.")
        return
    rows = [
        (
            f'<b class="name">{span(capital(shortened(topic.label, MAX_NAME)))}</b>',
            _terms(topic),
            topic_spread(topic),
            "<br>".join(passages.link(quote) for quote in topic.quotes),
        )
        for topic in report.topics
    ]
    yield table(_TOPICS, rows, "Topics")


def _terms(topic: Topic) -> str:
    terms = other_terms(topic, _MOST_TERMS)
    return f'<span class="said" dir="auto">{esc(terms)}</span>' if terms else ""
