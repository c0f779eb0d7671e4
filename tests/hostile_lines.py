"""Hostile input lines of a server, and a server that receives them."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

ROOT = Path(__file__).parents[1]
SERVE = [sys.executable, "-m", "casetrack", "serve"]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def request(number: Any, method: Any, params: Any = None) -> bytes:
    """Return one message as bytes."""
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return json.dumps(message | ({} if params is None else {"params": params})).encode()


def modern(number: Any, method: str, **params: Any) -> bytes:
    """Return a request of the stateless protocol."""
    return request(number, method, {"_meta": META, **params})


JUNK: list[bytes] = [
    *(b"", b" ", b"{", b"}", b"null", b"true", b"7", b'"text"', b"[]", b"[[]]", b"{}", b"NaN"),
    *(b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b'{"id":1}'),
    *(b"\x00\x01\x02", b"\xff\xfe\xfd", b"\xed\xa0\x80", b"\xef\xbb\xbf{}", b"GET / HTTP/1.1"),
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 400 + b',"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    b'{"jsonrpc":"2.0","id":3,"result":{}}',
    b'{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"x"}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    b'{"jsonrpc":"2.0","method":"notifications/nonsense","params":[]}',
    b"[" + request(5, "ping") + b"," + request(6, "tools/list") + b"]",
    b"[" * 5000 + b"]" * 5000,
    b'{"a":' * 5000 + b"1" + b"}" * 5000,
    request(7, ""),
    request(8, "x" * 100_000),
    request(9, "tools/call", []),
    request(10, "tools/call", {"name": 5, "arguments": "x"}),
    request(11, "tools/call", {"name": "get_status", "arguments": [1]}),
    request(12, "initialize", {}),
    request(13, "initialize", {"protocolVersion": "1999-01-01"}),
    request("x" * 10_000, "nonsense/method"),
    request(None, "tools/list"),
    modern(14, "tools/call", name="get_status", arguments={"x": "y" * 5_000_000}),
    modern(
        15, "tools/call", name="search_documents", arguments={"query": "\x00", "top_k": 10**300}
    ),
    modern(16, "resources/read", uri="casetrack://../../etc/passwd"),
    modern(17, "resources/read", uri="file:///etc/passwd"),
    modern(18, "prompts/get", name="../x", arguments={"a": "b"}),
    modern(19, "completion/complete", ref={"type": "ref/prompt", "name": "x"}, argument={}),
    modern(20, "nonsense/method"),
    request(21, "tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "9"}}),
    request(22, "tools/list", {"_meta": []}),
    request(23, "tools/list", {"_meta": META, "cursor": "x" * 5000}),
]


def mutations(count: int, chance: random.Random) -> list[bytes]:
    """Return valid requests with some bytes changed."""
    seeds = [
        request(50, "ping"),
        request(51, "initialize", HELLO),
        modern(52, "tools/list"),
        modern(53, "tools/call", name="get_status", arguments={}),
    ]
    lines = []
    for _ in range(count):
        line = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(line))
            line[place : place + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 3))
        lines.append(bytes(line).replace(b"\n", b" "))
    return lines


class Process:
    """A server as a child process that receives raw lines."""

    def __init__(self, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            SERVE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            cwd=ROOT,
        )
        self.answers: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.answers.put(line)

    def say(self, line: bytes) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer_to(self, number: str) -> dict[str, Any]:
        """Return the answer with this id; all lines before it have to be of the protocol."""
        while True:
            message = json.loads(self.answers.get(timeout=30))
            assert message["jsonrpc"] == "2.0", message
            assert "result" in message or "error" in message or "method" in message
            if "error" in message:
                check_error(message["error"])
            if message.get("id") == number:
                return dict(message)

    def end(self) -> int:
        """Close the input and return the exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            return self.process.wait(timeout=20)
        finally:
            self.process.kill()
            self._reader.join(timeout=60)
            self.process.stdout.close()


def check_error(error: dict[str, Any]) -> None:
    """Check that a protocol error reveals no internals."""
    assert isinstance(error["code"], int)
    facts = json.dumps(error)
    assert "Traceback" not in facts
    assert 'File \\"' not in facts
    assert "site-packages" not in facts
