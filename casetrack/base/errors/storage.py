"""Errors of the disk and of stored data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors.base import CaseTrackError

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
            hint="Change its permissions, or choose another folder with CASETRACK_HOME. The option "
            "`--data-dir FOLDER` chooses one, too.",
        )


class ObjectStorageError(StorageError):
    """Object storage cannot be used: no rights, no bucket, no connection."""

    code = "object_storage"
