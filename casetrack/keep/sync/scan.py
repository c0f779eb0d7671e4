"""Scan of a folder: its files and their content.

A :class:`Scan` decides which documents are present, deleted or unknown; a source's listing
(:mod:`casetrack.keep.sync.listing`) does the same for its items.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal

from casetrack.base.errors import CaseTrackError, EmptyFile, FileUnreadable, UnsupportedFormat
from casetrack.ingest.walk import Rules, Walk, is_junk, suffix_of
from casetrack.keep.sync.cache import FileState, HashCache, Hashed, LedgerRow, Signature

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Sequence

    from casetrack.base.records import UntakenFile

    Presence = Literal["there", "gone", "unknown"]

    Tell = Callable[[str, int, int], None]

_BLOCK = 1 << 20
_TELL_SECONDS = 0.2
_SAVE_SECONDS = 20.0
_LARGE_BYTES = 1 << 26


class Stopped(Exception):
    """Raised after the user cancelled."""


class Vanished(Exception):
    """The file was deleted or changed while it was read."""


@dataclass(slots=True)
class Scan:
    """A place at one moment: a folder, or the listing of a source.

    Attributes
    ----------
    place
        The folder, absolute; or the label of the source.
    source
        Label of the source, which limits the sync to its documents; ``None`` for a folder.
    unsettled
        Files that changed or disappeared during the scan: they are left unchanged.
    """

    place: str
    source: str | None = None
    files: dict[str, FileState] = field(default_factory=dict)
    unsettled: set[str] = field(default_factory=set)
    hashed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    problem: CaseTrackError | None = None

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The place, or its scanned parts."""
        return (self.place,)

    @property
    def seen(self) -> int:
        """Number of files in the place."""
        return len(self.files) + len(self.unsettled)

    def holds(self, row: LedgerRow, /) -> bool:
        """Return whether a document belongs to this place."""
        raise NotImplementedError

    def covers(self, row: LedgerRow, /) -> bool:
        """Return whether a document belongs to this place, within the scanned parts."""
        return self.holds(row)

    def follows(self, row: LedgerRow, /) -> bool:  # noqa: ARG002 - never for a source
        """Return whether a document of another place follows its file when that moves here."""
        return False

    def presence(self, row: LedgerRow, /) -> Presence:
        """Return whether the file of an unlisted document exists or was deleted."""
        raise NotImplementedError

    def is_over(self, file: UntakenFile, /) -> bool:
        """Return whether a file that failed earlier was read or deleted in this scan."""
        raise NotImplementedError

    def _is_inside(self, path: str) -> bool:
        """Return whether *path* is inside a file or an item of this place."""
        return any(str(parent) in self.files for parent in PurePath(path).parents)

    def is_still_gone(self, row: LedgerRow, /) -> bool:  # noqa: ARG002 - listed items are certain
        """Return whether the file of a document to be removed is still missing."""
        return True

    def is_still_here(self) -> bool:
        """Return whether the place itself is the same as during the scan."""
        return True

    def settle(self, paths: Collection[str], reading: Collection[str], /) -> bool:  # noqa: ARG002
        """Drop the files of *paths* that changed since they were hashed; return whether any did."""
        changed = False
        for path in paths:
            state = self.files.get(path)
            if state is not None and not state.is_settled:
                del self.files[path]
                self.unsettled.add(path)
                changed = True
        return changed


@dataclass(slots=True)
class FolderScan(Scan):
    """A folder at one moment; *home* has its device and inode, *only* limits the scan."""

    only: tuple[str, ...] | None = None
    home: tuple[int, int] = (0, 0)
    unread: tuple[str, ...] = ()

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The folder, or its scanned files and folders."""
        return (self.place,) if self.only is None else self.only

    @property
    def seen(self) -> int:
        """Number of files in the folder."""
        return len(self.files.keys() - set(self.unread)) + len(self.unsettled)

    def holds(self, row: LedgerRow, /) -> bool:
        """Return whether a document's file is, or was, in the folder."""
        return is_below(row.path, self.place)

    def covers(self, row: LedgerRow, /) -> bool:
        """Return whether a document's path is in the scanned part of the folder."""
        if not self.holds(row):
            return False
        path = row.path
        return self.only is None or any(path == o or is_below(path, o) for o in self.only)

    def follows(self, row: LedgerRow, /) -> bool:
        """Return whether a document has its own file on this machine."""
        return not row.is_remote

    def presence(self, row: LedgerRow, /) -> Presence:
        """Return whether a document's file exists, as far as access rights allow."""
        path = row.path
        if any(path == folder or is_below(path, folder) for folder in self.unread):
            return "unknown"
        state = presence(path)
        return "unknown" if state == "gone" and is_inside_a_file(path) else state

    def is_over(self, file: UntakenFile, /) -> bool:
        """Return whether the file is in the scanned part of the folder."""
        path = file.path
        seen = any(path == place or is_below(path, place) for place in self.looked_at)
        unread = any(is_below(path, folder) for folder in self.unread)
        return seen and not unread and not self._is_inside(path)

    def is_still_gone(self, row: LedgerRow, /) -> bool:
        """Return whether another document has the path now, or no file exists."""
        return row.path in self.files or presence(row.path) == "gone"

    def is_still_here(self) -> bool:
        """Return whether the folder is still the same one: not unmounted, not replaced."""
        try:
            facts = os.stat(self.place)  # noqa: PTH116
        except OSError:
            return False
        return (facts.st_dev, facts.st_ino) == self.home


def is_below(path: str, folder: str, /) -> bool:
    """Return whether *path* is in *folder*, at any depth."""
    return path.startswith(os.path.join(folder, ""))  # noqa: PTH118 - text, maybe not a file


def presence(path: str, /) -> Presence:
    """Return whether a file exists at *path*; unknown without access."""
    try:
        facts = os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except (OSError, ValueError):
        return "unknown"
    return "gone" if stat.S_ISDIR(facts.st_mode) else "there"


def holds_any_file(folder: str, /) -> bool:
    """Return whether any file is in *folder*, except leftovers in an unmounted mount point."""
    stack = [folder]
    while stack:
        try:
            with os.scandir(stack.pop()) as listing:
                for entry in listing:
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(entry.path)
                    elif not is_junk(entry.name):
                        return True
        except OSError:
            continue
    return False


def is_inside_a_file(path: str, /) -> bool:
    """Return whether *path* is an attachment in a file, or access is denied."""
    parent = os.path.dirname(path)  # noqa: PTH120 - text, maybe not a file
    while parent != os.path.dirname(parent):  # noqa: PTH120
        try:
            return not stat.S_ISDIR(os.stat(parent).st_mode)  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            parent = os.path.dirname(parent)  # noqa: PTH120
        except (OSError, ValueError):
            return True
    return False


class Hasher:
    """Computes the hashes of files, using the cache; *known* files may have any extension."""

    def __init__(
        self,
        cache: HashCache,
        /,
        *,
        verify: bool,
        known: Collection[str],
        tell: Tell,
        cancel: threading.Event,
        remember: bool,
    ) -> None:
        self._cache = cache
        self._verify = verify
        self._known = known
        self._tell = tell
        self._cancel = cancel
        self._remember = remember
        self._reported = self._saved = time.monotonic()
        self._extensions: frozenset[str] | None = None

    def _state(
        self, path: str, facts: os.stat_result, number: int, total: int, scan: Scan
    ) -> FileState:
        signature = Signature.of(facts)
        if path not in self._known and suffix_of(path) not in self._readable():
            problem: CaseTrackError = UnsupportedFormat(path, documents_read())
            return FileState(path, signature, None, problem)
        if not facts.st_size:
            return FileState(path, signature, None, EmptyFile(path))
        try:
            path.encode("utf-8")
        except UnicodeEncodeError:
            reason = "its name is not valid Unicode; rename the file"
            return FileState(path, signature, None, FileUnreadable(repr(path), reason))
        entry = None if self._verify else self._cache.find(path, signature)
        if entry is None:
            scan.hashed += 1
            try:
                entry = self._hash(path, number, total)
            except (FileNotFoundError, NotADirectoryError) as error:
                raise Vanished from error
            except OSError as error:
                problem = FileUnreadable(path, error.strerror or str(error))
                return FileState(path, signature, None, problem)
            self._note(path, entry)
        return FileState(path, entry.signature, entry.hash, None, entry.textless, entry.reason)

    def _note(self, path: str, entry: Hashed) -> None:
        self._cache.keep(path, entry)
        if self._remember and time.monotonic() - self._saved > _SAVE_SECONDS:
            self._saved = time.monotonic()
            self._cache.save()

    def _hash(self, path: str, number: int, total: int) -> Hashed:
        """Read a file; raise :class:`Vanished` if it changes meanwhile."""
        moment = time.time_ns()
        digest, done = hashlib.sha256(), 0
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - names may be invalid Unicode
            before = Signature.of(os.fstat(file.fileno()))
            while block := file.read(_BLOCK):
                digest.update(block)
                done += len(block)
                if before.size > _LARGE_BYTES:
                    share = f" ({100 * done // before.size} %)"
                    name = os.path.basename(path)  # noqa: PTH119
                    self._say(f"comparing {name}{share}", number, total)
            after = Signature.of(os.fstat(file.fileno()))
        if before != after or done != before.size:
            raise Vanished
        return Hashed(after, moment, digest.hexdigest())

    def _say(self, what: str, done: int, total: int) -> None:
        if self._cancel.is_set():
            raise Stopped
        if time.monotonic() - self._reported >= _TELL_SECONDS:
            self._reported = time.monotonic()
            self._tell(what, done, total)

    def _readable(self) -> frozenset[str]:
        if self._extensions is None:
            from casetrack.parse import known_extensions

            self._extensions = frozenset(known_extensions())
        return self._extensions


class Scanner(Hasher):
    """Scans one folder."""

    def __init__(self, folder: Path, rules: Rules, cache: HashCache, /, **given: Any) -> None:
        super().__init__(cache, **given)
        self._folder = folder
        self._rules = rules

    def scan(self, only: Sequence[Path] | None = None) -> FolderScan:
        """Scan the folder, or *only* these files and folders in it."""
        facts = self._folder.stat()
        scan = FolderScan(
            str(self._folder),
            only=None if only is None else tuple(str(path) for path in only),
            home=(facts.st_dev, facts.st_ino),
        )
        walk = Walk(self._folder, self._rules)
        states = []
        for seen in walk.files(only):
            states.append(seen)
            self._say("looking for files", len(states), 0)
        if scan.place in walk.unread:
            problem = next(s.problem for s in states if s.path == scan.place)
            raise problem or FileUnreadable(scan.place, "the folder cannot be listed")
        scan.unread = tuple(walk.unread)
        for number, seen in enumerate(states):
            name = os.path.basename(seen.path)  # noqa: PTH119
            self._say(f"comparing {name}", number, len(states))
            if seen.facts is None:
                scan.files[seen.path] = FileState(seen.path, None, None, seen.problem)
                continue
            try:
                state = self._state(seen.path, seen.facts, number, len(states), scan)
            except Vanished:
                scan.unsettled.add(seen.path)
            else:
                scan.files[seen.path] = state
        if only is None:
            self._cache.forget_all_but(scan.files)
        return scan


def documents_read() -> list[str]:
    """Return the extensions of documents, without the hundred of source code."""
    from casetrack.parse import READERS
    from casetrack.parse.detect import SOURCE_CODE

    return [e for reader in READERS for e in reader.extensions if reader.name != SOURCE_CODE]
