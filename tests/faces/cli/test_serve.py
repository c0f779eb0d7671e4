"""``casetrack serve``: options, refusals, and the offered tools."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.faces.mcp import server as starting
from casetrack.faces.mcp.catalogue import choose, declared
from casetrack.faces.mcp.session import Session
from faces.cli.conftest import ROOT, Run

HTTP = ("serve", "--transport", "http")
RAY = ("serve", "--engine", "ray")
RAY_HERE = pytest.mark.needs("ray")
TOKEN_SHOWN = re.compile(r"CASETRACK_HTTP_TOKEN=(\S+)")


@pytest.mark.sampled(17)
@pytest.mark.parametrize(
    ("arguments", "code", "fact", "next_step"),
    [
        (("serve", "--port", "9000"), 2, "--port", "--transport http"),
        (("serve", "--host", "::1", "--token", "x" * 20), 2, "--host", "--transport http"),
        (("serve", "--transport", "sse"), 2, "sse", "stdio"),
        ((*HTTP, "--port", "70000"), 2, "65535", "-h"),
        ((*HTTP, "--token", "short"), 2, " 5 ", "CASETRACK_HTTP_TOKEN="),
        ((*HTTP, "--token", "has a space in it somewhere"), 2, "token", "TOKEN="),
        ((*HTTP, "--host", "0.0.0.0"), 2, "0.0.0.0", "--host"),
        ((*HTTP, "--host", "::"), 2, "::", "CASETRACK_HTTP_TOKEN="),
        ((*HTTP, "--host", ""), 1, "", "--host"),
        ((*HTTP, "--host", "no-such-host.invalid"), 1, "no-such-host.invalid", "0.0.0.0"),
        ((*HTTP, "--host", "192.0.2.1", "--token", "x" * 16), 1, "192.0.2.1", "--host"),
        ((*HTTP, "--port", "0", "--allow-origin", "a.example"), 2, "a.example", "https://"),
        ((*HTTP, "--allow-origin", "https://a.example/page"), 2, "/page", "https://"),
        (("serve", "--tools", "serach"), 2, "serach", "search"),
        (("serve", "--shards", "2"), 2, "--shards", "--engine ray"),
        ((*RAY, "--on", "ray://192.0.2.1:10001"), 2, "ray://192.0.2.1:10001", "--on auto"),
        ((*HTTP, "--tools", ","), 2, "", "read-only"),
        pytest.param((*RAY, "--on", "somewhere"), 2, "'somewhere'", "HOST:PORT", marks=RAY_HERE),
        pytest.param((*RAY, "--on", "127.0.0.1:1"), 1, ":1", "`ray status`", marks=RAY_HERE),
    ],
)
def test_what_is_refused(
    run: Run, arguments: tuple[str, ...], code: int, fact: str, next_step: str
) -> None:
    ended = run(*arguments)
    message = re.sub(r"[\s│╭╮╰╯─]+", " ", ended.err)
    assert ended.code == code, message
    assert fact in message
    assert next_step in message
    assert ended.out == ""
    assert "Traceback" not in message


@pytest.mark.slow
def test_a_shown_token_is_fresh_and_long_enough(run: Run) -> None:
    shown = [TOKEN_SHOWN.search(run(*HTTP, "--host", "0.0.0.0").err) for _ in range(2)]
    first, second = (actual[1] if actual else "" for actual in shown)
    assert first != second
    assert min(len(first), len(second)) >= 32


def test_the_token_of_the_environment_is_checked_too(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASETRACK_HTTP_TOKEN", "tiny")
    ended = run(*HTTP, "--host", "0.0.0.0")
    assert ended.code == 2
    assert re.search(r"CASETRACK_HTTP_TOKEN\D+4\D", ended.err)
    assert "tiny" not in ended.err


def test_a_taken_port(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = run(*HTTP, "--port", port)
    assert ended.code == 1
    assert f"127.0.0.1:{port}" in ended.err
    assert "--port 0" in ended.err


@pytest.mark.slow
def test_a_server_that_only_reads(home: Path, tmp_path: Path) -> None:
    names, imported = talk(tmp_path / "imports.txt", "--read-only")
    assert names == [name for name, spec in declared().items() if spec.hints.read_only]
    assert not home.exists() or list(home.iterdir()) == []
    assert "casetrack.faces.mcp.server" in imported
    # Serving over standard input and output pays for nothing else.
    others = ("casetrack.faces.mcp.http", "uvicorn.protocols", "casetrack.api.watch.manager")
    assert [name for name in imported if name.startswith(others)] == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_chosen_tools(run: Run, monkeypatch: pytest.MonkeyPatch, transport: str) -> None:
    served: list[list[str]] = []
    for name in ("serve_stdio", "serve_http"):
        monkeypatch.setattr(
            starting, name, lambda _, choice, **others: served.append(choice.of(declared()))
        )
    chosen = ("--tools", "get_status,create_collection,list_collections")
    assert run("serve", "--transport", transport, *chosen).code == 0
    assert run("serve", "--transport", transport, *chosen, "--read-only").code == 0
    assert served == [
        ["create_collection", "list_collections", "get_status"],
        ["list_collections", "get_status"],
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "variable", "fetches"),
    [
        ((), "", True),
        (("--fetch-models",), "", True),  # the option of older bundles
        (("--offline",), "", False),
        (("--read-only",), "", False),
        ((), "1", False),
    ],
)
def test_models_are_fetched_unless_it_is_to_stay_offline(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], variable: str, fetches: bool
) -> None:
    monkeypatch.setenv("CASETRACK_OFFLINE", variable)
    served: list[bool] = []
    for name in ("serve_stdio", "serve_http"):
        monkeypatch.setattr(starting, name, lambda *_, fetch, **__: served.append(fetch))
    for way in ((), ("--transport", "http")):
        assert run("serve", *way, *words).code == 0
    assert served == [fetches, fetches]


def talk(log: Path, *options: str) -> tuple[list[str], set[str]]:
    """Return the tools that a server with *options* lists over stdio, and its imported modules."""
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/list"},
    ]
    with log.open("w", encoding="utf-8") as text:
        process = subprocess.Popen(
            [sys.executable, "-X", "importtime", "-m", "casetrack", "serve", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=text,
            cwd=ROOT,
            text=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in messages:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    process.communicate(timeout=20)
    lines = log.read_text(encoding="utf-8").splitlines()
    imported = {line.rpartition("|")[2].strip() for line in lines}
    return [tool["name"] for tool in answers[1]["result"]["tools"]], imported


@pytest.mark.parametrize("text", [None, "all", "search"])
@pytest.mark.parametrize("read_only", [False, True])
def test_only_a_server_that_writes_watches_folders(
    home: Path, text: str | None, read_only: bool
) -> None:
    session = Session(Library(load_settings()))
    with starting._watching(session, choose(text, read_only=read_only)):
        assert session.watching is not read_only
        assert bool(session.running) is not read_only
    assert not session.running
