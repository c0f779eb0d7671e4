"""Repair of the tags and manifests of the two datasets, which lead to earlier states.

One damaged file makes Lance refuse all of them. The note of a snapshot repeats the content of its
tags, so each can be rebuilt from the other. A damaged manifest cannot, and its state is lost.
"""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import xxhash

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import CaseTrackError, CollectionDamaged
from casetrack.base.files import storage_errors, write_json
from casetrack.base.records.reports import FileOutcome
from casetrack.store import heads
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, DOCUMENTS, create, open_dataset
from casetrack.store.info import read_info
from casetrack.store.place import StoredFile, dataset_at, dataset_files, files_of
from casetrack.store.untaken import LOST, note

# Notes of named snapshots: their names and the versions that they keep.

SNAPSHOTS = "snapshots"
"""Subfolder of the notes in a collection."""
TAG = "snapshot-"
"""Prefix of the tags of named snapshots in both datasets."""


@dataclass(frozen=True, slots=True)
class Note:
    """Content of ``snapshots/SLUG.json``; notes of earlier versions have no *versions*."""

    name: str
    created_at: datetime
    versions: tuple[int, int] | None


def write_note(path: Path, note: Note, /) -> None:
    """Write a note."""
    facts = {"name": note.name, "created_at": note.created_at.astimezone(UTC).isoformat()}
    versions = list(note.versions or ())
    write_json(path, {**facts, "versions": versions, "digest": _digest(facts, versions)})


def read_note(path: Path, /) -> Note | None:
    """Return a note; ``None`` if it is unreadable or its digest differs."""
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


_TAGS = "_refs/tags"
_repairs = logging.getLogger("casetrack.repairs")


def tags(dataset: Any, /) -> dict[str, int]:
    """Return the tags of a dataset and the versions they keep; damaged tags are left out."""
    try:
        with reading(dataset.uri):
            return {name: int(tag["version"]) for name, tag in dataset.tags.list().items()}
    except CollectionDamaged:
        versions = _kept(dataset_files(dataset, _TAGS), heads.manifests_of(dataset))
        return {_tag(file): version for file, version in versions if version is not None}


def repair_tags(folder: Path, /) -> list[str]:
    """Rebuild damaged and missing tags and notes of named snapshots; return the repairs made.

    The caller holds the lock. A rebuilt note has the name in its file name and the current time.
    """
    done = []
    for name in (DOCUMENTS, CHUNKS):
        files = list(files_of(folder, name, _TAGS))
        for file, version in _kept(files, heads.manifests(folder, name)) if files else ():
            if version is None:
                file.remove()
                done.append(f"removed the damaged tag {_tag(file).removeprefix(TAG)}")
    for path in sorted((folder / SNAPSHOTS).glob("*.json")):
        note = read_note(path)
        if note is None or note.versions is None:
            continue
        for name, version in zip((DOCUMENTS, CHUNKS), note.versions, strict=True):
            if _retag(folder, name, TAG + path.stem, version):
                done.append(f'restored the tag of the snapshot "{note.name}"')
    ledgers, chunks = (tags(open_dataset(folder, name)) for name in (DOCUMENTS, CHUNKS))
    for tag in sorted(ledgers.keys() & chunks.keys()):
        path = folder / SNAPSHOTS / f"{tag.removeprefix(TAG)}.json"
        if tag.startswith(TAG) and not path.exists():
            made = Note(path.stem, datetime.now(UTC), (ledgers[tag], chunks[tag]))
            write_note(path, made)
            done.append(f'restored the note of the snapshot "{path.stem}"')
    for repair in done:
        _repairs.warning("Repaired the list of earlier states: %s.", repair)
    return done


def repair_manifests(folder: Path, /) -> list[str]:
    """Set unreadable manifests aside, so that Lance can open the others; return the repairs made.

    The caller holds the lock. Where the newest manifest is unreadable, its state is lost and the
    one before it becomes the present state.
    """
    done = list[str]()
    before = heads.noted(folder)
    noted = (before.documents, before.chunks) if before else (None, None)
    for name, head in zip((DOCUMENTS, CHUNKS), noted, strict=True):
        present = heads.manifests(folder, name)
        broken = [file for v, file in present.items() if not _opens(folder, name, v)]
        if len(broken) == len(present):
            if not files_of(folder, name, "data"):
                return []  # nothing to go back to
            for file in broken:
                file.set_aside()
            info = read_info(folder)
            create(folder, info.dimension, profile=info.profile, names=(name,))
            done.append(
                f"created an empty {name.removesuffix('.lance')}: no version of it is readable"
            )
            continue
        newest = next(iter(present))
        for file in broken:
            file.set_aside()
        if broken:
            what = name.removesuffix(".lance")
            done.append(f"set aside {len(broken)} damaged versions of {what}")
        left = next(iter(heads.manifests(folder, name)))
        if left < max(newest, head or 0):
            done.append(f"restored the last intact state of {name.removesuffix('.lance')}")
    return done


def settle(folder: Path, /, *, rebuilt: bool = False) -> list[str]:
    """Accept the stored rows as the present state; return a text if documents are missing.

    *rebuilt* means that the caller wrote the list of documents, so its newer version proves
    nothing.
    """
    ledger, chunks = open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS)
    before = heads.noted(folder)
    notes = list[str]()
    try:
        with reading(ledger.uri):
            heads.confirm(folder, ledger, chunks)
    except CaseTrackError:
        if not rebuilt:
            notes = ["accepted the stored state: its version files differ from the noted ones"]
        rebuilt = True
    count, stored = ledger.count_rows(), before.rows if before else 0
    if rebuilt and count < stored:
        summary = f"accepted the {count} existing documents as the present state"
        command = f"casetrack sync FOLDER -c {shlex.quote(read_info(folder).name)}"
        notes = [f"{summary} ({stored} were stored); `{command}` adds the missing ones"]
        message = f"A repair found {count} of {stored} documents; the others are unknown."
        hint = (
            f"Sync the folders of the collection again: `{command}`. This entry stays until "
            f"{stored} documents exist; each deletion lowers this number by one."
        )
        lost = FileOutcome(str(folder / DOCUMENTS), "failed", LOST, message, hint)
        note(folder, [lost], present=(), stored=stored)
    heads.note(folder, ledger, chunks)
    return notes


def _tag(file: StoredFile) -> str:
    """Return the name of the tag in a file."""
    return file.name.removesuffix(".json")


def _kept(
    files: Iterable[StoredFile], manifests: Mapping[int, StoredFile]
) -> list[tuple[StoredFile, int | None]]:
    """Return the version that each tag keeps; ``None`` if it is damaged or the version gone."""
    tags = sorted((file for file in files if file.name.endswith(".json")), key=_tag)
    return [(file, _version(file, manifests)) for file in tags]


def _version(file: StoredFile, manifests: Mapping[int, StoredFile]) -> int | None:
    try:
        raw = json.loads(file.read())
        version, size = raw["version"], raw["manifestSize"]
        manifest = manifests.get(version)
        whole = manifest is not None and type(size) is int and manifest.size == size
        whole = whole and "branch" in raw and isinstance(raw["branch"], str | None)
        texts = (raw[name] for name in ("createdAt", "updatedAt"))
        return int(version) if whole and all(isinstance(t, str) for t in texts) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _retag(folder: Path, name: str, tag: str, version: int) -> bool:
    """Point a tag to a version that still exists; return whether the tag changed."""
    dataset = open_dataset(folder, name)
    have = tags(dataset).get(tag)
    if have == version or not _opens(folder, name, version):
        return False
    with storage_errors(dataset_at(folder, name)):
        if have is not None:
            dataset.tags.delete(tag)
        dataset.tags.create(tag, version)
    return True


def _opens(folder: Path, name: str, version: int) -> bool:
    """Return whether a version can be opened and has the number of its file name."""
    try:
        data = open_dataset(folder, name, version=version)
        with reading(data.uri):
            return bool(data.version == version and data.schema.names and data.count_rows() >= 0)
    except CaseTrackError:
        return False
