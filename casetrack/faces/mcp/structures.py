"""The structured form of passages and documents that an operation returns."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

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
    Comparison,
    Encounter,
    Encounters,
    EntityGraph,
    SimilarChunk,
)
from casetrack.base.records.marks import PlacedMark
from casetrack.base.records.shape import View
from casetrack.faces.mcp import comparing, graph_results, outputs
from casetrack.faces.mcp.concise import document_forms
from casetrack.faces.mcp.results import (
    NAME_CHARS,
    bounded_chunk,
    bounded_document,
    document_entry,
    page_of,
    passage,
)
from casetrack.faces.mcp.steps import tool_of
from casetrack.faces.mcp.texts import cut
from casetrack.faces.mcp.uris import document_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.faces.mcp.asking import Asked
    from casetrack.faces.mcp.concise import Telling
    from casetrack.faces.mcp.outputs import Facts

_HIGHLIGHT_ROOM = 6_000
_ENTITIES = 10
_FEW = 3
"""Spellings that a concise answer names."""
_NAME_CHARS, _TITLE_CHARS = 120, 300
FORMED = (
    *(Chunk, ChunkWindow, Document, DocumentStructure, Passages),
    *(Comparison, Encounters, EntityGraph),
)
"""Records whose answers have a concise form."""
HEADS: "dict[type, Callable[[Any], Facts]]" = {}
"""Functions of editions: facts besides the list, by the class of an answer."""
ENTRIES: "dict[type, tuple[Callable[[Any], Facts], Callable[[Any], Sequence[Provenance]]]]" = {}
"""Functions of editions: the facts of an entry, and its sources, by the class of the entry."""


MARK = View(
    *("mark_id", "kind=mark.kind", "state", "value=mark.value", "note=mark.note"),
    *("document=mark.document_name", "page=mark.page", "entity=mark.entity_id"),
    *("other=mark.other", "chunk_id=quote.chunk_id", "citation=quote.citation"),
)
"""What is said of a mark; get_chunk gives the passage of ``chunk_id``."""


def mark_entry(placed: PlacedMark, /) -> "Facts":
    """Return a mark without the ends of very long texts."""
    facts = MARK.of(placed)
    return {n: cut(v, NAME_CHARS) if isinstance(v, str) else v for n, v in facts.items()}


def answer_facts(found: Any, asked: "Asked", /) -> "Facts | None":
    """Return what an answer says besides its list; ``None`` where its record alone says it."""
    key = asked.target.info.id
    if type(found) in HEADS:
        return HEADS[type(found)](found)
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


def sources_in(items: "Sequence[Any]", /) -> "list[Provenance]":
    """Return the sources of entries that an answer links to."""
    known = ((each, ENTRIES[type(each)][1]) for each in items if type(each) in ENTRIES)
    return [place for each, sources in known for place in sources(each)]


def entry_forms(
    items: "Sequence[Any]", asked: "Asked", /
) -> "tuple[Callable[[Any], Facts] | None, Facts]":
    """Return what makes the entries of a list, and what stands beside the list.

    The former is ``None`` where the records themselves say it.
    """
    kind: Any = type(items[0]) if items else None
    if kind in ENTRIES:
        return ENTRIES[kind][0], {}
    if kind is PlacedMark:
        return mark_entry, {}
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
    if ways and (tool := tool_of("traverse")):
        return f"{missing}Read on with {tool}, {' or '.join(ways)}."
    return missing.strip() or None
