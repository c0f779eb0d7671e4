"""A search over shards for the time that a server runs."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError
from casetrack.cluster.connect import connected, require_alike
from casetrack.cluster.search import actors
from casetrack.cluster.search.front import Front

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from casetrack.cluster.connect import Cluster
    from casetrack.cluster.search.actors import Wanted


@contextlib.contextmanager
def on_a_machine_of(address: str, /) -> Iterator[Cluster]:
    """Connect with a cluster whose shards are to be asked.

    Raises
    ------
    UsageError
        It is an address for programs outside of the cluster.
    PackageMissing, ClusterUnreachable, ClusterDiffers
        See :func:`casetrack.cluster.connect.connected`.
    """
    if address.startswith("ray://"):
        raise UsageError(
            f"{address} is an address for programs outside of the cluster; who asks its shards "
            "talks to their processes, and runs on one of its machines.",
            hint="Run the same there with `--on auto`. Programs connect from anywhere over HTTP: "
            "`--transport http`.",
        )
    with connected(address) as cluster:
        # Its import is what makes the log, with a level of its own.
        import ray.serve.context

        # What Serve tells of every step belongs into its own files.
        logging.getLogger("ray.serve").setLevel(logging.WARNING)
        try:
            yield cluster
        finally:
            # Serve remembers the controller of this cluster, and would ask it on the next one.
            ray.serve.context._set_global_client(None)


@contextlib.contextmanager
def search_over_shards(data_dir: Path, address: str, wanted: Wanted, /) -> Iterator[Front]:
    """Search the collections of a data folder by shards on a cluster, for the time of a block.

    Shards that run already are used. A cluster that is started here ends with the block; on any
    other the shards stay for the servers that come after.

    Parameters
    ----------
    data_dir
        The data folder; all machines of the cluster see it at this path.
    address
        See :func:`casetrack.cluster.connect.connected`.
    wanted
        How the index is held; see :func:`casetrack.cluster.search.actors.hold`.

    Raises
    ------
    UsageError, PackageMissing, ClusterUnreachable, ClusterDiffers
        It cannot be done; nothing was started, or it was ended again.
    """
    with on_a_machine_of(address) as cluster:
        require_alike([data_dir])
        yield Front(actors.hold(data_dir, wanted, cluster.cpus))


def hold_shards(
    data_dir: Path, address: str, shards: int | None, copies: int, /
) -> AbstractContextManager[Front]:
    """Hold the search index on a cluster; see :func:`search_over_shards`."""
    return search_over_shards(data_dir, address, actors.Wanted(shards, copies))
