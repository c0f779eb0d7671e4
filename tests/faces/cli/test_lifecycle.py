"""``casetrack collection rename|describe|tag|close|reopen|archive``, and messages on repairs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from casetrack.api.collection.admin import Admin
from casetrack.api.library import Library
from casetrack.api.watch.watch_list import WatchList
from casetrack.store.lock import write_lock
from faces.cli.conftest import Run, error_of


def info(run: Run, name: str) -> dict[str, Any]:
    return json.loads(run("collection", "info", name, "--json").out)


@pytest.mark.slow
def test_a_life(filled: Run, sources: Path) -> None:
    run = filled

    def done(word: str) -> tuple[str, str, bool]:
        facts = json.loads(run("collection", word, "mill", "--json").out)
        return facts["status_before"], facts["status"], facts["changed"]

    assert done("close") == ("active", "closed", True)
    assert done("close") == ("closed", "closed", False)
    refused = run("ingest", sources, "-c", "Mill", "--json")
    error = error_of(refused)
    assert (refused.code, error["code"]) == (2, "collection_read_only")
    assert "casetrack collection reopen 'Mill'" in error["hint"]
    assert "rent" in run("search", "rent", "-c", "Mill", "--mode", "keyword").out
    assert done("archive") == ("closed", "archived", True)
    assert done("reopen") == ("archived", "active", True)
    assert run("ingest", sources, "-c", "Mill").code == 0


@pytest.mark.slow
def test_archived_ones_are_left_out_of_the_list(run: Run) -> None:
    for name in ("Open", "Shut", "Old", "Older"):
        run("collection", "create", name)
    run("collection", "close", "Shut")
    run("collection", "archive", "Old")
    run("collection", "archive", "Older")
    listed = run("collection", "list").out.splitlines()
    assert {row.split()[0] for row in listed[:-1]} == {"Open", "Shut"}
    assert ("2" in listed[-1], "--status all" in listed[-1]) == (True, True)
    for status, names in {
        "active": {"Open"},
        "closed": {"Shut"},
        "archived": {"Old", "Older"},
        "all": {"Open", "Shut", "Old", "Older"},
        "": {"Open", "Shut"},
    }.items():
        chosen = ("--status", status) if status else ()
        entries = json.loads(run("collection", "list", *chosen, "--json").out)
        assert {e["name"] for e in entries} == names, status
    assert "--status all" not in run("collection", "list", "--status", "all").out
    for name in ("Open", "Shut"):
        run("collection", "archive", name)
    (messages,) = run("collection", "list").out.splitlines()
    assert ("4" in messages, "--status all" in messages) == (True, True)


@pytest.mark.slow
def test_the_only_one_that_is_not_archived_needs_no_name(filled: Run) -> None:
    filled("collection", "create", "Old")
    assert filled("documents").code == 2
    filled("collection", "archive", "Old")
    assert "lease.txt" in filled("documents").out


TAG = ("collection", "tag", "Mill")


def test_tags(filled: Run) -> None:
    for words, shown in (
        ((), []),
        (("--add", "water", "--add", "lease"), ["water", "lease"]),
        (("--add", "WATER", "--remove", "lease"), ["water"]),
        (("--set", "a", "--set", "b"), ["a", "b"]),
        (("--clear", "--add", "c"), ["c"]),
        (("--clear",), []),
    ):
        assert filled(*TAG, *words).code == 0
        assert info(filled, "Mill")["tags"] == shown, words
    gone = filled(*TAG, "--remove", "x")
    assert (gone.code, '"x"' in gone.err) == (2, True)
    both = filled(*TAG, "--set", "a", "--clear")
    assert (both.code, "--set" in both.err, "--clear" in both.err) == (2, True, True)


def test_while_another_program_writes(
    filled: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Admin.close, "__kwdefaults__", {"timeout": 0.1})
    (folder,) = (home / "collections").iterdir()
    with write_lock(folder):
        busy = filled("collection", "close", "Mill", "--json")
    error = error_of(busy)
    assert (busy.code, error["code"]) == (1, "collection_busy")
    assert '"Mill"' in error["message"]
    assert "casetrack jobs list" in error["hint"]


def test_deleting_takes_watches_and_jobs_along(filled: Run, home: Path, sources: Path) -> None:
    filled("collection", "create", "Other")
    library, watch_list = Library.open(home), WatchList(home)
    for name in ("Mill", "Other"):
        collection = library.get(name).info
        watch_list.add(collection.id, sources)
        with library.jobs.run("sync", title="a folder", collection=collection):
            pass
    doomed = library.get("Mill").info.id
    done = filled("collection", "delete", "Mill", "--yes")
    assert (done.code, str(sources) in done.out) == (0, True), done.err
    assert [w.collection_id for w in watch_list.watches()] == [library.get("Other").info.id]
    assert library.jobs.list(collection_id=doomed) == ()
    assert len(library.jobs.list()) == 1


# --- messages on repairs ---------------------------------------------------------------------


def test_a_repair_is_told_and_leaves_the_output_alone(
    filled: Run, home: Path, messages: Callable[[str], None]
) -> None:
    (folder,) = (home / "collections").iterdir()
    (folder / "collection.json").write_text("{", "utf-8")
    ended = filled("collection", "list", "--json")
    assert ended.code == 0
    assert [e["name"] for e in json.loads(ended.out)] == ["Mill"]
    messages(re.sub(r"\d{8}-?T?\d{6}\w*", "<time>", ended.err))
    assert filled("collection", "list").err == ""


@pytest.mark.slow
def test_the_server_logs_a_repair_once(home: Path, launch: Run) -> None:
    folder = Library.open(home).create("Case").folder
    (folder / "collection.json").unlink()
    about = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    lines = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "list_collections", "arguments": {}}},
    ]
    typed = "".join(json.dumps({"jsonrpc": "2.0"} | each) + "\n" for each in lines)
    ended = launch("serve", stdin=typed)
    assert json.loads(ended.out.splitlines()[0])["id"] == 1
    (warning,) = [row for row in ended.err.splitlines() if "casetrack.repairs" in row]
    assert "WARNING" in warning
    assert '"Case"' in warning
