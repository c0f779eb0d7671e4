"""The audit log of a data folder: one line per change, chained by digests.

``audit.jsonl`` is append-only. Every line is a JSON object with the SHA-256 of the previous line
and of itself, so that a changed, removed, moved or inserted line is detected. The number and digest
of each entry are also stored outside the log: in ``.audit.head`` next to it, in the collection's
``heads.json``, and in ``collection.json`` when that is written. A truncated or deleted log lacks
these entries, and its next entry continues from the last stored number, so that the gap stays
visible. A user with write access can forge a whole log with all stored digests; only a digest kept
elsewhere detects that.

An entry is written before its action. A program killed in between leaves an entry without an
action, never an action without an entry; if the entry cannot be written, nothing is changed.

Entries contain ids, counts and times, but no names or content of documents, so that deleted content
leaves no trace. Readers look up the names of existing documents.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from casetrack.base import actor
from casetrack.base.errors import StorageError
from casetrack.base.files import storage_errors, write_atomic
from casetrack.base.records.shape import from_members
from casetrack.base.records.snapshots import AuditCheck, AuditEntry
from casetrack.store.facts import sealed, unsealed
from casetrack.store.lock import alone
from casetrack.store.place import FILE as PLACE

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

    A folder outside a data folder has no log. *documents* are the ids of the affected documents,
    *count* the number of affected items, by default that of the documents. *detail* must not
    contain content of a document.
    """
    if folder.parent.name == _HOME:
        ids = sorted(documents)
        facts = {"collection": folder.name, "count": len(ids) if count is None else count}
        facts |= {"documents": ids} if ids else {}
        add(folder.parent.parent, action, facts | ({"detail": detail} if detail else {}))


def add(data_dir: Path, action: str, facts: dict[str, Any], /) -> None:
    """Add an entry to the log of a data folder; see :func:`note`."""
    path = data_dir / FILE
    with alone(data_dir / _LOCK, f"writing to {path}", timeout=_LOCK_SECONDS), storage_errors(path):
        if not path.exists():
            path.touch(mode=0o600)
        noted = head(data_dir) or max(
            ((number, digest) for number, digest, _ in _noted(data_dir)), default=(0, _FIRST)
        )
        with path.open("r+b") as file:
            # A log that ends before its last noted entry was truncated: the gap must stay.
            number, previous = _end_of(file)
            if noted[0] > number:
                number, previous = noted
            entry = {
                "number": number + 1,
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "user": actor.user(),
                "program": actor.program(),
                "action": action,
                **facts,
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
        whose = facts.get("collection", "")
        # The last entry of a removed collection is noted in the other collections.
        away = action.startswith(_AWAY)
        for path in data_dir.glob(f"{_HOME}/{'[!.]*' if away else whose}/{_NOTING[1]}"):
            if (path.parent.name == whose) is not away:
                _bind(path, bound)


def entries(data_dir: Path, /) -> Iterator[AuditEntry]:
    """Yield the entries of a data folder, oldest first, skipping invalid lines."""
    for _, line in _lines(data_dir):
        entry = _parsed(line)
        if entry is not None:
            yield from_members(
                AuditEntry,
                {"count": 0, "detail": ""} | entry,
                at=datetime.fromisoformat(entry["at"]),
                collection_id=entry.get("collection"),
                collection=None,
                documents=tuple(entry.get("documents", ())),
                names=(),
            )


def verify(data_dir: Path, kept: str = "", /) -> AuditCheck:
    """Verify the log of a data folder, which must contain an entry with the digest *kept*."""
    problems: list[str] = []
    previous, number, count, has_kept = _FIRST, 0, 0, not kept
    # Read before the log: an entry added meanwhile is not noted yet.
    noted = sorted({each[:2]: each[2] for each in reversed([*_noted(data_dir)])}.items())
    digests = set[tuple[int, str]]()
    for place, line in _lines(data_dir):
        count += 1
        entry = _parsed(line)
        if entry is None:
            problems.append(f"line {place} of {FILE} is not an entry")
            previous = ""
            number += 1
            continue
        if _digest({k: v for k, v in entry.items() if k != "digest"}) != entry["digest"]:
            problems.append(f"line {place} of {FILE} was changed")
        elif previous and (entry["previous"] != previous or entry["number"] != number + 1):
            problems.append(f"line {place} of {FILE} does not continue the line before it")
        previous, number = entry["digest"], entry["number"]
        digests.add((number, previous))
        has_kept = has_kept or entry["digest"] == kept
    for (last, digest), where in noted:
        if last > number:
            problems.append(f"{FILE} ends with entry {number:,}, and {where} notes entry {last:,}")
        elif (last, digest) not in digests:
            problems.append(f"entry {last:,} of {FILE} differs from the one noted in {where}")
    if not has_kept:
        problems.append(f"no entry of {FILE} has the digest {kept}")
    if len(problems) > _SHOWN:
        problems = [*problems[:_SHOWN], f"and {len(problems) - _SHOWN:,} more"]
    return AuditCheck(count, previous if count else _FIRST, tuple(problems))


def head(data_dir: Path, /) -> tuple[int, str] | None:
    """Return number and digest of the last entry as noted next to the log, if there is a note."""
    return next((each[:2] for each in _read(data_dir, HEAD)), None)


def bound(folder: Path, /) -> dict[str, Any]:
    """Return the facts that a collection notes about its audit log; empty without a log."""
    if folder.parent.name != _HOME or (folder / PLACE).exists():
        return {}
    data_dir = folder.parent.parent
    last = head(data_dir)
    return _bound(data_dir, *last) if last else {}


def _bound(data_dir: Path, number: int, digest: str) -> dict[str, Any]:
    return {"number": number, "entry": digest, "home": _identity(data_dir)}


def _bind(path: Path, bound: dict[str, Any]) -> None:
    """Note an entry in a collection's ``heads.json``.

    No lock is needed: if another writer overwrites the note, an older entry is noted.
    """
    # A read-only collection keeps its earlier note; the log itself is complete.
    with contextlib.suppress(OSError, ValueError, StorageError):
        if not (path.parent / PLACE).exists():
            facts = unsealed(path.read_bytes()) | {"audit": bound}
            write_atomic(path, sealed(facts, indent=2), durable=False)


def _identity(data_dir: Path) -> str:
    """Return a value that distinguishes a data folder from a copy with a separate log."""
    path = data_dir.resolve()
    return hashlib.sha256(f"{path}:{path.stat().st_ino}".encode(errors="replace")).hexdigest()


def _noted(data_dir: Path) -> Iterator[tuple[int, str, str]]:
    """Yield number and digest of every noted entry, and the noting file."""
    for pattern in (HEAD, *(f"{_HOME}/[!.]*/{name}" for name in _NOTING)):
        for path in sorted(data_dir.glob(pattern)):
            yield from _read(data_dir, path.relative_to(data_dir).as_posix())


def _read(data_dir: Path, name: str) -> Iterator[tuple[int, str, str]]:
    """Yield the entry that a file notes; nothing if it is damaged or from another data folder."""
    path = data_dir / name
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        data = path.read_bytes()
        note = json.loads(data)["audit"] if path.name == _NOTING[0] else unsealed(data)
        note = note["audit"] if path.name == _NOTING[1] else note
        if note["home"] == _identity(data_dir) and type(note["number"]) is int:
            yield note["number"], str(note["entry"]), name


def _lines(data_dir: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of every complete line."""
    path = data_dir / FILE
    if not path.exists():
        return
    with storage_errors(path), path.open("rb") as file:
        for place, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield place, line


def _end_of(file: IO[bytes]) -> tuple[int, str]:
    """Return number and digest of the last entry, after truncating an incomplete line.

    An invalid last line is counted and hashed as it is: the log continues, and verification reports
    the line.
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
    if end + 1 < len(tail):  # incomplete: its writer never returned
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
