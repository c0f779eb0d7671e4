"""``casetrack summary``, ``statistics``, ``topics`` and ``clusters``: a collection as a whole."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from casetrack.faces.cli.collection import quoted
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import byte_text, counted, entry, facts, line, one_line, write_json
from casetrack.faces.cli.quotes import READ_FROM, entity_parts, reference_parts, show_quote
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from casetrack.base.records import Document
    from casetrack.base.records.graph import Clusters, CollectionSummary, KeyActor, Quote, Topic
    from casetrack.faces.cli.output import Part

_NAMED = 4
_LISTED = 12
_PREPARED = {
    "dense": "search by meaning",
    "tokens": "the mode full",
    "sparse": "learned words",
    "names": "names of people and firms",
}


def summary(
    ctx: typer.Context, collection: CollectionOption = None, as_json: JsonOption = False
) -> None:
    """Show a collection at a glance: who, when, what about, which documents, what is cited."""
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.summary()
    if as_json:
        write_json(found.as_dict())
        return
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
    from casetrack.faces.cli.timeline import show_event

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


def statistics(
    ctx: typer.Context, collection: CollectionOption = None, as_json: JsonOption = False
) -> None:
    """Count what a collection holds, and what of it could not be read."""
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.statistics()
    if as_json:
        write_json(found.as_dict())
        return
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


def topics(
    ctx: typer.Context, collection: CollectionOption = None, as_json: JsonOption = False
) -> None:
    """Show what the passages of a collection are about, the largest topic first."""
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.topics()
    if as_json:
        write_json([t.as_dict() for t in found])
        return
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


def clusters(
    ctx: typer.Context,
    collection: CollectionOption = None,
    by: Annotated[
        Literal["topical", "entity", "reference", "document_type"],
        typer.Option(
            "--by", help="Group by content, by shared names, by shared references or by kind."
        ),
    ] = "topical",
    limit: Annotated[
        int,
        typer.Option("--limit", "-k", metavar="N", min=1, max=20, help="How many groups at most."),
    ] = 10,
    as_json: JsonOption = False,
) -> None:
    """Put all documents of a collection into groups by what they share."""
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.clusters(by, limit=limit)
    if as_json:
        write_json(found.as_dict())
        return
    _show_clusters(found)


def _show_clusters(found: "Clusters") -> None:
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
