"""The structured form of passages and documents that an operation returns, and its type."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from casetrack.base.records import (
    Chunk,
    ChunkWindow,
    Document,
    DocumentStructure,
    Passages,
    Section,
)
from casetrack.base.records.documents import NAMED
from casetrack.base.records.graph import (
    Change,
    Comparison,
    Encounter,
    Encounters,
    Entity,
    EntityGraph,
    Quote,
    Reference,
    SimilarChunk,
)
from casetrack.base.records.shape import Spread
from casetrack.faces.mcp import comparing, graph_results, outputs
from casetrack.faces.mcp.concise import document_forms
from casetrack.faces.mcp.results import (
    bounded_chunk,
    bounded_document,
    cut,
    document_entry,
    page_of,
    passage,
)
from casetrack.faces.mcp.steps import offers
from casetrack.faces.mcp.uris import document_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.faces.mcp.asking import Asked
    from casetrack.faces.mcp.concise import Telling
    from casetrack.faces.mcp.outputs import Facts

_HIGHLIGHT_ROOM = 6_000
_ENTITIES = 10
_FEW = 3
"""Spellings that a concise answer names."""
_NAME_CHARS, _TITLE_CHARS = 120, 300


class ChunkOutput(outputs.Passage):
    """One chunk; ``highlight`` holds the rectangles of its first lines on the page."""

    highlight: dict[str, Any] | None
    highlight_omitted: int


class ContextOutput(TypedDict):
    """A chunk between its neighbours; ``more`` says how to read those that did not fit."""

    before: list[outputs.Passage]
    chunk: outputs.Passage
    after: list[outputs.Passage]
    more: str | None


class DocumentOutput(TypedDict):
    """One document."""

    uri: str
    document: Document


class StructureOutput(TypedDict):
    """A document's headings in reading order, then its attachments.

    ``entities`` are the names it mentions most, counted over the whole collection.
    """

    document: Annotated[Document, NAMED]
    uri: str
    total: int
    attachment_count: int
    sections: list[Section]
    paragraph_kinds: dict[str, int]
    entities: list[Annotated[Entity, outputs.ENTITY_NAME]]
    attachments: list[Annotated[Document, outputs.LINE]]


class PassagesOutput(TypedDict):
    """Chunks of a document in reading order; ``more`` says how to read on."""

    named: Annotated[Document, NAMED, Spread()]
    page_count: int
    total: int
    chunks: list[outputs.Passage]
    more: str | None


class SimilarPassage(outputs.Passage):
    """A passage that means nearly the same as another one."""

    similarity: float


class NamesPassage(outputs.Passage):
    """A passage that mentions several of the entities: their ids, and one place of each."""

    entities: list[str]
    places: list[Annotated[Quote, outputs.PLACE]]
    score: float
    mention_count: int


class EncountersOutput(TypedDict):
    """Passages that mention the entities together, those with all of them first."""

    entities: list[Entity]
    total: int
    chunks: list[NamesPassage]


class Node(TypedDict):
    """An entity of a graph; ``distance`` is in steps from its centre, where it has one."""

    entity: Annotated[Entity, outputs.NODE, Spread()]
    distance: int | None


class Edge(TypedDict):
    """A connection of two entities of a graph.

    ``count`` passages speak for it; ``evidence`` is a place in one of them, null where it did not
    fit: get_chunk gives the passages of ``chunk_ids``.
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

    center: Annotated[Entity, outputs.ENTITY_NAME] | None
    nodes: list[Node]
    edges: list[Edge]
    edges_omitted: int
    more: str | None


class ScoredPassage(outputs.Passage):
    """A passage on the topic asked for."""

    score: float


class Side(TypedDict):
    """What one of two documents says; ``further`` are passages that did not fit."""

    document: Annotated[Document, NAMED, Spread()]
    passages: list[ScoredPassage]
    further: list[Annotated[Chunk, outputs.POINTER]]


class TopicChanges(TypedDict):
    """What changed on the topic from one version to the other; the first are given in full."""

    before: Annotated[Document, NAMED]
    after: Annotated[Document, NAMED]
    unchanged_paragraphs: int
    total: int
    changes: list[Change]


class ComparisonOutput(TypedDict):
    """What two documents say of a topic, and the names and references in both or in one alone.

    ``similarity`` compares the documents as a whole; ``changes`` is null where neither is a version
    of the other.
    """

    topic: str
    document_a: Side
    document_b: Side
    shared_entities: list[Annotated[Entity, outputs.ENTITY_NAME]]
    only_a: list[Annotated[Entity, outputs.ENTITY_NAME]]
    only_b: list[Annotated[Entity, outputs.ENTITY_NAME]]
    shared_references: list[Reference]
    similarity: float | None
    changes: TopicChanges | None
    notes: list[str]
    more: str | None


ANSWERS: dict[Any, Any] = {
    Chunk: ChunkOutput,
    ChunkWindow: ContextOutput,
    Document: DocumentOutput,
    DocumentStructure: StructureOutput,
    Passages: PassagesOutput,
    Comparison: ComparisonOutput,
    Encounters: EncountersOutput,
    EntityGraph: EntityGraphOutput,
}
"""What the answers say that are one of these records, besides the collection's name."""
ENTRIES: dict[Any, Any] = {
    Document: Annotated[Document, outputs.LINE],
    SimilarChunk: SimilarPassage,
}
"""The types of the entries of lists of these records."""
ROOT = {"root": NotRequired[str]}
"""What a list of documents has besides: the folder where the paths of its concise form begin."""


def answer_facts(found: Any, asked: "Asked", /) -> "Facts | None":
    """Return what an answer says besides its list; ``None`` where its record alone says it."""
    key = asked.target.info.id
    if isinstance(found, Chunk):
        return asked.told.entry(passage(bounded_chunk(found), key) | _marks(found))
    if isinstance(found, Document):
        facts = bounded_document(found).as_dict()
        return {"uri": document_uri(key, found.document_id), "document": facts}
    if isinstance(found, (Comparison, EntityGraph, ChunkWindow)):
        return {}
    if isinstance(found, Passages):
        document = asked.told.entry(NAMED.of(found.document))
        return document | {"page_count": found.document.page_count, "total": len(found)}
    if isinstance(found, Encounters):
        aliases = _FEW if asked.told.concise else graph_results.ALIASES
        names = (graph_results.entity_facts(e, aliases=aliases) for e in found.entities)
        return {"entities": [asked.told.entry(e) for e in names], "total": found.total}
    if isinstance(found, DocumentStructure):
        own = found.document.document_id
        entities = asked.target.map.document_entities(own, limit=_ENTITIES)
        named = (replace(e, name=cut(e.name, _NAME_CHARS)) for e in entities)
        return {
            "document": NAMED.of(found.document),
            "uri": document_uri(key, own),
            "total": len(found.sections),
            "attachment_count": len(found.attachments),
            "paragraph_kinds": found.paragraph_kinds,
            "entities": [outputs.ENTITY_NAME.of(e) for e in named],
        }
    return None


def _marks(chunk: Chunk) -> "Facts":
    """Return the rectangles of the first lines of a chunk, and how many are left out."""
    marked = chunk.as_dict()["highlight"]
    if marked is None:
        return {"highlight": None, "highlight_omitted": 0}
    lines, _ = page_of(marked["lines"], lambda line: line, room=_HIGHLIGHT_ROOM)
    omitted = len(marked["lines"]) - len(lines)
    return {"highlight": marked | {"lines": lines}, "highlight_omitted": omitted}


def entry_forms(
    items: "Sequence[Any]", asked: "Asked", /
) -> "tuple[Callable[[Any], Facts] | None, Facts]":
    """Return what makes the entries of a list, and what stands beside the list.

    The former is ``None`` where the records themselves say it.
    """
    kind = type(items[0]) if items else None
    if kind is Document:
        entry, root = document_forms(asked.told, items)
        return entry, ({"root": root} if root else {})
    return (
        partial(_entry, asked=asked) if kind in {Section, Chunk, SimilarChunk, Encounter} else None
    ), {}


def _entry(item: Any, asked: "Asked") -> "Facts":
    if isinstance(item, Section):
        return asked.told.entry(replace(item, title=cut(item.title, _TITLE_CHARS)).as_dict())
    if isinstance(item, Document):
        return asked.told.entry(document_entry(item))
    if isinstance(item, Encounter):
        return graph_results.encounter(item, asked.target.info.id, asked.told)
    chunk = item if isinstance(item, Chunk) else item.chunk
    facts = passage(bounded_chunk(chunk), asked.target.info.id)
    if isinstance(item, SimilarChunk):
        facts["similarity"] = round(item.similarity, 4)
    return asked.told.entry(facts)


def fitted(found: Any, asked: "Asked", /) -> "tuple[Any, Facts]":
    """Return as much of an answer that is no paged list as fits, and its facts."""
    info = asked.target.info
    if isinstance(found, Comparison):
        return comparing.comparison(found, info, asked.told)
    if isinstance(found, EntityGraph):
        return graph_results.graph_facts(found, asked.told, info.name)
    if isinstance(found, (ChunkWindow, Passages)):
        return _nearest(found, asked)
    return found, {}


def _nearest(
    found: ChunkWindow | Passages, asked: "Asked", /
) -> "tuple[ChunkWindow | Passages, Facts]":
    """Return as much of what is read around a chunk as fits, the nearest first, and its facts."""
    told = asked.told
    if isinstance(found, ChunkWindow):
        every, start = [*found.before, found.chunk, *found.after], len(found.before)
    else:
        every, start = list(found), found.start or 0
    order = sorted(range(len(every)), key=lambda n: (abs(n - start), n))
    entry = partial(_entry, asked=asked)
    made = page_of([every[n] for n in order], entry, room=told.room, beside=told.beside)[0]
    kept = sorted(zip(order, made, strict=False), key=lambda pair: pair[0])
    chunks, entries = [every[n] for n, _ in kept], [facts for _, facts in kept]
    facts: Facts = {"more": _onward(chunks, len(every) - len(chunks), told)}
    middle = start - kept[0][0]
    if isinstance(found, Passages):
        shown = Passages(chunks, document=found.document, start=middle)
        facts |= (answer_facts(found, asked) or {}) | {"chunks": entries}
        return shown, facts
    before, after = tuple(chunks[:middle]), tuple(chunks[middle + 1 :])
    facts |= {"before": entries[:middle], "chunk": entries[middle], "after": entries[middle + 1 :]}
    return replace(found, before=before, after=after), facts


def _onward(chunks: "Sequence[Chunk]", left_out: int, told: "Telling") -> str | None:
    """Return how to read on before and after some chunks; ``None`` where they are all there is."""
    first, last = chunks[0], chunks[-1]
    ways = []
    if first.provenance.chunk_index > 0:
        ways.append(f"backward from start_chunk_id {told.chunk_id(first.chunk_id)}")
    if last.provenance.chunk_index + 1 < last.chunk_count:
        ways.append(f"forward from start_chunk_id {told.chunk_id(last.chunk_id)}")
    missing = f"{left_out:,} of them did not fit. " if left_out else ""
    if ways and offers("traverse_chunks"):
        return f"{missing}Read on with traverse_chunks, {' or '.join(ways)}."
    return missing.strip() or None
