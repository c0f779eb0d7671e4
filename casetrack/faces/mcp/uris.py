"""Addresses of resources."""

from __future__ import annotations

import re
from enum import StrEnum

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import UsageError

SCHEME = "casetrack"
COLLECTIONS = f"{SCHEME}://collections"
SQL = f"{SCHEME}://sql"
"""Address of the description of SQL views, their columns and functions."""

_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PAGE = r"[1-9][0-9]{0,6}"
_SHOWN = 80


class Kind(StrEnum):
    """Kind of a resource."""

    COLLECTIONS = "collections"
    SQL = "sql"
    COLLECTION = "collection"
    DOCUMENT = "document"
    CHUNK = "chunk"
    PAGE = "page"
    HIGHLIGHT = "highlight"


TEMPLATES: dict[Kind, str] = {
    Kind.COLLECTIONS: COLLECTIONS,
    Kind.SQL: SQL,
    Kind.COLLECTION: COLLECTIONS + "/{collection_id}",
    Kind.DOCUMENT: COLLECTIONS + "/{collection_id}/documents/{document_id}",
    Kind.CHUNK: COLLECTIONS + "/{collection_id}/chunks/{chunk_id}",
    Kind.PAGE: COLLECTIONS + "/{collection_id}/documents/{document_id}/pages/{page}",
    Kind.HIGHLIGHT: COLLECTIONS + "/{collection_id}/chunks/{chunk_id}/page",
}
"""URI templates (RFC 6570, level 1)."""


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address: canonical ids (empty if absent) and the page from 1 (0 if absent)."""

    kind: Kind
    collection_id: str = ""
    document_id: str = ""
    chunk_id: str = ""
    page: int = 0


class NotAnAddress(UsageError):
    """A URI without a known form."""

    code = "resource_not_found"

    def __init__(self, uri: str, /) -> None:
        shown = uri if len(uri) <= _SHOWN else uri[: _SHOWN - 1] + "\u2026"
        forms = "\n".join(f"  - {form}" for form in TEMPLATES.values())
        super().__init__(
            f"Invalid resource address: {shown!r}",
            hint=f"Addresses have these forms, with ids as tools return them:\n{forms}",
        )


def _pattern(template: str) -> re.Pattern[str]:
    """Return the strict pattern of a template: ids are canonical UUIDs, pages plain numbers."""
    pattern = re.escape(template)
    for name in ("collection_id", "document_id", "chunk_id"):
        pattern = pattern.replace(re.escape(f"{{{name}}}"), f"(?P<{name}>{_ID})")
    return re.compile(pattern.replace(re.escape("{page}"), f"(?P<page>{_PAGE})"), re.ASCII)


_PATTERNS = {kind: _pattern(template) for kind, template in TEMPLATES.items()}


def collection_uri(collection_id: str, /) -> str:
    """Return the address of a collection's briefing facts (JSON)."""
    return f"{COLLECTIONS}/{collection_id}"


def document_uri(collection_id: str, document_id: str, /) -> str:
    """Return the address of a document's text in reading order (Markdown)."""
    return f"{COLLECTIONS}/{collection_id}/documents/{document_id}"


def chunk_uri(collection_id: str, chunk_id: str, /) -> str:
    """Return the address of a passage with its provenance (JSON)."""
    return f"{COLLECTIONS}/{collection_id}/chunks/{chunk_id}"


def page_uri(collection_id: str, document_id: str, page: int, /) -> str:
    """Return the address of the picture of a page, counted from 1 (PNG)."""
    return f"{document_uri(collection_id, document_id)}/pages/{page}"


def highlight_uri(collection_id: str, chunk_id: str, /) -> str:
    """Return the address of the picture of a passage's page with the passage marked (PNG)."""
    return f"{chunk_uri(collection_id, chunk_id)}/page"


def parse_uri(uri: str, /) -> Address:
    """Parse *uri*.

    The whole URI must match one of :data:`TEMPLATES` exactly: no other scheme, no percent escapes,
    no query, no fragment, no empty or relative segments.
    """
    for kind, pattern in _PATTERNS.items():
        match = pattern.fullmatch(uri)
        if match:
            parts = match.groupdict()
            page = int(parts.pop("page", None) or 0)
            return Address(kind, **parts, page=page)
    raise NotAnAddress(uri)
