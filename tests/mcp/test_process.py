"""The server as a process: what is on its streams, when it ends, what it does not load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SERVE = [sys.executable, "-c", "from casetrack.mcp.server import main; main()"]
CLI = [sys.executable, "-m", "casetrack"]

_MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


def _legacy(*requests: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    return messages + _numbered(requests, {})


def _modern(*requests: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return _numbered([("server/discover", {}), *requests], _MODERN)


def _numbered(requests: Any, extra: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"jsonrpc": "2.0", "id": n, "method": method, "params": params | extra}
        for n, (method, params) in enumerate(requests, 0 if extra else 1)
    ]


def talk(
    command: list[str], messages: list[Any], env: dict[str, str], answers: int
) -> tuple[list[dict[str, Any]], str]:
    """Write *messages*, read *answers* lines, end the input; return the lines and stderr."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        cwd=ROOT,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in messages:
        process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    process.stdin.flush()
    lines = [json.loads(process.stdout.readline()) for _ in range(answers)]
    rest, errors = process.communicate(timeout=20)  # closes standard input
    assert rest == ""
    assert process.returncode == 0
    return lines, errors


@pytest.mark.parametrize("command", [SERVE, CLI], ids=["module", "command"])
@pytest.mark.parametrize("dialect", [_legacy, _modern], ids=["2025-11-25", "2026-07-28"])
def test_handshake_and_end_of_input(
    process_env: dict[str, str], command: list[str], dialect: Any
) -> None:
    messages = dialect(("tools/list", {}), ("nonsense/method", {}))
    answers, errors = talk(command, messages, process_env, 3)
    by_id = {a["id"]: a for a in answers}
    assert "Always cite" in by_id[0]["result"]["instructions"]
    assert len(by_id[1]["result"]["tools"]) > 50
    assert by_id[2]["error"]["code"] == -32601
    assert "Traceback" not in errors


def test_stateless_answers_carry_freshness(process_env: dict[str, str]) -> None:
    answers, _ = talk(SERVE, _modern(("tools/list", {})), process_env, 2)
    listed = answers[1]["result"]
    assert listed["ttlMs"] > 0
    assert listed["cacheScope"] == "private"


def test_garbage_on_the_input_does_not_end_the_server(process_env: dict[str, str]) -> None:
    messages = _legacy(("tools/call", {"name": "get_status", "arguments": {}}))
    answers, _ = talk(SERVE, [*messages[:2], "{not json", "[]", messages[2]], process_env, 4)
    refused = [a["error"]["code"] for a in answers if "error" in a]
    assert refused == [-32700, -32700]
    (status,) = [a for a in answers if a["id"] == 1]
    assert status["result"]["structuredContent"]["collections"] == 0


def test_prints_do_not_reach_the_protocol(process_env: dict[str, str]) -> None:
    noisy = (
        "import casetrack.library, os\n"
        "real = casetrack.library.Library.collections\n"
        "def loud(self, **options):\n"
        "    print('noise from a library'); os.write(1, b'more noise\\n')\n"
        "    return real(self, **options)\n"
        "casetrack.library.Library.collections = loud\n"
        "from casetrack.mcp.server import main; main()\n"
    )
    messages = _legacy(("tools/call", {"name": "list_collections", "arguments": {}}))
    answers, errors = talk([sys.executable, "-c", noisy], messages, process_env, 2)
    assert answers[1]["result"]["structuredContent"]["collections"] == []
    assert "noise" in errors


def test_nothing_heavy_is_loaded_before_it_is_needed(process_env: dict[str, str]) -> None:
    heavy = [
        "pyarrow",
        "numpy",
        "lance",
        "lancedb",
        "duckdb",
        "onnxruntime",
        "onnx",
        "pymupdf",
        "polars",
        "tokenizers",
    ]
    script = (
        "import sys\n"
        "from casetrack.config import load_settings\n"
        "from casetrack.library import Library\n"
        "from casetrack.mcp.server import build_server\n"
        "build_server(Library(load_settings()))\n"
        f"print([name for name in {heavy} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=process_env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_wrong_settings_end_the_process_with_the_reason(process_env: dict[str, str]) -> None:
    home = Path(process_env["CASETRACK_HOME"])
    home.mkdir()
    (home / "config.toml").write_text("colour = 1\n")
    done = subprocess.run(
        SERVE,
        env=process_env,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Unknown setting 'colour'" in done.stderr
    assert done.stdout == ""
