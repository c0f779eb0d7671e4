"""Collects the content of a report from the answers of the collection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.api.viewer.kept import of_documents
from casetrack.api.viewer.report.proof import (
    contains_date,
    contains_name,
    contains_role,
    contains_sum,
    largest_amounts,
)
from casetrack.base.errors import DuplicateDocument
from casetrack.base.records.graph import Citation
from casetrack.graph.answers.entities import correspondence, entity_graph
from casetrack.graph.answers.rows import ask, quotes_of, reference_of, total_of
from casetrack.graph.answers.statistics import topic_records
from casetrack.graph.answers.summary import key_actors
from casetrack.graph.answers.summary import summary as collection_summary
from casetrack.graph.answers.timeline import timeline
from casetrack.graph.opened import graph_of
from casetrack.ingest.index_status import index_status
from casetrack.store.place import stored_bytes
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.viewer.report.proof import Amounts
    from casetrack.base.records import CollectionInfo, Document, Rows, UntakenFile
    from casetrack.base.records.graph import (
        CollectionSummary,
        Correspondence,
        EntityGraph,
        Event,
        KeyActor,
        Quote,
        Timeline,
        Topic,
    )
    from casetrack.base.records.health import IndexStatus
    from casetrack.base.records.marks import PlacedMark
    from casetrack.graph.graph import ContextGraph
    from casetrack.store.workspace import State

MAX_ACTORS = 40
MAX_EXCHANGES = 30
MAX_EVENTS = 60
MAX_AMOUNTS = 12
"""Maximum number for each currency."""
MAX_REFERENCES = 40
MAX_DOCUMENTS = 200
MAX_NODES = 12
MAX_LINKS = 8
_OPENING = 240
"""Characters at the start of a document's first passage that are marked."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A document and a quote of its start; ``None`` for a document without text."""

    document: Document
    opening: Quote | None


@dataclass(frozen=True, slots=True)
class Report:
    """Content of a report.

    Attributes
    ----------
    actors
        Main people and organisations, most important first, each with a place that identifies it.
    people_and_firms
        Total number of people, and of organisations.
    topics
        Topics of the passages, largest first.
    correspondence
        Numbers of mails by sender and recipient, most mails first.
    graph
        Co-occurrences of names; ``None`` if the license does not include them.
    amounts
        Sums of money by currency, most frequent currency first.
    references
        Most frequent references, each with one place.
    documents
        By name; the first :data:`MAX_DOCUMENTS`.
    span, undated_documents
        First and last date of documents, and the number of documents without a date.
    untaken
        Files that the collection does not contain in their current state, failed ones first.
    left_out
        Sentences on parts that the report lacks, with the reason.
    marks
        The user's stars and tags in force, by place.
    """

    info: CollectionInfo
    made: datetime
    version: str
    summary: CollectionSummary
    actors: tuple[KeyActor, ...]
    people_and_firms: tuple[int, int]
    correspondence: Rows[Correspondence]
    topics: tuple[Topic, ...]
    timeline: Timeline
    graph: EntityGraph | None
    amounts: tuple[Amounts, ...]
    references: tuple[Citation, ...]
    reference_count: int
    documents: tuple[Listed, ...]
    document_count: int
    span: tuple[datetime, datetime] | None
    undated_documents: int
    untaken: tuple[UntakenFile, ...]
    index: IndexStatus
    left_out: tuple[str, ...]
    marks: tuple[PlacedMark, ...] = ()

    @property
    def name(self) -> str:
        """Name of the collection."""
        return self.info.name

    @property
    def is_part(self) -> bool:
        """Whether a part was not read, so that counts in texts are lower bounds."""
        figures = self.summary.statistics
        unread = figures.partial_documents or figures.pages_without_text
        return bool(unread or any(f.failed for f in self.untaken))

    @property
    def refused(self) -> tuple[UntakenFile, ...]:
        """The files that were not added, without copies of documents."""
        return tuple(f for f in self.untaken if f.code != DuplicateDocument.code)

    @property
    def actor_count(self) -> int:
        """Number of people and organizations."""
        return sum(self.people_and_firms)


def gather(state: State, /, *, made: datetime | None = None) -> Report:
    """Collect the content of a report; *made* is the time in the report, by default now.

    Raises ``CollectionDamaged`` if stored data cannot be read.
    """
    workspace, source = state.workspace, graph_of(state)
    summary = collection_summary(source, storage_bytes=stored_bytes(workspace.folder))
    dated = timeline(source, start=None, end=None, limit=MAX_EVENTS)
    events = tuple(e for e in dated.events if _is_proven(e))
    actors = key_actors(source, limit=MAX_ACTORS)
    sums = largest_amounts(source, limit=MAX_AMOUNTS)
    borne_out = tuple(
        replace(
            g,
            sums=tuple(s for s in g.sums if contains_sum(s.quote, s.value, s.high, scale=s.scale)),
        )
        for g in sums
    )
    unproven = (len(dated.events) - len(events)) + sum(
        len(g.sums) - len(b.sums) for g, b in zip(sums, borne_out, strict=True)
    )
    kinds = summary.statistics.entity_counts
    cited, reference_count = _references(source)
    has_graph = workspace.entitlements.allows("entity_graph")
    tier = workspace.entitlements.status().tier.title
    graph = entity_graph(source, None, depth=2, limit=MAX_NODES) if has_graph else None
    moments = [d.own_date for d in source.documents]
    dates = [moment for moment in moments if moment is not None]
    left_out = []
    if not has_graph:
        left_out.append(f"The graph of names is left out: the {tier} tier has none.")
    if unproven:
        one = "1 date or sum is left out: no single passage gives it in full."
        many = f"{unproven} dates and sums are left out: no single passage gives them in full."
        left_out.append(one if unproven == 1 else many)
    return Report(
        info=workspace.info,
        made=made or datetime.now(UTC),
        version=__version__,
        summary=replace(summary, key_dates=tuple(e for e in summary.key_dates if _is_proven(e))),
        actors=_proven_actors(source, actors),
        people_and_firms=(kinds.get("person", 0), kinds.get("organization", 0)),
        correspondence=correspondence(source, limit=MAX_EXCHANGES),
        topics=tuple(topic_records(source)),
        timeline=replace(dated, events=events),
        graph=graph,
        amounts=borne_out,
        references=cited,
        reference_count=reference_count,
        documents=_documents(source),
        document_count=len(source.documents),
        span=(min(dates), max(dates)) if dates else None,
        undated_documents=len(moments) - len(dates),
        untaken=state.untaken(),
        index=index_status(state),
        left_out=tuple(left_out),
        marks=of_documents(source.marks),
    )


def _is_proven(event: Event) -> bool:
    """Return whether the passage contains the event's date, or the user added the event."""
    return event.mark_id is not None or contains_date(event.quote, event)


def _proven_actors(graph: ContextGraph, actors: Sequence[KeyActor]) -> tuple[KeyActor, ...]:
    """Remove places that do not contain the actor's name, and roles that they do not contain."""
    quotes = [a.quote if a.quote and contains_name(a.quote, a.entity) else None for a in actors]
    chunks = {c.chunk_id: c.text for c in graph.chunks([q.chunk_id for q in quotes if q])}
    proven = []
    for actor, quote in zip(actors, quotes, strict=True):
        entity = actor.entity
        if entity.role and not (quote and contains_role(chunks[quote.chunk_id], entity.role)):
            entity = replace(entity, role=None)
        proven.append(replace(actor, entity=entity, quote=quote))
    return tuple(proven)


def _references(graph: ContextGraph) -> tuple[tuple[Citation, ...], int]:
    """Return the most frequent references, each with its best place, and the number of all."""
    rows = ask(graph, "key-references", limit=MAX_REFERENCES).to_pylist()
    cited = tuple(
        Citation(reference_of(row), row["relationship"], quote, row["confidence"])
        for row, quote in zip(rows, quotes_of(graph, rows), strict=True)
    )
    return cited, total_of(rows)


def _documents(source: ContextGraph) -> tuple[Listed, ...]:
    """Return the first documents by name, each with its start."""
    vectors = source.chunk_vectors()
    first: dict[int, str] = {}
    for chunk_id, rank in zip(vectors.ids, vectors.documents.tolist(), strict=True):
        if rank >= MAX_DOCUMENTS:
            break
        first.setdefault(rank, chunk_id)
    texts = [chunk.text for chunk in source.chunks(list(first.values()))] if first else []
    places = [(i, *_opening(text)) for i, text in zip(first.values(), texts, strict=True)]
    quotes = dict(zip(first, source.quotes(places), strict=True))
    shown = source.documents[:MAX_DOCUMENTS]
    return tuple(Listed(d, quotes.get(rank)) for rank, d in enumerate(shown))


def _opening(text: str) -> tuple[int, int]:
    """Return the span of the first paragraph within the shown part."""
    start = len(text) - len(text.lstrip())
    line = text.find("\n", start)
    end = len(text) if line < 0 else line
    return start, max(start + 1, min(end, start + _OPENING))
