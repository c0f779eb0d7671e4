"""Syncing from the command line and by an AI program."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.cli.main import main
from casetrack.mcp.server import build_server

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.library import Library
    from sync_case import Case


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


def test_the_command(run: Any, library: Library, tmp_path: Path) -> None:
    folder = files(tmp_path / "in", a="About rent.", b="About goods.", c="About people.")
    code, out, err = run("sync", folder, "-c", "Case")
    assert code == 2
    assert f"casetrack sync {folder} --create -c Case" in err
    code, out, _ = run("sync", folder, "-c", "Case", "--create")
    assert code == 0
    assert out.splitlines()[0].startswith("3 files: 0 unchanged, 3 new (")
    (folder / "a.txt").rename(folder / "z.txt")
    (folder / "c.txt").unlink()
    files(folder, b="About other goods.", d="New.")
    code, out, _ = run("sync", folder, "--dry-run", "--remove-deleted")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[1:] == [
        "new d.txt would be read",
        "changed b.txt would be read again",
        "moved a.txt -> z.txt would be followed",
        "removed c.txt would be removed",
        "Nothing was changed (--dry-run).",
    ]
    code, out, _ = run("sync", folder, "--json")
    report = json.loads(out)
    assert {k: n for k, n in report["counts"].items() if n} == {
        "new": 1,
        "changed": 1,
        "moved": 1,
        "missing": 1,
    }
    code, out, _ = run("sync", folder)
    assert (code, "--remove-deleted" in out) == (0, True)
    code, out, _ = run("sync", folder, "--remove-deleted", "--verify")
    assert "removed  c.txt" in out
    assert run("sync", folder)[1].startswith("3 files: 3 unchanged (")
    assert library.get("Case").admin.doctor().ok


def test_the_command_says_what_failed_and_what_is_unsafe(run: Any, tmp_path: Path) -> None:
    folder = files(tmp_path / "in", a="About rent.")
    run("sync", folder, "-c", "Case", "--create")
    (folder / "a.txt").write_text("")
    code, out, err = run("sync", folder)
    assert code == 1
    assert "The earlier text was kept." in out
    assert "1 file failed." in err
    (folder / "a.txt").unlink()
    code, _, err = run("sync", folder, "--remove-deleted")
    assert code == 1
    assert "Is the disk not mounted" in err
    code, out, _ = run("sync", folder, "--remove-deleted", "--force-removal")
    assert (code, "removed  a.txt" in out) == (0, True)
    assert run("sync", tmp_path / "nowhere")[0] == 2
    assert run("sync", folder, "--exclude", "!")[0] == 2


def test_a_deleted_document_says_that_the_next_sync_brings_it_back(
    run: Any, library: Library, tmp_path: Path
) -> None:
    folder = files(tmp_path / "in", a="About rent.", b="About goods.")
    run("sync", folder, "-c", "Case", "--create")
    _, out, _ = run("delete", "a.txt")
    assert f"It lies in {folder}, which is synced: the next sync takes it in again." in out
    assert "--exclude" in out
    _, out, _ = run("delete", "b.txt", "--exclude")
    assert "No sync takes it in again." in out
    _, out, _ = run("sync", folder)
    assert "new      a.txt" in out
    assert "skipped  1 taken out by you" in out
    assert "b.txt" in run("documents", "--excluded")[1]

    async def work() -> list[str]:
        from mcp.client import Client

        async with Client(build_server(library)) as client:
            given = {"document_name": "a.txt", "collection": "Case"}
            said = [
                await client.call_tool("delete_document", given | more)
                for more in ({"confirm": False}, {"confirm": True, "exclude": True})
            ]
            return [each.content[0].text for each in said]

    asked, done = anyio.run(work)
    assert "the next sync takes it in again; with exclude: true it stays out." in asked
    assert "No sync takes its file in again" in done
    assert run("sync", folder)[1].count("taken out by you") == 1
    assert not library.get("Case").documents()


def test_the_command_cuts_long_lists(run: Any, tmp_path: Path) -> None:
    folder = files(tmp_path / "in", **{f"n{i:02d}": f"Text {i}." for i in range(25)})
    (folder / "notes.bin").write_bytes(b"\x00")
    code, out, _ = run("sync", folder, "-c", "Case", "--create", "--dry-run", "--ext", "txt,bin")
    assert code == 2  # a dry run makes no collection
    _, out, _ = run("sync", folder, "-c", "Case", "--create", "--ext", "txt,bin")
    assert "... 5 more new" in out
    assert "skipped  1 of other kinds" in out


def test_the_tool(library: Library, tmp_path: Path, case: Case) -> None:
    folder = files(tmp_path / "in", a="About rent.", b="About goods.")

    def call(**arguments: object) -> Any:
        from mcp.client import Client

        async def work() -> Any:
            async with Client(build_server(library)) as client:
                given = {"folder_path": str(folder), "collection": "Case"} | arguments
                return await client.call_tool("sync_folder", given)

        return anyio.run(work)

    planned = call(dry_run=True).structured_content
    assert (planned["dry_run"], planned["counts"]["new"]) == (True, 2)
    assert not case.collection.documents()
    first = call(document_type="Contract")
    assert "Sync complete for Case" in first.content[0].text
    assert {d.document_type for d in case.collection.documents()} == {"contract"}
    (folder / "a.txt").rename(folder / "z.txt")
    (folder / "b.txt").unlink()
    second = call()
    assert "a.txt -> z.txt" in second.content[0].text
    assert "ask the user" in second.content[0].text
    assert second.structured_content["counts"]["missing"] == 1
    third = call(remove_deleted=True).structured_content
    assert [(c["kind"], c["path"]) for c in third["changes"]] == [
        ("removed", str(folder / "b.txt"))
    ]
    (folder / "z.txt").unlink()
    refused = call(remove_deleted=True)
    assert refused.is_error
    assert "not mounted" in refused.content[0].text
    assert call(folder_path="relative").is_error
