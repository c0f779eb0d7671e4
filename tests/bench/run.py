"""Measure and print the table: ``just bench``.

Nothing here is asserted by a test: figures depend on the machine, and stand beside those of other
engines on the same texts in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import cold, ingest, search, synthetic
from bench.report import machine, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bench.report import Row
    from bench.synthetic import Corpus

_CHECKOUT = Path(__file__).resolve().parent.parent.parent
_CORPUS_ROWS: dict[str, Callable[[Corpus], Iterable[Row]]] = {
    "keyword": search.keyword_rows,
    "hybrid": search.hybrid_rows,
    "add": search.add_rows,
    "cold": cold.cold_rows,
    "disk": cold.disk_rows,
}
_ROWS = (*_CORPUS_ROWS, "encoder", "ingest")


def main() -> int:
    """Run what was asked for, print the table, and write the figures."""
    options = _options()
    models = options.models.resolve()
    os.environ["CASETRACK_MODELS"] = str(models)
    _pull(models)
    facts = machine()
    rows: list[Row] = []
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    with bar:
        rows += _corpus_rows(options, bar)
        rows += _ingest_rows(options, models, bar)
    sys.stdout.write(render(facts, rows) + "\n")
    if options.json:
        figures = {"machine": facts, "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


def _corpus_rows(options: argparse.Namespace, bar: Progress) -> list[Row]:
    wanted = [name for name in _CORPUS_ROWS if name in options.only]
    rows: list[Row] = []
    if not wanted:
        return rows
    task = bar.add_task("synthetic chunks", total=options.chunks)
    corpus = synthetic.prepare(options.work, options.chunks, lambda n: bar.advance(task, n))
    for name in wanted:
        task = bar.add_task(name, total=None)
        for row in _CORPUS_ROWS[name](corpus):
            rows.append(row)
            bar.advance(task)
        bar.update(task, total=bar.tasks[task].completed)
    return rows


def _ingest_rows(options: argparse.Namespace, models: Path, bar: Progress) -> list[Row]:
    rows: list[Row] = []
    if "encoder" in options.only:
        rows += ingest.encoder_rows(models)
    if "ingest" in options.only:
        big = bar.add_task("one long PDF", total=1)
        rows += ingest.big_rows(options.work, options.pages, lambda n: bar.advance(big, n))
        if options.pdfs.is_dir():
            many = bar.add_task("folder of PDFs", total=1)
            rows += ingest.folder_rows(options.pdfs, lambda n: bar.advance(many, n))
        else:
            bar.console.print(f"No folder {options.pdfs}: name one with --pdfs to measure it.")
    return rows


def _pull(models: Path) -> None:
    """Make sure that the embedded model is there; the first run may have to fetch it."""
    from casetrack.models.pull import pull

    pull("mini", models)


def _options() -> argparse.Namespace:
    cache = _CHECKOUT / ".cache"
    models = os.environ.get("CASETRACK_MODELS")
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    add = parser.add_argument
    add("--only", action="append", choices=_ROWS, help="measure only this; may be repeated")
    add("--work", type=Path, default=cache / "bench", help="folder for what is kept between runs")
    add("--chunks", type=int, default=50_000, help="size of the synthetic collection")
    add("--pages", type=int, default=500, help="pages of the generated PDF")
    add(
        "--pdfs",
        type=Path,
        default=_CHECKOUT.parent / "shared" / "data" / "cuad" / "pdf",
        help="folder of PDFs to take in",
    )
    add(
        "--models",
        type=Path,
        default=Path(models) if models else cache / "models",
        help="models folder",
    )
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    options = parser.parse_args()
    if options.chunks < 2000 or options.chunks % synthetic.CHUNKS_PER_DOCUMENT:
        parser.error(
            f"--chunks must be a multiple of {synthetic.CHUNKS_PER_DOCUMENT}, 2000 or more"
        )
    options.only = options.only or list(_ROWS)
    return options


if __name__ == "__main__":
    raise SystemExit(main())
