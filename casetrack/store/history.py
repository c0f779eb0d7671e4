"""Mends what leads to states: tags and manifests of the two datasets.

Both are small files of Lance, which refuses all of them for the sake of one that is damaged. What a
tag says stands in the note of its snapshot as well, so that each can be made anew from the other; a
manifest cannot, and the state that it led to is given up.
"""

from __future__ import annotations

import json
import logging
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import xxhash

from casetrack.base.errors import CaseTrackError, CollectionDamaged
from casetrack.base.files import storage_errors, write_json
from casetrack.base.records.reports import FileOutcome
from casetrack.store import heads
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, DOCUMENTS, create, open_dataset
from casetrack.store.info import read_info
from casetrack.store.place import dataset_at, dataset_files, files_of
from casetrack.store.untaken import LOST, note

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from casetrack.store.place import StoredFile

# The notes of named snapshots: what each is called, and which versions it keeps.

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


_TAGS = "_refs/tags"
_repairs = logging.getLogger("casetrack.repairs")


def tags(dataset: Any, /) -> dict[str, int]:
    """Return the tags of a dataset, with the versions that they keep; damaged ones are left out."""
    try:
        with reading(dataset.uri):
            return {name: int(tag["version"]) for name, tag in dataset.tags.list().items()}
    except CollectionDamaged:
        found = _kept(dataset_files(dataset, _TAGS), heads.manifests_of(dataset))
        return {_tag(file): version for file, version in found if version is not None}


def mend_tags(folder: Path, /) -> list[str]:
    """Make damaged and missing tags and notes of named snapshots anew; the caller holds the lock.

    A note that is gone has the name and the time of its snapshot: it is called as in file names.

    Returns
    -------
    list of str
        What was done, in words.

    Raises
    ------
    CollectionDamaged, StorageError
        The datasets cannot be read, or not be written.
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
                done.append(f'made the tag of the snapshot "{note.name}" anew')
    ledgers, chunks = (tags(open_dataset(folder, name)) for name in (DOCUMENTS, CHUNKS))
    for tag in sorted(ledgers.keys() & chunks.keys()):
        path = folder / SNAPSHOTS / f"{tag.removeprefix(TAG)}.json"
        if tag.startswith(TAG) and not path.exists():
            made = Note(path.stem, datetime.now(UTC), (ledgers[tag], chunks[tag]))
            write_note(path, made)
            done.append(f'wrote the note of the snapshot "{path.stem}" anew')
    for said in done:
        _repairs.warning("Mended the list of earlier states: %s.", said)
    return done


def mend_manifests(folder: Path, /) -> list[str]:
    """Take manifests out that cannot be read, so that all others can; the caller holds the lock.

    The state that the newest of them led to is lost: what was before it counts from now on.

    Returns
    -------
    list of str
        What was done, in words.

    Raises
    ------
    CollectionDamaged, StorageError
        Not one version can be read and there are no data files, or nothing can be written.
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
            done.append(f"began {name.removesuffix('.lance')} anew: no version of it can be read")
            continue
        newest = next(iter(present))
        for file in broken:
            file.set_aside()
        if broken:
            what = name.removesuffix(".lance")
            done.append(f"set aside {len(broken)} damaged versions of {what}")
        left = next(iter(heads.manifests(folder, name)))
        if left < max(newest, head or 0):
            done.append(f"went back to the last whole state of {name.removesuffix('.lance')}")
    return done


def settle(folder: Path, /, *, rebuilt: bool = False) -> list[str]:
    """Accept what lies there as the present state; the caller holds the lock, and says so.

    Parameters
    ----------
    folder
        The collection's.
    rebuilt
        The caller has written the list of documents, so its newer version does not prove it whole.

    Returns
    -------
    list of str
        How many documents there are in place of those that were stored, in words; empty where
        that is what the last writer left.
    """
    ledger, chunks = open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS)
    before = heads.noted(folder)
    said = list[str]()
    try:
        with reading(ledger.uri):
            heads.confirm(folder, ledger, chunks)
    except CaseTrackError:
        rebuilt = True
    count, stored = ledger.count_rows(), before.rows if before else 0
    if rebuilt and count < stored:
        told = f"took the {count} documents that are there for the present state"
        command = f"casetrack sync FOLDER -c {shlex.quote(read_info(folder).name)}"
        said = [f"{told} ({stored} were stored); `{command}` takes in what is missing"]
        message = f"A repair found {count} of {stored} documents; the others are unknown."
        hint = (
            f"Add the folders of the collection again: `{command}`. This entry stays until "
            f"{stored} documents are there; each deletion lowers this number by one."
        )
        lost = FileOutcome(str(folder / DOCUMENTS), "failed", LOST, message, hint)
        note(folder, [lost], present=(), stored=stored)
    heads.note(folder, ledger, chunks)
    return said


def _tag(file: StoredFile) -> str:
    """Return what the tag of a file is called."""
    return file.name.removesuffix(".json")


def _kept(
    files: Iterable[StoredFile], manifests: Mapping[int, StoredFile]
) -> list[tuple[StoredFile, int | None]]:
    """Return the version that each tag keeps; ``None`` where it is damaged, or keeps nothing."""
    tags = sorted((file for file in files if file.name.endswith(".json")), key=_tag)
    return [(file, _version(file, manifests)) for file in tags]


def _version(file: StoredFile, manifests: Mapping[int, StoredFile]) -> int | None:
    try:
        raw = json.loads(file.read())
        version, size = raw["version"], raw["manifestSize"]
        found = manifests.get(version)
        whole = found is not None and type(size) is int and found.size == size
        whole = whole and "branch" in raw and isinstance(raw["branch"], str | None)
        texts = (raw[name] for name in ("createdAt", "updatedAt"))
        return int(version) if whole and all(isinstance(t, str) for t in texts) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _retag(folder: Path, name: str, tag: str, version: int) -> bool:
    """Let a tag keep a version if it does not, and the version is still there."""
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
    """Return whether a version can be opened, and is the one that its file is named for."""
    try:
        found = open_dataset(folder, name, version=version)
        with reading(found.uri):
            return bool(found.version == version and found.schema.names and found.count_rows() >= 0)
    except CaseTrackError:
        return False
