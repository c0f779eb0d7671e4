"""Running of a program for a source, with streamed output and limits."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

_POLL_SECONDS = 0.05
_BLOCK = 1 << 16
_KEPT_OF_ERRORS = 16_384


@dataclass(slots=True)
class Limits:
    """Conditions that stop a program.

    Attributes
    ----------
    silence
        Maximum time without output and without a change of :attr:`alive`.
    alive
        Returns a number that changes while the program works without output.
    """

    cancel: threading.Event | None = None
    seconds: float | None = None
    silence: float | None = None
    alive: Callable[[], int] | None = None
    stop: Callable[[], bool] | None = None


@dataclass(slots=True)
class Running:
    """A running or finished program.

    Attributes
    ----------
    ended
        Why it was stopped: ``"cancel"``, ``"time"``, ``"silence"``, ``"stop"``; else empty.
    """

    stdout: IO[bytes]
    _process: subprocess.Popen[bytes]
    ended: str = ""
    code: int = 0
    heard: float = field(default_factory=time.monotonic)
    _errors: bytearray = field(default_factory=bytearray)

    @property
    def errors(self) -> str:
        """The end of its error output."""
        return self._errors.decode("utf-8", "replace").replace("\r", "\n").strip()

    def blocks(self) -> Iterator[bytes]:
        """Yield its output as it arrives."""
        while block := os.read(self.stdout.fileno(), _BLOCK):
            self.heard = time.monotonic()
            yield block

    def listen(self) -> None:
        """Read its error output to the end."""
        errors = self._process.stderr
        while errors is not None and (block := os.read(errors.fileno(), _BLOCK)):
            self.heard = time.monotonic()
            self._errors += block
            del self._errors[:-_KEPT_OF_ERRORS]

    def watch(self, limits: Limits, over: threading.Event) -> None:
        """Stop the program when a limit is reached."""
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
    """Run a program without a shell; leaving the block stops it and its child processes."""
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
    assert process.stdout is not None  # noqa: S101 - requested above
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
    """Return options that start a program in its own process group."""
    if os.name == "posix":
        return {"start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0)}


def end(process: subprocess.Popen[bytes], /) -> None:
    """Stop a program and its child processes."""
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
