"""Runs operations in separate processes that start at once and can be killed.

Run as a program, it reads requests from standard input, one line of JSON each, and forks a process
per request with its own process group. It writes two lines per request: the process id, and the
exit. It has imported all slow modules that start no thread.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import signal
import subprocess
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.crash.faults import Faults

_PRELOADED = (
    "lance.fragment",
    "pyarrow",
    "casetrack.ingest.batch",
    "casetrack.api.library",
    "casetrack.store.index.index",
    "tests.crash.operations",
)
CHECKOUT = Path(__file__).parents[2]


class Child:
    """A process that runs one operation; ``pid`` is also the id of its group."""

    def __init__(self, zygote: Zygote, pid: int, home: Path) -> None:
        self.pid = pid
        self._zygote = zygote
        self._home = home

    def kill(self) -> None:
        """Kill it and everything that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Return its exit status; negative for the signal that ended it."""
        return int(self._zygote.answer())

    @property
    def acknowledged(self) -> list[str]:
        """Return the acknowledged steps."""
        return self._lines("acknowledged")

    @property
    def repairs(self) -> list[str]:
        """Return the reported repairs."""
        return self._lines("repairs")

    @property
    def error(self) -> dict[str, str]:
        """The error that ended it: ``code``, ``message``, ``hint``, ``trace``."""
        text = "".join(self._lines("error"))
        return json.loads(text) if text else {}

    def _lines(self, name: str) -> list[str]:
        path = self._home / name
        return path.read_text("utf-8").splitlines() if path.exists() else []


class Zygote:
    """Starts the program, and asks it."""

    def __init__(self, faults: Faults, home: Path, **environment: str) -> None:
        self._home = home
        self._faults = faults
        self._runs = 0
        path = os.pathsep.join([str(CHECKOUT), str(CHECKOUT / "tests")])
        settings = {
            "PYTHONPATH": path,
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            **environment,
            **faults.environment,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **settings},
            cwd=CHECKOUT,
            text=True,
        )

    def start(self, operation: str, data_dir: Path, files: Path, part: str = "run") -> Child:
        """Let a process carry out *part* of an operation of the table on a data folder."""
        self._runs += 1
        home = self._home / f"{self._runs:05d}"
        home.mkdir()
        request = {
            "operation": operation,
            "part": part,
            "data_dir": str(data_dir),
            "files": str(files),
            "home": str(home),
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        child = Child(self, int(self.answer()), home)
        self._faults.mean(child.pid)
        (home / "go").touch()
        return child

    def answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the zygote has ended"
        return line

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()


# --- in the program --------------------------------------------------------------------------


def main() -> None:
    """Serve requests until the standard input ends."""
    for name in _PRELOADED:
        importlib.import_module(name)
    # Nothing of Lance runs yet when a child is made, so there is nothing that a fork could break.
    warnings.filterwarnings("ignore", message="lance is not fork-safe")
    with importlib.import_module("older_form").known():
        _serve()


def _serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            status = 99
            try:
                status = _carry_out(request)
            finally:
                os._exit(status)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.setpgid(pid, pid)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _carry_out(request: dict[str, Any]) -> int:
    import time

    from casetrack.base.errors import CaseTrackError
    from tests.crash.operations import OPERATIONS, PULL
    from tests.crash.world import look

    with contextlib.suppress(PermissionError):
        os.setpgid(0, 0)
    # Output of the operations must not be mixed with the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    home = Path(request["home"])
    end = time.monotonic() + 30
    while not (home / "go").exists():
        assert time.monotonic() < end, "nobody says go"
        time.sleep(0.001)
    logging.getLogger("casetrack.repairs").addHandler(logging.FileHandler(home / "repairs"))
    text = os.open(home / "acknowledged", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def acknowledge(what: str) -> None:
        os.write(text, f"{what}\n".encode())

    operation, data_dir = OPERATIONS.get(request["operation"], PULL), Path(request["data_dir"])
    try:
        if request["part"] == "look":
            look(data_dir)
        else:
            part = getattr(operation, request["part"])
            part(data_dir, Path(request["files"]), acknowledge)
    except Exception as error:  # noqa: BLE001 - passed on to the test
        known = isinstance(error, CaseTrackError)
        result = {
            "code": error.code if known else type(error).__name__,
            "message": error.message if known else str(error),
            "hint": (error.hint or "") if known else "",
            "trace": "".join(traceback.format_exception(error)),
        }
        (home / "error").write_text(json.dumps(result), "utf-8")
        return 1
    return 0


if __name__ == "__main__":
    main()
