"""A slow statement shows its time on a terminal and removes it afterwards."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from casetrack.faces.cli.query import running
from casetrack.faces.cli.query.running import watched

if TYPE_CHECKING:
    from casetrack.base.sql.control import Control


class _Screen(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> _Screen:
    screen = _Screen(terminal=True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(running, "sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr(running, "QUIET_SECONDS", 0.1)
    return screen


def test_the_time_is_shown_meanwhile_and_gone_afterwards(screen: _Screen) -> None:
    def work(_: Control) -> int:
        time.sleep(0.3)
        return 7

    assert watched(work, memory_mb=1024) == 7
    before, erased, after = screen.getvalue().rpartition("\x1b[2K")
    assert ("0 s; Ctrl-C " in before, bool(erased), after) == (True, True, "")


def test_nothing_is_reported_where_standard_error_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, screen: _Screen
) -> None:
    screen._terminal = False
    watched(lambda _: time.sleep(0.3), memory_mb=1024)
    assert screen.getvalue() == ""
