"""The watched folders of a data folder."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import uuid
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import one_of
from casetrack.base.config import resolve_path
from casetrack.base.errors import (
    AmbiguousName,
    FileNotFound,
    See,
    UsageError,
    WatchNotFound,
    WrongPathKind,
)
from casetrack.base.files import Stamp, private_folder, stamp_of, storage_errors, write_json
from casetrack.base.objects.address import is_address
from casetrack.base.records.sync import SCHEDULES, Schedule, Watch
from casetrack.ingest.walk import extension_set
from casetrack.store.lock import file_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Collection as Container
    from pathlib import Path

    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo

# The time of the next comparison of a whole folder, as arithmetic on seconds since 1970.

_HOUR = 3600.0
_INTERVALS: dict[Schedule, float] = {
    # Changes are reported at once; the schedule catches those that were missed.
    "on_change": 6 * _HOUR,
    "hourly": _HOUR,
    "every_6h": 6 * _HOUR,
    "every_12h": 12 * _HOUR,
}
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def next_full(watch: Watch, after: float, /, *, zone: tzinfo | None = None) -> float | None:
    """Return when the whole folder of *watch* is due, if it was last compared at *after*.

    Times are seconds since 1970; ``None`` for the schedule ``manual``. A missed time is in the past
    and is made up for once. *zone* applies to daily times; the default is the machine's.
    """
    if watch.schedule == "manual":
        return None
    if watch.schedule == "daily":
        return _next_daily(_time_of(watch.daily_time), after, zone)
    return after + _INTERVALS[watch.schedule]


def checked_schedule(text: str, /) -> Schedule:
    """Return the schedule *text*.

    Raises ``UsageError`` if it is not a known schedule.
    """
    return one_of("schedule", text.strip().lower().replace("-", "_"), SCHEDULES)


def checked_time(text: str, /) -> str:
    """Return a time of day as ``HH:MM``.

    Raises ``UsageError`` if *text* is not a time of day.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{text!r} is not a time of day.",
            hint="Write it with 24 hours, such as 02:00 or 18:30.",
        )
    return f"{int(match[1]):02}:{match[2]}"


def _time_of(text: str) -> time:
    hour, minute = checked_time(text).split(":")
    return time(int(hour), int(minute))


def _next_daily(at: time, after: float, zone: tzinfo | None) -> float:
    """Return the first time of day *at* after a moment.

    When clocks change, a skipped time is an hour later, and the first of two equal times counts
    (Python's rule), so each day has exactly one.
    """
    today = datetime.fromtimestamp(after, zone).date()
    due = after
    for days in range(3):
        due = datetime.combine(today + timedelta(days=days), at, tzinfo=zone).timestamp()
        if due > after:
            break
    return due


# The file ``watches.json``: changed by several programs, read by people, never lost.

repairs = logging.getLogger("casetrack.repairs")

Entries = list[dict[str, Any]]

_ABOUT = (
    f"Folders that CaseTrack keeps in sync with collections. Change it with {See('watch')}, or by "
    "hand: watching programs read it within seconds."
)


class WatchListFile:
    """Reads and changes the list in ``watches.json``.

    ``watches.json.bak`` is written first with the same content, so one of the two is always
    complete. Fields that this version does not know are kept.
    """

    def __init__(self, path: Path, /) -> None:
        self.path = path
        self._spare = path.with_name(f"{path.name}.bak")

    def read(self) -> Entries:
        """Return the entries; a damaged file is set aside and replaced by the last good copy.

        Raises ``DiskFull``, ``NotWritable`` or ``StorageError`` if the file cannot be read, or a
        damaged one cannot be replaced.
        """
        try:
            return _entries(self._load(self.path))
        except FileNotFoundError:
            return []
        except ValueError:
            return self.change(lambda _: None)

    def change(self, edit: Callable[[Entries], None], /) -> Entries:
        """Change the entries with *edit* under a lock, store them, and return them.

        Nothing is written if *edit* changes nothing or raises. Raises ``DiskFull``, ``NotWritable``
        or ``StorageError`` if the file cannot be written.
        """
        lock = file_lock(self.path.with_name(f".{self.path.name}.lock"))
        with storage_errors(self.path):
            private_folder(self.path.parent)
            lock.acquire()
        try:
            content = self._whole_content()
            before = json.dumps(content)
            edit(_entries(content))
            if json.dumps(content) != before:
                write_json(self._spare, content)
                write_json(self.path, content)
            return _entries(content)
        finally:
            lock.release()

    def _whole_content(self) -> dict[str, Any]:
        try:
            content = self._load(self.path)
            _entries(content)
            return content
        except FileNotFoundError:
            return {"about": _ABOUT, "version": 1, "watches": []}
        except ValueError as error:
            return self._repair(error)

    def _repair(self, error: ValueError) -> dict[str, Any]:
        aside = self._set_aside()
        try:
            content = self._load(self._spare)
            count = len(_entries(content))
            outcome = f"the last good copy with {count} watched folder(s) was restored"
        except (ValueError, FileNotFoundError):
            content = {"about": _ABOUT, "version": 1, "watches": []}
            outcome = (
                "no good copy exists, so no folder is watched now; add them again with "
                f"{See('watch add', 'FOLDER')}"
            )
        write_json(self.path, content)
        repairs.warning(
            "%s was damaged (%s). The damaged file is %s, and %s.",
            self.path,
            error,
            aside.name,
            outcome,
        )
        return content

    def _set_aside(self) -> Path:
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        aside = self.path.with_name(f"{self.path.name}.damaged-{now}")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{self.path.name}.damaged-{now}-{number}")
        with storage_errors(self.path), contextlib.suppress(FileNotFoundError):
            shutil.copy2(self.path, aside)
        return aside

    def _load(self, path: Path) -> dict[str, Any]:
        """Return the file's content; raise ``ValueError`` if it is damaged."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise
        except OSError:
            with storage_errors(path):
                raise
        except (RecursionError, UnicodeDecodeError) as error:
            raise ValueError(f"{error}") from error
        if not isinstance(content, dict):
            raise ValueError("it does not hold an object")  # noqa: TRY004 - damage, like the rest
        return content


def _entries(content: dict[str, Any]) -> Entries:
    entries = content.get("watches")
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise ValueError("it has no list of watches")
    return entries


logger = logging.getLogger("casetrack.watch")

_ID_PREFIX = 4


class WatchList:
    """Adds, finds, changes and removes watched folders; see :class:`~casetrack.base.records.Watch`.

    Several programs can do so at once without lost updates.
    """

    def __init__(self, data_dir: Path, /) -> None:
        self.data_dir = data_dir
        self._file = WatchListFile(data_dir / "watches.json")
        self._told: set[str] = set()

    @property
    def path(self) -> Path:
        """Path of the list."""
        return self._file.path

    def stamp(self) -> Stamp | None:
        """Return a value that changes with the list; ``None`` if there is no list."""
        return stamp_of(self.path)

    def watches(self, collection_id: str | None = None, /) -> tuple[Watch, ...]:
        """Return the watches, of all collections or of one, in the order of their creation.

        Raises ``DiskFull``, ``NotWritable`` or ``StorageError`` if the list cannot be read, or a
        damaged one cannot be replaced by its last good copy.
        """
        return tuple(
            watch
            for watch in self._parsed(self._file.read())
            if collection_id is None or watch.collection_id == collection_id
        )

    def add(self, collection_id: str, folder: str | Path, /, **options: Any) -> tuple[Watch, bool]:
        """Add or change the watch of a folder for a collection; return it, and whether it is new.

        Options are those of :class:`Watch`; ``None`` keeps the stored value, or uses the default.
        Raises ``UsageError`` if an option is wrong, the folder is inside the data folder, or
        nothing would change; ``FileNotFound`` or ``WrongPathKind`` if there is no such folder;
        ``DiskFull``, ``NotWritable`` or ``StorageError``.
        """
        path = self._checked_folder(folder)
        fields = checked_fields(**options)
        added: list[tuple[Watch, bool]] = []

        def edit(entries: Entries) -> None:
            for entry, watch in self._known(entries):
                if watch.collection_id == collection_id and _same(watch.folder, path):
                    added.append((_changed(entry, watch, fields | {"enabled": True}), False))
                    return
            watch = Watch(
                id=str(uuid.uuid4()),
                collection_id=collection_id,
                folder=str(path),
                recursive=True,
                enabled=True,
                created_at=datetime.now(UTC),
            )
            entries.append(watch.as_dict() | fields)
            added.append((_matching(entries[-1], fields), True))

        self._file.change(edit)
        return added[0]

    def change(self, watch_id: str, /, *, enabled: bool | None = None, **options: Any) -> Watch:
        """Change a watch (whole id) and return it; options are those of :meth:`add`.

        Raises ``WatchNotFound`` if it was removed meanwhile; ``UsageError`` if an option is wrong,
        or nothing would change; ``DiskFull``, ``NotWritable`` or ``StorageError``.
        """
        fields = checked_fields(**options)
        if enabled is not None:
            fields["enabled"] = enabled
        changed: list[Watch] = []

        def edit(entries: Entries) -> None:
            for entry, watch in self._known(entries):
                if watch.id == watch_id:
                    changed.append(_changed(entry, watch, fields))

        self._file.change(edit)
        if not changed:
            raise _not_found(watch_id, self.watches())
        return changed[0]

    def remove(self, watch_ids: Container[str], /) -> tuple[Watch, ...]:
        """Remove watches by their whole ids and return those that existed.

        Raises ``DiskFull``, ``NotWritable`` or ``StorageError``.
        """
        gone: list[Watch] = []

        def edit(entries: Entries) -> None:
            gone[:] = [watch for _, watch in self._known(entries) if watch.id in watch_ids]
            ids = {watch.id for watch in gone}
            entries[:] = [entry for entry in entries if entry.get("id") not in ids]

        self._file.change(edit)
        return tuple(gone)

    def find(self, path_or_id: str, /, *, collection_id: str | None = None) -> Watch:
        """Return the watch of a folder, or of an id (at least its first 4 characters).

        A folder can have watches of several collections; *collection_id* selects one. Raises
        ``WatchNotFound`` if none matches; ``AmbiguousName`` if several match.
        """
        watches = self.watches(collection_id)
        asked = path_or_id.strip()
        fits = [w for w in watches if w.id == asked]
        if not fits and asked:
            with contextlib.suppress(RuntimeError):  # "~nobody"
                path = resolve_path(asked)
                fits = [w for w in watches if _same(w.folder, path)]
        if not fits and len(asked) >= _ID_PREFIX:
            fits = [w for w in watches if w.id.startswith(asked.lower())]
        if len(fits) > 1:
            raise AmbiguousName("watched folder", asked, [(w.folder, w.id) for w in fits])
        if not fits:
            raise _not_found(asked, watches)
        return fits[0]

    def _checked_folder(self, folder: str | Path) -> Path:
        if is_address(folder):
            raise UsageError(
                f"{folder} cannot be watched: object storage does not report changes.",
                hint=f"Add it as a source of type s3, and let a scheduler run {See('sync')} "
                "for it: each run lists it and fetches changes.",
            )
        try:
            path = resolve_path(folder)
        except RuntimeError as error:  # "~nobody"
            raise FileNotFound(folder) from error
        if not path.exists():
            raise FileNotFound(path)
        if not path.is_dir():
            raise WrongPathKind(f"{path} is a file, not a folder.", hint="Watch its folder.")
        home = self.data_dir.resolve()
        if path.resolve().is_relative_to(home):
            raise UsageError(
                f"{path} is in CaseTrack's own data folder {home}, which changes with every sync.",
                hint="Watch a folder outside of it.",
            )
        return path

    def _known(self, entries: Entries) -> list[tuple[dict[str, Any], Watch]]:
        """Return the valid entries, each with its watch."""
        pairs = []
        for entry in entries:
            try:
                watch = Watch.from_dict(entry)
                checked_time(watch.daily_time)
                pairs.append((entry, watch))
            except (ValueError, KeyError, TypeError, UsageError) as error:
                name = str(entry.get("id") or entry.get("folder_path"))
                if name not in self._told:
                    self._told.add(name)
                    logger.warning(
                        "The entry %s in %s is ignored, because it is not valid (%s: %s).",
                        name,
                        self.path,
                        type(error).__name__,
                        error,
                    )
        return pairs

    def _parsed(self, entries: Entries) -> list[Watch]:
        return [watch for _, watch in self._known(entries)]


def _changed(entry: dict[str, Any], watch: Watch, fields: Mapping[str, Any]) -> Watch:
    """Change the entry of a watch, and return the watch."""
    entry.update(fields)
    changed = _matching(entry, fields)
    if changed == watch:
        state = "watched" if watch.enabled else "paused"
        raise UsageError(
            f"Nothing was changed: {watch.folder} is already {state} with these options.",
            hint=f"{See('watch list')} shows the options of each folder.",
        )
    return changed


def _matching(entry: dict[str, Any], fields: Mapping[str, Any]) -> Watch:
    """Return the watch of an entry; refuse a time of day that its schedule does not use."""
    watch = Watch.from_dict(entry)
    if "daily_time" in fields and watch.schedule != "daily":
        raise UsageError(
            f"A time of day cannot be used with the schedule {watch.schedule}.",
            hint="Use the schedule daily, or omit the time.",
        )
    return watch


def checked_fields(
    *,
    schedule: str | None = None,
    daily_time: str | None = None,
    recursive: bool | None = None,
    file_extensions: Iterable[str] | None = None,
    include: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    auto_remove_deleted: bool | None = None,
) -> dict[str, Any]:
    """Return the given options in the form that is stored; ``None`` leaves one out."""
    fields: dict[str, Any] = {}
    if schedule is not None:
        fields["schedule"] = checked_schedule(schedule)
    if daily_time is not None:
        fields["daily_time"] = checked_time(daily_time)
    switches = {"recursive": recursive, "auto_remove_deleted": auto_remove_deleted}
    lists = {"include": include, "exclude": exclude}
    fields |= {name: value for name, value in switches.items() if value is not None}
    fields |= {name: [p for p in given if p] for name, given in lists.items() if given is not None}
    if file_extensions is not None:
        fields["file_extensions"] = sorted(extension_set(file_extensions) or ()) or None
    return fields


def _same(stored: str, path: Path) -> bool:
    return _normal(stored) == _normal(path)


def _normal(path: str | Path) -> str:
    return os.path.normcase(os.path.realpath(path))


def _not_found(asked: str, known: Iterable[Watch]) -> WatchNotFound:
    lines = "\n".join(f"  - {w.folder} (ID: {w.id[:8]})" for w in known)
    if not lines:
        return WatchNotFound(
            f'"{asked}" is not watched, and no other folder is.',
            hint=f"Watch one with {See('watch add', 'FOLDER')}.",
        )
    return WatchNotFound(
        f'"{asked}" is not watched. Watched folders:\n{lines}',
        hint="Use one of these paths or IDs.",
    )


# Deleting a collection also ends the watch over folders that were kept in sync with it.


def delete_collection(
    library: Library, collection_id: str, /, *, aside: bool = False
) -> tuple[CollectionInfo, tuple[str, ...]]:
    """Delete a collection; return its facts, and the folders that are no longer watched.

    *aside* means one that was set aside.
    """
    gone = (library.delete_aside if aside else library.delete)(collection_id)
    watch_list = WatchList(library.settings.data_dir)
    watched = watch_list.watches(gone.id)
    if watched:
        watch_list.remove({watch.id for watch in watched})
    return gone, tuple(watch.folder for watch in watched)
