"""A data folder per operation, copied for each run, and the expected course of the operation."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from casetrack.base.files import folder_bytes
from tests.crash.faults import Faults
from tests.crash.operations import OPERATIONS
from tests.crash.world import Seen, garbage, look
from tests.crash.zygote import Zygote


@dataclass
class Bench:
    """Runs operations, each on a copy of its prepared data folder."""

    home: Path
    faults: Faults
    zygote: Zygote

    def __post_init__(self) -> None:
        self._copies = 0
        self._courses: dict[str, Course] = {}

    def files(self, operation: str) -> Path:
        """The files that the operation works on."""
        prepare = OPERATIONS[operation].prepare
        return self.home / "prepared" / prepare.__name__ / "files"

    def prepared(self, operation: str) -> Path:
        """The data folder that the operation starts from; made at the first call."""
        folder = self.files(operation).parent
        if not folder.exists():
            folder.mkdir(parents=True)
            (folder / "data").mkdir()
            self.faults.arm(folder)
            child = self.zygote.start(operation, folder / "data", folder / "files", "prepare")
            assert child.wait() == 0, child.error["trace"]
        return folder / "data"

    def copy(self, operation: str, home: Path | None = None) -> Path:
        """A copy of that data folder, to be changed."""
        self._copies += 1
        target = (home or self.home / "copies") / f"{self._copies:05d}"
        shutil.copytree(self.prepared(operation), target)
        return target

    def course(self, operation: str) -> Course:
        """Return the course of the operation without interruption, measured at the first call."""
        if operation not in self._courses:
            data_dir = self.copy(operation)
            self.faults.arm(data_dir)
            begun = time.monotonic()
            child = self.zygote.start(operation, data_dir, self.files(operation))
            assert child.wait() == 0, child.error["trace"]
            seconds, calls = time.monotonic() - begun, self.faults.count
            grown = folder_bytes(data_dir) - folder_bytes(self.prepared(operation))
            self.faults.disarm()
            # Reading may migrate an older collection, so it needs a copy.
            states = [look(self.copy(operation)), look(data_dir)]
            if len(child.acknowledged) > 1:
                states = self._step_by_step(operation, states[0])
            assert garbage(data_dir) == []
            self._courses[operation] = Course(calls, seconds, grown, states)
        return self._courses[operation]

    def _step_by_step(self, operation: str, before: dict[str, Seen]) -> list[dict[str, Seen]]:
        states, data_dir = [before], self.copy(operation)
        OPERATIONS[operation].run(
            data_dir, self.files(operation), lambda _: states.append(look(data_dir))
        )
        return states


@dataclass(frozen=True)
class Course:
    """Course of an operation without interruption.

    Attributes
    ----------
    calls
        Number of calls that change a file; 0 if they cannot be counted.
    seconds
        Duration.
    grown
        Growth of the data folder in bytes.
    states
        Visible state before it and after each acknowledged step.
    """

    calls: int
    seconds: float
    grown: int
    states: list[dict[str, Seen]]


@contextlib.contextmanager
def workbench(home: Path, /) -> Iterator[Bench]:
    """Make a bench in a folder; its processes end with the block."""
    (home / "runs").mkdir()
    faults = Faults(home)
    zygote = Zygote(faults, home / "runs", CASETRACK_MODELS=str(home / "no-models"))
    try:
        yield Bench(home, faults, zygote)
    finally:
        zygote.close()
