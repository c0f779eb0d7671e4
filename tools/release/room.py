"""A clean room: separate home folder, environments and programs, without access to the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

_PASSED = ("PIP_", "UV_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT", "HF_ENDPOINT")
"""Variables that configure the source of packages; no others are passed on."""


class StepFailed(Exception):
    """A program ended with an unexpected exit code; the message has its name and its output."""


@dataclass
class Room:
    """A folder outside the checkout that programs see as their whole file system.

    *checkout* is hidden where the system supports it.
    """

    root: Path
    checkout: Path
    hides: bool = field(init=False)

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True)
        self.hides = self._can_hide()

    @property
    def home(self) -> Path:
        """The home folder."""
        return self.root / "home"

    def environment(self, **more: str) -> dict[str, str]:
        """Return the variables that a program gets."""
        passed = {k: v for k, v in os.environ.items() if k.upper().startswith(_PASSED)}
        own = {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        return passed | own | {"UV_LINK_MODE": "copy", "UV_NO_PROGRESS": "1"} | more

    def run(self, *words: str | Path, hidden: bool = False, **more: str) -> str:
        """Run a program in the home folder and return its output.

        Raises
        ------
        StepFailed
            It ended with another code than 0.
        """
        command = [str(word) for word in words]
        if hidden and self.hides:
            script = 'mount -t tmpfs none "$0" && exec "$@"'
            command = ["unshare", "-m", "sh", "-c", script, str(self.checkout), *command]
        cwd = more.pop("cwd", str(self.home))
        done = subprocess.run(
            command,
            cwd=cwd,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            output = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
            raise StepFailed(f"{Path(command[0]).name} {' '.join(command[1:6])} ...: {output}")
        return done.stdout

    def environment_of(self, name: str) -> Path:
        """Make an empty environment and return its folder of programs."""
        folder = self.root / name
        base = Path(sys.base_prefix) / "bin" / "python3"
        self.run(base if base.exists() else sys.executable, "-m", "venv", folder)
        return folder / ("Scripts" if os.name == "nt" else "bin")

    def _can_hide(self) -> bool:
        if shutil.which("unshare") is None:
            return False
        tried = subprocess.run(
            ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0"', str(self.checkout)],
            capture_output=True,
            check=False,
        )
        return tried.returncode == 0


@dataclass
class Clock:
    """Prints finished steps and their durations."""

    started: float = field(default_factory=time.monotonic)

    def say(self, text: str) -> None:
        """Write a line with the seconds since the beginning."""
        sys.stdout.write(f"{time.monotonic() - self.started:6.0f} s  {text}\n")
        sys.stdout.flush()
