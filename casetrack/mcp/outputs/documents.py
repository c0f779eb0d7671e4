"""Documents: in lists, in full, as a table of contents."""

from typing import NotRequired

from typing_extensions import TypedDict

from casetrack.mcp.outputs.collections import CountedCollection
from casetrack.mcp.outputs.entities import EntityName


class DocumentFacts(TypedDict):
    """One document's row in the ledger."""

    document_id: str
    revision: str
    name: str
    path: str
    format: str
    document_type: str | None
    document_type_evidence: str | None
    parent_id: str | None
    title: str | None
    author: str | None
    content_created_at: str | None
    content_modified_at: str | None
    properties: dict[str, str]
    language: str | None
    page_count: int
    pages_without_text: int
    chunk_count: int
    char_count: int
    extraction_method: str
    ocr_pages: int
    ocr_engine: str | None
    ocr_confidence: float | None
    missing: list[str]
    read_with: str | None
    file_hash: str
    file_size: int
    file_modified_at: str
    original_copy: str | None
    pipeline: str
    pipeline_fingerprint: str
    warnings: list[str]
    ingested_at: str
    updated_at: str


class DocumentLine(TypedDict):
    """What a list says of a document."""

    document_id: str
    name: str
    path: str
    format: str
    document_type: str | None
    page_count: int
    chunk_count: int
    extraction_method: str
    ingested_at: str
    warnings: list[str]


class ShortDocumentLine(TypedDict):
    """The concise form: ``path`` begins where ``root`` of the list ends."""

    document_id: str
    name: str
    path: str
    document_type: str | None
    page_count: int
    ingested_at: str


class CollectionInfoOutput(CountedCollection):
    """A collection with its documents, newest first."""

    folder: str
    documents: list[DocumentLine]
    documents_omitted: int


class DocumentsOutput(TypedDict):
    """The documents of a collection, from ``offset`` on."""

    collection: str
    sort_by: str
    total: int
    offset: int
    next_offset: int | None
    root: NotRequired[str]
    documents: list[DocumentLine] | list[ShortDocumentLine]
    next_step: str | None


class DocumentOutput(TypedDict):
    """One document; its words about itself, such as a title, are quoted from it."""

    collection: str
    notice: str
    uri: str
    document: DocumentFacts


class SectionEntry(TypedDict):
    """A heading and where it stands."""

    level: int
    title: str
    page: int
    paragraph: int
    char_start: int
    char_end: int
    chunk_id: str
    citation: str


class StructureOutput(TypedDict):
    """A document's headings in reading order, then its attachments, from ``offset`` on.

    ``entities`` are the names it mentions most, counted over the whole collection.
    """

    collection: str
    notice: str
    document: DocumentFacts
    uri: str
    total: int
    attachment_count: int
    offset: int
    next_offset: int | None
    sections: list[SectionEntry]
    paragraph_kinds: dict[str, int]
    entities: list[EntityName]
    attachments: list[DocumentLine]


class DeletedDocument(TypedDict):
    """A document that is gone."""

    collection: str
    deleted: DocumentFacts
    note: str
