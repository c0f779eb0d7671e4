"""A license server on this machine, and its requests and answers."""

from __future__ import annotations

import http.server
import json
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from casetrack.base.config import Settings, load_settings


class FakeServer(http.server.ThreadingHTTPServer):
    """Server with the answers of the License API of Lemon Squeezy.

    Attributes
    ----------
    asked
        ``(verb, form)`` of every request.
    refuses
        Reason of a refusal; empty to accept keys.
    raw
        Status and body that replace an answer.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.refuses = ""
        self.raw: tuple[int, bytes] | None = None
        self.instances: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, verb: str, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        verdict = {"activate": "activated", "validate": "valid", "deactivate": "deactivated"}[verb]
        if self.refuses:
            return 400, {verdict: False, "error": self.refuses}
        if verb == "activate":
            made = f"instance-{len(self.asked)}"
            self.instances.add(made)
            instance = {"id": made, "name": form["instance_name"]}
            return 200, {verdict: True, "error": None, "instance": instance}
        if form["instance_id"] not in self.instances:
            return 404, {verdict: False, "error": "instance_id not found."}
        if verb == "deactivate":
            self.instances.discard(form["instance_id"])
        return 200, {verdict: True, "error": None}


class _Handler(http.server.BaseHTTPRequestHandler):
    server: FakeServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(body, strict_parsing=True))
        verb = self.path.removeprefix("/v1/licenses/")
        self.server.asked.append((verb, form))
        status, answer = self.server.raw or (0, b"")
        if not status:
            status, result = self.server.answer(verb, form)
            answer = json.dumps(result).encode()
        self.send_response(status)
        if status in {301, 307}:
            self.send_header("Location", answer.decode())
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_args: Any) -> None:
        """Stay quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """Run a license server, which is the one that is asked."""
    with FakeServer() as caught:
        thread = threading.Thread(target=caught.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        monkeypatch.setenv("CASETRACK_LICENSE_SERVER", caught.url)
        yield caught
        caught.shutdown()
        thread.join()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the settings of a data folder that does not exist yet; no model is installed."""
    return replace(load_settings(tmp_path / "data"), models_dir=tmp_path / "no-models")
