"""Makes anew what is computed from the stored chunks: terms, vectors, token matrices.

No source file is touched: a row of ``chunks`` has everything that models and keyword search see.
First the models work, while everybody else may read and write; what they make is kept in files.
Then, under the write lock, it is brought in. With the same profile each document gets a new
revision of its own, as a changed file does. With another profile all chunks are replaced in one
commit (see :mod:`casetrack.store.rewrite`). Killed at any moment, every document is whole, all of
one profile, and the next run goes on with what is kept.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack import schema
from casetrack.errors import ModelError
from casetrack.ingest.makers import Makers, encoder_before
from casetrack.ingest.memory import one_thread_each
from casetrack.ingest.reindexed import ReindexReport
from casetrack.models.profiles import find_profile
from casetrack.records import Document
from casetrack.steps.context import CONTEXT_COLUMNS
from casetrack.steps.embed import OUTPUTS, ContextText, embed
from casetrack.steps.extract import ExtractStep
from casetrack.steps.terms import TermsStep
from casetrack.store import rewrite
from casetrack.store.datasets import open_snapshot
from casetrack.store.session import write_session

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from casetrack.extract.finder import NameFinder
    from casetrack.models.base import ProfileEncoder
    from casetrack.records import CollectionInfo
    from casetrack.steps.embed import Outputs
    from casetrack.store.datasets import Snapshot
    from casetrack.store.session import WriteSession

LOCK_SECONDS = 600.0
"""How long other writers are waited for when everything is made."""
_KEPT_TOGETHER = 64
_GROUP_CHUNKS = 1024
_GROUP_DOCUMENTS = 200


Item = TypeVar("Item")


class _Cancelled(Exception):
    """Raised where the user has asked to stop."""


@dataclass(frozen=True, slots=True)
class Reindex:
    """One run over the stored chunks of a collection.

    Attributes
    ----------
    folder
        The collection's folder.
    info
        Its facts.
    makers
        What makes the derived columns.
    force
        Make also what is not stale.
    catch_up
        Called at the end, while the write lock is still held.
    tell
        Called with what is being done, how much is done, and of how much.
    cancel
        Set it to stop.
    """

    folder: Path
    info: CollectionInfo
    makers: Makers
    force: bool
    catch_up: Callable[[], None]
    tell: Callable[[str, int, int], None]
    cancel: threading.Event

    def run(self) -> ReindexReport:
        """Do what is stale.

        Raises
        ------
        CollectionBusy
            Another reindex is at work, or another process writes for longer than is waited.
        DiskFull, NotWritable, StorageError, ModelError
            It cannot go on; what was made is kept for the next run.
        """
        started = time.perf_counter()
        with rewrite.rewriting(self.folder):
            before = open_snapshot(self.folder)
            stale = self._stale(before)
            # What a killed run has left is put right even where nothing is stale any more.
            leftover = rewrite.is_unfinished(self.folder)
            if not stale and not leftover and not self._changes_profile(before):
                return self._report(started, before, before, [], 0)
            dimension = self.makers.encoder.dimension
            stage = rewrite.Stage(self.folder, self.makers.models, OUTPUTS, dimension)
            begun, done = len(stage), list[Document]()
            cancelled = False
            try:
                with one_thread_each():
                    self._embed(before, stale, stage)
                self._bring_in(stage, {d.revision for d in stale}, done)
            except _Cancelled:
                cancelled = True
            embedded = len(stage) - begun
            if not cancelled:
                stage.clear()
        report = self._report(started, before, open_snapshot(self.folder), done, embedded)
        return replace(report, cancelled=cancelled)

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
        now = self.makers.encoder.name, self.makers.encoder.dimension
        return (snapshot.profile, snapshot.dimension) != now

    def _stale(self, snapshot: Snapshot) -> list[Document]:
        documents = list(snapshot.documents.values())
        if self.force or self._changes_profile(snapshot):
            return documents
        lacking = self._lacking(snapshot)
        return [d for d in documents if not self.makers.is_fresh(d) or d.revision in lacking]

    def _lacking(self, snapshot: Snapshot) -> set[str]:
        """Return revisions with rows that lack an output of the present models."""
        encoder = self.makers.encoder
        needed = ["dense"]
        needed += ["tokens"] if encoder.token_width is not None else []
        needed += ["sparse_terms"] if encoder.has_sparse else []
        needed += ["mentions"] if self.makers.names else []
        found = snapshot.scan(["revision", "embedders"])
        pairs = zip(found["revision"].to_pylist(), found["embedders"].to_pylist(), strict=True)
        lacking = {revision for revision, names in pairs if encoder.fingerprint not in names}
        return lacking | snapshot.revisions_without(needed)

    # --- the models ---------------------------------------------------------------------------

    def _embed(
        self, snapshot: Snapshot, documents: Sequence[Document], stage: rewrite.Stage
    ) -> None:
        """Let the models read what they have not read yet."""
        total, done = sum(d.chunk_count for d in documents), 0
        if total:
            self.tell("embedding", done, total)
        for group in _groups(documents):
            table = snapshot.scan(CONTEXT_COLUMNS, revisions=[d.revision for d in group])
            fresh = {key: text for key, text in _keyed(table) if key not in stage}
            done += table.num_rows - len(fresh)
            for part in _parts(list(fresh.items()), _KEPT_TOGETHER):
                self._check_cancel()
                texts = [text for _, text in part]
                outputs = list(embed(texts, self.makers.encoder, {}, names=self.makers.names))
                self._check_lengths(outputs)
                columns = {name: [getattr(o, name) for o in outputs] for name in OUTPUTS}
                stage.add(columns, [key for key, _ in part])
                done += len(part)
                self.tell("embedding", done, total)

    def _check_lengths(self, outputs: Iterable[Outputs]) -> None:
        encoder = self.makers.encoder
        for output in outputs:
            if len(output.dense) != encoder.dimension:
                raise ModelError(
                    f'The models of the profile "{encoder.name}" made a vector of '
                    f"{len(output.dense)} numbers, and {encoder.dimension} were expected. Nothing "
                    "was changed.",
                    hint="See that the model and its dimensions in config.toml are right, then run "
                    "the same command again.",
                )

    # --- bringing it in -----------------------------------------------------------------------

    def _bring_in(self, stage: rewrite.Stage, read: set[str], done: list[Document]) -> None:
        """Store what was made; *done* tells which documents, *read* what models have seen."""
        self._check_cancel()
        stopped = False
        with write_session(self.folder, timeout=LOCK_SECONDS) as session:
            snapshot = open_snapshot(self.folder)
            stale = self._stale(snapshot)
            try:
                # Others may have added something meanwhile.
                self._embed(snapshot, [d for d in stale if d.revision not in read], stage)
                if self._changes_profile(snapshot):
                    self._replace_all(snapshot, stale, stage, session)
                    done += stale
                else:
                    self._replace_each(snapshot, stale, stage, session, done)
            except _Cancelled:
                stopped = True
            session.commit()
            rewrite.settle(self.folder)
            self.catch_up()
        if stopped:
            raise _Cancelled

    def _replace_all(
        self,
        snapshot: Snapshot,
        documents: Sequence[Document],
        stage: rewrite.Stage,
        session: WriteSession,
    ) -> None:
        encoder = self.makers.encoder

        def batches() -> Iterator[pa.RecordBatch]:
            done, total = 0, sum(d.chunk_count for d in documents)
            for group in _groups(documents):
                self._check_cancel()
                yield from self._remade(snapshot, group, stage).to_batches()
                done += sum(d.chunk_count for d in group)
                self.tell("storing", done, total)

        rewrite.swap(self.folder, batches(), profile=encoder.name, dimension=encoder.dimension)
        for document in documents:
            fingerprint = self.makers.fingerprint_of(document)
            session.finish(replace(document, pipeline_fingerprint=fingerprint))

    def _replace_each(
        self,
        snapshot: Snapshot,
        documents: Sequence[Document],
        stage: rewrite.Stage,
        session: WriteSession,
        done: list[Document],
    ) -> None:
        import pyarrow as pa

        stored, total = 0, sum(d.chunk_count for d in documents)
        for document in documents:
            self._check_cancel()
            table = self._remade(snapshot, [document], stage)
            revision = session.new_revision()
            place = table.schema.get_field_index("revision")
            column = pa.array([revision] * table.num_rows, pa.string())
            session.append(table.set_column(place, table.schema.field(place), column))
            fingerprint = self.makers.fingerprint_of(document)
            fresh = replace(document, revision=revision, pipeline_fingerprint=fingerprint)
            session.finish(fresh, replaces=document.revision)
            done.append(document)
            stored += document.chunk_count
            self.tell("storing", stored, total)

    def _remade(
        self, snapshot: Snapshot, documents: Sequence[Document], stage: rewrite.Stage
    ) -> pa.Table:
        """Return the rows of documents with their derived columns made anew."""
        import pyarrow as pa

        encoder = self.makers.encoder
        declared = schema.table("chunks")
        table = snapshot.scan(declared.names, revisions=[d.revision for d in documents])
        table = table.sort_by([("revision", "ascending"), ("chunk_index", "ascending")])
        layout = declared.arrow(dimension=encoder.dimension)
        if not table.num_rows:
            return layout.empty_table()
        context = table.select(list(CONTEXT_COLUMNS)).combine_chunks()
        terms = pa.Table.from_batches(TermsStep()(iter(context.to_batches())))
        made: dict[str, Any] = {name: terms[name] for name in TermsStep.contract.adds}
        made |= _extracted(table)
        outputs = stage.take([key for key, _ in _keyed(context)])
        made |= {name: outputs[name] for name in OUTPUTS}
        rows = table.num_rows
        made["embedders"] = pa.array([[encoder.fingerprint]] * rows, layout.field("embedders").type)
        now = datetime.now(UTC)
        made["embedded_at"] = pa.array([now] * rows, layout.field("embedded_at").type)
        columns = {name: made[name] if name in made else table[name] for name in layout.names}
        return pa.table(columns, schema=layout).combine_chunks()

    def _check_cancel(self) -> None:
        if self.cancel.is_set():
            raise _Cancelled


def _extracted(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """Return what the words alone tell; *table* holds documents one after the other, in order."""
    import pyarrow as pa

    step, made, seen = ExtractStep(), list[pa.RecordBatch](), 0
    revisions = table["revision"].to_pylist()
    needs = table.select(list(step.contract.needs)).combine_chunks()
    for _, rows in itertools.groupby(revisions):
        count = sum(1 for _ in rows)
        made += step(iter(needs.slice(seen, count).to_batches()))
        seen += count
    found = pa.Table.from_batches(made)
    return {name: found[name] for name in step.contract.adds}


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


def _keyed(table: pa.Table) -> list[tuple[bytes, ContextText]]:
    """Return what models see of each row, with a key that stands for it."""
    texts = [ContextText.of(row) for row in table.select(list(CONTEXT_COLUMNS)).to_pylist()]
    return [(_key(text), text) for text in texts]


def _key(text: ContextText) -> bytes:
    # The same characters may be divided in another way between the context and the text.
    data = f"{len(text.context)} {text.whole}".encode()
    return hashlib.blake2b(data, digest_size=16).digest()


def prepare(
    folder: Path,
    info: CollectionInfo,
    profile: str | None,
    /,
    *,
    encoder: Callable[[str], ProfileEncoder],
    find_names: Callable[[str], NameFinder | None],
    force: bool,
    catch_up: Callable[[], None],
    tell: Callable[[str, int, int], None],
    cancel: threading.Event,
) -> Reindex:
    """Return a run that is ready to begin: the profile is known, and its models are there.

    Parameters
    ----------
    folder, info, force, catch_up, tell, cancel
        See :class:`Reindex`.
    profile
        Whose models are wanted; ``None`` leaves it at the collection's.
    encoder
        Returns the models of a profile.
    find_names
        Returns what looks for names beside the models of a profile.

    Raises
    ------
    UsageError
        There is no such profile.
    ModelNotFound, ModelError
        Its models are not installed, or cannot be used.
    """
    wanted = profile.strip().lower() if profile else info.profile
    if wanted != info.profile:
        find_profile(wanted)
    chosen = encoder(wanted)
    before = encoder_before(info.profile, chosen, encoder)
    makers = Makers.of(info.pipeline, chosen, before, find_names)
    return Reindex(folder, info, makers, force, catch_up, tell, cancel)
