"""What documents refer to."""

from typing_extensions import TypedDict

from casetrack.mcp.outputs.quotes import Quote


class Reference(TypedDict):
    """Something that documents refer to, and the document of the collection that is meant."""

    reference_id: str
    type: str
    name: str
    citation_count: int
    document_count: int
    target_document_id: str | None
    target_document: str | None


class ReferencesOutput(TypedDict):
    """References in the order asked for, from `offset` on; `counts` has all there are, by type."""

    collection: str
    reference_type: str
    sort_by: str
    counts: dict[str, int]
    total: int
    offset: int
    next_offset: int | None
    references: list[Reference]
    more: str | None


class Citation(Quote):
    """A place that refers to something; `relationship` is what the text says of the two."""

    relationship: str
    confidence: float


class CitationsOutput(TypedDict):
    """Where something is referred to, from `offset` on.

    `score` is 1 where the name is the one asked for.
    """

    collection: str
    notice: str
    query: str
    reference: Reference
    score: float
    other_matches: list[Reference]
    total: int
    offset: int
    next_offset: int | None
    citations: list[Citation]
    more: str | None
