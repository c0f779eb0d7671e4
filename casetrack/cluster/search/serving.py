"""Shards for the lifetime of a server."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import hashlib
import logging
import os
import platform
import threading
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import (
    ClusterDiffers,
    ClusterUnreachable,
    Opt,
    SearchBusy,
    See,
    UsageError,
)
from casetrack.cluster.connect import Cluster, connected, require_same
from casetrack.cluster.search.coordinator import Coordinator
from casetrack.cluster.search.shard import Query, Shard, ShardAnswer, ShardInfo, merged
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager


# Shards as deployments of Ray Serve, one application each, which makes them independent. Serve
# keeps the processes of a shard running, sends each question to the least busy one, and replaces
# them one after the other. A question goes to all shards at once, directly to their processes:
# questions and answers are small, and the object store doubles the time. Above a number of shards
# the asking process would spend most of the time on them: aggregators ask some of them each.

SHARD, AGGREGATOR = "shard", "aggregator"
_FAN_IN = 16
"""Maximum number of shards without aggregators, and of shards per aggregator."""

_PATIENCE, _SHORT_PATIENCE = 20.0, 1.0
"""Seconds to wait for an answer, normally and after the last one was missing."""
_FETCHING = 0.5
"""Seconds to fetch an answer after the wait for other shards."""
_STARTING = 60.0
"""Seconds for a process to report its state."""
_REMEMBERED = 30.0
"""Seconds with less patience for a shard that did not answer."""
_AT_WORK = 4
"""Questions that one process answers at the same time."""
_WAITING = 64
"""Questions of one server that may wait for each shard."""
_SHARE = 0.5
"""Share of the cluster's processors reserved for shards, since questions come in bursts."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Requested *shards* (``None``: running ones, or one per processor), with *replicas*.

    *waiting* is the number of questions of one server that may wait for each shard.
    """

    shards: int | None = None
    replicas: int = 1
    waiting: int = _WAITING


class ShardReplica:
    """One process of a shard under Serve; a new *made* time makes Serve replace it."""

    def __init__(self, collections: str, made: float) -> None:
        self._shard = Shard(Path(collections))
        self._made = made

    async def top(self, asked: Query, _shards: Sequence[int]) -> ShardAnswer:
        """Return the best rows; see :meth:`Shard.top`.

        Runs without a thread, which would add a third to a few milliseconds, unless segments must
        be downloaded first.
        """
        if self._shard.has_segments(asked):
            return self._shard.top(asked)
        return await asyncio.to_thread(self._shard.top, asked)

    def about(self) -> ShardInfo:
        """Return the state of this shard."""
        return self._shard.about()


class AggregatorReplica:
    """One process of an aggregator under Serve: asks some shards and merges their answers."""

    def __init__(self, names: Sequence[str], waiting: int, made: float) -> None:
        self._shards = RayShards(names, waiting)
        self._made = made

    async def top(self, asked: Query, shards: Sequence[int]) -> ShardAnswer:
        """Return the best rows of all parts; see :meth:`RayShards.ask`."""
        return await asyncio.to_thread(self._shards.ask, asked, shards)

    def about(self) -> ShardInfo:
        """Return the state of this process, which reads no data."""
        return ShardInfo(__version__, True, platform.node(), os.getpid())


@dataclass(slots=True)
class RayShards:
    """Shards on the connected cluster; see :class:`casetrack.cluster.search.coordinator.Shards`.

    *names* are those of their applications; *waiting* limits the waiting questions at each.
    Aggregator *n* of *k* asks the shards *n*, *n + k*, *n + 2k*, …; without, each shard is asked.
    """

    names: Sequence[str]
    waiting: int = _WAITING
    aggregators: Sequence[str] = ()
    _handles: dict[str, Any] = field(default_factory=dict)
    _silent: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def count(self) -> int:
        """Number of shards."""
        return len(self.names)

    def ask(self, asked: Query, shards: Sequence[int], /) -> ShardAnswer:
        """Ask shards by number; see :meth:`casetrack.cluster.search.coordinator.Shards.ask`."""
        started, names = time.monotonic(), self.aggregators or self.names
        width = len(names)
        asks = {}
        for number, (parts, query) in asked.by_shard([each % width for each in shards]).items():
            request = query, [shards[part] // width for part in parts.tolist()]
            asks[number] = parts, request, self._send(names[number], *request)
        answers = []
        for number, (parts, request, response) in asks.items():
            answer = self._answer(names[number], request, response, started)
            if isinstance(answer, str):
                answer = ShardAnswer(silent=dict.fromkeys(request[1], answer))
            silent = {each * width + number: reason for each, reason in answer.silent.items()}
            answers.append((parts, replace(answer, silent=silent)))
        return merged(asked.depth, answers)

    def about(self) -> dict[str, ShardInfo]:
        """Return the state of one process of each shard and aggregator by name."""
        asked = {n: self._handle(n).about.remote() for n in (*self.names, *self.aggregators)}
        return {name: each.result(timeout_s=_STARTING) for name, each in asked.items()}

    def _handle(self, name: str) -> Any:
        with self._lock:
            if name not in self._handles:
                from ray import serve

                handle = serve.get_app_handle(name).options(_by_reference=False)
                self._handles[name] = handle
        return self._handles[name]

    def _send(self, name: str, *request: object) -> Any:
        return self._handle(name).top.remote(*request)

    def _answer(
        self, name: str, request: Sequence[object], response: Any, started: float
    ) -> ShardAnswer | str:
        from ray.exceptions import RayError
        from ray.serve.exceptions import BackPressureError, RayServeException

        is_silent = started - self._silent.get(name, float("-inf")) < _REMEMBERED
        end = started + (_SHORT_PATIENCE if is_silent else _PATIENCE)
        if self.aggregators:
            # An aggregator waits as long for its shards, and reports those that do not answer.
            end += (_FAN_IN + 2) * _FETCHING
        reason = "was replaced twice during the question"
        for _ in range(2):
            try:
                left = max(_FETCHING, end - time.monotonic())
                answer: ShardAnswer = response.result(timeout_s=left)
            except (BackPressureError, SearchBusy) as error:
                raise SearchBusy(self.waiting) from error
            except (TimeoutError, concurrent.futures.TimeoutError):
                response.cancel()
                reason = f"did not answer within {end - started:.0f} s"
                break
            except (RayError, RayServeException, concurrent.futures.CancelledError) as error:
                # Its process ended during the question; another one, or its successor, takes it.
                reason = f"failed ({type(error).__name__})"
                response = self._send(name, *request)
            else:
                self._silent.pop(name, None)
                return answer
        self._silent[name] = time.monotonic()
        return reason


def start_shards(data_dir: Path, wanted: Wanted, cpus: float, /) -> RayShards:
    """Return the shards of a data folder on the connected cluster; start them if none run.

    Raises
    ------
    UsageError
        Another number of shards runs already.
    ClusterUnreachable, ClusterDiffers
        They do not start, or have another version.
    """
    names, aggregators = running(data_dir), running(data_dir, AGGREGATOR)
    if names and wanted.shards is not None and wanted.shards != len(names):
        raise UsageError(
            f"{len(names):,} shards of {data_dir} run on this cluster already, not "
            f"{wanted.shards:,}.",
            hint=f"Leave out {Opt(shards='N')} to use them. Or run {See('shards stop')} first.",
        )
    known = {*names, *aggregators}
    count = len(names) or wanted.shards or max(1, int(cpus))
    names = [f"{_prefix(data_dir, SHARD)}{n + 1}" for n in range(count)]
    aggregators = [
        f"{_prefix(data_dir, AGGREGATOR)}{n + 1}" for n in range(_aggregator_count(count))
    ]
    if missing := [name for name in (*names, *aggregators) if name not in known]:
        _deploy(data_dir, missing, names, wanted, cpus)
    shards = RayShards(names, wanted.waiting, aggregators)
    _require_alike(shards, data_dir)
    return shards


def _aggregator_count(shards: int) -> int:
    return -(-shards // _FAN_IN) if shards > _FAN_IN else 0


def running(data_dir: Path, kind: str = SHARD, /) -> list[str]:
    """Return the names of the shards of a data folder that run on the connected cluster."""
    from ray import serve

    names = [n for n in serve.status().applications if n.startswith(_prefix(data_dir, kind))]
    return sorted(names, key=lambda name: int(name.rpartition("-")[2]))


@dataclass(frozen=True, slots=True)
class ShardState:
    """State of a shard or aggregator: number from 1, *running* processes, and *wanted* ones."""

    number: int
    running: int
    wanted: int
    kind: str = SHARD

    def as_dict(self) -> dict[str, int | str]:
        """Return the JSON form."""
        return asdict(self)


def states(data_dir: Path, /) -> list[ShardState]:
    """Return the states of the shards and aggregators of a data folder on the cluster."""
    from ray import serve

    applications, shards = serve.status().applications, []
    for kind in (SHARD, AGGREGATOR):
        for number, name in enumerate(running(data_dir, kind), start=1):
            counts = [d.replica_states for d in applications[name].deployments.values()]
            answering = sum(each.get("RUNNING", 0) for each in counts)
            wanted = max(1, sum(sum(c.values()) for c in counts))
            shards.append(ShardState(number, answering, wanted, kind))
    return shards


def restart(data_dir: Path, /) -> list[str]:
    """Replace all processes, one shard or aggregator after the other; return names of shards."""
    shards = running(data_dir)
    names = [*shards, *running(data_dir, AGGREGATOR)]
    for name, state in zip(names, states(data_dir), strict=True):
        wanted = Wanted(replicas=state.wanted, waiting=_waiting(name))
        _deploy(data_dir, [name], shards, wanted, 0.0)
    return shards


def _waiting(name: str) -> int:
    """Return the limit of waiting questions of a running shard."""
    from ray.serve.context import _get_global_client

    details = _get_global_client().get_serve_details()
    deployments = details["applications"][name]["deployments"].values()
    return int(next(iter(deployments))["deployment_config"]["max_queued_requests"])


def stop(data_dir: Path, /) -> list[str]:
    """End all shards of a data folder with their aggregators, and return the names of shards."""
    from ray import serve

    names = running(data_dir)
    for name in (*running(data_dir, AGGREGATOR), *names):
        serve.delete(name)
    return names


def _prefix(data_dir: Path, kind: str) -> str:
    digest = hashlib.sha256(str(data_dir).encode()).hexdigest()
    return f"casetrack-{digest[:8]}-{kind}-"


def _deploy(
    data_dir: Path, names: Sequence[str], shards: Sequence[str], wanted: Wanted, cpus: float
) -> None:
    """Start applications by name; *shards* are all shards."""
    from ray import serve
    from ray.exceptions import RayError

    share = round(min(1.0, _SHARE * cpus / (len(names) * wanted.replicas)), 3)
    made, targets = time.time(), []
    for name in names:
        is_shard = name in shards
        deployment = serve.deployment(ShardReplica if is_shard else AggregatorReplica).options(
            num_replicas=wanted.replicas,
            max_ongoing_requests=_AT_WORK,
            max_queued_requests=wanted.waiting,
            # An old process ends only after the new one answers.
            max_surge_percent=100,
            graceful_shutdown_wait_loop_s=0.5,
            health_check_period_s=5,
            # An access log line per question and shard would cost more than some answers.
            logging_config={"enable_access_log": False},
            ray_actor_options={"num_cpus": share},
        )
        if is_shard:
            application = deployment.bind(str(data_dir / "collections"), made)
        else:
            number = int(name.rpartition("-")[2]) - 1
            asked = shards[number :: _aggregator_count(len(shards))]
            application = deployment.bind(asked, wanted.waiting, made)
        targets.append(serve.RunTarget(application, name=name, route_prefix=None))
    serve.start(proxy_location="Disabled")
    try:
        serve.run_many(targets)
    except (RayError, RuntimeError) as error:
        raise ClusterUnreachable(
            "this address",
            f"the shards do not start ({str(error).strip().splitlines()[0]})",
            "`ray status` shows free resources, and `ray logs` the output of their processes.",
        ) from error


def _require_alike(shards: RayShards, data_dir: Path) -> None:
    for name, about in shards.about().items():
        part = " ".join(name.split("-")[-2:]).capitalize()
        if about.version != __version__:
            raise ClusterDiffers(
                f"{part} on {about.machine} runs CaseTrack {about.version}, this computer "
                f"{__version__}.",
                hint="Install the same everywhere: `pip install "
                f"'casetrack[ray]=={__version__}'`. Then run {See('shards restart')}.",
            )
        if not about.sees_data:
            raise ClusterDiffers(
                f"{part} on {about.machine} does not see the data folder {data_dir}.",
                hint="Name a data folder that all machines share at one path: "
                f"{Opt(data_dir='FOLDER')}.",
            )


@contextlib.contextmanager
def shard_cluster(address: str, /) -> Iterator[Cluster]:
    """Connect to a cluster in order to query its shards; raises as ``connected`` does.

    Raises ``UsageError`` for an address for programs outside of the cluster.
    """
    if address.startswith("ray://"):
        raise UsageError(
            f"{address} is an address for programs outside of the cluster; its shards "
            "can be used only on one of its machines.",
            hint=f"Run the same there with {Opt(on='auto')}. Programs connect from anywhere over "
            f"HTTP: {Opt(transport='http')}.",
        )
    with connected(address) as cluster:
        # Its import creates the logger, with its own level.
        import ray.serve.context

        # Serve's messages on each step belong into its own files.
        logging.getLogger("ray.serve").setLevel(logging.WARNING)
        try:
            yield cluster
        finally:
            # Serve caches the controller of this cluster, and would use it for the next one.
            ray.serve.context._set_global_client(None)


@contextlib.contextmanager
def search_over_shards(data_dir: Path, address: str, wanted: Wanted, /) -> Iterator[Coordinator]:
    """Search the collections of a data folder by shards on a cluster, for the time of a block.

    Running shards are used. A cluster that is started here ends with the block; on any other, the
    shards stay for later servers. All machines must see the data folder at this path. Raises
    ``UsageError``, ``PackageMissing``, ``ClusterUnreachable`` or ``ClusterDiffers``.
    """
    with shard_cluster(address) as cluster:
        require_same([data_dir])
        yield Coordinator(start_shards(data_dir, wanted, cluster.cpus))


def provide_shards(
    data_dir: Path, address: str, shards: int | None, copies: int, /
) -> AbstractContextManager[Coordinator]:
    """Provide the search index on a cluster; see :func:`search_over_shards`."""
    return search_over_shards(data_dir, address, Wanted(shards, copies))
