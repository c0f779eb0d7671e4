"""Stored chunks with some of their columns made anew: the same texts and places, fresh steps."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.ingest.staleness import outputs_of
from casetrack.ingest.steps.chunk import text_hash
from casetrack.ingest.steps.context import CONTEXT_COLUMNS
from casetrack.ingest.steps.encoding import ContextText, Known
from casetrack.ingest.steps.failures import collect_failures
from casetrack.store.datasets import any_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from casetrack.ingest.pipeline import Pipeline
    from casetrack.ingest.staleness import StaleDocument
    from casetrack.ingest.steps.failures import Failures
    from casetrack.store.datasets import Snapshot
    from casetrack.store.rewrite import Stage


def derived_rows(
    snapshot: Snapshot,
    stale: Sequence[StaleDocument],
    pipeline: Pipeline,
    stage: Stage,
    failures: dict[str, Failures],
    /,
) -> pa.Table:
    """Return the rows of documents with the columns of their stale steps made anew.

    Parameters
    ----------
    snapshot, stale
        What is stored, and whose rows are wanted.
    pipeline
        Its steps fill the columns; what no step of it fills becomes empty.
    stage
        What the models made, by :func:`keyed`.
    failures
        Gets those of the extractors, by revision.

    Raises
    ------
    KeyError
        The models have not read a text yet.
    """
    import pyarrow as pa

    declared = schema.table("chunks")
    table = snapshot.scan(declared.names, revisions=[s.document.revision for s in stale])
    table = table.sort_by([("revision", "ascending"), ("chunk_index", "ascending")])
    layout = declared.arrow(dimension=pipeline.tools.dimension)
    if not table.num_rows:
        return layout.empty_table()
    found = {s.document.revision: s for s in stale}
    parts = []
    for revision, start, count in _runs(table["revision"]):
        with collect_failures(found[revision].document.path) as failures[revision]:
            columns = _made(table.slice(start, count), found[revision], pipeline, stage)
        for step, (column, *_) in outputs_of(pipeline).items():
            if step in found[revision].steps and (lost := columns[column].null_count):
                failures[revision].add(step, step, count=lost)
        parts.append(pa.table({n: columns[n] for n in layout.names}, schema=layout))
    return pa.concat_tables(parts).combine_chunks()


def unread_rows(
    snapshot: Snapshot, stale: Sequence[StaleDocument], columns: Sequence[str], /
) -> pa.Table:
    """Return *columns* of those rows of documents that models have to read."""
    import pyarrow as pa

    whole = [s.document.revision for s in stale if not s.lacks]
    parts = [snapshot.scan(columns, revisions=whole)] if whole else []
    for found in stale:
        if found.lacks:
            lacking = " OR ".join(f"{name} IS NULL" for name in found.lacks)
            own = any_of("revision", [found.document.revision])
            parts.append(snapshot.rows_where(f"{own} AND ({lacking})", columns).select(columns))
    return pa.concat_tables(parts)


def _staged(rows: pa.Table, found: StaleDocument, stage: Stage) -> pa.Table:
    """Return what models made of one document's rows: now, and before where it lacks a part."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not found.lacks:
        return stage.take([key for key, _ in keyed(rows)])
    is_unread = functools.reduce(pc.or_, (rows[name].is_null() for name in found.lacks))
    fresh = stage.take([key for key, _ in keyed(rows.filter(is_unread))])
    kept = rows.filter(pc.invert(is_unread)).select(fresh.column_names).cast(fresh.schema)
    places = [pc.indices_nonzero(is_there) for is_there in (pc.invert(is_unread), is_unread)]
    order = pc.sort_indices(pa.concat_arrays(places))
    return pa.concat_tables([kept, fresh]).take(order)


def _made(rows: pa.Table, found: StaleDocument, pipeline: Pipeline, stage: Stage) -> dict[str, Any]:
    """Return all columns of one document's chunks, which come in order."""
    import pyarrow as pa

    columns: dict[str, Any] = {name: rows[name] for name in rows.column_names}
    if rows["text_hash"].null_count:
        columns["text_hash"] = pa.array([text_hash(text) for text in rows["text"].to_pylist()])
    given = {name for step in pipeline.derived.values() for name in step.contract.adds}
    for name in pipeline.left_empty:
        columns[name] = pipeline.empty(name, rows.num_rows)
    read = {step.contract.name for step in pipeline.encoding_steps}
    staged = _staged(rows, found, stage) if read & found.steps else None
    for name, step in pipeline.derived.items():
        if name not in found.steps:
            continue
        if staged is not None and name in read:
            columns |= {column: staged[column] for column in step.contract.adds}
        else:
            # What other steps give stays out, so that each adds its columns as it did at first.
            needs = [n for n in columns if n not in given or n in step.contract.needs]
            batch = pa.table({n: columns[n] for n in needs}).combine_chunks().to_batches()
            made = pa.Table.from_batches(step(iter(batch)))
            columns |= {column: made[column] for column in step.contract.adds}
    return columns


def _runs(column: pa.ChunkedArray) -> list[tuple[str, int, int]]:
    """Return each value of a sorted column with the place of its first row, and its rows."""
    import pyarrow.compute as pc

    found, start = [], 0
    for row in pc.value_counts(column).to_pylist():
        found.append((row["values"], start, row["counts"]))
        start += row["counts"]
    return found


def keyed(table: pa.Table, /) -> list[tuple[bytes, ContextText]]:
    """Return what models see of each row of ``chunks``, with a key that stands for it."""
    texts = [ContextText.of(row) for row in table.select(list(CONTEXT_COLUMNS)).to_pylist()]
    return [(_key(text), text) for text in texts]


def _key(text: ContextText) -> bytes:
    # The same characters may be divided in another way between the context and the text.
    data = f"{len(text.context)} {text.whole}".encode()
    return hashlib.blake2b(data, digest_size=16).digest()


def known_outputs(rows: pa.Table, fingerprint: str, pipeline: Pipeline, /) -> Known:
    """Return what models made of stored chunks, by what they saw, where they would make it again.

    Parameters
    ----------
    rows
        Chunks of one document, with the columns of :func:`known_columns`.
    fingerprint
        The document's.
    pipeline
        Its steps that would make the same are those with an equal fingerprint.
    """
    changed, encoder = pipeline.changed_steps(fingerprint), pipeline.tools.encoder
    same = [s for s in pipeline.encoding_steps if s.contract.name not in changed]
    found: Known = {}
    for row in rows.to_pylist():
        ours = encoder is not None and encoder.fingerprint in row["embedders"]
        columns = [name for step in same for name in step.contract.adds]
        if not ours or row["dense"] is None:
            columns = [name for name in columns if name == "mentions"]
        if row["mentions"] is None:
            columns = [name for name in columns if name != "mentions"]
        found[ContextText.of(row)] = {name: row[name] for name in columns}
    return found


def known_columns(pipeline: Pipeline, /) -> tuple[str, ...]:
    """Return the columns of ``chunks`` that :func:`known_outputs` looks at."""
    made = [name for step in pipeline.encoding_steps for name in step.contract.adds]
    return tuple(dict.fromkeys((*CONTEXT_COLUMNS, *made, "dense", "embedders", "mentions")))
