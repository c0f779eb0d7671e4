"""Text for people: a collection as a whole, in the form that the requirement shows."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.mcp.render import counted, size, table
from casetrack.mcp.render.graph import (
    cited,
    entity_line,
    evidence,
    inline,
    joined,
    reference_line,
    spread,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.records import Document
    from casetrack.records.graph import (
        Cluster,
        Clusters,
        CollectionStatistics,
        CollectionSummary,
        Event,
        KeyActor,
        Timeline,
        Topic,
    )

PLURALS = {
    "contract": "Contracts",
    "report": "Reports",
    "spreadsheet": "Spreadsheets",
    "presentation": "Presentations",
    "correspondence": "Correspondence",
    "memo": "Memos",
    "proposal": "Proposals",
    "invoice": "Invoices",
    "policy": "Policies",
}
_STRATEGIES = {
    "topical": "topic",
    "entity": "shared names",
    "reference": "shared references",
    "document_type": "type",
}
_NAMED = 3
_CHAINS = 10


def stems(documents: Sequence[Document], limit: int = _NAMED, /) -> str:
    """Return the first names of documents without their endings, and how many follow."""
    names = [PurePath(d.name).stem or d.name for d in documents[:limit]]
    rest = len(documents) - len(names)
    return ", ".join([*names, *([f"{rest:,} more"] if rest else [])])


def plural(kind: str, /) -> str:
    """Return the name of a kind of documents, as the heading of several."""
    return PLURALS.get(kind, kind.capitalize())


def amounts(counts: Mapping[str, int], /) -> str:
    """Return counts by name in one line, the largest first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name} {n:,}" for name, n in ordered)


def coverage(shares: Mapping[str, float], /) -> str:
    """Return the share of passages that each kind of model output covers."""
    return ", ".join(f"{name} {share:.0%}" for name, share in shares.items()) or "none"


# --- summary --------------------------------------------------------------------------------


def summary(found: CollectionSummary, /, *, actors: int, dates: int, topics: int) -> str:
    """Return the answer of get_collection_summary, with the first entries of its long parts."""
    stats = found.statistics
    total = f"{stats.document_count:,} total, {counted(stats.page_count, 'page')}, "
    total += counted(stats.chunk_count, "chunk")
    sections = [
        ("KEY STAKEHOLDERS:", [_actor(a) for a in found.key_actors[:actors]]),
        ("KEY DATES:", [event_line(e) for e in found.key_dates[:dates]]),
        ("KEY TOPICS:", [_topic(n, t) for n, t in enumerate(found.topics[:topics], 1)]),
        (f"DOCUMENTS ({total}):", _kinds(found.documents)),
        ("VERSIONS (oldest first):", _chains(found.version_chains)),
        (
            "KEY REFERENCES (most cited):",
            [f"    {n}. {reference_line(r)}" for n, r in enumerate(found.references, 1)],
        ),
        ("TOP ENTITIES:", [f"    {entity_line(e)}" for e in found.entities]),
    ]
    blocks = ["\n".join([f"  {title}", *lines]) for title, lines in sections if lines]
    blocks.append(f"  EMBEDDINGS: {coverage(stats.embedder_coverage)}")
    blocks += [f"  NOTE: {note}" for note in stats.notes]
    head = f"COLLECTION SUMMARY: {found.collection} ({found.collection_type.capitalize()})"
    if not stats.document_count:
        return f"{head}\n\n  No documents yet. Ingest some with ingest_document or ingest_folder."
    return joined([head, *blocks], None)


def _actor(each: KeyActor) -> str:
    return f"    {entity_line(each.entity)}, {each.entity.kind}{evidence(each.quote, 6)}"


def event_line(each: Event, /) -> str:
    """Return an event: its date, what the text says of it, and where."""
    times = f"; {spread(each.mention_count, each.document_count)}" if each.mention_count > 1 else ""
    return (
        f"    {each.value:<10}  {inline(each.description)}\n                ({cited(each.quote)})"
        f"{times}"
    )


def _topic(number: int, each: Topic) -> str:
    amount = f"{counted(each.document_count, 'document')}, {counted(each.chunk_count, 'chunk')}"
    shown = each.quotes[0] if each.quotes else None
    return f"    {number}. {inline(each.label)} -- {amount}{evidence(shown, 7)}"


def _kinds(kinds: Sequence[tuple[str, Sequence[Document]]]) -> list[str]:
    width = max((len(plural(kind)) for kind, _ in kinds), default=0) + 2
    return [
        f"    {plural(kind) + ':':<{width}}{counted(len(found), 'doc'):>8} ({stems(found)})"
        for kind, found in kinds
    ]


def _chains(chains: Sequence[Sequence[Document]]) -> list[str]:
    lines = [f"    {' -> '.join(d.name for d in chain)}" for chain in chains[:_CHAINS]]
    rest = len(chains) - len(lines)
    return [*lines, *([f"    ... {rest:,} more"] if rest else [])]


# --- timeline -------------------------------------------------------------------------------


def timeline(found: Timeline, shown: Sequence[Event], more: str | None, /) -> str:
    """Return the answer of get_collection_timeline."""
    since = f" from {found.start}" if found.start else ""
    until = f" until {found.end}" if found.end else ""
    head = f"TIMELINE: {found.collection}{since}{until}: {counted(found.total, 'event')}"
    if len(shown) < found.total:
        head += f", the weightiest {len(shown)} shown"
    if found.undated:
        head += f"\n{counted(found.undated, 'date')} could not be read with certainty; left out."
    if not shown:
        return f"{head}\n\nNo dates here. Leave out start_date and end_date for the whole span."
    return joined([head, "\n".join(event_line(e) for e in shown)], more)


# --- statistics -----------------------------------------------------------------------------


def statistics(found: CollectionStatistics, /) -> str:
    """Return the answer of get_collection_statistics."""
    s = found
    rows = [
        ("Documents", f"{s.document_count:,} ({s.partial_documents:,} read in part)"),
        ("Pages", f"{s.page_count:,} ({s.pages_without_text:,} without text, {s.ocr_pages:,} OCR)"),
        ("Chunks", f"{s.chunk_count:,}"),
        ("Types", amounts(s.document_types)),
        ("Formats", amounts(s.file_formats)),
        ("Languages", amounts(s.languages)),
        ("Extraction", amounts(s.extraction_methods)),
        ("Entities", f"{amounts(s.entity_counts) or 'none'} ({s.mention_count:,} mentions)"),
        ("References", f"{amounts(s.reference_counts) or 'none'} ({s.citation_count:,} citations)"),
        ("Relations", amounts({k.replace("_", " "): n for k, n in s.edge_counts.items()})),
        ("Embeddings", coverage(s.embedder_coverage)),
        ("Storage", size(s.storage_bytes)),
        ("Updated", s.last_updated),
        *(("Note", note) for note in s.notes),
    ]
    return f"Statistics of {s.collection}\n\n{table(rows)}"


# --- clusters -------------------------------------------------------------------------------


def clusters(found: Clusters, shown: Sequence[Cluster], more: str | None, /) -> str:
    """Return the answer of find_document_clusters."""
    total = sum(len(c.documents) for c in found.clusters) + len(found.rest)
    how = _STRATEGIES.get(found.strategy, found.strategy)
    head = f"Documents of {found.collection} by {how}: {counted(total, 'document')} in "
    head += counted(len(found.clusters), "group")
    blocks = [_cluster(n, each) for n, each in enumerate(shown, 1)]
    if not blocks:
        blocks.append("No documents share enough to form a group. Try another strategy.")
    if found.rest:
        blocks.append(f"In no group: {counted(len(found.rest), 'document')} ({stems(found.rest)})")
    return joined([head, *blocks], more)


def _cluster(number: int, each: Cluster) -> str:
    shared = f"\n   Shared: {'; '.join(map(inline, each.shared[:12]))}" if each.shared else ""
    documents = f"\n   Documents: {stems(each.documents, 12)}"
    shown = evidence(each.quotes[0] if each.quotes else None, 3)
    amount = counted(len(each.documents), "document")
    return f"{number}. {inline(each.label)} -- {amount}{shared}{documents}{shown}"
