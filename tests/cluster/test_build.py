"""An index made by shards of documents is the index made at once; a batch more is only itself."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.cluster.build import graph as mapping
from casetrack.cluster.build import index as building
from casetrack.cluster.build.sharing import groups
from casetrack.cluster.connect import connected
from casetrack.config import load_settings
from casetrack.errors import CollectionBusy, UsageError
from casetrack.library import Library
from casetrack.sql.views import GraphView
from casetrack.store.datasets import open_snapshot
from casetrack.views.stored_segments import index_home, segment_folder

if TYPE_CHECKING:
    from collections.abc import Collection as Some
    from pathlib import Path

    from casetrack.collection import Collection


@given(
    sizes=st.dictionaries(
        st.text("abcdef", min_size=3, max_size=6), st.integers(1, 900), max_size=60
    ),
    largest=st.integers(1, 1000),
    processors=st.integers(1, 40),
)
def test_documents_are_shared_out(sizes: dict[str, int], largest: int, processors: int) -> None:
    found = groups(sizes, sizes, largest, processors)
    assert [revision for group in found for revision in group] == sorted(sizes)
    for group in found:
        assert group
        assert len(group) == 1 or sum(sizes[r] for r in group) <= largest
    small = [g for g in found if sum(sizes[r] for r in g) < largest // 2]
    # A few large documents may leave gaps; the small ones are still no pile to merge.
    assert len(small) < 8 + sum(size >= largest // 8 for size in sizes.values())


@pytest.fixture
def bare(demo_home: Path, tmp_path: Path, models_dir: Path) -> Collection:
    """The sample collection without a search index."""
    shutil.copytree(demo_home, tmp_path / "data")
    found = Library(replace(load_settings(tmp_path / "data"), models_dir=models_dir)).get("Demo")
    shutil.rmtree(index_home(found.folder))
    return found


@pytest.fixture
def mapless(bare: Collection) -> Collection:
    """The sample collection without a map, too."""
    shutil.rmtree(bare.folder / "views" / "graph")
    bare.workspace.forget()
    return bare


def told(collection: Collection) -> dict[str, list]:
    """All tables of the map, in the order in which they are made."""
    graph = collection.workspace.state().graph
    return {name: graph.table(name).to_pylist() for name in get_args(GraphView)}


def seen(collection: Collection) -> list[tuple]:
    asked = ("payment terms", "termination for convenience", "penalty")
    return [(r.chunk_id, r.score, r.signals) for q in asked for r in collection.search(q)]


def test_segments_made_apart_are_one_index(bare: Collection, demo: Collection) -> None:
    folder, snapshot = bare.folder, open_snapshot(bare.folder)
    keeper = segment_folder(index_home(folder), snapshot, snapshot.dimension)
    shares: list[list[str]] = []

    def make(missing: Some[str]) -> list[str]:
        shares.extend(groups(snapshot.documents.chunk_counts, missing, 20, 4))
        # Each as in a process of its own: who makes them shares nothing but the folder.
        return [name for share in shares for name in building._make(str(folder), share)]

    parts = keeper.segments(snapshot, made_by=make)
    assert len(parts) == len(shares) > 2
    assert all(part.folder is not None for part in parts)
    assert seen(bare) == seen(demo)
    again = keeper.segments(snapshot, made_by=make)
    assert {p.folder for p in again} == {p.folder for p in parts}


def test_what_nobody_publishes_is_not_read(bare: Collection, demo: Collection) -> None:
    folder, snapshot = bare.folder, open_snapshot(bare.folder)
    left = building._make(str(folder), [*list(snapshot.revisions)[:3], "gone meanwhile"])
    assert (index_home(folder) / left[0]).is_dir()
    assert seen(bare) == seen(demo)


def test_a_map_read_apart_is_one_map(mapless: Collection, demo: Collection) -> None:
    folder, snapshot = mapless.folder, open_snapshot(mapless.folder)
    for kind in ("segments", "legal"):
        keeper = mapping._keeper(folder, kind, snapshot)

        def make(missing: Some[str], kind: str = kind) -> list[str]:
            shares = groups(snapshot.documents.chunk_counts, missing, 20, 4)
            return [name for share in shares for name in mapping._make(str(folder), kind, share)]

        assert len(keeper.segments(snapshot, made_by=make)) > 2
        mapping._require_published(keeper, snapshot, folder)
    assert told(mapless) == told(demo)


def test_a_map_that_somebody_else_makes_is_waited_for(mapless: Collection) -> None:
    folder, snapshot = mapless.folder, open_snapshot(mapless.folder)
    with pytest.raises(CollectionBusy, match="Another program is making the map") as busy:
        mapping._require_published(mapping._keeper(folder, "legal", snapshot), snapshot, folder)
    assert "run this again" in str(busy.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*lance is not fork-safe")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_map_made_on_a_cluster(mapless: Collection, demo: Collection) -> None:
    with connected("local"):
        building.build_index(mapless.folder, 3)
        built = mapping.build_graph(mapless.workspace, 3)
        assert built.documents == 25
        assert built.tasks > 2
        assert told(mapless) == told(demo)
        assert mapping.build_graph(mapless.workspace, 3).tasks == 0


def test_an_index_in_object_storage_is_made_by_who_writes(library: Library, tmp_path: Path) -> None:
    made = library.create("Far", at=f"file://{tmp_path}/bucket/far")
    with pytest.raises(UsageError, match="is made by who writes to it") as caught:
        building.build_index(made.folder, 2)
    assert "casetrack reindex" in caught.value.hint


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what Ray and its packages warn of is theirs
def test_an_index_made_on_a_cluster(bare: Collection, demo: Collection) -> None:
    with connected("local"):
        built = building.build_index(bare.folder, 3)
        assert (built.documents, built.chunks) == (25, demo.workspace.state().index.chunk_count)
        assert built.segments == built.tasks
        assert seen(bare) == seen(demo)
        assert building.build_index(bare.folder, 3).tasks == 0
