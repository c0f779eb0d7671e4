"""Progress on standard error: silent when quick, lines in a log, a bar on a terminal; Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

import casetrack
from casetrack.base.records import IngestProgress
from casetrack.faces.cli import progress
from casetrack.faces.cli.progress import Meter, stoppable

ROOT = Path(casetrack.__file__).parents[1]


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let time pass without waiting."""
    now = [1000.0]

    def pass_by(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return pass_by


def test_a_log_gets_a_line_now_and_then(
    wait: Callable[[float], None], capsys: pytest.CaptureFixture[str]
) -> None:
    with Meter("Reading") as meter:
        for done in range(30):
            meter.ingest(IngestProgress(done, 30, "/a/Lease\x1b.pdf", done * 10, done * 25))
            wait(1)
    lines = capsys.readouterr().err.splitlines()
    assert [re.findall(r"\d+", line) for line in lines] == [
        ["10", "30", "100", "250"],
        ["20", "30", "200", "500"],
    ]
    assert all("Lease\ufffd.pdf" in line for line in lines)


@pytest.mark.parametrize(("seconds", "seen"), [(0.5, False), (3.0, True)])
def test_a_terminal_gets_a_bar_for_long_work(seconds: float, seen: bool) -> None:
    class Terminal(TextIOWrapper):
        def isatty(self) -> bool:
            return True

    raw = BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", "80")
        patch.setattr(sys, "stderr", Terminal(raw, encoding="utf-8"))
        real = time.monotonic
        shift = [0.0]
        patch.setattr(progress.time, "monotonic", lambda: real() + shift[0])
        with Meter("Reading") as meter:
            shift[0] = seconds
            meter.ingest(IngestProgress(7, 50, "/a/Lease.pdf", 3, 9))
            time.sleep(0.25)  # the bar draws itself ten times a second
        sys.stderr.flush()
        text = raw.getvalue().decode()
    assert ("7/50" in text and "Lease.pdf" in text) == seen
    assert "\x1b[?25h" in text  # the cursor is back


def test_the_handler_of_ctrl_c_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stoppable() as stop:
        assert signal.getsignal(signal.SIGINT) is not before
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.wait(60)
    assert signal.getsignal(signal.SIGINT) is before


def test_the_second_ctrl_c_ends_the_process_and_its_workers() -> None:
    code = (
        "import subprocess, sys, time\n"
        "from casetrack.faces.cli.progress import stoppable\n"
        "with stoppable():\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "    print(child.pid, flush=True)\n"
        "    while True: time.sleep(0.05)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        worker = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == "\n"
        assert "Ctrl-C" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline()
        assert process.wait(timeout=60) == 130
    assert gone_within(10, worker)


def gone_within(seconds: float, pid: int) -> bool:
    """Return whether a process has ended within *seconds*; its parent may not have noticed yet."""
    import psutil

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False
