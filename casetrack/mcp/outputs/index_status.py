"""What of an index is out of date."""

from typing_extensions import TypedDict


class Coverage(TypedDict):
    """How many chunks have an output, and their share (0 to 1)."""

    chunks: int
    share: float


class IndexedDocument(TypedDict):
    """How far one document is as it would be made now."""

    document_id: str
    name: str
    path: str
    chunks: int
    coverage: dict[str, int]
    source: str
    problems: list[str]
    reason: str
    health: str


class IndexStatusOutput(TypedDict):
    """How far a collection is as it would be made now; documents with problems come first."""

    collection: str
    profile: str
    models: bool
    ok: bool
    document_count: int
    chunks: int
    coverage: dict[str, Coverage]
    problems: dict[str, int]
    remedy: str
    documents: list[IndexedDocument]
    documents_omitted: int
    offset: int
    next_offset: int | None
    more: str
