"""Scan of a source: its listing, and the content of its items.

Items with a known change token are not fetched. Fetched items stay in a temporary folder until the
sync ends. An incomplete listing, or a partial sync, marks nothing as deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import (
    EmptyFile,
    Opt,
    SourceChanged,
    SourceError,
    SourceSkipped,
    UnsupportedFormat,
)
from casetrack.base.files import storage_errors
from casetrack.ingest.discover import Origin
from casetrack.ingest.walk import suffix_of
from casetrack.keep.sources.base import Item, label
from casetrack.keep.sync.cache import FileState, Hashed
from casetrack.keep.sync.scan import Hasher, Scan, Vanished, documents_read
from casetrack.parse.embedded import file_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from casetrack.base.errors import CaseTrackError
    from casetrack.base.records import UntakenFile
    from casetrack.keep.sources.base import Source
    from casetrack.keep.sync.cache import HashCache, LedgerRow
    from casetrack.keep.sync.scan import Presence

_NO_HASH = "0" * 64
_GIVE_UP = 10
"""Number of consecutive failed items after which a source is no longer asked."""
_SKIPPED = "skipped"
"""Stored in place of the reading conditions for an item that its source refuses."""


@dataclass(slots=True)
class SourceScan(Scan):
    """The listing of a source; *is_whole* means that unlisted files count as deleted."""

    lister: Lister | None = None
    is_whole: bool = False
    dark: tuple[str, ...] = ()

    def holds(self, row: LedgerRow, /) -> bool:
        """Return whether a document came from this source."""
        return row.source == self.source

    def presence(self, row: LedgerRow, /) -> Presence:
        """Return whether an unlisted document's item was deleted."""
        source_id = str(row.source_values[1])
        dark = any(not d or source_id == d or source_id.startswith(f"{d}/") for d in self.dark)
        if not self.is_whole or dark or self._is_inside(row.path):
            return "unknown"
        return "gone"

    def is_over(self, file: UntakenFile, /) -> bool:
        """Return whether the file is of this source and within the listing."""
        # A local file has its own path, which ends with its id in the source.
        dark = any(not d or f"/{d}/" in f"/{file.path}/" for d in self.dark)
        mine = file.source == self.source
        return mine and self.is_whole and not dark and not self._is_inside(file.path)

    def settle(self, paths: Collection[str], reading: Collection[str], /) -> bool:
        """Drop changed files, and fetch the files to read."""
        changed = Scan.settle(self, paths, reading)
        if self.lister is None:
            return changed
        absent = [p for p in reading if (f := self.files.get(p)) and f.fetched == ""]
        return self.lister.fetch(self, absent) or changed


class _Download(NamedTuple):
    """An item with its file, which exists after *wait*."""

    path: str
    target: Path
    moment: int
    wait: Callable[[], None]


class Lister(Hasher):
    """Scans one source.

    Only items changed from *since* and before *until*, or without a time, are included. *holds*
    means that the collection has documents of the source.
    """

    def __init__(
        self,
        source: Source,
        cache: HashCache,
        spool: Path,
        /,
        *,
        since: datetime | None,
        until: datetime | None,
        limit: int | None,
        holds: bool,
        **given: Any,
    ) -> None:
        super().__init__(cache, **given)
        self._source = source
        self._label = label(source)
        self._spool = spool
        self._since, self._until, self._limit = since, until, limit
        self._is_part = any(bound is not None for bound in (since, until, limit))
        self._holds = holds
        self._items: dict[str, Item] = {}
        self._count = 0

    def scan(self) -> SourceScan:
        """List the source, and fetch unknown items."""
        scan = SourceScan(self._label, source=self._label, lister=self)
        listed = self._list(scan)
        absent: list[str] = []
        for number, (item, origin, own) in enumerate(listed):
            path = origin.path
            self._items[path] = item
            self._say(f"comparing {origin.name}", number, len(listed))
            if own is not None:
                self._look_at_file(scan, own, origin, number, len(listed))
                continue
            state = self._known_state(item, origin)
            if state is None:
                absent.append(path)
                state = FileState(path, item.token, None, origin=origin, fetched="")
            elif state.textless == _SKIPPED:
                scan.skipped[path] = state.reason
                continue
            scan.files[path] = state
        self.fetch(scan, absent)
        if scan.is_whole:
            self._cache.forget_all_but(scan.files.keys() | scan.skipped.keys() | scan.unsettled)
        return scan

    # --- listing ------------------------------------------------------------------------------

    def _list(self, scan: SourceScan) -> list[tuple[Item, Origin, Path | None]]:
        """Return the selected items with their paths; gaps of the listing are noted."""
        wanted: dict[str, tuple[Item, Origin, Path | None]] = {}
        scan.is_whole = not self._is_part
        try:
            for item in self._source.items(cancel=self._cancel):
                self._say(f"listing {self._label}", len(wanted), 0)
                if not self._is_wanted(item):
                    continue
                if self._limit is not None and len(wanted) >= self._limit:
                    break
                own = self._source.file(item)
                origin = origin_of(self._label, item, own)
                wanted.setdefault(origin.path, (item, origin, own))
        except SourceError as error:
            scan.is_whole, scan.problem = False, error
        scan.dark = tuple(self._source.dark)
        for source_id in self._source.large:
            item = Item(source_id, "")
            scan.skipped[origin_of(self._label, item, self._source.file(item)).path] = _TOO_LARGE
        if scan.dark and scan.problem is None:
            scan.problem = _dark(self._label, scan.dark)
        if scan.is_whole and not wanted and not self._verify and self._holds:
            scan.is_whole, scan.problem = False, _empty(self._label)
        return list(wanted.values())

    def _is_wanted(self, item: Item) -> bool:
        moment = item.updated_at
        if moment is None:
            return True
        early = self._since is not None and moment < self._since
        late = self._until is not None and moment >= self._until
        return not (early or late)

    # --- known items --------------------------------------------------------------------------

    def _look_at_file(
        self, scan: SourceScan, own: Path, origin: Origin, number: int, total: int
    ) -> None:
        """Compare a local file, which is read in place."""
        try:
            state = self._state(origin.path, own.stat(), number, total, scan)
        except (FileNotFoundError, NotADirectoryError, Vanished):
            scan.unsettled.add(origin.path)
        else:
            scan.files[origin.path] = replace(state, origin=origin)

    def _known_state(self, item: Item, origin: Origin) -> FileState | None:
        """Return the known state of an item without fetching it."""
        path = origin.path
        problem: CaseTrackError | None = None
        if path not in self._known and suffix_of(origin.name) not in self._readable():
            problem = UnsupportedFormat(path, documents_read())
        elif item.size == 0:
            problem = EmptyFile(path)
        if problem is not None:
            return FileState(path, item.token, None, problem, origin=origin)
        if self._verify or not item.token:
            return None
        entry = self._cache.find(path, item.token)
        if entry is None:
            digest = self._cache.hash_of(item.token)
            if digest is None:
                return None
            entry = Hashed(item.token, time.time_ns(), digest)
            self._note(path, entry)
        return _state(path, entry, origin, fetched="")

    # --- fetching -----------------------------------------------------------------------------

    def fetch(self, scan: SourceScan, paths: Sequence[str], /) -> bool:
        """Fetch items; return whether the content of any differs from the expected one."""
        if not paths:
            return False
        before = {path: scan.files[path].hash for path in paths}
        try:
            self._source.prepare([self._items[p] for p in paths], cancel=self._cancel)
        except SourceError as error:
            for path in paths:
                self._keep_problem(scan, path, error)
            return True
        changed = self._fetch_each(scan, paths)
        if changed:
            self._list_again(scan, changed)
            for path in self._fetch_each(scan, changed):
                del scan.files[path]
                scan.unsettled.add(path)
        return any((f := scan.files.get(p)) is None or f.hash != before[p] for p in paths)

    def _fetch_each(self, scan: SourceScan, paths: Sequence[str]) -> list[str]:
        """Fetch items one by one; return those that changed since the listing."""
        changed: list[str] = []
        in_a_row = 0
        origins = {path: origin for path in paths if (origin := scan.files[path].origin)}
        for number, one in enumerate(self._downloads(origins)):
            path, origin = one.path, origins[one.path]
            if in_a_row == _GIVE_UP:
                for unasked in list(origins)[number:]:
                    self._keep_problem(scan, unasked, _not_asked(self._label))
                break
            self._say(f"fetching {origin.name}", number, len(paths))
            try:
                scan.files[path] = self._fetch(self._items[path], origin, one)
                scan.hashed += 1
                in_a_row = 0
            except SourceSkipped as error:
                del scan.files[path]
                scan.skipped[path] = error.message
                entry = Hashed(
                    self._items[path].token, time.time_ns(), _NO_HASH, _SKIPPED, error.message
                )
                self._note(path, entry)
            except SourceChanged:
                changed.append(path)
            except SourceError as error:
                self._keep_problem(scan, path, error)
                in_a_row += 1
        return changed

    def _downloads(self, origins: Mapping[str, Origin]) -> Iterator[_Download]:
        """Yield downloads in order; as many as the source allows run at the same time."""
        most, ahead = self._source.together, deque[_Download]()
        with ThreadPoolExecutor(most) as pool:
            for path, origin in origins.items():
                self._count += 1
                # Some names are invalid on some systems: "aux.c" of a repository, "10:30.md" of a
                # bucket.
                target = self._spool / str(self._count) / file_name(origin.name, self._count)
                with storage_errors(self._spool):
                    target.parent.mkdir(parents=True)
                get = partial(self._source.fetch, self._items[path], target, cancel=self._cancel)
                wait = pool.submit(get).result if most > 1 else get
                ahead.append(_Download(path, target, time.time_ns(), wait))
                if len(ahead) >= most:
                    yield ahead.popleft()
            yield from ahead

    def _fetch(self, item: Item, origin: Origin, one: _Download) -> FileState:
        target, moment = one.target, one.moment
        with storage_errors(self._spool):
            one.wait()
            with target.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                size = file.tell()
            if item.updated_at is not None:
                os.utime(target, (moment / 1e9, item.updated_at.timestamp()))
        if not size:
            return FileState(origin.path, item.token, None, EmptyFile(origin.path), origin=origin)
        entry = self._cache.find(origin.path, item.token)
        if entry is None or entry.hash != digest:
            entry = Hashed(item.token, moment, digest)
        if item.token:
            self._note(origin.path, entry)
        return _state(origin.path, entry, origin, fetched=str(target))

    def _keep_problem(self, scan: SourceScan, path: str, error: SourceError) -> None:
        """Record that an item cannot be fetched; its document stays."""
        scan.files[path] = replace(scan.files[path], hash=None, problem=error)

    def _list_again(self, scan: SourceScan, paths: Iterable[str]) -> None:
        """List items again that changed since the listing."""
        wanted = {self._items[path].source_id: path for path in paths}
        try:
            for item in self._source.items(cancel=self._cancel):
                path = wanted.pop(item.source_id, None)
                if path is not None:
                    self._items[path] = item
                    origin = origin_of(self._label, item)
                    scan.files[path] = replace(
                        scan.files[path], signature=item.token, origin=origin
                    )
                if not wanted:
                    return
        except SourceError:
            return  # they are unchanged and will be reported


def _state(path: str, entry: Hashed, origin: Origin, *, fetched: str) -> FileState:
    return FileState(
        path, entry.signature, entry.hash, None, entry.textless, entry.reason, origin, fetched
    )


def origin_of(source: str, item: Item, own: Path | None = None, /) -> Origin:
    """Return the description of an item by its source; *own* is its local file, if it has one."""
    name = item.name or (own.name if own else PurePosixPath(item.source_id).name)
    metadata = json.dumps(dict(item.metadata), ensure_ascii=False) if item.metadata else None
    return Origin(
        path=str(own) if own else f"{source}/{item.source_id}",
        name=PurePosixPath(name).name,
        source=source,
        source_id=item.source_id,
        source_url=item.url,
        source_author=item.author,
        source_updated_at=item.updated_at.astimezone(UTC) if item.updated_at else None,
        metadata=metadata,
        title=item.title,
        is_whole=item.is_whole,
    )


_TOO_LARGE = "It is too large. Set max_extract_bytes to include larger ones."


def _dark(source: str, folders: Sequence[str]) -> SourceError:
    return SourceError(
        source,
        f"{len(folders):,} of its folders could not be listed, such as {folders[0] or 'the top'}. "
        "Their documents were kept.",
        hint="See the notes of the sync on each folder, then sync again.",
    )


def _not_asked(source: str) -> SourceError:
    return SourceError(
        source,
        f"it was not fetched, because the {_GIVE_UP} items before it failed.",
        hint="See the messages of the first ones, then sync again.",
    )


def _empty(source: str) -> SourceError:
    return SourceError(
        source,
        "it lists no items, but the collection has documents from it. They were kept.",
        hint="Check its settings: the branch, the prefix, the patterns, whether a disk is "
        f"mounted. If it is empty on purpose, sync it once with {Opt('full')}.",
    )
