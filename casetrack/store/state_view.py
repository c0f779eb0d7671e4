"""The newest state of a local collection in one file, which opens it without Lance.

Importing Lance takes longer than a search. The file has the rows of the ledger, and the facts of
the dataset of the chunks that a search needs. It is valid only for the versions and digests of the
manifests that it names, see :mod:`casetrack.store.heads`; otherwise Lance opens the collection.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base import schema
from casetrack.base.files import replacement
from casetrack.store import heads
from casetrack.store.data_files import DataFile
from casetrack.store.datasets import Ledger, Snapshot, open_snapshot
from casetrack.store.index.arrays import read_table, write_table
from casetrack.store.index.matrices import locate_few
from casetrack.store.place import is_remote_folder

if TYPE_CHECKING:
    from casetrack.store.heads import Heads

FILE = heads.STATE
_FACTS = b"casetrack.state"
"""Key of the schema metadata."""


def open_kept(folder: Path, /) -> Snapshot:
    """Return the newest state, from the file if it is valid; otherwise write the file."""
    if is_remote_folder(folder):
        return open_snapshot(folder)
    known = _read(folder)
    if known is None:
        known = open_snapshot(folder)
        # A folder that cannot be written, or is removed meanwhile, is opened by Lance again.
        with contextlib.suppress(OSError):
            _save(folder, known)
    return known


def _read(folder: Path) -> Snapshot | None:
    try:
        table = read_table(folder / FILE)
        facts = json.loads(table.schema.metadata[_FACTS])
        noted = heads.counted(folder)
        if noted is None or facts["heads"] != _key(noted) or table.schema.names != _columns():
            return None
        home = folder / "chunks.lance" / "data"
        profile, dimension, generation = facts["marks"]
        return Snapshot(
            noted.documents,
            noted.chunks,
            Ledger(table.replace_schema_metadata(None)),
            profile,
            dimension,
            generation,
            folder,
            _columns=set(facts["columns"]),
            _token_files=[DataFile(home / name, *rest) for name, *rest in facts["token_files"]],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _save(folder: Path, snapshot: Snapshot) -> None:
    noted = heads.counted(folder)
    if noted is None or (noted.documents, noted.chunks) != (
        snapshot.version,
        snapshot.chunks_version,
    ):
        return
    locate_few(folder, snapshot)
    facts = {
        "heads": _key(noted),
        "marks": [snapshot.profile, snapshot.dimension, snapshot.generation],
        "columns": sorted(snapshot.columns),
        "token_files": [[f.path.name, f.rows, f.number] for f in snapshot.token_files],
    }
    table = snapshot.documents.table.select(_columns()).combine_chunks()
    (folder / FILE).parent.mkdir(exist_ok=True)
    with replacement(folder / FILE) as temporary:
        written = table.replace_schema_metadata({_FACTS: json.dumps(facts)})
        write_table(written, temporary, at=folder / FILE, compression="lz4")
    if heads.counted(folder) != noted:
        # A change came between, and removed the file of the state before it.
        (folder / FILE).unlink(missing_ok=True)


def _key(noted: Heads) -> list[int | str]:
    return [noted.documents, noted.documents_digest, noted.chunks, noted.chunks_digest]


def _columns() -> list[str]:
    return list(schema.table("documents").arrow().names)
