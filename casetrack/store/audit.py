"""The audit log of a data folder: one line for each change, each bound to the one before it.

``audit.jsonl`` is added to only. Every line is a JSON object with the SHA-256 of the line before it
and of itself, so that a line that was changed, left out, put elsewhere or put in does not fit. Each
entry's number and digest are noted outside of the log as well: in ``.audit.head`` beside it, in
``heads.json`` of the collection, and in ``collection.json`` whenever that is written. A log that
was cut off or removed does not have these entries, and its next entry follows on the last one
noted, so that the gap stays. Whoever may write the folder may write a whole new log and all notes:
against that helps a digest that is kept elsewhere.

An entry is written before what it tells of is done. A program that was killed in between leaves an
entry of what did not come to pass, and never a change without one; where the entry cannot be
written, nothing is changed.

It says ids, counts and times, and neither names nor words of documents: what was deleted leaves
behind that it was. Names are looked up when it is read, of what is still there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any

from casetrack.base import actor
from casetrack.base.errors import StorageError
from casetrack.base.files import storage_errors, write_atomic
from casetrack.base.records.snapshots import AuditCheck, AuditEntry
from casetrack.store.facts import sealed, unsealed
from casetrack.store.lock import alone
from casetrack.store.place import FILE as PLACE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FILE = "audit.jsonl"
HEAD = ".audit.head"
_LOCK = ".audit.lock"
_LOCK_SECONDS = 30.0
_TAIL = 1 << 16
_FIRST = "0" * 64
_HOME = "collections"
_NOTING = ("collection.json", "heads.json")
_AWAY = ("collection deleted", "collection detached", "collection sealed")
_SHOWN = 20
_DIGEST = re.compile(r"[0-9a-f]{64}")


def note(
    folder: Path,
    action: str,
    /,
    *,
    documents: Iterable[str] = (),
    count: int | None = None,
    detail: str = "",
) -> None:
    """Add an entry about a collection to the log of its data folder.

    Parameters
    ----------
    folder
        The collection's folder. One that lies in no data folder has no log.
    action
        What is about to be done.
    documents
        Ids of the documents it is done to.
    count
        How many things; by default so many as there are documents.
    detail
        What else there is to know; nothing that stands in a document.

    Raises
    ------
    CollectionBusy
        Another program has been writing the log for half a minute.
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    if folder.parent.name == _HOME:
        ids = sorted(documents)
        told = {"collection": folder.name, "count": len(ids) if count is None else count}
        told |= {"documents": ids} if ids else {}
        add(folder.parent.parent, action, told | ({"detail": detail} if detail else {}))


def add(data_dir: Path, action: str, told: dict[str, Any], /) -> None:
    """Add an entry to the log of a data folder; see :func:`note`."""
    path = data_dir / FILE
    with alone(data_dir / _LOCK, f"writing to {path}", timeout=_LOCK_SECONDS), storage_errors(path):
        if not path.exists():
            path.touch(mode=0o600)
        noted = head(data_dir) or max(
            ((number, digest) for number, digest, _ in _noted(data_dir)), default=(0, _FIRST)
        )
        with path.open("r+b") as file:
            # A log that ends before its last noted entry was cut off: the gap has to stay.
            number, previous = _end_of(file)
            if noted[0] > number:
                number, previous = noted
            entry = {
                "number": number + 1,
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "user": actor.user(),
                "program": actor.program(),
                "action": action,
                **told,
                "previous": previous,
            }
            digest = _digest(entry)
            line = _canonical(entry | {"digest": digest})
            file.seek(0, os.SEEK_END)
            file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())
        bound = _bound(data_dir, number + 1, digest)
        write_atomic(data_dir / HEAD, sealed(bound), durable=False)
        whose = told.get("collection", "")
        # The last entry of a collection that goes away is noted in the others.
        away = action.startswith(_AWAY)
        for path in data_dir.glob(f"{_HOME}/{'[!.]*' if away else whose}/{_NOTING[1]}"):
            if (path.parent.name == whose) is not away:
                _bind(path, bound)


def entries(data_dir: Path, /) -> Iterator[AuditEntry]:
    """Yield the entries of a data folder, the oldest first; lines that are none are passed over.

    Raises
    ------
    StorageError
        The log cannot be read.
    """
    for _, line in _lines(data_dir):
        entry = _parsed(line)
        if entry is not None:
            yield AuditEntry(
                number=entry["number"],
                at=datetime.fromisoformat(entry["at"]),
                user=entry["user"],
                program=entry["program"],
                action=entry["action"],
                collection_id=entry.get("collection"),
                collection=None,
                count=entry.get("count", 0),
                documents=tuple(entry.get("documents", ())),
                names=(),
                detail=entry.get("detail", ""),
                previous=entry["previous"],
                digest=entry["digest"],
            )


def verify(data_dir: Path, kept: str = "", /) -> AuditCheck:
    """Check that the log of a data folder is as it was written.

    Parameters
    ----------
    data_dir
        The data folder.
    kept
        A digest that was noted elsewhere at some time: it must be that of an entry.

    Raises
    ------
    StorageError
        The log cannot be read.
    """
    problems: list[str] = []
    previous, number, count, found = _FIRST, 0, 0, not kept
    # Before the log: an entry that is added meanwhile is in no note yet.
    noted = sorted({each[:2]: each[2] for each in reversed([*_noted(data_dir)])}.items())
    digests = set[tuple[int, str]]()
    for place, line in _lines(data_dir):
        count += 1
        entry = _parsed(line)
        if entry is None:
            problems.append(f"line {place} of {FILE} is no entry")
            previous = ""
            number += 1
            continue
        if _digest({k: v for k, v in entry.items() if k != "digest"}) != entry["digest"]:
            problems.append(f"line {place} of {FILE} was changed")
        elif previous and (entry["previous"] != previous or entry["number"] != number + 1):
            problems.append(f"line {place} of {FILE} does not follow on the line before it")
        previous, number = entry["digest"], entry["number"]
        digests.add((number, previous))
        found = found or entry["digest"] == kept
    for (last, digest), where in noted:
        if last > number:
            problems.append(f"{FILE} ends with entry {number:,}, and {where} notes entry {last:,}")
        elif (last, digest) not in digests:
            problems.append(f"entry {last:,} of {FILE} is another one than {where} notes")
    if not found:
        problems.append(f"no entry of {FILE} has the digest {kept}")
    if len(problems) > _SHOWN:
        problems = [*problems[:_SHOWN], f"and {len(problems) - _SHOWN:,} more"]
    return AuditCheck(count, previous if count else _FIRST, tuple(problems))


def head(data_dir: Path, /) -> tuple[int, str] | None:
    """Return number and digest of the last entry as noted beside the log, if they are."""
    return next((each[:2] for each in _read(data_dir, HEAD)), None)


def bound(folder: Path, /) -> dict[str, Any]:
    """Return what a collection notes of the log of its data folder; empty where there is none."""
    if folder.parent.name != _HOME or (folder / PLACE).exists():
        return {}
    data_dir = folder.parent.parent
    last = head(data_dir)
    return _bound(data_dir, *last) if last else {}


def _bound(data_dir: Path, number: int, digest: str) -> dict[str, Any]:
    return {"number": number, "entry": digest, "home": _identity(data_dir)}


def _bind(path: Path, bound: dict[str, Any]) -> None:
    """Note an entry in the ``heads.json`` of a collection, whose other facts stay as they are.

    No lock is needed: a note that another writer overwrites is behind, and then notes less.
    """
    # A collection that cannot be written keeps its earlier note; the log itself is written.
    with contextlib.suppress(OSError, ValueError, StorageError):
        if not (path.parent / PLACE).exists():
            facts = unsealed(path.read_bytes()) | {"audit": bound}
            write_atomic(path, sealed(facts, indent=2), durable=False)


def _identity(data_dir: Path) -> str:
    """Return what tells a data folder from a copy of it, whose log goes on in another way."""
    path = data_dir.resolve()
    return hashlib.sha256(f"{path}:{path.stat().st_ino}".encode(errors="replace")).hexdigest()


def _noted(data_dir: Path) -> Iterator[tuple[int, str, str]]:
    """Yield number and digest of every noted entry, and the file that notes it."""
    for pattern in (HEAD, *(f"{_HOME}/[!.]*/{name}" for name in _NOTING)):
        for path in sorted(data_dir.glob(pattern)):
            yield from _read(data_dir, path.relative_to(data_dir).as_posix())


def _read(data_dir: Path, name: str) -> Iterator[tuple[int, str, str]]:
    """Yield the entry that a file notes; what is damaged or of another data folder notes none."""
    path = data_dir / name
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        data = path.read_bytes()
        note = json.loads(data)["audit"] if path.name == _NOTING[0] else unsealed(data)
        note = note["audit"] if path.name == _NOTING[1] else note
        if note["home"] == _identity(data_dir) and type(note["number"]) is int:
            yield note["number"], str(note["entry"]), name


def _lines(data_dir: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of every line; the last one may be in the making."""
    path = data_dir / FILE
    if not path.exists():
        return
    with storage_errors(path), path.open("rb") as file:
        for place, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield place, line


def _end_of(file: IO[bytes]) -> tuple[int, str]:
    """Return number and digest of the last entry; what a killed program left behind it is cut off.

    A last line that is no entry is counted, and stands for itself: the log goes on, and whoever
    checks it is told.
    """
    size = file.seek(0, os.SEEK_END)
    length, tail = _TAIL, b""
    while True:
        file.seek(max(0, size - length))
        tail = file.read()
        end = tail.rfind(b"\n")
        start = tail.rfind(b"\n", 0, max(end, 0))
        if start >= 0 or length >= size:
            break
        length *= 4
    if end + 1 < len(tail):  # it was never told to be written
        file.truncate(size - (len(tail) - end - 1))
    line = tail[start + 1 : end + 1]
    if not line:
        return 0, _FIRST
    entry = _parsed(line)
    if entry is None:
        file.seek(0)
        return sum(1 for _ in file), hashlib.sha256(line).hexdigest()
    return entry["number"], entry["digest"]


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        raw = json.loads(line)
        texts = ("at", "user", "program", "action", "previous", "digest")
        fits = type(raw["number"]) is int and all(isinstance(raw[n], str) for n in texts)
        fits = fits and _DIGEST.fullmatch(raw["digest"]) is not None
        fits = fits and datetime.fromisoformat(raw["at"]).tzinfo is not None
        fits = fits and isinstance(raw.get("collection", ""), str)
        fits = fits and isinstance(raw.get("detail", ""), str)
        fits = fits and type(raw.get("count", 0)) is int
        ids = raw.get("documents", [])
        fits = fits and isinstance(ids, list) and all(isinstance(i, str) for i in ids)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return dict(raw) if fits else None


def _digest(entry: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical(entry)).hexdigest()


def _canonical(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()
