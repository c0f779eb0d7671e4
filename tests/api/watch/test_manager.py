"""The manager in a simulated environment: syncs, messages, recovery."""

from __future__ import annotations

import itertools
import logging
import os
import threading
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from casetrack.api.watch.changes import MOST_PATHS
from casetrack.api.watch.manager import WatchManager
from casetrack.api.watch.statuses import Statuses
from casetrack.base.errors import DiskFull, FolderUnsafe
from casetrack.store.info import update_info
from watching import Report, Simulation, day

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records.sync import Watch, WatchStatus

HOUR = 3600.0


@pytest.fixture
def collection(library: Library) -> Collection:
    return library.create("Acme")


@pytest.fixture
def world(library: Library) -> Simulation:
    return Simulation(library)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    return made


@pytest.fixture
def watch(world: Simulation, collection: Collection, place: Path) -> Watch:
    return world.watch_list.add(collection.info.id, place)[0]


def status(world: Simulation, watch: Watch) -> WatchStatus:
    return Statuses(world.watch_list.data_dir).stored(watch.id)


def test_a_new_watch_is_compared_at_once_and_then_follows_changes(
    world: Simulation, watch: Watch, place: Path
) -> None:
    assert world.run(10) == [("docs", None)]
    world.news.tell(place / "a.txt", place / "b.txt", place / "~$a.docx")
    assert world.run(1.5) == []
    assert status(world, watch).health == "settling"
    assert world.run(5) == [("docs", ("a.txt", "b.txt"))]
    message = status(world, watch)
    assert (message.health, message.pending, message.counts) == ("watching", 0, {"new": 1})
    assert "process" in message.owner
    assert world.run(60) == []


def test_many_changes_compare_the_whole_folder(
    world: Simulation, watch: Watch, place: Path
) -> None:
    world.run(10)
    world.news.tell(*(place / f"{n}.txt" for n in range(MOST_PATHS * 2)))
    assert world.run(10) == [("docs", None)]


@pytest.mark.slow
def test_a_manual_or_paused_folder_is_left_alone(
    world: Simulation, watch: Watch, place: Path
) -> None:
    world.watch_list.change(watch.id, schedule="manual")
    assert world.run(24 * HOUR, coarse=20) == []
    assert world.news.followed == {}
    world.watch_list.change(watch.id, schedule="on_change")
    assert world.run(10) == [("docs", None)]
    world.watch_list.change(watch.id, enabled=False)
    world.run(10)
    world.news.tell(place / "a.txt")
    assert world.run(24 * HOUR, coarse=20) == []
    world.watch_list.change(watch.id, enabled=True)
    assert world.run(10) == [("docs", None)]


@pytest.mark.slow
def test_daily_runs_at_its_local_time(
    library: Library, collection: Collection, place: Path
) -> None:
    zone = ZoneInfo("Europe/Berlin")
    begin = datetime(2025, 3, 28, 12, tzinfo=zone).timestamp()
    world = Simulation(library, zone=zone, wall=begin)
    world.watch_list.add(collection.info.id, place, schedule="daily", daily_time="02:30")
    world.run(4 * 24 * HOUR, coarse=60)
    times = [datetime.fromtimestamp(wall, zone) for wall, _, _ in world.syncs.calls[1:]]
    assert [f"{t:%d %H:%M}" for t in times] == ["29 02:30", "30 03:30", "31 02:30", "01 02:30"]


def test_times_missed_in_sleep_are_made_up_for_once(world: Simulation, watch: Watch) -> None:
    world.watch_list.change(watch.id, schedule="hourly")
    world.run(60)
    world.clock.sleep(10 * HOUR)
    assert world.run(60) == [("docs", None)]
    assert world.run(HOUR - 200) == []
    assert world.run(200) == [("docs", None)]


def test_a_clock_set_back_delays_nothing(world: Simulation, watch: Watch) -> None:
    world.watch_list.change(watch.id, schedule="hourly")
    world.run(60)
    world.clock.sleep(-48 * HOUR)
    assert world.run(2 * HOUR + 60, coarse=20) != []


def test_a_restart_compares_once_and_keeps_what_is_known(world: Simulation, watch: Watch) -> None:
    world.run(60)
    before = status(world, watch).last_sync_at
    assert before is not None
    world.restart()
    world.clock.move(3 * HOUR)
    assert world.run(60) == [("docs", None)]
    after = status(world, watch).last_sync_at
    assert after is not None
    assert after > before


def test_a_failing_sync_is_reported_and_tried_again_with_growing_pauses(
    world: Simulation, watch: Watch, place: Path
) -> None:
    world.syncs.failures = [DiskFull(place) for _ in range(4)]
    world.run(5)
    message = status(world, watch)
    assert message.health == "error"
    assert message.last_error == DiskFull(place).message
    assert message.next_step == DiskFull(place).hint
    assert message.next_sync_at is not None
    world.run(300)
    walls = [wall for wall, _, _ in world.syncs.calls]
    pauses = [round(b - a) for a, b in itertools.pairwise(walls)]
    assert pauses == pytest.approx([10, 20, 40, 80], abs=1)
    message = status(world, watch)
    assert (message.health, message.last_error, message.next_step) == ("watching", "", "")


def test_a_fault_of_the_program_ends_nothing(
    world: Simulation, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    world.syncs.failures = [ZeroDivisionError("oops")]
    world.run(5)
    assert "ZeroDivisionError: oops" in status(world, watch).last_error
    assert "oops" in caplog.text
    assert world.run(30) == [("docs", None)]


def test_changes_during_a_failure_are_part_of_the_next_attempt(
    world: Simulation, watch: Watch, place: Path
) -> None:
    world.run(10)
    world.syncs.failures = [FolderUnsafe("The folder looks empty.", hint="Connect the disk.")]
    world.news.tell(place / "a.txt")
    assert world.run(4) == [("docs", ("a.txt",))]
    assert status(world, watch).next_step == "Connect the disk."
    world.news.tell(place / "b.txt")
    assert world.run(4) == []  # not before its time
    assert world.run(60) == [("docs", None)]


def test_a_cancelled_sync_is_done_again(world: Simulation, watch: Watch) -> None:
    world.syncs.reports = [Report(cancelled=True)]
    assert world.run(20) == [("docs", None)]
    assert status(world, watch).last_sync_at is None
    assert world.run(30) == [("docs", None)]


@pytest.mark.slow
def test_a_folder_that_vanishes_is_waited_for(world: Simulation, watch: Watch, place: Path) -> None:
    world.run(10)
    away = place.rename(place.with_name("away"))
    world.news.tell(place / "a.txt", place / "b.txt")
    world.run(10)
    world.syncs.calls.clear()
    assert world.run(24 * HOUR, coarse=20) == []
    assert status(world, watch).health == "folder_missing"
    assert world.news.followed == {}
    away.rename(place)
    assert world.run(10) == [("docs", None)]
    assert status(world, watch).health == "watching"


def test_another_folder_at_the_same_place_is_followed_again(
    world: Simulation, watch: Watch, place: Path
) -> None:
    world.run(10)
    place.rename(place.with_name("old"))
    place.mkdir()
    assert world.run(10) == [("docs", None)]


def test_news_that_end_or_overflow_lead_to_a_comparison(world: Simulation, watch: Watch) -> None:
    world.run(10)
    world.news.dead.add(watch.id)
    assert world.run(10) == [("docs", None)]
    world.news.overflow = True
    assert world.run(10) == [("docs", None)]
    assert world.run(60) == []


def test_without_news_the_folder_is_looked_through_now_and_then(
    world: Simulation, watch: Watch
) -> None:
    world.news.note = "the system's limit of watched folders is reached"
    world.syncs.seconds = 3.0
    times = len(world.run(HOUR))
    assert 5 <= times <= 7  # 200 times as long as it takes
    message = status(world, watch)
    assert message.health == "scheduled"
    assert "limit" in message.note
    world.news.note = ""
    world.run(HOUR)
    assert status(world, watch).health == "watching"


def test_options_that_matter_lead_to_a_comparison_others_do_not(
    world: Simulation, watch: Watch
) -> None:
    world.run(10)
    world.watch_list.change(watch.id, schedule="daily", daily_time="05:00")
    assert world.run(30) == []
    world.watch_list.change(watch.id, exclude=["*.bak"])
    assert world.run(30) == [("docs", None)]


def test_two_folders_take_turns(
    world: Simulation, watch: Watch, collection: Collection, tmp_path: Path, place: Path
) -> None:
    more = tmp_path / "more"
    more.mkdir()
    world.watch_list.add(collection.info.id, more)
    world.run(10)
    world.syncs.seconds = 20.0
    world.syncs.calls.clear()
    for number in range(10):
        world.news.tell(place / f"{number}.txt", more / f"{number}.txt")
        world.run(10)
    names = [name for _, name, _ in world.syncs.calls]
    assert 4 <= names.count("docs") <= 6
    assert 4 <= names.count("more") <= 6


def test_watches_of_a_deleted_collection_go_with_a_word(
    world: Simulation,
    watch: Watch,
    library: Library,
    collection: Collection,
    caplog: pytest.LogCaptureFixture,
) -> None:
    world.run(10)
    library.delete(collection.name)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        world.run(60)
    assert world.watch_list.watches() == ()
    assert str(watch.folder) in caplog.text
    assert world.manager.sizes()["folders"] == 0


@pytest.mark.slow
def test_watches_of_a_closed_collection_rest(
    world: Simulation, watch: Watch, collection: Collection, place: Path
) -> None:
    world.run(10)
    update_info(collection.folder, lambda info: replace(info, status="closed"))
    world.run(15)
    world.news.tell(place / "a.txt")
    assert world.run(24 * HOUR, coarse=20) == []
    assert status(world, watch).health == "resting"
    update_info(collection.folder, lambda info: replace(info, status="active"))
    assert world.run(30) == [("docs", None)]


def test_a_folder_is_watched_by_one_program_only(
    world: Simulation, watch: Watch, place: Path
) -> None:
    other = Simulation(world.library, wall=world.clock.wall())
    world.run(10)
    assert other.run(30) == []
    assert Statuses(world.watch_list.data_dir).of(watch).health == "watching"
    world.manager.close()
    assert Statuses(world.watch_list.data_dir).of(watch).health == "unwatched"
    assert other.run(10) == [("docs", None)]
    other.manager.close()


def test_a_watched_link_hears_of_the_place_it_leads_to(
    world: Simulation, collection: Collection, place: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(place)
    world.watch_list.add(collection.info.id, link)
    world.run(10)
    assert [folder for folder, _ in world.news.followed.values()] == [os.path.realpath(place)]
    world.news.tell(place / "a.txt")
    assert world.run(10) == [("link", ("a.txt",))]


def test_a_status_that_cannot_be_written_stops_nothing(
    world: Simulation, watch: Watch, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DiskFull(place)

    with monkeypatch.context() as full:
        full.setattr(Statuses, "write", refuse)
        assert world.run(30) == [("docs", None)]
    world.run(10)
    assert status(world, watch).health == "watching"


def test_a_list_that_cannot_be_read_stops_nothing(
    library: Library,
    collection: Collection,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("casetrack.api.watch.manager.FAILURE_SECONDS", 0.05)
    world = Simulation(library)
    stumbled, synced = threading.Event(), threading.Event()

    class Hear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "Watching continues in a moment" in record.getMessage():
                stumbled.set()

    world.watch_list.path.mkdir()  # not even a file
    manager = WatchManager(
        library, sync=lambda *_: synced.set() or Report(), notifier=world.news, on_sync=None
    )
    hear = Hear()
    logging.getLogger("casetrack.watch").addHandler(hear)
    try:
        manager.start()
        assert stumbled.wait(60)
        world.watch_list.path.rmdir()
        world.watch_list.add(collection.info.id, place)
        assert synced.wait(60)
    finally:
        manager.stop()
        logging.getLogger("casetrack.watch").removeHandler(hear)


@pytest.mark.slow
def test_nothing_grows_in_a_simulated_shift(tmp_path: Path) -> None:
    figures = day(1.5, 3, scratch=tmp_path)
    assert figures["events"] > 2500
    assert figures["partial_syncs"] > 100
    assert figures["most_paths_waiting"] <= 3 * MOST_PATHS
    assert figures["paths_waiting_at_end"] <= 3 * 8
    assert figures["rss_end_mib"] < figures["rss_after_first_hour_mib"] + 5
    assert figures["cpu_percent_of_simulated_time"] < 0.5
