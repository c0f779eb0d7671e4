"""Entities, their mentions and connections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypedDict, get_args

from casetrack.base.dataclass import dataclass, field
from casetrack.base.records.passages import Chunk, Quote
from casetrack.base.records.shape import HIDDEN, INLINE, Day, FieldFormat, Record, Share, View
from casetrack.base.records.table import Tabular

# Words for the kinds of things in the graph.

EntityKind = Literal["person", "organization", "location", "date", "amount", "concept"]
ENTITY_KINDS: tuple[EntityKind, ...] = get_args(EntityKind)
COURT = "court"
"""Selects organisations with the role of a court; their kind is ``organization``."""
MAIL = "mail"  # type of an edge from the sender of mails to a recipient
NAME_KINDS: tuple[EntityKind, ...] = ("person", "organization", "location")
FoundBy = Literal["tagged", "defined", "spread"]
"""Origin of a name at a position: the tagger, a definition or certain context in the text, or
another occurrence of a certain name.
"""
RelationType = Literal[
    "shared_entities",
    "shared_references",
    "semantic",
    "explicit",
    "version",
    "response_to",
    "amends",
    "attachment",
    "restates",
    "supplements",
    "schedule_of",
    "exhibit_of",
    "made_under",
    "bills",
    "interim_of",
    "forward_of",
    "same_thread",
    "same_file",
    "copy",
]
RELATION_TYPES: tuple[RelationType, ...] = get_args(RelationType)


_MAIL_ROLES = frozenset({"author", "copied in", "recipient", "sender"})
"""Roles of people in mail headers; they differ per mail."""
_GENERIC_ROLES = frozenset({"company", "corporation", "firm", "party", "parties", "person"})
"""Generic names of a party in contracts."""


@dataclass(frozen=True, slots=True)
class Entity(Record):
    """A person, organisation, place or concept that documents mention."""

    SHOWN = ("kind", "name", "role", "mention_count", "document_count", "aliases")

    entity_id: str  # equal for all spellings, such as `person:adaeze-okafor`
    kind: EntityKind
    name: str  # its most complete name
    aliases: tuple[str, ...]  # other spellings, most frequent first
    # mention_count, chunk_count, document_count: number of positions, passages and documents; a
    # position counts once, and in answers copies of a mail do.
    mention_count: int
    chunk_count: int
    document_count: int
    role: str | None  # role that the text states ("chief executive", "buyer"), or `None`
    # first_document_id, first_chunk_id: first mention, in the order of the documents.
    first_document_id: str
    first_chunk_id: str
    edited_by_user: bool = False  # whether a mark of the user changed it

    @property
    def office(self) -> str:
        """Its role, or empty for roles of mail headers and generic ones such as "company"."""
        role = self.role or ""
        return "" if role.casefold() in _MAIL_ROLES | _GENERIC_ROLES else role


@dataclass(frozen=True, slots=True)
class Mention(Record):
    """A mention of an entity."""

    SHOWN = ("text", "snippet", "citation")

    entity: Annotated[Entity, FieldFormat(json=False, columns=View("entity_id", "kind", "name"))]
    quote: Annotated[Quote, INLINE]
    confidence: Share
    # For a name: `tagged` by the model, `defined` by the text at this position, or `spread` from a
    # certain occurrence in the document; else `None`.
    found_by: FoundBy | None = None

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


@dataclass(frozen=True, slots=True)
class StatedRole(Record):
    """A role that documents state of an entity, with its best place."""

    role: str
    # since, until: days of the first and the last dated document that states it.
    since: Day | None
    until: Day | None
    document_count: int
    quote: Annotated[Quote, INLINE]


@dataclass(frozen=True, slots=True)
class Correspondence(Record):
    """The mails that one person or firm sent to another; copies of a mail count once."""

    sender: str
    recipient: str
    mails: int
    # since, until: days of the first and the last dated mail.
    since: Day | None
    until: Day | None
    # sender_id, recipient_id: the entity of the mail address; the address where none is known.
    sender_id: str
    recipient_id: str


@dataclass(frozen=True, slots=True)
class LikelySame(Record):
    """Two names that are probably of the same person or firm."""

    kind: EntityKind
    name: str
    other: str
    difference: str  # `sign`, `order` of the words, `letter`, `given name` or `middle name`
    mention_count: int
    other_mention_count: int
    entity_id: str
    other_id: str


class DocumentMentions(TypedDict):
    """Number of mentions of an entity in a document."""

    document_id: str
    document: str
    mentions: int


def _counted(documents: tuple[tuple[str, str, int], ...]) -> list[DocumentMentions]:
    return [{"document_id": i, "document": name, "mentions": n} for i, name, n in documents]


@dataclass(frozen=True, slots=True, repr=False)
class EntityMentions(Tabular[Mention], Record):
    """Entities that match a name, and mentions of the best match."""

    JSON = (
        *("query", "entity", "score", "other_matches", "total"),
        *("roles?", "addresses?", "correspondence?", "documents", "mentions"),
    )

    query: str  # the requested name
    # Matching entities, best first; *mentions* belong to the first.
    matches: Annotated[tuple[Entity, ...], HIDDEN]
    score: Share  # match of the first one, 0..1; 1 for its name or an alias
    total: int  # number of all mentions
    mentions: tuple[Mention, ...]  # spread over documents first, then in reading order
    # (document id, name, mentions), most mentions first.
    documents: Annotated[tuple[tuple[str, str, int], ...], FieldFormat(via=_counted)]
    # Sentences about the user's edits of the first one, with the ids of the marks.
    edits: tuple[str, ...] = ()
    # Of a person or firm: roles over time, mail addresses, and mails to and from others.
    roles: tuple[StatedRole, ...] | None = None
    addresses: tuple[str, ...] | None = None
    correspondence: tuple[Correspondence, ...] | None = None

    @property
    def entity(self) -> Entity:
        """The best match."""
        return self.matches[0]

    @property
    def other_matches(self) -> tuple[Entity, ...]:
        """Other entities that match the name."""
        return self.matches[1:]

    def _table(self) -> tuple[type[Mention], Sequence[Mention]]:
        return Mention, self.mentions

    def _heading(self) -> str:
        best = self.entity
        role = f", {best.role}" if best.role else ""
        return (
            f"{best.name} ({best.kind}{role}): {len(self.mentions):,} of {self.total:,} mentions "
            f"in {len(self.documents):,} {'document' if len(self.documents) == 1 else 'documents'}"
        )


@dataclass(frozen=True, slots=True)
class Encounter(Record):
    """A passage that mentions several of the requested entities."""

    COLUMNS = ("score", "entities")
    SHOWN = ("score", "entities", "citation", "text")

    chunk: Annotated[Chunk, INLINE]
    entities: tuple[str, ...]  # ids of the mentioned ones
    # One mention of each, as close together as possible, in reading order. A quote from a mail's
    # header may be in the first passage of the mail.
    quotes: tuple[Quote, ...]
    score: Share
    mention_count: int = 0  # all their mentions in the passage and in the header of its mail

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.chunk.citation


@dataclass(frozen=True, slots=True, repr=False)
class Encounters(Tabular[Encounter], Record):
    """Passages that mention several entities, those with all of them first."""

    entities: tuple[Entity, ...]
    total: int
    encounters: Annotated[tuple[Encounter, ...], FieldFormat(name="chunks")]

    def _table(self) -> tuple[type[Encounter], Sequence[Encounter]]:
        return Encounter, self.encounters

    def _heading(self) -> str:
        names = ", ".join(e.name for e in self.entities)
        return (
            f"{len(self.encounters):,} of {self.total:,} passages that mention several of {names}"
        )


@dataclass(frozen=True, slots=True)
class Edge(Record):
    """An edge of the graph."""

    SHOWN = ("source", "target", "type", "weight", "count", "citation")

    # source, target: ids of entities, documents or chunks.
    source: str
    target: str
    type: str  # `co_occurrence`, `similar`, `coreference` or one of `RELATION_TYPES`
    weight: Share  # strength, 0..1
    count: int  # number of supporting passages, shared entities or references
    evidence: tuple[str, ...]  # ids of supporting chunks, best first
    # First evidence that mentions both ends, if requested.
    quote: Annotated[Quote | None, FieldFormat(columns=View("text", "snippet", "citation"))] = None


@dataclass(frozen=True, slots=True, repr=False)
class EntityGraph(Tabular[Edge], Record):
    """Entities and their connections."""

    collection: str
    center: Entity | None  # the central entity, or `None`
    nodes: tuple[Entity, ...]  # nearest to the centre first, else most connected first
    # Steps from the centre, in the order of *nodes*; empty without a centre.
    distances: tuple[int, ...]
    edges: tuple[Edge, ...]  # strongest first, each with its quote
    # Returns HTML for notebooks.
    draw: Annotated[Callable[[Any], str] | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )

    def _table(self) -> tuple[type[Edge], Sequence[Edge]]:
        return Edge, self.edges

    def _heading(self) -> str:
        return f"{len(self.nodes):,} entities and {len(self.edges):,} connections"

    def _repr_html_(self) -> str | None:
        return self.draw(self) if self.draw is not None else Tabular._repr_html_(self)
