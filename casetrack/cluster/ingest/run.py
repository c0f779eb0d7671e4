"""One batch on a cluster: planned and recorded here, read there, document by document.

Files are read in rounds. A file whose process ended is read again alone; if it ends its process
each time, only this file fails. Files without an outcome are repeated, committed ones are not.
"""

from __future__ import annotations

import os
import pickle
import uuid
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base import errors
from casetrack.base.groups import in_batches
from casetrack.base.records import Document, FileOutcome, IngestProgress
from casetrack.cluster.ingest.engine import Engine, Results, facts_of
from casetrack.cluster.ingest.work import FileFactsResult, Order, Work, block_of, bodies_of
from casetrack.ingest.messages import Done, Repeat
from casetrack.ingest.outcomes import cancelled_outcome, failure
from casetrack.ingest.reading import Recorder
from casetrack.parse.archive import ArchiveReader
from casetrack.parse.workers.messages import unpack_error

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterator, Sequence

    import pyarrow as pa

    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.plan import FileFacts, IngestPlanner, Job
    from casetrack.keep.sources.base import Item
    from casetrack.store.session import WriteSession

# One process of the cluster decides on attached files; all others ask it.

Known = tuple[str, str, str, str | None]
"""Arguments of :class:`~casetrack.base.errors.DuplicateDocument`."""


class PlannerActor:
    """Decides on attached files as an actor; *planner* is the packed planner of the batch."""

    def __init__(self, planner: bytes) -> None:
        self._planner: IngestPlanner = pickle.loads(planner)  # noqa: S301 - from this program

    def settle(self, file: FoundFile, facts: FileFacts) -> Job | str | Known:
        """Return the job, the path of another file with the content, or a known duplicate."""
        try:
            return self._planner.settle(file, facts)
        except errors.DuplicateDocument as error:
            return file.shown, error.document_name, error.document_id, error.known_path

    def removed_attachments(self, job: Job, but: Collection[str]) -> list[Document]:
        """Return the former attachments of a file."""
        return self._planner.removed_attachments(job, but=but)


class PlannerProxy:
    """A planner that asks a :class:`PlannerActor`."""

    def __init__(self, actor: Any, /) -> None:
        self._actor = actor

    def settle(self, file: FoundFile, facts: FileFacts, /) -> Job | str:
        """Return the job of an attached file; raise ``DuplicateDocument`` for a known one."""
        import ray

        answer: Any = ray.get(self._actor.settle.remote(file, facts))
        if isinstance(answer, tuple):
            raise errors.DuplicateDocument(*answer)
        known: Job | str = answer
        return known

    def removed_attachments(self, job: Job, /, *, but: Collection[str]) -> list[Document]:
        """Return the former attachments of a file."""
        import ray

        documents: list[Document] = ray.get(self._actor.removed_attachments.remote(job, set(but)))
        return documents


def start(planner: IngestPlanner, /) -> PlannerProxy:
    """Start the actor, which ends when no process refers to it."""
    import ray

    actor = ray.remote(num_cpus=0, max_restarts=2)(PlannerActor)
    return PlannerProxy(actor.remote(pickle.dumps(planner)))


_TRIES = 3
"""Maximum number of attempts for a file whose process ends."""
_BLOCK_FILES, _BLOCK_BYTES = 8, 4 * 2**20
"""Maximum size of one task: larger tasks cost less, smaller ones repeat less work."""
_BLOCKS_PER_CPU = 4
_CONTAINERS = frozenset({".eml", ".msg", *ArchiveReader.extensions})
"""Files with attachments, which are often equal."""


@dataclass(slots=True)
class ClusterRun:
    """A batch under the write lock.

    *documents* are those before the batch. *allow* raises ``FreeTierLimit`` for a number of
    documents, of which the collection has *held*. *items* and *known* are source items and facts of
    files to download, by path. *sees_all* means that this machine is the whole cluster and computes
    facts itself.
    """

    folder: Path
    session: WriteSession
    planner: IngestPlanner
    documents: Sequence[Document]
    engine: Engine
    allow: Callable[[int], None]
    held: int
    force: bool
    items: dict[str, Item]
    known: dict[str, FileFacts]
    sees_all: bool
    cancel: threading.Event
    progress: Callable[[IngestProgress], None] | None = None
    _recorder: Recorder = field(init=False)
    _idle: int = 0  # Consecutive rounds without a result.
    _total: int = 0
    _pages: int = 0
    _chunks: int = 0
    _current: str = ""

    def __post_init__(self) -> None:
        self._recorder = Recorder(self.folder, self.session, force=self.force)

    def ingest(self, files: Sequence[FoundFile], /) -> list[FileOutcome]:
        """Ingest files; return their outcomes in the order of the files.

        Raises
        ------
        StorageError, ModelError
            The batch cannot continue; committed documents are kept.
        ClusterFailed
            The cluster returns nothing.
        """
        placed = [replace(file, place=(n,)) for n, file in enumerate(files)]
        self._total = len(placed)
        self.session.open_for_workers()
        pending = self._planned(placed)
        tries = dict.fromkeys(pending, 0)
        while pending and not self.cancel.is_set():
            orders = self._admitted(pending)
            why = self._round(orders, pending, alone=any(tries[o.found.place[0]] for o in orders))
            if self._idle:
                continue
            for order in orders:
                number = order.found.place[0]
                tries[number] += number in pending
                if tries[number] == _TRIES and not self.cancel.is_set():
                    del pending[number]
                    self._fail(order, why)
        for order in pending.values():
            file = order.found
            self._recorder.record(Done(cancelled_outcome(file.shown), file.place))
        self._report_progress()
        self.session.commit()
        return self._recorder.outcomes()

    # --- planning -----------------------------------------------------------------------------

    def _planned(self, files: Sequence[FoundFile]) -> dict[int, Order]:
        """Return the orders by number; record files that need none."""
        wanted = []
        for file in files:
            if file.problem is None:
                wanted.append(file)
            else:
                self._refuse(file, file.problem)
        facts = self._facts(wanted)
        orders: dict[int, Order] = {}
        for file in wanted:
            number = file.place[0]
            if self.cancel.is_set():
                self._recorder.record(Done(cancelled_outcome(file.shown), file.place))
            elif number not in facts:
                orders[number] = self._order(file, str(uuid.uuid4()), None, None)
            elif (known := facts[number]).facts is None:
                if known.outcome is not None:
                    self._recorder.record(Done(known.outcome, file.place))
            else:
                try:
                    job = self.planner.settle(file, known.facts)
                except (errors.DuplicateDocument, errors.FileError) as error:
                    self._refuse(file, error)
                    continue
                if isinstance(job, str):
                    self._recorder.record(Repeat(file.shown, job, file.place))
                else:
                    orders[number] = self._order(file, job.document_id, job.previous, job.facts)
        return orders

    def _order(
        self, file: FoundFile, document_id: str, previous: Document | None, facts: FileFacts | None
    ) -> Order:
        return Order(file, document_id, previous, "", facts, self.items.get(file.shown))

    def _refuse(self, file: FoundFile, error: errors.CaseTrackError) -> None:
        self._recorder.record(Done(failure(file, error, 0.0), file.place))

    def _facts(self, files: Sequence[FoundFile]) -> dict[int, FileFactsResult]:
        """Return the facts of files that may be known or equal, by their sizes and paths."""
        sizes = {file.place[0]: self._size(file) for file in files}
        seen = Counter(sizes.values())
        held = {document.file_size for document in self.documents}
        paths = {document.path for document in self.documents}
        asked = [
            file
            for file in files
            if (size := sizes[file.place[0]]) is None
            or seen[size] > 1
            or size in held
            or file.shown in paths
            or file.known_as
        ]
        facts = {
            file.place[0]: FileFactsResult(file.place[0], self.known[file.shown])
            for file in asked
            if file.shown in self.known
        }
        orders = [self._order(f, "", None, None) for f in asked if f.place[0] not in facts]
        if self.sees_all:
            local = [order for order in orders if order.item is None]
            facts |= {o.found.place[0]: facts_of(o) for o in self._until_cancelled(local)}
        for _ in range(_TRIES):
            left = [order for order in orders if order.found.place[0] not in facts]
            if not left or self.cancel.is_set():
                break
            with self.engine.facts(self._blocks(left, 64)) as results:
                for table in self._tables(results):
                    facts |= {result.number: result for result in bodies_of(table, FileFactsResult)}
        else:
            if any(order.found.place[0] not in facts for order in orders):
                raise errors.ClusterFailed("its processes end without an error", results.failure)
        return facts

    def _until_cancelled(self, orders: Sequence[Order]) -> Iterator[Order]:
        for order in orders:
            if self.cancel.is_set():
                return
            yield order

    def _size(self, file: FoundFile) -> int | None:
        item = self.items.get(file.shown)
        if item is not None:
            return item.size
        try:
            return os.stat(file.path).st_size  # noqa: PTH116 - of a million files
        except OSError:
            return None

    def _admitted(self, pending: dict[int, Order]) -> list[Order]:
        """Return the orders within the document limit; refuse the others."""
        orders, adding = list[Order](), 0
        for number, order in list(pending.items()):
            try:
                if order.previous is None:
                    self.allow(self.held + adding)
            except errors.FreeTierLimit as error:
                if not adding:
                    del pending[number]
                    self._refuse(order.found, error)
                continue  # An earlier one may still fail.
            adding += order.previous is None
            orders.append(replace(order, revision=self.session.new_revision()))
        return orders

    # --- reading ------------------------------------------------------------------------------

    def _round(
        self, orders: list[Order], pending: dict[int, Order], *, alone: bool
    ) -> Exception | None:
        """Read files and record the results; return the reason of an early end, if known."""
        if not orders:
            return None
        came = 0
        blocks = self._blocks(orders, 1 if alone else _BLOCK_FILES)
        with self.engine.works(blocks, self._planner_proxy(orders), alone=alone) as results:
            for table in self._tables(results):
                for work in bodies_of(table, Work):
                    self._record(work, pending)
                    came += 1
        failure = results.failure
        self._idle = 0 if came or failure is None else self._idle + 1
        # On a busy cluster, processes may start too late once; this is no fault of the files.
        if self._idle > 1 or isinstance(failure, ConnectionError):
            self.session.commit()
            raise errors.ClusterFailed("nothing came back from it", failure) from failure
        return failure

    def _planner_proxy(self, orders: Sequence[Order]) -> PlannerProxy | None:
        """Start the process that decides on attachments, if there may be any."""
        holds = any(document.parent_id is not None for document in self.documents)
        if holds or any(Path(order.found.shown).suffix.lower() in _CONTAINERS for order in orders):
            return start(self.planner)
        return None

    def _blocks(self, orders: Sequence[Order], most: int) -> list[pa.Table]:
        """Divide orders into blocks of similar, limited size."""
        fair = len(orders) // int(max(1, self.engine.cpus) * _BLOCKS_PER_CPU)
        most = max(1, min(most, fair))
        blocks = in_batches(orders, lambda o: self._size(o.found) or 0, _BLOCK_BYTES, most)
        return [block_of(block) for block in blocks]

    def _tables(self, results: Results) -> Iterator[pa.Table]:
        """Yield tables as they arrive; report progress meanwhile."""
        for table in results:
            if table is not None:
                yield table
            self._report_progress()
            if self.cancel.is_set():
                return

    def _report_progress(self) -> None:
        if self.progress is not None:
            done = self._recorder.done
            moment = IngestProgress(done, self._total, self._current, self._pages, self._chunks)
            self.progress(moment)

    # --- recording ----------------------------------------------------------------------------

    def _record(self, work: Work, pending: dict[int, Order]) -> None:
        if work.problem is not None:
            raise unpack_error(work.problem, self.folder)
        if work.files:
            self.session.append_files(work.files, work.rows)
            self._chunks += work.rows
        order = pending.pop(work.number, None)
        if order is None:
            return
        self._pages += work.pages
        self._current = order.found.shown
        for message in work.messages:
            self._recorder.record(message)
            if isinstance(message, Done) and len(message.place) == 1:
                self.held += message.document is not None and message.replaces is None

    def _fail(self, order: Order, why: Exception | None) -> None:
        detail = f"{type(why).__name__}" if why is not None else f"{_TRIES} times without an error"
        self._refuse(order.found, errors.WorkerCrashed(order.found.shown, detail))
