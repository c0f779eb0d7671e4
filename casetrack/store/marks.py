"""Storage of marks in ``marks/marks.jsonl`` of a collection: append-only, one JSON object per line.

Undoing a mark is also a mark. Readers take no lock: the file is replaced by a rename, so that a
killed writer leaves the old one. Writers use a separate lock, since an ingest may hold the
collection's lock for hours.

Lost marks cannot be rebuilt, so there is a backup copy: the same bytes, and a last line with the
collection's id and a digest. A mark is added to the file first, and removed from the copy first. So
an intact copy never has more marks than the file, even after a killed writer. If it does, the file
was damaged, and the copy has the missing marks. The damaged file is kept for recovery.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from casetrack.base.dataclass import dataclass, fields, replace
from casetrack.base.errors import See, StorageError
from casetrack.base.files import Stamp, stamp_of, storage_errors, write_atomic
from casetrack.base.records.marks import ENTITY_EDITS, MARK_KINDS, Mark
from casetrack.store import audit, mirror
from casetrack.store.folders import BUILDING
from casetrack.store.lock import alone
from casetrack.store.sealed import gone

FOLDER = "marks"
FILE = "marks.jsonl"
COPY = f".{FILE}.bak"
DAMAGED = f"{FILE}.damaged"
PATH = f"{FOLDER}/{FILE}"
_LOCK = ".marks.lock"
_LOCK_SECONDS = 30.0
_LOOKS = 5
"""Number of attempts to read both files while they seem inconsistent and change."""
_TEXTS = ("mark_id", "kind", "made_at", "value", "note")
_NUMBERS = ("page", "char_start", "char_end")
_STORED = tuple(f.name for f in fields(Mark) if f.name != "undone_by")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Marks:
    """All marks of a collection at one moment, in order of creation."""

    all: tuple[Mark, ...] = ()

    @cached_property
    def in_force(self) -> tuple[Mark, ...]:
        """Marks that were not undone."""
        return tuple(m for m in self.all if m.undone_by is None and m.kind != "undo")

    @cached_property
    def entity_edits(self) -> tuple[Mark, ...]:
        """Marks in force that change entities."""
        return tuple(m for m in self.in_force if m.kind in ENTITY_EDITS)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the edits of entities; empty without any."""
        if not self.entity_edits:
            return ""
        lines = "\n".join(map(to_line, self.entity_edits))
        return hashlib.sha256(lines.encode()).hexdigest()[:20]


def new_mark(**facts: Any) -> Mark:
    """Return a new mark with the present time and the given fields."""
    return Mark(mark_id=f"m-{secrets.token_hex(4)}", made_at=datetime.now(UTC), **facts)


def stamp(folder: Path, /) -> tuple[Stamp, ...]:
    """Return a value that changes with the marks of a collection; empty without marks."""
    stamps = (stamp_of(folder / FOLDER / name) for name in (FILE, COPY))
    return tuple(stamp for stamp in stamps if stamp is not None)


def read(folder: Path, /) -> Marks:
    """Return the marks of a collection.

    Invalid lines are skipped, and marks that only the copy still has are read from there, both with
    a warning; ``casetrack doctor`` reports both.
    """
    stored = Stored(folder)
    for number in stored.broken:
        _log.warning("Line %d of %s is not a mark, and is skipped.", number, folder / PATH)
    if stored.lost:
        _log.warning(
            "%s is damaged: %d of your marks %s taken from its backup copy. Run %s to write them "
            "back.",
            folder / PATH,
            len(stored.lost),
            "was" if len(stored.lost) == 1 else "were",
            See("doctor", repair=True),
        )
    return Marks(with_undone(_parsed(stored.whole)[0]))


def repair(folder: Path, /) -> list[str]:
    """Restore lost marks, and rebuild a damaged or missing copy; return the actions."""
    if not stamp(folder):
        return []
    done = []
    with _writing(folder):
        stored = Stored(folder)
        if stored.lost:
            _set_aside(folder)
            write_atomic(folder / FOLDER / FILE, stored.whole)
            marks = "1 of your marks" if len(stored.lost) == 1 else f"{len(stored.lost):,} marks"
            done.append(f"restored {marks} in {PATH} from its backup copy")
        if stored.copy != stored.whole:
            if stored.copy_is_damaged:
                done.append(f"rebuilt the backup copy of {PATH}")
            _write_copy(folder, stored.whole)
    return done


def add(folder: Path, marks: Iterable[Mark], /) -> None:
    """Add marks: all of them or none."""
    new = list(marks)
    lines = "".join(f"{to_line(m)}\n" for m in new)
    with _writing(folder):
        stored = Stored(folder)
        kinds = Counter(m.kind for m in new)
        summary = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        audit.note(folder, "marks added", count=len(new), detail=summary)
        if stored.lost:
            _set_aside(folder)
        content = _with_end(stored.whole) + lines.encode()
        write_atomic(folder / FOLDER / FILE, content)
        try:
            _write_copy(folder, content)
        except StorageError as error:  # they are stored; an older copy does no harm
            _log.warning("The backup copy of your marks could not be updated: %s", error.message)


def keep(folder: Path, wanted: Callable[[Mark], bool], /) -> int:
    """Permanently remove marks that are not *wanted*, with their undoings; return their number."""
    if not stamp(folder):
        return 0
    with _writing(folder):
        marks = _parsed(Stored(folder).whole)[0]
        gone = {m.mark_id for m in marks if m.kind != "undo" and not wanted(m)}
        kept = [m for m in marks if not gone & {m.mark_id, m.value if m.kind == "undo" else ""}]
        aside = folder / FOLDER / DAMAGED
        with storage_errors(aside):
            aside.unlink(missing_ok=True)  # its target is unknown
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
    """Content of the file of marks and its copy at one moment.

    Attributes
    ----------
    broken
        Numbers of invalid lines in the file, from 1.
    copy
        Content of the copy; ``None`` if it is missing, damaged or of another collection.
    lost
        Marks of the copy that are missing or different in the file.
    whole
        The repaired file: with the lost marks, and without their remains.
    """

    def __init__(self, folder: Path, /) -> None:
        for _ in range(_LOOKS):
            before = stamp(folder)
            content, self.copy = _content(folder), _checksummed_copy(folder)
            marks, self.broken = _parsed(content)
            kept = _parsed(self.copy or b"")[0]
            self.lost = [mark for mark in kept if mark not in set(marks)]
            # A writer was changing one after the other; nothing is lost.
            if not self.lost or stamp(folder) == before:
                break
        self.copy_is_damaged = self.copy is None and _is_damaged(folder)
        self.whole = content
        if self.lost:
            later = []
            if len(self.lost) < len(kept):  # otherwise another file has this name
                # A line with a known id, or the same words, is the remains of a lost mark.
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
    """Return the content of the copy; ``None`` if it is missing or invalid."""
    try:
        content, _, stored = (folder / FOLDER / COPY).read_bytes().rpartition(b"\n")
    except OSError:
        return None
    return content if stored == _checksum(_id(folder), content) else None


def _is_damaged(folder: Path) -> bool:
    """Return whether the copy exists and its digest is wrong for every collection."""
    try:
        content, _, stored = (folder / FOLDER / COPY).read_bytes().rpartition(b"\n")
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return stored != _checksum(stored.partition(b" ")[0], content)


def _write_copy(folder: Path, content: bytes) -> None:
    write_atomic(folder / FOLDER / COPY, content + b"\n" + _checksum(_id(folder), content))


def _checksum(collection_id: bytes, content: bytes) -> bytes:
    """Return the last line of a copy: the collection's id, and the digest of id and content."""
    digest = hashlib.sha256(collection_id + b"\n" + content).hexdigest()
    return collection_id + b" " + digest.encode()


def _id(folder: Path) -> bytes:
    """Return the collection's id, also for a folder under construction."""
    return folder.name.removeprefix(BUILDING).encode()


def _set_aside(folder: Path) -> None:
    """Keep the content of a damaged file; the caller writes a new one."""
    content = _content(folder)
    if content:
        write_atomic(folder / FOLDER / DAMAGED, content)


def _with_end(content: bytes) -> bytes:
    """Return lines with a final line break."""
    return content if not content or content.endswith(b"\n") else content + b"\n"


# --- lines -----------------------------------------------------------------------------------


def to_line(mark: Mark, /) -> str:
    """Return a mark in its stored form, without empty fields."""
    facts = {n: v for n, v in mark.as_dict().items() if n in _STORED and v not in {None, ""}}
    return json.dumps(facts, ensure_ascii=True)


def parse_line(line: str | bytes, /) -> Mark | None:
    """Return the mark of a line, or ``None`` if it is invalid."""
    try:
        raw = json.loads(line)
        facts = {n: raw[n] for n in _STORED if n in raw}
        made = datetime.fromisoformat(facts.pop("made_at"))
        mark = Mark(made_at=made if made.tzinfo else made.replace(tzinfo=UTC), **facts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    whole = all(isinstance(getattr(mark, n), str) for n in _TEXTS if n != "made_at")
    numbers = all(type(getattr(mark, n)) in {int, type(None)} for n in _NUMBERS)
    others = set(_STORED) - {*_TEXTS, *_NUMBERS}
    texts = all(isinstance(getattr(mark, n), str | None) for n in others)
    return mark if whole and numbers and texts and mark.kind in MARK_KINDS else None


def _parsed(data: bytes) -> tuple[list[Mark], list[int]]:
    """Return the valid marks, and the numbers of invalid lines."""
    valid: list[Mark] = []
    broken: list[int] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            mark = parse_line(line)
            valid.append(mark) if mark is not None else broken.append(number)
    return valid, broken


def with_undone(marks: Iterable[Mark], /) -> tuple[Mark, ...]:
    """Return marks, each with the last mark that undid it."""
    result = list(marks)
    undone = {m.value: m.mark_id for m in result if m.kind == "undo"}
    return tuple(replace(m, undone_by=undone.get(m.mark_id)) for m in result)
