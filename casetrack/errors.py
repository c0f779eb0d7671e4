"""Every error a user can meet: what happened, where, and what to do next.

One root class. Fields are stored, the text is built once in ``__init__``; ``code`` is a stable
machine name for JSON output, ``hint`` the next step. The texts of the common errors follow the
requirement (PRD 09 §2, "Common Error Patterns").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class CaseTrackError(Exception):
    """Root of all errors that CaseTrack raises on purpose.

    Parameters
    ----------
    message
        What happened and where, one sentence.
    hint
        The next step for the person who reads it; may span lines, may be empty.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = message
        self.hint = hint
        super().__init__(f"{message}\n\n{hint}" if hint else message)

    def as_dict(self) -> dict[str, str]:
        """Return ``{"code", "message", "hint"}`` for JSON output."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(CaseTrackError):
    """An argument is wrong; nothing was done."""

    code = "usage"


# --- collections ---------------------------------------------------------------------------


class NoActiveCollection(UsageError):
    """A tool needs a collection and none was chosen."""

    code = "no_collection_active"

    def __init__(self) -> None:
        super().__init__(
            "No active collection. Create or switch to a collection first:\n"
            "  - create_collection: Create a new collection\n"
            "  - switch_collection: Switch to an existing collection\n"
            "  - list_collections: See all collections"
        )


class CollectionNotFound(UsageError):
    """No collection has this name or id.

    Parameters
    ----------
    name
        What the user asked for.
    near
        ``(name, id)`` of collections with a similar name.
    """

    code = "collection_not_found"

    def __init__(self, name: str, near: Sequence[tuple[str, str]] = ()) -> None:
        self.name = name
        self.near = tuple(near)
        if near:
            lines = "\n".join(f"  - {n} (ID: {i})" for n, i in near)
            super().__init__(
                f'Collection not found: "{name}". Did you mean:\n{lines}\nUse the full name or ID.'
            )
        else:
            super().__init__(
                f'Collection not found: "{name}".',
                hint="List what exists with `casetrack collection list`, "
                f"or create it with `casetrack collection create {name!r}`.",
            )


class CollectionExists(UsageError):
    """A collection of this name is there already."""

    code = "collection_exists"

    def __init__(self, name: str, collection_id: str) -> None:
        super().__init__(
            f'A collection named "{name}" already exists (ID: {collection_id}).',
            hint="Use it as it is, or choose another name.",
        )


class CollectionDamaged(CaseTrackError):
    """A collection's files cannot be read."""

    code = "collection_damaged"


class CollectionBusy(CaseTrackError):
    """Another process holds the collection's write lock for too long."""

    code = "collection_busy"


class FutureSchema(CaseTrackError):
    """The collection was written by a newer CaseTrack."""

    code = "future_schema"

    def __init__(self, found: int, supported: int) -> None:
        super().__init__(
            f"Database schema version {found} is newer than supported version {supported}. "
            "Update CaseTrack.",
            hint="Install the newest version with `pip install --upgrade casetrack`.",
        )


# --- documents and chunks ------------------------------------------------------------------


class DocumentNotFound(UsageError):
    """No document of the collection has this name, path or id."""

    code = "document_not_found"

    def __init__(self, name: str, near: Sequence[tuple[str, str]] = ()) -> None:
        self.name = name
        self.near = tuple(near)
        if near:
            lines = "\n".join(f"  - {n} (ID: {i})" for n, i in near)
            super().__init__(
                f'Document not found: "{name}". Did you mean:\n{lines}\nUse the full name or ID.'
            )
        else:
            super().__init__(
                f'Document not found: "{name}".',
                hint="List what is there with `casetrack documents` (list_documents).",
            )


class AmbiguousName(UsageError):
    """A name fits several documents or collections."""

    code = "ambiguous_name"

    def __init__(self, kind: str, name: str, matches: Sequence[tuple[str, str]]) -> None:
        lines = "\n".join(f"  - {n} (ID: {i})" for n, i in matches)
        super().__init__(
            f'{len(matches)} {kind}s are called "{name}":\n{lines}', hint="Use the ID of one."
        )


class ChunkNotFound(UsageError):
    """No live chunk has this id."""

    code = "chunk_not_found"

    def __init__(self, chunk_id: str) -> None:
        super().__init__(
            f"Chunk not found: {chunk_id}",
            hint="Chunk ids come from a search result; "
            "the document may have been deleted or changed since.",
        )


class DuplicateDocument(CaseTrackError):
    """The same bytes are in the collection already."""

    code = "duplicate"

    def __init__(self, path: Path | str, document_name: str, document_id: str) -> None:
        self.document_id = document_id
        self.document_name = document_name
        super().__init__(
            f"Duplicate document: {path} has the same content as "
            f'"{document_name}" (SHA256 matches existing document ID: {document_id}).',
            hint="Nothing was added. Use --force to ingest it anyway.",
        )


# --- files ---------------------------------------------------------------------------------


class FileError(CaseTrackError):
    """A file cannot be used; the batch goes on with the next one."""

    code = "file"


class FileNotFound(FileError, UsageError):
    """Nothing is at this path."""

    code = "file_not_found"

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"File not found: {path}", hint="Check that the path is correct and the file exists."
        )


class WrongPathKind(FileError, UsageError):
    """A folder where a file is needed, or the other way round."""

    code = "wrong_path_kind"


class FileUnreadable(FileError):
    """The operating system refuses to read the file."""

    code = "file_unreadable"

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(
            f"Cannot read {path}: {reason}",
            hint="Check the file's permissions, and that no other program holds it.",
        )


class EmptyFile(FileError):
    """The file has no bytes."""

    code = "empty_file"

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"File is empty (0 bytes): {path}",
            hint="If it should have content, copy it again from its source.",
        )


class UnsupportedFormat(FileError):
    """No reader knows this kind of file."""

    code = "unsupported_format"

    def __init__(self, path: Path | str, known: Sequence[str]) -> None:
        super().__init__(
            f"Unsupported file format: {path}",
            hint="Supported formats: " + ", ".join(sorted(known)) + ", and source code.",
        )


class FormatMismatch(FileError):
    """The file's extension says one format and its bytes another."""

    code = "format_mismatch"

    def __init__(self, path: Path | str, extension: str, found: str) -> None:
        super().__init__(
            f"{path} is named {extension} but its content is {found}.",
            hint="Rename the file to its real format, or export it again from its program.",
        )


class ParseFailed(FileError):
    """The reader could not make sense of the file."""

    code = "parse_failed"

    def __init__(self, path: Path | str, kind: str, reason: str) -> None:
        super().__init__(
            f"{kind} parse error for {path}: {reason}",
            hint="The file may be damaged. Open it in its own program and save it again, "
            "then ingest the new copy.",
        )


class FileEncrypted(FileError):
    """The file needs a password.

    Parameters
    ----------
    path
        The file.
    tried
        How many passwords were tried on it, ``None`` where its reader cannot open such files.
    """

    code = "encrypted"

    def __init__(self, path: Path | str, *, tried: int | None = None) -> None:
        again = "Remove the password in the program that made it, then ingest it again"
        if tried is None:
            message, hint = f"File is password-protected: {path}", f"{again}."
        elif tried == 0:
            message = f"File is password-protected, and no password was given: {path}"
            hint = f"Give its password with --password. Or: {again[0].lower()}{again[1:]}."
        else:
            which = (
                "the given password does not open it"
                if tried == 1
                else "none of the given passwords opens it"
            )
            message = f"File is password-protected, and {which}: {path}"
            hint = f"Check the password (--password). Or: {again[0].lower()}{again[1:]}."
        super().__init__(message, hint=hint)


class ConverterMissing(FileError):
    """A program that reads this old format is not installed.

    Parameters
    ----------
    path
        The file.
    kind
        What it is, such as ``a Word 97-2003 document (.doc)``.
    newer
        Extension of the format to save it in instead.
    """

    code = "converter_missing"

    def __init__(self, path: Path | str, kind: str, newer: str) -> None:
        super().__init__(
            f"{path} is {kind}, which is read with the help of LibreOffice, and LibreOffice was "
            "not found on this machine.",
            hint="Install LibreOffice (https://www.libreoffice.org, or your system's package "
            f"manager) and ingest the file again. Or: open it in its own program, save it as "
            f"{newer}, and ingest that.",
        )


class NoText(FileError):
    """The file opened, and there is no text in it."""

    code = "no_text"

    def __init__(self, path: Path | str, detail: str = "") -> None:
        super().__init__(
            f"No text found in {path}" + (f": {detail}" if detail else "."),
            hint="If it shows text on its pages, see that recognition is on (--ocr auto) and knows "
            "the language (--ocr-language), then ingest it again.",
        )


class OcrUnavailable(CaseTrackError):
    """OCR is switched off, or no engine can read pictures on this machine."""

    code = "ocr_unavailable"


class ParseLimit(FileError):
    """A limit on time or memory stopped the worker that read the file."""

    code = "parse_limit"

    def __init__(self, path: Path | str, limit: str) -> None:
        super().__init__(
            f"Reading {path} was stopped: {limit}.",
            hint="The file may be damaged or made to overload programs. If you trust it, raise "
            "the limit in config.toml ([parse] timeout_seconds, memory_mb, unpacked_mb, ...).",
        )


class WorkerCrashed(FileError):
    """The worker process died while it read the file."""

    code = "worker_crashed"

    def __init__(self, path: Path | str, detail: str) -> None:
        super().__init__(
            f"The reader crashed on {path} ({detail}).",
            hint="The file is probably damaged; nothing of it was stored. "
            "Save it again from its own program and retry.",
        )


class UnexpectedFileError(FileError):
    """Something went wrong with one file that nobody foresaw; the batch goes on."""

    code = "unexpected"

    def __init__(self, path: Path | str, error: Exception) -> None:
        super().__init__(
            f"{path} could not be taken in: {type(error).__name__}: {error}",
            hint="This is a fault in CaseTrack; nothing of the file was stored. Please report it "
            "with this message.",
        )


# --- models --------------------------------------------------------------------------------


class ModelError(CaseTrackError):
    """A model cannot be used."""

    code = "model"


class ModelNotFound(ModelError):
    """The model's files are not in the models folder."""

    code = "model_not_found"

    def __init__(self, name: str, folder: Path | str) -> None:
        super().__init__(
            f'Model "{name}" is not installed in {folder}.',
            hint=f"Run `casetrack models pull {name}` once while online, or point "
            "CASETRACK_MODELS to a models folder copied from another machine. Keyword search "
            "works without it (--mode keyword).",
        )


class ModelCorrupt(ModelError):
    """A model file does not have the content it should have."""

    code = "model_corrupt"


class DownloadFailed(ModelError):
    """No source could deliver a model."""

    code = "download_failed"


# --- storage -------------------------------------------------------------------------------


class StorageError(CaseTrackError):
    """The data folder cannot be written or read."""

    code = "storage"


class DiskFull(StorageError):
    """No space left; nothing half-written is visible."""

    code = "disk_full"

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"The disk is full: {path}",
            hint="Free some space and run the command again; what was finished is kept, "
            "and nothing is half there.",
        )


class NotWritable(StorageError):
    """The data folder is read-only."""

    code = "not_writable"

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"Cannot write to {path}: it is read-only.",
            hint="Choose another folder with --data-dir or CASETRACK_HOME, or change its "
            "permissions.",
        )


# --- queries, schemas, pipelines -----------------------------------------------------------


class QueryError(UsageError):
    """A SQL statement was refused or failed."""

    code = "query"


class SchemaError(CaseTrackError):
    """A table does not have the columns or types it declares."""

    code = "schema"


class PipelineError(CaseTrackError):
    """A pipeline's steps do not fit together."""

    code = "pipeline"


# --- providers -----------------------------------------------------------------------------


class ProviderError(ModelError):
    """A service that makes vectors refused a request, or its answer cannot be used."""

    code = "provider"


class ProviderUnreachable(ProviderError):
    """A service that makes vectors does not answer; trying again later may help."""

    code = "provider_unreachable"


# --- profiles ------------------------------------------------------------------------------


class ProfileIncomplete(ModelNotFound):
    """Models of a profile are not in the models folder."""

    def __init__(self, name: str, missing: Sequence[str], folder: Path | str) -> None:
        are = "is" if len(missing) == 1 else "are"
        ModelError.__init__(
            self,
            f'Profile "{name}" is not complete: {", ".join(missing)} {are} not installed in '
            f"{folder}.",
            hint=f"Run `casetrack models pull {name}` once while online, or point CASETRACK_MODELS "
            "to a models folder copied from another machine. Keyword search works without it "
            "(--mode keyword).",
        )


# --- the graph -----------------------------------------------------------------------------


class EntityNotFound(UsageError):
    """The documents mention nobody and nothing of this name.

    Parameters
    ----------
    name
        What the user asked for.
    near
        ``(name, kind)`` of entities with a similar name.
    kind
        Kind that was asked for, or ``any``.
    """

    code = "entity_not_found"

    def __init__(
        self, name: str, near: Sequence[tuple[str, str]] = (), *, kind: str = "any"
    ) -> None:
        self.name = name
        self.near = tuple(near)
        what = "" if kind == "any" else f" ({kind})"
        if near:
            lines = "\n".join(f"  - {n} ({k})" for n, k in near)
            super().__init__(
                f'Entity not found: "{name}"{what}. Did you mean:\n{lines}\nUse the full name.'
            )
        else:
            super().__init__(
                f'Entity not found: "{name}"{what}.',
                hint="List who and what is mentioned with `casetrack entities` (list_entities), "
                "or look for the words themselves with `casetrack search` (search).",
            )


class ReferenceNotFound(UsageError):
    """The documents refer to nothing of this name.

    Parameters
    ----------
    name
        What the user asked for.
    near
        ``(name, type)`` of references with a similar name.
    """

    code = "reference_not_found"

    def __init__(self, name: str, near: Sequence[tuple[str, str]] = ()) -> None:
        self.name = name
        self.near = tuple(near)
        if near:
            lines = "\n".join(f"  - {n} ({t})" for n, t in near)
            super().__init__(
                f'Reference not found: "{name}". Did you mean:\n{lines}\nUse the full name.'
            )
        else:
            super().__init__(
                f'Reference not found: "{name}".',
                hint="List what is referred to with `casetrack references` (list_references), "
                "or look for the words themselves with `casetrack search` (search).",
            )
