"""Results with text for people and structure for programs; the pieces several tools share."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mcp.types import CallToolResult, ContentBlock, ResourceLink, TextContent

from casetrack.base.dataclass import dataclass, replace
from casetrack.faces.mcp.outputs import LINE, Facts
from casetrack.faces.mcp.texts import cut, sendable, visible
from casetrack.faces.mcp.uris import chunk_uri, document_uri, highlight_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Chunk, CollectionInfo, Document
    from casetrack.base.records.graph import Quote
    from casetrack.faces.mcp.concise import ResponseFormatter

# Size of results: clients warn at 10,000 tokens of one result and cut at 25,000. A result contains
# the same answer twice, as text and as structure, and a client shows one of them to its model; each
# is limited to :data:`MAX_TOKENS`. The result describes how to get the rest.

MAX_TOKENS = 20_000
BUDGET = 16_000
"""Tokens for the items of a list; the rest is for the other members of the result."""
CONCISE_BUDGET = 6_000
"""The limit of concise answers, which a model reads on every turn."""
_ASCII_PER_TOKEN = 2.5

T = TypeVar("T")


def tokens(value: Any, /) -> int:
    """Return an upper estimate of the tokens of *value* as text or as JSON.

    Models split English prose into tokens of four or five letters, identifiers, numbers and JSON
    punctuation into shorter ones, and other scripts into one or two tokens for each letter.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if text.isascii():
        return int(len(text) / _ASCII_PER_TOKEN) + 1
    ascii_count = len(text.encode("ascii", "ignore"))
    return int(ascii_count / _ASCII_PER_TOKEN) + (len(text) - ascii_count) + 1


def fitting(costs: Iterable[int], /, *, budget: int = BUDGET) -> int:
    """Return how many items fit into *budget* from the first on; at least one."""
    count, spent = 0, 0
    for cost in costs:
        spent += cost
        if count and spent > budget:
            break
        count += 1
    return count


def page_of(
    items: Sequence[T],
    shape: Callable[[T], Any],
    /,
    *,
    offset: int = 0,
    limit: int | None = None,
    budget: int = BUDGET,
    source_tokens: Callable[[], int] = int,
) -> tuple[list[Any], int | None]:
    """Return the structured entries of *items* from *offset*, and the offset of the rest.

    Parameters
    ----------
    shape
        Returns the structured entry of an item.
    limit
        Number of requested items; fewer are returned if they do not fit.
    budget
        Tokens for all entries together.
    source_tokens
        Returns the current tokens of the objects that the entries refer to.

    Returns
    -------
    tuple
        The entries, and the offset of the next page (``None`` at the end).
    """
    asked = items[offset:] if limit is None else items[offset : offset + limit]
    entries: list[Any] = []
    spent = 0
    for item in asked:
        entry = shape(item)
        spent += tokens(entry)
        if entries and spent + source_tokens() > budget:
            break
        entries.append(entry)
    after = offset + len(entries)
    return entries, after if after < len(items) else None


_FACTS_BUDGET = 5_000
_WARNINGS = 5
_WARNING_CHARS = 300
_HEADINGS = 12
_HEADING_CHARS = 200
_TABLE_HEADER_CHARS = 1_000
_LINKED_PICTURES = 3
_LINKS = 5

ANSWERS, OF_COLLECTION = "casetrack/graph/answers", "casetrack/api/collection"
"""Keys of metadata for pages only: spans of the best answer in each chunk's text, and collection
id.
"""

CODE = "casetrack/code"


def answer(
    text: str, structured: Mapping[str, Any], /, links: Iterable[ResourceLink] = ()
) -> CallToolResult:
    """Return a successful result without characters that cannot be transmitted.

    *text* and *structured* are the same answer; *links* are resources that a client may open.
    """
    named = structured.get("sources")
    # Editions use the same key for a list of sources.
    text += _sources(named) if isinstance(named, dict) else ""
    content: list[ContentBlock] = [TextContent(type="text", text=visible(sendable(text))), *links]
    return CallToolResult(content=content, structured_content=sendable(dict(structured)))


def _sources(sources: Mapping[str, Facts]) -> str:
    """Return the paths of the documents that a concise answer cites by name, by folder."""
    folders: dict[str, list[str]] = {}
    for each in sources.values():
        path = " ".join((each.get("path") or each["document"]).splitlines())
        name = PurePath(path).name
        folders.setdefault(path[: len(path) - len(name)], []).append(name)
    if len(folders) == 1:
        return f"\n\nFolder of these documents: {next(iter(folders)) or '.'}"
    lines = (f"- {folder}{name}" for folder, names in folders.items() for name in names)
    return "\n".join(["\n\nSources:", *lines]) if folders else ""


# --- lists that are cut where they would be too long ----------------------------------------


@dataclass(frozen=True, slots=True)
class Portion(Generic[T]):
    """The part of a list that fits into a result.

    Attributes
    ----------
    entries, blocks
        Structure and text of each item.
    next_offset
        Offset of the rest, ``None`` at the end of the list.
    """

    items: tuple[T, ...]
    entries: tuple[Any, ...]
    blocks: tuple[str, ...]
    next_offset: int | None

    @property
    def cost(self) -> int:
        """Tokens of the costlier form."""
        return max(sum(map(tokens, self.entries)), sum(map(tokens, self.blocks)))


def portion(
    items: Sequence[T],
    entry: Callable[[T], Any],
    block: Callable[[T, Any], str],
    /,
    *,
    offset: int = 0,
    limit: int | None = None,
    budget: int = BUDGET,
    source_tokens: Callable[[], int] = int,
) -> Portion[T]:
    """Return both forms of *items* from *offset*, as many as fit in *budget* (at least one).

    *entry* returns the structure of an item and *block* its text from both; the longer form
    counts. For *source_tokens* see :func:`page_of`.
    """
    made: list[tuple[Any, str]] = []

    def costlier(item: T) -> str:
        structured = entry(item)
        text = block(item, structured)
        made.append((structured, text))
        return max(json.dumps(structured, ensure_ascii=False), text, key=tokens)

    shown, after = page_of(
        items, costlier, offset=offset, limit=limit, budget=budget, source_tokens=source_tokens
    )
    kept = made[: len(shown)]
    return Portion(
        tuple(items[offset : offset + len(shown)]),
        tuple(structured for structured, _ in kept),
        tuple(text for _, text in kept),
        after,
    )


def onward(offset: int | None, /) -> str | None:
    """Return the sentence with the offset of the rest of a list."""
    return None if offset is None else f"More from offset {offset}."


# --- collections and documents --------------------------------------------------------------


def bounded_collection(info: CollectionInfo, /, chars: int = 1_000) -> CollectionInfo:
    """Return a collection's facts without the ends of very long texts."""
    return replace(
        info,
        description=info.description and cut(info.description, chars),
        reference=info.reference and cut(info.reference, chars),
        tags=_first(info.tags, 50, chars),
    )


def collection_facts(info: CollectionInfo, /) -> Facts:
    """Return a collection's own facts."""
    return bounded_collection(info).as_dict()


def bounded_document(document: Document, /, budget: int = _FACTS_BUDGET) -> Document:
    """Return a document in at most *budget* tokens: long texts of the file are cut.

    Name, path and ids stay complete.
    """
    for chars, count in ((2_000, 50), (500, 20), (200, 10), (60, 5)):
        facts = replace(
            document,
            title=document.title and cut(document.title, chars),
            author=document.author and cut(document.author, chars),
            document_type_evidence=document.document_type_evidence
            and cut(document.document_type_evidence, chars),
            legal_evidence=document.legal_evidence and cut(document.legal_evidence, chars),
            legal_title=document.legal_title and cut(document.legal_title, chars),
            parties=document.parties
            and tuple(replace(p, name=cut(p.name, chars)) for p in document.parties[:count]),
            card=document.card
            and tuple(replace(f, value=cut(f.value, chars)) for f in document.card[:count]),
            own_citations=document.own_citations and document.own_citations[:count],
            properties=tuple(
                (cut(name, 80), cut(value, chars)) for name, value in document.properties[:count]
            ),
            missing=_first(document.missing, count, chars),
            warnings=_first(document.warnings, count, chars),
        )
        if tokens(facts.as_dict()) <= budget:
            break
    return facts


def document_facts(document: Document, /) -> Facts:
    """Return all facts of a document."""
    return bounded_document(document).as_dict()


def document_entry(document: Document, /) -> Facts:
    """Return a document as an entry of a list."""
    return LINE.of(replace(document, warnings=_first(document.warnings, _WARNINGS, _WARNING_CHARS)))


def _first(texts: Sequence[str], count: int, chars: int) -> tuple[str, ...]:
    return tuple(few(texts, most=count, chars=chars))


# --- passages -------------------------------------------------------------------------------


def bounded_source(provenance: Provenance, /) -> Provenance:
    """Return a source with bounded headings and table columns, which come from the file.

    Its rectangles, which only a viewer needs, are left out.
    """
    header = provenance.table_header
    return replace(
        provenance,
        line_boxes=(),
        heading_path=tuple(cut(h, _HEADING_CHARS) for h in provenance.heading_path[-_HEADINGS:]),
        table_header=header and cut(header, _TABLE_HEADER_CHARS),
        page_header=provenance.page_header and cut(provenance.page_header, _TABLE_HEADER_CHARS),
        page_footer=provenance.page_footer and cut(provenance.page_footer, _TABLE_HEADER_CHARS),
    )


def bounded_chunk(chunk: Chunk, /) -> Chunk:
    """Return a chunk with :func:`bounded_source`."""
    return replace(chunk, provenance=bounded_source(chunk.provenance))


def addresses(provenance: Provenance, collection_id: str, /) -> dict[str, str]:
    """Return the addresses of a passage and, if its page can be drawn, of its picture."""
    uris = {"uri": chunk_uri(collection_id, provenance.chunk_id)}
    if has_picture(provenance):
        uris["page_image_uri"] = highlight_uri(collection_id, provenance.chunk_id)
    return uris


def has_picture(provenance: Provenance, /) -> bool:
    """Return whether the page of a chunk can be drawn."""
    return provenance.page_width is not None


def passage(chunk: Chunk, /, collection_id: str = "") -> Facts:
    """Return a chunk without rectangles; *collection_id* adds its addresses."""
    raw = chunk.as_dict()
    del raw["highlight"]
    return raw | addresses(chunk.provenance, collection_id) if collection_id else raw


def source_links(collection_id: str, sources: Sequence[Provenance], /) -> list[ResourceLink]:
    """Return links to the pictures of the first sources, then to the documents, each once."""
    drawn = [p for p in sources[:_LINKED_PICTURES] if has_picture(p)]
    links = [
        _link(highlight_uri(collection_id, p.chunk_id), p.document_name, p.cite(), "image/png")
        for p in drawn
    ]
    documents = {p.document_id: p.document_name for p in sources}
    links += [
        _link(document_uri(collection_id, key), name, name, "text/markdown")
        for key, name in documents.items()
    ]
    return links[:_LINKS]


def _link(uri: str, name: str, title: str, kind: str) -> ResourceLink:
    return ResourceLink(
        uri=uri, name=sendable(cut(name, 200)), title=sendable(cut(title, 300)), mime_type=kind
    )


# Limits of long answers: token budgets of their lists, and shorter quotations.


R = TypeVar("R")

WHOLE = 18_000
"""Tokens of a structured result; the rest of the budget is for the text around it."""
NAME_CHARS = 300
"""Characters of a name from a document, such as a web address."""


def list_budget(
    facts: Any, formatter: ResponseFormatter | None = None, /, *, whole: int = WHOLE
) -> int:
    """Return the tokens available for a list in a result with *facts*."""
    budget = formatter.budget if formatter else BUDGET
    return max(0, min(budget, whole - tokens(facts)))


def first(
    items: Sequence[T], shape: Callable[[T], Any], /, *, budget: int, most: int | None = None
) -> list[Any]:
    """Return the entries of the first *most* items, as many as fit in *budget*."""
    return page_of(items, shape, limit=most, budget=budget)[0]


def after_page(offset: int, shown: int, total: int, /) -> int | None:
    """Return the offset of the next page, ``None`` at the end and after an empty page."""
    return offset + shown if shown and offset + shown < total else None


def more_from(after: int | None, missing: int, way: str, /) -> str | None:
    """Return a sentence on how to get the rest of a list, ``None`` at its end.

    Parameters
    ----------
    after
        Offset of the next page, ``None`` if no offset leads further.
    missing
        Number of entries after the shown ones.
    way
        Advice if no offset leads further.
    """
    if after is not None:
        return onward(after)
    return more_of(f"{missing:,} more", way) if missing > 0 else None


def more_of(fact: str, way: str, /) -> str:
    """Return a sentence on the omitted part, with the *way* to get it."""
    return f"{fact}: {way.rstrip('.')}." if way else f"{fact}."


def few(texts: Iterable[str], /, *, most: int = 20, chars: int = NAME_CHARS) -> list[str]:
    """Return the first texts, cut, and as the last one how many follow."""
    every = list(texts)
    shown = [cut(text, chars) for text in every[:most]]
    rest = len(every) - len(shown)
    return [*shown, f"\u2026 {rest:,} more"] if rest else shown


def spread_page(
    ask: Callable[[int], R],
    items: Callable[[R], Sequence[T]],
    shape: Callable[[T], Any],
    budget: Callable[[R], int],
    /,
    *,
    offset: int,
    count: int,
    most: int,
) -> tuple[R, list[Any]]:
    """Return a page of a list that is selected separately for every length.

    The library distributes mentions over documents, best ones first, and then sorts them in reading
    order. A page therefore contains the items that a longer selection adds to a shorter one.

    Parameters
    ----------
    ask
        Returns the answer with a number of items.
    items
        Returns the mentions or citations of an answer; the place of the quotation identifies them.
    shape
        Returns the entry of an item.
    budget
        Returns the tokens available for the entries of an answer.
    most
        Highest number of items.

    Returns
    -------
    tuple
        The last answer, and the entries of the page.
    """
    before = {_place(i) for i in items(ask(min(offset, most)))} if offset else set()
    while True:
        result = ask(min(offset + count, most))
        chosen = [item for item in items(result) if _place(item) not in before]
        entries = page_of(chosen, shape, budget=budget(result))[0]
        if len(entries) == len(chosen):
            return result, entries
        count = len(entries)


def _place(item: Any) -> tuple[str, int, int]:
    quote: Quote = item.quote
    return quote.chunk_id, quote.char_start, quote.char_end
