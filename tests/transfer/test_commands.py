"""The commands: export, import, snapshots."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from casetrack.cli.main import main
from casetrack.config import load_settings
from casetrack.library import Library
from tests.transfer.conftest import fill

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


def test_there_and_back(run: Run, tmp_path: Path) -> None:
    code, out, err = run("export", tmp_path)
    target = tmp_path / "Case.ctcollection"
    assert (code, err) == (0, "")
    assert 'Exported "Case" (3 documents, 3 pages, ' in out
    assert f"{target} (" in out
    code, _, err = run("export", target)
    assert code == 2
    assert "is there already" in err
    assert "--overwrite" in err
    code, out, _ = run("export", target, "--overwrite", "--json")
    report = json.loads(out)
    assert (code, report["documents"], report["bytes"]) == (0, 3, target.stat().st_size)
    code, out, err = run("import", target)
    assert code == 0
    assert 'Imported "Case (2)"' in out
    assert 'It was called "Case", and there is one of this name already.' in out
    assert "casetrack search QUERY -c 'Case (2)'" in out
    assert "casetrack models pull" in err
    code, out, _ = run("import", target, "--name", "Third", "--json")
    assert (code, json.loads(out)["collection"]) == (0, "Third")
    code, _, err = run("import", target, "--name", "third")
    assert (code, "already exists" in err) == (2, True)


def test_a_damaged_file_is_told(run: Run, tmp_path: Path) -> None:
    run("export", tmp_path / "x")
    path = tmp_path / "x.ctcollection"
    path.write_bytes(path.read_bytes()[:-100])
    code, _, err = run("import", path)
    assert code == 1
    assert "x.ctcollection cannot be imported: it is no exported collection, or it is not" in err
    assert "Export the collection again" in err
    code, out, _ = run("import", tmp_path / "none", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (2, "file_not_found")


def test_snapshots(run: Run) -> None:
    code, out, _ = run("snapshots", "take", "all of it")
    assert code == 0
    assert 'Took the snapshot "all of it" of "Case" (3 documents, ' in out
    assert "casetrack snapshots restore 'all of it'" in out
    assert run("delete", "a.txt")[0] == 0
    code, out, _ = run("snapshots", "list")
    lines = out.splitlines()
    assert lines[0].split() == ["Name", "Number", "Taken", "Documents", "Chunks", "Can", "be",
                                "restored"]  # fmt: skip
    assert any(row.startswith("all of it") and row.endswith("yes") for row in lines)
    assert "as it is now" in out
    code, _, err = run("snapshots", "restore", "all of it")
    assert (code, "must be confirmed" in err, "--yes" in err) == (2, True, True)
    code, out, _ = run("snapshots", "restore", "all of it", "--yes")
    assert code == 0
    assert "1 document brought back, 0 documents removed, 2 as before" in out
    undo = out.splitlines()[-1].removeprefix("Undo it: casetrack snapshots restore ")
    code, out, _ = run("snapshots", "restore", undo, "--yes", "--json")
    assert json.loads(out)["removed"] == ["a.txt"]
    code, out, _ = run("snapshots", "restore", undo, "--yes")
    assert (code, "nothing to do" in out) == (0, True)
    code, out, _ = run("snapshots", "remove", "all of it")
    assert (code, 'Removed the snapshot "all of it"' in out) == (0, True)
    code, _, err = run("snapshots", "remove", "all of it")
    assert (code, 'no snapshot "all of it"' in err) == (2, True)
    code, out, _ = run("snapshots", "list", "--json", "--limit", "0")
    assert all(s["name"].startswith("before-restore-") for s in json.loads(out))


def test_the_place_may_be_named_by_an_option_as_elsewhere(run: Run, tmp_path: Path) -> None:
    assert run("export", "-o", tmp_path / "a.ctcollection")[0] == 0
    assert run("export", "--output", tmp_path / "b.ctcollection")[0] == 0
    assert {p.name for p in tmp_path.glob("*.ctcollection")} == {"a.ctcollection", "b.ctcollection"}
    code, _, err = run("export", tmp_path, "-o", tmp_path)
    assert (code, "given together" in err) == (2, True)
    code, _, err = run("export")
    assert (code, "Say where to write the collection." in err) == (2, True)
    assert "saved queries" in run("export", "--help")[1]
