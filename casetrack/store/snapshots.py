"""Earlier states: named snapshots, and states that are only kept for a while.

A named snapshot is ``snapshots/SLUG.json``, a note with its name and the versions of both datasets,
and a Lance tag on each of these versions, which keeps their files. Note and tags can be rebuilt
from each other (:func:`casetrack.store.history.repair_tags`): the note is written first and removed
last, so that a killed program never leaves both tags without it. :func:`sweep` removes anything
less.

Every change keeps the previous state until old versions are cleaned away. Chunks are appended
before the ledger is switched and dropped after it, so the last version of ``chunks`` that has all
rows of a ledger is the one before the next change of the ledger.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import (
    CollectionDamaged,
    See,
    SnapshotExists,
    SnapshotNotFound,
    StorageError,
    UsageError,
)
from casetrack.base.files import storage_errors
from casetrack.base.records.snapshots import SnapshotInfo
from casetrack.store.damage import reading
from casetrack.store.datasets import (
    CHUNKS,
    DOCUMENTS,
    Ledger,
    Snapshot,
    conform,
    dimension_of,
    generation_of,
    open_dataset,
    open_snapshot,
    profile_of,
)
from casetrack.store.heads import manifests_of
from casetrack.store.history import SNAPSHOTS, TAG, Note, read_note, repair_tags, tags, write_note
from casetrack.store.lock import write_lock
from casetrack.store.place import dataset_at
from casetrack.store.reader_locks import drop_tag, lock_versions
from casetrack.store.rows import Rows

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

# Versions that Lance keeps of both datasets.

_CANDIDATES = 8
"""Number of chunk versions to check if the clock was set back meanwhile."""


class Versions:
    """The kept versions of both datasets; opens each version once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # In this order: the chunks of a ledger are older than it.
        self.documents = open_dataset(folder, DOCUMENTS)
        self.chunks = open_dataset(folder, CHUNKS)
        self.ledgers = [(number, moment) for number, moment, _ in versions_of(self.documents)]
        self.chunk_versions = versions_of(self.chunks)
        self.current = state_key(open_snapshot(folder).documents.table)
        self._held: dict[int, tuple[Any, Counter[str]]] = {}

    def ledger(self, version: int) -> pa.Table | None:
        """Return the rows of a ledger; ``None`` if it is damaged or was cleaned away."""
        try:
            with reading(self.documents.uri):
                return self.documents.checkout_version(version).to_table()
        except CollectionDamaged:
            return None

    def holding(self, ledger: pa.Table, versions: list[int]) -> Any:
        """Return the first of *versions* of the chunks with all rows of a ledger, if any."""
        wanted = chunk_counts(ledger)
        for version in versions[:_CANDIDATES]:
            if version not in self._held:
                try:
                    with reading(self.chunks.uri):
                        chunks = self.chunks.checkout_version(version)
                        column = chunks.scanner(columns=["revision"]).to_table()["revision"]
                except CollectionDamaged:
                    continue
                counted = column.value_counts()
                names, numbers = counted.field("values"), counted.field("counts")
                self._held[version] = (
                    chunks,
                    Counter(dict(zip(names.to_pylist(), numbers.to_pylist(), strict=True))),
                )
            chunks, rows = self._held[version]
            if all(rows[r] == count for r, count in wanted.items()):
                return chunks
        return None

    def before(self, moment: datetime | None, rows: int) -> list[int]:
        """Return versions of the chunks with at least so many rows, the most likely one first."""
        enough = [(v, at) for v, at, total in reversed(self.chunk_versions) if total >= rows]
        likely = [v for v, at in enough if moment is None or at <= moment]
        return [*likely, *reversed([v for v, _ in enough if v not in set(likely)])]


def tags_of(dataset: Any) -> dict[str, int]:
    """Return the tags of named snapshots by slug, with their versions."""
    versions = tags(dataset)
    return {n.removeprefix(TAG): version for n, version in versions.items() if n.startswith(TAG)}


def versions_of(dataset: Any, /) -> list[tuple[int, datetime, int]]:
    """Return number, time and rows of each intact version, oldest first."""
    try:
        with reading(dataset.uri):
            return [
                (v["version"], _moment(v), int(v["metadata"]["total_rows"]))
                for v in dataset.versions()
            ]
    except CollectionDamaged:
        # One damaged version prevents Lance from listing the others.
        versions = []
        for number, file in reversed(manifests_of(dataset).items()):
            with contextlib.suppress(CollectionDamaged, FileNotFoundError), reading(dataset.uri):
                rows = dataset.checkout_version(number).count_rows()
                versions.append((number, file.moment(), rows))
        return versions


def chunk_counts(ledger: pa.Table) -> dict[str, int]:
    """Return the number of chunks of each revision of a ledger."""
    columns = ledger["revision"].to_pylist(), ledger["chunk_count"].to_pylist()
    return dict(zip(*columns, strict=True))


def state_key(ledger: pa.Table) -> frozenset[tuple[Any, ...]]:
    """Return a key that identifies the content of a state; moved files keep their revision."""
    columns = (ledger[n].to_pylist() for n in ("revision", "name", "path", "updated_at"))
    return frozenset(zip(*columns, strict=True))


def _moment(version: dict[str, Any]) -> datetime:
    """Return the time of a commit; Lance uses local time."""
    moment: datetime = version["timestamp"]
    return moment.astimezone(UTC)


_MAX_NAME = 100
_MAX_SLUG = 60
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")
_repairs = logging.getLogger("casetrack.repairs")


@dataclass(frozen=True, slots=True)
class Point:
    """One earlier state and the location of its rows.

    Attributes
    ----------
    chunks
        Version of ``chunks`` with all its rows, or ``None``.
    key
        Slug for file names and tags; empty for an unnamed state.
    """

    info: SnapshotInfo
    ledger: pa.Table = field(repr=False)
    chunks: Any = field(repr=False)
    key: str = ""


def slug(name: str, /) -> str:
    """Return the unique slug of a name for file names and tags."""
    if not name or len(name) > _MAX_NAME or not name.isprintable() or name.isdecimal():
        raise UsageError(
            f"A snapshot's name has 1 to {_MAX_NAME} printable characters, and is not just a "
            "number.",
            hint="Choose a name such as 'before clean-up'.",
        )
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:_MAX_SLUG].strip("-")
    is_device = _DEVICE.fullmatch(plain)
    if plain == name.casefold() and not is_device:
        return plain
    digest = hashlib.sha256(name.casefold().encode()).hexdigest()[:8]
    if is_device:  # Windows compares the part before the first dot
        return f"{plain}-{digest}"
    return f"{plain}.{digest}" if plain else digest


def take(folder: Path, name: str, /) -> SnapshotInfo:
    """Name the present state and keep it; the caller holds the write lock."""
    name = name.strip()
    key = slug(name)
    sweep(folder)
    if (folder / SNAPSHOTS / f"{key}.json").exists():
        raise SnapshotExists(name)
    snapshot = open_snapshot(folder)
    versions = {DOCUMENTS: snapshot.version, CHUNKS: snapshot.chunks.version}
    kept = versions[DOCUMENTS], versions[CHUNKS]
    path = folder / SNAPSHOTS / f"{key}.json"
    try:
        write_note(path, Note(name, datetime.now(UTC), kept))
        for dataset, version in versions.items():
            with storage_errors(dataset_at(folder, dataset)):
                open_dataset(folder, dataset).tags.create(TAG + key, version)
    except StorageError:
        with storage_errors(path):
            path.unlink(missing_ok=True)
        raise
    return find(folder, name).info


def remove(folder: Path, reference: str | int, /) -> tuple[SnapshotInfo, frozenset[str]]:
    """Remove a named snapshot; return it with the ids of documents only it still had."""
    doomed = find(folder, reference)
    if doomed.info.name is None:
        raise SnapshotNotFound(
            f"The state {doomed.info.number} has no name; it is removed automatically.",
            hint=f"Only snapshots that you took can be removed: {See('snapshots list')}.",
        )
    key = doomed.key
    drop_tag(folder, TAG + key)
    path = folder / SNAPSHOTS / f"{key}.json"
    with storage_errors(path):
        path.unlink(missing_ok=True)
    sweep(folder)
    gone = set(doomed.ledger["document_id"].to_pylist()) - set(open_snapshot(folder).documents)
    for other in _named(folder, Versions(folder)):
        gone -= set(other.ledger["document_id"].to_pylist())
    return doomed.info, frozenset(gone)


def sweep(folder: Path, /) -> int:
    """Remove incomplete snapshots; return their number. The caller holds the lock."""
    home = folder / SNAPSHOTS
    repair_tags(folder)
    notes = names(folder)
    tags = [tags_of(open_dataset(folder, name)).keys() for name in (DOCUMENTS, CHUNKS)]
    whole = notes & tags[0] & tags[1]
    # A note with versions is written after their tags existed: a missing tag is a loss, which the
    # list of snapshots reports.
    lost = {key for key in notes - whole if _versions(home / f"{key}.json") is not None}
    halves = (notes | tags[0] | tags[1]) - whole - lost
    for key in sorted(halves):
        path = home / f"{key}.json"
        with storage_errors(path):
            path.unlink(missing_ok=True)
        drop_tag(folder, TAG + key)
        _repairs.warning("Removed the incomplete snapshot %r of a killed program.", key)
    return len(halves)


def names(folder: Path, /) -> frozenset[str]:
    """Return the slugs of the named snapshots (see :func:`slug`)."""
    home = folder / SNAPSHOTS
    return frozenset(p.stem for p in home.glob("*.json")) if home.is_dir() else frozenset()


def states(folder: Path, /, *, automatic: int) -> tuple[SnapshotInfo, ...]:
    """Return the named snapshots, and the last *automatic* others, newest first."""
    versions = Versions(folder)
    named = [p.info for p in _named(folder, versions)]
    numbers = {info.number for info in named}
    others: list[SnapshotInfo] = []
    for point in _automatic(versions):
        if len(others) >= automatic:
            break
        if point.info.number not in numbers:
            others.append(point.info)
    return tuple(sorted([*named, *others], key=lambda i: (i.number, i.created_at), reverse=True))


def named_states(folder: Path, now: Snapshot, /) -> dict[str, bool]:
    """Return the names of all snapshots, and whether the rows that only they use are intact."""
    whole = {}
    for point in _named(folder, Versions(folder)):
        name, counts = str(point.info.name), chunk_counts(point.ledger)
        earlier = {r: n for r, n in counts.items() if r not in now.revisions}
        whole[name] = False
        with contextlib.suppress(CollectionDamaged):
            if point.chunks is not None:
                rows = Rows.of(point.chunks, earlier)
                whole[name] = all(t.num_rows for t in rows.batches()) and not rows.lacking(earlier)
    return whole


def find(folder: Path, reference: str | int, /) -> Point:
    """Return the state of a name or a number."""
    wanted = str(reference).strip()
    versions = Versions(folder)
    named = list(_named(folder, versions))
    for point in named:
        if (point.info.name or "").casefold() == wanted.casefold():
            return point
    if wanted.isdecimal():
        for point in (*named, *_automatic(versions)):
            if point.info.number == int(wanted):
                return point
    known = "".join(f"\n  - {p.info.name}" for p in named)
    raise SnapshotNotFound(
        f'There is no snapshot "{wanted}" of this collection, or it was removed.'
        + (f" Named snapshots:{known}" if known else ""),
        hint=f"See what can be restored with {See('snapshots list')}.",
    )


@contextlib.contextmanager
def locked_point(
    folder: Path, reference: str | int, /, *, cancel: threading.Event | None = None
) -> Iterator[Snapshot]:
    """Open an earlier state like the present one, and keep its files until the end of the block."""
    with contextlib.ExitStack() as kept:
        with write_lock(folder, cancel=cancel):
            point = find(folder, reference)
            if point.chunks is None:
                raise SnapshotNotFound(
                    f'The state "{point.info.name or point.info.number}" cannot be opened: '
                    f"{point.info.reason}",
                    hint=f"See what can be restored with {See('snapshots list')}.",
                )
            kept.enter_context(lock_versions(folder, point.info.number, point.chunks.version))
        layout = schema.table("documents").arrow()
        yield Snapshot(
            point.info.number,
            point.chunks.version,
            Ledger(conform(point.ledger, layout)),
            profile_of(point.chunks),
            dimension_of(point.chunks),
            generation_of(point.chunks),
            folder,
            {CHUNKS: point.chunks},
        )


def points(folder: Path, /) -> Iterator[Point]:
    """Yield the restorable states: the named ones, then the others, newest first."""
    versions = Versions(folder)
    for point in (*_named(folder, versions), *_automatic(versions)):
        if point.info.restorable:
            yield point


def _named(folder: Path, versions: Versions) -> Iterator[Point]:
    home = folder / SNAPSHOTS
    ledgers, chunks = tags_of(versions.documents), tags_of(versions.chunks)
    for key in sorted(names(folder) | (ledgers.keys() & chunks.keys())):
        name, moment, kept = _read_note(home / f"{key}.json", fallback=key)
        # The note takes precedence: a tag may be damaged, or be that of another snapshot.
        number, rows = kept or (ledgers.get(key), chunks.get(key))
        if number is None or rows is None:
            continue
        if moment is None:  # the note is missing
            moment = dict(versions.ledgers).get(number, datetime.fromtimestamp(0, UTC))
        table = versions.ledger(number)
        holding = None if table is None else versions.holding(table, [rows])
        if table is not None:
            point = _point(versions, table, holding, number, moment, name=name)
        else:
            point = _lost(number, moment, name)
        yield replace(point, key=key)


def _lost(number: int, moment: datetime, name: str) -> Point:
    """Return the state of a snapshot whose files are all unreadable."""
    reason = f"Its files are damaged or gone; remove it with {See('snapshots remove')}."
    info = SnapshotInfo(name, number, moment, 0, 0, 0, None, None, restorable=False, reason=reason)
    return Point(info, schema.table("documents").arrow().empty_table(), None)


def _automatic(versions: Versions) -> Iterator[Point]:
    """Yield the distinct states of the ledger, newest first."""
    follows: datetime | None = None
    group: tuple[int, datetime, pa.Table] | None = None
    for version, moment in reversed(versions.ledgers):
        table = versions.ledger(version)
        if table is None:
            continue
        if group is not None and state_key(group[2]) != state_key(table):
            yield _point_of(versions, group, follows)
            follows, group = group[1], None
        # The newest of equal states is kept longest; the oldest has the time of the change.
        group = (version, moment, table) if group is None else (group[0], moment, group[2])
    if group is not None:
        yield _point_of(versions, group, follows)


def _point_of(
    versions: Versions, group: tuple[int, datetime, pa.Table], follows: datetime | None
) -> Point:
    number, moment, table = group
    candidates = versions.before(follows, sum(chunk_counts(table).values()))
    return _point(versions, table, versions.holding(table, candidates), number, moment)


def _point(
    versions: Versions,
    ledger: pa.Table,
    chunks: Any,
    number: int,
    moment: datetime,
    *,
    name: str | None = None,
) -> Point:
    info = SnapshotInfo(
        name=name,
        number=number,
        created_at=moment,
        documents=ledger.num_rows,
        pages=sum(ledger["page_count"].to_pylist()),
        chunks=sum(chunk_counts(ledger).values()),
        profile=None if chunks is None else profile_of(chunks),
        dimension=None if chunks is None else dimension_of(chunks),
        restorable=True,
        current=state_key(ledger) == versions.current,
    )
    reason = _reason(versions, chunks, ledger)
    return Point(replace(info, restorable=not reason, reason=reason), ledger, chunks)


def _reason(versions: Versions, chunks: Any, ledger: pa.Table) -> str:
    """Return why a state cannot be restored; empty if it can."""
    if chunks is None:
        return "Its passages are damaged or were removed."
    have = profile_of(versions.chunks), dimension_of(versions.chunks)
    if (profile_of(chunks), dimension_of(chunks)) != have:
        return (
            f"It was made with the profile {profile_of(chunks)} ({dimension_of(chunks)} "
            f"dimensions), and the collection now uses {have[0]} ({have[1]})."
        )
    for name, stored in (("chunks", chunks.schema.names), ("documents", ledger.schema.names)):
        if any(not c.nullable and c.name not in stored for c in schema.table(name).columns):
            return "It was made by an earlier version of CaseTrack, in another format."
    return ""


def _read_note(path: Path, *, fallback: str) -> tuple[str, datetime | None, tuple[int, int] | None]:
    """Return name, time and versions of a note; *fallback* is the name if it is unreadable."""
    note = read_note(path)
    with contextlib.suppress(UsageError):
        if note is not None and slug(note.name) == fallback:
            return note.name, note.created_at, note.versions
    with contextlib.suppress(FileNotFoundError):
        return fallback, datetime.fromtimestamp(path.stat().st_mtime, UTC), None
    return fallback, None, None


def _versions(path: Path) -> tuple[int, int] | None:
    note = read_note(path)
    return None if note is None else note.versions
