"""Rules of the repository: content that may not be committed, and additional checks of CI."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

from wording import FOLDER, TESTS, sections

CHECKOUT = Path(__file__).parent.parent
LIST_FILES = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
MAX_BYTES = 5_000_000


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
    # Written with classes, so that this file does not match its own pattern.
    machine = re.compile(rb"(?<![\w./~*>-])/(?:r[o]ot|h[o]me|w[o]rk)/[a-z]\w+/")
    problems = []
    for path in committed():
        if not path.is_file():
            continue
        data = path.read_bytes()
        if len(data) > MAX_BYTES:
            problems.append(f"{path} has {len(data)} bytes")
        if path.suffix in {".py", ".md", ".toml", ".sql", ".txt", ".ipynb", ""}:
            answer = machine.search(data)
            if answer and not path.is_relative_to(CHECKOUT / "data-samples" / "files"):
                problems.append(f"{path} names {answer.group().decode()}")
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
    # pip installs all others, so it is there, in whatever version, before any can be pinned.
    assert missing <= {"casetrack", "pip"}


def test_ci_runs_the_bare_line_then_asks_for_style_types_and_layers() -> None:
    recipe = (CHECKOUT / "Justfile").read_text().split("\nlint:\n")[1].split("\n\n")[0]
    asked = [re.search(r"(?:/|-m )(\S+( \w+)?)", line).group(1) for line in recipe.splitlines()]
    assert asked == ["ruff check", "ruff format", "mypy", *["lint-imports"] * 2, "quality.language"]
    script = (CHECKOUT / ".ci" / "run").read_text()
    assert script.startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in script
    assert script.index('bare "$system" . "$line"') < script.index("just lint")
    assert script.index("just lint") < script.index("just slow")


def test_every_golden_message_belongs_to_a_test() -> None:
    stale = []
    for path in FOLDER.rglob("*.txt"):
        folder = TESTS / path.relative_to(FOLDER).parent
        source = (folder / f"test_{path.stem}.py").read_text(encoding="utf-8")
        stale += [
            f"{path.name}: {section}"
            for section in sections(path)
            if not re.search(rf"def {re.split('[ [(]', section)[0]}\(", source)
        ]
    assert stale == []


def test_no_pattern_has_a_possessive_or_atomic_group() -> None:
    """Before Python 3.11.5 `re` matches such groups wrongly where a part of them backtracks."""
    wrong = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+|\(\?>")
    sources = [p for p in committed() if p.is_relative_to(CHECKOUT / "casetrack")]
    result = [
        f"{path.relative_to(CHECKOUT)}:{number}"
        for path in sources
        if path.suffix in {".py", ".toml"}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if wrong.search(line)
    ]
    assert result == []
