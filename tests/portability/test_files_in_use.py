"""Files in use on Windows, tested on Linux and on a Linux that behaves like Windows."""

from __future__ import annotations

import errno
import gc
import os
from pathlib import Path

import pytest

from casetrack.api.collection import Collection
from casetrack.api.library import Library
from casetrack.base import files
from casetrack.base.errors import CollectionGone, FileInUse
from casetrack.store.lock import write_lock
from casetrack.store.workspace import Workspace
from fakes import FakeEncoders
from stub_source import StubSource

pytestmark = pytest.mark.slow

AS_WINDOWS = "WINDOWS_ROOT" in os.environ
LONG = "The rent of the boat house is EUR 900. " * 20


@pytest.fixture
def made(library: Library, store_text: object) -> Collection:
    from casetrack.store.session import write_session

    collection = library.create("Boats")
    with write_session(collection.folder) as session:
        store_text(session, "rent.txt", LONG)  # type: ignore[operator]
    assert len(collection.search("rent", mode="keyword")) == 1
    return collection


def test_a_file_that_somebody_reads_for_a_moment_is_replaced_after_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "facts.json"
    path.write_text("old")
    reader = path.open()
    monkeypatch.setattr("time.sleep", lambda _: reader.close())
    files.write_json(path, {"new": True})
    reader.close()
    assert path.read_text() == '{\n  "new": true\n}\n'
    assert [path.name for path in tmp_path.iterdir()] == ["facts.json"]


def test_one_that_stays_in_use_is_said_to_be_and_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, for every system."""
    tried = []

    def refuse(_self: Path, target: Path) -> None:
        tried.append(target)
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = tmp_path / "facts.json"
    path.write_text("old")
    clock = iter(range(10_000))
    monkeypatch.setattr(files, "IS_WINDOWS", True)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(FileInUse):
        files.write_json(path, {"new": True})
    assert len(tried) > 1
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["facts.json"]


def test_a_collection_is_deleted_while_another_program_searches_in_it(made: Collection) -> None:
    folder = made.folder
    reader = Library(made.workspace.settings).get("Boats")  # of another program
    assert len(reader.search("rent", mode="keyword")) == 1
    library = Library(made.workspace.settings)
    library.delete("Boats")
    assert library.collections() == []
    with pytest.raises(CollectionGone), write_lock(folder):
        pytest.fail("nobody writes to it any more")
    made.workspace.forget()
    reader.workspace.forget()
    del reader
    gc.collect()
    library.create("Boats")  # the name is free, and the rest is removed
    assert not folder.exists()
    assert [path.name for path in folder.parent.iterdir()] == [library.collections()[0].id]


def test_nothing_is_left_next_to_a_collection_that_was_made(library: Library) -> None:
    info = library.create("Boats").info
    home = library.settings.collections_dir
    assert [path.name for path in home.iterdir()] == [info.id]


@pytest.mark.parametrize("name", ["con", "Aux.", "a:b"])
def test_a_state_may_have_any_name(made: Collection, name: str) -> None:
    made.admin.take_snapshot(name)
    assert [s.name for s in made.admin.snapshots() if s.name] == [name]


def test_items_of_sources_may_have_names_that_no_file_has(library: Library) -> None:
    made = library.create("Items")
    collection = Collection(Workspace(made.folder, library.settings, FakeEncoders()))
    names = ["src/aux.md", "log/10:30.md", "what?.md", "etc./nul.txt", "a.md", "A.md"]
    stub = StubSource({name: f"All about {name}." for name in names})
    report = collection.sync_source(stub)
    assert (report.problem, {c.path for c in report.changes}) == (
        "",
        {f"git:stub/{name}" for name in names},
    )
    assert {d.name for d in collection.documents()} == {n.rsplit("/", 1)[-1] for n in names}
    assert all((collection.folder / str(d.original_copy)).is_file() for d in collection.documents())


def test_a_file_whose_path_is_too_long_is_not_passed_over(library: Library, tmp_path: Path) -> None:
    made = library.create("Long")
    collection = Collection(Workspace(made.folder, library.settings, FakeEncoders()))
    folder = tmp_path / "files" / ("deep " * 24).strip()
    path = folder / f"{'x' * 200}.txt"
    folder.mkdir(parents=True)
    path.write_text(LONG)
    report = collection.sync(tmp_path / "files")
    assert report.seen == 1
    if AS_WINDOWS:
        assert not collection.documents()
        assert "Windows opens 259; shorten it" in report.changes[0].message
    else:
        assert [d.path for d in collection.documents()] == [str(path)]
