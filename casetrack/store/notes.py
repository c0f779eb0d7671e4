"""The notes of named snapshots: what each is called, and which versions it keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import xxhash

from casetrack.base.files import write_json

if TYPE_CHECKING:
    from pathlib import Path

SNAPSHOTS = "snapshots"
"""Folder of the notes in that of a collection."""
TAG = "snapshot-"
"""What the tags of named snapshots begin with in both datasets."""


@dataclass(frozen=True, slots=True)
class Note:
    """What ``snapshots/SLUG.json`` says.

    Attributes
    ----------
    versions
        Of the ledger and of the chunks; ``None`` in a note of an earlier version of CaseTrack.
    """

    name: str
    created_at: datetime
    versions: tuple[int, int] | None


def write_note(path: Path, note: Note, /) -> None:
    """Write a note.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    facts = {"name": note.name, "created_at": note.created_at.astimezone(UTC).isoformat()}
    versions = list(note.versions or ())
    write_json(path, {**facts, "versions": versions, "digest": _digest(facts, versions)})


def read_note(path: Path, /) -> Note | None:
    """Return a note; ``None`` where it cannot be read, or is not what was written."""
    try:
        raw = json.loads(path.read_bytes())
        facts = {"name": raw["name"], "created_at": raw["created_at"]}
        versions = raw.get("versions")
        if versions is not None and raw["digest"] != _digest(facts, versions):
            return None
        pair = (int(versions[0]), int(versions[1])) if versions else None
        return Note(str(facts["name"]), datetime.fromisoformat(facts["created_at"]), pair)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None


def _digest(facts: dict[str, str], versions: list[int]) -> str:
    return xxhash.xxh3_64(json.dumps([facts, versions], sort_keys=True).encode()).hexdigest()
