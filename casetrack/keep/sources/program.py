"""Runs a program for a source: what it prints is read as it comes, and it ends when it has to."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_POLL_SECONDS = 0.05
_BLOCK = 1 << 16
_KEPT_OF_ERRORS = 16_384


@dataclass(slots=True)
class Limits:
    """When a program is ended before it ends by itself.

    Attributes
    ----------
    cancel
        Set it to end the program.
    seconds
        Longest time that it may take.
    silence
        Longest time in which it neither prints nor lets :attr:`alive` say that it works.
    alive
        Returns a number that changes while the program works without printing.
    stop
        Returns whether the program is to be ended now.
    """

    cancel: threading.Event | None = None
    seconds: float | None = None
    silence: float | None = None
    alive: Callable[[], int] | None = None
    stop: Callable[[], bool] | None = None


@dataclass(slots=True)
class Running:
    """A program that runs, or ran.

    Attributes
    ----------
    stdout
        What it prints.
    ended
        Why it was ended: ``"cancel"``, ``"time"``, ``"silence"``, ``"stop"``; empty where it ended
        by itself.
    code
        Its exit status, once it is over.
    """

    stdout: IO[bytes]
    _process: subprocess.Popen[bytes]
    ended: str = ""
    code: int = 0
    heard: float = field(default_factory=time.monotonic)
    _errors: bytearray = field(default_factory=bytearray)

    @property
    def errors(self) -> str:
        """The end of what it said of its errors."""
        return self._errors.decode("utf-8", "replace").replace("\r", "\n").strip()

    def blocks(self) -> Iterator[bytes]:
        """Yield what it prints, as it comes."""
        while block := os.read(self.stdout.fileno(), _BLOCK):
            self.heard = time.monotonic()
            yield block

    def listen(self) -> None:
        """Read its errors to their end."""
        errors = self._process.stderr
        while errors is not None and (block := os.read(errors.fileno(), _BLOCK)):
            self.heard = time.monotonic()
            self._errors += block
            del self._errors[:-_KEPT_OF_ERRORS]

    def watch(self, limits: Limits, over: threading.Event) -> None:
        """End the program where a limit is reached."""
        started, before = time.monotonic(), None
        while not over.wait(_POLL_SECONDS):
            now = time.monotonic()
            if limits.alive is not None:
                after = limits.alive()
                if after != before:
                    before, self.heard = after, now
            if limits.cancel is not None and limits.cancel.is_set():
                self.ended = "cancel"
            elif limits.seconds is not None and now - started > limits.seconds:
                self.ended = "time"
            elif limits.silence is not None and now - self.heard > limits.silence:
                self.ended = "silence"
            elif limits.stop is not None and limits.stop():
                self.ended = "stop"
            if self.ended:
                end(self._process)
                return


@contextmanager
def running(
    command: Sequence[str | Path],
    /,
    *,
    limits: Limits,
    given: bytes = b"",
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    """Run a program; it is over, with all that it started, when the block is left.

    Parameters
    ----------
    command
        The program and its arguments; no shell is asked.
    given
        What it finds on its standard input.
    folder
        Where it runs.
    environment
        All of it; that of this process where it is ``None``.

    Raises
    ------
    OSError
        It cannot be started.
    """
    with tempfile.TemporaryFile() as standard_input:
        standard_input.write(given)
        standard_input.seek(0)
        process = subprocess.Popen(
            list(command),
            stdin=standard_input,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=None if environment is None else dict(environment),
            **own_group(),
        )
    assert process.stdout is not None  # noqa: S101 - asked for above
    program = Running(process.stdout, process)
    over = threading.Event()
    listener = threading.Thread(target=program.listen, daemon=True)
    watcher = threading.Thread(target=program.watch, args=(limits, over), daemon=True)
    listener.start()
    watcher.start()
    try:
        yield program
        listener.join()
        program.code = process.wait()
    finally:
        over.set()
        end(process)
        process.wait()
        watcher.join()
        listener.join()
        process.stdout.close()
        if process.stderr is not None:
            process.stderr.close()


def own_group() -> dict[str, Any]:
    """Return what starts a program so that it can be ended with all that it starts."""
    if os.name == "posix":
        return {"start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0)}


def end(process: subprocess.Popen[bytes], /) -> None:
    """End a program and all that it started."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        return
    import psutil

    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                child.kill()
    process.kill()
