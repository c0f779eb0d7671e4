"""`just bench --quick` runs to its end and has a row for everything that it promises."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- begin: written by `just bench --write` -->", "<!-- end: written by"

EXPECTED = [
    ("keyword", r"^keyword, rare terms, ranking only", "p95_ms"),
    ("keyword", r"SQLite FTS5: keyword, middling terms", "p95_ms"),
    ("keyword", r"Lance full-text index: keyword, very frequent terms", "p95_ms"),
    ("keyword", r"SQL definition in DuckDB", "agreed_share"),
    ("modes", r": keyword, middling terms", "bm25_p95_ms"),
    ("modes", r": keyword, very frequent terms", "fetch_p50_ms"),
    ("modes", r": semantic, ", "semantic_p95_ms"),
    ("modes", r": hybrid, very frequent terms", "encode_p95_ms"),
    ("modes", r": full, middling terms", "maxsim_p95_ms"),
    ("modes", r"recall@100 against exact", "mean_recall"),
    ("vectors", r"LanceDB vector search \(IVF-PQ\): semantic", "p95_ms"),
    ("vectors", r"LanceDB hybrid search .* very frequent", "p95_ms"),
    ("add", r"into an empty collection", "total_ms"),
    ("cold", r"casetrack search --mode keyword, new process", "s"),
    ("cold", r"casetrack search --mode full, new process", "s"),
    ("cold", r"MCP handshake", "s"),
    ("server", r"resident memory, idle", "mb"),
    ("server", r"all loaded", "mb"),
    ("server", r"after 8 full searches", "mb"),
    ("disk", r"disk per chunk", "token matrices_kb"),
    ("disk", r"superseded by compaction", "superseded_kb"),
    ("under writer", r"no writer", "p95_ms"),
    ("under writer", r"while another process ingests", "searches_per_s"),
    ("under writer", r"no reader", "pages_per_s"),
    ("curve", r"^1,000 chunks: built", "index_s"),
    ("curve", r"^1,000 chunks: full, ", "p95_ms"),
    ("curve", r"^1,000 chunks: disk per chunk", "total_kb"),
    ("curve", r"^1,000 chunks: semantic recall@100", "least_recall"),
    ("curve", r"^1,000 chunks: casetrack search", "s"),
    ("curve", r"^1,000 chunks: MCP server", "mb"),
    ("encoder", r"^encoder", "chunk_ms"),
    ("ingest", r"^ingest, one PDF", "seconds_per_page"),
    ("ingest", r"peak memory", "peak_mb"),
    ("ingest", r"disk per chunk", "text_kb"),
]
"""Group, part of the row's name, a figure in it."""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_quick_run_prints_every_row(tmp_path: Path) -> None:
    document, figures = tmp_path / "benchmarks.md", tmp_path / "figures.json"
    document.write_text(f"above\n{BEGIN}\n{END} `just bench --write` -->\nbelow\n", "utf-8")
    first = _bench(tmp_path, "--json", str(figures), "--write", str(document))
    saved = json.loads(figures.read_text("utf-8"))
    rows = saved["rows"]
    for group, pattern, figure in EXPECTED:
        assert _found(rows, group, pattern, figure), (group, pattern, figure)
    for row in rows:
        assert f"### {row['group']}" in first
        assert row["what"].strip() in first
    # A generated block must not carry names of machines or folders.
    written = document.read_text("utf-8")
    assert written.startswith("above\n")
    assert written.endswith("below\n")
    assert "QUICK RUN" in written
    for private in (str(tmp_path), str(ROOT), platform.node()):
        assert not re.search(rf"(?<!\w){re.escape(private)}(?!\w)", written), private

    second = _bench(tmp_path, "--only", "disk", "--compare", str(figures))
    assert re.search(r"same  disk: 2,000 chunks: disk per chunk .* total_kb", second)
    assert "gone  ingest" in second


def _found(rows: list[dict[str, Any]], group: str, pattern: str, figure: str) -> bool:
    return any(
        row["group"] == group
        and re.search(pattern, row["what"])
        and row["figures"].get(figure, -1) >= 0
        for row in rows
    )


def _bench(work: Path, *options: str) -> str:
    models = os.environ.get("CASETRACK_MODELS", str(ROOT / ".cache" / "models"))
    command = [sys.executable, "-m", "bench.run", "--quick", "--work", str(work / "bench")]
    ended = subprocess.run(
        [*command, "--models", models, *options],
        check=False,
        cwd=ROOT,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in (".", "tools", "tests"))},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout
