"""Errors about one file; a batch continues without it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from casetrack.base.errors.base import CaseTrackError, NameNotFound, UsageError
from casetrack.base.errors.references import Opt, See

_AUTHORITIES = '"SELECT name, citation_count FROM authorities"'


class FileError(CaseTrackError):
    """A file cannot be used; the batch continues with the next one."""

    code = "file"


class FileNotFound(FileError, UsageError):
    """Nothing is at this path."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"File not found: {path}", hint="Check that the path is correct and the file exists."
        )


class WrongPathKind(FileError, UsageError):
    """A folder where a file is needed, or the other way round."""


class FileUnreadable(FileError):
    """The operating system refuses to read the file."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(
            f"Cannot read {path}: {reason}",
            hint="Check the file's permissions, and that no other program has locked it.",
        )


class EmptyFile(FileError):
    """The file has no bytes."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"File is empty (0 bytes): {path}",
            hint="If it should have content, copy it again from its source.",
        )


class UnsupportedFormat(FileError):
    """No reader knows this kind of file."""

    def __init__(
        self, path: Path | str, known: Sequence[str], *, code: bool = True, hint: str = ""
    ) -> None:
        formats = [*sorted(known), *["and source code"] * code]
        hint = hint or f"Supported formats: {', '.join(formats)}."
        super().__init__(f"Unsupported file format: {path}", hint=hint)


class FormatMismatch(FileError):
    """The file's extension and its content are of different formats."""

    def __init__(self, path: Path | str, extension: str, actual: str) -> None:
        super().__init__(
            f"{path} is named {extension} but its content is {actual}.",
            hint="Rename the file to its real format, or export it again from its program.",
        )


class ParseFailed(FileError):
    """The reader could not make sense of the file."""

    def __init__(self, path: Path | str, kind: str, reason: str) -> None:
        super().__init__(
            f"{kind} parse error for {path}: {reason}",
            hint="The file may be damaged. Open it in its own program and save it again, "
            "then ingest the new copy.",
        )


class FileEncrypted(FileError):
    """The file needs a password.

    *tried* is the number of passwords tried, ``None`` if the reader cannot open encrypted files.
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
    """LibreOffice, which reads this old format, is not installed, or a part of it is missing.

    Parameters
    ----------
    kind
        Description, such as ``a Word 97-2003 document (.doc)``.
    newer
        Extension of the format to save it in instead.
    module
        The missing part, such as ``impress``; empty for all of LibreOffice.
    """

    def __init__(self, path: Path | str, kind: str, newer: str, module: str = "") -> None:
        fact = "LibreOffice was not found on this machine."
        step = "Install LibreOffice (https://www.libreoffice.org, or your system's package manager)"
        if module:
            fact = f"this machine's LibreOffice has no {module.capitalize()}."
            step = f"Install it ({package_of(module)})"
        super().__init__(
            f"{path} is {kind}, which requires LibreOffice, but {fact}",
            hint=f"{step} and ingest the file again. Or: open it in its own program, save it as "
            f"{newer}, and ingest that.",
        )


class ReaderMissing(FileError):
    """The optional package that reads this format is not installed; *kind* as in a message."""

    def __init__(self, path: Path | str, kind: str, package: str) -> None:
        super().__init__(
            f"{path} is {kind}, which requires the package {package}; it is not installed.",
            hint="Install it with `pip install 'casetrack[archives]'` and ingest the file again.",
        )


def package_of(module: str, /) -> str:
    """Return how a part of LibreOffice is installed on this system."""
    package = f"libreoffice-{module}"
    managers = {"apt-get": "apt install", "dnf": "dnf install", "zypper": "zypper install"}
    managers |= {"apk": "apk add"}
    for program, command in managers.items():
        if shutil.which(program):
            return f"`sudo {command} {package}`"
    return f"the package {package}, or {module.capitalize()} in LibreOffice's installer"


class ConverterFailed(FileError):
    """LibreOffice failed to convert the file; the file itself may be intact.

    *ending* describes how LibreOffice ended, *newer* is the extension of an alternative format.
    """

    def __init__(self, path: Path | str, ending: str, newer: str) -> None:
        super().__init__(
            f"LibreOffice failed twice to convert {path}: it {ending}.",
            hint="The file may be intact. Ingest it again; if it fails again, update LibreOffice "
            f"first. Or: open it in its own program, save it as {newer}, and ingest that.",
        )


class NoText(FileError):
    """The file opened, and there is no text in it."""

    def __init__(self, path: Path | str, detail: str = "") -> None:
        super().__init__(
            f"No text found in {path}" + (f": {detail}" if detail else "."),
            hint="If its pages show text, ingest it again with text recognition and its language. "
            f"The options are {Opt(ocr='auto')} and "
            f"{Opt(ocr_language='LANGUAGES')}.",
        )


class OcrUnavailable(CaseTrackError):
    """OCR is switched off, or no engine can read pictures on this machine."""


class ParseLimit(FileError):
    """A limit on time or memory stopped the worker that read the file."""

    def __init__(self, path: Path | str, limit: str, *, newer: str = "") -> None:
        cause = (
            "LibreOffice may hang, or the file may be" if newer else "The file may be damaged or"
        )
        hint = (
            f"{cause} made to overload programs. If you trust it, raise the limit in config.toml "
            "([parse] timeout_seconds, memory_mb, unpacked_mb, ...)."
        )
        if newer:
            hint += f" Or: open it in its own program, save it as {newer}, and ingest that."
        super().__init__(f"Reading {path} was stopped: {limit}.", hint=hint)


class WorkerCrashed(FileError):
    """The worker process died while it read the file."""

    def __init__(self, path: Path | str, detail: str) -> None:
        super().__init__(
            f"The reader crashed on {path} ({detail}).",
            hint="The file is probably damaged; nothing of it was stored. "
            "Save it again from its own program and retry.",
        )


class UnexpectedFileError(FileError):
    """An unexpected error with one file; the batch continues."""

    code = "unexpected"

    def __init__(self, path: Path | str, error: Exception) -> None:
        super().__init__(
            f"{path} could not be ingested: {type(error).__name__}: {error}",
            hint="This is a bug in CaseTrack; the file was not stored. Please report it "
            "with this message.",
        )


class FileStepFailed(FileError):
    """A step of an installed package failed with one file; the batch continues."""

    code = "step_failed"

    def __init__(self, path: Path | str, error: CaseTrackError) -> None:
        super().__init__(f"{path} could not be ingested. {error.message}", hint=error.hint)


# Errors about documents, chunks, entities and references.


class DocumentNotFound(NameNotFound):
    """No document of the collection has this name, path or id."""

    full = "full name or ID"

    def __init__(self, name: str, near: Sequence[tuple[str, str]] = ()) -> None:
        hint = f"List the documents with {See('documents')}."
        super().__init__(name, near, f'Document not found: "{name}"', hint)


class AmbiguousName(UsageError):
    """A name fits several documents or collections."""

    def __init__(self, kind: str, name: str, matches: Sequence[tuple[str, str]]) -> None:
        lines = "\n".join(f"  - {n} (ID: {i})" for n, i in matches)
        super().__init__(
            f'{len(matches)} {kind}s are called "{name}":\n{lines}', hint="Use the ID of one."
        )


class ChunkNotFound(UsageError):
    """No live chunk has this id."""

    def __init__(self, chunk_id: str) -> None:
        super().__init__(
            f"Chunk not found: {chunk_id}",
            hint="Chunk ids come from a search result; "
            "the document may have been deleted or changed since.",
        )


class FileExcluded(CaseTrackError):
    """The user excluded a file from the collection; only adding it by its own path restores it."""

    code = "excluded"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is permanently excluded from this collection.",
            hint="To add it again, ingest this file by its own path.",
        )


class DuplicateDocument(CaseTrackError):
    """The same bytes are already in the collection.

    Parameters
    ----------
    document_name, document_id
        The document with these bytes.
    known_path
        Path of that document; the same path means that the file has not changed.
    """

    code = "duplicate"

    def __init__(
        self, path: Path | str, document_name: str, document_id: str, known_path: str | None = None
    ) -> None:
        self.document_id = document_id
        self.document_name = document_name
        self.known_path = known_path
        super().__init__(
            f"{path} is already in the collection and has not changed (SHA256 matches existing "
            f"document ID: {document_id})."
            if str(path) == known_path
            else f"Duplicate document: {path} has the same content as "
            f'"{document_name}" (SHA256 matches existing document ID: {document_id}).',
            hint=f"Nothing was added. Use {Opt('force')} to ingest it anyway.",
        )


class EntityNotFound(NameNotFound):
    """No document mentions an entity of this name.

    *near* has ``(name, kind)`` of similar names; *kind* is the requested kind, or ``any``.
    """

    def __init__(
        self, name: str, near: Sequence[tuple[str, str]] = (), *, kind: str = "any"
    ) -> None:
        asked = f'Entity not found: "{name}"' + ("" if kind == "any" else f" ({kind})")
        hint = (
            f"List the entities with {See('entities')}, or search for the words with "
            f"{See('search')}."
        )
        super().__init__(name, near, asked, hint)


class ReferenceNotFound(NameNotFound):
    """No document refers to anything of this name; *near* has ``(name, type)`` of similar names."""

    def __init__(self, name: str, near: Sequence[tuple[str, str]] = ()) -> None:
        hint = (
            f"List the references with {See('references')}, or search for the words with "
            f"{See('search')}."
        )
        super().__init__(name, near, f'Reference not found: "{name}"', hint)


class AuthorityNotCited(UsageError):
    """No document of the case file *case* cites the authority *name*."""

    def __init__(self, name: str, case: str) -> None:
        self.name = name
        super().__init__(
            f'No document of "{case}" cites "{name}".',
            hint=f"List the authorities with {See('query', _AUTHORITIES)}. Or search for its words "
            f"with {See('search')}.",
        )


class AuthorityUnclear(UsageError):
    """A name matches several cited authorities; *matches* has name and id of each."""

    def __init__(self, name: str, matches: Sequence[tuple[str, str]]) -> None:
        self.matches = tuple(matches)
        lines = "\n".join(f"  - {n} (ID: {i})" for n, i in matches[:10])
        more = f"\n  and {len(matches) - 10} more" if len(matches) > 10 else ""
        super().__init__(
            f'{len(matches)} authorities are called "{name}":\n{lines}{more}',
            hint="Name one by its reporter, such as 509 U.S. 579, or by its ID.",
        )
