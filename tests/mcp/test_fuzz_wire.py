"""Whatever bytes arrive, the server answers in the protocol or not at all, and goes on."""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from bench.hostile_lines import (
    HELLO,
    JUNK,
    ROOT,
    SERVE,
    Process,
    check_error,
    modern,
    mutations,
    request,
)
from casetrack.mcp.http.gate import MAX_BODY

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    for line in [*JUNK, *mutations(300, random.Random(7391))]:
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
    for body in [*JUNK, *mutations(100, random.Random(7391))]:
        status, told = ask(web, "POST", body, JSON)
        assert status < 500 or len(body) > MAX_BODY, (status, body[:200], told[:300])
        assert b"Traceback" not in told
    for path in ("/", "/mcp/../x", "/x", "/mcp%00", "/%2e%2e/etc/passwd", "/mcp?x=" + "y" * 5000):
        status, told = ask(web, "GET", None, {}, path)
        assert status < 500
        assert b"root:" not in told
    assert len(json.loads(ask(web, "POST", GOOD, JSON)[1])["result"]["tools"]) > 40
