"""The commands: export, import, snapshots."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.faces.cli.main import main
from tests.keep.transfer.conftest import fill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command on a data folder with one collection."""
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    fill(Library(load_settings()).create("Case"))

    def run_here(*arguments: object) -> tuple[int, str, str]:
        code = main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return run_here


def test_there_and_back(run: Run, tmp_path: Path, messages: Callable[..., None]) -> None:
    code, out, err = run("export", tmp_path)
    target = tmp_path / "Case.ctcollection"
    assert (code, err) == (0, "")
    assert str(target) in out
    code, _, err = run("export", target)
    assert (code, "--overwrite" in err) == (2, True)
    code, out, _ = run("export", target, "--overwrite", "--json")
    report = json.loads(out)
    assert (code, report["documents"], report["bytes"]) == (0, 3, target.stat().st_size)
    code, out, err = run("import", target)
    assert code == 0
    messages(re.sub(r"[\d.]+ (s|[kM]?B)\b", "<number>", out + err))
    code, out, _ = run("import", target, "--name", "Third", "--json")
    assert (code, json.loads(out)["collection"]) == (0, "Third")
    assert run("import", target, "--name", "third")[0] == 2
    code, out, _ = run("import", tmp_path / "none", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (2, "file_not_found")
    target.write_bytes(target.read_bytes()[:-100])
    code, _, err = run("import", target)
    assert (code, target.name in err) == (1, True)


def test_snapshots(run: Run) -> None:
    code, out, _ = run("snapshots", "take", "all of it")
    assert (code, "casetrack snapshots restore 'all of it'" in out) == (0, True)
    assert run("delete", "a.txt")[0] == 0
    code, out, _ = run("snapshots", "list")
    assert any(row.startswith("all of it") for row in out.splitlines())
    code, _, err = run("snapshots", "restore", "all of it")
    assert (code, "--yes" in err) == (2, True)
    code, out, _ = run("snapshots", "restore", "all of it", "--yes")
    assert code == 0
    undo = out.splitlines()[-1].partition("casetrack snapshots restore ")[2]
    code, out, _ = run("snapshots", "restore", undo, "--yes", "--json")
    assert json.loads(out)["removed"] == ["a.txt"]
    code, out, _ = run("snapshots", "restore", undo, "--yes", "--json")
    assert (code, json.loads(out)["removed"]) == (0, [])
    assert run("snapshots", "remove", "all of it")[0] == 0
    assert run("snapshots", "remove", "all of it")[0] == 2
    code, out, _ = run("snapshots", "list", "--json", "--limit", "0")
    assert all(s["name"].startswith("before-restore-") for s in json.loads(out))


def test_the_place_may_be_named_by_an_option_as_elsewhere(run: Run, tmp_path: Path) -> None:
    assert run("export", "-o", tmp_path / "a.ctcollection")[0] == 0
    assert run("export", "--output", tmp_path / "b.ctcollection")[0] == 0
    assert {p.name for p in tmp_path.glob("*.ctcollection")} == {"a.ctcollection", "b.ctcollection"}
    assert run("export", tmp_path, "-o", tmp_path)[0] == 2
    assert run("export")[0] == 0
