"""A temporary home folder, so that no test reads or changes the real one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from casetrack.faces.cli.main import main
from casetrack.faces.setup.clients import Machine


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty user's folder on Linux; the current folder is ``project`` in it."""
    home = tmp_path / "user"
    (home / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("CASETRACK_HOME", "CASETRACK_MODELS", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Machine, "here", lambda: Machine("linux", home, {}))
    monkeypatch.chdir(home / "project")
    return home


@pytest.fixture
def run(user: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, for that user."""

    def run_here(*arguments: object) -> Ended:
        code = main([str(a) for a in arguments])
        return Ended(code, *capsys.readouterr())

    return run_here
