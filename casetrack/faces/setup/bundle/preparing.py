"""Downloads the libraries and then the models of a new bundle, with visible progress.

Only the standard library is imported, because nothing else is installed yet.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

_LOADING = re.compile(
    r"^\s*(Downloading|Building|Downloaded|Built) (\S+)(?: \(([\d.]+)(KiB|MiB|GiB)\))?"
)
_UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_MODEL_BYTES = 120_000_000
_PAUSES = (10.0, 30.0, 60.0, 300.0)
"""Seconds before each retry; the last value repeats."""
_LOOKS_SECONDS = 0.5
_REASON_LINES = 4


@dataclass(slots=True)
class Progress:
    """Progress of the download; other threads read it at any time.

    Attributes
    ----------
    phase
        ``libraries``, then ``models``, then ``ready``.
    done, total
        Bytes of this phase; *total* grows while the list of downloads grows.
    problem
        Error of the last attempt; empty during an attempt.
    """

    phase: str = "libraries"
    done: int = 0
    total: int = 0
    problem: str = ""

    @property
    def sentence(self) -> str:
        """Return the current progress as a sentence."""
        what = {
            "libraries": "The libraries of CaseTrack are being downloaded",
            "models": "CaseTrack can be used. The models for search by meaning and for scans are "
            "being downloaded; until then, search matches words only",
        }.get(self.phase)
        if what is None:
            return "CaseTrack is ready."
        if self.problem:
            return (
                f"The {self.phase} could not be downloaded: {self.problem} The download is "
                "repeated automatically and continues. Check the network connection."
            )
        if not self.total:
            return f"{what}."
        share = min(self.done / self.total, 1.0)
        return f"{what}: {_megabytes(self.done)} of {_megabytes(self.total)} ({share:.0%})."


@dataclass(slots=True)
class Preparation:
    """Makes the bundle's environment with uv, then downloads the models with it.

    Attributes
    ----------
    root
        The bundle's folder.
    data_dir
        The data folder, which contains the models.
    libraries
        Set when the server can be started.
    finished
        Set when everything is installed.
    """

    root: Path
    data_dir: Path
    progress: Progress = field(default_factory=Progress)
    libraries: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _running: subprocess.Popen[str] | None = None

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        folder = self.root / ".venv"
        return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def is_prepared(self) -> bool:
        """Whether the environment is complete and of this version of the bundle."""
        try:
            return self._mark.read_bytes() == self._wanted and self.python.exists()
        except OSError:
            return False

    def start(self) -> threading.Thread:
        """Start the download, and return its thread."""
        thread = threading.Thread(target=self.run, name="preparing", daemon=True)
        thread.start()
        return thread

    def run(self) -> None:
        """Download everything, with repeated attempts until success or a call of `stop`."""
        if self._until_done(self._fetch_libraries):
            self.libraries.set()
            self.progress.phase, self.progress.done, self.progress.total = "models", 0, 0
            if self._until_done(self._fetch_models):
                self.progress.phase = "ready"
                self.finished.set()

    def stop(self) -> None:
        """End the current work; downloaded data is kept for the next start."""
        self._stopped.set()
        if self._running is not None:
            self._running.kill()

    @property
    def _mark(self) -> Path:
        return self.root / ".venv" / "casetrack.whole"

    @property
    def _wanted(self) -> bytes:
        return (self.root / "pyproject.toml").read_bytes()

    def _until_done(self, step: Callable[[], str | None]) -> bool:
        tries = 0
        while not self._stopped.is_set():
            reason = step()
            if reason is None:
                self.progress.problem = ""
                return True
            self.progress.problem = reason
            self._stopped.wait(_PAUSES[min(tries, len(_PAUSES) - 1)])
            self.progress.problem = ""
            tries += 1
        return False

    def _fetch_libraries(self) -> str | None:
        """Make the environment; return the reason of a failure, or ``None``."""
        uv = os.environ.get("UV") or shutil.which("uv")
        if uv is None:
            return "The installer uv is missing on this computer."
        sizes: dict[str, int] = {}
        whole: set[str] = set()

        def note(line: str) -> None:
            loading = _LOADING.match(line)
            if loading is None:
                return
            verb, name, number, unit = loading.groups()
            if verb in {"Downloaded", "Built"}:
                whole.add(name)
            elif number:
                sizes[name] = int(float(number) * _UNITS[unit])
            self.progress.total = sum(sizes.values())
            self.progress.done = sum(size for name, size in sizes.items() if name in whole)

        command = [uv, "sync", "--no-dev", "--no-progress", "--directory", str(self.root)]
        # The environment that runs this very file, if any, is another one.
        env = {k: v for k, v in os.environ.items() if k not in {"VIRTUAL_ENV", "PYTHONPATH"}}
        reason = self._ended(command, env, note)
        if reason is None:
            self._mark.write_bytes(self._wanted)
        return reason

    def _fetch_models(self) -> str | None:
        """Download the models; return the reason of a failure, or ``None``."""
        watched = threading.Event()
        watcher = threading.Thread(target=self._watch_models, args=(watched,), daemon=True)
        watcher.start()
        command = [str(self.python), "-m", "casetrack", "--data-dir", str(self.data_dir)]
        try:
            return self._ended([*command, "models", "pull"], dict(os.environ), lambda _: None)
        finally:
            watched.set()
            watcher.join()

    def _watch_models(self, ended: threading.Event) -> None:
        folder = Path(os.environ.get("CASETRACK_MODELS") or self.data_dir / "models")
        self.progress.total = _MODEL_BYTES
        while not ended.wait(_LOOKS_SECONDS):
            self.progress.done = min(_size(folder), _MODEL_BYTES)

    def _ended(
        self, command: list[str], env: dict[str, str], note: Callable[[str], None]
    ) -> str | None:
        """Run a program to its end, handling each line; return its last lines if it failed."""
        try:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            return f"{command[0]} cannot be started ({error.strerror or error})."
        self._running = process
        if self._stopped.is_set():
            process.kill()
        lines = _noted(process.stdout, note)
        code = process.wait()
        self._running = None
        if code == 0:
            return None
        reason = " ".join(" ".join(lines[-_REASON_LINES:]).split()) or f"it ended with code {code}"
        return reason if reason.endswith((".", "!", "?")) else f"{reason}."


def _noted(stream: IO[str] | None, note: Callable[[str], None]) -> list[str]:
    assert stream is not None  # noqa: S101 - it was asked for
    lines = []
    with stream:
        for line in stream:
            note(line)
            if line.strip():
                lines.append(line.strip())
                del lines[:-_REASON_LINES]
    return lines


def _size(folder: Path) -> int:
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).stat().st_size
            except OSError:
                continue  # it was renamed meanwhile
    return total


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
