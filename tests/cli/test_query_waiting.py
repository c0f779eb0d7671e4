"""A statement that takes long is told of on a terminal, and leaves no trace there."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from casetrack.cli.query import waiting
from casetrack.cli.query.watching import watched

if TYPE_CHECKING:
    from casetrack.sql.control import Control


class _Screen(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def screen_of(written: str) -> str:
    """Return what stands on the one line of a terminal in the end."""
    cells: list[str] = []
    place = 0
    for letter in written:
        if letter == "\r":
            place = 0
            continue
        cells[place : place + 1] = [letter]
        place += 1
    return "".join(cells).rstrip()


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> _Screen:
    screen = _Screen(terminal=True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(waiting, "sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr(waiting, "QUIET_SECONDS", 0.1)
    return screen


def test_the_time_is_shown_meanwhile_and_gone_afterwards(screen: _Screen) -> None:
    def work(_: Control) -> int:
        time.sleep(0.3)
        return 7

    assert watched(work, memory_mb=1024) == 7
    assert "0 s; Ctrl-C " in screen.getvalue()
    assert screen_of(screen.getvalue()) == ""


def test_it_is_gone_where_the_statement_fails(screen: _Screen) -> None:
    def work(_: Control) -> None:
        time.sleep(0.3)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        watched(work, memory_mb=1024)
    assert screen.getvalue()
    assert screen_of(screen.getvalue()) == ""


def test_what_else_is_written_takes_its_place(screen: _Screen) -> None:
    def work(_: Control) -> None:
        time.sleep(0.3)
        screen.write("Note: a warning that is longer than the line itself\r")

    watched(work, memory_mb=1024)
    assert "Running" not in screen_of(screen.getvalue())


def test_nothing_is_told_of_quick_ones(monkeypatch: pytest.MonkeyPatch, screen: _Screen) -> None:
    monkeypatch.setattr(waiting, "QUIET_SECONDS", 30.0)
    watched(lambda _: time.sleep(0.12), memory_mb=1024)
    assert screen.getvalue() == ""


def test_nothing_is_told_where_standard_error_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, screen: _Screen
) -> None:
    screen._terminal = False
    watched(lambda _: time.sleep(0.3), memory_mb=1024)
    assert screen.getvalue() == ""
