"""The parent's side of one worker process, and the thread that starts and watches them."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from casetrack.base.errors import CaseTrackError
from casetrack.parse.workers.messages import read_frame, write_json

if TYPE_CHECKING:
    import psutil

    from casetrack.base.config import ParseLimits

_WATCH_SECONDS = 0.1
_START_SECONDS = 120.0
_STARTS = 3
"""Number of workers in a row that may end before they are ready, as with a brief lack of memory."""
_BYTES_AHEAD = 4 * 2**20
"""Maximum amount by which a worker may precede its consumer."""
_PACKAGE_ROOT = str(Path(__file__).parents[3])

CLOSED = "the pool of readers was closed"
_WAKE, _END = "wake", "end"

Frame = tuple[bytes, bytes]


class PoolClosed(RuntimeError):
    """The pool was closed while a caller still needed it."""


class WorkerTimeout(Exception):
    """A worker did not answer in time."""


class _Frames:
    """A queue of frames, bounded by bytes: pages differ a thousandfold in size."""

    def __init__(self) -> None:
        self._waiting: deque[Frame | None] = deque()
        self._bytes = 0
        self._change = threading.Condition()

    def put(self, frame: Frame | None, seconds: float, /) -> bool:
        """Add a frame; return whether there was space within *seconds*."""
        with self._change:
            if not self._change.wait_for(lambda: self._bytes < _BYTES_AHEAD, seconds):
                return False
            self._waiting.append(frame)
            self._bytes += len(frame[1]) if frame else 0
            self._change.notify_all()
            return True

    def get(self, seconds: float, /) -> Frame | None:
        """Return the next frame; raise ``queue.Empty`` if there is none within *seconds*."""
        with self._change:
            if not self._change.wait_for(lambda: self._waiting, seconds):
                raise queue.Empty
            frame = self._waiting.popleft()
            self._bytes -= len(frame[1]) if frame else 0
            self._change.notify_all()
            return frame


class WorkerProcess:
    """One child process; a thread reads its frames, because pipes cannot be polled on Windows."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.over_memory = False
        self.busy = False
        self._watched: psutil.Process | None = None
        self._dead = threading.Event()
        self._frames = _Frames()
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            creationflags=flags,
        )
        threading.Thread(target=self._pump, name="casetrack-frames", daemon=True).start()

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    def _pump(self) -> None:
        """Move frames from the pipe to the queue; a full queue blocks the child."""
        stream = cast("BinaryIO", self._process.stdout)
        frame: Frame | None = (b"", b"")
        while frame is not None and not self._dead.is_set():
            try:
                frame = read_frame(stream)
            except (OSError, ValueError):
                # The pipe was closed during the read: the worker is gone.
                frame = None
            while not self._dead.is_set() and not self._frames.put(frame, _WATCH_SECONDS):
                continue

    def request(self, message: dict[str, Any], /) -> None:
        """Send a request; if the child is gone, the next frame reports it."""
        self.busy = True
        stream = cast("BinaryIO", self._process.stdin)
        try:
            write_json(stream, message)
        except OSError:
            # The output has ended too, which the reading thread reports.
            return

    def next_frame(self, seconds: float, /) -> tuple[Frame | None, float]:
        """Wait for a frame (``None``: the child is gone); return also the remaining seconds."""
        start = time.monotonic()
        while True:
            left = seconds - (time.monotonic() - start)
            if left <= 0:
                raise WorkerTimeout
            try:
                frame = self._frames.get(min(left, _WATCH_SECONDS))
            except queue.Empty:
                if self._dead.is_set():
                    return None, left
                continue
            return frame, left

    def resident_bytes(self) -> int:
        """Return the child's resident memory without mapped files (Linux); 0 after its end."""
        import psutil

        try:
            if self._watched is None:
                self._watched = psutil.Process(self.pid)
            info = self._watched.memory_info()
            # Pages of mapped files, Linux only: their number depends on the page cache.
            return int(info.rss - getattr(info, "shared", 0))
        except psutil.Error:
            return 0

    def is_fit(self, memory_mb: int, /) -> bool:
        """Return whether the child may read another file: alive, and below half of *memory_mb*."""
        if self._dead.is_set() or self.over_memory or self._process.poll() is not None:
            return False
        return self.resident_bytes() < memory_mb * 1024 * 1024 // 2

    def exit_reason(self) -> str:
        """Return the reason of the child's end."""
        if self._dead.is_set():
            return "it was stopped"
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if code < 0:
            return f"killed by signal {_signal_name(-code)}"
        return f"exit code {code}"

    def stop_for_memory(self) -> None:
        """End the child; frames that it sent before can still be read."""
        self.over_memory = True
        self._process.kill()

    def kill(self) -> None:
        """End the child at once, and drop its frames."""
        self._dead.set()
        self._process.kill()

    def reap(self) -> None:
        """Wait for the killed child and close its pipes."""
        self.kill()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            # Blocked in the kernel (by a dead network drive); it ends when the kernel releases it.
            return
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                _close(cast("BinaryIO", stream))


def _close(stream: BinaryIO) -> None:
    try:
        stream.close()
    except (BrokenPipeError, OSError):
        # Unsent bytes for a child that is gone.
        return


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


class WorkerStarter:
    """Starts workers and watches their memory, all from one thread.

    Linux ends a child with the *thread* that started it, so workers must be started by a thread
    that lives as long as the pool. It does not keep the program alive.
    """

    def __init__(self, readers: str, limits: ParseLimits) -> None:
        self._command = [
            sys.executable,
            "-P",
            "-m",
            "casetrack.parse.workers.worker",
            readers,
            str(limits.memory_mb),
            str(limits.timeout_seconds),
            str(os.getpid()),
        ]
        self._limit_bytes = limits.memory_mb * 1024 * 1024
        self._orders: queue.SimpleQueue[Future[WorkerProcess] | str] = queue.SimpleQueue()
        self._all: set[WorkerProcess] = set()
        # Re-entrant: collecting garbage may end a forgotten read while this thread holds it.
        self._lock = threading.RLock()
        self._closed = False
        self._thread: threading.Thread | None = None

    def spawn(self) -> WorkerProcess:
        """Start a worker and wait until it is ready; ``CaseTrackError`` after several failures."""
        deaths: list[str] = []
        while len(deaths) < _STARTS:
            worker = self._requested()
            try:
                frame, _ = worker.next_frame(_START_SECONDS)
            except WorkerTimeout:
                frame = None
            if frame is not None and json.loads(frame[1])["event"] == "ready":
                return worker
            deaths.append(worker.exit_reason())
            self.discard(worker)
            if self._closed:
                raise PoolClosed(CLOSED)
        raise CaseTrackError(
            f"A reader process did not start, {_STARTS} times in a row ({deaths[-1]}).",
            hint="Close other programs if the machine is short of memory. Try `python -m "
            "casetrack.parse.workers.worker` to see why, or install CaseTrack again.",
        )

    def _requested(self) -> WorkerProcess:
        order: Future[WorkerProcess] = Future()
        with self._lock:
            if self._closed:
                raise PoolClosed(CLOSED)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="casetrack-readers", daemon=True
                )
                self._thread.start()
            self._orders.put(order)
        return order.result()

    def wake(self) -> None:
        """Resume watching: a worker has become busy."""
        self._orders.put(_WAKE)

    def discard(self, worker: WorkerProcess, /) -> None:
        """End a worker and forget it."""
        worker.reap()
        with self._lock:
            self._all.discard(worker)

    def close(self) -> None:
        """End all workers and the thread."""
        with self._lock:
            self._closed = True
            workers, self._all = list(self._all), set()
            thread = self._thread
        self._orders.put(_END)
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.reap()
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=10)

    def _run(self) -> None:
        while True:
            try:
                order = self._orders.get(timeout=_WATCH_SECONDS if self._watch() else None)
            except queue.Empty:
                continue
            if isinstance(order, str):
                if order == _END:
                    return
                continue
            try:
                order.set_result(self._start())
            except BaseException as error:  # noqa: BLE001 - handed to the thread that asked
                order.set_exception(error)

    def _start(self) -> WorkerProcess:
        environment = dict(os.environ)
        # The child must find the same packages as this process, and none in the current folder.
        path = [entry for entry in sys.path if entry]
        if _PACKAGE_ROOT not in path:
            path.insert(0, _PACKAGE_ROOT)
        environment["PYTHONPATH"] = os.pathsep.join(path)
        # The limit is on address space: allocators must not reserve unused gigabytes.
        environment["MALLOC_ARENA_MAX"] = "2"
        environment["OPENBLAS_NUM_THREADS"] = "1"
        environment["ARROW_DEFAULT_MEMORY_POOL"] = "system"
        worker = WorkerProcess(self._command, environment)
        with self._lock:
            if not self._closed:
                self._all.add(worker)
                return worker
        worker.reap()
        raise PoolClosed(CLOSED)

    def _watch(self) -> bool:
        """Kill workers over the memory limit; return whether any worker is busy."""
        with self._lock:
            workers = [worker for worker in self._all if worker.busy]
        for worker in workers:
            if worker.resident_bytes() > self._limit_bytes:
                worker.stop_for_memory()
        return bool(workers)
