"""Mending ``collection.json``: from the copy beside it, from what is stored, or by its folder.

A crash of the file system, an editor or a program that synchronises folders may leave the file
torn, empty or away, while all documents are there. Whoever looks at the folder next mends it: first
by the copy of what was written last, else by what the two datasets say of themselves. What was
damaged is kept beside it. A folder without the datasets is no collection, and is left as it is.
"""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.base import schema
from casetrack.base.errors import CollectionDamaged, NotWritable, See
from casetrack.base.files import storage_errors
from casetrack.base.records import CollectionInfo
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.store import mirror
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, DOCUMENTS, dimension_of, open_dataset, profile_of
from casetrack.store.info import COPY, FILE, info_lock, parse_info, read_info, write_info
from casetrack.store.place import place_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

DAMAGED = "collection.json.damaged"
_DEFAULT_PIPELINE = "standard"
_repairs = logging.getLogger("casetrack.repairs")


def sound_info(folder: Path, /) -> CollectionInfo:
    """Return a collection's own facts; mend the file that holds them if it is damaged.

    The name of the folder is the collection's id. Where the file says otherwise the folder was
    copied or renamed, and the file follows it.

    Raises
    ------
    CollectionGone
        There is no such folder any more.
    CollectionDamaged
        The file cannot be read, and cannot be mended: this is no collection, its data are damaged
        as well, or the folder is read-only.
    FutureSchema
        It was written by a newer version, and this one cannot understand it.
    """
    try:
        info = read_info(folder)
    except CollectionDamaged as damage:
        if place_of(folder).is_remote:
            mirror.pull(folder, now=True, settle=mirror.of_info)
            return read_info(folder)
        if not all((folder / name).is_dir() for name in (CHUNKS, DOCUMENTS)):
            raise
        return _mended(folder, damage)
    if info.id == folder.name:
        return info
    copy = _restored(folder, any_id=False)
    if copy is not None:
        # A folder that was copied has the other id in both: this is the file of another one.
        return _mended(folder, CollectionDamaged(f"{folder / FILE} is that of another collection."))
    return _adopted(folder, info)


def _mended(folder: Path, damage: CollectionDamaged) -> CollectionInfo:
    try:
        with info_lock(folder):
            with contextlib.suppress(CollectionDamaged):
                found = read_info(folder)  # another process was faster
                if found.id == folder.name:
                    return found
            info, how = _restored(folder) or _rebuilt(folder)
            state = _set_aside(folder)
            write_info(folder, info)
    except NotWritable as error:
        raise damage from error
    _repairs.warning('%s of "%s" %s, and %s', FILE, info.name, state, how)
    return info


def _restored(folder: Path, *, any_id: bool = True) -> tuple[CollectionInfo, str] | None:
    """Return the facts of the copy that :func:`write_info` keeps, if that is whole."""
    try:
        info = parse_info((folder / COPY).read_bytes())
    except (OSError, ValueError):
        return None
    if not any_id and info.id != folder.name:
        return None
    return replace(info, id=folder.name), "was restored from the copy beside it; nothing is lost."


def _rebuilt(folder: Path) -> tuple[CollectionInfo, str]:
    """Return facts made up from what the datasets say.

    Raises
    ------
    CollectionDamaged
        They cannot be read, or were written by a newer version.
    """
    chunks, ledger = open_dataset(folder, CHUNKS), open_dataset(folder, DOCUMENTS)
    columns = [n for n in ("ingested_at", "updated_at", "pipeline") if n in ledger.schema.names]
    with reading(ledger.uri):
        rows = ledger.to_table(columns=columns).to_pylist()
    now = datetime.now(UTC)
    pipelines = Counter(row["pipeline"] for row in rows)
    info = CollectionInfo(
        id=folder.name,
        name=f"Recovered {folder.name[:8]}",
        type="other",
        status="active",
        description=None,
        reference=None,
        tags=(),
        edition="collections",
        schema_version=_version_of(folder, chunks, ledger),
        pipeline=pipelines.most_common(1)[0][0] if pipelines else _DEFAULT_PIPELINE,
        profile=profile_of(chunks),
        dimension=dimension_of(chunks),
        created_at=min((row["ingested_at"] for row in rows), default=now),
        updated_at=max((row["updated_at"] for row in rows), default=now),
    )
    how = (
        "was made anew from the stored documents, which are all there. Its name, description and "
        f"tags are lost: give them again with {See('collection rename')} and `describe`."
    )
    return info, how


def _version_of(folder: Path, chunks: Any, ledger: Any) -> int:
    """Return the newest schema version all of whose columns are there.

    What a killed migration has added already does not count: the migration completes it. Where
    there is none, the first version whose rows are whole but for columns that may be null: it has
    got such columns since.
    """
    have = {"chunks": set(chunks.schema.names), "documents": set(ledger.schema.names)}
    unknown = [n for t, names in have.items() for n in names - set(schema.table(t).names)]
    for version in reversed(schema.versions()):
        if unknown:
            break
        if all(names >= set(schema.table(t, version=version).names) for t, names in have.items()):
            return version
    for version in () if unknown else schema.versions():
        tables = {t: schema.table(t, version=version).columns for t in have}
        if all({c.name for c in tables[t] if not c.nullable} <= have[t] for t in have):
            return version
    raise CollectionDamaged(
        f"The collection in {folder} cannot be read: {FILE} is missing or damaged, and its data "
        "are of a version that this program does not know.",
        hint="Install the newest version with `pip install --upgrade casetrack`, or restore that "
        "file from a backup.",
    )


def _set_aside(folder: Path) -> str:
    """Keep a damaged file, which may hold something of worth; return what was wrong."""
    path = folder / FILE
    if not path.exists():
        return "was missing"
    with storage_errors(path):
        path.replace(folder / DAMAGED)
    return f"was damaged (it is kept as {DAMAGED})"


def _adopted(folder: Path, info: CollectionInfo) -> CollectionInfo:
    """Give a copied folder an identity of its own; a newer version's file is left as it is."""
    own = replace(info, id=folder.name)
    if info.schema_version > SCHEMA_VERSION:
        return own
    try:
        with info_lock(folder):
            found = read_info(folder)
            if found.id == folder.name:
                return found
            own = replace(found, id=folder.name)
            write_info(folder, own)
    except NotWritable:
        return own  # of a read-only folder only what is told of it can follow
    _repairs.warning(
        'A copied collection folder was taken in: "%s" now has the ID %s.', own.name, own.id
    )
    return own
