"""An index made by shards of documents is the index made at once; a batch more is only itself."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import ClusterFailed, CollectionBusy, CollectionDamaged
from casetrack.base.sql.catalog import GraphView
from casetrack.cluster import build as views
from casetrack.cluster.build import groups
from casetrack.cluster.connect import connected
from casetrack.graph.opened import graph_of
from casetrack.store.datasets import open_snapshot
from casetrack.store.index import cells_build
from casetrack.store.lock import try_lock, write_lock
from casetrack.store.place import Place, place_of
from casetrack.store.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection


@given(
    sizes=st.dictionaries(
        st.text("abcdef", min_size=3, max_size=6), st.integers(1, 900), max_size=60
    ),
    largest=st.integers(1, 1000),
    processors=st.integers(1, 40),
)
def test_documents_are_shared_out(sizes: dict[str, int], largest: int, processors: int) -> None:
    result = groups(sizes, sizes, largest, processors)
    assert [revision for group in result for revision in group] == sorted(sizes)
    for group in result:
        assert group
        assert len(group) == 1 or sum(sizes[r] for r in group) <= largest
    small = [g for g in result if sum(sizes[r] for r in g) < largest // 2]
    # A few large documents may leave gaps; the small ones are still no pile to merge.
    assert len(small) < 8 + sum(size >= largest // 8 for size in sizes.values())


@pytest.fixture
def bare(demo_home: Path, tmp_path: Path, models_dir: Path) -> Collection:
    """The sample collection without a search index."""
    shutil.copytree(demo_home, tmp_path / "data")
    opened = Library(replace(load_settings(tmp_path / "data"), models_dir=models_dir)).get("Demo")
    shutil.rmtree(opened.folder / views.INDEX.home)
    return opened


@pytest.fixture
def mapless(bare: Collection) -> Collection:
    """The sample collection without a map, too."""
    shutil.rmtree(bare.folder / "views" / "graph")
    bare.workspace.forget()
    return bare


def told(collection: Collection) -> dict[str, list]:
    """All tables of the map, in the order in which they are made."""
    graph = graph_of(collection.workspace.state())
    return {name: graph.table(name).to_pylist() for name in get_args(GraphView)}


def seen(collection: Collection) -> list[tuple]:
    asked = ("payment terms", "termination for convenience", "penalty")
    return [(r.chunk_id, r.score, r.signals) for q in asked for r in collection.search(q)]


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Run tasks as calls and return the shares; arguments and results are serialized."""
    shares: list[list[str]] = []

    def call(place: Place, home: str, wanted: list[list[str]], orders: bool) -> list[views.Output]:
        shares.extend(wanted)
        given = [pickle.loads(pickle.dumps((place, home, share, orders))) for share in wanted]
        return [pickle.loads(pickle.dumps(views.build_segments(*each))) for each in given]

    monkeypatch.setattr(views, "in_tasks", call)
    # Small shares, so that there are several.
    for name, kind in views._KINDS.items():
        small = kind._replace(largest=20)
        monkeypatch.setitem(views._KINDS, name, small)
    index, *others = views._KINDS.values()
    for name, kind in (("INDEX", index), ("MAP", others[0]), ("MORE", tuple(others[1:]))):
        monkeypatch.setattr(views, name, kind)
    return shares


@pytest.mark.slow
def test_views_made_apart_are_one(
    mapless: Collection, demo: Collection, in_this_process: list[list[str]]
) -> None:
    built = views.build_views(mapless.workspace, 3)
    assert (built.documents, built.map.documents) == (25, 25)
    assert built.chunks == demo.workspace.state().index.chunk_count
    assert built.segments == built.tasks > 2
    assert built.map.tasks > 4
    assert len(in_this_process) == built.tasks + built.map.tasks
    assert seen(mapless) == seen(demo)
    assert told(mapless) == told(demo)
    again = views.build_views(mapless.workspace, 3)
    assert (again.documents, again.tasks, again.map.tasks) == (0, 0, 0)
    assert again.segments == built.segments


def test_what_nobody_publishes_is_not_read(bare: Collection, demo: Collection) -> None:
    place, snapshot = place_of(bare.folder), open_snapshot(bare.folder)
    wanted = [*list(snapshot.revisions)[:3], "gone meanwhile"]
    left = views.build_segments(place, views.INDEX.home, wanted, False)
    assert (bare.folder / views.INDEX.home / left.names[0]).is_dir()
    assert not left.sent
    assert seen(bare) == seen(demo)


def test_vectors_of_large_segments_are_put_in_order_where_they_are_made(
    bare: Collection, monkeypatch: pytest.MonkeyPatch, in_this_process: list[list[str]]
) -> None:
    monkeypatch.setattr(cells_build, "PAYS_FROM", 1)
    monkeypatch.setattr(cells_build, "LEAST_ROWS", 5)
    built = views.build_views(bare.workspace, 3)
    assert built.ordered > 0
    assert len(list(bare.folder.glob("views/index/*/cells.bin"))) == built.ordered


def test_what_another_process_makes_is_waited_for(
    mapless: Collection, in_this_process: list[list[str]]
) -> None:
    home = mapless.folder / views.MAP.home
    home.mkdir(parents=True)
    with try_lock(home / ".lock"), pytest.raises(CollectionBusy) as busy:
        views.build_views(mapless.workspace, 3)
    assert busy.value.hint


def without_views(library: Library, files: Path, at: str | None = None) -> Collection:
    """A collection of files without views."""
    made = library.create("Far", at=at)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workspace, "catch_up", lambda *_given, **_named: None)
        made.ingest(files)
    assert not (made.folder / views.INDEX.home).exists()
    return made


@pytest.mark.slow
def test_views_in_object_storage_are_made_apart_and_published(
    library: Library, samples: Path, tmp_path: Path, in_this_process: list[list[str]]
) -> None:
    address = f"{(tmp_path / 'bucket').as_uri()}/far"
    far = without_views(library, samples, address)
    built = views.build_views(far.workspace, 3)
    assert built.documents == built.map.documents > 0
    assert built.tasks > 2
    assert len(seen(far)) > 0
    # Another computer finds them made, and makes none.
    remote = Library(load_settings(tmp_path / "other")).attach(address)
    assert seen(remote) == seen(far)
    assert told(remote) == told(far)
    published = {f.parent.name for f in far.folder.glob("views/index/*/rows.arrow")}
    brought = {f.parent.name for f in remote.folder.glob("views/index/*/rows.arrow")}
    assert brought == published != set()


@pytest.mark.slow
def test_what_a_task_sent_and_is_gone_is_reported(
    library: Library, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = without_views(library, samples, f"{(tmp_path / 'bucket').as_uri()}/far")

    def lossy(*given: Any) -> list[views.Output]:
        place, home, shares, orders = given
        made = [views.build_segments(place, home, share, orders) for share in shares]
        shutil.rmtree(tmp_path / "bucket" / "far" / "files" / "views")
        return made

    monkeypatch.setattr(views, "in_tasks", lossy)
    with pytest.raises(CollectionDamaged):
        views.build_views(far.workspace, 2)
    monkeypatch.undo()
    assert len(seen(far)) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("pays_from", "is_apart"), [(1, True), (10_000, False)])
def test_a_batch_is_indexed_in_tasks_where_that_pays(
    library: Library,
    samples: Path,
    monkeypatch: pytest.MonkeyPatch,
    in_this_process: list[list[str]],
    pays_from: int,
    is_apart: bool,
) -> None:
    far = without_views(library, samples)
    monkeypatch.setattr(views, "MIN_CHUNKS", pays_from)
    with write_lock(far.folder):
        views.catch_up(far.workspace, 3)
    assert bool(in_this_process) is is_apart
    assert len(seen(far)) > 0
    assert len(told(far)["entities"]) > 0


@pytest.mark.slow
def test_where_the_cluster_fails_one_process_goes_on(
    library: Library, samples: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    far = without_views(library, samples)

    def fails(*_: Any) -> list[views.Output]:
        raise ClusterFailed("a task ended again and again")

    monkeypatch.setattr(views, "in_tasks", fails)
    monkeypatch.setattr(views, "MIN_CHUNKS", 1)
    with write_lock(far.folder):
        views.catch_up(far.workspace, 3)
    assert "again and again" in caplog.text
    assert len(seen(far)) > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # warnings of Ray and its packages are not ours
def test_views_made_on_a_cluster(mapless: Collection, demo: Collection) -> None:
    with connected("local"):
        built = views.build_views(mapless.workspace, 3)
        assert (built.documents, built.chunks) == (25, demo.workspace.state().index.chunk_count)
        assert built.segments == built.tasks
        assert built.map.documents == 25
        assert built.map.tasks > 2
        assert seen(mapless) == seen(demo)
        assert told(mapless) == told(demo)
        assert views.build_views(mapless.workspace, 3).map.tasks == 0
