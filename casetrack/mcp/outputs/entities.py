"""Who and what documents mention."""

from typing_extensions import TypedDict

from casetrack.mcp.outputs.passages import Passage, ShortPassage
from casetrack.mcp.outputs.quotes import DocumentName, Quote


class Entity(TypedDict):
    """Somebody or something that documents mention; places, passages and documents counted."""

    entity_id: str
    kind: str
    name: str
    aliases: list[str]
    mention_count: int
    chunk_count: int
    document_count: int
    role: str | None
    first_document_id: str
    first_chunk_id: str


class EntityName(TypedDict):
    """An entity in short."""

    entity_id: str
    kind: str
    name: str
    mention_count: int
    document_count: int


class EntitiesOutput(TypedDict):
    """Entities in the order asked for, from `offset` on; `counts` has all there are, by kind."""

    collection: str
    entity_type: str
    sort_by: str
    counts: dict[str, int]
    total: int
    offset: int
    next_offset: int | None
    entities: list[Entity]
    more: str | None


class Mention(Quote):
    """A place that mentions an entity, and how sure it is that it does."""

    confidence: float


class DocumentMentions(DocumentName):
    """How often a document mentions an entity."""

    mentions: int


class MentionsOutput(TypedDict):
    """Where an entity is mentioned, from `offset` on.

    `score` is 1 where the name is the one asked for. `documents` are those with most mentions, of
    `document_count`; `more` says how to get the rest.
    """

    collection: str
    notice: str
    query: str
    entity: Entity
    score: float
    other_matches: list[EntityName]
    total: int
    offset: int
    next_offset: int | None
    document_count: int
    documents: list[DocumentMentions]
    mentions: list[Mention]
    more: str | None


class Place(TypedDict):
    """A name in the text of a chunk, and where it stands in the whole of it."""

    text: str
    chunk_char_start: int
    chunk_char_end: int
    citation: str


class Encounter(Passage):
    """A passage that mentions several of the entities: their ids, and one place of each."""

    entities: list[str]
    places: list[Place]
    score: float


class ShortEncounter(ShortPassage):
    """The same in its concise form: the part with the names is quoted."""

    entities: list[str]
    places: list[Place]
    score: float


class EncountersOutput(TypedDict):
    """Passages that mention the entities together, those with all of them first."""

    collection: str
    notice: str
    entities: list[Entity]
    total: int
    offset: int
    next_offset: int | None
    chunks: list[Encounter] | list[ShortEncounter]
    more: str | None


class Node(EntityName):
    """An entity of a graph; ``distance`` is in steps from its centre, where it has one."""

    role: str | None
    distance: int | None


class Edge(TypedDict):
    """A connection of two entities of a graph.

    `count` passages speak for it; `evidence` is a place in one of them, null where it did not fit:
    get_chunk gives the passages of `chunk_ids`.
    """

    source: str
    target: str
    source_name: str
    target_name: str
    type: str
    weight: float
    count: int
    chunk_ids: list[str]
    evidence: Quote | None


class EntityGraphOutput(TypedDict):
    """Entities and what connects them, nearest to the centre or best connected first."""

    collection: str
    notice: str
    center: EntityName | None
    nodes: list[Node]
    edges: list[Edge]
    edges_omitted: int
    more: str | None
