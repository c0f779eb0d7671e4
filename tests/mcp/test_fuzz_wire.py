"""Whatever bytes arrive, the server answers in the protocol or not at all, and goes on."""

from __future__ import annotations

import http.client
import json
import queue
import random
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.mcp.http.gate import MAX_BODY

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
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


def _mutations(count: int) -> list[bytes]:
    """Return valid requests with some bytes changed, always the same ones."""
    chance = random.Random(7391)
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
    """A server as a child process, spoken to in raw lines."""

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
    """Check that a protocol error tells nothing of the inside."""
    assert isinstance(error["code"], int)
    told = json.dumps(error)
    assert "Traceback" not in told
    assert 'File \\"' not in told
    assert "site-packages" not in told


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_any_lines_over_stdio(process_env: dict[str, str], era: str) -> None:
    server = Process(process_env)
    hello = [
        request("hello", "initialize", HELLO),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ]
    if era == "modern":
        hello = [modern("hello", "server/discover")]
    # Whoever calls a method of one protocol has chosen it: junk that does comes after the hello.
    for line in [*(line for line in JUNK if b"method" not in line), *hello]:
        server.say(line)
    assert "result" in server.answer_to("hello")
    for line in [*JUNK, *_mutations(300)]:
        server.say(line)
    last = modern("last", "tools/list") if era == "modern" else request("last", "tools/list", {})
    server.say(last)
    assert len(server.answer_to("last")["result"]["tools"]) > 40
    assert server.process.poll() is None
    assert server.end() == 0


NO_MESSAGES: list[tuple[bytes, int, object]] = [
    (b'"\\ud83d"', -32700, None),
    (b"{", -32700, None),
    (b"[" * 5000 + b"]" * 5000, -32700, None),
    (b"GET / HTTP/1.1", -32700, None),
    (b"\xff\xfe\xfd", -32700, None),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32700, None),
    (b"[]", -32700, None),
    (b"[" + request(5, "ping") + b"]", -32700, None),
    (b"[" + request(5, "ping") + b"," + request(6, "tools/list") + b"]", -32700, None),
    (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\\udc00"}}', -32700, None),
    (
        b'{"jsonrpc":"2.0","id":7,"method":"x","params":' + b'{"a":' * 400 + b"1" + b"}" * 401,
        -32700,
        None,
    ),
    (b"7", -32600, None),
    (b'{"id":61}', -32600, 61),
    (b'{"id":"sixty-two","method":7}', -32600, "sixty-two"),
    (b'{"id":true}', -32600, None),
]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_line_that_is_no_message_is_answered(process_env: dict[str, str], era: str) -> None:
    server = Process(process_env)
    hello = modern("h", "server/discover") if era == "modern" else request("h", "initialize", HELLO)
    for before in (True, False):
        for line, code, number in NO_MESSAGES:
            server.say(b"")  # an empty line is nothing
            server.say(line)
            told = json.loads(server.answers.get(timeout=60))
            assert (told["id"], told["error"]["code"]) == (number, code), line[:80]
            assert told["error"]["message"].endswith(".")
            check_error(told["error"])
        if before:
            server.say(hello)
            assert "result" in server.answer_to("h")
    assert server.end() == 0


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Serve over HTTP and return the port."""
    root = tmp_path_factory.mktemp("web")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASETRACK_HOME", str(root / "data"))
        patch.setenv("CASETRACK_MODELS", str(root / "models"))
        patch.setenv("HOME", str(root))
        process = subprocess.Popen(
            [*SERVE, "--transport", "http", "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
    assert process.stderr is not None
    with process, process.stderr as told:
        found = next(
            match for line in told if (match := re.search(r"127\.0\.0\.1:(\d+)/mcp", line))
        )
        drain = threading.Thread(target=told.read, daemon=True)
        drain.start()
        try:
            yield int(found[1])
        finally:
            process.terminate()
            process.wait(timeout=20)
            drain.join(timeout=60)


def ask(
    port: int, method: str, body: bytes | None, headers: dict[str, str], path: str = "/mcp"
) -> tuple[int, bytes]:
    """Send one request and return status and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


JSON = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "Mcp-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}
GOOD = modern("good", "tools/list")


@pytest.mark.parametrize(
    ("method", "body", "headers", "statuses"),
    [
        ("POST", GOOD, {}, {200}),
        ("POST", GOOD, {"Content-Type": "text/plain"}, {400, 415}),
        ("POST", GOOD, {"Content-Type": "text/html; charset=x"}, {400, 415}),
        ("POST", GOOD, {"Accept": "image/png"}, {200, 400, 406}),
        ("POST", b"", {}, {400}),
        ("POST", b"{", {}, {400}),
        ("POST", b"\xff\xfe", {}, {400}),
        ("POST", b"[]", {}, {400}),
        ("POST", b"[" * 100_000, {}, {400}),
        ("POST", GOOD, {"Mcp-Method": "tools/call"}, {400}),
        ("POST", GOOD, {"Mcp-Protocol-Version": "1999-01-01"}, {400}),
        ("POST", b"x" * 10_000_000, {}, {413}),
        ("POST", GOOD, {"Content-Length": "99999999999"}, {413}),
        ("POST", GOOD, {"Origin": "https://evil.example"}, {403}),
        ("POST", GOOD, {"Origin": "null"}, {403}),
        ("POST", GOOD, {"Origin": "http://127.0.0.1.evil.example"}, {403}),
        ("POST", GOOD, {"Host": "evil.example"}, {421, 403}),
        ("POST", GOOD, {"Host": "127.0.0.1.evil.example:80"}, {421, 403}),
        ("POST", GOOD, {"X-Long": "x" * 60_000}, {400, 431}),
        ("POST", GOOD, {"Mcp-Session-Id": "../../x"}, {200, 400, 404}),
        ("GET", None, {"Accept": "text/html"}, {400, 405, 406}),
        ("DELETE", None, {}, {400, 404, 405}),
        ("DELETE", None, {"Mcp-Session-Id": "nobody"}, {400, 404, 405}),
        ("PUT", GOOD, {}, {405}),
        ("PATCH", GOOD, {}, {405}),
        ("HEAD", None, {}, {400, 405, 406}),
        ("OPTIONS", None, {"Origin": "https://evil.example"}, {403}),
    ],
)
def test_any_request_over_http(
    web: int, method: str, body: bytes | None, headers: dict[str, str], statuses: set[int]
) -> None:
    status, told = ask(web, method, body, JSON | headers)
    assert status in statuses, (status, told[:300])
    for secret in (b"Traceback", b"site-packages", b'File "'):
        assert secret not in told
    assert ask(web, "POST", GOOD, JSON)[0] == 200


def test_any_body_over_http(web: int) -> None:
    for body in [*JUNK, *_mutations(100)]:
        status, told = ask(web, "POST", body, JSON)
        assert status < 500 or len(body) > MAX_BODY, (status, body[:200], told[:300])
        assert b"Traceback" not in told
    for path in ("/", "/mcp/../x", "/x", "/mcp%00", "/%2e%2e/etc/passwd", "/mcp?x=" + "y" * 5000):
        status, told = ask(web, "GET", None, {}, path)
        assert status < 500
        assert b"root:" not in told
    assert len(json.loads(ask(web, "POST", GOOD, JSON)[1])["result"]["tools"]) > 40
