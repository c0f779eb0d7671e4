"""A collection as a whole: summary, timeline, counts, groups of documents."""

from typing_extensions import TypedDict

from casetrack.mcp.outputs.entities import Entity
from casetrack.mcp.outputs.quotes import DocumentName, Quote, TypedDocumentName
from casetrack.mcp.outputs.references import Reference


class Event(Quote):
    """A date and what the text says of it.

    `date` is ISO 8601 as precise as the text; `first` and `last` are the days that it covers.
    """

    date: str
    first: str
    last: str
    precision: str
    description: str
    mention_count: int
    document_count: int
    weight: float


class TimelineOutput(TypedDict):
    """Events in order of date; where there are too many, those next in weight from `offset` on.

    `undated` counts dates without a year, or with several readings, that are not among them.
    """

    collection: str
    notice: str
    start_date: str | None
    end_date: str | None
    total: int
    undated: int
    offset: int
    next_offset: int | None
    events: list[Event]
    more: str | None


class Statistics(TypedDict):
    """Counts of a collection; `embedder_coverage` is the share of chunks with each output."""

    collection: str
    document_count: int
    page_count: int
    chunk_count: int
    storage_bytes: int
    document_types: dict[str, int]
    file_formats: dict[str, int]
    languages: dict[str, int]
    extraction_methods: dict[str, int]
    entity_counts: dict[str, int]
    mention_count: int
    reference_counts: dict[str, int]
    citation_count: int
    edge_counts: dict[str, int]
    embedder_coverage: dict[str, float]
    partial_documents: int
    pages_without_text: int
    ocr_pages: int
    last_updated: str | None
    notes: list[str]


class KeyActor(Entity):
    """Somebody who matters, with the place that says who it is."""

    evidence: Quote | None


class Topic(TypedDict):
    """What many passages are about; `quotes` are typical of it."""

    topic_id: str
    label: str
    terms: list[str]
    chunk_count: int
    document_count: int
    document_ids: list[str]
    quotes: list[Quote]


class Kind(TypedDict):
    """Documents of one kind: all are counted, the first are named."""

    document_type: str
    count: int
    documents: list[DocumentName]


class SummaryOutput(TypedDict):
    """A collection at a glance; `more` names the tools that have all of what is cut here."""

    collection: str
    collection_type: str
    notice: str
    key_actors: list[KeyActor]
    key_dates: list[Event]
    topics: list[Topic]
    documents: list[Kind]
    references: list[Reference]
    entities: list[Entity]
    version_chains: list[list[DocumentName]]
    version_chain_count: int
    statistics: Statistics
    more: str | None


class Cluster(TypedDict):
    """Documents that belong together, what they share, and a place that shows it.

    All documents are counted, the most typical ones named.
    """

    cluster_id: str
    label: str
    shared: list[str]
    document_count: int
    documents: list[TypedDocumentName]
    quotes: list[Quote]


class ClustersOutput(TypedDict):
    """Groups of documents, from `offset` on; `rest` belong to none, the first of them named."""

    collection: str
    notice: str
    strategy: str
    total: int
    offset: int
    next_offset: int | None
    clusters: list[Cluster]
    rest_count: int
    rest: list[DocumentName]
    more: str | None
