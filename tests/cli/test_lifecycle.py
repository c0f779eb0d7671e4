"""``casetrack collection rename|describe|tag|close|reopen|archive``, and repairs that are told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import older_form
from casetrack.collection.admin import Admin
from casetrack.library import Library
from casetrack.store import migrations
from casetrack.store.lock import write_lock
from casetrack.watch.watch_list import WatchList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., Any]


def info(run: Run, name: str) -> dict[str, Any]:
    return json.loads(run("collection", "info", name, "--json").out)


def test_a_life(filled: Run, sources: Path) -> None:
    run = filled
    assert run("collection", "close", "mill").out == (
        '"Mill" is closed now. It can be searched and exported, and takes no changes.\n'
    )
    again = run("collection", "close", "Mill")
    assert (again.code, again.out) == (0, '"Mill" is closed already; nothing was changed.\n')
    refused = run("ingest", sources, "-c", "Mill")
    assert refused.code == 2
    assert refused.err.startswith('Error: The collection "Mill" is closed, so nothing in it can')
    assert "casetrack collection reopen 'Mill'" in refused.err
    assert "rent" in run("search", "rent", "-c", "Mill", "--mode", "keyword").out
    archived = json.loads(run("collection", "archive", "Mill", "--json").out)
    assert (archived["status"], archived["status_before"], archived["changed"]) == (
        "archived",
        "closed",
        True,
    )
    assert run("collection", "reopen", "Mill").out == (
        '"Mill" is active now. It takes changes again.\n'
    )
    assert run("ingest", sources, "-c", "Mill").code == 0


def test_archived_ones_are_left_out_of_the_list(run: Run) -> None:
    for name in ("Open", "Shut", "Old", "Older"):
        run("collection", "create", name)
    run("collection", "close", "Shut")
    run("collection", "archive", "Old")
    run("collection", "archive", "Older")
    listed = run("collection", "list").out.splitlines()
    assert {row.split()[0] for row in listed[1:-1]} == {"Open", "Shut"}
    assert listed[-1] == "2 archived; --status all"
    names = {
        status: {e["name"] for e in json.loads(run("collection", "list", *status, "--json").out)}
        for status in [
            (),
            ("--status", "active"),
            ("--status", "closed"),
            ("--status", "archived"),
            ("--status", "all"),
        ]
    }
    assert list(names.values()) == [
        {"Open", "Shut"},
        {"Open"},
        {"Shut"},
        {"Old", "Older"},
        {"Open", "Shut", "Old", "Older"},
    ]
    assert "archived;" not in run("collection", "list", "--status", "all").out
    for name in ("Open", "Shut"):
        run("collection", "archive", name)
    assert run("collection", "list").out == "4 archived; --status all\n"
    assert run("collection", "list", "--status", "active").out == "No collection is active.\n"


def test_the_only_one_that_is_not_archived_needs_no_name(filled: Run) -> None:
    filled("collection", "create", "Old")
    assert filled("documents").code == 2
    filled("collection", "archive", "Old")
    assert "lease.txt" in filled("documents").out


def test_names_and_notes(filled: Run) -> None:
    run = filled
    before = info(run, "Mill")
    assert run("collection", "rename", "mill", "Old Mill").out == (
        f'Renamed "Mill" to "Old Mill" (ID: {before["id"]}).\n'
    )
    done = run("collection", "describe", "Old Mill", "--description", "Über die Mühle")
    assert done.out == ("Changed \"Old Mill\".\nSee it all: casetrack collection info 'Old Mill'\n")
    told = json.loads(
        run("collection", "describe", "Old Mill", "--reference=M-1", "--type=PROJECT", "--json").out
    )
    assert (told["description"], told["reference"], told["type"]) == (
        "Über die Mühle",
        "M-1",
        "project",
    )
    assert run("collection", "describe", "Old Mill", "--description", "").code == 0
    assert info(run, "Old Mill")["description"] is None
    nothing = run("collection", "describe", "Old Mill")
    assert nothing.code == 2
    assert "Add --description, --reference or --type." in nothing.err
    run("collection", "create", "Taken")
    taken = run("collection", "rename", "Old Mill", "TAKEN")
    assert taken.code == 2
    assert 'named "Taken" already exists' in taken.err


TAG = ("collection", "tag", "Mill")


def test_tags(filled: Run) -> None:
    run = filled
    for words, shown in (
        ((), "none"),
        (("--add", "water", "--add", "lease"), "water, lease"),
        (("--add", "WATER", "--remove", "lease"), "water"),
        (("--set", "a", "--set", "b"), "a, b"),
        (("--clear", "--add", "c"), "c"),
        ((), "c"),
        (("--clear",), "none"),
    ):
        assert run(*TAG, *words).out == f'Tags of "Mill": {shown}\n'
    assert info(run, "Mill")["tags"] == []
    gone = run(*TAG, "--remove", "x")
    assert (gone.code, 'no tag "x"' in gone.err, "It has no tags." in gone.err) == (2, True, True)
    assert "cannot go together" in run(*TAG, "--set", "a", "--clear").err


def test_while_somebody_writes(filled: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Admin.close, "__kwdefaults__", {"timeout": 0.1})
    (folder,) = (home / "collections").iterdir()
    with write_lock(folder):
        busy = filled("collection", "close", "Mill")
    assert busy.code == 1
    assert busy.err.startswith('Error: "Mill" cannot be closed now: another program is changing it')
    assert "casetrack jobs list" in busy.err


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
    assert done.code == 0, done.err
    assert f"No longer watched: {sources}" in done.out
    assert [w.collection_id for w in watch_list.watches()] == [library.get("Other").info.id]
    assert library.jobs.list(collection_id=doomed) == ()
    assert len(library.jobs.list()) == 1


# --- repairs are told ------------------------------------------------------------------------


def test_a_repair_is_told_and_leaves_the_output_alone(filled: Run, home: Path) -> None:
    (folder,) = (home / "collections").iterdir()
    (folder / "collection.json").write_text("{", "utf-8")
    ended = filled("collection", "list", "--json")
    assert ended.code == 0
    assert [e["name"] for e in json.loads(ended.out)] == ["Mill"]
    assert ended.err.count("Note: ") == 1
    assert ended.err.startswith('Note: collection.json of "Mill" was damaged (it is kept as ')
    assert filled("collection", "list").err == ""


def test_the_server_logs_a_repair_once(home: Path) -> None:
    folder = Library.open(home).create("Case").folder
    (folder / "collection.json").unlink()
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    lines = [
        hello,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "list_collections", "arguments": {}},
        },
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "casetrack", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("".join(json.dumps(each) + "\n" for each in lines))
    server.stdin.flush()
    answers = [json.loads(server.stdout.readline()) for _ in range(2)]
    _, err = server.communicate(timeout=60)
    assert [a["id"] for a in answers] == [1, 2]
    assert err.count('collection.json of "Case" was missing') == 1, err
    assert "WARNING casetrack.repairs" in err
    assert "Note: " not in err


def test_python_tells_it_by_itself(home: Path) -> None:
    folder = Library.open(home).create("Case").folder
    (folder / "collection.json").unlink()
    script = "import casetrack; print(casetrack.open('Case').name)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "Case\n"
    assert done.stderr.startswith('collection.json of "Case" was missing, and was restored')


@pytest.fixture
def failing_migration(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let what brings a collection of version 0 to the present one fail."""

    def fail(*_: object) -> None:
        raise OSError(5, "the disk does not answer")

    with older_form.known(), monkeypatch.context() as patch:
        patch.setitem(migrations.MIGRATIONS, 0, fail)
        yield


@pytest.mark.usefixtures("failing_migration")
def test_one_that_cannot_be_opened_does_not_hide_the_others(run: Run, home: Path) -> None:
    run("collection", "create", "Good")
    older_form.age(Library.open(home).create("Boat house").folder)
    ended = run("collection", "list")
    assert ended.code == 0
    assert {row.split("  ")[0] for row in ended.out.splitlines()[1:]} == {"Good", "Boat house"}
    assert ended.err.startswith(
        'Problem: Boat house: The collection "Boat house" could not be brought from version 0 to '
    )
    entries = {e["name"]: e for e in json.loads(run("collection", "list", "--json").out)}
    assert entries["Boat house"]["document_count"] is None
    assert entries["Good"]["document_count"] == 0
    opened = run("documents", "-c", "Boat house")
    assert (opened.code, "Nothing is lost" in opened.err) == (1, True)
