"""Shards for the lifetime of a server."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import hashlib
import logging
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from casetrack.base.errors import (
    ClusterDiffers,
    ClusterUnreachable,
    Opt,
    SearchBusy,
    See,
    ShardsUnreachable,
    UsageError,
)
from casetrack.base.metrics import UNSEARCHED
from casetrack.cluster.connect import Cluster, connected, require_same
from casetrack.cluster.search.shard import Part, Query, Shard, ShardAnswer, ShardInfo, lists_in
from casetrack.search.scores import gains
from casetrack.store.index.index import Index
from casetrack.store.index.scope import (
    CandidateLists,
    Place,
    Question,
    Scope,
    Unsearched,
    in_order,
    positions,
)
from casetrack.store.place import Place as Where
from casetrack.store.place import place_of
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from casetrack.store.workspace import State

# Assigns segments to shards.

_ROOM = 1.1
"""Maximum rows of a shard as a multiple of the mean, if segments allow it."""


def shared(sizes: Mapping[str, int], shards: int, /) -> Mapping[str, int]:
    """Return the shard of each segment, by rows per segment.

    Every segment prefers some shards by its name (rendezvous hashing, Thaler and Ravishankar 1998)
    and takes the first with free capacity (bounded loads, Mirrokni, Thorup and Zadimoghaddam 2018).
    Loads are similar, a new segment moves few others, and the result depends only on the segments.
    """
    return _shared(frozenset(sizes.items()), shards)


@functools.lru_cache(maxsize=64)
def _shared(segments: frozenset[tuple[str, int]], shards: int) -> Mapping[str, int]:
    sizes = dict(segments)
    room = max(_ROOM * sum(sizes.values()) / shards, 1.0)
    loads = [0] * shards
    assigned = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        liked = sorted(range(shards), key=lambda n: _rendezvous_score(name, n))
        fits = (n for n in liked if loads[n] + sizes[name] <= room)
        # The largest segments may exceed the capacity; the least loaded shard takes them.
        chosen = next(fits, min(liked, key=lambda n: loads[n]))
        loads[chosen] += sizes[name]
        assigned[name] = chosen
    return MappingProxyType(assigned)


def _rendezvous_score(name: str, shard: int) -> bytes:
    return hashlib.blake2b(f"{shard} {name}".encode(), digest_size=8).digest()


_log = logging.getLogger(__name__)


class Shards(Protocol):
    """A connection to all shards; thread-safe."""

    @property
    def count(self) -> int:
        """Number of shards."""

    def ask(self, questions: Mapping[int, Query], /) -> dict[int, ShardAnswer | str]:
        """Query shards by number, all at once; return each answer, or the reason without one.

        Raises
        ------
        SearchBusy
            Too many questions are waiting.
        """


class Coordinator:
    """Searches collections by shards with the segments of all collections."""

    def __init__(self, shards: Shards, /) -> None:
        self._shards = shards

    def lists(self, state: State, /) -> CandidateLists:
        """Return the candidate lists for one search of a state."""
        return _Lists(self._shards, place_of(state.workspace.folder))


@dataclass(slots=True)
class _Lists:
    """The lists of one search; *lost* has passages, documents and reason by unsearched segment."""

    shards: Shards
    place: Where
    lost: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    _whole: tuple[int, int] = (0, 0)

    @property
    def unsearched(self) -> Unsearched:
        """The content of shards that did not answer."""
        if not self.lost:
            return Unsearched()
        chunks = sum(chunks for chunks, _, _ in self.lost.values())
        documents = sum(documents for _, documents, _ in self.lost.values())
        reasons = dict.fromkeys(reason for _, _, reason in self.lost.values())
        note = (
            f"{chunks:,} of {self._whole[0]:,} passages (in {documents:,} of {self._whole[1]:,} "
            f"documents) were not searched: {'; '.join(reasons)}. The results are from the others; "
            "search again in a moment for all."
        )
        return Unsearched(chunks, (note,))

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the lists; see :class:`casetrack.store.index.scope.CandidateLists`.

        Raises ``SearchBusy``, or ``ShardsUnreachable`` if no shard answers.
        """
        asked = _question_builder(self.place, scope, question, depth)
        placed, own = self._placed(scope)
        numbers: dict[int, list[int]] = {}
        for number, shard in placed.items():
            numbers.setdefault(shard, []).append(number)
        answers = self.shards.ask(
            {
                shard: asked(tuple(_part(scope, number) for number in those))
                for shard, those in numbers.items()
            }
        )
        silent = {shard: answer for shard, answer in answers.items() if isinstance(answer, str)}
        if silent and len(silent) == len(numbers) and not own:
            raise ShardsUnreachable(len(numbers), next(iter(silent.values())))
        merged = _MergedLists(scope, depth)
        for shard, those in numbers.items():
            answer = answers[shard]
            if isinstance(answer, str):
                UNSEARCHED.add(shard=str(shard + 1))
                self._skip(scope, those, f"shard {shard + 1} of {self.shards.count} {answer}")
                continue
            for number, reason in answer.lacking.items():
                _log.warning("Shard %s lacks a segment, which is searched here: %s", shard, reason)
                own.append(those[number])
            for name, listed in answer.lists.items():
                segments = np.array(those)[listed.parts].tolist()
                places = list(zip(segments, listed.rows.tolist(), strict=True))
                merged.add(name, places, listed.scores)
        if own:
            for name, places, scores in lists_in(_subset(scope, own), asked(())):
                merged.add(name, [(own[number], row) for number, row in places], scores)
        yield from merged.lists(question)

    def _placed(self, scope: Scope) -> tuple[dict[int, int], list[int]]:
        """Return the shard of each segment to search, and segments that are not on disk yet."""
        parts = scope.index.segments
        folders = {n: part.data.folder for n, part in enumerate(parts)}
        homes = shared(
            {f.name: parts[n].data.size for n, f in folders.items() if f}, self.shards.count
        )
        wanted = [n for n in folders if _count(scope, n)]
        placed = {n: homes[folder.name] for n in wanted if (folder := folders[n]) is not None}
        return placed, [n for n in wanted if folders[n] is None]

    def _skip(self, scope: Scope, numbers: Sequence[int], reason: str) -> None:
        parts = scope.index.segments
        documents = sum(len({d for d in part.documents if d}) for part in parts)
        self._whole = scope.chunk_count, documents
        for number in numbers:
            held = len({d for d in parts[number].documents if d})
            self.lost[number] = _count(scope, number), held, reason


class _MergedLists:
    """Collects the best rows of several lists."""

    def __init__(self, scope: Scope, depth: int) -> None:
        self._scope, self._depth = scope, depth
        self._places: dict[str, list[Place]] = {}
        self._scores: dict[str, list[NDArray[np.float32]]] = {}

    def add(self, name: str, places: Sequence[Place], scores: NDArray[np.float32]) -> None:
        self._places.setdefault(name, []).extend(places)
        self._scores.setdefault(name, []).append(scores)

    def lists(self, question: Question) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the best rows of each signal of the question."""
        looked_for = {
            "bm25": question.terms,
            "semantic": question.vector,
            "sparse": question.sparse,
        }
        for name in (n for n, part in looked_for.items() if part is not None):
            scores = np.concatenate([np.empty(0, np.float32), *self._scores.get(name, ())])
            places = self._places.get(name, [])
            yield name, *in_order(places, scores, self._depth, self._scope.index.keys)


def _question_builder(
    place: Where, scope: Scope, question: Question, depth: int
) -> Callable[[tuple[Part, ...]], Query]:
    """Return a function that builds a question to a shard from its parts."""
    weights = None if question.terms is None else gains(scope, question.terms)
    index = scope.index
    return lambda parts: Query(
        collection=place.folder.name,
        parts=parts,
        depth=depth,
        weights=weights,
        vector=question.vector,
        sparse=question.sparse,
        chunk_count=scope.chunk_count,
        average_length=scope.average_length,
        live_count=index.chunk_count,
        fingerprint=index.fingerprint,
        address=place.address,
        endpoint=place.endpoint,
    )


def _part(scope: Scope, number: int) -> Part:
    part, rows = scope.index.segments[number], scope.rows[number]
    name = part.data.folder.name if part.data.folder else ""
    return Part.of(name, part.data.size, rows, is_filtered=rows is not part.mask)


def _count(scope: Scope, number: int) -> int:
    """Return the number of rows of a segment in the scope."""
    part, rows = scope.index.segments[number], scope.rows[number]
    return part.live_count if rows is part.mask else len(positions(rows, part.data.size))


def _subset(scope: Scope, numbers: Sequence[int]) -> Scope:
    """Return the scope of some segments only, with the counts of all."""
    index = scope.index
    part = Index(
        tuple(index.segments[n] for n in numbers),
        index.chunk_count,
        index.average_length,
        index.embedded_count,
        index.dimension,
        index.fingerprint,
        index.ranks,
    )
    rows = [scope.rows[n] for n in numbers]
    return Scope(part, rows, scope.chunk_count, scope.average_length)


# Shards as deployments of Ray Serve, one application each, which makes them independent. Serve
# keeps the processes of a shard running, sends each question to the least busy one, and replaces
# them one after the other. A question goes to all shards at once, directly to their processes:
# questions and answers are small, and the object store doubles the time.

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

    async def top(self, asked: Query) -> ShardAnswer:
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


@dataclass(slots=True)
class RayShards:
    """Shards on the connected cluster; see :class:`casetrack.cluster.search.serving.Shards`.

    *names* are those of their applications; *waiting* limits the waiting questions at each.
    """

    names: Sequence[str]
    waiting: int = _WAITING
    _handles: list[Any] = field(default_factory=list)
    _silent: dict[int, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def count(self) -> int:
        """Number of shards."""
        return len(self.names)

    def ask(self, questions: Mapping[int, Query], /) -> dict[int, ShardAnswer | str]:
        """Ask shards by number; see :meth:`casetrack.cluster.search.serving.Shards.ask`."""
        started = time.monotonic()
        sent = {shard: self._send(shard, asked) for shard, asked in questions.items()}
        return {
            shard: self._answer(shard, questions[shard], response, started)
            for shard, response in sent.items()
        }

    def about(self) -> list[ShardInfo]:
        """Return the state of one process of each shard."""
        asked = [handle.about.remote() for handle in self._reached()]
        return [response.result(timeout_s=_STARTING) for response in asked]

    def _reached(self) -> list[Any]:
        with self._lock:
            if not self._handles:
                from ray import serve

                self._handles += [
                    serve.get_app_handle(name).options(_by_reference=False) for name in self.names
                ]
        return self._handles

    def _send(self, shard: int, asked: Query) -> Any:
        return self._reached()[shard].top.remote(asked)

    def _answer(self, shard: int, asked: Query, response: Any, started: float) -> ShardAnswer | str:
        from ray.exceptions import RayError
        from ray.serve.exceptions import BackPressureError, RayServeException

        is_silent = started - self._silent.get(shard, float("-inf")) < _REMEMBERED
        end = started + (_SHORT_PATIENCE if is_silent else _PATIENCE)
        reason = "was replaced twice during the question"
        for _ in range(2):
            try:
                left = max(_FETCHING, end - time.monotonic())
                answer: ShardAnswer = response.result(timeout_s=left)
            except BackPressureError as error:
                raise SearchBusy(self.waiting) from error
            except (TimeoutError, concurrent.futures.TimeoutError):
                response.cancel()
                reason = f"did not answer within {end - started:.0f} s"
                break
            except (RayError, RayServeException, concurrent.futures.CancelledError) as error:
                # Its process ended during the question; another one, or its successor, takes it.
                reason = f"failed ({type(error).__name__})"
                response = self._send(shard, asked)
            else:
                self._silent.pop(shard, None)
                return answer
        self._silent[shard] = time.monotonic()
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
    names = running(data_dir)
    if not names:
        count = wanted.shards or max(1, int(cpus))
        names = [f"{_prefix(data_dir)}{n + 1}" for n in range(count)]
        _deploy(data_dir, names, wanted, cpus)
    elif wanted.shards is not None and wanted.shards != len(names):
        raise UsageError(
            f"{len(names):,} shards of {data_dir} run on this cluster already, not "
            f"{wanted.shards:,}.",
            hint=f"Leave out {Opt(shards='N')} to use them. Or run {See('shards stop')} first.",
        )
    shards = RayShards(names, wanted.waiting)
    _require_alike(shards, data_dir)
    return shards


def running(data_dir: Path, /) -> list[str]:
    """Return the names of the shards of a data folder that run on the connected cluster."""
    from ray import serve

    names = [n for n in serve.status().applications if n.startswith(_prefix(data_dir))]
    return sorted(names, key=lambda name: int(name.rpartition("-")[2]))


@dataclass(frozen=True, slots=True)
class ShardState:
    """State of a shard: its number from 1, *running* processes, and *wanted* ones."""

    number: int
    running: int
    wanted: int

    def as_dict(self) -> dict[str, int]:
        """Return the JSON form."""
        return {"number": self.number, "running": self.running, "wanted": self.wanted}


def states(data_dir: Path, /) -> list[ShardState]:
    """Return the states of the shards of a data folder on the connected cluster."""
    from ray import serve

    applications, shards = serve.status().applications, []
    for number, name in enumerate(running(data_dir), start=1):
        counts = [d.replica_states for d in applications[name].deployments.values()]
        answering = sum(each.get("RUNNING", 0) for each in counts)
        shards.append(ShardState(number, answering, max(1, sum(sum(c.values()) for c in counts))))
    return shards


def restart(data_dir: Path, /) -> list[str]:
    """Replace the processes of all shards, one shard after the other, without downtime."""
    names = running(data_dir)
    for name, state in zip(names, states(data_dir), strict=True):
        _deploy(data_dir, [name], Wanted(replicas=state.wanted, waiting=_waiting(name)), 0.0)
    return names


def _waiting(name: str) -> int:
    """Return the limit of waiting questions of a running shard."""
    from ray.serve.context import _get_global_client

    details = _get_global_client().get_serve_details()
    deployments = details["applications"][name]["deployments"].values()
    return int(next(iter(deployments))["deployment_config"]["max_queued_requests"])


def stop(data_dir: Path, /) -> list[str]:
    """End all shards of a data folder, and return their names."""
    from ray import serve

    names = running(data_dir)
    for name in names:
        serve.delete(name)
    return names


def _prefix(data_dir: Path) -> str:
    digest = hashlib.sha256(str(data_dir).encode()).hexdigest()
    return f"casetrack-{digest[:8]}-shard-"


def _deploy(data_dir: Path, names: Sequence[str], wanted: Wanted, cpus: float) -> None:
    from ray import serve
    from ray.exceptions import RayError

    share = round(min(1.0, _SHARE * cpus / (len(names) * wanted.replicas)), 3)
    deployment = serve.deployment(ShardReplica).options(
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
    collections, made = str(data_dir / "collections"), time.time()
    serve.start(proxy_location="Disabled")
    try:
        serve.run_many(
            [
                serve.RunTarget(deployment.bind(collections, made), name=name, route_prefix=None)
                for name in names
            ]
        )
    except (RayError, RuntimeError) as error:
        raise ClusterUnreachable(
            "this address",
            f"the shards do not start ({str(error).strip().splitlines()[0]})",
            "`ray status` shows free resources, and `ray logs` the output of their processes.",
        ) from error


def _require_alike(shards: RayShards, data_dir: Path) -> None:
    for number, about in enumerate(shards.about(), start=1):
        if about.version != __version__:
            raise ClusterDiffers(
                f"Shard {number} on {about.machine} runs CaseTrack {about.version}, this computer "
                f"{__version__}.",
                hint="Install the same everywhere: `pip install "
                f"'casetrack[ray]=={__version__}'`. Then run {See('shards restart')}.",
            )
        if not about.sees_data:
            raise ClusterDiffers(
                f"Shard {number} on {about.machine} does not see the data folder {data_dir}.",
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
