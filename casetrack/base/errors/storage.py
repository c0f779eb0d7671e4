"""Errors about stored data: disks, sealed files, sources, schemas and pipelines."""

from __future__ import annotations

from pathlib import Path

from casetrack.base.errors.base import CaseTrackError, UsageError
from casetrack.base.errors.references import Opt, See


class StorageError(CaseTrackError):
    """The data folder cannot be written or read."""

    code = "storage"


class DiskFull(StorageError):
    """The disk is full; no partial data is visible.

    *detail* is a sentence with the required space, if known.
    """

    def __init__(self, path: Path | str, detail: str = "") -> None:
        super().__init__(
            f"The disk is full: {path}" + (f". {detail}" if detail else ""),
            hint="Free some space and run the command again; finished work is kept, and no partial "
            "data is visible.",
        )


class FileInUse(StorageError):
    """Another program keeps a file open, and this system then changes nothing about it."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"Cannot change {path}: another program has it open.",
            hint="Close it in that program (an editor, a virus scanner, OneDrive), then run the "
            "command again; no partial change was made.",
        )


class NotWritable(StorageError):
    """The data folder is read-only."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"Cannot write to {path}: it is read-only.",
            hint="Change its permissions, or choose another folder with CASETRACK_HOME. The "
            f"option {Opt(data_dir='FOLDER')} also sets the folder.",
        )


class ObjectStorageError(StorageError):
    """Object storage cannot be used: no rights, no bucket, no connection."""

    code = "object_storage"


# Errors about sealed collections and encrypted exports.


class CollectionSealed(UsageError):
    """The collection is sealed in one encrypted file and unreadable until it is unsealed.

    *name* is the collection, or its id if the name is hidden.
    """

    def __init__(self, name: str) -> None:
        self.facts = {"name": name}
        super().__init__(
            f'The collection "{name}" is sealed in one encrypted file and cannot be searched, read '
            "or changed.",
            hint=f"Open it with {See('collection unseal', repr(name))} and its passphrase or key "
            "file.",
        )


class PassphraseMissing(UsageError):
    """A file is encrypted, and neither passphrase nor key was given."""


class PassphraseWrong(CaseTrackError):
    """The passphrase or key file does not open the encrypted file *source*."""

    def __init__(self, source: str) -> None:
        super().__init__(
            f"{source} cannot be opened: the passphrase or key file is wrong. Nothing was changed.",
            hint="Try again; letter case, spaces and the keyboard layout matter. Without the right "
            "passphrase or key file the content cannot be recovered.",
        )


class EncryptedFileDamaged(CaseTrackError):
    """An encrypted file is truncated, changed or reassembled.

    *source* is its name, *what* the problem, as in "it is cut short".
    """

    def __init__(self, source: str, what: str) -> None:
        super().__init__(
            f"{source} cannot be opened: {what}. Nothing was opened or changed.",
            hint="Use another copy of this file, from a backup or its source. No part of it is "
            "used, because it may have been tampered with.",
        )


# Errors about places that documents come from.


class SourceError(CaseTrackError):
    """A source cannot be listed or read; its documents stay in the collection.

    *source* is in the user's form: ``git:platform``.
    """

    code = "source_failed"

    def __init__(self, source: str, message: str, *, hint: str = "") -> None:
        self.source = source
        super().__init__(f"{source}: {message}", hint=hint)


class SourceChanged(SourceError):
    """An item was changed between its listing and its reading."""


class SourceSkipped(SourceError):
    """An item is never readable: it is a pointer, or larger than the limit."""


class ConfigError(UsageError):
    """A configuration of sources is invalid; nothing was done.

    Parameters
    ----------
    problem
        The problem, without a full stop.
    files
        The file, or the files that conflict.
    line
        1-based; 0 if unknown.
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
    """A step of an installed package failed or broke the contract of steps.

    *package* is the package's name for pip.
    """

    def __init__(self, step: str, package: str, what: str) -> None:
        self.step, self.package = step, package
        super().__init__(
            f"The step {step!r} of the package {package!r} failed: {what}.",
            hint=f"Update the package (pip install --upgrade {package}), or remove the step from "
            "the pipeline; then run the same command again. Stored data is not affected.",
        )
