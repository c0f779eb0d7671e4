"""The house rules, checked: lint, format, types, layers, and what may not be committed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent
# Where nobody checks types by hand, writing down what was found is work for nothing.
UNKEPT = [] if (CHECKOUT / ".mypy_cache").exists() else ["--cache-dir", os.devnull]
COMMANDS = {
    "lint": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "types": ["-m", "mypy", *UNKEPT],
    "layers": ["-c", "from importlinter.cli import lint_imports_command as c; c()"],
}
LIST_FILES = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
MAX_BYTES = 5_000_000


@pytest.mark.parametrize("name", COMMANDS)
def test_rules(name: str) -> None:
    done = subprocess.run(
        [sys.executable, *COMMANDS[name]],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def committed() -> list[Path]:
    listed = subprocess.run(
        # The checkout may belong to another user than the one who tests it.
        ["git", "-c", f"safe.directory={CHECKOUT}", *LIST_FILES],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [CHECKOUT / name for name in listed.stdout.split("\0") if name]


def test_files_are_small_and_name_no_machine() -> None:
    # Written with classes, so that this file does not hold what it looks for.
    machine = re.compile(rb"(?<![\w./~*-])/(?:r[o]ot|h[o]me|w[o]rk)/[a-z]\w+/")
    problems = []
    for path in committed():
        if not path.is_file():
            continue
        data = path.read_bytes()
        if len(data) > MAX_BYTES:
            problems.append(f"{path} has {len(data)} bytes")
        if path.suffix in {".py", ".md", ".toml", ".sql", ".txt", ".ipynb", ""}:
            found = machine.search(data)
            if found and not path.is_relative_to(CHECKOUT / "data-samples" / "files"):
                problems.append(f"{path} names {found.group().decode()}")
    assert problems == []


def test_no_lock_file_with_addresses() -> None:
    names = {p.name for p in committed()}
    assert not names & {"uv.lock", "poetry.lock", "package-lock.json"}
    pins = (CHECKOUT / ".ci" / "constraints.txt").read_text()
    assert "://" not in pins
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pins.splitlines() if line)


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    pins = (CHECKOUT / ".ci" / "constraints.txt").read_text().lower().replace("_", "-")
    names = {re.split(r"[<>=!~\[; ]", w)[0].lower().replace("_", "-") for w in wanted}
    missing = {n for n in names if not re.search(rf"^{re.escape(n)}==", pins, re.MULTILINE)}
    assert missing <= {"casetrack"}
