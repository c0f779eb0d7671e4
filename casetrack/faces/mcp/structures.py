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
    graph,
)
from casetrack.base.records.documents import NAMED
from casetrack.base.records.marks import PlacedMark
from casetrack.base.records.shape import View
from casetrack.faces.mcp import comparing, graph_results, outputs, results
from casetrack.faces.mcp.concise import document_forms
from casetrack.faces.mcp.steps import tool_of
from casetrack.faces.mcp.texts import cut
from casetrack.faces.mcp.uris import document_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.faces.mcp.concise import ResponseFormatter
    from casetrack.faces.mcp.operation_tools import OperationCall
    from casetrack.faces.mcp.outputs import Facts

_HIGHLIGHT_BUDGET = 6_000
_ENTITIES = 10
_FEW = 3
"""Spellings in a concise answer."""
_NAME_CHARS, _TITLE_CHARS = 120, 300
FORMED = (
    *(Chunk, ChunkWindow, Document, DocumentStructure, Passages),
    *(graph.Comparison, graph.Encounters, graph.EntityGraph),
)
HEADS: "dict[type, Callable[[Any], Facts]]" = {}
"""Functions of editions: properties of an answer without its list, by class of the answer."""
ENTRIES: "dict[type, tuple[Callable[[Any], Facts], Callable[[Any], Sequence[Provenance]]]]" = {}
"""Functions of editions: facts and sources of an entry, by its class."""


MARK = View(
    *("mark_id", "kind=mark.kind", "state", "value=mark.value", "note=mark.note"),
    *("document=mark.document_name", "page=mark.page", "entity=mark.entity_id"),
    *("other=mark.other", "chunk_id=quote.chunk_id", "citation=quote.citation"),
)
"""Fields of a mark; get_chunk returns the chunk of ``chunk_id``."""


def mark_entry(placed: PlacedMark, /) -> "Facts":
    """Return a mark without the ends of very long texts."""
    facts = MARK.of(placed)
    return {n: cut(v, results.NAME_CHARS) if isinstance(v, str) else v for n, v in facts.items()}


def answer_facts(result: Any, request: "OperationCall", /) -> "Facts | None":
    """Return the properties of an answer without its list; ``None`` if its record is sufficient."""
    key = request.target.info.id
    if type(result) in HEADS:
        return HEADS[type(result)](result)
    if isinstance(result, Chunk):
        return request.formatter.entry(
            results.passage(results.bounded_chunk(result), key) | _marks(result)
        )
    if isinstance(result, Document):
        facts = results.bounded_document(result).as_dict()
        return {"uri": document_uri(key, result.document_id), "document": facts}
    if isinstance(result, (graph.Comparison, graph.EntityGraph, ChunkWindow)):
        return {}
    if isinstance(result, Passages):
        document = request.formatter.entry(NAMED.of(result.document))
        return document | {"page_count": result.document.page_count, "total": len(result)}
    if isinstance(result, graph.Encounters):
        aliases = _FEW if request.formatter.concise else graph_results.ALIASES
        names = (graph_results.entity_facts(e, aliases=aliases) for e in result.entities)
        return {"entities": [request.formatter.entry(e) for e in names], "total": result.total}
    if isinstance(result, DocumentStructure):
        own = result.document.document_id
        entities = request.target.map.document_entities(own, limit=_ENTITIES)
        named = (replace(e, name=cut(e.name, _NAME_CHARS)) for e in entities)
        return {
            "document": NAMED.of(result.document),
            "uri": document_uri(key, own),
            "total": len(result.sections),
            "attachment_count": len(result.attachments),
            "paragraph_kinds": result.paragraph_kinds,
            "entities": [outputs.ENTITY_NAME.of(e) for e in named],
        }
    return None


def _marks(chunk: Chunk) -> "Facts":
    """Return the rectangles of the first lines of a chunk, and how many are left out."""
    marked = chunk.as_dict()["highlight"]
    if marked is None:
        return {"highlight": None, "highlight_omitted": 0}
    lines, _ = results.page_of(marked["lines"], lambda line: line, budget=_HIGHLIGHT_BUDGET)
    omitted = len(marked["lines"]) - len(lines)
    return {"highlight": marked | {"lines": lines}, "highlight_omitted": omitted}


def sources_in(items: "Sequence[Any]", /) -> "list[Provenance]":
    """Return the sources of entries that an answer links to."""
    known = ((each, ENTRIES[type(each)][1]) for each in items if type(each) in ENTRIES)
    return [place for each, sources in known for place in sources(each)]


def entry_forms(
    items: "Sequence[Any]", request: "OperationCall", /
) -> "tuple[Callable[[Any], Facts] | None, Facts]":
    """Return the function that makes the entries of a list, and further members of the answer.

    The function is ``None`` if the records themselves are the entries.
    """
    kind: Any = type(items[0]) if items else None
    if kind in ENTRIES:
        return ENTRIES[kind][0], {}
    if kind is PlacedMark:
        return mark_entry, {}
    if kind is Document:
        entry, root = document_forms(request.formatter, items)
        return entry, ({"root": root} if root else {})
    return (
        partial(_entry, request=request)
        if kind in {Section, Chunk, graph.SimilarChunk, graph.Encounter}
        else None
    ), {}


def _entry(item: Any, request: "OperationCall") -> "Facts":
    if isinstance(item, Section):
        return request.formatter.entry(replace(item, title=cut(item.title, _TITLE_CHARS)).as_dict())
    if isinstance(item, Document):
        return request.formatter.entry(results.document_entry(item))
    if isinstance(item, graph.Encounter):
        return graph_results.encounter(item, request.target.info.id, request.formatter)
    chunk = item if isinstance(item, Chunk) else item.chunk
    facts = results.passage(results.bounded_chunk(chunk), request.target.info.id)
    if isinstance(item, graph.SimilarChunk):
        facts["similarity"] = round(item.similarity, 4)
    return request.formatter.entry(facts)


def fitted(result: Any, request: "OperationCall", /) -> "tuple[Any, Facts]":
    """Return as much of an answer that is no paged list as fits, and its facts."""
    info = request.target.info
    if isinstance(result, graph.Comparison):
        return comparing.comparison(result, info, request.formatter)
    if isinstance(result, graph.EntityGraph):
        return graph_results.graph_facts(result, request.formatter, info.name)
    if isinstance(result, (ChunkWindow, Passages)):
        return _nearest(result, request)
    return result, {}


def _nearest(
    result: ChunkWindow | Passages, request: "OperationCall", /
) -> "tuple[ChunkWindow | Passages, Facts]":
    """Return the chunks nearest to the requested one that fit, and their facts."""
    formatter = request.formatter
    if isinstance(result, ChunkWindow):
        every, start = [*result.before, result.chunk, *result.after], len(result.before)
    else:
        every, start = list(result), result.start or 0
    order = sorted(range(len(every)), key=lambda n: (abs(n - start), n))
    entry = partial(_entry, request=request)
    made = results.page_of(
        [every[n] for n in order],
        entry,
        budget=formatter.budget,
        source_tokens=formatter.source_tokens,
    )[0]
    kept = sorted(zip(order, made, strict=False), key=lambda pair: pair[0])
    chunks, entries = [every[n] for n, _ in kept], [facts for _, facts in kept]
    facts: Facts = {"more": _onward(chunks, len(every) - len(chunks), formatter)}
    middle = start - kept[0][0]
    if isinstance(result, Passages):
        shown = Passages(chunks, document=result.document, start=middle)
        facts |= (answer_facts(result, request) or {}) | {"chunks": entries}
        return shown, facts
    before, after = tuple(chunks[:middle]), tuple(chunks[middle + 1 :])
    facts |= {"before": entries[:middle], "chunk": entries[middle], "after": entries[middle + 1 :]}
    return replace(result, before=before, after=after), facts


def _onward(chunks: "Sequence[Chunk]", left_out: int, formatter: "ResponseFormatter") -> str | None:
    """Return how to read on before and after some chunks; ``None`` if there are no others."""
    first, last = chunks[0], chunks[-1]
    ways = []
    if first.provenance.chunk_index > 0:
        ways.append(f"backward from start_chunk_id {formatter.chunk_id(first.chunk_id)}")
    if last.provenance.chunk_index + 1 < last.chunk_count:
        ways.append(f"forward from start_chunk_id {formatter.chunk_id(last.chunk_id)}")
    missing = f"{left_out:,} of them did not fit. " if left_out else ""
    if ways and (tool := tool_of("traverse")):
        return f"{missing}Read on with {tool}, {' or '.join(ways)}."
    return missing.strip() or None
