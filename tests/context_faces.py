"""Compares the answers and times of ``ctx`` in a terminal, over MCP and over HTTP.

``python -m context_faces --config .ctx/config.toml [--questions N]`` takes its questions from the
collection's passages, asks each in every mode over every face, and prints differences and times.
The command runs in this process, so that its start is not counted; the server is a separate one.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import io
import json
import re
import subprocess
import sys
import time
import urllib.parse
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

MODES = ("keyword", "semantic", "hybrid")
CTX = [sys.executable, "-c", "from casetrack.editions.context.cli.main import run; run()"]
TOKEN = "between-these-faces-only"
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass
class Compared:
    """Number of questions, differences, and seconds of each face.

    ``unequal`` has question, mode, face, and its answer where it differs from the command's.
    """

    asked: int = 0
    unequal: list[tuple[str, str, str, Any]] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)


def compare(config: Path, questions: Sequence[str], modes: Sequence[str] = MODES) -> Compared:
    """Ask every question in every mode on every way."""
    result = Compared()
    with served(config) as port:
        anyio.run(_compare, config, port, questions, modes, result)
    return result


async def _compare(
    config: Path, port: int, questions: Sequence[str], modes: Sequence[str], result: Compared
) -> None:
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    bearer = {"authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=bearer, timeout=60) as carrier,
        Client(
            streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=carrier)
        ) as client,
    ):
        for question in questions:
            for mode in modes:
                asked = {"query": question, "mode": mode}
                command = _timed(result, "ctx", time.perf_counter())
                wanted = typed(config, "search", question, "--mode", mode)
                command()
                over_mcp = _timed(result, "MCP", time.perf_counter())
                answer = (await client.call_tool("search", asked)).structured_content
                over_mcp()
                plain = _timed(result, "REST", time.perf_counter())
                _, text = rest(port, f"/search?{urllib.parse.urlencode(asked)}")
                plain()
                result.asked += 1
                for way, got in (("MCP", answer), ("REST", text)):
                    if got != wanted:
                        result.unequal.append((question, mode, way, got))


def _timed(result: Compared, way: str, began: float) -> Any:
    return lambda: result.seconds.setdefault(way, []).append(time.perf_counter() - began)


def typed(config: Path, *words: str) -> Any:
    """Return the parsed JSON output of ``ctx ... --json``."""
    from casetrack.editions.context.cli.main import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = main(["--config", str(config), *words, "--json"])
    return json.loads(printed.getvalue()) if code == 0 else None


def rest(port: int, path: str, body: bytes | None = None, **headers: str | None) -> tuple[int, Any]:
    """Send one plain request; return its status and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    sent: Mapping[str, str | None] = {"authorization": f"Bearer {TOKEN}"} | headers
    kept = {name: value for name, value in sent.items() if value is not None}
    connection.request("GET" if body is None else "POST", path, body, kept)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text)


@contextlib.contextmanager
def served(config: Path) -> Iterator[int]:
    """Let a process serve a config, and give the port."""
    import os

    process = subprocess.Popen(
        [*CTX, "--config", str(config), "serve", "mcp", "--port", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "CASETRACK_HTTP_TOKEN": TOKEN},
        encoding="utf-8",
    )
    assert process.stderr is not None
    assert process.stdout is not None
    try:
        result, messages = None, list[str]()
        while result is None:
            messages.append(process.stderr.readline())
            assert messages[-1], "".join(messages)
            result = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", messages[-1])
        yield int(result[1])
    finally:
        process.terminate()
        printed, _ = process.communicate(timeout=30)
    assert printed == ""


def questions_of(config: Path, count: int) -> list[str]:
    """Return questions made of words of the collection's passages, spread over all of them."""
    from casetrack.editions.context.home import ContextHome

    home = ContextHome.open(config)
    statement = "SELECT text FROM chunks ORDER BY hash(chunk_id) LIMIT $count"
    rows = home.collection.sql(statement, params={"count": count}).to_pylist()
    words = [_WORD.findall(row["text"])[:24:4] for row in rows]
    return [" ".join(some) or "text" for some in words]


def main() -> None:
    """Compare and print."""
    from pathlib import Path

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--modes", nargs="*", default=list(MODES))
    given = parser.parse_args()
    result = compare(given.config, questions_of(given.config, given.questions), given.modes)
    sys.stdout.write(f"{result.asked} asked on three ways, {len(result.unequal)} answers differ\n")
    for question, mode, way, got in result.unequal[:5]:
        sys.stdout.write(f"  {way}, {mode}: {question!r}: {str(got)[:200]}\n")
    for way, seconds in result.seconds.items():
        worst = sorted(seconds)[int(len(seconds) * 0.95)]
        sys.stdout.write(
            f"{way}: median {1e3 * median(seconds):.1f} ms, p95 {1e3 * worst:.1f} ms\n"
        )


if __name__ == "__main__":
    main()
