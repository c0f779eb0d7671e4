"""Ray itself gives the same result as one process, even if processes are killed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from cluster.test_ingest import ends, rows

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

# Warnings of Ray and its packages are not ours.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.mark.timeout(1800)
def test_ray_makes_what_one_process_makes(library_with_model: Library, samples: Path) -> None:
    local, remote = library_with_model.create("here"), library_with_model.create("there")
    expected = local.ingest(samples)
    result = remote.ingest(samples, engine="ray", on="local")
    assert ends(result) == ends(expected)
    assert rows(remote) == rows(local)


@pytest.mark.timeout(600)
def test_a_cluster_that_shrinks_to_one_processor_goes_on(
    library_with_model: Library, samples: Path
) -> None:
    from ray.cluster_utils import Cluster

    given = {"num_cpus": 1, "object_store_memory": 2**28}
    cluster = Cluster(True, head_node_args={**given, "include_dashboard": False})
    other = cluster.add_node(**given)
    leaving = threading.Timer(12, cluster.remove_node, [other], {"allow_graceful": False})
    leaving.start()
    try:
        remote = library_with_model.create("there")
        result = remote.ingest(samples, engine="ray", on=cluster.address)
        leaving.join()
        assert result.count("ingested") == 25
    finally:
        cluster.shutdown()
