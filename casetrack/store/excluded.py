"""Files that the user permanently excluded from a collection: ``excluded.json``.

A document may be deleted while its file stays in a synced folder. A sync does not add a listed
file, neither at its path nor, moved or renamed, by its content. If the user adds such a file by
name, syncs keep its document up to date like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from casetrack.base.errors import StorageError
from casetrack.base.files import storage_errors, write_atomic
from casetrack.base.provenance import iso_utc
from casetrack.base.records import Document
from casetrack.base.records.sync import ExcludedFile
from casetrack.store.facts import sealed, unsealed

FILE = "excluded.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Excluded:
    """The excluded files of a collection at one moment, oldest first."""

    files: tuple[ExcludedFile, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        """Paths of the files."""
        return frozenset(file.path for file in self.files)

    @property
    def hashes(self) -> frozenset[str]:
        """SHA-256 of their contents."""
        return frozenset(file.file_hash for file in self.files)


def excluded(folder: Path, /) -> Excluded:
    """Return the excluded files of the collection in *folder*."""
    path = folder / FILE
    try:
        raw = unsealed(path.read_bytes())
        if raw["format"] != _FORMAT:
            raise ValueError(raw["format"])
        return Excluded(tuple(_file(**fields) for fields in raw["files"]))
    except FileNotFoundError:
        return Excluded()
    except (OSError, ValueError) as error:
        raise StorageError(
            f"The list of permanently excluded files cannot be read: {path}.",
            hint="Restore it from a backup. Or remove it: the next sync then adds all files of "
            "its folders again.",
        ) from error


def _file(path: str, name: str, file_hash: str, excluded_at: str) -> ExcludedFile:
    return ExcludedFile(path, name, file_hash, datetime.fromisoformat(excluded_at))


def exclude(folder: Path, documents: Iterable[Document], /) -> None:
    """Exclude the files of documents; the caller holds the write lock."""
    now = datetime.now(UTC)
    new = [ExcludedFile(d.path, d.name, d.file_hash, now) for d in documents]
    paths = {file.path for file in new}
    _write(folder, [*(f for f in excluded(folder).files if f.path not in paths), *new])


def readmit(folder: Path, paths: Collection[str], /) -> None:
    """Remove files from the list; the caller holds the write lock."""
    _write(folder, [file for file in excluded(folder).files if file.path not in paths])


def _write(folder: Path, files: list[ExcludedFile]) -> None:
    path = folder / FILE
    if not files:
        with storage_errors(path):
            path.unlink(missing_ok=True)
        return
    entries = [asdict(file) | {"excluded_at": iso_utc(file.excluded_at)} for file in files]
    write_atomic(path, sealed({"format": _FORMAT, "files": entries}))
