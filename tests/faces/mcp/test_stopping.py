"""A server that is stopped during an ingest ends at once and leaves whole documents; the next
server continues.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import hostile_lines
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from hostile_lines import HELLO, Process, request

FILES = 300
SIGNALS = [] if os.name == "nt" else ["SIGINT", "SIGTERM"]
WAYS = ["end of input", *(pytest.param(name, marks=pytest.mark.slow) for name in SIGNALS)]
EXIT_CODES = {"end of input": 0, "SIGINT": 130, "SIGTERM": 143}

SERVE = """
from casetrack.faces.mcp import server, shutdown

shutdown.DELAY_SECONDS = 0.1  # before it goes on with what an earlier one left
server.main()
"""


class Server(Process):
    """A server process, asked for tools."""

    def __init__(self, env: dict[str, str]) -> None:
        super().__init__(env)
        self.say(request(0, "initialize", HELLO))
        self.answer(0)
        self.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def call(self, number: int, tool: str, arguments: dict[str, Any], **more: Any) -> None:
        self.say(request(number, "tools/call", {"name": tool, "arguments": arguments, **more}))

    def read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.answers.get(timeout=60))
        return message

    def answer(self, number: int) -> dict[str, Any]:
        while (message := self.read()).get("id") != number:
            pass
        return dict(message["result"])


@pytest.fixture(autouse=True)
def _started_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile_lines, "SERVE", [sys.executable, "-c", SERVE])


def ingest_until_some_are_done(server: Server, folder: Path) -> None:
    """Start ingesting *folder* and return in the middle of it."""
    server.call(1, "create_collection", {"name": "A"})
    server.answer(1)
    arguments = {"folder_path": str(folder)}
    server.call(2, "ingest_folder", arguments, _meta={"progressToken": "p"})
    while True:
        message = server.read()
        if message.get("method") == "notifications/progress" and message["params"]["progress"] >= 1:
            return
        assert "id" not in message, "it is done already"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    root.mkdir()
    for n in range(FILES):
        (root / f"{n:04}.txt").write_text(f"Letter number {n} about the delivery of goods.")
    return root


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_stopping_in_the_middle(process_env: dict[str, str], folder: Path, way: str) -> None:
    server = Server(process_env)
    ingest_until_some_are_done(server, folder)
    started = time.monotonic()
    if way != "end of input":
        server.process.send_signal(signal.Signals[way])
        server.process.wait(60)
    assert server.end() == EXIT_CODES[way]
    assert time.monotonic() - started < 20
    home = Path(process_env["CASETRACK_HOME"])
    check_whole(home)
    jobs = Library(load_settings(home)).jobs
    (left,) = jobs.list()
    assert (left.state, left.error["code"]) == ("interrupted", "client_left")
    assert left.error["hint"]
    if way == "end of input":
        goes_on(process_env, folder, left.id)


def goes_on(process_env: dict[str, str], folder: Path, job_id: str) -> None:
    """The next server does the rest, as the same job."""
    for path in sorted(folder.iterdir())[-FILES + 3 :]:
        path.unlink()  # a rest that is quickly done
    server = Server(process_env)
    deadline = time.monotonic() + 90
    while True:
        server.call(1, "get_job_status", {"job_id": job_id, "wait_seconds": 1})
        status = server.answer(1)["structuredContent"]
        if status["jobs"][0]["state"] == "done":
            break
        assert time.monotonic() < deadline, status
    assert status["result"]["counts"]["failed"] == 0
    assert server.end() == 0
    assert [
        job.id for job in Library(load_settings(Path(process_env["CASETRACK_HOME"]))).jobs.list()
    ] == [job_id]


def check_whole(home: Path) -> None:
    """Some documents are there, not all, and each with all of its chunks."""
    collection = Library(load_settings(home)).get("A")
    documents = collection.documents()
    assert 1 <= len(documents) < FILES
    assert collection.stats().chunk_count == len(documents)
    for document in documents[:3]:
        assert len(collection.read.chunks(document.document_id)) == document.chunk_count == 1
