"""How everything grows with the collection: one block of rows per size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.cold import first_query_rows
from bench.disk import disk_rows
from bench.modes import mode_rows, recall_rows
from bench.report import Row, number
from bench.server import memory_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.report import Effort
    from bench.synthetic import Corpus

GROUP = "curve"


def curve_rows(corpus: Corpus, effort: Effort, /) -> Iterator[Row]:
    """Yield building, disk, searches per stage, recall, first query and memory of one size."""
    yield from _built_rows(corpus)
    yield from disk_rows(corpus, effort, group=GROUP)
    yield from mode_rows(corpus, effort, group=GROUP)
    yield from recall_rows(corpus, effort, group=GROUP)
    yield from first_query_rows(corpus, effort, group=GROUP)
    yield from memory_rows(corpus, effort, group=GROUP)


def _built_rows(corpus: Corpus) -> Iterator[Row]:
    built, size = corpus.built, f"{corpus.chunk_count:,} chunks"
    whole = built["append_s"] + built["index_s"]
    yield Row(
        GROUP,
        f"{size}: built, without generating texts and vectors",
        f"{number(whole)} s (append {number(built['append_s'])}, index {number(built['index_s'])}),"
        f" {corpus.chunk_count / whole:,.0f} chunks/s",
        figures={"append_s": built["append_s"], "index_s": built["index_s"]},
    )
    yield Row(
        GROUP,
        f"{size}: the same, peak memory of the process, with the generator's own",
        f"{built['peak_mb']:,.0f} MB",
        figures={"peak_mb": built["peak_mb"]},
    )
    yield Row(
        GROUP,
        f"{size}: on disk when it was built, with what compaction superseded",
        f"{built['disk_bytes'] / 1e9:.2f} GB",
        figures={"disk_gb": built["disk_bytes"] / 1e9},
    )
