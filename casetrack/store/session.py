"""Writing: documents become visible completely, several per commit; killed writers leave no trace.

Order of every change: append chunks under a new revision, switch the ledger row to it (the commit
point), then remove the rows that the ledger no longer names. A journal file per session lists
possible leftovers; the next writer sweeps them.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import time
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.files import remove_unfinished, storage_errors, sync_folder
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.store import audit, datasets, heads, lock, mirror
from casetrack.store.checksums import stamped
from casetrack.store.commits import append, remove, rows_of_chunks, switch, unpacked, write_files
from casetrack.store.datasets import CHUNKS, DOCUMENTS, any_of, open_dataset
from casetrack.store.folders import settle_building
from casetrack.store.history import SNAPSHOTS
from casetrack.store.info import read_info, require_active
from casetrack.store.lock import write_lock
from casetrack.store.migrations.backup import add_columns
from casetrack.store.originals import remove_stray_copies
from casetrack.store.upkeep import compact_after_write

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from casetrack.base.records import Document

_FLUSH_ROWS = 512
_COMMIT_SECONDS = 1.0
_COMMIT_ROWS = 1024
_TIDY_COMMITS = 64
_SWEEP_BATCH = 500
_repairs = logging.getLogger("casetrack.repairs")


class WriteSession:
    """All changes of one process to one collection under the write lock.

    Created by :func:`write_session`. Not safe for use from several threads.
    """

    def __init__(self, folder: Path, /) -> None:
        self._folder = folder
        self.id = secrets.token_hex(8)
        self._journal = folder / "journal" / self.id
        self._dimension = 0
        self._revisions = 0
        self._buffer: list[pa.Table] = []
        self._fragments: list[Any] = []
        self._rows = 0
        self._finished: list[Document] = []
        self._withdrawn: dict[str, str] = {}
        self._replaced: list[str] = []
        self._abandoned: list[str] = []
        self._last_commit = time.monotonic()
        self._commits = 0
        self._is_touched = False
        self.has_written = False
        self._is_lent = False

    def begin(self) -> None:
        """Sweep leftovers of killed writers, add newly declared columns, and open the journal."""
        sweep(self._folder)
        self._dimension = datasets.dimension_of(open_dataset(self._folder, CHUNKS))
        add_columns(self._folder, SCHEMA_VERSION, self._dimension)
        with storage_errors(self._folder):
            self._journal.parent.mkdir(exist_ok=True)
            self._journal.touch()
            sync_folder(self._journal.parent)
        self._publish_journal()

    def new_revision(self) -> str:
        """Return an unused revision, which contains the id of the session."""
        self._revisions += 1
        return f"{self.id}-{self._revisions:06d}"

    def append(self, table: pa.Table, /) -> None:
        """Add chunks of a revision; they stay invisible until :meth:`finish` and a commit."""
        self._buffer.append(rows_of_chunks(table, self._dimension))
        self._rows += table.num_rows
        if sum(t.num_rows for t in self._buffer) >= _FLUSH_ROWS:
            self._flush()

    def open_for_workers(self) -> int:
        """Prepare for chunks from other processes (:meth:`append_files`); return the dimension."""
        self._is_touched = self._is_lent = True
        return self._dimension

    def append_files(self, files: bytes, rows: int, /) -> None:
        """Add *rows* chunks in files that others have written and packed; still invisible."""
        self._fragments += unpacked(files)
        self._rows += rows

    def finish(
        self, document: Document, /, *, replaces: str | None = None, wait: bool = False
    ) -> None:
        """Make a document's new revision live with the next commit.

        *replaces* is the revision that was live until now. *wait* leaves the commit to the caller.
        """
        self._finished.append(document)
        self._withdrawn.pop(document.document_id, None)
        if replaces is not None:
            self._replaced.append(replaces)
        if wait:
            return
        if self._rows >= _COMMIT_ROWS or time.monotonic() - self._last_commit >= _COMMIT_SECONDS:
            self.commit()

    def abandon(self, revision: str, /) -> None:
        """Drop a revision whose document failed; the next commit removes its chunks."""
        self._abandoned.append(revision)

    def withdraw(self, document: Document, /) -> None:
        """Remove a document with the next commit."""
        self._finished = [d for d in self._finished if d.document_id != document.document_id]
        self._withdrawn[document.document_id] = document.revision
        self._replaced.append(document.revision)

    def commit(self) -> None:
        """Make every finished document visible and remove every withdrawn one, in one step."""
        if self._buffer or self._fragments or self._finished or self._abandoned or self._replaced:
            self._is_touched = True
        self.has_written |= bool(self._finished or self._withdrawn)
        self._audit()
        self._note(self._replaced)
        self._flush()
        if self._fragments:
            append(self._folder, self._fragments)
        gone = any_of("document_id", self._withdrawn) if self._withdrawn else None
        if self._finished:
            switch(self._folder, _ledger_table(self._finished), gone)
        elif gone:
            remove(self._folder, DOCUMENTS, gone)
        _drop(self._folder, [*self._replaced, *self._abandoned])
        self._fragments, self._finished, self._replaced, self._abandoned = [], [], [], []
        self._withdrawn = {}
        self._rows, self._last_commit = 0, time.monotonic()
        self._commits += 1
        mirror.touched(self._folder)
        if self._commits % _TIDY_COMMITS == 0:
            compact_after_write(self._folder)

    def delete(self, documents: Iterable[Document], /) -> None:
        """Remove documents: first from the ledger, then their chunks."""
        for document in documents:
            self.withdraw(document)
        self.commit()

    def end(self) -> None:
        """Close the journal after all changes are complete."""
        compact_after_write(self._folder, unverified=self._is_lent)
        remove_unfinished(self._folder, below=False)
        for name in ("views", SNAPSHOTS):
            remove_unfinished(self._folder / name)
        with storage_errors(self._journal):
            self._journal.unlink()

    def give_up(self) -> None:
        """End after an error: like a crash, or without a trace if nothing was written."""
        if not self._is_touched:
            # Otherwise the next writer would sweep it as a killed session, which also happens if
            # the removal fails.
            with contextlib.suppress(OSError):
                self._journal.unlink()

    def _flush(self) -> None:
        if not self._buffer:
            return
        self._is_touched = True
        self._fragments += write_files(self._folder, self._buffer)
        self._buffer = []

    def _audit(self) -> None:
        """Record the added, changed and deleted documents in the audit log."""
        if self._withdrawn:
            audit.note(self._folder, "documents deleted", documents=self._withdrawn)
        if not self._finished:
            return
        ids = {d.document_id for d in self._finished}
        ledger = open_dataset(self._folder, DOCUMENTS)
        with storage_errors(ledger.uri):
            known = ledger.to_table(columns=["document_id"], filter=any_of("document_id", ids))
        changed = set(known["document_id"].to_pylist())
        for action, which in (("documents added", ids - changed), ("documents changed", changed)):
            if which:
                audit.note(self._folder, action, documents=which)

    def _note(self, revisions: Iterable[str]) -> None:
        """Record revisions before they are replaced, so that a crash cannot orphan them."""
        lines = "".join(f"{r}\n" for r in revisions)
        if not lines:
            return
        with storage_errors(self._journal), self._journal.open("a", encoding="ascii") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        self._publish_journal()

    def _publish_journal(self) -> None:
        lock.publish_now(self._folder, [self._journal.relative_to(self._folder).as_posix()])


@contextlib.contextmanager
def write_session(
    folder: Path,
    /,
    *,
    timeout: float = 600.0,
    cancel: threading.Event | None = None,
    upkeep: bool = False,
) -> Iterator[WriteSession]:
    """Hold the collection's write lock for a series of changes.

    An error inside the block ends the session like a crash: committed changes stay, the rest is
    invisible and swept by the next writer. *timeout* is in seconds. *upkeep* allows closed and
    archived collections, because the session changes nothing that the user sees.

    Raises
    ------
    CollectionReadOnly
        The collection is closed or archived.
    CollectionBusy
        Another process writes for longer than *timeout* seconds.
    JobStopped
        *cancel* was set while waiting.
    """
    with write_lock(folder, timeout=timeout, cancel=cancel):
        if not upkeep:
            require_active(read_info(folder))
        settle_building(folder)
        heads.confirm(folder, open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS))
        session = WriteSession(folder)
        session.begin()
        try:
            yield session
        except BaseException:
            session.give_up()
            raise
        session.commit()
        session.end()
        heads.note(folder, open_dataset(folder, DOCUMENTS), open_dataset(folder, CHUNKS))


@contextlib.contextmanager
def journalled(folder: Path, /) -> Iterator[None]:
    """Journal other work under the lock, so that the next writer sweeps its leftovers."""
    journal = folder / "journal" / secrets.token_hex(8)
    with storage_errors(folder):
        journal.parent.mkdir(exist_ok=True)
        journal.touch()
        sync_folder(journal.parent)
    lock.publish_now(folder, [journal.relative_to(folder).as_posix()])
    yield
    with storage_errors(journal):
        journal.unlink()


def sweep(folder: Path, /) -> int:
    """Remove the leftovers of killed sessions, under the write lock; return their number."""
    journals = leftovers(folder)
    if not journals:
        return 0
    snapshot = datasets.open_snapshot(folder)
    live, before = set(snapshot.revisions), snapshot.chunks.count_rows()
    for journal in journals:
        noted = [r for r in journal.read_text("ascii").split("\n")[:-1] if r not in live]
        _drop(folder, noted)
        _drop_session(folder, journal.name, live)
    removed = before - open_dataset(folder, CHUNKS).count_rows()
    compact_after_write(folder, unverified=True)
    remove_stray_copies(folder, snapshot)
    for journal in journals:
        with storage_errors(journal):
            journal.unlink()
    if removed:
        _repairs.warning(
            'Cleaned up after a stopped program in "%s": removed %d %s of incomplete or replaced '
            "documents. Search results are unchanged.",
            read_info(folder).name,
            removed,
            "passage" if removed == 1 else "passages",
        )
    return len(journals)


def leftovers(folder: Path, /) -> list[Path]:
    """Return the journals of unfinished sessions, including that of an active writer."""
    journals = folder / "journal"
    return sorted(journals.iterdir()) if journals.is_dir() else []


def _ledger_table(documents: list[Document]) -> pa.Table:
    import pyarrow as pa

    newest = {d.document_id: d.as_row() for d in documents}
    layout = schema.table("documents").arrow()
    return stamped(pa.Table.from_pylist(list(newest.values()), schema=layout), "documents")


def _drop(folder: Path, revisions: list[str]) -> None:
    for i in range(0, len(revisions), _SWEEP_BATCH):
        remove(folder, CHUNKS, any_of("revision", revisions[i : i + _SWEEP_BATCH]))


def _drop_session(folder: Path, session: str, live: set[str]) -> None:
    dataset = open_dataset(folder, CHUNKS)
    like = f"starts_with(revision, '{session}-')"
    made = dataset.scanner(columns=["revision"], filter=like).to_table()
    dead = sorted(set(made["revision"].to_pylist()) - live)
    _drop(folder, dead)
