"""Processes started cold, the idle server, and bytes on disk."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import psutil

from bench import synthetic
from bench.ingest import resident
from bench.report import Row, judge
from casetrack.store.datasets import CHUNKS
from casetrack.store.files import folder_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.synthetic import Corpus

_PROGRAM = (sys.executable, "-m", "casetrack")
_REPEATS = 5
_SETTLE_SECONDS = 1.0
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
_SEARCH_AIM, _HANDSHAKE_AIM, _IDLE_AIM_MB = 1.2, 1.0, 90.0
_CHARS, _DISK_AIM_KB, _DISK_REQUIRED_KB = 2000, 12.0, 16.0


def cold_rows(corpus: Corpus, /) -> Iterator[Row]:
    """Yield wall times of new processes (files in the system's cache) and the server's memory."""
    query = corpus.queries("middling")[0]
    where = ["-c", synthetic.NAME, "--data-dir", str(corpus.data_dir)]
    bare = _median([sys.executable, "-c", "pass"])
    yield Row("cold", "python -c pass, for comparison", f"{bare:.2f} s", figures={"s": bare})
    help_time = _median([*_PROGRAM, "--help"])
    yield Row("cold", "casetrack --help", f"{help_time:.2f} s", figures={"s": help_time})
    for mode in ("keyword", "hybrid"):
        taken = _median([*_PROGRAM, "search", query, "--mode", mode, "--json", *where])
        yield Row(
            "cold",
            f"casetrack search --mode {mode}, {corpus.chunk_count:,} chunks, median of {_REPEATS}",
            f"{taken:.2f} s",
            aim=f"<= {_SEARCH_AIM} s",
            verdict=judge(taken, aim=_SEARCH_AIM),
            figures={"s": taken},
        )
    yield from _server_rows(corpus)


def _median(command: Sequence[str]) -> float:
    taken = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        ended = subprocess.run(
            command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        taken.append(time.perf_counter() - started)
        if ended.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{ended.stderr[-2000:]}")
    return statistics.median(taken)


def _server_rows(corpus: Corpus) -> Iterator[Row]:
    command = [*_PROGRAM, "serve", "--data-dir", str(corpus.data_dir)]
    taken, memory = [], []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps(_INITIALIZE).encode() + b"\n")
            server.stdin.flush()
            reply = server.stdout.readline()
            taken.append(time.perf_counter() - started)
            if b'"result"' not in reply:
                raise RuntimeError(f"the server answered {reply!r}")
            time.sleep(_SETTLE_SECONDS)
            memory.append(sum(resident(psutil.Process(server.pid))) / 1e6)
            server.stdin.close()
            server.wait(timeout=20)
    handshake, idle = statistics.median(taken), statistics.median(memory)
    yield Row(
        "cold",
        f"MCP handshake, from start to the reply to initialize, median of {_REPEATS}",
        f"{handshake:.2f} s",
        aim=f"<= {_HANDSHAKE_AIM} s",
        verdict=judge(handshake, aim=_HANDSHAKE_AIM),
        figures={"s": handshake},
    )
    yield Row(
        "cold",
        "MCP server, idle, resident memory",
        f"{idle:.0f} MB",
        aim=f"<= {_IDLE_AIM_MB:.0f} MB",
        verdict=judge(idle, aim=_IDLE_AIM_MB),
        figures={"mb": idle},
    )


def disk_rows(corpus: Corpus, /) -> Iterator[Row]:
    """Yield the bytes per chunk of 2,000 characters in the synthetic collection."""
    import pyarrow.compute as pc

    folder, chunks = corpus.collection.folder, corpus.collection.snapshot().chunks
    characters = pc.sum(chunks.to_table(columns=["char_count"])["char_count"]).as_py()
    per = _CHARS / characters / 1000
    fields = _field_bytes(chunks)
    views = folder / "views"
    superseded = _superseded_bytes(folder / CHUNKS, chunks)
    parts = {
        "text": fields.pop("text"),
        "vectors": fields.pop("dense"),
        "terms": sum(fields.pop(name) for name in ("terms", "term_counts")),
        "line boxes": fields.pop("line_boxes"),
        "other columns": sum(fields.values()),
        "index: vectors": sum(p.stat().st_size for p in views.rglob("dense.npy")),
    }
    parts["index: the rest"] = folder_bytes(views) - parts["index: vectors"]
    live = folder_bytes(folder) - superseded
    parts["ledger, manifests"] = live - sum(parts.values())
    shown = ", ".join(f"{name} {size * per:.2f}" for name, size in parts.items())
    yield Row(
        "disk",
        f"disk per chunk of {_CHARS:,} characters, all outputs that exist",
        f"{live * per:.1f} KB: {shown}",
        required=f"~{_DISK_REQUIRED_KB:.0f} KB",
        aim=f"<= {_DISK_AIM_KB:.0f} KB",
        verdict=judge(live * per, required=_DISK_REQUIRED_KB, aim=_DISK_AIM_KB),
        figures={"total_kb": live * per, **{f"{n}_kb": s * per for n, s in parts.items()}},
    )
    yield Row(
        "disk",
        "  besides, superseded by compaction, until a write that comes 15 minutes later",
        f"{superseded * per:.1f} KB",
        figures={"superseded_kb": superseded * per},
    )


def _superseded_bytes(folder: Path, dataset: Any) -> int:
    """Return the bytes of data files that the newest version no longer names."""
    live = {
        (folder / "data" / file.path).name
        for fragment in dataset.get_fragments()
        for file in fragment.data_files()
    }
    return sum(p.stat().st_size for p in (folder / "data").iterdir() if p.name not in live)


def _field_bytes(dataset: Any) -> dict[str, int]:
    """Return the bytes of every top-level column in the data files."""
    sizes = {field.id: field.bytes_on_disk for field in dataset.stats.data_stats().fields}
    return {field.name(): _with_children(field, sizes) for field in dataset.lance_schema.fields()}


def _with_children(field: Any, sizes: dict[int, int]) -> int:
    below = [_with_children(child, sizes) for child in field.children()]
    return sizes.get(field.id(), 0) + sum(below)
