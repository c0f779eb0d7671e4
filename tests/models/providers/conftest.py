"""A local server with the protocols of OpenAI and Ollama that can be made to fail."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from casetrack.base.config import Providers, ProviderSettings, Settings
from casetrack.models import providers
from casetrack.models.providers.transport import Backoff, Timeouts

if TYPE_CHECKING:
    from casetrack.models.providers.encoder import ServiceEncoder

KEY = "sk-test-0123456789abcdefghij"
WIDTH = 8
Fault = Callable[["Handler", dict[str, Any]], None]


def direction(text: str, width: int = WIDTH) -> np.ndarray:
    """Return the fake model's vector of a text, not of unit length, so that normalising shows."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return 3.0 * np.random.default_rng(seed).standard_normal(width)


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


class Server(http.server.ThreadingHTTPServer):
    """Answers as the services document; faults can be set for the next requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults: list[Fault | None] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.width = WIDTH
        self.longest: int | None = None
        self.floats = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def inputs(self) -> list[list[str]]:
        return [body["input"] for body in self.bodies]


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args: object) -> None:
        """Stay quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        self.server.headers.append(dict(self.headers))
        fault = self.server.faults.pop(0) if self.server.faults else None
        if fault is not None:
            fault(self, body)
        elif self.path == "/v1/embeddings":
            self.openai(body)
        elif self.path == "/api/embed":
            self.ollama(body)
        else:
            self.reply(404, b"404 page not found", kind="text/plain")

    def openai(self, body: dict[str, Any]) -> None:
        if any(not text for text in body["input"]):
            self.refuse(400, "'$.input' is invalid. Please check the API reference.")
            return
        if self.too_long(body):
            self.refuse(
                400,
                "This model's maximum context length is 40 tokens, however you requested 99 tokens "
                "(99 in your prompt; 0 for the completion). Please reduce your prompt.",
            )
            return
        entries = []
        for index, text in enumerate(body["input"]):
            vector = direction(text, body.get("dimensions", self.server.width))
            raw: object = base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if self.server.floats:
                raw = vector.tolist()
            entries.append({"object": "embedding", "index": index, "embedding": raw})
        usage = {"prompt_tokens": 8, "total_tokens": 8}
        # The order of the list is not promised; only the index is.
        answer = {"object": "list", "data": entries[::-1], "model": body["model"], "usage": usage}
        self.reply(200, answer)

    def ollama(self, body: dict[str, Any]) -> None:
        if self.too_long(body):
            self.reply(400, {"error": "the input length exceeds the context length"})
            return
        width = min(body.get("dimensions", self.server.width), self.server.width)
        actual = [unit(direction(text, width)).tolist() for text in body["input"]]
        answer = {"model": body["model"], "embeddings": actual, "total_duration": 14143917}
        self.reply(200, answer)

    def too_long(self, body: dict[str, Any]) -> bool:
        longest = self.server.longest
        return longest is not None and any(len(text) > longest for text in body["input"])

    def refuse(self, status: int, message: str, code: str | None = None, **headers: str) -> None:
        error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
        self.reply(status, {"error": error}, headers=headers)

    def reply(
        self,
        status: int,
        body: object,
        *,
        kind: str = "application/json",
        headers: dict[str, str] | None = None,
        announced: int | None = None,
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if announced is None else announced))
        for name, value in (headers or {}).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)


def refusing(status: int, message: str, code: str | None = None, **headers: str) -> Fault:
    """A fault in OpenAI's form."""
    return lambda handler, _: handler.refuse(status, message, code, **headers)


def replying(status: int, body: object, **headers: str) -> Fault:
    """A fault of any form."""
    return lambda handler, _: handler.reply(status, body, headers=headers)


def dropped(handler: Handler, body: dict[str, Any]) -> None:
    """End the connection in the midst of the body."""
    handler.reply(200, b'{"data": [{"ind', announced=5000)


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def pauses() -> list[float]:
    """The seconds that a client would have waited."""
    return []


@pytest.fixture
def encoder(server, pauses, tmp_path, monkeypatch) -> Callable[..., ServiceEncoder]:
    """Make an encoder of a provider that talks to the fake server and never really waits."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)

    def build(name: str, *, url: str | None = None, read: float = 5.0, **options) -> ServiceEncoder:
        dimension, tries = options.pop("dimension", None), options.pop("tries", 4)
        at = url or (f"{server.url}/v1" if name == "openai" else server.url)
        one = ProviderSettings(url=at, **options)
        settings = Settings(tmp_path, tmp_path, providers=Providers(**{name: one}))
        return providers.make(
            name,
            settings,
            chosen_as=name,
            dimension=dimension,
            timeouts=Timeouts(connect=2.0, read=read),
            backoff=Backoff(tries=tries, sleep=pauses.append, chance=lambda: 0.5),
        )

    return build
