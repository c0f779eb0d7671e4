"""What the library returns: documents, chunks, search results, reports. Plain frozen records.

Everything that carries document text carries its :class:`~casetrack.provenance.Provenance`
(invariant P4). ``as_dict`` gives the JSON form used by the command line and by MCP.
"""

from casetrack.records.collections import (
    AUTO_PROFILE,
    COLLECTION_TYPES,
    DEFAULT_DIMENSION,
    DEFAULT_PROFILE,
    CollectionEntry,
    CollectionInfo,
    CollectionStats,
    CollectionStatus,
    StatusChange,
)
from casetrack.records.documents import (
    DOCUMENT_TYPES,
    Document,
    DocumentStructure,
    DocumentType,
    Page,
    Section,
)
from casetrack.records.files import UntakenFile, untaken_text
from casetrack.records.health import CollectionHealth, DocumentHealth
from casetrack.records.passages import Chunk, ChunkWindow, Illustrate, Picture, highlight
from casetrack.records.pictures import PageImage
from casetrack.records.queries import QueryReport, RetrievalCall
from casetrack.records.reports import (
    FILE_STATUSES,
    Check,
    FileOutcome,
    FileStatus,
    HealthReport,
    IngestProgress,
    IngestReport,
)
from casetrack.records.search import (
    RelatedChunk,
    SamePlace,
    SearchMode,
    SearchResult,
    SearchResults,
    Signal,
)
from casetrack.records.table import RowList, Rows, Tabular
