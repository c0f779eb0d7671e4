"""Programs that watch: the command line, the server, and one taking over from another."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.api.watch.statuses import Statuses, pattern_of
from casetrack.api.watch.watch_list import WatchList
from casetrack.base.config import load_settings
from casetrack.faces.cli.main import main

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Spawn = Callable[..., subprocess.Popen[str]]
    Until = Callable[..., None]

HASTE = """
from casetrack.api.watch import changes, manager, watched_folder
manager.Background.__init__.__defaults__ = (0.1,)
changes.DEBOUNCE_SECONDS = 0.5
watched_folder.TAKEOVER_SECONDS = watched_folder._PENDING_SECONDS = 0.3
manager.LIST_SECONDS = 0.3
manager.WORKING_SECONDS = manager.STEP_SECONDS = 0.1
"""
"""Shortens every wait of a program, so that a test does not last as long as they do."""
SERVER = "from casetrack.faces.mcp.server import main; main()"
COMMAND = "from casetrack.faces.cli.main import run; run()"
WATCHER = """
import sys, threading
from watching import Report
from casetrack.base.config import load_settings
from casetrack.api.library import Library
from casetrack.api.watch.manager import WatchManager
def sync(watch, only, cancel):
    print("whole" if only is None else ",".join(p.name for p in only), flush=True)
    return Report({"new": 1})
manager = WatchManager(Library(load_settings()), sync=sync, owner=sys.argv[1])
manager.start()
sys.stdin.read()
manager.stop()
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture
def made(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """The library of the processes, with one collection."""
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    monkeypatch.setenv("CASETRACK_HOME", str(home))
    library = Library(load_settings(home))
    library.create("Acme")
    return library


def names(library: Library) -> list[str]:
    return sorted(d.name for d in Library(library.settings).get("Acme").documents())


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_when_the_owner_is_killed_another_one_takes_over(
    made: Library, place: Path, spawn: Spawn, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["tests", "tools"]))
    watch, _ = WatchList(made.settings.data_dir).add(made.get("Acme").info.id, place)
    statuses = Statuses(made.settings.data_dir)
    first = spawn("-c", HASTE + WATCHER, "first")
    assert line_of(first) == "whole"
    second = spawn("-c", HASTE + WATCHER, "second")
    until(lambda: statuses.of(watch).health == "watching")
    assert statuses.of(watch).owner.startswith("first (process")
    (place / "a.txt").write_text("a")
    assert line_of(first) == "a.txt"
    first.kill()
    first.wait()
    assert line_of(second) == "whole"
    until(lambda: statuses.of(watch).owner.startswith("second (process"))
    (place / "b.txt").write_text("b")
    assert line_of(second) == "b.txt"
    rest, problems = second.communicate("")
    assert (rest, problems, second.returncode) == ("", "", 0)
    assert statuses.of(watch).health == "unwatched"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_watch_run_takes_in_what_comes_and_stops_when_asked(
    made: Library, place: Path, spawn: Spawn
) -> None:
    (place / "a.txt").write_text("The rent is due on Monday.")
    assert main(["watch", "add", str(place), "-c", "Acme"]) == 0
    process = spawn("-c", HASTE + COMMAND, "watch", "run", "--json")
    events = [json.loads(line_of(process)) for _ in range(2)]
    assert [e["event"] for e in events] == ["started", "sync"]
    assert (events[1]["counts"], events[1]["paths"]) == ({"new": 1}, None)
    (place / "b.txt").write_text("The rent is due on Tuesday.")
    event = json.loads(line_of(process))
    assert (event["counts"], event["paths"], event["failed"]) == ({"new": 1}, 1, [])
    assert names(made) == ["a.txt", "b.txt"]
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out.splitlines()[-1])["event"] == "stopped"
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_watch_run_is_ended_by_ctrl_c(made: Library, spawn: Spawn) -> None:
    process = spawn("-m", "casetrack", "watch", "run")
    assert line_of(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out
    assert "Traceback" not in err


def test_once(
    made: Library, place: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["watch", "run", "--once"]) == 0
    assert capsys.readouterr().out
    (place / "a.txt").write_text("The rent is due on Monday.")
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("The rent is due on Tuesday.")
    assert main(["watch", "add", str(place), "--schedule", "manual"]) == 0
    assert main(["watch", "add", str(other)]) == 0
    assert main(["watch", "pause", str(other)]) == 0
    capsys.readouterr()
    assert main(["watch", "run", "--once"]) == 0
    assert f"{place} -> Acme: 1 new (" in capsys.readouterr().out
    assert names(made) == ["a.txt"]
    place.rename(tmp_path / "away")
    assert main(["watch", "run", "--once", "--json"]) == 1
    event = json.loads(capsys.readouterr().out)
    assert event["error"]["code"] == "file_not_found"
    assert str(place) in event["error"]["message"]
    assert names(made) == ["a.txt"]


def test_the_commands(
    made: Library, place: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def run(*arguments: str, code: int = 0) -> Any:
        assert main(["watch", *arguments, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    added = run(
        "add", str(place), "--schedule", "daily", "--daily-time", "3:30", "--ext", "pdf,txt"
    )
    assert (added["new"], added["daily_time"], added["collection"]) == (True, "03:30", "Acme")
    assert added["file_extensions"] == [".pdf", ".txt"]
    again = run("add", str(place), "--exclude", "drafts/", "--remove-deleted")
    assert (again["new"], again["id"], again["schedule"]) == (False, added["id"], "daily")
    assert (again["exclude"], again["auto_remove_deleted"]) == (["drafts/"], True)
    assert run("schedule", added["id"][:8], "hourly")["schedule"] == "hourly"
    assert run("pause", str(place))["status"]["health"] == "paused"
    assert run("resume", str(place))["status"]["health"] == "unwatched"
    assert [w["id"] for w in run("list", "-c", "Acme")] == [added["id"]]
    assert run("schedule", str(place), "weekly", code=2)["error"]["code"] == "usage"
    missing = run("remove", str(tmp_path / "elsewhere"), code=2)["error"]
    assert missing["code"] == "watch_not_found"
    assert str(place) in missing["message"]
    assert main(["watch", "list"]) == 0
    listed = capsys.readouterr().out
    assert str(place) in listed
    assert main(["watch", "show", str(place)]) == 0
    assert str(place) in capsys.readouterr().out
    assert run("remove", str(place))["id"] == added["id"]
    assert run("list") == []


def test_a_data_folder_inside_the_watched_one_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    home = tmp_path / "docs" / "Case Track [mine]"
    monkeypatch.setenv("CASETRACK_HOME", str(home))
    library = Library(load_settings(home))
    library.create("Acme")
    (home / "notes.txt").write_text("This belongs to the program.")
    (tmp_path / "docs" / "a.txt").write_text("The rent is due on Monday.")
    assert pattern_of(home, tmp_path / "docs")
    assert main(["watch", "add", str(tmp_path / "docs")]) == 0
    assert main(["watch", "run", "--once"]) == 0
    assert names(library) == ["a.txt"]


class Server:
    """A server process and the two ends of its pipe."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._number = 0
        self.ask("initialize", HELLO)
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = json.loads(line_of(self.process))
            if message.get("id") == self._number:
                return message["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()


@pytest.mark.slow
def test_the_server_watches_what_its_tools_are_told(
    made: Library, place: Path, spawn: Spawn, until: Until
) -> None:
    (place / "a.txt").write_text("The rent is due on Monday.")
    server = Server(spawn("-c", HASTE + SERVER))
    server.call("switch_collection", collection_name="Acme")
    begun = server.call("watch_folder", folder_path=str(place), auto_remove_deleted=True)
    assert begun["structuredContent"]["new"]
    assert str(place) in begun["content"][0]["text"]

    def state() -> Any:
        (watch,) = server.call("list_watches")["structuredContent"]["watches"]
        return watch["status"]

    until(lambda: state()["counts"] == {"new": 1})
    (place / "b.txt").write_text("The rent is due on Tuesday.")
    (place / "a.txt").unlink()
    until(lambda: names(made) == ["b.txt"])
    until(lambda: state()["counts"] == {"new": 1, "removed": 1})
    assert state()["owner"]
    changed = server.call("set_sync_schedule", folder_path=str(place), schedule="Daily")
    assert changed["structuredContent"]["watch"]["daily_time"] == "02:00"
    assert "02:00" in changed["content"][0]["text"]
    refused = server.call("set_sync_schedule", folder_path="nowhere", schedule="daily")
    assert refused["isError"]
    assert str(place) in refused["content"][0]["text"]
    assert not server.call("unwatch_folder", folder_path=str(place)).get("isError")
    assert server.call("list_watches")["structuredContent"]["watches"] == []
    _, err = server.process.communicate("", timeout=60)
    assert server.process.returncode == 0
    assert "Traceback" not in err
    assert names(made) == ["b.txt"]
