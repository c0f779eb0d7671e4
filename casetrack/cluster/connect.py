"""Connect to a cluster: start one on this computer, or join one by its address.

Ray is imported when a connection is made. Its usage reports are switched off.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import platform
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from casetrack.base.errors import (
    ClusterDiffers,
    ClusterUnreachable,
    Opt,
    PackageMissing,
    UsageError,
)
from casetrack.version import __version__

T = TypeVar("T")
SHARED = (
    "Name a folder that all machines share, at the same path, or an address of object storage such "
    "as s3://bucket/folder."
)
"""Hint for a path that a machine does not see."""
LOCAL = "local"
"""Address of a cluster that is started on this computer, and ends with its task."""
HERE = "auto"
"""Address of a cluster that already runs on this computer."""
CLIENT = "ray://"
"""Prefix of the address of a cluster for programs outside of its machines."""
_PATIENCE = 5.0
_MEMORY = 200 * 2**20
"""Enough for questions and lists; no data is passed between processes."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster to which this process is connected; *is_own*: it ends with the process."""

    address: str
    is_own: bool
    cpus: float


@contextlib.contextmanager
def connected(address: str, /, *, memory: int = _MEMORY) -> Iterator[Cluster]:
    """Connect to a cluster for the time of a block.

    *address* is ``local`` (start one here), ``auto`` (one that runs here), ``HOST:PORT`` or
    ``ray://HOST:PORT``; *memory* is the object store of a started cluster in bytes. Raises
    ``PackageMissing``, ``UsageError``, ``ClusterUnreachable`` or ``ClusterDiffers``.
    """
    if importlib.util.find_spec("ray") is None:
        raise PackageMissing(
            "casetrack[ray]",
            "work on a cluster is not possible",
            "One process does the same work without it.",
        )
    if address not in {LOCAL, HERE}:
        _require_listener(address)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address == LOCAL:
        options |= {"include_dashboard": False, "object_store_memory": memory}
        options["num_cpus"] = os.cpu_count() or 1
    try:
        ray.init(address=address, namespace="casetrack", **options)
    except ConnectionError as error:
        reason = _first_line(error)
        hint = f"Check `ray status --address {address}`."
        if address == HERE and "multiple" in reason:
            reason = "several run on this computer"
            hint = f"Specify one: {Opt(on='HOST:PORT')}."
        elif address == HERE:
            reason = "none runs on this computer"
            hint = f"Start one with `ray start --head`, or for this task with {Opt(on='local')}."
        raise ClusterUnreachable(address, reason, hint) from error
    except Exception as error:
        # Ray reports most failures at the start by untyped exceptions.
        ray.shutdown()
        if "ersion mismatch" in str(error):
            raise ClusterDiffers(
                f"The cluster at {address} runs another version than this computer: "
                f"{_first_line(error)}.",
                hint=f"Use Python {platform.python_version()} and Ray {ray.__version__}, as this "
                "computer does, on all machines.",
            ) from error
        raise ClusterUnreachable(
            address,
            _first_line(error),
            "The computer may be short of memory, or too busy to start it in time: try again. "
            "Ray's logs are in /tmp/ray/session_latest/logs.",
        ) from error
    try:
        yield Cluster(address, address == LOCAL, float(ray.cluster_resources().get("CPU", 1.0)))
    finally:
        ray.shutdown()


def require_same(paths: Sequence[Path] = (), /) -> None:
    """Raise ``ClusterDiffers`` unless all machines have this version and see *paths*."""
    for name, (version, lacking) in on_each_machine(_check, [str(path) for path in paths]).items():
        if version != __version__:
            raise ClusterDiffers(
                f"The machine {name} of the cluster runs CaseTrack {version}, this computer "
                f"{__version__}.",
                hint=f"Install the same everywhere: `pip install 'casetrack[ray]=={__version__}'`.",
            )
        if lacking:
            raise ClusterDiffers(
                f"The machine {name} of the cluster does not see the folder {lacking[0]}.",
                hint=SHARED,
            )


def on_each_machine(question: Callable[..., T], /, *given: object) -> dict[str, T]:
    """Run an importable function on every machine at once; return the results by machine name.

    Raises
    ------
    ClusterDiffers
        CaseTrack is not installed on a machine.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    asked = ray.remote(num_cpus=0, max_retries=3)(question)
    looks, nodes = {}, {}
    for node in ray.nodes():
        if node["Alive"]:
            name = node["NodeManagerHostname"]
            strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            key = name if name not in looks else f"{name} ({node['NodeID'][:6]})"
            looks[key] = asked.options(scheduling_strategy=strategy).remote(*given)
            nodes[key] = node["NodeID"]
    answers = {}
    for name, look in looks.items():
        try:
            answers[name] = ray.get(look)
        except ray.exceptions.RayError as error:
            if nodes[name] not in {node["NodeID"] for node in ray.nodes() if node["Alive"]}:
                continue  # It has left meanwhile, and gets no work.
            raise ClusterDiffers(
                f"The machine {name} of the cluster cannot run CaseTrack: {_first_line(error)}.",
                hint=f"Install it there: `pip install 'casetrack[ray]=={__version__}'`.",
            ) from error
    return answers


def _check(paths: Sequence[str]) -> tuple[str, list[str]]:
    """Return the version of a machine, and which of *paths* it does not see."""
    return __version__, [path for path in paths if not os.path.isdir(path)]  # noqa: PTH112


def _require_listener(address: str) -> None:
    """Raise an error at once for an invalid address, or one without a listener."""
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise UsageError(
            f"{address!r} is not the address of a cluster.",
            hint="Use local, auto, HOST:PORT (6379 is the default), or ray://HOST:PORT "
            "(10001 is the default).",
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
    except OSError as error:
        raise ClusterUnreachable(
            address,
            f"nothing answers there ({error.strerror or error})",
            "Check that it runs (`ray status` on its first machine), and that no firewall blocks "
            f"it. {Opt(on='local')} needs no cluster.",
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
