"""Errors about stored data: disks, sealed files, sources, schemas and pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors.base import CaseTrackError, UsageError
from casetrack.base.errors.references import Opt, See

if TYPE_CHECKING:
    from pathlib import Path


class StorageError(CaseTrackError):
    """The data folder cannot be written or read."""

    code = "storage"


class DiskFull(StorageError):
    """No space left; nothing half-written is visible.

    Parameters
    ----------
    path
        Where it is missing.
    detail
        How much is needed, where that is known; a sentence.
    """

    code = "disk_full"

    def __init__(self, path: Path | str, detail: str = "") -> None:
        super().__init__(
            f"The disk is full: {path}" + (f". {detail}" if detail else ""),
            hint="Free some space and run the command again; what was finished is kept, "
            "and nothing is half there.",
        )


class FileInUse(StorageError):
    """Another program keeps a file open, and this system then changes nothing about it."""

    code = "file_in_use"

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"Cannot change {path}: another program has it open.",
            hint="Close it there (an editor, a scan for viruses, OneDrive), then run the command "
            "again; nothing is half done.",
        )


class NotWritable(StorageError):
    """The data folder is read-only."""

    code = "not_writable"

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"Cannot write to {path}: it is read-only.",
            hint="Change its permissions, or choose another folder with CASETRACK_HOME. The "
            f"option {Opt(data_dir='FOLDER')} chooses one, too.",
        )


class ObjectStorageError(StorageError):
    """Object storage cannot be used: no rights, no bucket, no connection."""

    code = "object_storage"


# Errors of what is encrypted: sealed collections and encrypted exports.


class CollectionSealed(UsageError):
    """The collection is one encrypted file now: nothing of it can be read until it is unsealed.

    Parameters
    ----------
    name
        The collection, or its id where its name is hidden.
    """

    code = "collection_sealed"

    def __init__(self, name: str) -> None:
        self.facts = {"name": name}
        super().__init__(
            f'The collection "{name}" is sealed: it is one encrypted file, and nothing in it can '
            "be searched, read or changed.",
            hint=f"Open it with {See('collection unseal', repr(name))}; it asks for the passphrase "
            "or takes the key file.",
        )


class PassphraseMissing(UsageError):
    """Something is encrypted, and nobody said how to open it."""

    code = "passphrase_missing"


class PassphraseWrong(CaseTrackError):
    """An encrypted file cannot be opened with this passphrase or key file.

    Parameters
    ----------
    source
        The name of the file.
    """

    code = "passphrase_wrong"

    def __init__(self, source: str) -> None:
        super().__init__(
            f"{source} cannot be opened: this is not the passphrase, or not the key file, that it "
            "was encrypted with. Nothing was changed.",
            hint="Try once more; letter case, spaces and the layout of the keyboard count. Without "
            "the right one nobody can open the file, and nothing takes its place.",
        )


class EncryptedFileDamaged(CaseTrackError):
    """An encrypted file is not as it was written: cut short, changed, or put together anew.

    Parameters
    ----------
    source
        The name of the file.
    what
        What is wrong with it, as in "it is cut short".
    """

    code = "encrypted_file_damaged"

    def __init__(self, source: str, what: str) -> None:
        super().__init__(
            f"{source} cannot be opened: {what}. Nothing was opened or changed.",
            hint="Take another copy of this file, from a backup or from where it came from. Not "
            "even a part of it is used, since it may have been tampered with.",
        )


# Errors about places that documents come from.


class SourceError(CaseTrackError):
    """A source cannot be listed or read; what a collection has of it stays.

    Parameters
    ----------
    source
        As users write it: ``git:platform``.
    message
        What happened, one sentence.
    hint
        The next step.
    """

    code = "source_failed"

    def __init__(self, source: str, message: str, *, hint: str = "") -> None:
        self.source = source
        super().__init__(f"{source}: {message}", hint=hint)


class SourceChanged(SourceError):
    """An item was changed between its listing and its reading."""

    code = "source_changed"


class SourceSkipped(SourceError):
    """An item has nothing to read for good: it is a pointer, or larger than what is read."""

    code = "source_skipped"


class ConfigError(UsageError):
    """A config of sources cannot be used; nothing was done.

    Parameters
    ----------
    problem
        What is wrong, without a full stop.
    hint
        The next step.
    files
        The file, or those that say it together.
    line
        Where, from 1; 0 where there is no such place.
    """

    code = "config"

    def __init__(self, problem: str, hint: str, *files: Path, line: int = 0) -> None:
        where = " over ".join(map(str, files)) + (f", line {line}" if line else "")
        super().__init__(f"{problem}. (In {where})", hint=hint)


# Errors about queries, schemas and pipelines.


class QueryError(UsageError):
    """A SQL statement was refused or failed."""

    code = "query"


class SchemaError(CaseTrackError):
    """A table does not have the columns or types it declares."""

    code = "schema"


class PipelineError(CaseTrackError):
    """A pipeline's steps do not fit together."""

    code = "pipeline"


class StepFailed(CaseTrackError):
    """A step of an installed package failed, or did what no step may do.

    Attributes
    ----------
    step, package
        The step's name, and that of the package under which pip knows it.
    """

    code = "step_failed"

    def __init__(self, step: str, package: str, what: str) -> None:
        self.step, self.package = step, package
        super().__init__(
            f"The step {step!r} of the package {package!r} failed: {what}.",
            hint=f"Update the package (pip install --upgrade {package}), or take the step out of "
            "the pipeline; then run the same command again. Nothing that was stored is lost.",
        )
