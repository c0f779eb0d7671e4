"""Time limits of reading a page, and second readings on a busy machine."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from casetrack.parse.ocr import tesseract
from casetrack.parse.ocr.tesseract import _Pace


@dataclass
class _Machine:
    """A recogniser with a given CPU time, and a share of the CPU for it."""

    needs: float
    share: float
    work: float = 0.0
    wall: float = 0.0
    asked: list[float] = field(default_factory=list)

    def Recognize(self, timeout: int) -> bool:  # noqa: N802 - the library's name
        self.asked.append(timeout / 1000)
        spent = min(timeout / 1000, self.needs / self.share)
        self.wall += spent
        self.work += spent * self.share
        return spent * self.share >= self.needs

    def monotonic(self) -> float:
        return self.wall

    def thread_time(self) -> float:
        return self.work


@pytest.mark.parametrize(
    ("needs", "share", "readings", "done"),
    [(2.0, 1.0, 1, True), (4.0, 0.2, 2, True), (99.0, 1.0, 1, False), (99.0, 0.1, 2, False)],
    ids=["quiet", "busy", "hopeless", "hopeless and busy"],
)
def test_a_page_is_given_up_by_work_and_not_by_waiting(
    monkeypatch: pytest.MonkeyPatch, needs: float, share: float, readings: int, *, done: bool
) -> None:
    machine = _Machine(needs, share)
    monkeypatch.setattr(tesseract, "time", machine)
    assert _Pace().recognize(machine) is done
    assert len(machine.asked) == readings


def test_a_busy_machine_reads_the_next_page_once(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(0.1, 0.2)
    monkeypatch.setattr(tesseract, "time", machine)
    pace = _Pace()
    assert pace.recognize(machine)
    machine.needs, machine.asked = 8.0, []
    assert pace.recognize(machine)
    assert len(machine.asked) == 1
