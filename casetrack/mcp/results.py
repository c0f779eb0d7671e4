"""Results with text for people and structure for programs; the pieces several tools share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, TextContent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.mcp.outputs import CollectionFacts, DocumentFacts, DocumentLine, Passage
    from casetrack.records import Chunk, CollectionInfo, Document

_LINE_FIELDS = (
    "document_id",
    "name",
    "path",
    "format",
    "document_type",
    "page_count",
    "chunk_count",
    "extraction_method",
    "ingested_at",
    "warnings",
)

LARGE_RESULT = {"anthropic/maxResultSizeChars": 500_000}
"""Lets a client that cuts long results take a whole page of passages."""


def answer(text: str, structured: Mapping[str, Any], /) -> CallToolResult:
    """Return a successful result. Both parts are free of characters that no wire can carry."""
    return CallToolResult(
        content=[TextContent(type="text", text=sendable(text))],
        structured_content=sendable(dict(structured)),
    )


def sendable(value: Any, /) -> Any:
    """Return *value* with lone surrogates replaced, which stand for the raw bytes of file names.

    UTF-8 has no form for them, so one such name would break the connection.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not _encodes(value) else value
    if isinstance(value, dict):
        return {sendable(k): sendable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [sendable(v) for v in value]
    return value


def _encodes(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def collection_facts(info: CollectionInfo, /) -> CollectionFacts:
    """Return a collection's own facts."""
    facts: CollectionFacts = info.as_dict()  # type: ignore[assignment]
    return facts


def document_facts(document: Document, /) -> DocumentFacts:
    """Return everything known about a document."""
    facts: DocumentFacts = document.as_dict()  # type: ignore[assignment]
    return facts


def document_entry(document: Document, /) -> DocumentLine:
    """Return what a list says of a document."""
    raw = document.as_dict()
    entry: DocumentLine = {name: raw[name] for name in _LINE_FIELDS}  # type: ignore[assignment]
    return entry


def passage(chunk: Chunk, /) -> Passage:
    """Return a chunk as a passage: without the rectangles, which only a viewer can use."""
    raw = chunk.as_dict()
    raw.pop("highlight", None)
    result: Passage = raw  # type: ignore[assignment]
    return result


def next_offset(offset: int, shown: int, total: int, /) -> int | None:
    """Return where the next page of a list begins, or ``None`` at its end."""
    return offset + shown if offset + shown < total else None
