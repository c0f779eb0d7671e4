"""Starting without a command, and serving."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from faces.cli.conftest import Run

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.mark.slow
def test_it_serves_programs_over_standard_input(launch: Run) -> None:
    ended = launch(stdin=json.dumps(HELLO) + "\n")
    assert ended.code == 0, ended.err
    answer = json.loads(ended.out.splitlines()[0])
    assert answer["id"] == 1
    assert answer["result"]["serverInfo"]["name"] == "casetrack"


def test_without_a_command_a_terminal_gets_help(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        closed = False

        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    ended = run()
    assert ended.code == 0
    assert ended.out.startswith("Usage: casetrack [OPTIONS] COMMAND [ARGS]...")
    assert "casetrack demo" in ended.out
