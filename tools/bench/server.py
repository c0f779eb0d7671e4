"""The MCP server as seen by a client: response time and memory."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import psutil

from bench import synthetic
from bench.memory import mapped, resident
from bench.report import Row, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from bench.report import Effort
    from bench.synthetic import Corpus

SETTLE_SECONDS = 1.0
"""After the start, until the memory of an idle server is looked at."""
_HANDSHAKE_AIM, _OVER_MS = 0.45, 2
_MEMORY_AIMS_MB = {"idle": 80, "after the first full search: all loaded": 250}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
"""Parameters of ``initialize`` in the protocol with a handshake."""


class Pipe:
    """MCP client over the pipes of a server process.

    ``meta`` accompanies every request: the stateless protocol states its version in it.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], /, meta: Mapping[str, Any] | None = None
    ) -> None:
        self._process, self._number = process, 0
        self._more = {"_meta": meta} if meta else {}

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request.

        Raises
        ------
        RuntimeError
            The server answered with an error or not at all.
        """
        message = self.ask(method, params)
        result: dict[str, Any] = message.get("result", {})
        if not result or result.get("isError"):
            raise RuntimeError(f"the server answered {message!r}")
        return result

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the whole answer to a request, including errors.

        Raises
        ------
        RuntimeError
            The server ended.
        """
        self._number += 1
        self.send({"id": self._number, "method": method, "params": {**params, **self._more}})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._number:
                return message
        raise RuntimeError(f"the server ended before it answered {method}")

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self._process.stdin.flush()

    def search(self, query: str, mode: str) -> None:
        """Search the synthetic collection.

        Raises
        ------
        RuntimeError
            The search has no results.
        """
        arguments = {"query": query, "mode": mode, "collection": synthetic.NAME}
        result = self.call("tools/call", {"name": "search_documents", "arguments": arguments})
        if "--- Result 1 " not in result["content"][0]["text"]:
            raise RuntimeError(f"the server found nothing for {query!r}")

    def memory(self) -> tuple[float, float]:
        """Return resident megabytes, and how many of them are pages of files."""
        process = psutil.Process(self._process.pid)
        return sum(resident(process)) / 1e6, mapped(process) / 1e6


@contextmanager
def serving(data_dir: Path, /, meta: Mapping[str, Any] | None = None) -> Iterator[Pipe]:
    """Yield a new server process on a data folder; its input ends with the block."""
    command = [sys.executable, "-m", "casetrack", "serve", "--data-dir", str(data_dir)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield Pipe(process, meta)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=20)


def handshake_rows(corpus: Corpus, effort: Effort, /) -> Iterator[Row]:
    """Yield the time from start to the first reply."""
    taken = []
    for _ in range(effort.repeats):
        started = time.perf_counter()
        with serving(corpus.data_dir) as client:
            client.call("initialize", HELLO)
            taken.append(time.perf_counter() - started)
    handshake = statistics.median(taken)
    yield Row(
        "cold",
        f"MCP handshake, from start to the reply to initialize, median of {effort.repeats}",
        f"{handshake:.2f} s",
        aim=f"<= {_HANDSHAKE_AIM} s",
        verdict=judge(handshake, aim=_HANDSHAKE_AIM),
        figures={"s": handshake},
    )


def search_rows(corpus: Corpus, effort: Effort, /) -> Iterator[Row]:
    """Yield the time of a search over the protocol beside that of the library."""
    queries, alone, over = corpus.queries("middling", count=effort.queries), [], []
    with serving(corpus.data_dir) as client:
        client.call("initialize", HELLO)
        client.send({"method": "notifications/initialized"})
        client.search(queries[0], "keyword")
        for query in queries:
            for taken, search in (
                (alone, partial(corpus.collection.search, limit=5)),
                (over, client.search),
            ):
                search(query, mode="keyword")
                started = time.perf_counter()
                search(query, mode="keyword")
                taken.append((time.perf_counter() - started) * 1000)
    more = statistics.median(over) - statistics.median(alone)
    yield Row(
        "server",
        f"{corpus.chunk_count:,} chunks: keyword search over MCP, 5 results with marks, and its "
        "difference to the library's, without marks",
        f"p50 {statistics.median(over):.2f} ms, + {more:.2f} ms",
        aim=f"p50 + {_OVER_MS} ms",
        verdict=judge(more, aim=_OVER_MS),
        figures={"p50": statistics.median(over), "more": more},
    )


def memory_rows(corpus: Corpus, effort: Effort, /, *, group: str = "server") -> Iterator[Row]:
    """Yield the server's memory: idle, after one search by words and by all, and after many."""
    fullest = corpus.modes[-1]
    queries = corpus.queries("middling", count=effort.queries)
    stages: dict[str, tuple[float, float]] = {}
    with serving(corpus.data_dir) as client:
        client.call("initialize", HELLO)
        client.send({"method": "notifications/initialized"})
        time.sleep(SETTLE_SECONDS)
        stages["idle"] = client.memory()
        client.search(queries[0], "keyword")
        stages["after the first keyword search"] = client.memory()
        client.search(queries[0], fullest)
        stages[f"after the first {fullest} search: all loaded"] = client.memory()
        for query in queries:
            client.search(query, fullest)
        stages[f"after {len(queries)} {fullest} searches"] = client.memory()
    for stage, (total, files) in stages.items():
        aim = _MEMORY_AIMS_MB.get(stage)
        yield Row(
            group,
            f"{corpus.chunk_count:,} chunks: MCP server, resident memory, {stage}",
            f"{total:.0f} MB" + (f", of which {files:.0f} MB pages of files" if files else ""),
            aim=f"<= {aim} MB" if aim else "",
            verdict=judge(total, aim=aim) if aim else "",
            figures={"mb": total, "files_mb": files},
        )
