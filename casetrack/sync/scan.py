"""Looks at a folder: which files are in it, and what their content is."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from casetrack.errors import CaseTrackError, EmptyFile, FileUnreadable, UnsupportedFormat
from casetrack.ingest.walk import Walk, is_junk, suffix_of
from casetrack.sync.cache import Hashed, Signature

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from casetrack.ingest.walk import Rules
    from casetrack.sync.cache import HashCache

    Tell = Callable[[str, int, int], None]

_BLOCK = 1 << 20
_TELL_SECONDS = 0.2
_SAVE_SECONDS = 20.0
_LARGE_BYTES = 1 << 26


class Stopped(Exception):
    """Raised where the user has asked to stop."""


class _Vanished(Exception):
    """The file went away, or changed, while it was being read."""


@dataclass(frozen=True, slots=True)
class FileState:
    """A file of the folder.

    Attributes
    ----------
    signature
        ``None`` where the system would not say.
    hash
        SHA-256 of its content, hexadecimal; ``None`` beside a problem.
    problem
        Why it cannot be read, where that shows already.
    textless, reason
        See :class:`~casetrack.sync.cache.Hashed`.
    """

    path: str
    signature: Signature | None
    hash: str | None
    problem: CaseTrackError | None = None
    textless: str = ""
    reason: str = ""

    @property
    def suffix(self) -> str:
        """Its extension: a reader is chosen by it."""
        return suffix_of(self.path)


@dataclass(slots=True)
class Scan:
    """A folder at one moment.

    Attributes
    ----------
    files
        By path, in the order of the walk.
    unread
        Folders that could not be listed.
    unsettled
        Files that changed or vanished while they were looked at: nothing is said of them.
    hashed
        Number of files that were read.
    home
        Device and number of the folder itself.
    """

    folder: str
    only: tuple[str, ...] | None
    home: tuple[int, int]
    files: dict[str, FileState] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    unsettled: set[str] = field(default_factory=set)
    hashed: int = 0

    def covers(self, path: str, /) -> bool:
        """Return whether the comparison is about *path*: in the folder, and where one looked."""
        if not is_below(path, self.folder):
            return False
        return self.only is None or any(path == o or is_below(path, o) for o in self.only)

    def is_dark(self, path: str, /) -> bool:
        """Return whether *path* lies in a folder that could not be listed."""
        return any(path == folder or is_below(path, folder) for folder in self.unread)

    def settle(self, paths: Collection[str], /) -> None:
        """Let go of those of *paths* that are not any more as they were when they were hashed."""
        for path in paths:
            state = self.files.get(path)
            if state is None or state.signature is None:
                continue
            if signature_of(path) != state.signature:
                del self.files[path]
                self.unsettled.add(path)


def is_below(path: str, folder: str, /) -> bool:
    """Return whether *path* lies in *folder*, at any depth."""
    return path.startswith(os.path.join(folder, ""))  # noqa: PTH118 - text, may be no file


def signature_of(path: str, /) -> Signature | None:
    """Return a file's signature, a link's target's; ``None`` where there is no file."""
    try:
        facts = os.stat(path)  # noqa: PTH116 - names that are no text
    except OSError:
        return None
    return Signature.of(facts) if stat.S_ISREG(facts.st_mode) else None


def presence(path: str, /) -> Literal["there", "gone", "unknown"]:
    """Return whether a file is at *path*; unknown where the system does not let one see."""
    try:
        facts = os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except (OSError, ValueError):
        return "unknown"
    return "gone" if stat.S_ISDIR(facts.st_mode) else "there"


def holds_any_file(folder: str, /) -> bool:
    """Return whether any file lies in *folder*, at any depth.

    What is left where a disk is not mounted does not count: a folder that cannot be read, a file
    that some program keeps of its own.
    """
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


class Scanner:
    """Scans one folder.

    Parameters
    ----------
    folder
        Absolute.
    rules
        Which files are taken.
    cache
        Hashes of files that were not touched.
    verify
        Whether every file is hashed, whatever the cache knows.
    known
        Paths of the collection's documents: these are hashed whatever their extension.
    tell
        Called with what is done, how much, and of how much.
    cancel
        Set it to stop.
    """

    def __init__(
        self,
        folder: Path,
        rules: Rules,
        cache: HashCache,
        /,
        *,
        verify: bool,
        known: Collection[str],
        tell: Tell,
        cancel: threading.Event,
        remember: bool,
    ) -> None:
        self._folder = folder
        self._rules = rules
        self._cache = cache
        self._verify = verify
        self._known = known
        self._tell = tell
        self._cancel = cancel
        self._remember = remember
        self._told = self._saved = time.monotonic()
        self._extensions: frozenset[str] | None = None

    def scan(self, only: Sequence[Path] | None = None) -> Scan:
        """Look at the folder, or at *only* these files and folders in it.

        Raises
        ------
        FileUnreadable
            The folder itself cannot be listed.
        Stopped
            The user has asked to stop.
        """
        facts = self._folder.stat()
        scan = Scan(
            str(self._folder),
            None if only is None else tuple(str(path) for path in only),
            (facts.st_dev, facts.st_ino),
        )
        walk = Walk(self._folder, self._rules)
        found = []
        for seen in walk.files(only):
            found.append(seen)
            self._say("looking for files", len(found), 0)
        if scan.folder in walk.unread:
            problem = next(s.problem for s in found if s.path == scan.folder)
            raise problem or FileUnreadable(scan.folder, "the folder cannot be listed")
        scan.unread = tuple(walk.unread)
        for number, seen in enumerate(found):
            name = os.path.basename(seen.path)  # noqa: PTH119
            self._say(f"comparing {name}", number, len(found))
            if seen.facts is None:
                scan.files[seen.path] = FileState(seen.path, None, None, seen.problem)
                continue
            try:
                state = self._state(seen.path, seen.facts, number, len(found), scan)
            except _Vanished:
                scan.unsettled.add(seen.path)
            else:
                scan.files[seen.path] = state
        if only is None:
            self._cache.forget_all_but(scan.files)
        return scan

    def _state(
        self, path: str, facts: os.stat_result, number: int, total: int, scan: Scan
    ) -> FileState:
        signature = Signature.of(facts)
        if path not in self._known and suffix_of(path) not in self._readable():
            problem: CaseTrackError = UnsupportedFormat(path, _documents())
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
                raise _Vanished from error
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
        """Read a file; raises :class:`_Vanished` where it changes meanwhile."""
        moment = time.time_ns()
        digest, done = hashlib.sha256(), 0
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - names that are no text
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
            raise _Vanished
        return Hashed(after, moment, digest.hexdigest())

    def _say(self, what: str, done: int, total: int) -> None:
        if self._cancel.is_set():
            raise Stopped
        if time.monotonic() - self._told >= _TELL_SECONDS:
            self._told = time.monotonic()
            self._tell(what, done, total)

    def _readable(self) -> frozenset[str]:
        if self._extensions is None:
            from casetrack.readers import known_extensions

            self._extensions = frozenset(known_extensions())
        return self._extensions


def _documents() -> list[str]:
    """Return the extensions of documents; a hundred ones of source code would bury them."""
    from casetrack.readers import READERS
    from casetrack.readers.detect import SOURCE_CODE

    return [e for reader in READERS for e in reader.extensions if reader.name != SOURCE_CODE]
