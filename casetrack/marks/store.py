"""Keeps marks in ``marks/marks.jsonl`` of a collection: one JSON object a line, added to only.

To undo a mark is a mark, too. A reader takes no lock: the file is replaced whole by one rename, so
that a killed writer leaves it as it was. Writers take turns by a lock of their own, since the
collection's lock may be held for hours by somebody who takes in files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import secrets
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from casetrack.errors import CollectionBusy, CollectionGone
from casetrack.records.marks import ENTITY_EDITS, MARK_KINDS, Mark
from casetrack.store.files import storage_errors, write_atomic
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

FOLDER = "marks"
FILE = "marks.jsonl"
PATH = f"{FOLDER}/{FILE}"
_LOCK = ".marks.lock"
_LOCK_SECONDS = 30.0
_TEXTS = ("mark_id", "kind", "made_at", "value", "note")
_NUMBERS = ("page", "char_start", "char_end")
_STORED = tuple(f.name for f in fields(Mark) if f.name != "undone_by")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Marks:
    """All marks of a collection at one moment, in the order in which they were made."""

    all: tuple[Mark, ...] = ()

    @cached_property
    def in_force(self) -> tuple[Mark, ...]:
        """Those that count: nobody has undone them."""
        return tuple(m for m in self.all if m.undone_by is None and m.kind != "undo")

    @cached_property
    def entity_edits(self) -> tuple[Mark, ...]:
        """Those in force that change who and what is in the collection."""
        return tuple(m for m in self.in_force if m.kind in ENTITY_EDITS)

    @cached_property
    def fingerprint(self) -> str:
        """What stands for the edits of entities; empty without any."""
        if not self.entity_edits:
            return ""
        lines = "\n".join(map(to_line, self.entity_edits))
        return hashlib.sha256(lines.encode()).hexdigest()[:20]


def new_mark(**told: Any) -> Mark:
    """Return a new mark, made now; *told* is what it says."""
    return Mark(mark_id=f"m-{secrets.token_hex(4)}", made_at=datetime.now(UTC), **told)


def stamp(folder: Path, /) -> tuple[int, int, int] | None:
    """Return what changes with the marks of a collection; ``None`` while it has none."""
    try:
        found = (folder / FOLDER / FILE).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read(folder: Path, /) -> Marks:
    """Return the marks of a collection.

    A line that is none is passed over with a warning; ``casetrack doctor`` names it.

    Raises
    ------
    StorageError
        The file is there and cannot be read.
    """
    found, broken = _parsed(_bytes(folder))
    for number in broken:
        _log.warning("Line %d of %s is no mark, and is passed over.", number, folder / PATH)
    return Marks(with_undone(found))


def broken_lines(folder: Path, /) -> list[int]:
    """Return the numbers of the lines that are no marks, from 1."""
    return _parsed(_bytes(folder))[1]


def add(folder: Path, marks: Iterable[Mark], /) -> None:
    """Add marks; all of them are stored, or none.

    Raises
    ------
    CollectionBusy
        Another process has been writing marks for half a minute.
    CollectionGone
        The collection was deleted.
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    lines = "".join(f"{to_line(m)}\n" for m in marks)
    with _writing(folder):
        before = _bytes(folder)
        end = b"" if not before or before.endswith(b"\n") else b"\n"
        write_atomic(folder / FOLDER / FILE, before + end + lines.encode())


def keep(folder: Path, wanted: Callable[[Mark], bool], /) -> int:
    """Remove marks for good: all that are not *wanted*, and what undid them.

    Returns
    -------
    int
        How many were removed, without those that undid others.

    Raises
    ------
    CollectionBusy, CollectionGone, DiskFull, NotWritable, StorageError
        See :func:`add`.
    """
    if stamp(folder) is None:
        return 0
    with _writing(folder):
        marks = _parsed(_bytes(folder))[0]
        gone = {m.mark_id for m in marks if m.kind != "undo" and not wanted(m)}
        kept = [m for m in marks if not gone & {m.mark_id, m.value if m.kind == "undo" else ""}]
        if len(kept) < len(marks):
            text = "".join(f"{to_line(m)}\n" for m in kept)
            write_atomic(folder / FOLDER / FILE, text.encode())
        return len(gone)


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    if not (folder / "collection.json").exists():
        raise CollectionGone(folder.name)
    with storage_errors(folder / FOLDER):
        (folder / FOLDER).mkdir(exist_ok=True)
        (folder / _LOCK).touch()  # says why the lock cannot be made, where it cannot
    with try_lock(folder / _LOCK, timeout=_LOCK_SECONDS) as held:
        if not held:
            raise CollectionBusy(
                f"Another CaseTrack process has been writing marks to {folder} for over "
                f"{_LOCK_SECONDS:.0f} s.",
                hint="Wait for it to finish, or stop it; then run the command again.",
            )
        yield


def _bytes(folder: Path) -> bytes:
    path = folder / FOLDER / FILE
    with storage_errors(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return b""


# --- lines -----------------------------------------------------------------------------------


def to_line(mark: Mark, /) -> str:
    """Return a mark as it is stored; what it does not say is left out."""
    told = {n: v for n, v in mark.as_dict().items() if n in _STORED and v not in {None, ""}}
    return json.dumps(told, ensure_ascii=True)


def parse_line(line: str | bytes, /) -> Mark | None:
    """Return the mark of a line, or ``None`` where it is none."""
    try:
        raw = json.loads(line)
        told = {n: raw[n] for n in _STORED if n in raw}
        made = datetime.fromisoformat(told.pop("made_at"))
        mark = Mark(made_at=made if made.tzinfo else made.replace(tzinfo=UTC), **told)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    whole = all(isinstance(getattr(mark, n), str) for n in _TEXTS if n != "made_at")
    numbers = all(type(getattr(mark, n)) in {int, type(None)} for n in _NUMBERS)
    others = set(_STORED) - {*_TEXTS, *_NUMBERS}
    texts = all(isinstance(getattr(mark, n), str | None) for n in others)
    return mark if whole and numbers and texts and mark.kind in MARK_KINDS else None


def _parsed(data: bytes) -> tuple[list[Mark], list[int]]:
    """Return the marks, and the numbers of the lines that are none."""
    found: list[Mark] = []
    broken: list[int] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            mark = parse_line(line)
            found.append(mark) if mark is not None else broken.append(number)
    return found, broken


def with_undone(marks: Iterable[Mark], /) -> tuple[Mark, ...]:
    """Return marks, each with what has undone it; the last one who did."""
    found = list(marks)
    undone = {m.value: m.mark_id for m in found if m.kind == "undo"}
    return tuple(replace(m, undone_by=undone.get(m.mark_id)) for m in found)
