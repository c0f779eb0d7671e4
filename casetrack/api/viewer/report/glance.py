"""The first section of a report: what the collection is in a few sentences, and what stands out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.viewer.graph_figure import counted
from casetrack.api.viewer.markup import esc, span
from casetrack.api.viewer.report.parts import (
    MAX_NAME,
    capital,
    day,
    joined,
    named,
    nothing,
    section,
    sentence,
    spread_words,
    unit_words,
    with_unit,
)
from casetrack.api.viewer.report.proof import names_year
from casetrack.api.viewer.symbols import shortened
from casetrack.api.viewer.timeline_figure import when

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.api.viewer.report.gather import Report
    from casetrack.api.viewer.report.passages import Passages
    from casetrack.base.records.graph import Event, KeyActor, Topic

_SAID = 150
_ACTORS, _DATES, _TOPICS = 10, 6, 6
_TERMS = 5
_IN_WORDS = 3
"""So many names and topics stand in the sentences."""
_COINS = frozenset(
    ("cent", "US cent", "euro cent", "pence", "GBP pence", "paisa", "centavo", "centime", "kopek")
)
"""Small change, of which no sum is large."""
_KINDS = {
    "contract": ("contract", "contracts"),
    "report": ("report", "reports"),
    "spreadsheet": ("spreadsheet", "spreadsheets"),
    "presentation": ("presentation", "presentations"),
    "correspondence": ("letter or mail", "letters and mails"),
    "memo": ("memo", "memos"),
    "proposal": ("proposal", "proposals"),
    "invoice": ("invoice", "invoices"),
    "policy": ("policy", "policies"),
    "other": ("other", "others"),
}


def glance(report: Report, passages: Passages, /) -> Iterator[str]:
    """Yield what the collection is in plain words, and the people, dates and topics above all."""
    passages.start_section()
    yield from section(("glance", "At a glance"), _glance(report, passages))


def _glance(report: Report, passages: Passages) -> Iterator[str]:
    yield '<div class="brief">\n'
    for paragraph in _brief(report, passages):
        yield f"<p>{paragraph}</p>\n"
    yield '</div>\n<div class="columns">\n'
    names, events = report.actor_count, report.timeline.total
    columns = (
        (
            "Key people and firms",
            _actors(report.actors[:_ACTORS], passages),
            _all(min(_ACTORS, len(report.actors)), names, "name", "people"),
        ),
        (
            "Key dates",
            _dates(report.summary.key_dates[:_DATES], passages),
            _all(min(_DATES, len(report.summary.key_dates)), events, "dated event", "timeline"),
        ),
        (
            "What it is about",
            _topics(report.topics[:_TOPICS], passages),
            _all(min(_TOPICS, len(report.topics)), len(report.topics), "topic", "topics"),
        ),
    )
    for title, items, more in columns:
        yield f'<div class="card">\n<h3>{title}</h3>\n'
        yield f"<ul>{items}</ul>\n{more}" if items else nothing("Nothing of the kind was found.")
        yield "</div>\n"
    yield "</div>\n"


def _all(shown: int, total: int, one: str, target: str) -> str:
    """Return a way to the section that shows more, where there is more."""
    if shown >= total:
        return ""
    more = counted(total - shown, f"more {one}")
    return f'<p class="more"><a href="#{target}">and {more}</a></p>\n'


# --- in sentences --------------------------------------------------------------------------


def _brief(report: Report, passages: Passages) -> Iterator[str]:
    """Yield paragraphs as HTML; what they name leads to its passage."""
    yield " ".join(filter(None, (_holds(report), _dated(report))))
    if not report.document_count:
        if report.refused:
            yield _unread(report)
        return
    told = (_who(report, passages), _about(report, passages), _money(report, passages))
    if any(told):
        yield " ".join(filter(None, told))
    yield _unread(report)


def _holds(report: Report) -> str:
    figures = report.summary.statistics
    if not report.document_count:
        return "This collection holds no documents yet."
    kinds = dict(figures.document_types)
    others = kinds.pop("other", 0)
    counts = [counted(n, *_KINDS.get(kind, (kind, f"{kind}s"))) for kind, n in kinds.items()]
    counts += [counted(others, *_KINDS["other"])] if others and kinds else []
    kinds_said = f": {esc(joined(counts))}" if counts else ""
    pages = counted(figures.page_count, "page")
    documents = counted(figures.document_count, "document")
    return f"This collection holds <b>{documents}</b> with <b>{pages}</b>{kinds_said}."


def _dated(report: Report) -> str:
    """Return the span of what the texts date, and of the dates that the files carry."""
    found, said = report.timeline, []
    if found.events:
        ends = list(dict.fromkeys((when(found.events[0]), when(found.events[-1]))))
        stretch = (
            f"from {esc(ends[0])} to {esc(ends[1])}" if len(ends) > 1 else f"of {esc(ends[0])}"
        )
        weighty = "the weightiest of them " if len(found.events) < found.total else ""
        shown = report.at_least + counted(found.total, "dated event")
        said.append(f"The texts name {shown}, {weighty}{stretch}.")
    if report.span is not None:
        ends = list(dict.fromkeys(map(day, report.span)))
        stretch = f"from {ends[0]} to {ends[1]}" if len(ends) > 1 else f"of {ends[0]}"
        bare = report.undated_documents
        noun = "dates" if report.document_count - bare > 1 else "a date"
        without = f"; {bare:,} {'carries' if bare == 1 else 'carry'} none" if bare else ""
        said.append(f"The files themselves carry {noun} {stretch}{without}.")
    return " ".join(said)


def _who(report: Report, passages: Passages) -> str:
    shown = [a for a in report.actors if a.quote is not None][:_IN_WORDS]
    if not shown:
        return ""
    names = []
    for actor in shown:
        role = shortened(actor.entity.office, MAX_NAME)
        said = f" ({span(role)})" if role else ""
        name = shortened(actor.entity.name, MAX_NAME)
        names.append(f"{passages.link(actor.quote, name) if actor.quote else ''}{said}")
    verb = "is" if len(shown) == 1 else "are"
    return sentence(f"Most prominent {verb} {joined(names)}")


def _about(report: Report, passages: Passages) -> str:
    topics = [t for t in report.topics if t.quotes][:_IN_WORDS]
    if not topics:
        return ""
    said = [passages.link(t.quotes[0], shortened(t.label, MAX_NAME)) for t in topics]
    return sentence(f"The texts turn on {'; '.join(said)}")


def _money(report: Report, passages: Passages) -> str:
    named_units = [g for g in report.amounts if g.sums and g.unit]
    if not named_units:
        return ""
    listed = [named_units[0], *(g for g in named_units[1:] if g.unit not in _COINS)]
    tops = [
        passages.link(top.quote, with_unit(top.value, top.high, shortened(g.unit or "", MAX_NAME)))
        for g in listed
        for top in g.sums[:1]
    ]
    if sum(group.total for group in report.amounts) == 1:
        return sentence(f"The texts name one sum of money: {tops[0]}")
    unit = esc(unit_words(shortened(listed[0].unit or "", MAX_NAME)))
    said = sentence(f"Sums are mostly in {unit}; the largest of these is {tops[0]}")
    # What one currency is worth in another is not known here, so the largest of each is named.
    return sentence(f"{said} Sums in other units reach {joined(tops[1:])}") if tops[1:] else said


def _unread(report: Report) -> str:
    """Return what could not be read, or that all was."""
    figures = report.summary.statistics
    failed = sum(f.failed for f in report.refused)
    left = len(report.refused) - failed
    said = [
        (figures.partial_documents, "document was read only in part", "were read only in part"),
        (figures.pages_without_text, "page holds no text that can be read", "hold no text"),
        (failed, "file could not be taken in", "could not be taken in"),
        (left, "file was left out", "were left out"),
    ]
    parts = []
    for count, one, many in said:
        noun = one.split(" ", 1)[0]
        if count:
            parts.append(f"1 {one}" if count == 1 else f"{count:,} {noun}s {many}")
    if not parts:
        return "Every document was read completely."
    return f'<a href="#health">What could not be read</a>: {joined(parts)}.'


# --- what stands out -----------------------------------------------------------------------


def _actors(actors: Sequence[KeyActor], passages: Passages) -> str:
    return "".join(
        f'<li>{named(a.entity)}<p class="under">{_role(a)}{_cited(a, passages)}</p></li>\n'
        for a in actors
    )


def _role(actor: KeyActor) -> str:
    role = actor.entity.office
    return f"{span(capital(shortened(role, MAX_NAME)))} \u00b7 " if role else ""


def _cited(actor: KeyActor, passages: Passages) -> str:
    if actor.quote is not None:
        return passages.link(actor.quote)
    return spread_words(actor.entity.mention_count, actor.entity.document_count)


def _dates(events: Sequence[Event], passages: Passages) -> str:
    return "".join(
        f'<li><b class="name">{esc(when(e))}{year_note(e)}</b>'
        f'<p class="said" dir="auto">{esc(shortened(e.description, _SAID))}</p>'
        f'<p class="under">{passages.link(e.quote)}</p></li>\n'
        for e in events
    )


def year_note(event: Event, /) -> str:
    """Return that the year of a date is not said at its place, as HTML; nothing where it is."""
    if names_year(event.quote, event):
        return ""
    return ' <span class="aside">year filled in</span>'


def _topics(topics: Sequence[Topic], passages: Passages) -> str:
    items = []
    for topic in topics:
        terms = other_terms(topic)
        said = f'<p class="said">{esc(terms)}</p>' if terms else ""
        cited = f" \u00b7 {passages.link(topic.quotes[0])}" if topic.quotes else ""
        items.append(
            f'<li><b class="name">{span(capital(shortened(topic.label, MAX_NAME)))}</b>{said}'
            f'<p class="under">{topic_spread(topic)}{cited}</p></li>\n'
        )
    return "".join(items)


def other_terms(topic: Topic, /, most: int = _TERMS) -> str:
    """Return the terms of a topic that its label does not hold, as text."""
    label = topic.label.casefold()
    others = [term for term in topic.terms if term.casefold() not in label][:most]
    return shortened(", ".join(others), MAX_NAME)


def topic_spread(topic: Topic, /) -> str:
    """Return how many passages and documents are about a topic."""
    documents = counted(topic.document_count, "document")
    return f"{counted(topic.chunk_count, 'passage')} in {documents}"


__all__ = ["glance", "other_terms", "topic_spread", "year_note"]
