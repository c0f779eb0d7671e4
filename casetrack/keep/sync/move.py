"""Moves of documents with their files: new paths and names, without new derived data.

Nothing is read or embedded again. The rows of a document are written under a new revision, as for a
changed file, so that it is always visible at the old or the new path.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.groups import in_batches
from casetrack.ingest.steps.terms import TermsStep
from casetrack.keep.sync.cache import Signature
from casetrack.keep.sync.scan import Stopped, is_below
from casetrack.store.index.arrays import with_column

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence

    from casetrack.base.records import Document
    from casetrack.keep.sync.plan import Move
    from casetrack.store.datasets import Snapshot
    from casetrack.store.session import WriteSession

_GROUP_CHUNKS = 1024
_GROUP_DOCUMENTS = 200

_Pair = tuple["Document", "Document"]


def apply_moves(
    session: WriteSession,
    snapshot: Snapshot,
    moves: Sequence[Move],
    /,
    *,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> None:
    """Apply new paths and source columns to documents and their attachments."""
    pairs = _pairs(snapshot, moves)
    done = 0
    for group in in_batches(pairs, lambda p: p[0].chunk_count, _GROUP_CHUNKS, _GROUP_DOCUMENTS):
        if cancel.is_set():
            session.commit()
            raise Stopped
        tables = _tables(snapshot, [before for before, _ in group])
        finished = []
        for before, after in group:
            if (before.path, before.name) == (after.path, after.name):
                session.finish(after)  # its passages contain no changed value
                continue
            fresh = replace(after, revision=session.new_revision())
            table = tables.get(before.revision)
            if table is not None:
                session.append(_renamed(table, before, fresh))
            finished.append((before, fresh))
        # In one commit where possible, so that files that swapped places do so at once.
        for before, fresh in finished:
            session.finish(fresh, replaces=before.revision)
        done += len(group)
        tell("moving", done, len(pairs))
    session.commit()


def _pairs(snapshot: Snapshot, moves: Sequence[Move]) -> list[_Pair]:
    """Return every document with a new path, before and after."""
    now = datetime.now(UTC)
    by_parent: dict[str, list[Document]] = {}
    inside: list[Document] = []
    for document in snapshot.documents.values():
        if document.parent_id is not None:
            by_parent.setdefault(document.parent_id, []).append(document)
            inside.append(document)
    pairs: list[_Pair] = []
    for move in moves:
        document = snapshot.documents[move.row.document_id]
        signature = move.file.signature
        modified = (
            datetime.fromtimestamp(signature.modified / 1e9, UTC)
            if isinstance(signature, Signature)
            else document.file_modified_at
        )
        path, origin = move.file.path, move.file.origin
        titled = origin is not None and origin.title and document.format == "txt"
        moved = replace(
            document,
            path=path,
            name=_new_name(document, path),
            file_modified_at=modified,
            updated_at=now,
            title=origin.title if origin and titled else document.title,
            **(origin.columns() if origin else {}),
        )
        pairs.append((document, moved))
        queue = [document.document_id]
        while queue:
            for attached in by_parent.get(queue.pop(), []):
                queue.append(attached.document_id)
                if is_below(attached.path, document.path) or attached.path.startswith(
                    f"{document.path}/"
                ):
                    within = attached.path[len(document.path) :]
                    inside_it = origin.of_attachment(within[1:]).columns() if origin else {}
                    after = replace(
                        attached,
                        path=path + within,
                        file_modified_at=modified,
                        updated_at=now,
                        **inside_it,
                    )
                    pairs.append((attached, after))
    return pairs


def _new_name(document: Document, path: str) -> str:
    """Return the name for the new path: the file's, unless the user gave another one."""
    if document.name != os.path.basename(document.path):  # noqa: PTH119 - text, maybe not a file
        return document.name
    return os.path.basename(path)  # noqa: PTH119


def _tables(snapshot: Snapshot, documents: Sequence[Document]) -> dict[str, pa.Table]:
    """Return the rows of documents by revision, in reading order."""
    names = schema.table("chunks").names
    table = snapshot.scan(names, revisions=[d.revision for d in documents])
    table = table.sort_by([("revision", "ascending"), ("chunk_index", "ascending")])
    rows_of: dict[str, pa.Table] = {}
    start = 0
    revisions = table["revision"].to_pylist()
    for end in range(1, len(revisions) + 1):
        if end == len(revisions) or revisions[end] != revisions[start]:
            rows_of[revisions[start]] = table.slice(start, end - start)
            start = end
    return rows_of


def _renamed(table: pa.Table, before: Document, after: Document) -> pa.Table:
    """Return the rows of a document with its new revision, path and name."""
    values = {"revision": after.revision, "document_path": after.path, "document_name": after.name}
    made: dict[str, Any] = {
        name: pa.array([value] * table.num_rows, pa.string()) for name, value in values.items()
    }
    if after.name != before.name:
        # The index terms of a chunk include its document's name.
        context = table.select(list(TermsStep.contract.needs))
        context = with_column(context, "document_name", made["document_name"])
        terms = pa.Table.from_batches(TermsStep()(iter(context.combine_chunks().to_batches())))
        made |= {name: terms[name] for name in TermsStep.contract.adds}
    columns = {name: made.get(name, table[name]) for name in table.schema.names}
    return pa.table(columns, schema=table.schema)
