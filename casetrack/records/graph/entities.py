"""Who and what documents mention, where, and together with whom."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.records.table import Tabular

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.records.graph.kinds import EntityKind
    from casetrack.records.graph.quote import Quote
    from casetrack.records.passages import Chunk


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that documents mention.

    Attributes
    ----------
    entity_id
        The same for every spelling, such as ``person:adaeze-okafor``.
    name
        The fullest of its names.
    aliases
        Its other spellings, most frequent first.
    mention_count, chunk_count, document_count
        Places, passages and documents that mention it; a place counts once.
    role
        What the words around it say that it is ("chief executive", "buyer"), or ``None``.
    first_document_id, first_chunk_id
        Where it is mentioned first, by the order of the documents.
    """

    entity_id: str
    kind: EntityKind
    name: str
    aliases: tuple[str, ...]
    mention_count: int
    chunk_count: int
    document_count: int
    role: str | None
    first_document_id: str
    first_chunk_id: str

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self) | {"aliases": list(self.aliases)}


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where an entity is mentioned."""

    entity: Entity
    quote: Quote
    confidence: float

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, without the entity."""
        return self.quote.as_dict() | {"confidence": round(self.confidence, 4)}


@dataclass(frozen=True, slots=True, repr=False)
class EntityMentions(Tabular[Mention]):
    """What a name stands for, and where it is mentioned.

    Attributes
    ----------
    query
        The name as it was asked for.
    matches
        Entities that it may stand for, best first; *mentions* are those of the first one.
    score
        How well the first one fits, 0..1; 1 is the name itself or an alias.
    total
        Places where it is mentioned.
    mentions
        Those shown: spread over documents first, then in reading order.
    documents
        Number of mentions by document, most first: (document id, name, count).
    """

    query: str
    matches: tuple[Entity, ...]
    score: float
    total: int
    mentions: tuple[Mention, ...]
    documents: tuple[tuple[str, str, int], ...]

    @property
    def entity(self) -> Entity:
        """The best match."""
        return self.matches[0]

    def _table(self) -> tuple[type[Mention], Sequence[Mention]]:
        return Mention, self.mentions

    def _heading(self) -> str:
        found = self.entity
        role = f", {found.role}" if found.role else ""
        return (
            f"{found.name} ({found.kind}{role}): {len(self.mentions):,} of {self.total:,} mentions "
            f"in {len(self.documents):,} {'document' if len(self.documents) == 1 else 'documents'}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "query": self.query,
            "entity": self.entity.as_dict(),
            "score": round(self.score, 4),
            "other_matches": [e.as_dict() for e in self.matches[1:]],
            "total": self.total,
            "documents": [
                {"document_id": i, "document": name, "mentions": n} for i, name, n in self.documents
            ],
            "mentions": [m.as_dict() for m in self.mentions],
        }


@dataclass(frozen=True, slots=True)
class Encounter:
    """A passage that mentions several of the entities asked for.

    Attributes
    ----------
    entities
        Ids of those that it mentions.
    quotes
        One place for each of them, in reading order.
    """

    chunk: Chunk
    entities: tuple[str, ...]
    quotes: tuple[Quote, ...]
    score: float

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return self.chunk.as_dict() | {
            "entities": list(self.entities),
            "quotes": [q.as_dict() for q in self.quotes],
            "score": round(self.score, 4),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Encounters(Tabular[Encounter]):
    """Passages in which entities are mentioned together, those with all of them first."""

    entities: tuple[Entity, ...]
    total: int
    encounters: tuple[Encounter, ...]

    def _table(self) -> tuple[type[Encounter], Sequence[Encounter]]:
        return Encounter, self.encounters

    def _heading(self) -> str:
        names = ", ".join(e.name for e in self.entities)
        return (
            f"{len(self.encounters):,} of {self.total:,} passages that mention several of {names}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "entities": [e.as_dict() for e in self.entities],
            "total": self.total,
            "chunks": [e.as_dict() for e in self.encounters],
        }


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection of the graph.

    Attributes
    ----------
    source, target
        Ids of entities, documents or chunks.
    type
        ``co_occurrence``, ``similar``, ``coreference`` or one of ``RELATION_TYPES``.
    weight
        Strength, 0..1.
    count
        How many things speak for it: passages, shared entities, references.
    evidence
        Ids of chunks that show it, the best first.
    quote
        Words of the first of these that mention both ends, where it was asked for.
    """

    source: str
    target: str
    type: str
    weight: float
    count: int
    evidence: tuple[str, ...]
    quote: Quote | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "source": self.source,
            "target": self.target,
            "type": self.type,
            "weight": round(self.weight, 4),
            "count": self.count,
            "evidence": list(self.evidence),
            "quote": self.quote.as_dict() if self.quote else None,
        }


@dataclass(frozen=True, slots=True, repr=False)
class EntityGraph(Tabular[Edge]):
    """Entities and what connects them.

    Attributes
    ----------
    center
        The entity in the middle, or ``None``.
    nodes
        Entities, nearest to the centre first, else the best connected ones first.
    distances
        Steps from the centre, in the order of *nodes*; empty without a centre.
    edges
        Connections between the nodes, strongest first, each with its quote.
    draw
        Draws it as HTML, for notebooks.
    """

    collection: str
    center: Entity | None
    nodes: tuple[Entity, ...]
    distances: tuple[int, ...]
    edges: tuple[Edge, ...]
    draw: Callable[[EntityGraph], str] | None = field(default=None, repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "collection": self.collection,
            "center": self.center.as_dict() if self.center else None,
            "nodes": [e.as_dict() for e in self.nodes],
            "distances": list(self.distances),
            "edges": [e.as_dict() for e in self.edges],
        }

    def _table(self) -> tuple[type[Edge], Sequence[Edge]]:
        return Edge, self.edges

    def _heading(self) -> str:
        return f"{len(self.nodes):,} entities and {len(self.edges):,} connections"

    def _repr_html_(self) -> str | None:
        return self.draw(self) if self.draw is not None else Tabular._repr_html_(self)
