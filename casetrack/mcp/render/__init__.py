"""Text for people, in the form that the requirement shows. Programs get the structured result."""

from casetrack.mcp.render.collections import collection_details, collection_line, created, sizes
from casetrack.mcp.render.documents import document_details, document_line, ocr_line, structure
from casetrack.mcp.render.passages import chunk, chunk_list, context, search_results, source_line
from casetrack.mcp.render.pieces import (
    counted,
    duration,
    excerpt,
    home_path,
    method,
    quoted,
    size,
    span,
    table,
)

__all__ = [
    "chunk",
    "chunk_list",
    "collection_details",
    "collection_line",
    "context",
    "counted",
    "created",
    "document_details",
    "document_line",
    "duration",
    "excerpt",
    "home_path",
    "method",
    "ocr_line",
    "quoted",
    "search_results",
    "size",
    "sizes",
    "source_line",
    "span",
    "structure",
    "table",
]
