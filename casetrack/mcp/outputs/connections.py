"""What connects documents, passages and two documents side by side."""

from typing_extensions import TypedDict

from casetrack.mcp.outputs.documents import DocumentLine
from casetrack.mcp.outputs.entities import EntityName
from casetrack.mcp.outputs.passages import Passage, ShortPassage
from casetrack.mcp.outputs.quotes import DocumentName, Pointer, Quote, TypedDocumentName
from casetrack.mcp.outputs.references import Reference


class Relation(TypedDict):
    """Why two documents belong together.

    `outgoing` says whether it goes from the document asked for to the other one. `evidence` holds
    a place that shows it, and is empty for what no single place shows.
    """

    type: str
    weight: float
    count: int
    description: str
    outgoing: bool | None
    evidence: list[Quote]


class RelatedDocument(TypedDocumentName):
    """A related document, and all that relates it, the strongest first."""

    path: str
    weight: float
    relations: list[Relation]


class RelatedOutput(TypedDict):
    """Related documents, strongest first, from `offset` on."""

    collection: str
    notice: str
    document: DocumentName
    relationship_type: str
    offset: int
    next_offset: int | None
    related: list[RelatedDocument]
    more: str | None


class TypedDocumentsOutput(TypedDict):
    """The documents of one kind, from `offset` on."""

    collection: str
    document_type: str
    total: int
    offset: int
    next_offset: int | None
    documents: list[DocumentLine]
    more: str | None


class PagesOutput(TypedDict):
    """The chunks of some pages, in reading order; `more` says how to read on."""

    collection: str
    notice: str
    document: DocumentName
    page_count: int
    start_page: int
    end_page: int
    total: int
    offset: int
    next_offset: int | None
    chunks: list[Passage] | list[ShortPassage]
    more: str | None


class TraversalOutput(TypedDict):
    """Chunks in document order from a starting point; `more` says how to read on."""

    collection: str
    notice: str
    start_chunk_id: str
    direction: str
    chunks: list[Passage] | list[ShortPassage]
    more: str | None


class SimilarPassage(Passage):
    """A passage that means nearly the same as another one."""

    similarity: float


class ShortSimilarPassage(ShortPassage):
    """The same in its concise form."""

    similarity: float


class SimilarOutput(TypedDict):
    """Passages like another one, the most similar first, from ``offset`` on."""

    collection: str
    notice: str
    chunk_id: str
    citation: str
    offset: int
    next_offset: int | None
    chunks: list[SimilarPassage] | list[ShortSimilarPassage]
    more: str | None


class ScoredPassage(Passage):
    """A passage on the topic asked for."""

    score: float


class ShortScoredPassage(ShortPassage):
    """The same in its concise form."""

    score: float


class Side(DocumentName):
    """What one of two documents says; `further` are passages that did not fit."""

    passages: list[ScoredPassage] | list[ShortScoredPassage]
    further: list[Pointer]


class Word(TypedDict):
    """Words that are the same, removed or added."""

    op: str
    text: str


class Change(TypedDict):
    """A paragraph that was added, removed or changed, and its words in order."""

    kind: str
    before: Quote | None
    after: Quote | None
    words: list[Word]


class Changes(TypedDict):
    """What changed on the topic from one version to the other; the first are given in full."""

    before: DocumentName
    after: DocumentName
    unchanged_paragraphs: int
    total: int
    changes: list[Change]


class ComparisonOutput(TypedDict):
    """What two documents say of a topic, and the names and references in both or in one alone.

    `similarity` compares the documents as a whole; `changes` is null where neither is a version of
    the other.
    """

    collection: str
    notice: str
    topic: str
    document_a: Side
    document_b: Side
    shared_entities: list[EntityName]
    only_a: list[EntityName]
    only_b: list[EntityName]
    shared_references: list[Reference]
    similarity: float | None
    changes: Changes | None
    notes: list[str]
    more: str | None
