"""Rebuilding rows that the newest version of a dataset has lost.

Data files outlive the manifest or the deletion file that refers to them, and each row has a
checksum, so lost rows are searched in all data files. A missing row of the list of documents is
rebuilt from the passages of its document; its pipeline fingerprint is empty until the file is read
again.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.errors import CollectionDamaged
from casetrack.base.files import storage_errors
from casetrack.store import heads, lock
from casetrack.store.checksums import damaged, stamped
from casetrack.store.commits import append, write_files
from casetrack.store.damage import reading
from casetrack.store.datasets import CHUNKS, DOCUMENTS, conform, dimension_of, open_dataset
from casetrack.store.originals import copies
from casetrack.store.place import dataset_files, place_of
from casetrack.store.source_states import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.base.records import Document

_BATCH = 4096
_CHOICES = 10_000
"""Limit of the number of candidate sets of deleted documents."""
_OF_CHUNKS = (
    *("document_id", "revision", "document_name", "document_path", "document_title", "page"),
    *("char_end", "extraction_method", "language", "created_at"),
)


def rebuild_rows(folder: Path, /) -> list[str]:
    """Rebuild lost rows of documents and passages; return the actions, with document names."""
    done = _restore_all_chunks(folder)
    done += _rebuild_ledger(folder)
    return done + _restore_chunks(folder)


def is_made_from_passages(document: Document, /) -> bool:
    """Return whether the row of a document was rebuilt from its passages."""
    return not document.pipeline_fingerprint


def _rebuild_ledger(folder: Path) -> list[str]:
    import lance

    ledger, chunks = open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS)
    noted = heads.noted(folder)
    layout = schema.table("documents").arrow()
    stored, is_whole = _readable(ledger)
    rows = [row for table in stored for row in _intact(conform(table, layout), "documents")]
    listed = pa.concat_tables([ledger.schema.empty_table(), *stored])
    if is_whole and heads.is_noted_ledger(noted, ledger, listed):
        return []
    tables, all_read = _readable(chunks, _OF_CHUNKS)
    passages = pa.concat_tables([chunks.schema.empty_table().select(_OF_CHUNKS), *tables])
    held = Counter(passages["revision"].to_pylist())
    known = _noted_rows(rows, held, noted)
    if known is not None:
        rows = known
    elif all_read and (noted is None or chunks.version >= noted.chunks):
        # A document without passages was deleted or replaced since, or belongs to another
        # collection.
        rows = [r for r in rows if held[r["revision"]] or not r["chunk_count"]]
    live = {row["document_id"]: row for row in rows}
    before = {row["revision"] for row in rows}
    newest = _newest_rows(folder, ledger)
    done = list[str]()
    dead = {path.name for path in (folder / "journal").glob("*")}
    kept = copies(folder)
    for revision in held.keys() - before:
        made = newest.get(revision)
        if made is None and revision.rpartition("-")[0] in dead:
            continue  # a killed session that never committed it
        if made is None:
            made = _from_passages(passages, revision, kept)
            made["source"], made["source_id"] = source_of(made["path"], folder)
        other = live.get(made["document_id"])
        if other is None or other["updated_at"] < made["updated_at"]:
            live[made["document_id"]] = made
            how = "its passages" if not made["pipeline_fingerprint"] else "another data file"
            if made["source"] and not made["pipeline_fingerprint"]:
                how += f"; the next sync of {made['source']} adds its URL and metadata"
            done.append(f"rebuilt the entry of {made['name']} in the list of documents from {how}")
    for row in sorted(newest.values(), key=lambda r: r["updated_at"], reverse=True):
        # Only the number of documents shows whether a document without chunks was live.
        if noted and len(live) < noted.rows and not row["chunk_count"]:
            live.setdefault(row["document_id"], row)
    by_path = {row["path"]: row["document_id"] for row in live.values()}
    for row in live.values():
        if not row["pipeline_fingerprint"]:
            above = map(str, PurePath(row["path"]).parents)
            row["parent_id"] = next((by_path[path] for path in above if path in by_path), None)
    order = sorted(live.values(), key=lambda r: (r["ingested_at"], r["path"]))
    place = place_of(folder)
    lock.confirm(folder)
    with storage_errors(ledger.uri):
        lance.write_dataset(
            stamped(pa.Table.from_pylist(order, schema=layout), "documents"),
            place.dataset(DOCUMENTS),
            mode="overwrite",
            enable_stable_row_ids=True,
            storage_options=place.options,
        )
    return done or [f"wrote the list of {len(order)} documents again"]


def _noted_rows(
    rows: list[dict[str, Any]], held: Counter[str], noted: heads.Heads | None
) -> list[dict[str, Any]] | None:
    """Return the rows without deleted documents, if the noted digest proves which those are."""
    if noted is None or len(rows) < noted.rows:
        return None
    without = [n for n, row in enumerate(rows) if not held[row["revision"]]]
    choices = itertools.combinations(without, len(rows) - noted.rows)
    for gone in map(set, itertools.islice(choices, _CHOICES)):
        left = [row for n, row in enumerate(rows) if n not in gone]
        if heads.digest_of(row["revision"] for row in left) == noted.rows_digest:
            return left
    return None


def _newest_rows(folder: Path, ledger: Any) -> dict[str, dict[str, Any]]:
    """Return the latest intact row of each revision in the data files of the ledger."""
    layout, latest = schema.table("documents").arrow(), dict[str, dict[str, Any]]()
    for table in _in_data_files(folder, ledger):
        for row in _intact(conform(table, layout), "documents"):
            other = latest.get(row["revision"])
            if other is None or other["updated_at"] <= row["updated_at"]:
                latest[row["revision"]] = row
    return latest


def _restore_all_chunks(folder: Path) -> list[str]:
    """Restore all passages, including those of deleted documents, to an empty new dataset."""
    chunks, noted = open_dataset(folder, CHUNKS), heads.noted(folder)
    if chunks.count_rows() or (noted.chunks if noted else chunks.version) <= chunks.version:
        return []
    seen, layout = (
        set[tuple[str, int]](),
        schema.table("chunks").arrow(dimension=dimension_of(chunks)),
    )
    for table in _in_data_files(folder, chunks):
        rows = []
        for row in _intact(conform(table, layout), "chunks"):
            key = (row["revision"], row["chunk_index"])
            if key not in seen:
                seen.add(key)
                rows.append(row)
        if rows:
            append(folder, write_files(folder, [pa.Table.from_pylist(rows, schema=layout)]))
    return [f"restored {len(seen)} passages from data files"] if seen else []


def _restore_chunks(folder: Path) -> list[str]:
    """Restore passages from data files that no manifest refers to."""
    ledger, chunks = open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS)
    columns = ["revision", "chunk_count", "name"]
    with reading(ledger.uri):
        rows = ledger.to_table(columns=columns).to_pylist()
    tables, all_read = _readable(chunks, ("revision",))
    held = Counter(r for table in tables for r in table["revision"].to_pylist())
    lacking = {r["revision"]: r for r in rows if r["chunk_count"] and not held[r["revision"]]}
    if not lacking or not all_read:
        return []
    layout = schema.table("chunks").arrow(dimension=dimension_of(chunks))
    rows_of: dict[str, dict[int, dict[str, Any]]] = {revision: {} for revision in lacking}
    for table in _in_data_files(folder, chunks):
        for row in _intact(conform(table, layout), "chunks"):
            if row["revision"] in rows_of:
                rows_of[row["revision"]][row["chunk_index"]] = row
    done = list[str]()
    for revision, row in lacking.items():
        if len(rows_of[revision]) == row["chunk_count"]:
            ordered = [rows_of[revision][index] for index in sorted(rows_of[revision])]
            append(folder, write_files(folder, [pa.Table.from_pylist(ordered, schema=layout)]))
            done.append(f"restored the passages of {row['name']} from another data file")
    return done


def _readable(dataset: Any, columns: tuple[str, ...] = ()) -> tuple[list[pa.Table], bool]:
    """Return the rows of every readable fragment, and whether all are readable."""
    tables, is_whole = list[Any](), True
    for part in dataset.get_fragments():
        try:
            with reading(dataset.uri):
                tables.append(part.to_table(columns=list(columns) or None))
        except CollectionDamaged:
            is_whole = False
    return tables, is_whole


def _in_data_files(folder: Path, dataset: Any) -> Iterator[pa.Table]:
    """Yield the rows of all readable data files of a dataset that contain whole rows."""
    from lance.file import LanceFileReader

    place = place_of(folder)
    needed = {f.name for f in dataset.schema if not f.nullable}
    # An empty file makes Lance panic.
    files = (file for file in dataset_files(dataset, "data") if file.size)
    for file in sorted(files, key=lambda f: f.modified):
        where = f"{dataset.uri}/data/{file.name}"
        try:
            with reading(dataset.uri):
                reader = LanceFileReader(where, storage_options=place.options)
                if needed <= set(reader.metadata().schema.names):
                    yield from (b for b in reader.read_all(batch_size=_BATCH).to_batches())
        except CollectionDamaged:
            continue  # another file may contain the same rows


def _intact(table: pa.Table, name: str) -> list[dict[str, Any]]:
    """Return the rows that match their checksums."""
    rows: list[dict[str, Any]] = table.filter(pa.array(~damaged(table, name))).to_pylist()
    return rows


def _from_passages(passages: pa.Table, revision: str, kept: Mapping[str, int]) -> dict[str, Any]:
    """Build the row of a document from its passages and its stored copy."""
    import pyarrow.compute as pc

    rows = passages.filter(pc.equal(passages["revision"], revision)).to_pylist()
    first, ends = rows[0], Counter[int]()
    for row in rows:
        ends[row["page"]] = max(ends[row["page"]], row["char_end"])
    home = f"originals/{first['document_id']}/"
    copy = next((path for path in sorted(kept) if path.startswith(home)), None)
    suffix = PurePath(first["document_path"]).suffix.removeprefix(".").lower()
    now = datetime.now(UTC)
    empty: dict[str, Any] = dict.fromkeys(schema.table("documents").names)
    return empty | {
        "document_id": first["document_id"],
        "revision": revision,
        "name": first["document_name"],
        "path": first["document_path"],
        "title": first["document_title"],
        "format": suffix or "txt",
        "language": first["language"],
        "page_count": max(ends),
        "pages_without_text": max(ends) - len(ends),
        "chunk_count": len(rows),
        "char_count": sum(ends.values()),
        "extraction_method": first["extraction_method"],
        # Matches no file, so that the next run reads the file again.
        "file_hash": hashlib.sha256(revision.encode()).hexdigest(),
        "file_size": kept.get(copy or "", 0),
        "file_modified_at": first["created_at"],
        "original_copy": copy,
        "pipeline": "standard",
        "pipeline_fingerprint": "",
        "warnings": [],
        "ingested_at": first["created_at"],
        "updated_at": now,
    }
