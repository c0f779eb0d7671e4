"""Documents and passages that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from casetrack.base.records.documents import NAMED, NAMED_WITH_TYPE, Document
from casetrack.base.records.graph.kinds import RelationType
from casetrack.base.records.graph.quote import Quote
from casetrack.base.records.passages import Chunk
from casetrack.base.records.shape import INLINE, Record, Share, Told, View
from casetrack.base.records.table import Tabular


@dataclass(frozen=True, slots=True)
class Relation(Record):
    """Why two documents belong together.

    Attributes
    ----------
    description
        In words ("both mention Tidewell Systems, Halyard and 3 more").
    outgoing
        Whether it goes from the document asked for to the other one; ``None`` without a direction.
    quotes
        Places that show it; empty for what no single place shows (semantic).
    """

    type: RelationType
    weight: Share
    count: int
    description: str
    outgoing: bool | None
    quotes: Annotated[tuple[Quote, ...], Told(name="evidence")]


@dataclass(frozen=True, slots=True)
class RelatedDocument(Record):
    """A document related to another one, with all that relates them, the strongest first."""

    COLUMNS = (
        *("document", "weight", "relations=relations.type", "reasons=relations.description"),
        "citation",
    )
    SHOWN = ("document", "weight", "reasons", "citation")

    document: Annotated[Document, View(*NAMED_WITH_TYPE.names, "path"), INLINE]
    weight: Share
    relations: tuple[Relation, ...]

    @property
    def citation(self) -> str | None:
        """Where the first place stands that shows a relation, if there is one."""
        return next((q.citation for found in self.relations for q in found.quotes), None)


@dataclass(frozen=True, slots=True)
class SimilarChunk(Record):
    """A passage that means nearly the same as another one; *similarity* is their cosine."""

    SHOWN = ("similarity", "citation", "text")

    chunk: Annotated[Chunk, INLINE]
    similarity: Share

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation


@dataclass(frozen=True, slots=True)
class Topic(Record):
    """What many passages are about.

    Attributes
    ----------
    topic_id
        Such as ``topic-1``; the largest first.
    label
        Two to four terms that set it apart, for people.
    terms
        Its terms, most telling first.
    chunk_count, document_count
        Its passages, and the documents that hold them.
    document_ids
        Those documents, the ones with most passages of it first.
    quotes
        A few passages that are most typical of it, cited.
    """

    SHOWN = ("label", "terms", "chunk_count", "document_count")

    topic_id: str
    label: str
    terms: tuple[str, ...]
    chunk_count: int
    document_count: int
    document_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Cluster(Record):
    """Documents that belong together.

    Attributes
    ----------
    label
        What they share, in words.
    shared
        What they share, piece by piece: terms, names, references or the kind of document.
    documents
        The documents, the most typical first.
    quotes
        Places that show it.
    """

    JSON = ("cluster_id", "label", "shared", "document_count")

    cluster_id: str
    label: str
    shared: tuple[str, ...]
    documents: tuple[Annotated[Document, NAMED_WITH_TYPE], ...]
    quotes: tuple[Quote, ...]

    @property
    def document_count(self) -> int:
        """Number of its documents."""
        return len(self.documents)


@dataclass(frozen=True, slots=True)
class ClusterMember(Record):
    """A document in a group; *cluster* is ``None`` for those that stand alone."""

    SHOWN = ("cluster", "document", "document_type", "shared")

    cluster_id: str | None
    cluster: str | None
    document_id: str
    document: str
    document_type: str | None
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Clusters(Tabular[ClusterMember], Record):
    """All documents of a collection by what they share; *rest* share it with no other."""

    collection: str
    strategy: str
    clusters: tuple[Cluster, ...]
    rest: tuple[Annotated[Document, NAMED], ...]

    def _table(self) -> tuple[type[ClusterMember], Sequence[ClusterMember]]:
        grouped = [
            ClusterMember(c.cluster_id, c.label, d.document_id, d.name, d.document_type, c.shared)
            for c in self.clusters
            for d in c.documents
        ]
        alone = [
            ClusterMember(None, None, d.document_id, d.name, d.document_type) for d in self.rest
        ]
        return ClusterMember, [*grouped, *alone]

    def _heading(self) -> str:
        return (
            f"{len(self.clusters):,} groups ({self.strategy}); "
            f"{len(self.rest):,} documents stand alone"
        )
