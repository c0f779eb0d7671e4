"""What a client waits for, on every way to the server: start, list of tools, searches.

``python -m bench.serving [--calls N]``: one and the same search is
asked of the library, of a server in this process, and of servers in processes of their own over
pipes and over HTTP, in both protocol eras. All take turns, so that a busy moment of the machine
does not fall on one of them alone.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import anyio
import psutil

from bench import synthetic
from bench.licensed import use_pro_license
from bench.memory import resident
from bench.report import Row, judge, spread
from bench.server import HELLO, SETTLE_SECONDS, serving
from bench.show import machine, render

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence

    from bench.report import Spread
    from bench.synthetic import Corpus


_CACHE = Path(__file__).resolve().parents[2] / ".cache"
_CALLS, _CHUNKS, _REPEATS, _START_SECONDS = 200, 400, 5, 60.0
_TOP_K = 10
MODERN, LEGACY = "2026-07-28", "2025-11-25"
ERAS = {LEGACY: "legacy", MODERN: MODERN}
"""Protocol version, and the mode of the SDK's client that speaks it."""
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": HELLO["clientInfo"],
    "io.modelcontextprotocol/clientCapabilities": {},
}
LIBRARY = "the library in process"
_HANDSHAKE_AIM, _IDLE_AIM_MB = 1.0, 90.0


def main() -> int:
    """Measure and print the table."""
    options = _options()
    os.environ["CASETRACK_MODELS"] = str(options.models)
    use_pro_license()
    from casetrack.models.pull import pull

    pull("mini", options.models)
    facts = machine()
    corpus = synthetic.prepare(
        options.work, options.chunks, lambda _: None, models=options.models, tokens=True
    )
    rows = [*start_rows(corpus), *_unwrapped(call_rows, corpus, options.calls)]
    sys.stdout.write(render(facts, rows) + "\n")
    return 0


def _unwrapped(work: Callable[..., Awaitable[list[Row]]], *arguments: Any) -> list[Row]:
    """Run *work*; of the groups that task groups make of an error, let out the error itself."""
    try:
        return anyio.run(work, *arguments)
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


def _options() -> argparse.Namespace:
    models = os.environ.get("CASETRACK_MODELS")
    parser = argparse.ArgumentParser(prog="python -m bench.serving", description=__doc__)
    add = parser.add_argument
    add("--calls", type=int, default=_CALLS, help=f"searches on each way [{_CALLS}]")
    add("--chunks", type=int, default=_CHUNKS, help=f"size of the collection [{_CHUNKS}]")
    add("--work", type=Path, default=_CACHE / "bench", help="folder for what is kept between runs")
    add("--models", type=Path, default=Path(models) if models else _CACHE / "models")
    options = parser.parse_args()
    options.work, options.models = options.work.resolve(), options.models.resolve()
    return options


# --- starting --------------------------------------------------------------------------------


def start_rows(corpus: Corpus, /, repeats: int = _REPEATS) -> Iterator[Row]:
    """Yield how soon new processes answer, and what they hold in memory when nobody asks."""
    bare = median(_bare_start() for _ in range(repeats))
    yield Row("start", "python -c pass, for comparison", f"{bare:.2f} s", figures={"s": bare})
    for era in ERAS:
        starts = [_pipe_start(corpus, era) for _ in range(repeats)]
        yield from _start_rows(f"stdio, {era}", starts)
    starts = [anyio.run(_web_start, corpus, era) for era in ERAS for _ in range(repeats // 2 + 1)]
    yield from _start_rows("HTTP", starts)


def _bare_start() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - started


def _start_rows(way: str, starts: Sequence[Mapping[str, float]]) -> Iterator[Row]:
    typical = {name: median(start[name] for start in starts) for name in starts[0]}
    hello, idle = typical["hello_s"], typical["idle_mb"]
    yield Row(
        "start",
        f"{way}: from start to the first answer, median of {len(starts)}",
        f"{hello:.2f} s",
        aim=f"<= {_HANDSHAKE_AIM} s",
        verdict=judge(hello, aim=_HANDSHAKE_AIM),
        figures={"s": hello},
    )
    first, again = typical["list_ms"], typical["list_again_ms"]
    yield Row(
        "start",
        f"{way}: tools/list, the first time and again",
        f"{first:.0f} ms, {again:.1f} ms",
        figures={"first_ms": first, "again_ms": again},
    )
    yield Row(
        "start",
        f"{way}: resident memory of the idle server, after its first answer",
        f"{idle:.0f} MB",
        aim=f"<= {_IDLE_AIM_MB:.0f} MB",
        verdict=judge(idle, aim=_IDLE_AIM_MB),
        figures={"mb": idle},
    )


def _pipe_start(corpus: Corpus, era: str) -> dict[str, float]:
    """Start a server, greet it, look at it, and list its tools twice."""
    modern = era == MODERN
    started = time.perf_counter()
    with serving(corpus.data_dir, META if modern else None) as pipe:
        if modern:
            pipe.call("server/discover", {})
        else:
            pipe.call("initialize", HELLO)
        hello = time.perf_counter() - started
        if not modern:
            pipe.send({"method": "notifications/initialized"})
        time.sleep(SETTLE_SECONDS)
        idle, _ = pipe.memory()
        listing = []
        for _ in range(2):
            asked = time.perf_counter()
            pipe.call("tools/list", {})
            listing.append((time.perf_counter() - asked) * 1000)
    return {"hello_s": hello, "idle_mb": idle} | _listing(listing)


async def _web_start(corpus: Corpus, era: str) -> dict[str, float]:
    """Do the same over HTTP, with the SDK's client."""
    from mcp.client import Client

    started = time.perf_counter()
    async with (
        web_server(corpus.data_dir) as (url, process),
        Client(url, mode=ERAS[era], cache=None) as client,
    ):
        hello = time.perf_counter() - started
        await anyio.sleep(SETTLE_SECONDS)
        idle = sum(resident(process)) / 1e6
        listing = []
        for _ in range(2):
            asked = time.perf_counter()
            await client.list_tools()
            listing.append((time.perf_counter() - asked) * 1000)
    return {"hello_s": hello, "idle_mb": idle} | _listing(listing)


def _listing(taken: Sequence[float]) -> dict[str, float]:
    return {"list_ms": taken[0], "list_again_ms": taken[1]}


@contextlib.asynccontextmanager
async def web_server(data_dir: Path, /) -> AsyncIterator[tuple[str, psutil.Process]]:
    """Yield address and process of a server of its own that listens on a free port."""
    command = [sys.executable, "-m", "casetrack", "serve", "--data-dir", str(data_dir)]
    command += ["--transport", "http", "--port", "0"]
    with tempfile.NamedTemporaryFile() as told:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=told)
        try:
            yield await _address(process, Path(told.name)), psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait(timeout=20)


async def _address(process: subprocess.Popen[bytes], told: Path) -> str:
    with anyio.fail_after(_START_SECONDS):
        while not (found := re.search(r"http://\S+/mcp\b", told.read_text("utf-8"))):
            if process.poll() is not None:
                raise RuntimeError(f"the server ended:\n{told.read_text('utf-8')[-2000:]}")
            await anyio.sleep(0.01)
    return found.group()


# --- calls -----------------------------------------------------------------------------------


async def call_rows(corpus: Corpus, calls: int, /) -> list[Row]:
    """Return what a search takes on every way, warm."""
    queries = corpus.queries("middling", count=min(calls, 40))
    rows: list[Row] = []
    async with ways(corpus.data_dir) as asks:
        for mode in ("keyword", corpus.modes[-1]):
            taken = await compete(asks, mode, queries, -(-calls // len(queries)))
            rows += _call_rows(mode, taken)
    return rows


def _call_rows(mode: str, taken: Mapping[str, Sequence[float]]) -> Iterator[Row]:
    own = spread(taken[LIBRARY])
    for way, times in taken.items():
        found = spread(times)
        yield Row(
            f"search_documents, mode {mode}",
            way,
            str(found),
            ratio="" if way == LIBRARY else _beside(found, own),
            figures=found.figures,
        )


def _beside(found: Spread, own: Spread) -> str:
    return f"p50 {found.p50 - own.p50:+.1f} ms, p95 {found.p95 - own.p95:+.1f} ms"


async def compete(
    asks: Mapping[str, Callable[[str, str], Awaitable[Any]]],
    mode: str,
    queries: Sequence[str],
    passes: int,
    /,
) -> dict[str, list[float]]:
    """Return milliseconds of every call on every way; all answer each query once unmeasured."""
    taken: dict[str, list[float]] = {way: [] for way in asks}
    for number in range(passes + 1):
        for query in queries:
            for way, ask in asks.items():
                started = time.perf_counter()
                await ask(query, mode)
                if number:
                    taken[way].append((time.perf_counter() - started) * 1000)
    return taken


@contextlib.asynccontextmanager
async def ways(data_dir: Path, /) -> AsyncIterator[dict[str, Callable[[str, str], Awaitable[Any]]]]:
    """Yield a function for each way that searches there; every server is warm and connected."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters

    from casetrack.api.library import Library
    from casetrack.base.config import load_settings
    from casetrack.faces.mcp.app import build_server

    def library() -> Library:
        """Return one of its own for every way: models remember what they were asked last."""
        return Library(load_settings(data_dir))

    collection, bare = library().get(synthetic.NAME), build_server(library())
    pipe = StdioServerParameters(
        command=sys.executable,
        args=["-m", "casetrack", "serve", "--data-dir", str(data_dir)],
        env=dict(os.environ),
    )

    async def direct(query: str, mode: str) -> None:
        collection.search(query, limit=_TOP_K, mode=mode).as_dict()  # type: ignore[arg-type]

    async def called(query: str, mode: str) -> None:
        await bare.call_tool("search_documents", _arguments(query, mode))

    asks: dict[str, Callable[[str, str], Awaitable[Any]]] = {
        LIBRARY: direct,
        "the tool in process, without a protocol": called,
    }
    async with contextlib.AsyncExitStack() as stack:
        lines = stack.enter_context(serving(data_dir))
        lines.call("initialize", HELLO)
        lines.send({"method": "notifications/initialized"})

        async def written(query: str, mode: str) -> None:
            lines.search(query, mode)

        asks[f"stdio, {LEGACY}, lines of JSON without the SDK's client"] = written
        url, _ = await stack.enter_async_context(web_server(data_dir))
        for era, mode in ERAS.items():
            here = build_server(library())
            for name, target in (("in process", here), ("stdio", pipe), ("HTTP", url)):
                client = await stack.enter_async_context(Client(target, mode=mode))
                asks[f"{name}, {era}"] = _asking(client)
        yield {way: asks[way] for way in sorted(asks, key=_order)}


def _order(way: str) -> int:
    return next(i for i, name in enumerate(("the ", "in process", "stdio", "HTTP")) if name in way)


def _asking(client: Any) -> Callable[[str, str], Awaitable[None]]:
    async def ask(query: str, mode: str) -> None:
        result = await client.call_tool("search_documents", _arguments(query, mode))
        if result.is_error:
            raise RuntimeError(f"the server answered {result.content[0].text!r}")

    return ask


def _arguments(query: str, mode: str) -> dict[str, Any]:
    return {"query": query, "mode": mode, "top_k": _TOP_K, "collection": synthetic.NAME}


if __name__ == "__main__":
    raise SystemExit(main())
