"""Words of documents at their exact place, and what did not fit into an answer."""

from typing_extensions import TypedDict

from casetrack.mcp.outputs.passages import Source


class Quote(TypedDict):
    """Words of a document, with some of what stands around them, and where they stand.

    `chunk_char_start` and `chunk_char_end` are their place in the text of the chunk.
    """

    text: str
    snippet: str
    chunk_char_start: int
    chunk_char_end: int
    citation: str
    citation_short: str
    source: Source


class Pointer(TypedDict):
    """A passage that get_chunk gives in full."""

    chunk_id: str
    citation: str


class DocumentName(TypedDict):
    """A document, by name and id."""

    document_id: str
    document: str


class TypedDocumentName(DocumentName):
    """A document, by name, id and kind."""

    document_type: str | None
