"""Runners of the command line, in this process or in a separate one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import casetrack
from casetrack.faces.cli.main import main

ROOT = Path(casetrack.__file__).parents[1]
TEXTS = {
    "lease.txt": (
        "Lease of the Mill House\n\n"
        "The tenant pays a rent of 1,250.00 a month, due on the third working day.\n"
        "Late payments bear interest at 4 per cent a year.\n\n"
        "Either party may end this lease with six months' notice in writing."
    ),
    "memo.md": (
        "# Repairs\n\nThe roof of the Mill House leaks over the north room.\n\n"
        "## Costs\n\nThe builder asks for 8,400 for new slates and lead."
    ),
    'Grüße & "Mehr" d\'été.txt': "Sehr geehrte Frau Weiß, die Miete für März ist eingegangen.",
}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


def error_of(ended: Ended) -> dict[str, Any]:
    """Return the error of a command that was run with ``--json``; it is on standard error too."""
    assert ended.code in {1, 2}
    error: dict[str, Any] = json.loads(ended.out)["error"]
    assert error["message"]
    assert "Traceback" not in ended.err
    letters = re.compile(r"\w")
    begun = "".join(letters.findall(error["message"]))[:40]
    assert begun in "".join(letters.findall(ended.err))
    return error


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder that the environment names; no model is installed."""
    folder = tmp_path / "home"
    monkeypatch.setenv("CASETRACK_HOME", str(folder))
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    monkeypatch.delenv("CASETRACK_DEBUG", raising=False)
    return folder


@pytest.fixture
def run(home: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def run_here(*arguments: object) -> Ended:
        code = main([str(a) for a in arguments])
        sys.stdout.flush()
        sys.stderr.flush()
        return Ended(code, *capfd.readouterr())

    return run_here


@pytest.fixture
def launch(home: Path) -> Run:
    """Run a command in a separate process."""
    return process


def process(
    *arguments: object, env: dict[str, str] | None = None, stdin: str = "", binary: bool = False
) -> Ended:
    """Run a command in a separate process, and wait for it."""
    done = subprocess.run(
        [sys.executable, "-m", "casetrack", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **(env or {})},
        input=stdin.encode(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    out: Any = done.stdout if binary else done.stdout.decode()
    return Ended(done.returncode, out, done.stderr.decode())


def write_files(folder: Path) -> Path:
    """Write three small documents into a new folder."""
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with three small documents."""
    return write_files(tmp_path / "some files")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``files`` and, in ``home``, a collection Mill that holds them."""
    base = tmp_path_factory.mktemp("template")
    files = write_files(base / "files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASETRACK_MODELS", str(base / "no-models"))
        code = main(["ingest", str(files), "--create", "-c", "Mill", f"--data-dir={base / 'home'}"])
    assert code == 0
    return base


@pytest.fixture
def sources(template: Path) -> Path:
    """The files that the collection Mill was made from."""
    return template / "files"


@pytest.fixture
def filled(run: Run, home: Path, template: Path) -> Run:
    """The command runner, with three documents in the collection Mill."""
    shutil.copytree(template / "home", home)
    return run
