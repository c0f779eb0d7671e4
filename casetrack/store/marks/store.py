"""Keeps marks in ``marks/marks.jsonl`` of a collection: one JSON object a line, added to only.

To undo a mark is a mark, too. A reader takes no lock: the file is replaced whole by one rename, so
that a killed writer leaves it as it was. Writers take turns by a lock of their own, since the
collection's lock may be held for hours by somebody who takes in files.

Nothing can make a lost mark anew, so a copy lies beside the file: its bytes, and a last line with
the collection's id and a digest. A mark is added to the file first, and removed from the copy
first. So a whole copy never holds more than the file does, at whatever moment a writer is killed;
where it does, the file was damaged, and the copy says what is missing. The damaged file is kept
beside it, since it may hold something of worth.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import secrets
from collections import Counter
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import See, StorageError
from casetrack.base.files import Stamp, stamp_of, storage_errors, write_atomic
from casetrack.base.records.marks import ENTITY_EDITS, MARK_KINDS, Mark
from casetrack.store import audit, mirror
from casetrack.store.folders import BUILDING
from casetrack.store.lock import alone
from casetrack.store.sealed import gone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

FOLDER = "marks"
FILE = "marks.jsonl"
COPY = f".{FILE}.bak"
DAMAGED = f"{FILE}.damaged"
PATH = f"{FOLDER}/{FILE}"
_LOCK = ".marks.lock"
_LOCK_SECONDS = 30.0
_LOOKS = 5
"""How often both files are read where one seems to have lost something, and they change."""
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


def stamp(folder: Path, /) -> tuple[Stamp, ...]:
    """Return what changes with the marks of a collection; empty while it has none."""
    found = (stamp_of(folder / FOLDER / name) for name in (FILE, COPY))
    return tuple(stamp for stamp in found if stamp is not None)


def read(folder: Path, /) -> Marks:
    """Return the marks of a collection.

    A line that is none is passed over with a warning, and a mark that only the copy still has is
    taken from there, with a warning as well; ``casetrack doctor`` names both.

    Raises
    ------
    StorageError
        The file is there and cannot be read.
    """
    stored = Stored(folder)
    for number in stored.broken:
        _log.warning("Line %d of %s is no mark, and is passed over.", number, folder / PATH)
    if stored.lost:
        _log.warning(
            "%s is damaged: %d of your marks %s taken from the copy beside it. Run %s: it writes "
            "them back.",
            folder / PATH,
            len(stored.lost),
            "was" if len(stored.lost) == 1 else "were",
            See("doctor", repair=True),
        )
    return Marks(with_undone(_parsed(stored.whole)[0]))


def repair(folder: Path, /) -> list[str]:
    """Write lost marks back into the file, and a damaged or missing copy anew.

    Returns
    -------
    list of str
        What was done, in words.

    Raises
    ------
    CollectionBusy, CollectionGone, DiskFull, NotWritable, StorageError
        See :func:`add`.
    """
    if not stamp(folder):
        return []
    done = []
    with _writing(folder):
        stored = Stored(folder)
        if stored.lost:
            _set_aside(folder)
            write_atomic(folder / FOLDER / FILE, stored.whole)
            marks = "1 of your marks" if len(stored.lost) == 1 else f"{len(stored.lost):,} marks"
            done.append(f"wrote {marks} back into {PATH} from the copy beside it")
        if stored.copy != stored.whole:
            if stored.copy_is_damaged:
                done.append(f"made the copy of {PATH} anew")
            _write_copy(folder, stored.whole)
    return done


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
    new = list(marks)
    lines = "".join(f"{to_line(m)}\n" for m in new)
    with _writing(folder):
        stored = Stored(folder)
        kinds = Counter(m.kind for m in new)
        said = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        audit.note(folder, "marks added", count=len(new), detail=said)
        if stored.lost:
            _set_aside(folder)
        content = _with_end(stored.whole) + lines.encode()
        write_atomic(folder / FOLDER / FILE, content)
        try:
            _write_copy(folder, content)
        except StorageError as error:  # they are stored; the older copy says nothing against them
            _log.warning("The copy of your marks was not brought up to date: %s", error.message)


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
    if not stamp(folder):
        return 0
    with _writing(folder):
        marks = _parsed(Stored(folder).whole)[0]
        gone = {m.mark_id for m in marks if m.kind != "undo" and not wanted(m)}
        kept = [m for m in marks if not gone & {m.mark_id, m.value if m.kind == "undo" else ""}]
        aside = folder / FOLDER / DAMAGED
        with storage_errors(aside):
            aside.unlink(missing_ok=True)  # nobody knows of whom that speaks
        if len(kept) < len(marks):
            audit.note(folder, "marks removed", count=len(gone))
            content = "".join(f"{to_line(m)}\n" for m in kept).encode()
            _write_copy(folder, content)
            write_atomic(folder / FOLDER / FILE, content)
        return len(gone)


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    if not (folder / "collection.json").exists():
        raise gone(folder)
    with storage_errors(folder / FOLDER):
        (folder / FOLDER).mkdir(exist_ok=True)
    with (
        alone(folder / _LOCK, f"writing marks to {folder}", timeout=_LOCK_SECONDS),
        mirror.shared(folder, mirror.of_marks),
    ):
        yield


class Stored:
    """What the file of marks and the copy beside it hold at one moment.

    Parameters
    ----------
    folder
        The collection's folder.

    Attributes
    ----------
    broken
        Numbers of the lines of the file that are no marks, from 1.
    copy
        What the copy holds; ``None`` where it is missing, not what was written there, or that of
        another collection.
    copy_is_damaged
        Whether it is there, and not what was written.
    lost
        Marks of the copy that the file has not, or has otherwise.
    whole
        The file as it should be: with the lost marks, and without what is left of them.

    Raises
    ------
    StorageError
        The file is there and cannot be read.
    """

    def __init__(self, folder: Path, /) -> None:
        for _ in range(_LOOKS):
            before = stamp(folder)
            content, self.copy = _content(folder), _checksummed_copy(folder)
            marks, self.broken = _parsed(content)
            kept = _parsed(self.copy or b"")[0]
            self.lost = [mark for mark in kept if mark not in set(marks)]
            # A writer changes one after the other, and nothing was lost in between.
            if not self.lost or stamp(folder) == before:
                break
        self.copy_is_damaged = self.copy is None and _is_damaged(folder)
        self.whole = content
        if self.lost:
            later = []
            if len(self.lost) < len(kept):  # else it is another file that stands there
                # One with a known id, or of the same words, is what is left of a lost mark.
                known = {m.mark_id for m in kept} | {replace(m, mark_id="") for m in self.lost}
                later = [m for m in marks if known.isdisjoint({m.mark_id, replace(m, mark_id="")})]
            lines = "".join(f"{to_line(mark)}\n" for mark in later)
            self.whole = _with_end(self.copy or b"") + lines.encode()


def _content(folder: Path) -> bytes:
    path = folder / FOLDER / FILE
    with storage_errors(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return b""


def _checksummed_copy(folder: Path) -> bytes | None:
    """Return the content of the copy; ``None`` where there is none, or it is another one."""
    try:
        content, _, told = (folder / FOLDER / COPY).read_bytes().rpartition(b"\n")
    except OSError:
        return None
    return content if told == _checksum(_id(folder), content) else None


def _is_damaged(folder: Path) -> bool:
    """Return whether there is a copy, and it is not what was written, here or elsewhere."""
    try:
        content, _, told = (folder / FOLDER / COPY).read_bytes().rpartition(b"\n")
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return told != _checksum(told.partition(b" ")[0], content)


def _write_copy(folder: Path, content: bytes) -> None:
    write_atomic(folder / FOLDER / COPY, content + b"\n" + _checksum(_id(folder), content))


def _checksum(collection_id: bytes, content: bytes) -> bytes:
    """Return the last line of a copy: whose it is, and the digest of that and the content."""
    digest = hashlib.sha256(collection_id + b"\n" + content).hexdigest()
    return collection_id + b" " + digest.encode()


def _id(folder: Path) -> bytes:
    """Return the collection's id, also while its folder is being made."""
    return folder.name.removeprefix(BUILDING).encode()


def _set_aside(folder: Path) -> None:
    """Keep what is there of a damaged file; the caller writes it anew."""
    content = _content(folder)
    if content:
        write_atomic(folder / FOLDER / DAMAGED, content)


def _with_end(content: bytes) -> bytes:
    """Return lines with the end of the last one."""
    return content if not content or content.endswith(b"\n") else content + b"\n"


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
