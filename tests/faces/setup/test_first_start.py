"""The first start of a bundle: it answers at once, reports progress, and hands over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.request import urlopen

import pytest

from casetrack.faces.setup.bundle import preparing, starting
from casetrack.faces.setup.bundle.preparing import Preparation, Progress
from casetrack.faces.setup.bundle.starting import TOOL, Doorkeeper, page_of, serve_progress

posix = pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")
UV = """\
#!/bin/sh
echo "$*" >> "$ROOT/asked"
if [ ! -e "$ROOT/online" ]; then echo "error: Failed to fetch: dns error" >&2; exit 2; fi
echo "Resolved 3 packages in 1ms" >&2
echo "Downloading pyarrow (45.5MiB)" >&2
echo "Downloading small (512.0KiB)" >&2
echo " Downloaded small" >&2
while [ ! -e "$ROOT/go" ]; do sleep 0.02; done
echo " Downloaded pyarrow" >&2
mkdir -p "$ROOT/.venv/bin" && cp "$ROOT/python" "$ROOT/.venv/bin/python"
"""
PYTHON = """\
#!/bin/sh
echo "$*" >> "$ROOT/asked"
mkdir -p "$ROOT/data/models/mini" && head -c 30000000 /dev/zero > "$ROOT/data/models/mini/part"
while [ ! -e "$ROOT/models" ]; do sleep 0.02; done
"""
SERVER = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = {"heard": message["method"], "of": message.get("params")}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        print(json.dumps(answer), flush=True)
    elif message["method"] == "end":
        sys.exit(7)
    else:
        note = {"jsonrpc": "2.0", "method": "heard", "params": message["method"]}
        print(json.dumps(note), flush=True)
"""


def until(happens: Any) -> Any:
    """Return the first non-empty result of *happens*."""
    end = time.monotonic() + 200
    while time.monotonic() < end:
        if result := happens():
            return result
        time.sleep(0.01)
    raise AssertionError("it was awaited for minutes")


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Preparation]:
    """A bundle that was just unpacked, on a computer with uv, offline for now."""
    for name, text in {"uv": UV, "python": PYTHON}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setenv("UV", str(tmp_path / "uv"))
    monkeypatch.setenv("ROOT", str(tmp_path))
    monkeypatch.delenv("CASETRACK_MODELS", raising=False)
    monkeypatch.setattr(preparing, "_PAUSES", (0.05,))
    monkeypatch.setattr(preparing, "_LOOKS_SECONDS", 0.02)
    result = Preparation(tmp_path, tmp_path / "data")
    yield result
    result.stop()


@posix
def test_what_is_fetched_is_reported_from_beginning_to_end(bundle: Preparation) -> None:
    bundle.start()
    message = bundle.progress
    until(lambda: "error: Failed to fetch: dns error" in message.sentence)  # the words of uv
    assert not bundle.libraries.is_set()
    (bundle.root / "online").touch()
    until(lambda: message.sentence.endswith(" 1 MB of 48 MB (1%)."))
    assert not bundle.is_prepared
    (bundle.root / "go").touch()
    until(bundle.libraries.is_set)
    assert bundle.is_prepared
    until(lambda: " 30 MB of 120 MB (25%)." in message.sentence)
    (bundle.root / "models").touch()
    until(bundle.finished.is_set)
    assert message.phase == "ready"
    asked = (bundle.root / "asked").read_text().splitlines()
    assert set(asked[:-1]) == {f"sync --no-dev --no-progress --directory {bundle.root}"}
    assert asked[-1] == f"-m casetrack --data-dir {bundle.root / 'data'} models pull"
    (bundle.root / "pyproject.toml").write_text("[project]\nname = 'newer'\n")
    assert not bundle.is_prepared  # an update has other libraries


def test_a_computer_without_uv_is_reported(
    bundle: Preparation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV")
    monkeypatch.setenv("PATH", "")
    bundle.start()
    until(lambda: bundle.progress.problem)
    assert "uv" in bundle.progress.problem


@dataclass
class Program:
    """An AI program that uses a doorkeeper: its messages and the received ones."""

    said: BinaryIO
    heard: list[dict[str, Any]] = field(default_factory=list)

    def says(self, **message: Any) -> None:
        """Write a message."""
        self.said.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self.said.flush()

    def asks(self, method: str, **params: Any) -> Any:
        """Send a request, and return the result."""
        number = 1 + sum(1 for m in self.heard if "id" in m)
        self.says(id=number, method=method, params=params)
        return until(lambda: [m for m in self.heard if m.get("id") == number])[0]["result"]


@dataclass
class Room:
    """A doorkeeper at work."""

    program: Program
    preparation: Preparation
    thread: threading.Thread
    ended: list[int]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A program that has started a bundle whose libraries are not there yet."""
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    pipes = [os.pipe() for _ in range(2)]
    (source, text), (received, target) = (
        (os.fdopen(out, "rb"), os.fdopen(into, "wb")) for out, into in pipes
    )
    program, preparation = Program(text), Preparation(tmp_path, tmp_path)
    ended: list[int] = []
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, str(script)]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return started[0]

    def listen() -> None:
        with received:
            for line in received:
                program.heard.append(json.loads(line))

    about = {"name": "casetrack", "title": "CaseTrack", "version": "9"}
    keeper = Doorkeeper(preparation, about, start, source, target, ended.append)
    thread = threading.Thread(target=lambda: ended.append(keeper.run()))
    ear = threading.Thread(target=listen)
    thread.start()
    ear.start()
    yield Room(program, preparation, thread, ended)
    if not text.closed:
        text.close()
    preparation.libraries.set()
    thread.join(200)
    until(lambda: len(ended) == 1 + len(started))  # the keeper, and the server behind it
    target.close()
    ear.join(200)
    source.close()


def test_it_answers_before_there_is_a_server_and_hands_over(room: Room) -> None:
    program = room.program
    greeting = program.asks("initialize", protocolVersion="2025-11-25", capabilities={})
    assert greeting["protocolVersion"] == "2025-11-25"
    assert greeting["serverInfo"]["title"] == "CaseTrack"
    assert TOOL in greeting["instructions"]
    program.says(method="notifications/initialized")
    assert program.asks("ping") == {}
    assert [tool["name"] for tool in program.asks("tools/list")["tools"]] == [TOOL]
    assert program.asks("prompts/list") == {"prompts": []}
    message = program.asks("tools/call", name=TOOL, arguments={})
    assert message["content"][0]["text"] == room.preparation.progress.sentence
    refused = program.asks("tools/call", name="search_documents", arguments={"query": "x"})
    assert refused["isError"]
    assert refused["content"] == message["content"]
    program.says(id="later", method="completion/complete", params={"of": "a name"})
    room.preparation.libraries.set()
    until(lambda: any("tools/list_changed" in m.get("method", "") for m in program.heard))
    late = until(lambda: [m for m in program.heard if m.get("id") == "later"])
    assert late[0]["result"] == {"heard": "completion/complete", "of": {"of": "a name"}}
    # The server was greeted as the program greeted, and nothing of that reached the program.
    assert not [m for m in program.heard if "first-start" in str(m.get("id"))]
    assert {"jsonrpc": "2.0", "method": "heard", "params": "notifications/initialized"} in (
        program.heard
    )
    result = program.asks("tools/call", name="search_documents", arguments={"query": "x"})
    assert result["heard"] == "tools/call"
    room.preparation.progress.phase = "ready"
    message = program.asks("tools/call", name=TOOL, arguments={})
    assert message["content"][0]["text"] == room.preparation.progress.sentence
    program.said.close()
    room.thread.join(200)
    assert 0 in room.ended


def test_a_program_that_greets_late_is_greeted_by_the_server(room: Room) -> None:
    room.preparation.libraries.set()
    until(lambda: room.program.asks("initialize", protocolVersion="x").get("heard"))


def test_a_server_that_ends_ends_the_process(room: Room) -> None:
    room.preparation.libraries.set()
    assert room.program.asks("completion/complete")["heard"]  # it is there
    room.program.says(method="end")
    assert until(lambda: room.ended) == [7]


def test_a_program_that_gives_up_ends_it(room: Room) -> None:
    room.program.said.close()
    room.thread.join(200)
    assert room.ended == [0]


def test_the_page_keeps_itself_up_to_date_until_all_is_there() -> None:
    progress = Progress("libraries", 30_000_000, 120_000_000)
    with urlopen(serve_progress(progress, "CaseTrack <x>")) as answer:
        page = answer.read().decode()
    assert "CaseTrack &lt;x&gt;" in page
    assert "30 MB of 120 MB (25%)" in page
    assert 'value="30000000" max="120000000"' in page
    assert 'http-equiv="refresh"' in page
    progress.problem = "dns error <b>."
    assert "dns error &lt;b&gt;." in page_of(progress, "CaseTrack")
    progress.phase, progress.problem = "ready", ""
    assert "refresh" not in page_of(progress, "CaseTrack")


@posix
def test_a_bundle_that_is_prepared_is_simply_run(bundle: Preparation) -> None:
    bundle.python.parent.mkdir(parents=True)
    bundle.python.write_text('#!/bin/sh\nprintf "%s|" "$@"; exit 7\n')
    bundle.python.chmod(0o755)
    (bundle.root / ".venv" / "casetrack.whole").write_text("[project]\n")
    code = "import sys; from pathlib import Path;"
    code += "from casetrack.faces.setup.bundle.starting import main;"
    code += "sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))"
    command = [sys.executable, "-c", code, str(bundle.root), "--data-dir", "My Cases", "serve"]
    env = os.environ | {"PYTHONPATH": str(Path(starting.__file__).parents[4])}
    ended = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    given = [str(bundle.root / "server.py"), "--data-dir", "My Cases", "serve", ""]
    assert (ended.returncode, ended.stdout.split("|")) == (7, given)


def test_it_needs_nothing_but_python(tmp_path: Path) -> None:
    """Packages that are not installed yet must not be imported."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import casetrack.faces.setup.bundle.starting"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(Path(starting.__file__).parents[4])]
    subprocess.run(command, check=True, cwd=tmp_path)
