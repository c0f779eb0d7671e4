"""Hashes of unchanged files: a cache that may be lost at any time.

A hash is valid only if size, both times, and the inode are unchanged, and the file had not changed
for a while before it was hashed. No program can revert a file's change time; systems without it
(Windows) hash every file. Items of sources have a change token instead, which is always trusted.
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from casetrack.base.errors import CaseTrackError, StorageError
from casetrack.base.files import write_atomic
from casetrack.ingest.discover import SOURCE_COLUMNS, Origin
from casetrack.ingest.walk import suffix_of
from casetrack.store.facts import sealed, unsealed

_log = logging.getLogger(__name__)

HAS_CHANGE_TIME = os.name == "posix"
QUIET_NS = 2_000_000_000
"""A change this close to the hashing may be undetected: clocks of file systems are coarse."""
_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Signature:
    """File status: bytes, times in nanoseconds, inode."""

    size: int
    modified: int
    changed: int
    inode: int

    @classmethod
    def of(cls, facts: os.stat_result, /) -> Signature:
        """Return the signature of a file status."""
        return cls(facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)


@dataclass(frozen=True, slots=True)
class Hashed:
    """A file at the time of its hashing.

    Attributes
    ----------
    signature
        Of a file; for an item of a source its change token.
    moment
        Start of the hashing, nanoseconds since 1970.
    textless
        The reading conditions under which no text was found; empty otherwise.
    """

    signature: Signature | str
    moment: int
    hash: str
    textless: str = ""
    reason: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether a later change must change the signature."""
        if isinstance(self.signature, str):
            return True
        return HAS_CHANGE_TIME and self.signature.changed < self.moment - QUIET_NS


def synced_places(collection: Path, /) -> list[str]:
    """Return the known folders and sources with which the collection in *collection* was synced."""
    places = []
    for path in sorted((collection / "sync").glob("*.json")):
        try:
            places.append(str(unsealed(path.read_bytes())["folder"]))
        except (OSError, ValueError, KeyError):
            _log.info("not understood: %s", path)
    return places


class HashCache:
    """Known hashes of the files of a folder, or of the items of a source with the label *place*."""

    def __init__(self, collection: Path, place: Path | str, /) -> None:
        self._collection = collection
        name = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
        self._path = collection / "sync" / f"{name}.json"
        self._folder = str(place)
        self._files = self._load()
        self._by_token: dict[str, str] | None = None
        # The file also records that a place was synced: see `synced_places`.
        self._is_new = not self.is_kept

    def _load(self) -> dict[str, Hashed]:
        """Read the stored hashes; invalid content counts as empty."""
        try:
            raw = unsealed(self._path.read_bytes())
            if raw["format"] != _FORMAT or raw["folder"] != self._folder:
                return {}
            return {path: _entry(fields) for path, fields in raw["files"].items()}
        except (OSError, ValueError):
            return {}

    @property
    def is_kept(self) -> bool:
        """Whether an earlier sync is recorded."""
        return self._path.is_file()

    def remove(self) -> None:
        """Delete the file, and with it the record of the sync."""
        self._path.unlink(missing_ok=True)

    def find(self, path: str, signature: Signature | str, /) -> Hashed | None:
        """Return the entry of an unchanged file."""
        known = self._files.get(path)
        if known is None or known.signature != signature or not known.is_settled:
            return None
        return known

    def hash_of(self, token: str, /) -> str | None:
        """Return the hash for a change token when the cache was read."""
        if self._by_token is None:
            known = [e for e in self._files.values() if isinstance(e.signature, str)]
            self._by_token = {str(e.signature): e.hash for e in known if not e.textless}
        return self._by_token.get(token)

    def keep(self, path: str, entry: Hashed, /) -> None:
        """Add the entry of a file."""
        before = self._files.get(path)
        if before == entry:
            return
        self._files[path] = entry
        # Unsettled entries are not written.
        self._is_new |= entry.is_settled or (before is not None and before.is_settled)

    def textless(self, path: str, read_with: str, reason: str, /) -> None:
        """Record that a file has no text under the reading conditions *read_with*."""
        known = self._files.get(path)
        if known is not None:
            self.keep(path, Hashed(known.signature, known.moment, known.hash, read_with, reason))

    def forget_all_but(self, paths: Collection[str], /) -> None:
        """Remove the entries of files that no longer exist."""
        gone = self._files.keys() - set(paths)
        for path in gone:
            del self._files[path]
        self._is_new = self._is_new or bool(gone)

    def save(self) -> None:
        """Write new entries; if that fails, the next sync is slower."""
        if not self._is_new or not (self._collection / "collection.json").is_file():
            return
        files = {
            path: [*_plain(e.signature), e.moment, e.hash, e.textless, e.reason]
            for path, e in self._files.items()
            if e.is_settled
        }
        try:
            # Names that are not valid Unicode are written with escapes.
            facts = {"format": _FORMAT, "folder": self._folder, "files": files}
            write_atomic(self._path, sealed(facts))
        except StorageError as error:
            _log.warning("Hashes of files cannot be stored in %s: %s", self._path, error)
            return
        self._is_new = False


def _plain(signature: Signature | str) -> list[int | str]:
    if isinstance(signature, str):
        return [signature]
    return [signature.size, signature.modified, signature.changed, signature.inode]


def _entry(fields: list[Any]) -> Hashed:
    *known, moment, digest, textless, reason = fields
    signature = known[0] if len(known) == 1 else Signature(*known)
    return Hashed(signature, moment, digest, textless, reason)


# The two sides of a sync: files in a place, and rows of the ledger.


class LedgerRow(NamedTuple):
    """The columns of a ledger row that a sync compares; *reading* is a pipeline fingerprint."""

    document_id: str
    path: str
    name: str
    file_hash: str
    parent_id: str | None
    is_partial: bool
    read_with: str | None
    copy: str | None = None
    source_values: tuple[object, ...] = (None,) * len(SOURCE_COLUMNS)
    reading: str = ""
    title: str | None = None

    @property
    def source(self) -> object:
        """Label of its source."""
        return self.source_values[0]

    @property
    def is_remote(self) -> bool:
        """See :attr:`casetrack.base.records.Document.is_remote`."""
        return self.source is not None and self.path.startswith(f"{self.source}/")

    @property
    def suffix(self) -> str:
        """The extension that selected its reader."""
        return suffix_of(self.copy or self.path)


@dataclass(frozen=True, slots=True)
class FileState:
    """A file of a folder, or an item of a source.

    Attributes
    ----------
    signature
        See :class:`Hashed`; ``None`` if the file status is not available.
    hash
        SHA-256 of its content, hexadecimal; ``None`` with a problem.
    fetched
        Location of its content, if that is not *path*; empty before it is fetched.
    """

    path: str
    signature: Signature | str | None
    hash: str | None
    problem: CaseTrackError | None = None
    textless: str = ""
    reason: str = ""
    origin: Origin | None = None
    fetched: str | None = None

    @property
    def suffix(self) -> str:
        """Its extension, which selects the reader."""
        return suffix_of(self.origin.name if self.origin else self.path)

    @property
    def is_settled(self) -> bool:
        """Whether it is unchanged since it was hashed; fetched files always are."""
        if not isinstance(self.signature, Signature):
            return True
        return signature_of(self.path) == self.signature


def signature_of(path: str, /) -> Signature | None:
    """Return a file's signature, or that of a link's target; ``None`` without a file."""
    try:
        facts = os.stat(path)  # noqa: PTH116 - names may be invalid Unicode
    except OSError:
        return None
    return Signature.of(facts) if stat.S_ISREG(facts.st_mode) else None
