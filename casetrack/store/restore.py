"""Restoring the documents of a collection to an earlier state, as an ordinary write.

Unchanged documents stay. The others get their old rows under new revisions; these and the removal
of later documents are one commit. A killed restore has changed nothing; a cancelled one has
restored whole families, a mail with its attachments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base import schema
from casetrack.base.errors import CollectionDamaged
from casetrack.base.files import sha256_of
from casetrack.base.records import Document
from casetrack.store.checksums import COLUMN, damaged
from casetrack.store.datasets import Snapshot, conform
from casetrack.store.rows import Rows
from casetrack.store.snapshots import Point, points

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from casetrack.store.session import WriteSession


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes of a restore.

    Attributes
    ----------
    back
        Documents to restore, as they were.
    away
        Documents to delete.
    rows
        Locations of the old chunks.
    parents
        Parent ids of all documents, present and earlier.
    """

    back: tuple[Document, ...]
    away: tuple[Document, ...]
    unchanged: int
    rows: Rows
    parents: dict[str, str | None]

    def families(self) -> list[list[Document]]:
        """Return the documents to restore and to delete, each mail with its attachments."""
        groups: dict[str, list[Document]] = {}
        for document in (*self.back, *self.away):
            root = document.document_id
            while parent := self.parents.get(root):
                root = parent
            groups.setdefault(root, []).append(document)
        return list(groups.values())


def plan(now: Snapshot, then: Point, /) -> Plan:
    """Compare the newest state *now* with a restorable state *then*."""
    layout = schema.table("documents").arrow()
    old = [Document.from_row(r) for r in conform(then.ledger, layout).to_pylist()]
    counts = {d.revision: d.chunk_count for d in old}
    rows = Rows.of(then.chunks, counts)
    rows.require(counts)
    alike = {
        d.document_id: d
        for d in old
        if d.document_id in now.documents and _same(now.documents[d.document_id], d)
    }
    remade = [d for i, d in alike.items() if now.documents[i].revision != d.revision]
    mine = {now.documents[d.document_id].revision: d.chunk_count for d in remade}
    present = Rows.of(now.chunks, mine)
    same = set(alike) - {
        d.document_id
        for d in remade
        if not _same_rows(rows, d.revision, present, now.documents[d.document_id].revision)
    }
    ids = {d.document_id for d in old}
    return Plan(
        back=tuple(d for d in old if d.document_id not in same),
        away=tuple(d for i, d in now.documents.items() if i not in ids),
        unchanged=len(same),
        rows=rows,
        parents={d.document_id: d.parent_id for d in (*now.documents.values(), *old)},
    )


def carry_out(
    session: WriteSession,
    todo: Plan,
    now: Mapping[str, Document],
    /,
    *,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> tuple[list[Document], list[Document]]:
    """Apply a plan in one commit; return the restored and the deleted documents.

    *now* maps ids to live documents. *tell* gets the action, the number of documents done, and the
    total. *cancel* stops after the current family of documents.
    """
    total = len(todo.back) + len(todo.away)
    doomed = {d.document_id for d in todo.away}
    back, away = list[Document](), list[Document]()
    for family in todo.families():
        if cancel.is_set():
            break
        tell("Bringing documents back", len(back) + len(away), total)
        for document in family:
            if document.document_id in doomed:
                session.withdraw(document)
                away.append(document)
                continue
            revision = session.new_revision()
            for table in todo.rows.batches(document.revision):
                session.append(_with_revision(table, revision))
            live = now.get(document.document_id)
            fresh = replace(document, revision=revision)
            session.finish(fresh, replaces=live.revision if live else None, wait=True)
            back.append(document)
    session.commit()
    tell("Done", total, total)
    return back, away


def restore(folder: Path, session: WriteSession, lost: Sequence[Document], /) -> dict[str, str]:
    """Restore damaged live documents from earlier states; return their names by document id."""
    origins = dict[str, str]()
    for live, old, tables, state in in_earlier_states(folder, lost):
        revision = session.new_revision()
        for table in tables:
            session.append(_with_revision(table, revision))
        session.finish(replace(old, revision=revision), replaces=live.revision)
        origins[live.document_id] = state
    return origins


def in_earlier_states(
    folder: Path, lost: Iterable[Document], /
) -> Iterator[tuple[Document, Document, list[pa.Table], str]]:
    """Yield live documents, with the row, passages and name of an intact earlier state.

    The earlier document must have been made from the same file, and all its rows must match their
    checksums.
    """
    left = {d.document_id: d for d in lost}
    for point in points(folder) if left else ():
        ledger = conform(point.ledger, schema.table("documents").arrow())
        # A row without a fingerprint was rebuilt from passages and is no better than the live one.
        whole = ~damaged(ledger, "documents") & (ledger["pipeline_fingerprint"].to_numpy() != "")
        for row in ledger.filter(whole).to_pylist():
            live = left.get(row["document_id"])
            if live is None or row["file_hash"] != live.file_hash:
                continue
            old = Document.from_row(row)
            counts = {old.revision: old.chunk_count}
            try:
                rows = Rows.of(point.chunks, counts)
                rows.require(counts)
                tables = list(rows.batches(old.revision))
            except CollectionDamaged:
                continue  # an older state may be intact: it uses other files
            del left[live.document_id]
            name, number = point.info.name, point.info.number
            yield live, old, tables, f'snapshot "{name}"' if name else f"earlier state {number}"


def with_copies(folder: Path, todo: Plan, /) -> tuple[Plan, tuple[str, ...]]:
    """Clear missing copies in a plan; return it, and the names of documents with other copies."""
    back, lost = [], []
    for document in todo.back:
        copy = None if document.original_copy is None else folder / document.original_copy
        if copy is not None and not _is_copy(copy, document):
            lost.append(document.name)
            if not copy.is_file():
                back.append(replace(document, original_copy=None))
                continue
        back.append(document)
    return replace(todo, back=tuple(back)), tuple(lost)


def _is_copy(path: Path, document: Document) -> bool:
    if not path.is_file() or path.stat().st_size != document.file_size:
        return False
    return sha256_of(path) == document.file_hash


def _same(one: Document, other: Document) -> bool:
    """Compare two rows of the ledger, ignoring revisions and copies."""
    return replace(one, revision="", original_copy=None) == replace(
        other, revision="", original_copy=None
    )


def _same_rows(old: Rows, revision: str, present: Rows, live: str) -> bool:
    """Compare the chunks of two revisions, batch by batch."""
    if old.starts[revision][1] != present.starts[live][1]:
        return False
    other = ["revision", COLUMN]
    pairs = zip(old.batches(revision), present.batches(live), strict=True)
    return all(a.drop_columns(other).equals(b.drop_columns(other)) for a, b in pairs)


def _with_revision(table: pa.Table, revision: str) -> pa.Table:
    from casetrack.store.index.arrays import with_column

    return with_column(table, "revision", [revision] * table.num_rows)
