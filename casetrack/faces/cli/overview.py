"""``casetrack summary``, ``statistics``, ``topics``, ``clusters``, ``timeline``, ``amounts``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.collection.map import Map
from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import asks
from casetrack.faces.cli.collection import quoted
from casetrack.faces.cli.marks import one_of_edits, said
from casetrack.faces.cli.options import CollectionOption, FromDayOption, JsonOption, ToDayOption
from casetrack.faces.cli.output import byte_text, counted, entry, facts, line, one_line, write_json
from casetrack.faces.cli.quotes import (
    READ_FROM,
    entity_parts,
    reference_parts,
    show_place,
    show_quote,
    show_rest,
    spread,
)
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from casetrack.base.records import Document, Rows
    from casetrack.base.records.graph import (
        Amounts,
        Clusters,
        CollectionStatistics,
        CollectionSummary,
        Event,
        KeyActor,
        Quote,
        Timeline,
        Topic,
    )
    from casetrack.base.records.marks import PlacedMark
    from casetrack.faces.cli.output import Part

_NAMED = 4
_LISTED = 12
_PREPARED = {
    "dense": "search by meaning",
    "tokens": "the mode full",
    "sparse": "learned words",
    "names": "names of people and firms",
}


@asks(Map.summary)
def summary(found: "CollectionSummary", _given: dict[str, Any]) -> None:
    """Show a collection at a glance: who, when, what about, which documents, what is cited."""
    stats = found.statistics
    line((found.collection, "bold cyan"), f" ({found.collection_type})")
    if not stats.document_count:
        line("There are no documents in it yet.")
        line(f"Add some: casetrack ingest PATH -c {quoted(found.collection)}")
        return
    amounts = (
        counted(stats.document_count, "document"),
        counted(stats.page_count, "page"),
        counted(stats.chunk_count, "passage"),
        counted(stats.mention_count, "mention"),
    )
    line((", ".join(amounts), "dim"))
    _show_summary(found)
    for note in stats.notes:
        line()
        line((f"Note: {note}", "yellow"))


def _show_summary(found: "CollectionSummary") -> None:

    if found.key_actors:
        _heading("Who matters")
    for actor in found.key_actors:
        _show_actor(actor)
    if found.key_dates:
        _heading("Key dates")
    for event in found.key_dates:
        show_event(event, with_id=False)
    if found.topics:
        _heading("What it is about")
    for topic in found.topics:
        _show_topic(topic, with_id=False)
    _heading("Documents")
    for kind, documents in found.documents:
        entry((f"  {kind}: ", "bold"), f"{len(documents):,}  ", (names(documents), "dim"))
    chains = [[" > ".join(d.name for d in chain)] for chain in found.version_chains]
    _show_list("Versions, the oldest first", chains)
    _show_list("Cited most", [reference_parts(r) for r in found.references])
    _show_list("Mentioned most", [entity_parts(e) for e in found.entities])


def _show_actor(actor: "KeyActor") -> None:
    line(*entity_parts(actor.entity), indent=2)
    _show_evidence(actor.quote, 4, with_id=False)


def _show_list(title: str, rows: "Sequence[Sequence[Part]]") -> None:
    if rows:
        _heading(title)
    for row in rows:
        line(*row, indent=2)


def _heading(text: str) -> None:
    line()
    line((text, "bold"))


def _show_evidence(quote: "Quote | None", indent: int, *, with_id: bool = True) -> None:
    if quote is not None:
        show_quote(quote, indent=indent, with_id=with_id)


def names(documents: "Sequence[Document]", limit: int = _NAMED, /) -> str:
    """Return the first names of documents, and how many more there are."""
    rest = len(documents) - limit
    shown = [d.name for d in documents[:limit]]
    return ", ".join([*shown, *([f"{rest:,} more"] if rest > 0 else [])])


# --- statistics -----------------------------------------------------------------------------


@asks(Map.statistics)
def statistics(found: "CollectionStatistics", _given: dict[str, Any]) -> None:
    """Count what a collection holds, and what of it could not be read."""
    facts(
        [
            ("Collection", found.collection),
            ("Documents", f"{found.document_count:,}"),
            ("Read in part", f"{found.partial_documents:,}"),
            ("Pages", f"{found.page_count:,}"),
            ("Pages without text", f"{found.pages_without_text:,}"),
            ("Pages by OCR", f"{found.ocr_pages:,}"),
            ("Passages", f"{found.chunk_count:,}"),
            ("Kinds", _counts(found.document_types)),
            ("Formats", _counts(found.file_formats)),
            ("Languages", _counts(found.languages)),
            ("Read from", _methods(found.extraction_methods)),
            ("Names and values", _counts(found.entity_counts)),
            ("Mentions", f"{found.mention_count:,}"),
            ("References", _counts(found.reference_counts)),
            ("Citations", f"{found.citation_count:,}"),
            ("Relations", _counts(found.edge_counts)),
            ("Passages prepared for", _shares(found.embedder_coverage)),
            ("On disk", byte_text(found.storage_bytes)),
            ("Updated", _moment(found.last_updated)),
            ("Notes", "\n".join(found.notes)),
        ]
    )


def _moment(iso: str | None) -> "datetime | None":
    from datetime import datetime

    return datetime.fromisoformat(iso) if iso else None


def _counts(counts: "Mapping[str, int]") -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in ordered)


def _shares(shares: "Mapping[str, float]") -> str:
    return ", ".join(f"{_PREPARED.get(n, n)} {share:.0%}" for n, share in shares.items() if share)


def _methods(counts: "Mapping[str, int]") -> str:
    return _counts({READ_FROM.get(name, name): n for name, n in counts.items()})


# --- topics and clusters --------------------------------------------------------------------


@asks(Map.topics)
def topics(found: "Rows[Topic]", _given: dict[str, Any]) -> None:
    """Show what the passages of a collection are about, the largest topic first."""
    if not found:
        line("There are too few passages, or none with vectors, to tell topics apart.")
    for number, topic in enumerate(found):
        if number:
            line()
        _show_topic(topic)


def _show_topic(topic: "Topic", *, with_id: bool = True) -> None:
    amount = f"{counted(topic.chunk_count, 'passage')} in "
    amount += counted(topic.document_count, "document")
    line((one_line(topic.label), "bold cyan"), "  ", (amount, "dim"), indent=2)
    line(", ".join(map(one_line, topic.terms)), indent=4)
    _show_evidence(topic.quotes[0] if topic.quotes else None, 4, with_id=with_id)


@asks(Map.clusters)
def clusters(found: "Clusters", _given: dict[str, Any]) -> None:
    """Put all documents of a collection into groups by what they share."""
    if not found.clusters:
        line("No documents share enough to form a group.")
    for number, each in enumerate(found.clusters, 1):
        label = f"{number}. "
        amount = counted(len(each.documents), "document")
        line(label, (one_line(each.label), "bold cyan"), "  ", (amount, "dim"))
        if each.shared:
            line(("Shared: ", "bold"), "; ".join(map(one_line, each.shared)), indent=len(label))
        for document in each.documents[:_LISTED]:
            line(document.name, indent=len(label))
        rest = len(each.documents) - _LISTED
        if rest > 0:
            line((f"and {rest:,} more; --json has all", "dim"), indent=len(label))
        _show_evidence(each.quotes[0] if each.quotes else None, len(label))
        line()
    if found.rest:
        left = f"In no group, {counted(len(found.rest), 'document')}: "
        line((left, "bold"), names(found.rest, _LISTED))


# ``casetrack timeline``: what happened when, by the documents.


def timeline(
    ctx: typer.Context,
    collection: CollectionOption = None,
    start: FromDayOption = None,
    end: ToDayOption = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-k", metavar="N", min=1, help="How many at most; the weightiest stay."
        ),
    ] = 50,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            "--output",
            "-o",
            metavar="FILE",
            help="Write it as a drawing with its passages to this .html file.",
        ),
    ] = None,
    add: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--add", metavar="DATE TEXT", help="Put an event of your own on it, with its --source."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="DOCUMENT|ID", help="With --add: what says so; or a chunk's ID."
        ),
    ] = None,
    page: Annotated[
        int | None,
        typer.Option("--page", metavar="N", min=1, help="With --add: the page of the document."),
    ] = None,
    change: Annotated[
        tuple[str, str, str] | None,
        typer.Option(
            "--change",
            metavar="EVENT DATE TEXT",
            help='Say an event of your own otherwise; "-" leaves its date or text.',
        ),
    ] = None,
    hide: Annotated[
        str | None, typer.Option("--hide", metavar="EVENT", help="Leave the event of this id out.")
    ] = None,
    unhide: Annotated[
        str | None, typer.Option("--unhide", metavar="EVENT", help="Show it again.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the dates that the documents speak of, in order, each with its exact source.

    It is yours to edit: --add puts an event of your own on it, --change says that one otherwise,
    --hide leaves one out.
    """
    target = ctx.ensure_object(State).collection(collection)
    one_of_edits([add, change, hide, unhide])
    if add is None and (source or page):
        raise UsageError("--source and --page say more of --add.", hint="")
    if add is not None:
        if source is None:
            raise UsageError(
                "Which document says so?",
                hint="An event of your own cites a place of the collection: --source Lease.pdf "
                "--page 3, or --source with the id of a chunk.",
            )
        placed = target.marks.add_event(*add, source=source, page=page)
        told = _on_it(placed)
    elif change is not None:
        event, day, text = change
        placed = target.marks.change_event(
            event, date=None if day == "-" else day, text=None if text == "-" else text
        )
        told = _on_it(placed)
    elif hide is not None:
        placed, told = target.marks.hide_event(hide), f"{hide} is left out from now on."
    elif unhide is not None:
        placed, told = target.marks.unhide_event(unhide), ""
    if add or change or hide or unhide:
        said(placed, told, as_json=as_json)
        return
    if html is not None:
        from casetrack.api.viewer import sheet_path, timeline_page, write_sheet

        sheet_path(html, "timeline")
    found = target.map.timeline(start=start, end=end, limit=limit)
    if html is not None:
        path = write_sheet(html, "timeline", timeline_page(target.workspace.state(), found))
        if as_json:
            write_json({"file": str(path)})
        else:
            line(("Wrote ", "bold"), str(path))
        return
    if as_json:
        write_json(found.as_dict())
        return
    _show(found)


def _on_it(placed: "PlacedMark") -> str:
    mark = placed.mark
    cited = f" ({placed.quote.citation})" if placed.quote is not None else ""
    return f"On the timeline, as yours: {mark.value}  {mark.note}{cited}"


def _show(found: "Timeline") -> None:
    span = "".join(
        f" {word} {day}" for word, day in (("from", found.start), ("to", found.end)) if day
    )
    line((found.collection, "bold cyan"), f"{span}  ", (counted(found.total, "event"), "dim"))
    if found.left_out:
        line((found.left_out, "dim"))
    for note in filter(None, (found.gap, *found.notes)):
        line((note, "dim"))
    if not found.events:
        line("No dates here. Leave out --from and --to to see the whole span.")
    for event in found.events:
        line()
        show_event(event)
    if len(found.events) < found.total:
        line()
        rest = found.total - len(found.events)
        line((f"{rest:,} more: narrow it with --from and --to, or raise --limit.", "dim"))


def show_event(event: "Event", /, *, with_id: bool = True) -> None:
    """Write a date, what is said of it, and where; its id and the chunk's where *with_id*."""
    label = f"{event.value:<10}  "
    own = [("  (yours)", "green")] if event.mark_id else []
    entry((label, "bold"), one_line(event.description), *own)
    line((event.quote.citation, "cyan"), indent=len(label))
    if event.mention_count > 1:
        line((spread(event.mention_count, event.document_count), "dim"), indent=len(label))
    if with_id:
        show_place(event.quote.provenance, indent=len(label))
        line((f"event {event.event_id}", "dim"), indent=len(label))


# ``casetrack amounts``: sums of money, percentages and quantities, each with its source.


@asks(Map.amounts)
def amounts(found: "Amounts", _given: dict[str, Any]) -> None:
    """Find sums of money, percentages and quantities by their size, each with its exact source.

    Units are not converted: by value, those of one unit stand together.
    """
    if found:
        units = ", ".join(map(str, found.units))
        line((counted(found.total, "amount"), "bold"), (f"  {units}", "dim"))
    for note in found.notes:
        line((note, "dim"))
    for number, each in enumerate(found, 1):
        line()
        cell = " | ".join(one_line(part) for part in (each.row_label, each.period) if part)
        line(f"{number}. ", (each.said, "bold"), *([(f"  {cell}", "dim")] if cell else []))
        show_quote(each.quote, indent=4)
    show_rest(
        len(found), found.total, "of them", "raise --limit, or narrow it with --min and --max."
    )
