"""Time limits of reading a page: slow weights, and second readings on a busy machine."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from casetrack.parse.ocr import tesseract
from casetrack.parse.ocr.rapid import without_tiny_weights
from casetrack.parse.ocr.tesseract import _Pace


def _message(*fields: tuple[int, bytes | int]) -> bytes:
    """Write a message: numbers as they are, bytes with their length."""
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts += [_varint(number << 3), _varint(value)]
        else:
            parts += [_varint(number << 3 | 2), _varint(len(value)), value]
    return b"".join(parts)


def _varint(value: int) -> bytes:
    result = b""
    while value > 0x7F:
        result, value = result + bytes([value & 0x7F | 0x80]), value >> 7
    return result + bytes([value])


def _model(values: np.ndarray, kind: int) -> bytes:
    tensor = _message((1, values.size), (2, kind), (8, b"name"), (9, values.tobytes()))
    graph = _message((2, b"graph"), (5, tensor), (1, b"a node that stays as it is"))
    return _message((1, 7), (2, b"maker" * 60), (7, graph), (14, _message((1, b"key"))))


def test_weights_too_small_to_count_become_nothing_and_all_else_stays() -> None:
    values = np.array([1.0, 1e-40, -1e-45, -2e-38, 0.0, np.inf, -0.5], np.float32)
    left = np.array([1.0, 0.0, 0.0, -2e-38, 0.0, np.inf, -0.5], np.float32)
    assert without_tiny_weights(_model(values, 1)) == _model(left, 1)
    whole = np.array([1, 2, 3], np.int64)
    assert without_tiny_weights(_model(whole, 7)) == _model(whole, 7)


@pytest.mark.parametrize(
    "damaged",
    [_model(np.ones(9, np.float32), 1)[:-20], b"\x3a\xff", b"\x3b", b"\xff" * 20],
    ids=["cut short", "length without an end", "unknown kind", "endless number"],
)
def test_bytes_that_are_no_network_are_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError, match="ONNX"):
        without_tiny_weights(damaged)


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
