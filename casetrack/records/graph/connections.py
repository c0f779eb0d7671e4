"""Documents and passages that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.records.table import Tabular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.records.documents import Document
    from casetrack.records.graph.kinds import RelationType
    from casetrack.records.graph.quote import Quote
    from casetrack.records.passages import Chunk


@dataclass(frozen=True, slots=True)
class Relation:
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
    weight: float
    count: int
    description: str
    outgoing: bool | None
    quotes: tuple[Quote, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "type": self.type,
            "weight": round(self.weight, 4),
            "count": self.count,
            "description": self.description,
            "outgoing": self.outgoing,
            "evidence": [q.as_dict() for q in self.quotes],
        }


@dataclass(frozen=True, slots=True)
class RelatedDocument:
    """A document related to another one, with all that relates them, the strongest first."""

    document: Document
    weight: float
    relations: tuple[Relation, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "document_id": self.document.document_id,
            "document": self.document.name,
            "document_type": self.document.document_type,
            "path": self.document.path,
            "weight": round(self.weight, 4),
            "relations": [r.as_dict() for r in self.relations],
        }


@dataclass(frozen=True, slots=True)
class SimilarChunk:
    """A passage that means nearly the same as another one; *similarity* is their cosine."""

    chunk: Chunk
    similarity: float

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return self.chunk.as_dict() | {"similarity": round(self.similarity, 4)}


@dataclass(frozen=True, slots=True)
class Topic:
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

    topic_id: str
    label: str
    terms: tuple[str, ...]
    chunk_count: int
    document_count: int
    document_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "topic_id": self.topic_id,
            "label": self.label,
            "terms": list(self.terms),
            "chunk_count": self.chunk_count,
            "document_count": self.document_count,
            "document_ids": list(self.document_ids),
            "quotes": [q.as_dict() for q in self.quotes],
        }


@dataclass(frozen=True, slots=True)
class Cluster:
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

    cluster_id: str
    label: str
    shared: tuple[str, ...]
    documents: tuple[Document, ...]
    quotes: tuple[Quote, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "cluster_id": self.cluster_id,
            "label": self.label,
            "shared": list(self.shared),
            "document_count": len(self.documents),
            "documents": [
                {
                    "document_id": d.document_id,
                    "document": d.name,
                    "document_type": d.document_type,
                }
                for d in self.documents
            ],
            "quotes": [q.as_dict() for q in self.quotes],
        }


@dataclass(frozen=True, slots=True)
class ClusterMember:
    """A document in a group; *cluster* is ``None`` for those that stand alone."""

    cluster_id: str | None
    cluster: str | None
    document_id: str
    document: str
    document_type: str | None
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Clusters(Tabular[ClusterMember]):
    """All documents of a collection by what they share; *rest* share it with no other."""

    collection: str
    strategy: str
    clusters: tuple[Cluster, ...]
    rest: tuple[Document, ...]

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

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "collection": self.collection,
            "strategy": self.strategy,
            "clusters": [c.as_dict() for c in self.clusters],
            "rest": [{"document_id": d.document_id, "document": d.name} for d in self.rest],
        }
