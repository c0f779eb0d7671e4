"""Upkeep at idle times: after a change, not before it is idle, and not again and again."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from casetrack.api.collection.admin import Admin
from casetrack.api.watch.idle_upkeep import IdleUpkeep
from casetrack.base.errors import DiskFull
from casetrack.keep.upkeep import needs_upkeep
from casetrack.store.session import write_session
from casetrack.store.upkeep import measure
from watching import Clock, Simulation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library


class FakeLibrary:
    """A library whose collections count their upkeeps."""

    def __init__(self, home: Path) -> None:
        self.settings = SimpleNamespace(collections_dir=home)
        self.done: list[str] = []
        self.needed = self.free = True
        self.failure: Exception | None = None

    def keep(self, _library: object, name: str, _cancel: threading.Event, /) -> bool:
        return not self.needed or self._upkeep(name) is not None

    def _upkeep(self, name: str) -> object:
        if self.failure:
            raise self.failure
        if not self.free:
            return None
        self.done.append(name)
        self.write(name)  # an upkeep commits, too
        return object()

    def write(self, name: str) -> None:
        versions = self.settings.collections_dir / name / "chunks.lance" / "_versions"
        versions.mkdir(parents=True, exist_ok=True)
        (versions / f"{len(list(versions.iterdir()))}.manifest").touch()


@pytest.fixture
def fake(tmp_path: Path) -> FakeLibrary:
    made = FakeLibrary(tmp_path / "collections")
    made.write("old")
    return made


class World:
    def __init__(self, fake: FakeLibrary) -> None:
        self.fake = fake
        self.clock = Clock()
        self.upkeep = IdleUpkeep(fake, self.clock, upkeep=fake.keep)  # type: ignore[arg-type]
        self.run(1)

    def run(self, seconds: float) -> list[str]:
        """Let time pass and return the ids of the collections that were kept up."""
        before = len(self.fake.done)
        for _ in range(round(seconds)):
            due = self.upkeep.due()
            if due is not None:
                self.upkeep.run(due, threading.Event())
            self.clock.move(1.0)
        return self.fake.done[before:]


@pytest.fixture
def world(fake: FakeLibrary) -> World:
    return World(fake)


def test_what_was_there_before_is_left_alone(world: World) -> None:
    assert world.run(4000) == []


def test_a_change_leads_to_two_upkeeps_at_quiet_times(world: World, fake: FakeLibrary) -> None:
    fake.write("old")
    fake.write("new")
    assert world.run(60) == []
    assert sorted(world.run(30)) == ["new", "old"]
    assert world.run(900) == []
    assert sorted(world.run(100)) == ["new", "old"]
    assert world.run(8000) == []


def test_a_busy_collection_is_left_alone_until_it_is_quiet(world: World, fake: FakeLibrary) -> None:
    for _ in range(40):
        fake.write("old")
        assert world.run(30) == []
    assert world.run(90) == ["old"]


def test_there_is_time_between_upkeeps(world: World, fake: FakeLibrary) -> None:
    times = 0
    for _ in range(60):  # a change every two minutes for two hours
        fake.write("old")
        times += len(world.run(120))
    assert 6 <= times <= 12


@pytest.mark.parametrize("reason", ["somebody writes", "the disk is full"])
def test_what_could_not_be_done_is_tried_again(
    world: World, fake: FakeLibrary, tmp_path: Path, reason: str
) -> None:
    fake.free = reason != "somebody writes"
    fake.failure = DiskFull(tmp_path) if fake.free else None
    fake.write("old")
    assert world.run(120) == []
    fake.free, fake.failure = True, None
    assert world.run(300) == []
    assert world.run(400) == ["old"]


def test_where_nothing_is_needed_nothing_is_done(world: World, fake: FakeLibrary) -> None:
    fake.needed = False
    fake.write("old")
    assert world.run(4000) == []


def test_a_deleted_collection_is_forgotten(world: World, fake: FakeLibrary, tmp_path: Path) -> None:
    fake.write("old")
    world.run(20)
    shutil.rmtree(tmp_path / "collections" / "old")
    assert world.run(120) == []


def test_a_manager_without_any_watch_does_it_too(
    library: Library, store_text: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr("casetrack.keep.upkeep.needs_upkeep", lambda _workspace: True)
    collection = library.create("Acme")
    name = collection.name
    monkeypatch.setattr(Admin, "upkeep", lambda self, cancel: done.append(name) or self)
    world = Simulation(library)
    world.run(30)
    with write_session(collection.folder) as session:
        store_text(session, "Notes.txt", "He left the building.")
    world.run(120)
    assert done == ["Acme"]
    assert world.syncs.calls == []


def test_earlier_states_that_others_left_go_once(fake: FakeLibrary) -> None:
    fake.write("old")  # a second state: a command has changed it and ended
    world = World(fake)
    assert world.run(50) == []
    assert world.run(4000) == ["old"]


WITHOUT_LANCE = """
import sys, threading
from casetrack.api.library import Library
from casetrack.api.watch.idle_upkeep import run_upkeep
print(run_upkeep(Library.open(sys.argv[1]), sys.argv[2], threading.Event()), "lance" in sys.modules)
"""


@pytest.mark.slow
def test_a_server_at_rest_stays_small(library: Library, store_text: Callable[..., object]) -> None:
    collection = library.create("Acme")
    with write_session(collection.folder) as session:
        store_text(session, "Notes.txt", "He left the building.")
        store_text(session, "Letter.txt", "She came back.")
    collection.delete_document("Notes.txt")
    assert needs_upkeep(collection.workspace)
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_LANCE, library.settings.data_dir, collection.info.id],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.split() == ["True", "False"], ended.stderr
    assert measure(collection.folder).deleted_rows == 0
    assert [d.name for d in collection.documents()] == ["Letter.txt"]
