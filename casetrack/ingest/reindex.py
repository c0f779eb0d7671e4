"""Recomputation of terms, vectors, names and captions from the stored chunks.

No source file is read: a row of ``chunks`` has the complete input of models and keyword search.
Only missing or outdated steps run: another tagger keeps the vectors. First the models run, while
others may read and write; their outputs are kept in files. Then they are stored under the write
lock. With the same profile each document gets a new revision, as a changed file does. With another
profile all chunks are replaced in one commit (see :mod:`casetrack.store.rewrite`). A killed run
leaves complete documents of one profile, and the next run reuses its outputs.
"""

from __future__ import annotations

import hashlib
import shlex
import time
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.errors import CollectionBusy, JobStopped, ModelError, See, UsageError
from casetrack.base.groups import in_batches
from casetrack.base.machine import one_thread_each
from casetrack.base.models.profiles import find_profile
from casetrack.base.records import CollectionInfo, Document
from casetrack.base.records.snapshots import ReindexReport
from casetrack.ingest.assemble import SpanCounts, captions_of, has_columns, without_unread
from casetrack.ingest.pipeline import Pipeline, Tools, load_pipeline
from casetrack.ingest.staleness import (
    StaleDocument,
    all_documents,
    changes_profile,
    derived_rows,
    keyed,
    stale_documents,
    unread_rows,
)
from casetrack.ingest.steps.base import Failures, collect_failures
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS, SharedPass
from casetrack.store import rewrite
from casetrack.store.datasets import Snapshot, open_snapshot
from casetrack.store.index.arrays import with_column
from casetrack.store.info import require_active
from casetrack.store.session import WriteSession, write_session

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from casetrack.models.base import ProfileEncoder
    from casetrack.store.workspace import Workspace

LOCK_SECONDS = -1.0
"""Timeout for other writers after the models have run: infinite."""
_KEPT_TOGETHER = 64
_GROUP_CHUNKS = 1024
_GROUP_DOCUMENTS = 200
_SIZE = attrgetter("chunk_count")


Item = TypeVar("Item")


class _Cancelled(Exception):
    """Raised after the user cancelled."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Model outputs of a run, kept in files until they are stored."""

    shared: SharedPass
    store: rewrite.Stage

    @property
    def steps(self) -> frozenset[str]:
        """Names of these steps."""
        return frozenset(step.contract.name for step in self.shared.steps)


@dataclass(frozen=True, slots=True)
class Reindex:
    """One run over the stored chunks of a collection, or of the documents *only*."""

    workspace: Workspace
    info: CollectionInfo
    pipeline: Pipeline
    encoder: ProfileEncoder
    force: bool
    tell: Callable[[str, int, int], None]
    cancel: threading.Event
    only: frozenset[str] | None = None

    @property
    def folder(self) -> Path:
        """The collection's folder."""
        return self.workspace.folder

    def run(self) -> ReindexReport:
        """Recompute stale documents.

        Raises
        ------
        CollectionBusy, JobStopped
            Another reindex has changed the profile, or the run was cancelled while it waited.
        DiskFull, NotWritable, StorageError, ModelError
            The run cannot continue; its outputs are kept for the next one.
        """
        started = time.perf_counter()
        with rewrite.rewriting(self.folder, timeout=LOCK_SECONDS, cancel=self.cancel):
            before = open_snapshot(self.folder)
            self._check_profile(before)
            if self.only is not None:
                self._check_models(before)
            stale = self._stale(before)
            # Leftovers of a killed run are repaired even if nothing is stale any more.
            leftover = self.only is None and rewrite.is_unfinished(self.folder)
            if not stale and not leftover and not self._changes_profile(before):
                return self._report(started, before, before, [], 0)
            stage = self._stage(stale)
            begun, done = len(stage.store), list[Document]()
            cancelled = False
            try:
                with one_thread_each():
                    self._embed(before, stale, stage)
                self._store_outputs(stage, {s.document.revision for s in stale}, done)
            except (_Cancelled, JobStopped):
                cancelled = True
            embedded = len(stage.store) - begun
            # A stopped run over the whole collection still needs its outputs.
            if not cancelled and (self.only is None or not begun):
                stage.store.clear()
        report = self._report(started, before, open_snapshot(self.folder), done, embedded)
        return replace(report, cancelled=cancelled)

    def _check_profile(self, snapshot: Snapshot) -> None:
        """Refuse to revert the choice of another run since this one was prepared."""
        before = self.info.profile, self.info.dimension
        is_known = (snapshot.profile, snapshot.dimension) == before
        if not is_known and changes_profile(snapshot, self.encoder):
            raise CollectionBusy(
                f'Another process has meanwhile changed the profile of "{self.info.name}" from '
                f"{self.info.profile} to {snapshot.profile}. Nothing was reindexed.",
                hint="Run the same command again.",
            )

    def _check_models(self, snapshot: Snapshot) -> None:
        if changes_profile(snapshot, self.encoder):
            raise UsageError(
                f'The models of "{self.info.name}" have changed since it was created, so its '
                "documents cannot be reindexed one by one.",
                hint="Reindex the whole collection with "
                f"{See('reindex', c=shlex.quote(self.info.name))}.",
            )

    def _report(
        self,
        started: float,
        before: Snapshot,
        after: Snapshot,
        done: Sequence[Document],
        embedded: int,
    ) -> ReindexReport:
        return ReindexReport(
            collection=self.info.name,
            profile=after.profile,
            previous_profile=before.profile,
            dimension=after.dimension,
            documents=len(done),
            chunks=sum(d.chunk_count for d in done),
            other_documents=len(after.documents) - len(done),
            embedded=embedded,
            seconds=time.perf_counter() - started,
        )

    def _changes_profile(self, snapshot: Snapshot) -> bool:
        return changes_profile(snapshot, self.encoder)

    def _stale(self, snapshot: Snapshot) -> list[StaleDocument]:
        if self.force:
            documents = all_documents(snapshot, self.pipeline)
        else:
            documents = stale_documents(snapshot, self.pipeline, self.encoder)
        return [s for s in documents if self.only is None or s.document.document_id in self.only]

    def _stage(self, stale: Sequence[StaleDocument]) -> Stage:
        """Return the storage for outputs of the models that have work."""
        wanted = frozenset[str]().union(*(s.steps for s in stale))
        steps = [s for s in self.pipeline.encoding_steps if s.contract.name in wanted]
        parts = [self.pipeline.parts[s.contract.name] for s in steps]
        facts = (parts, self.encoder.fingerprint, self.encoder.dimension)
        store = rewrite.Stage(
            self.folder,
            hashlib.sha256(repr(facts).encode()).hexdigest()[:16],
            [name for step in steps for name in step.contract.adds],
            self.encoder.dimension,
            alone=self.only is None,
        )
        return Stage(self.pipeline.shared_pass(steps), store)

    # --- the models ---------------------------------------------------------------------------

    def _embed(self, snapshot: Snapshot, stale: Sequence[StaleDocument], stage: Stage) -> None:
        """Run the models on all texts that they have not read yet."""
        names = stage.steps
        asked = {s.document.document_id: s for s in stale if s.steps & names}
        documents = [s.document for s in asked.values()]
        total, done = sum(d.chunk_count for d in documents), 0
        if total:
            self.tell("embedding", done, total)
        for group in in_batches(documents, _SIZE, _GROUP_CHUNKS, _GROUP_DOCUMENTS):
            table = unread_rows(snapshot, [asked[d.document_id] for d in group], CONTEXT_COLUMNS)
            done += sum(d.chunk_count for d in group) - table.num_rows
            fresh = {key: text for key, text in keyed(table) if key not in stage.store}
            done += table.num_rows - len(fresh)
            for part in _parts(list(fresh.items()), _KEPT_TOGETHER):
                self._check_cancel()
                with collect_failures():  # rows without values name the documents
                    rows = list(stage.shared.read([text for _, text in part]))
                self._check_lengths(rows)
                columns = {name: [row[name] for row in rows] for name in rows[0]}
                stage.store.add(columns, [key for key, _ in part])
                done += len(part)
                self.tell("embedding", done, total)

    def _check_lengths(self, rows: Iterable[dict[str, Any]]) -> None:
        encoder = self.encoder
        for row in rows:
            if row.get("dense") is not None and len(row["dense"]) != encoder.dimension:
                raise ModelError(
                    f'The models of the profile "{encoder.name}" returned a vector '
                    f"with {len(row['dense'])} dimensions instead of {encoder.dimension}. Nothing "
                    "was changed.",
                    hint="Check the model and its dimensions in config.toml, then run the same "
                    "command again.",
                )

    # --- storing --------------------------------------------------------------------------------

    def _store_outputs(self, stage: Stage, read: set[str], done: list[Document]) -> None:
        """Store the outputs; *done* gets the ids of the documents, *read* the model inputs."""
        self._check_cancel()
        stopped = False
        with write_session(self.folder, timeout=LOCK_SECONDS, cancel=self.cancel) as session:
            snapshot = open_snapshot(self.folder)
            # Other processes may have added documents meanwhile. Those that need other models than
            # those of this run stay stale for the next one.
            others = {s.contract.name for s in self.pipeline.encoding_steps} - stage.steps
            stale = [s for s in self._stale(snapshot) if not s.steps & others]
            try:
                added = [s for s in stale if s.document.revision not in read]
                self._embed(snapshot, added, stage)
                if self._changes_profile(snapshot):
                    self._replace_all(snapshot, stale, stage, session)
                    done += [s.document for s in stale]
                else:
                    self._replace_each(snapshot, stale, stage, session, done)
            except _Cancelled:
                stopped = True
            session.commit()
            rewrite.settle(self.folder)
            self.workspace.catch_up()
        if stopped:
            raise _Cancelled

    def _replace_all(
        self,
        snapshot: Snapshot,
        stale: Sequence[StaleDocument],
        stage: Stage,
        session: WriteSession,
    ) -> None:

        encoder = self.encoder
        by_id = {s.document.document_id: s for s in stale}
        documents = [s.document for s in stale]
        counts = {d.revision: SpanCounts() for d in documents}
        failures: dict[str, Failures] = {}

        def batches() -> Iterator[pa.RecordBatch]:
            done, total = 0, sum(d.chunk_count for d in documents)
            for group in in_batches(documents, _SIZE, _GROUP_CHUNKS, _GROUP_DOCUMENTS):
                self._check_cancel()
                chosen = [by_id[d.document_id] for d in group]
                table = derived_rows(snapshot, chosen, self.pipeline, stage.store, failures)
                for document in group:
                    own = pc.equal(table["revision"], document.revision)
                    counts[document.revision].add(table.filter(own))
                yield from table.to_batches()
                done += sum(d.chunk_count for d in group)
                self.tell("storing", done, total)

        rewrite.swap(self.folder, batches(), profile=encoder.name, dimension=encoder.dimension)
        captions = captions_of(snapshot, documents)
        for each in stale:
            own = each.document.revision
            fresh = self._renewed(each.document, own, counts[own])
            caption = self._captioned(each, captions[own], failures.get(own))
            session.finish(replace(fresh, **caption))

    def _replace_each(
        self,
        snapshot: Snapshot,
        stale: Sequence[StaleDocument],
        stage: Stage,
        session: WriteSession,
        done: list[Document],
    ) -> None:

        stored, total = 0, sum(s.document.chunk_count for s in stale)
        for entry in stale:
            self._check_cancel()
            document = entry.document
            caption = captions_of(snapshot, [document])[document.revision]
            if entry.only_caption and has_columns(document, caption):
                # Nothing derived from it depends on more: its chunks stay unchanged.
                session.finish(replace(document, **self._captioned(entry, caption, None)))
                continue
            failures: dict[str, Failures] = {}
            table = derived_rows(snapshot, [entry], self.pipeline, stage.store, failures)
            revision = session.new_revision()
            session.append(with_column(table, "revision", [revision] * table.num_rows))
            counts = SpanCounts()
            counts.add(table)
            caption = self._captioned(entry, caption, failures.get(document.revision))
            fresh = replace(self._renewed(document, revision, counts), **caption)
            session.finish(fresh, replaces=document.revision)
            done.append(document)
            stored += document.chunk_count
            self.tell("storing", stored, total)

    def _captioned(
        self, entry: StaleDocument, caption: dict[str, Any], failures: Failures | None
    ) -> dict[str, Any]:
        """Return the legal columns, and the failures of the steps of this run only."""
        failures = failures or Failures()
        if caption["caption_reader"] is None:
            failures.add("caption", "document")
        kept = [
            failure
            for failure in entry.document.failures
            if failure.stage not in entry.steps and failure.extractor != "caption"
        ]
        listed = entry.document.with_failures((*kept, *failures.all()))
        return caption | {"missing": listed.missing, "failures": listed.failures}

    def _renewed(self, document: Document, revision: str, counts: SpanCounts) -> Document:
        fingerprint = self.pipeline.fingerprint_after(document.pipeline_fingerprint)
        return replace(
            document,
            revision=revision,
            pipeline_fingerprint=fingerprint,
            entity_count=counts.entity_count,
            reference_count=counts.reference_count,
            warnings=without_unread(document.warnings),
        )

    def _check_cancel(self) -> None:
        if self.cancel.is_set():
            raise _Cancelled


def _parts(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def prepare(
    workspace: Workspace,
    profile: str | None,
    /,
    *,
    force: bool,
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
    only: frozenset[str] | None = None,
) -> Reindex:
    """Return a prepared run with loaded models; *profile* ``None`` keeps the collection's."""
    info, encoders = workspace.info, workspace.encoders
    require_active(info)
    wanted = profile.strip().lower() if profile else info.profile
    if wanted != info.profile:
        find_profile(wanted)
    chosen = encoders.get(wanted)
    tools = Tools(None, chosen, chosen.dimension, encoders.names(chosen.name))
    pipeline = load_pipeline(info.pipeline, tools, folder=workspace.folder)
    return Reindex(workspace, info, pipeline, chosen, force, tell, cancel, only)
