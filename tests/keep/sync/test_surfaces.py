"""Syncing from the command line and by an AI program."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.faces.cli.main import main
from casetrack.faces.mcp.server import build_server

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], library: Library) -> Any:
    """Run a command over the library; returns its code, output and errors."""

    def run_here(*arguments: object) -> tuple[int, str, str]:
        data_dir = ["--data-dir", str(library.settings.data_dir)]
        code = main([*map(str, arguments), *data_dir])
        sys.stdout.flush()
        sys.stderr.flush()
        return (code, *capfd.readouterr())

    return run_here


def files(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_command(run: Any, library: Library, tmp_path: Path, messages: Any) -> None:
    folder = files(tmp_path / "in", a="About rent.", b="About goods.", c="About people.")
    code, out, err = run("sync", folder, "-c", "Case")
    assert (code, f"casetrack sync {folder} --create -c Case" in err) == (2, True)
    assert run("sync", folder, "-c", "Case", "--create", "--dry-run")[0] == 2
    assert run("sync", folder, "-c", "Case", "--create")[0] == 0
    (folder / "a.txt").rename(folder / "z.txt")
    (folder / "c.txt").unlink()
    files(
        folder, b="About other goods.", d="New.", **{f"n{i:02d}": f"Text {i}." for i in range(25)}
    )
    (folder / "notes.bin").write_bytes(b"\x00")
    code, out, _ = run("sync", folder, "--dry-run", "--remove-deleted", "--ext", "txt,bin")
    messages(re.sub(r"[\d.]+ s\b", "<seconds>", out), "dry run")
    code, out, _ = run("sync", folder, "--json")
    counts = {k: n for k, n in json.loads(out)["counts"].items() if n}
    assert counts == {"new": 26, "changed": 1, "moved": 1, "missing": 1, "skipped": 1}
    code, out, _ = run("sync", folder)
    assert (code, "--remove-deleted" in out) == (0, True)
    code, out, _ = run("sync", folder, "--remove-deleted", "--verify", "--json")
    removed = [c["path"] for c in json.loads(out)["changes"] if c["kind"] == "removed"]
    assert removed == [str(folder / "c.txt")]
    (folder / "b.txt").write_text("")
    code, out, err = run("sync", folder)
    assert code == 1
    messages(re.sub(r"[\d.]+ s\b", "<seconds>", out + err), "failed")
    for path in folder.iterdir():
        path.unlink()
    code, _, err = run("sync", folder, "--remove-deleted")
    assert (code, "--force-removal" in err) == (1, True)
    assert run("sync", folder, "--remove-deleted", "--force-removal")[0] == 0
    assert not library.get("Case").documents()
    assert run("sync", tmp_path / "nowhere")[0] == 2
    assert run("sync", folder, "--exclude", "!")[0] == 2


def test_a_deleted_document_says_that_the_next_sync_brings_it_back(
    run: Any, library: Library, tmp_path: Path, messages: Any
) -> None:
    folder = files(tmp_path / "in", a="About rent.", b="About goods.")
    run("sync", folder, "-c", "Case", "--create")
    messages(run("delete", "a.txt")[1], "back")
    messages(run("delete", "b.txt", "--exclude")[1], "out")
    report = json.loads(run("sync", folder, "--json")[1])
    assert [(c["kind"], c["code"]) for c in report["changes"]] == [
        ("new", ""),
        ("skipped", "excluded"),
    ]
    assert "b.txt" in run("documents", "--excluded")[1]

    async def work() -> list[str]:
        from mcp.client import Client

        async with Client(build_server(library)) as client:
            given = {"document_name": "a.txt", "collection": "Case"}
            lines = [
                await client.call_tool("delete_document", given | more)
                for more in ({"confirm": False}, {"confirm": True, "exclude": True})
            ]
            return [each.content[0].text for each in lines]

    asked, _ = anyio.run(work)
    assert "exclude: true" in asked
    assert json.loads(run("sync", folder, "--json")[1])["counts"]["skipped"] == 2
    assert not library.get("Case").documents()
