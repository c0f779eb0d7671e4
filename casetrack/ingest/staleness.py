"""Detection of documents that the present models and program would make differently."""

from __future__ import annotations

import functools
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base import schema
from casetrack.base.errors import CaseTrackError
from casetrack.ingest.assemble import is_unread
from casetrack.ingest.discover import FoundFile, Origin
from casetrack.ingest.plan import file_facts
from casetrack.ingest.steps.base import Failures, collect_failures
from casetrack.ingest.steps.chunk import text_hash
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS, ContextText, Known
from casetrack.store.datasets import Snapshot, any_of
from casetrack.store.originals import copy_of
from casetrack.store.rebuild import is_made_from_passages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.health import SourceState
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.models.base import ProfileEncoder
    from casetrack.store.rewrite import Stage

# Present state of source files.

_CLOCK_SECONDS = 2e-6
"""Tolerance in seconds: times are stored in whole microseconds."""


def root_of(document: Document, documents: Mapping[str, Document], /) -> Document:
    """Return the document of the outermost file: for an attachment, its last existing container."""
    seen = set[str]()
    while document.document_id not in seen:
        seen.add(document.document_id)
        document = documents.get(document.parent_id or "", document)
    return document


def source_file(document: Document, /) -> Path | None:
    """Return the file of a document: its own, or its container's."""
    for path in (Path(document.path), *Path(document.path).parents):
        try:
            if path.is_file():
                return path
        except OSError:
            # A parent folder may be inaccessible, or the name too long for this system.
            continue
    return None


def is_inside(document: Document, /) -> bool:
    """Return whether a document has no separate local file: an attachment, or fetched."""
    if document.is_remote or document.parent_id is not None:
        return True
    return Path(document.path).parent.is_file()


def kept_file(folder: Path, document: Document, /, *, fetched: bool = True) -> FoundFile | None:
    """Return the copy of a (*fetched*) root document's file as a file to read, if it is intact."""
    if (fetched and not document.is_remote) or document.parent_id or not document.original_copy:
        return None
    path = copy_of(folder, document.original_copy)
    try:
        is_whole = file_facts(path).hash == document.file_hash or is_made_from_passages(document)
    except CaseTrackError:
        return None
    if not is_whole:
        return None
    known = document.document_id
    return FoundFile(path, named=False, known_as=known, origin=Origin.of(document))


def source_state(
    document: Document, /, *, may_read: Callable[[int], bool] = lambda _size: True
) -> SourceState:
    """Compare the file of a root document (see :func:`root_of`) with its stored facts.

    Equal size and time, or a fetched file, mean unchanged; otherwise the content decides. If
    *may_read* refuses the size of a file whose time differs, the state is ``untested``.
    """
    if document.is_remote:
        return "unchanged"
    try:
        # Called ten thousand times at once; a Path costs more than the result.
        status = os.stat(document.path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except (OSError, ValueError):
        return "unreadable"
    if status.st_size != document.file_size:
        return "changed"
    if abs(status.st_mtime - document.file_modified_at.timestamp()) <= _CLOCK_SECONDS:
        return "unchanged"
    if not may_read(status.st_size):
        return "untested"
    try:
        same = file_facts(Path(document.path)).hash == document.file_hash
    except CaseTrackError:
        return "unreadable"
    return "unchanged" if same else "changed"


@dataclass(frozen=True, slots=True)
class StaleDocument:
    """A document with columns that the collection's pipeline would fill differently.

    Attributes
    ----------
    steps
        Names of the outdated steps; empty if only columns of a removed step, or an unread caption,
        remain.
    only_caption
        Whether only the caption columns of the ledger are outdated.
    lacks
        Columns that models have yet to fill in some rows, if the others are up to date; empty if
        all rows are recomputed.
    """

    document: Document
    steps: frozenset[str]
    only_caption: bool = False
    lacks: tuple[str, ...] = ()


def outputs_of(pipeline: Pipeline, /) -> dict[str, tuple[str, ...]]:
    """Return the columns of ``chunks`` that the profile's models fill, by step."""
    outputs: dict[str, tuple[str, ...]] = {}
    encoder = pipeline.tools.encoder
    if "embed" in pipeline.parts and encoder is not None:
        columns = ["dense"]
        columns += ["tokens"] if encoder.token_width is not None else []
        columns += ["sparse_terms"] if encoder.has_sparse else []
        outputs["embed"] = tuple(columns)
    if "names" in pipeline.parts and pipeline.tools.names is not None:
        outputs["names"] = ("mentions",)
    return outputs


def changes_profile(snapshot: Snapshot, encoder: ProfileEncoder, /) -> bool:
    """Return whether all vectors must be replaced at once: other models, or another length."""
    return (snapshot.profile, snapshot.dimension) != (encoder.name, encoder.dimension)


def stale_documents(
    snapshot: Snapshot, pipeline: Pipeline, encoder: ProfileEncoder, /
) -> list[StaleDocument]:
    """Return the documents with derived columns that the pipeline would make differently now."""
    documents = snapshot.documents.values()
    if changes_profile(snapshot, encoder):
        return [StaleDocument(d, _steps(pipeline, d, {"embed"})) for d in documents]
    outputs = outputs_of(pipeline)
    lacking = {step: snapshot.revisions_without(columns) for step, columns in outputs.items()}
    others = _of_other_models(snapshot, encoder) if "embed" in outputs else set[str]()
    result = []
    for document in documents:
        steps = {name for name, revisions in lacking.items() if document.revision in revisions}
        steps |= {f.stage for f in document.failures} & pipeline.derived.keys()
        is_of_others = document.revision in others
        is_current = not is_of_others and pipeline.is_current(document.pipeline_fingerprint)
        if steps or not is_current or is_unread(document):
            stale = _steps(pipeline, document, steps | ({"embed"} if is_of_others else set()))
            lacks = [c for name in outputs if name in stale for c in outputs[name]]
            result.append(
                StaleDocument(
                    document,
                    stale,
                    only_caption=is_current and not steps,
                    lacks=tuple(lacks) if is_current else (),
                )
            )
    return result


def all_documents(snapshot: Snapshot, pipeline: Pipeline, /) -> list[StaleDocument]:
    """Return all documents as stale."""
    steps = frozenset(pipeline.parts)
    return [StaleDocument(document, steps) for document in snapshot.documents.values()]


def _steps(pipeline: Pipeline, document: Document, others: set[str]) -> frozenset[str]:
    changed = pipeline.changed_steps(document.pipeline_fingerprint)
    return pipeline.with_followers(changed | (others & pipeline.parts.keys()))


def _of_other_models(snapshot: Snapshot, encoder: ProfileEncoder) -> set[str]:
    """Return revisions with rows that other models have read."""
    rows = snapshot.scan(["revision", "embedders"])
    names = pc.binary_join(rows["embedders"].cast(pa.list_(pa.string())), " ")
    ours_or_nobodys = pc.or_(pc.match_substring(names, encoder.fingerprint), pc.equal(names, ""))
    others = rows["revision"].filter(pc.invert(ours_or_nobodys))
    return set(pc.unique(others).to_pylist())


# Stored chunks with some recomputed columns: the same texts and offsets.


def derived_rows(
    snapshot: Snapshot,
    stale: Sequence[StaleDocument],
    pipeline: Pipeline,
    stage: Stage,
    failures: dict[str, Failures],
    /,
) -> pa.Table:
    """Return the rows of documents with the columns of their stale steps recomputed.

    *stage* has the model outputs by :func:`keyed`. *failures* gets the failures by revision.
    """
    declared = schema.table("chunks")
    table = snapshot.scan(declared.names, revisions=[s.document.revision for s in stale])
    table = table.sort_by([("revision", "ascending"), ("chunk_index", "ascending")])
    layout = declared.arrow(dimension=pipeline.tools.dimension)
    if not table.num_rows:
        return layout.empty_table()
    by_revision = {s.document.revision: s for s in stale}
    parts = []
    for revision, start, count in _runs(table["revision"]):
        with collect_failures(by_revision[revision].document.path) as failures[revision]:
            columns = _made(table.slice(start, count), by_revision[revision], pipeline, stage)
        for step, (column, *_) in outputs_of(pipeline).items():
            if step in by_revision[revision].steps and (lost := columns[column].null_count):
                failures[revision].add(step, step, count=lost)
        parts.append(pa.table({n: columns[n] for n in layout.names}, schema=layout))
    return pa.concat_tables(parts).combine_chunks()


def unread_rows(
    snapshot: Snapshot, stale: Sequence[StaleDocument], columns: Sequence[str], /
) -> pa.Table:
    """Return *columns* of the rows that models have to read."""
    whole = [s.document.revision for s in stale if not s.lacks]
    parts = [snapshot.scan(columns, revisions=whole)] if whole else []
    for entry in stale:
        if entry.lacks:
            lacking = " OR ".join(f"{name} IS NULL" for name in entry.lacks)
            own = any_of("revision", [entry.document.revision])
            parts.append(snapshot.rows_where(f"{own} AND ({lacking})", columns).select(columns))
    return pa.concat_tables(parts)


def _staged(rows: pa.Table, entry: StaleDocument, stage: Stage) -> pa.Table:
    """Return the model outputs of one document's rows, reusing stored ones if a part is missing."""
    if not entry.lacks:
        return stage.take([key for key, _ in keyed(rows)])
    is_unread = functools.reduce(pc.or_, (rows[name].is_null() for name in entry.lacks))
    fresh = stage.take([key for key, _ in keyed(rows.filter(is_unread))])
    kept = rows.filter(pc.invert(is_unread)).select(fresh.column_names).cast(fresh.schema)
    places = [pc.indices_nonzero(is_there) for is_there in (pc.invert(is_unread), is_unread)]
    order = pc.sort_indices(pa.concat_arrays(places))
    return pa.concat_tables([kept, fresh]).take(order)


def _made(rows: pa.Table, entry: StaleDocument, pipeline: Pipeline, stage: Stage) -> dict[str, Any]:
    """Return all columns of one document's ordered chunks."""
    columns: dict[str, Any] = {name: rows[name] for name in rows.column_names}
    if rows["text_hash"].null_count:
        columns["text_hash"] = pa.array([text_hash(text) for text in rows["text"].to_pylist()])
    given = {name for step in pipeline.derived.values() for name in step.contract.adds}
    for name in pipeline.left_empty:
        columns[name] = pipeline.empty(name, rows.num_rows)
    read = {step.contract.name for step in pipeline.encoding_steps}
    staged = _staged(rows, entry, stage) if read & entry.steps else None
    for name, step in pipeline.derived.items():
        if name not in entry.steps:
            continue
        if staged is not None and name in read:
            columns |= {column: staged[column] for column in step.contract.adds}
        else:
            # Columns of other steps are left out, so that each step adds its own as during the
            # ingest.
            needs = [n for n in columns if n not in given or n in step.contract.needs]
            batch = pa.table({n: columns[n] for n in needs}).combine_chunks().to_batches()
            made = pa.Table.from_batches(step(iter(batch)))
            columns |= {column: made[column] for column in step.contract.adds}
    return columns


def _runs(column: pa.ChunkedArray) -> list[tuple[str, int, int]]:
    """Return each value of a sorted column with its first row and its number of rows."""
    runs, start = [], 0
    for row in pc.value_counts(column).to_pylist():
        runs.append((row["values"], start, row["counts"]))
        start += row["counts"]
    return runs


def keyed(table: pa.Table, /) -> list[tuple[bytes, ContextText]]:
    """Return the model input of each row of ``chunks``, with its key."""
    texts = [ContextText.of(row) for row in table.select(list(CONTEXT_COLUMNS)).to_pylist()]
    return [(_key(text), text) for text in texts]


def _key(text: ContextText) -> bytes:
    # The length separates context and text, which may join to equal characters.
    data = f"{len(text.context)} {text.whole}".encode()
    return hashlib.blake2b(data, digest_size=16).digest()


def known_outputs(rows: pa.Table, fingerprint: str, pipeline: Pipeline, /) -> Known:
    """Return model outputs of one document's stored chunks that are still valid, by model input."""
    changed, encoder = pipeline.changed_steps(fingerprint), pipeline.tools.encoder
    same = [s for s in pipeline.encoding_steps if s.contract.name not in changed]
    known: Known = {}
    for row in rows.to_pylist():
        ours = encoder is not None and encoder.fingerprint in row["embedders"]
        columns = [name for step in same for name in step.contract.adds]
        if not ours or row["dense"] is None:
            columns = [name for name in columns if name == "mentions"]
        if row["mentions"] is None:
            columns = [name for name in columns if name != "mentions"]
        known[ContextText.of(row)] = {name: row[name] for name in columns}
    return known


def known_columns(pipeline: Pipeline, /) -> tuple[str, ...]:
    """Return the columns of ``chunks`` for :func:`known_outputs`."""
    made = [name for step in pipeline.encoding_steps for name in step.contract.adds]
    return tuple(dict.fromkeys((*CONTEXT_COLUMNS, *made, "dense", "embedders", "mentions")))
