"""Ray Data: all machines read blocks of orders, and the results return to the writer.

Tasks read files; actors load the models once and finish the documents. Ray repeats the work of a
process that ends; a block that still fails is omitted, and the writer detects the missing orders.
"""

from __future__ import annotations

import contextlib
import functools
import platform
import queue
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CaseTrackError, ClusterDiffers, FileError
from casetrack.base.machine import one_thread_each
from casetrack.cluster.ingest.work import (
    Draft,
    FileFactsResult,
    Order,
    Work,
    block_of,
    bodies_of,
    kit_of,
)
from casetrack.ingest.assemble import Tally
from casetrack.ingest.build import DocumentBuilder, file_errors, with_chunks
from casetrack.ingest.messages import Done
from casetrack.ingest.outcomes import Reservation, failure, success
from casetrack.ingest.plan import Job, file_facts
from casetrack.ingest.reading import FileReader
from casetrack.ingest.staleness import outputs_of
from casetrack.ingest.steps.base import collect_failures
from casetrack.parse.workers.messages import pack_error
from casetrack.store.commits import packed, rows_of_chunks, write_files
from casetrack.store.scratch import working_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import TypeAlias

    import pyarrow as pa

    from casetrack.base.records import Document
    from casetrack.cluster.ingest.run import PlannerProxy
    from casetrack.cluster.ingest.work import Kit
    from casetrack.ingest.build import Sheet
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.messages import Message
    from casetrack.ingest.pipeline.chain import Stage
    from casetrack.ingest.plan import IngestPlanner
    from casetrack.ingest.steps.base import Batches
    from casetrack.keep.sources.base import Source

    Planner: TypeAlias = IngestPlanner | PlannerProxy

# Functions that processes of a cluster apply to a block of files: read, then finish and write. Each
# takes one table; Ray Data calls them one after the other. A failed file is reported as usual. A
# process that ends loses its block, which is repeated: nothing is visible until the writer commits
# it.


# --- facts --------------------------------------------------------------------------------------


def find_facts(block: pa.Table, recipe: bytes) -> pa.Table:
    """Compute the facts of the files in a block of orders, or the error of each."""
    source = kit_of(recipe, None).recipe.source
    return block_of(facts_of(order, source) for order in bodies_of(block, Order))


def facts_of(order: Order, source: Source | None = None, /) -> FileFactsResult:
    """Compute the facts of the file of an order, downloaded from *source* if necessary."""
    number = order.found.place[0]
    with working_folder() as spool:
        file = _fetched(order, source, spool)
        try:
            if file.problem is not None:
                raise file.problem
            return FileFactsResult(number, file_facts(file.path))
        except CaseTrackError as error:
            return FileFactsResult(number, None, failure(file, error, 0.0))


# --- reading -----------------------------------------------------------------------------------


def read_files(block: pa.Table, recipe: bytes, planner: Planner | None = None) -> pa.Table:
    """Read the files in a block of orders, up to the first stage with a model."""
    kit = kit_of(recipe, None)
    if kit.pipeline.fingerprint != kit.recipe.fingerprint:
        return block_of([Work(0, problem=pack_error(_other_models()))])
    with one_thread_each():
        works = [_read(kit, order, planner) for order in bodies_of(block, Order)]
        return block_of(works if kit.parts[1] else _written(kit, works))


def _other_models() -> ClusterDiffers:
    return ClusterDiffers(
        f"The machine {platform.node()} of the cluster has other models or packages than the "
        "computer that started the work.",
        hint="Install the same everywhere, then run the same command again to continue.",
    )


def _read(kit: Kit, order: Order, planner: Planner | None) -> Work:
    work = Work(order.found.place[0])
    desk = _JobSource(order, planner, work.messages)
    taker = _Drafter(
        kit.folder,
        kit.pipeline,
        kit.recipe.options,
        kit.read_with,
        outputs=lambda _: {},
        on_pages=desk.count_pages,
        on_chunks=lambda _: None,
        part=kit.parts[0],
        drafts=work.drafts,
    )
    with working_folder() as spool:
        file = _fetched(order, kit.recipe.source, spool)
        depth = kit.reading.limits.attachment_depth
        try:
            FileReader(desk, taker, spool, depth, lambda _: None).read(file)
        except CaseTrackError as error:
            work.problem = pack_error(error)
    work.pages = desk.pages
    kit.remove_copies()
    return work


def _fetched(order: Order, source: Source | None, spool: Path) -> FoundFile:
    """Return the file of an order with its path on this machine."""
    file = order.found
    if order.item is None or source is None or file.origin is None:
        return file
    target = spool / "fetched" / file.origin.name
    target.parent.mkdir()
    try:
        source.fetch(order.item, target)
    except CaseTrackError as error:
        return replace(file, problem=error)
    return replace(file, path=target)


@dataclass(slots=True)
class _JobSource:
    """Answers the file reader on a machine of the cluster."""

    order: Order
    planner: Planner | None
    messages: list[Message]
    pages: int = 0
    inside: int = 0
    is_cancelled: bool = False
    is_aborted: bool = False

    def begin(self, file: FoundFile, /) -> tuple[Job, str] | str:
        order = self.order
        facts = (file.parent is None and order.facts) or file_facts(file.path)
        if file.parent is None:
            job = Job(file.path, file.shown, facts, order.document_id, order.previous)
            return job, order.revision
        self.inside += 1
        revision = f"{order.revision}-{self.inside:03d}"
        if self.planner is None:
            return Job(file.path, file.shown, facts, _new_id(), None), revision
        answer = self.planner.settle(file, facts)
        return answer if isinstance(answer, str) else (answer, revision)

    def removed_attachments(self, job: Job, /, *, but: Collection[str]) -> list[Document]:
        return [] if self.planner is None else self.planner.removed_attachments(job, but=but)

    def reserve(self) -> AbstractContextManager[Reservation | None]:
        return nullcontext(Reservation())  # The writer has reserved it.

    def put(self, message: Message, /) -> None:
        self.messages.append(message)

    def count_pages(self, pages: int) -> None:
        self.pages += pages


def _new_id() -> str:
    import uuid

    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class _Drafter(DocumentBuilder):
    """Builds documents up to the first stage with a model: stages *part*, results in *drafts*."""

    part: tuple[Stage, ...] = ()
    drafts: dict[str, Draft] = field(default_factory=dict)

    def make_chunks(self, sheet: Sheet, pages: Batches, tally: Tally, /) -> None:
        batches = self.pipeline.source.name_pages(
            sheet.job.document_id, pages, name=sheet.name, title=sheet.title
        )
        for stage in self.part:
            batches = self.pipeline.through(stage, batches)
        draft = Draft(sheet, list(batches))
        tally.chunks = sum(batch.num_rows for batch in draft.batches)
        self.drafts[sheet.revision] = draft


# --- models --------------------------------------------------------------------------------------


class Finisher:
    """A process with loaded models that completes documents; *sessions* run in parallel."""

    def __init__(self, recipe: bytes, sessions: int) -> None:
        self._kit = functools.partial(kit_of, recipe, sessions)
        self._lock = threading.Lock()

    def __call__(self, block: pa.Table) -> pa.Table:
        """Complete and write the documents of a block; calls may run in parallel."""
        with self._lock:
            kit = self._kit()
        works = list(bodies_of(block, Work))
        with one_thread_each():
            for work in works:
                for draft in list(work.drafts.values()):
                    _guarded(work, draft, lambda draft=draft: _through(kit, draft))
            return block_of(_written(kit, works))


def _through(kit: Kit, draft: Draft) -> None:
    batches: Batches = iter(draft.batches)
    known = kit.known(draft.sheet.job.previous)
    for stage in kit.parts[1]:
        batches = kit.pipeline.through(stage, batches, known)
    with collect_failures(draft.sheet.job.shown) as draft.failures:
        draft.batches = list(batches)


def _guarded(work: Work, draft: Draft, do: Any) -> None:
    """Process a document; if that fails, only its file fails."""
    sheet = draft.sheet
    try:
        with file_errors(sheet.job.shown):
            do()
    except FileError as error:
        del work.drafts[sheet.revision]
        work.messages = [_failed(each, sheet, error) for each in work.messages]
    except CaseTrackError as error:
        work.problem = work.problem or pack_error(error)


def _failed(message: Message, sheet: Sheet, error: CaseTrackError) -> Message:
    """Return a message after a document has failed: its failure, or the missing attachment."""
    if not isinstance(message, Done) or message.document is None:
        return message
    if message.revision == sheet.revision:
        outcome = failure(sheet.file, error, message.outcome.seconds)
        return Done(outcome, message.place, revision=message.revision)
    parent = sheet.file.parent
    if parent is None or message.document.document_id != parent.document_id:
        return message
    missing = (*message.document.missing, f'The attachment "{parent.name}" could not be read.')
    outcome = replace(message.outcome, status="partial", message=" ".join(missing))
    return replace(message, outcome=outcome, document=replace(message.document, missing=missing))


def _written(kit: Kit, works: Iterable[Work]) -> list[Work]:
    """Write the chunks of completed documents, and complete the messages for the writer."""
    works, tables = list(works), list[Any]()
    dimension = kit.recipe.dimension
    for work in works:
        for draft in list(work.drafts.values()):
            made: list[Any] = []
            tally = Tally(sum(outputs_of(kit.pipeline).values(), ()))

            def seal(draft: Draft = draft, made: list[Any] = made, tally: Tally = tally) -> None:
                batches = kit.pipeline.completed(iter(draft.batches))
                made.extend(
                    rows_of_chunks(chunks, dimension)
                    for chunks in draft.sheet.sealed(batches, tally)
                )

            _guarded(work, draft, seal)
            if work.drafts.pop(draft.sheet.revision, None) is not None:
                tables += made
                work.messages = [_completed(message, draft, tally) for message in work.messages]
    if tables and not any(work.problem for work in works):
        try:
            works[0].files = packed(write_files(kit.folder, tables))
            works[0].rows = sum(table.num_rows for table in tables)
        except CaseTrackError as error:
            works[0].problem = pack_error(error)
    return works


def _completed(message: Message, draft: Draft, tally: Tally) -> Message:
    own = draft.sheet.revision
    if not isinstance(message, Done) or message.document is None or message.revision != own:
        return message
    document = with_chunks(message.document, tally, draft.failures)
    outcome = success(document, draft.sheet.job, message.outcome.seconds)
    return replace(message, document=document, outcome=outcome)


_POLL_SECONDS = 0.2
_PATIENCE = 2.0
_SILENCE = 20.0
"""Seconds without results after which the connection to the cluster is checked."""
_TASK_CPUS = 0.5
"""Small for tasks and models, so that a cluster of one processor can still read."""
_SESSIONS = 4
"""Maximum number of blocks that one process of models completes in parallel."""
_RETRIES = 2


@dataclass(frozen=True, slots=True)
class Engine:
    """Runs orders by a packed *recipe* on the connected cluster with *cpus* processors."""

    recipe: bytes
    has_models: bool
    cpus: float

    def facts(self, blocks: Sequence[pa.Table], /) -> Results:
        """Compute the facts of files; see :func:`casetrack.cluster.ingest.engine.find_facts`."""
        return Results(self._dataset(blocks, find_facts, recipe=self.recipe))

    def works(
        self, blocks: Sequence[pa.Table], planner: Planner | None, /, *, alone: bool
    ) -> Results:
        """Read files and write their chunks; *alone* gives each process at most one block."""
        data = self._dataset(blocks, read_files, recipe=self.recipe, planner=planner)
        return Results(self._finished(data, alone) if self.has_models else data)

    def _dataset(self, blocks: Sequence[pa.Table], work: Any, **given: object) -> Any:
        import ray.data

        with _settings():
            return ray.data.from_arrow(list(blocks)).map_batches(
                work,
                batch_format="pyarrow",
                batch_size=None,
                zero_copy_batch=True,
                fn_kwargs=given,
                num_cpus=self._share,
                compute=ray.data.TaskPoolStrategy(
                    max(1, int((self.cpus - self._models) / self._share))
                ),
            )

    @property
    def _share(self) -> float:
        """The share of a processor that each task and each process of models reserves."""
        return _TASK_CPUS if self.cpus > 1 else _TASK_CPUS / 2

    @property
    def _models(self) -> int:
        """Maximum number of processes of models."""
        return max(1, int(self.cpus) // _SESSIONS)

    def _finished(self, data: Any, alone: bool) -> Any:
        from ray.data import ActorPoolStrategy

        sessions = min(_SESSIONS, max(1, int(self.cpus)))
        blocks = 1 if alone else sessions
        return data.map_batches(
            Finisher,
            batch_format="pyarrow",
            batch_size=None,
            zero_copy_batch=True,
            fn_constructor_args=(self.recipe, sessions),
            compute=ActorPoolStrategy(
                min_size=1,
                max_size=self._models,
                max_tasks_in_flight_per_actor=1 if alone else 2 * blocks,
                max_concurrent_calls_per_actor=blocks,
                enable_true_multi_threading=True,
            ),
            num_cpus=self._share,
            ray_remote_args_fn=_actor_options,
        )


def _actor_options() -> dict[str, Any]:
    """Return the restart options of a process of models, which then repeats its work."""
    return {"max_restarts": -1, "max_task_retries": _RETRIES}


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Set the options of Ray Data for a block of code only."""
    from ray.data import DataContext

    before = DataContext.get_current()
    own = before.copy()
    own.enable_progress_bars = False
    # One file stays in one block, and the writer detects a lost block.
    own.target_max_block_size = None
    own.max_errored_blocks = -1
    DataContext._set_current(own)
    try:
        yield
    finally:
        DataContext._set_current(before)


def is_disconnected() -> bool:
    """Return whether the cluster has removed this machine, or has ended."""
    import ray

    own = ray.get_runtime_context().get_node_id()
    try:
        nodes = ray.nodes()
    except ray.exceptions.RayError:
        return True  # The process with the list of machines does not answer.
    return any(node["NodeID"] == own and not node["Alive"] for node in nodes)


class Results:
    """Tables of a dataset, received by a thread; *failure* is the reason of an early end."""

    def __init__(self, data: Any, /) -> None:
        self._data = data
        self._ready: queue.Queue[pa.Table | None] = queue.Queue(4)
        self._is_over = threading.Event()
        self.failure: Exception | None = None
        self._thread = threading.Thread(target=self._pull, name="casetrack-ray", daemon=True)

    def __enter__(self) -> Results:
        self._thread.start()
        return self

    def __exit__(self, *given: object) -> None:
        self._is_over.set()
        # The thread may wait for a file that takes minutes; its work ends with the connection, and
        # the result is discarded.
        self._thread.join(_PATIENCE)

    def __iter__(self) -> Iterator[pa.Table | None]:
        """Yield tables as they arrive, and ``None`` after a moment without one."""
        last = time.monotonic()
        while True:
            try:
                table = self._ready.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if time.monotonic() - last > _SILENCE:
                    if is_disconnected():
                        # Otherwise Ray asks forever without an answer.
                        self.failure = ConnectionError("this machine has left the cluster")
                        return
                    last = time.monotonic()
                yield None
                continue
            if table is None:
                return
            last = time.monotonic()
            yield table

    def _pull(self) -> None:
        tables = iter(
            self._data.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
        )
        try:
            for table in tables:
                self._put(table)
                if self._is_over.is_set():
                    break
        except Exception as error:  # noqa: BLE001 - reported to the caller
            self.failure = error
        finally:
            with contextlib.suppress(AttributeError):
                tables.close()
            self._put(None)

    def _put(self, table: pa.Table | None) -> None:
        while not self._is_over.is_set():
            with contextlib.suppress(queue.Full):
                self._ready.put(table, timeout=_POLL_SECONDS)
                return
