"""A simulated day of watching: its cost, and the check that nothing grows.

``python -m watching --hours 24`` drives the real manager with a simulated clock, generated
notifications of changed files and a sync that only counts. Tests use its parts, too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.library import Library
from casetrack.api.watch.changes import file_state
from casetrack.api.watch.manager import WatchManager
from casetrack.api.watch.watch_list import WatchList
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from casetrack.api.watch.changes import FileState, Heard
    from casetrack.base.records.sync import Watch

START = 1_750_000_000.0
"""A moment in June 2025."""


class Clock:
    """A clock that moves only when it is set."""

    def __init__(self, wall: float = START) -> None:
        self._wall, self._monotonic = wall, 1000.0

    def wall(self) -> float:
        return self._wall

    def monotonic(self) -> float:
        return self._monotonic

    def move(self, seconds: float) -> None:
        self._wall += seconds
        self._monotonic += seconds

    def sleep(self, seconds: float) -> None:
        """Let the machine sleep: only the wall clock goes on."""
        self._wall += seconds


class News:
    """A notifier with given notifications."""

    def __init__(self) -> None:
        self.note = ""
        self.followed: dict[str, tuple[str, Heard]] = {}
        self.dead: set[str] = set()
        self.overflow = False

    def follow(self, key: str, folder: str, received: Heard, /, *, recursive: bool) -> str:
        if not self.note:
            self.followed[key] = (folder, received)
            self.dead.discard(key)
        return self.note

    def forget(self, key: str, /) -> None:
        self.followed.pop(key, None)

    def alive(self, key: str, /) -> bool:
        return key in self.followed and key not in self.dead

    def lost(self) -> bool:
        lost, self.overflow = self.overflow, False
        return lost

    def stop(self) -> None:
        self.followed.clear()

    def tell(self, *paths: Path | str, folder: bool = False) -> None:
        """Notify all followers of a change at *paths*."""
        for root, received in list(self.followed.values()):
            for path in map(str, paths):
                if path.startswith(root):
                    received(path, folder)


@dataclass
class Report:
    """The report of a successful sync."""

    counts: dict[str, int] = field(default_factory=dict)
    cancelled: bool = False
    seconds: float = 0.0

    def count(self, *kinds: str) -> int:
        return sum(self.counts.get(kind, 0) for kind in kinds)

    def as_dict(self) -> dict[str, Any]:
        return {"counts": self.counts, "cancelled": self.cancelled, "seconds": self.seconds}


class Syncs:
    """A sync that records its calls, and fails a given number of times."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.calls: list[tuple[float, str, tuple[str, ...] | None]] = []
        self.failures: list[Exception] = []
        self.reports: list[Report] = []
        self.seconds = 0.0
        self.wholes = self.parts = 0

    def __call__(
        self, watch: Watch, only: Sequence[Path] | None, cancel: threading.Event, /
    ) -> Report:
        names = None if only is None else tuple(p.name for p in only)
        self.wholes += only is None
        self.parts += only is not None
        self.calls.append((self._clock.wall(), Path(watch.folder).name, names))
        self._clock.move(self.seconds)
        if self.failures:
            raise self.failures.pop(0)
        return self.reports.pop(0) if self.reports else Report({"new": 1})


class Simulation:
    """A manager in a simulated world: its clock, its news, its sync."""

    def __init__(
        self,
        library: Library,
        *,
        zone: tzinfo | None = None,
        state_of: Callable[[str], FileState] = file_state,
        wall: float = START,
    ) -> None:
        self.library = library
        self.watch_list = WatchList(library.settings.data_dir)
        self.clock = Clock(wall)
        self.news = News()
        self.syncs = Syncs(self.clock)
        self.zone, self.state_of = zone, state_of
        self.manager = self.new_manager()

    def new_manager(self) -> WatchManager:
        return WatchManager(
            self.library,
            self.watch_list,
            sync=self.syncs,
            clock=self.clock,
            notifier=self.news,
            zone=self.zone,
            state_of=self.state_of,
            run=lambda work: work(),
        )

    def restart(self) -> None:
        self.manager.close()
        self.news = News()
        self.manager = self.new_manager()

    def run(
        self, seconds: float, *, coarse: float = 0.0
    ) -> list[tuple[str, tuple[str, ...] | None]]:
        """Let time pass in the steps that the manager asks for, or in those of *coarse* seconds.

        Returns the folder and the paths of each sync of that time.
        """
        before = len(self.syncs.calls)
        end = self.clock.monotonic() + seconds
        while True:
            pause = self.manager.step()
            left = end - self.clock.monotonic()
            if left <= 0:
                break
            self.clock.move(min(max(pause, coarse), left))
        return [(name, paths) for _, name, paths in self.syncs.calls[before:]]


def day(hours: float, watches: int, *, scratch: Path, seed: int = 7) -> dict[str, float]:
    """Simulate *hours* of office work in *watches* folders and return the measurements.

    Single saves, bursts of hundreds of files, a file that grows for minutes, a failing sync at
    times. Resident memory in MiB is that of this process.
    """
    import psutil

    library = Library(load_settings(scratch / "data"), tier=UNLIMITED)
    collection = library.create("Simulated")
    chance = random.Random(seed)
    world = Simulation(library, state_of=lambda _path: (1, 1))
    folders = []
    for number in range(watches):
        folder = scratch / f"folder-{number}"
        folder.mkdir()
        folders.append(folder)
        schedule = ("on_change", "hourly", "every_6h", "daily")[number % 4]
        world.watch_list.add(collection.info.id, folder, schedule=schedule)
    process = psutil.Process()
    started, steps, events, most_paths = time.process_time(), 0, 0, 0
    rss = start = process.memory_info().rss
    end = world.clock.monotonic() + hours * 3600
    tick = 0
    while world.clock.monotonic() < end:
        events += _office_minute(world, chance, folders, tick)
        minute_ends = world.clock.monotonic() + 60
        while world.clock.monotonic() < minute_ends:
            pause = world.manager.step()
            world.clock.move(pause)
            steps += 1
            most_paths = max(most_paths, world.manager.sizes()["paths"])
        world.syncs.calls.clear()
        tick += 1
        if tick == 60:
            start = process.memory_info().rss
        rss = max(rss, process.memory_info().rss)
    cpu = time.process_time() - started
    sizes = world.manager.sizes()
    world.manager.close()
    mib = 1024.0 * 1024.0
    return {
        "hours": hours,
        "watches": float(watches),
        "events": float(events),
        "steps": float(steps),
        "whole_syncs": float(world.syncs.wholes),
        "partial_syncs": float(world.syncs.parts),
        "most_paths_waiting": float(most_paths),
        "paths_waiting_at_end": float(sizes["paths"]),
        "rss_after_first_hour_mib": start / mib,
        "rss_peak_mib": rss / mib,
        "rss_end_mib": process.memory_info().rss / mib,
        "cpu_seconds": cpu,
        "cpu_percent_of_simulated_time": 100 * cpu / (hours * 3600),
    }


def _office_minute(world: Simulation, chance: random.Random, folders: list[Path], tick: int) -> int:
    """Send the notifications of a minute and return their number."""
    message = 0
    for folder in folders:
        for _ in range(chance.randrange(4)):
            world.news.tell(folder / f"letter-{tick}-{chance.randrange(50)}.docx")
            message += 1
    if tick % 30 == 0:  # a copy of a folder of a thousand files
        for number in range(1000):
            world.news.tell(folders[tick % len(folders)] / f"scan-{tick}-{number}.pdf")
        message += 1000
    if tick % 97 == 0:
        world.syncs.failures.append(OSError(28, "No space left on device"))
    return message


def main(arguments: list[str] | None = None) -> int:
    """Run and print one figure a line."""
    import logging

    logging.getLogger("casetrack.watch").setLevel(logging.CRITICAL)  # failures are made on purpose
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--watches", type=int, default=4)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        figures = day(given.hours, given.watches, scratch=Path(scratch))
    for name, value in figures.items():
        sys.stdout.write(f"{name:<32}{value:,.4g}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
