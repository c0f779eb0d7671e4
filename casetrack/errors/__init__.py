"""Every error a user can meet: what happened, where, and what to do next.

One root class. Fields are stored, the text is built once in ``__init__``; ``code`` is a stable
machine name for JSON output, ``hint`` the next step. The texts of the common errors follow the
requirement (PRD 09 §2, "Common Error Patterns").
"""

from casetrack.errors.base import CaseTrackError, UsageError
from casetrack.errors.collections import (
    ArchiveDamaged,
    CollectionBusy,
    CollectionDamaged,
    CollectionExists,
    CollectionGone,
    CollectionNotFound,
    CollectionReadOnly,
    FutureSchema,
    MigrationFailed,
    NoActiveCollection,
    SnapshotExists,
    SnapshotNotFound,
)
from casetrack.errors.documents import (
    AmbiguousName,
    ChunkNotFound,
    DocumentNotFound,
    DuplicateDocument,
    EntityNotFound,
    ReferenceNotFound,
)
from casetrack.errors.files import (
    ConverterMissing,
    EmptyFile,
    FileEncrypted,
    FileError,
    FileNotFound,
    FileUnreadable,
    FormatMismatch,
    NoText,
    OcrUnavailable,
    ParseFailed,
    ParseLimit,
    UnexpectedFileError,
    UnsupportedFormat,
    WorkerCrashed,
    WrongPathKind,
)
from casetrack.errors.models import (
    DownloadFailed,
    ModelCorrupt,
    ModelError,
    ModelNotFound,
    ProfileIncomplete,
    ProviderError,
    ProviderUnreachable,
)
from casetrack.errors.pipelines import PipelineError, QueryError, SchemaError
from casetrack.errors.storage import DiskFull, NotWritable, StorageError
from casetrack.errors.work import FolderUnsafe, JobNotFound, JobStopped, WatchNotFound

__all__ = [
    "AmbiguousName",
    "ArchiveDamaged",
    "CaseTrackError",
    "ChunkNotFound",
    "CollectionBusy",
    "CollectionDamaged",
    "CollectionExists",
    "CollectionGone",
    "CollectionNotFound",
    "CollectionReadOnly",
    "ConverterMissing",
    "DiskFull",
    "DocumentNotFound",
    "DownloadFailed",
    "DuplicateDocument",
    "EmptyFile",
    "EntityNotFound",
    "FileEncrypted",
    "FileError",
    "FileNotFound",
    "FileUnreadable",
    "FolderUnsafe",
    "FormatMismatch",
    "FutureSchema",
    "JobNotFound",
    "JobStopped",
    "MigrationFailed",
    "ModelCorrupt",
    "ModelError",
    "ModelNotFound",
    "NoActiveCollection",
    "NoText",
    "NotWritable",
    "OcrUnavailable",
    "ParseFailed",
    "ParseLimit",
    "PipelineError",
    "ProfileIncomplete",
    "ProviderError",
    "ProviderUnreachable",
    "QueryError",
    "ReferenceNotFound",
    "SchemaError",
    "SnapshotExists",
    "SnapshotNotFound",
    "StorageError",
    "UnexpectedFileError",
    "UnsupportedFormat",
    "UsageError",
    "WatchNotFound",
    "WorkerCrashed",
    "WrongPathKind",
]
