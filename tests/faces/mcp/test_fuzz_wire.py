"""Whatever bytes arrive, the server answers in the protocol or not at all, and goes on."""

from __future__ import annotations

import random

import pytest
from mcp.types import jsonrpc_message_adapter
from pydantic import ValidationError

from casetrack.faces.mcp.wire import refusal
from hostile_lines import HELLO, JUNK, Process, check_error, modern, mutations, request


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_any_lines_over_stdio(process_env: dict[str, str], era: str) -> None:
    server = Process(process_env)
    hello = [
        request("hello", "initialize", HELLO),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ]
    if era == "modern":
        hello = [modern("hello", "server/discover")]
    # A method of one protocol selects it, so random lines that contain one come after the
    # handshake.
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


@pytest.mark.parametrize(("line", "code", "number"), NO_MESSAGES)
def test_a_line_that_is_no_message_is_refused(line: bytes, code: int, number: object) -> None:
    with pytest.raises(ValidationError) as caught:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    message = refusal(caught.value)
    assert message is not None
    assert (message.id, message.error.code) == (number, code)
    check_error(message.error.model_dump())
