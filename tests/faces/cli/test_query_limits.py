"""``casetrack query`` keeps its limits, also where DuckDB does not look at them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import pytest

from faces.cli.conftest import ROOT, Run, error_of, process
from store.sql.hostile_statements import UNSTOPPABLE

pytestmark = pytest.mark.slow

_DEAF = """
import signal, time
from casetrack.faces.cli.query.running import watched

def work(control):
    print("begun")
    signal.raise_signal(signal.SIGINT)
    time.sleep(60)

watched(work, memory_mb=1024)
"""


class _Terminal:
    """The dialogue of a data folder on a terminal; text is returned once only."""

    def __init__(self, home: Path) -> None:
        self._keyboard, self._screen = os.openpty()
        self._unread = ""
        self.child = subprocess.Popen(
            [sys.executable, "-m", "casetrack", "query", "-c", "Other", "--data-dir", str(home)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
            | {"PROMPT_TOOLKIT_NO_CPR": "1"},
            stdin=self._screen,
            stdout=self._screen,
            stderr=self._screen,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.kill()
        self.child.wait()
        os.close(self._keyboard)
        os.close(self._screen)

    def type(self, text: str) -> None:
        os.write(self._keyboard, text.encode())

    def settings(self) -> list[object]:
        """Return how the terminal treats keys."""
        import termios

        return termios.tcgetattr(self._keyboard)

    def seen(self, text: str, seconds: float = 60.0) -> bool:
        """Read on until *text* comes, and no further."""
        end = time.monotonic() + seconds
        while text not in self._unread and time.monotonic() < end:
            if select.select([self._keyboard], [], [], 0.1)[0]:
                self._unread += os.read(self._keyboard, 4096).decode(errors="replace")
        _, result, rest = self._unread.partition(text)
        self._unread = rest if result else self._unread
        return bool(result)


def _limit(home: Path, text: str) -> None:
    (home / "config.toml").write_text(f"[sql]\n{text}\n")


def test_a_statement_that_takes_all_memory_is_ended(filled: Run, home: Path) -> None:
    assert filled("collection", "list").code == 0
    _limit(home, "memory_mb = 64")
    ended = process("query", UNSTOPPABLE["growing"], "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (2, "query")
    assert "64MB" in error["message"]
    assert "LIMIT" in error["hint"]


def test_the_end_of_a_process_writes_nothing(filled: Run, home: Path) -> None:
    """DuckDB's bindings write about leaks to standard error unless garbage is collected at exit."""
    assert filled("collection", "list").code == 0
    assert process("entities").err == ""


def test_a_statement_that_cannot_be_interrupted_is_ended(filled: Run, home: Path) -> None:
    assert filled("collection", "list").code == 0
    _limit(home, "timeout_seconds = 0.2")
    statements = f"SELECT 6 * 7 AS before;\n{UNSTOPPABLE['busy']};\nSELECT 8 AS after;\n"
    ended = process("query", "--format", "csv", stdin=statements)
    assert (ended.code, ended.out) == (2, "before\n42\n")
    assert "0.2 " in ended.err


def test_ctrl_c_ends_what_cannot_be_interrupted() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DEAF],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 130
    assert (done.stdout, len(done.stderr.splitlines())) == ("begun\n", 1)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals of this kind")
def test_the_dialogue_outlives_what_cannot_be_interrupted(filled: Run, home: Path) -> None:
    assert filled("collection", "create", "Other").code == 0
    _limit(home, "timeout_seconds = 0.2")
    with _Terminal(home) as terminal:
        before = terminal.settings()
        assert terminal.seen("Other>")
        terminal.type("\\set n=41\r")
        assert terminal.seen("Other>")
        terminal.type("\\use Mill\r")
        assert terminal.seen("Mill>")
        terminal.type(UNSTOPPABLE["busy"] + ";\r")
        assert terminal.seen("\x1b[?2004l")
        assert terminal.seen(" 0.2 ")
        assert terminal.seen("Mill>")
        terminal.type("SELECT $n + 1 AS n;\r")
        assert terminal.seen("42")
        assert terminal.seen("Mill>")
        terminal.type("\\set\r")
        assert terminal.seen("$n = 41")
        assert terminal.seen("Mill>")
        terminal.type("\x04")
        assert terminal.child.wait(timeout=60) == 0
        assert terminal.settings() == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals of this kind")
def test_ctrl_c_on_a_terminal_cancels_the_statement_only(filled: Run, home: Path) -> None:
    assert filled("collection", "create", "Other").code == 0
    with _Terminal(home) as terminal:
        assert terminal.seen("Other>")
        terminal.type("SELECT sum(a.range % 7) FROM range(10000000) a, range(100000) b;\r")
        assert terminal.seen("\x1b[?2004l")
        # The editor gives the keyboard back a moment later; until then Ctrl-C is its own.
        for _ in range(40):
            if terminal.seen("Other>", 0.5):
                break
            terminal.child.send_signal(signal.SIGINT)
        terminal.type("SELECT 6 * 7 AS answer;\r")
        assert terminal.seen("42")
        assert terminal.seen("Other>")
        terminal.type("\x04")
        assert terminal.child.wait(timeout=30) == 0
