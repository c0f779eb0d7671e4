"""Mends what leads to states: tags and manifests of the two datasets.

Both are small files of Lance, which refuses all of them for the sake of one that is damaged. What a
tag says stands in the note of its snapshot as well, so that each can be made anew from the other; a
manifest cannot, and the state that it led to is given up.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.errors import CaseTrackError, CollectionDamaged
from casetrack.store import heads
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, DOCUMENTS, open_dataset
from casetrack.store.files import storage_errors
from casetrack.store.notes import SNAPSHOTS, TAG, Note, read_note, write_note

if TYPE_CHECKING:
    from collections.abc import Iterator

_repairs = logging.getLogger("casetrack.repairs")


def tags(dataset: Any, /) -> dict[str, int]:
    """Return the tags of a dataset, with the versions that they keep; damaged ones are left out."""
    try:
        with reading(dataset.uri):
            return {name: int(tag["version"]) for name, tag in dataset.tags.list().items()}
    except CollectionDamaged:
        found = {path.stem: _kept(path) for path in _tag_files(Path(dataset.uri))}
        return {name: version for name, version in found.items() if version is not None}


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
        for path in _tag_files(folder / name):
            if _kept(path) is None:
                with storage_errors(path):
                    path.unlink(missing_ok=True)
                done.append(f"removed the damaged tag {path.stem.removeprefix(TAG)}")
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
        Not one version can be read, or nothing can be written.
    """
    done = list[str]()
    before = heads.noted(folder)
    noted = (before.documents, before.chunks) if before else (None, None)
    for name, head in zip((DOCUMENTS, CHUNKS), noted, strict=True):
        broken = [
            p for v, p in heads.manifests(folder / name).items() if not _opens(folder, name, v)
        ]
        if len(broken) == len(heads.manifests(folder / name)):
            return []  # nothing to go back to
        newest = next(iter(heads.manifests(folder / name)))
        for path in broken:
            with storage_errors(path):
                path.replace(path.with_name(f"{path.name}.damaged"))
        if broken:
            what = name.removesuffix(".lance")
            done.append(f"set aside {len(broken)} damaged versions of {what}")
        left = next(iter(heads.manifests(folder / name)))
        if left < max(newest, head or 0):
            done.append(f"went back to the last whole state of {name.removesuffix('.lance')}")
    return done


def settle(folder: Path, /) -> list[str]:
    """Accept what lies there as the present state; the caller holds the lock, and says so.

    Returns
    -------
    list of str
        How many documents there are in place of those that were stored, in words; empty where
        that is what the last writer left.
    """
    ledger, chunks = open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS)
    before = heads.noted(folder)
    with reading(ledger.uri):
        rows = ledger.to_table(columns=["revision"])
    try:
        heads.require(before, ledger, rows, chunks)
        said = list[str]()
    except CaseTrackError:
        stored = before.rows if before else 0
        told = f"took the {rows.num_rows} documents that are there for the present state"
        said = [f"{told} ({stored} were stored); `casetrack sync` takes in what is missing"]
    heads.note(folder, ledger, chunks)
    return said


def _tag_files(dataset: Path) -> Iterator[Path]:
    yield from sorted((dataset / "_refs" / "tags").glob("*.json"))


def _kept(path: Path) -> int | None:
    """Return the version that a tag keeps; ``None`` where it is damaged, or keeps nothing."""
    try:
        raw = json.loads(path.read_bytes())
        version, size = raw["version"], raw["manifestSize"]
        found = heads.manifests(path.parents[2]).get(version)
        whole = found is not None and type(size) is int and found.stat().st_size == size
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
    with storage_errors(folder / name):
        if have is not None:
            dataset.tags.delete(tag)
        dataset.tags.create(tag, version)
    return True


def _opens(folder: Path, name: str, version: int) -> bool:
    """Return whether a version can be opened, and is the one that its file is named for."""
    import lance

    try:
        with reading(folder / name):
            found = lance.dataset(folder / name, version=version)
            return bool(found.version == version and found.schema.names and found.count_rows() >= 0)
    except CaseTrackError:
        return False
