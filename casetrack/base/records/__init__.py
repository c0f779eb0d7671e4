"""Results of the library: documents, chunks, search results, reports.

Records with document text have its :class:`~casetrack.base.provenance.Provenance` (invariant P4).
``as_dict`` returns the JSON form of the command line and MCP.
"""

from casetrack.base.records.cards import QueryReport, RetrievalCall
from casetrack.base.records.collections import (
    AUTO_PROFILE,
    COLLECTION_TYPES,
    DEFAULT_DIMENSION,
    DEFAULT_PROFILE,
    CollectionEntry,
    CollectionFacts,
    CollectionInfo,
    CollectionStats,
    CollectionStatus,
    StatusChange,
)
from casetrack.base.records.documents import (
    DOCUMENT_TYPES,
    Document,
    DocumentStructure,
    DocumentType,
    Page,
    Section,
)
from casetrack.base.records.health import CollectionHealth, DocumentHealth
from casetrack.base.records.passages import (
    Chunk,
    ChunkWindow,
    Illustrate,
    PageImage,
    Passages,
    Picture,
    highlight,
)
from casetrack.base.records.reports import (
    FILE_STATUSES,
    Check,
    FileOutcome,
    FileStatus,
    HealthReport,
    IngestProgress,
    IngestReport,
    UntakenFile,
    untaken_text,
)
from casetrack.base.records.search import (
    Facet,
    Facets,
    FacetValue,
    RelatedChunk,
    SamePlace,
    SearchMode,
    SearchResult,
    SearchResults,
    Signal,
)
from casetrack.base.records.table import RowList, Rows, Tabular
