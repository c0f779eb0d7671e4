"""Makes anew what is computed from the stored chunks: terms, vectors, names, a paper's caption.

No source file is touched: a row of ``chunks`` has everything that models and keyword search see.
Only the steps run that a document lacks or has otherwise: another tagger leaves the vectors alone.
First the models work, while everybody else may read and write; what they make is kept in files.
Then, under the write lock, it is brought in. With the same profile each document gets a new
revision of its own, as a changed file does. With another profile all chunks are replaced in one
commit (see :mod:`casetrack.store.rewrite`). Killed at any moment, every document is whole, all of
one profile, and the next run goes on with what is kept.
"""

from __future__ import annotations

import hashlib
import shlex
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.base.errors import CollectionBusy, JobStopped, ModelError, See, UsageError
from casetrack.base.machine import one_thread_each
from casetrack.base.models.profiles import find_profile
from casetrack.base.records import Document
from casetrack.base.records.snapshots import ReindexReport
from casetrack.ingest.assemble import SpanCounts, captions_of, says_the_same, without_unread
from casetrack.ingest.pipeline import Tools, load_pipeline
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
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS
from casetrack.store import rewrite
from casetrack.store.datasets import open_snapshot
from casetrack.store.info import require_active
from casetrack.store.session import write_session

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from casetrack.base.records import CollectionInfo
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.ingest.steps.encoding import SharedPass
    from casetrack.models.base import ProfileEncoder
    from casetrack.store.datasets import Snapshot
    from casetrack.store.session import WriteSession
    from casetrack.store.workspace import Workspace

LOCK_SECONDS = -1.0
"""How long other writers are waited for when everything is made: as long as it takes."""
_KEPT_TOGETHER = 64
_GROUP_CHUNKS = 1024
_GROUP_DOCUMENTS = 200


Item = TypeVar("Item")


class _Cancelled(Exception):
    """Raised where the user has asked to stop."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What the models make in a run, kept in files until it is brought in.

    Attributes
    ----------
    shared
        The steps of models that have something to do, over one pass.
    store
        What they have made.
    """

    shared: SharedPass
    store: rewrite.Stage

    @property
    def steps(self) -> frozenset[str]:
        """Names of these steps."""
        return frozenset(step.contract.name for step in self.shared.steps)


@dataclass(frozen=True, slots=True)
class Reindex:
    """One run over the stored chunks of a collection.

    Attributes
    ----------
    workspace
        The collection.
    info
        Its facts when the run was prepared.
    pipeline
        The collection's, with its models.
    encoder
        These models.
    force
        Make also what is not stale.
    only
        Ids of the documents to look at; ``None`` means all of them.
    tell
        Called with what is being done, how much is done, and of how much.
    cancel
        Set it to stop.
    """

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
        """Do what is stale.

        Raises
        ------
        CollectionBusy
            Another reindex, which was waited for, has changed the profile.
        JobStopped
            It was stopped while it waited for another reindex.
        DiskFull, NotWritable, StorageError, ModelError
            It cannot go on; what was made is kept for the next run.
        """
        started = time.perf_counter()
        with rewrite.rewriting(self.folder, timeout=LOCK_SECONDS, cancel=self.cancel):
            before = open_snapshot(self.folder)
            self._check_profile(before)
            if self.only is not None:
                self._check_models(before)
            stale = self._stale(before)
            # What a killed run has left is put right even where nothing is stale any more.
            leftover = self.only is None and rewrite.is_unfinished(self.folder)
            if not stale and not leftover and not self._changes_profile(before):
                return self._report(started, before, before, [], 0)
            stage = self._stage(stale)
            begun, done = len(stage.store), list[Document]()
            cancelled = False
            try:
                with one_thread_each():
                    self._embed(before, stale, stage)
                self._bring_in(stage, {s.document.revision for s in stale}, done)
            except (_Cancelled, JobStopped):
                cancelled = True
            embedded = len(stage.store) - begun
            # What a stopped run over the whole collection has made is still wanted by it.
            if not cancelled and (self.only is None or not begun):
                stage.store.clear()
        report = self._report(started, before, open_snapshot(self.folder), done, embedded)
        return replace(report, cancelled=cancelled)

    def _check_profile(self, snapshot: Snapshot) -> None:
        """Refuse to undo what another run has chosen since this one was prepared."""
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
                f'The models of "{self.info.name}" are others than when it was made, so its '
                "documents cannot be done one by one.",
                hint="Do the whole collection with "
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
            found = all_documents(snapshot, self.pipeline)
        else:
            found = stale_documents(snapshot, self.pipeline, self.encoder)
        return [s for s in found if self.only is None or s.document.document_id in self.only]

    def _stage(self, stale: Sequence[StaleDocument]) -> Stage:
        """Return what keeps the outputs of those models that have something to do."""
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
        """Let the models read what they have not read yet."""
        names = stage.steps
        asked = {s.document.document_id: s for s in stale if s.steps & names}
        documents = [s.document for s in asked.values()]
        total, done = sum(d.chunk_count for d in documents), 0
        if total:
            self.tell("embedding", done, total)
        for group in _groups(documents):
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
                    f'The models of the profile "{encoder.name}" made a vector of '
                    f"{len(row['dense'])} numbers, and {encoder.dimension} were expected. Nothing "
                    "was changed.",
                    hint="See that the model and its dimensions in config.toml are right, then run "
                    "the same command again.",
                )

    # --- bringing it in -----------------------------------------------------------------------

    def _bring_in(self, stage: Stage, read: set[str], done: list[Document]) -> None:
        """Store what was made; *done* tells which documents, *read* what models have seen."""
        self._check_cancel()
        stopped = False
        with write_session(self.folder, timeout=LOCK_SECONDS, cancel=self.cancel) as session:
            snapshot = open_snapshot(self.folder)
            # Others may have added something meanwhile. What needs other models than those that
            # this run has asked stays stale for the next one.
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
        import pyarrow.compute as pc

        encoder = self.encoder
        found = {s.document.document_id: s for s in stale}
        documents = [s.document for s in stale]
        counts = {d.revision: SpanCounts() for d in documents}
        failures: dict[str, Failures] = {}

        def batches() -> Iterator[pa.RecordBatch]:
            done, total = 0, sum(d.chunk_count for d in documents)
            for group in _groups(documents):
                self._check_cancel()
                chosen = [found[d.document_id] for d in group]
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
        import pyarrow as pa

        stored, total = 0, sum(s.document.chunk_count for s in stale)
        for found in stale:
            self._check_cancel()
            document = found.document
            caption = captions_of(snapshot, [document])[document.revision]
            if found.only_caption and says_the_same(document, caption):
                # Nothing that was made of it depends on more: its chunks stay as they are.
                session.finish(replace(document, **self._captioned(found, caption, None)))
                continue
            failures: dict[str, Failures] = {}
            table = derived_rows(snapshot, [found], self.pipeline, stage.store, failures)
            revision = session.new_revision()
            place = table.schema.get_field_index("revision")
            column = pa.array([revision] * table.num_rows, pa.string())
            session.append(table.set_column(place, table.schema.field(place), column))
            counts = SpanCounts()
            counts.add(table)
            caption = self._captioned(found, caption, failures.get(document.revision))
            fresh = replace(self._renewed(document, revision, counts), **caption)
            session.finish(fresh, replaces=document.revision)
            done.append(document)
            stored += document.chunk_count
            self.tell("storing", stored, total)

    def _captioned(
        self, found: StaleDocument, caption: dict[str, Any], failures: Failures | None
    ) -> dict[str, Any]:
        """Return the legal columns, and the failures of the steps of this run alone."""
        failures = failures or Failures()
        if caption["caption_reader"] is None:
            failures.add("caption", "document")
        kept = [
            failure
            for failure in found.document.failures
            if failure.stage not in found.steps and failure.extractor != "caption"
        ]
        told = found.document.with_failures((*kept, *failures.all()))
        return caption | {"missing": told.missing, "failures": told.failures}

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


def _groups(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Yield documents in groups of bounded size."""
    group: list[Document] = []
    chunks = 0
    for document in documents:
        if group and (
            chunks + document.chunk_count > _GROUP_CHUNKS or len(group) == _GROUP_DOCUMENTS
        ):
            yield group
            group, chunks = [], 0
        group.append(document)
        chunks += document.chunk_count
    if group:
        yield group


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
    """Return a run that is ready to begin: the profile is known, and its models are there.

    Parameters
    ----------
    workspace, force, tell, cancel, only
        See :class:`Reindex`.
    profile
        Whose models are wanted; ``None`` leaves it at the collection's.

    Raises
    ------
    CollectionReadOnly
        The collection is closed or archived; no model was started.
    UsageError
        There is no such profile.
    ModelNotFound, ModelError
        Its models are not installed, or cannot be used.
    """
    info, encoders = workspace.info, workspace.encoders
    require_active(info)
    wanted = profile.strip().lower() if profile else info.profile
    if wanted != info.profile:
        find_profile(wanted)
    chosen = encoders.get(wanted)
    tools = Tools(None, chosen, chosen.dimension, encoders.names(chosen.name))
    pipeline = load_pipeline(info.pipeline, tools, folder=workspace.folder)
    return Reindex(workspace, info, pipeline, chosen, force, tell, cancel, only)
