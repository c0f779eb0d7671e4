"""Ray Data: blocks of orders are read on all machines, and what is made of them comes back.

Tasks read; actors hold the models, which they load once, and finish what was read. What dies is
done again by Ray; a block that cannot be had in spite of that is left out, and the writer sees what
it lacks.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.cluster.ingest.stages import Finisher, find_facts, read_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from casetrack.cluster.ingest.stages import Planner

_POLL_SECONDS = 0.2
_PATIENCE = 2.0
_SILENCE = 20.0
"""After so many seconds without a word it is looked whether this machine still belongs to it."""
_TASK_CPUS = 0.5
"""A task waits for its reader process. Models ask for no more, though they take more: else a
cluster that shrinks to one processor had none left to read.
"""
_SESSIONS = 4
"""So many blocks one process of models finishes side by side, at most."""
_RETRIES = 2


@dataclass(frozen=True, slots=True)
class Engine:
    """What carries out orders on the cluster that this process is connected with.

    Attributes
    ----------
    recipe
        How files are read, packed.
    has_models
        Whether models work in it.
    cpus
        How many processors the cluster has.
    """

    recipe: bytes
    has_models: bool
    cpus: float

    def facts(self, blocks: Sequence[pa.Table], /) -> Results:
        """Find out the facts of files, see :func:`casetrack.cluster.ingest.stages.find_facts`."""
        return Results(self._dataset(blocks, find_facts, recipe=self.recipe))

    def works(
        self, blocks: Sequence[pa.Table], planner: Planner | None, /, *, alone: bool
    ) -> Results:
        """Read files and write their chunks, see :mod:`casetrack.cluster.ingest.stages`.

        *alone*: no process has two blocks, so that one which ends it takes no other along.
        """
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
        """The share of a processor that each task and each process of models asks for."""
        return _TASK_CPUS if self.cpus > 1 else _TASK_CPUS / 2

    @property
    def _models(self) -> int:
        """How many processes of models there are at most."""
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
            ray_remote_args_fn=_patience_of_actors,
        )


def _patience_of_actors() -> dict[str, Any]:
    """Return how often a process of models is started anew, and does what it was at again."""
    return {"max_restarts": -1, "max_task_retries": _RETRIES}


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Let what is made in the block run as it has to here; other users of Ray Data see nothing."""
    from ray.data import DataContext

    before = DataContext.get_current()
    own = before.copy()
    own.enable_progress_bars = False
    # What belongs to one file stays in one block, and a lost block is noticed by the writer.
    own.target_max_block_size = None
    own.max_errored_blocks = -1
    DataContext._set_current(own)
    try:
        yield
    finally:
        DataContext._set_current(before)


def is_cut_off() -> bool:
    """Whether the cluster takes the machine of this process for dead, or is gone itself."""
    import ray

    own = ray.get_runtime_context().get_node_id()
    try:
        nodes = ray.nodes()
    except ray.exceptions.RayError:
        return True  # who keeps the list of its machines does not answer
    return any(node["NodeID"] == own and not node["Alive"] for node in nodes)


class Results:
    """Tables that come out of a dataset; a thread waits for them, so that others need not.

    Parameters
    ----------
    data
        The dataset.

    Attributes
    ----------
    failure
        Why it ended early; ``None`` where it did not.
    """

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
        # It may be waiting for a file that takes minutes; what is under way ends with the
        # connection, and nobody takes what comes of it.
        self._thread.join(_PATIENCE)

    def __iter__(self) -> Iterator[pa.Table | None]:
        """Yield tables as they come, and ``None`` where none came within a moment."""
        heard = time.monotonic()
        while True:
            try:
                table = self._ready.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if time.monotonic() - heard > _SILENCE:
                    if is_cut_off():
                        # Ray would go on asking for ever, and be given nothing.
                        self.failure = ConnectionError("this machine has left the cluster")
                        return
                    heard = time.monotonic()
                yield None
                continue
            if table is None:
                return
            heard = time.monotonic()
            yield table

    def _pull(self) -> None:
        found = iter(
            self._data.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
        )
        try:
            for table in found:
                self._put(table)
                if self._is_over.is_set():
                    break
        except Exception as error:  # noqa: BLE001 - told by who waits for the results
            self.failure = error
        finally:
            with contextlib.suppress(AttributeError):
                found.close()
            self._put(None)

    def _put(self, table: pa.Table | None) -> None:
        while not self._is_over.is_set():
            with contextlib.suppress(queue.Full):
                self._ready.put(table, timeout=_POLL_SECONDS)
                return
