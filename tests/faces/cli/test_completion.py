"""Shell completion, requested in the same way as the shell's scripts do."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.faces.cli.main import main as cli

if TYPE_CHECKING:
    from pathlib import Path

    from faces.cli.conftest import Run

SHELLS = ["bash", "zsh", "fish", "powershell"]


def suggested(home: Path, *words: str) -> list[str]:
    """Return the completions of bash after *words*, the last of which is incomplete."""
    asked = {
        "_CASETRACK_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["casetrack", *words]),
        "COMP_CWORD": str(len(words)),
        "CASETRACK_HOME": str(home),
    }
    message, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in asked.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["casetrack"])
        with redirect_stdout(message), redirect_stderr(errors), suppress(SystemExit):
            cli()
    assert errors.getvalue() == ""
    return [name for name in message.getvalue().split("\n") if name]


def test_commands_options_and_collections_are_offered(tmp_path: Path) -> None:
    home = tmp_path / "data"
    for name in ("Alpha", "Alps trip", "Beta", "Al\\$(id)", "Al`id`"):
        Library.open(home).create(name)
    assert suggested(home, "se") == ["search", "setup", "serve"]
    assert "--dry-run" in suggested(home, "sync", "--dry")
    assert suggested(home, "search", "rent", "-c", "Al") == ["Alpha", "Alps trip"]
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.toml").write_text("= nothing")
    assert suggested(broken, "search", "rent", "-c", "Al") == []


def test_saved_queries_are_offered_of_the_collections_that_are_named(tmp_path: Path) -> None:
    home = tmp_path / "data"
    library = Library.open(home)
    one, two = library.create("One"), library.create("Two words")
    for folder, name in ((one.folder, "mine-1"), (two.folder, "mine-2"), (home, "mine-3")):
        (folder / "queries").mkdir()
        (folder / "queries" / f"{name}.sql").write_text("-- Mine.\nSELECT 1")
    (one.folder / "queries" / "mine-0.sql").write_text("-- :param wrong")
    begun = ("query", "--saved")
    assert suggested(home, "query", "-c", "One", "--saved", "mi") == ["mine-0", "mine-1", "mine-3"]
    assert suggested(home, "query", "-c", "Nobody", "--saved", "mi") == []
    assert suggested(home, *begun, "mi") == ["mine-3"]
    assert suggested(home, *begun, "amounts") == ["amounts-above"]
    library.delete("One")
    assert suggested(home, *begun, "mine-") == ["mine-2", "mine-3"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(run: Run, shell: str) -> None:
    ended = run("completion", shell)
    assert (ended.code, ended.err) == (0, "")
    assert "_CASETRACK_COMPLETE" in ended.out
    program = shutil.which(shell)
    if program is not None and shell != "powershell":
        checked = subprocess.run([program, "-n"], input=ended.out, text=True, check=False)
        assert checked.returncode == 0


def test_it_is_entered_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("alias ll='ls -l'\n")
    for _ in range(2):
        ended = run("completion", "bash", "--install")
        assert ended.code == 0
        assert ended.out.rstrip().endswith("casetrack.sh")
    entered = (tmp_path / ".bashrc").read_text()
    assert entered.startswith("alias ll='ls -l'\n")
    assert entered.count("source ") == 1
    script = tmp_path / ".bash_completions" / "casetrack.sh"
    assert "_CASETRACK_COMPLETE" in script.read_text()


def test_an_unknown_shell_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("tcsh", "/bin/tcsh"))
    ended = run("completion")
    assert ended.code == 2
    assert '"tcsh"' in ended.err
    assert ", ".join(SHELLS) in ended.err
