"""A server that is told to go while it ingests: it goes at once, leaves whole documents, and the
next one goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from casetrack.config import load_settings
from casetrack.library import Library

ROOT = Path(__file__).parents[2]
FILES = 1500
WAYS = ["end of input"] if os.name == "nt" else ["end of input", "SIGINT", "SIGTERM"]
EXIT_CODES = {"end of input": 0, "SIGINT": 130, "SIGTERM": 143}

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

LIST_CHANGED = "notifications/resources/list_changed"


class Server:
    """A server process and the two ends of its pipe."""

    def __init__(self, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from casetrack.mcp.server import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=ROOT,
            encoding="utf-8",
        )
        self.send({"id": 0, "method": "initialize", "params": HELLO})
        self.read()
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        while True:
            message: dict[str, Any] = json.loads(self.process.stdout.readline())
            if message.get("method") != LIST_CHANGED:  # comes whenever it comes
                return message

    def call(self, number: int, tool: str, arguments: dict[str, Any], **more: Any) -> None:
        params = {"name": tool, "arguments": arguments, **more}
        self.send({"id": number, "method": "tools/call", "params": params})

    def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = self.read()
            if message.get("id") == number:
                result: dict[str, Any] = message["result"]
                return result


def ingest_until_some_are_done(server: Server, folder: Path) -> None:
    """Start ingesting *folder* and return in the middle of it."""
    server.call(1, "create_collection", {"name": "A"})
    server.answer(1)
    arguments = {"folder_path": str(folder)}
    server.call(2, "ingest_folder", arguments, _meta={"progressToken": "p"})
    while True:
        message = server.read()
        assert message.get("method") == "notifications/progress", message
        if message["params"]["progress"] >= 1:
            return


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    root.mkdir()
    for n in range(FILES):
        (root / f"{n:04}.txt").write_text(f"Letter number {n} about the delivery of goods.")
    return root


@pytest.mark.parametrize("way", WAYS)
def test_stopping_in_the_middle(process_env: dict[str, str], folder: Path, way: str) -> None:
    server = Server(process_env)
    ingest_until_some_are_done(server, folder)
    started = time.monotonic()
    if way != "end of input":
        server.process.send_signal(signal.Signals[way])
        server.process.wait(60)
    server.process.communicate(timeout=60)
    assert time.monotonic() - started < 10
    assert server.process.returncode == EXIT_CODES[way]
    home = Path(process_env["CASETRACK_HOME"])
    check_whole(home)
    jobs = Library(load_settings(home)).jobs
    (left,) = jobs.list()
    assert (left.state, left.error["code"]) == ("interrupted", "client_left")
    assert "goes on by itself" in left.error["hint"]
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
    server.process.communicate(timeout=60)
    assert [
        job.id for job in Library(load_settings(Path(process_env["CASETRACK_HOME"]))).jobs.list()
    ] == [job_id]


def test_cancelling_over_the_wire(process_env: dict[str, str], folder: Path) -> None:
    server = Server(process_env)
    ingest_until_some_are_done(server, folder)
    server.send({"method": "notifications/cancelled", "params": {"requestId": 2}})
    server.call(3, "list_collections", {})
    assert server.answer(3)["structuredContent"]["collections"][0]["name"] == "A"
    # A new ingest of one file waits for the cancelled one to end, and is then done.
    server.call(4, "ingest_document", {"file_path": str(folder / f"{FILES - 1}.txt")})
    assert server.answer(4)["structuredContent"]["outcome"]["status"] == "ingested"
    server.process.communicate(timeout=60)
    assert server.process.returncode == 0
    check_whole(Path(process_env["CASETRACK_HOME"]))


def check_whole(home: Path) -> None:
    """Some documents are there, not all, and each with all of its chunks."""
    collection = Library(load_settings(home)).get("A")
    documents = collection.documents()
    assert 1 <= len(documents) < FILES
    assert collection.stats().chunk_count == len(documents)
    for document in documents[:3]:
        assert len(collection.read.chunks(document.document_id)) == document.chunk_count == 1
