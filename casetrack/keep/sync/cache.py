"""Hashes of what was not touched since they were made: a copy, may be lost at any time.

A hash is believed only where size, both times, and the file's number are as they were, and the
file had been left alone well before it was hashed. The system sets a file's change time with every
write and every change of the other times, so that no program can bring it back. Systems without
such a time (Windows) have every file hashed. What a source lists has a change token instead, which
is believed as it is.
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import StorageError
from casetrack.base.files import write_atomic
from casetrack.ingest.discover import SOURCE_COLUMNS
from casetrack.ingest.walk import suffix_of
from casetrack.store.facts import sealed, unsealed

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from casetrack.base.errors import CaseTrackError
    from casetrack.ingest.discover import Origin

_log = logging.getLogger(__name__)

HAS_CHANGE_TIME = os.name == "posix"
QUIET_NS = 2_000_000_000
"""A change this close to the hashing may leave no trace: clocks of file systems are coarse."""
_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Signature:
    """What the system says of a file: bytes, times in nanoseconds, number of its inode."""

    size: int
    modified: int
    changed: int
    inode: int

    @classmethod
    def of(cls, facts: os.stat_result, /) -> Signature:
        """Return that of a file."""
        return cls(facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)


@dataclass(frozen=True, slots=True)
class Hashed:
    """A file as it was when it was hashed.

    Attributes
    ----------
    signature
        Of a file; of an item of a source its change token.
    moment
        When the hashing began, nanoseconds since 1970.
    hash
        SHA-256, hexadecimal.
    textless
        What the file was read with when no text was found in it; empty where that is not so.
    reason
        Why it had no text.
    """

    signature: Signature | str
    moment: int
    hash: str
    textless: str = ""
    reason: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether a later change must show in the signature."""
        if isinstance(self.signature, str):
            return True
        return HAS_CHANGE_TIME and self.signature.changed < self.moment - QUIET_NS


def synced_places(collection: Path, /) -> list[str]:
    """Return the folders and sources that a collection was compared with, as far as is known.

    Parameters
    ----------
    collection
        The collection's folder.
    """
    places = []
    for path in sorted((collection / "sync").glob("*.json")):
        try:
            places.append(str(unsealed(path.read_bytes())["folder"]))
        except (OSError, ValueError, KeyError):
            _log.info("not understood: %s", path)
    return places


class HashCache:
    """What is remembered of the files of one folder, or of the items of one source.

    Parameters
    ----------
    collection
        The collection's folder.
    place
        The folder that is compared, or the label of the source.
    """

    def __init__(self, collection: Path, place: Path | str, /) -> None:
        self._collection = collection
        name = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
        self._path = collection / "sync" / f"{name}.json"
        self._folder = str(place)
        self._files = self._load()
        self._by_token: dict[str, str] | None = None
        # That a place was compared at all is remembered, too: see `synced_places`.
        self._is_new = not self.is_kept

    def _load(self) -> dict[str, Hashed]:
        """Read what is there; anything that is not what was written counts as nothing."""
        try:
            raw = unsealed(self._path.read_bytes())
            if raw["format"] != _FORMAT or raw["folder"] != self._folder:
                return {}
            return {path: _entry(fields) for path, fields in raw["files"].items()}
        except (OSError, ValueError):
            return {}

    @property
    def is_kept(self) -> bool:
        """Whether an earlier comparison is remembered."""
        return self._path.is_file()

    def find(self, path: str, signature: Signature | str, /) -> Hashed | None:
        """Return what is known of a file that was not touched since."""
        known = self._files.get(path)
        if known is None or known.signature != signature or not known.is_settled:
            return None
        return known

    def hash_of(self, token: str, /) -> str | None:
        """Return the hash of what had this change token when the cache was read."""
        if self._by_token is None:
            known = [e for e in self._files.values() if isinstance(e.signature, str)]
            self._by_token = {str(e.signature): e.hash for e in known if not e.textless}
        return self._by_token.get(token)

    def keep(self, path: str, entry: Hashed, /) -> None:
        """Remember a file."""
        before = self._files.get(path)
        if before == entry:
            return
        self._files[path] = entry
        # What is not settled is not written.
        self._is_new |= entry.is_settled or (before is not None and before.is_settled)

    def textless(self, path: str, read_with: str, reason: str, /) -> None:
        """Remember that a file has no text for what *read_with* stands for."""
        known = self._files.get(path)
        if known is not None:
            self.keep(path, Hashed(known.signature, known.moment, known.hash, read_with, reason))

    def forget_all_but(self, paths: Collection[str], /) -> None:
        """Forget files that are not there any more."""
        gone = self._files.keys() - set(paths)
        for path in gone:
            del self._files[path]
        self._is_new = self._is_new or bool(gone)

    def save(self) -> None:
        """Write what is new; where that cannot be, the next comparison takes longer."""
        if not self._is_new or not (self._collection / "collection.json").is_file():
            return
        files = {
            path: [*_plain(e.signature), e.moment, e.hash, e.textless, e.reason]
            for path, e in self._files.items()
            if e.is_settled
        }
        try:
            # Names that are no text are written as escapes.
            facts = {"format": _FORMAT, "folder": self._folder, "files": files}
            write_atomic(self._path, sealed(facts))
        except StorageError as error:
            _log.warning("What was compared cannot be remembered in %s: %s", self._path, error)
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


# What a sync compares: files as they lie in a place, and rows of the ledger.


class LedgerRow(NamedTuple):
    """What is looked at of a row of the ledger.

    Attributes
    ----------
    copy
        The collection's own copy of the file.
    told
        What its source said of it, see :data:`~casetrack.ingest.discover.SOURCE_COLUMNS`.
    reading
        The mark of how it was read and cut, see :attr:`casetrack.ingest.pipeline.Pipeline.reading`.
    """

    document_id: str
    path: str
    name: str
    file_hash: str
    parent_id: str | None
    is_partial: bool
    read_with: str | None
    copy: str | None = None
    told: tuple[object, ...] = (None,) * len(SOURCE_COLUMNS)
    reading: str = ""

    @property
    def source(self) -> object:
        """The label of its source."""
        return self.told[0]

    @property
    def is_remote(self) -> bool:
        """See :attr:`casetrack.base.records.Document.is_remote`."""
        return self.source is not None and self.path.startswith(f"{self.source}/")

    @property
    def suffix(self) -> str:
        """The extension that it was read by."""
        return suffix_of(self.copy or self.path)


@dataclass(frozen=True, slots=True)
class FileState:
    """A file of a folder, or an item of a source.

    Attributes
    ----------
    path
        The path that its document has.
    signature
        What it is known by while it is not touched, see :class:`~casetrack.keep.sync.cache.Hashed`;
        ``None`` where the system would not say.
    hash
        SHA-256 of its content, hexadecimal; ``None`` beside a problem.
    problem
        Why it cannot be read, where that shows already.
    textless, reason
        See :class:`~casetrack.keep.sync.cache.Hashed`.
    origin
        What its source says of it.
    fetched
        Where its content lies now, if that is not *path*; empty where it lies nowhere yet.
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
        """Its extension: a reader is chosen by it."""
        return suffix_of(self.origin.name if self.origin else self.path)

    @property
    def is_settled(self) -> bool:
        """Whether it is still as it was when it was hashed; what was fetched stays so."""
        if not isinstance(self.signature, Signature):
            return True
        return signature_of(self.path) == self.signature


def signature_of(path: str, /) -> Signature | None:
    """Return a file's signature, a link's target's; ``None`` where there is no file."""
    try:
        facts = os.stat(path)  # noqa: PTH116 - names that are no text
    except OSError:
        return None
    return Signature.of(facts) if stat.S_ISREG(facts.st_mode) else None
