"""Measure and print the table: ``just bench``.

No test asserts a figure: figures depend on the machine and are compared with other engines on the
same texts in the same run. ``--write docs/benchmarks.md`` writes the table into that page.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import adding, cold, curve, disk, ingest, keyword, modes, server, synthetic, under_writer
from bench.licensed import use_pro_license
from bench.options import read_options
from bench.show import compared, machine, render, save, write_into

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from bench.report import Effort, Row
    from bench.synthetic import Corpus

_CORPUS_ROWS: dict[str, tuple[Callable[[Corpus, Effort], Iterable[Row]], ...]] = {
    "keyword": (keyword.keyword_rows,),
    "modes": (modes.mode_rows, modes.recall_rows),
    "vectors": (modes.vector_peer_rows,),
    "add": (adding.add_rows,),
    "cold": (cold.cold_rows,),
    "server": (server.search_rows, server.memory_rows),
    "disk": (disk.disk_rows,),
    "under writer": (under_writer.under_writer_rows,),
}
GROUPS = (*_CORPUS_ROWS, curve.GROUP, "encoder", "ingest")


def main() -> int:
    """Run the chosen measurements, print the table and write the figures."""
    options = read_options(__doc__ or "", GROUPS)
    os.environ["CASETRACK_MODELS"] = str(options.models)
    use_pro_license()
    os.environ.setdefault("LANCE_LOG", "error")  # its warnings would run through the bars
    _pull(options)
    facts = machine() | ({"quick": True} if options.quick else {})
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    rows: list[Row] = []
    with bar:
        for measure in (_corpus_rows, _curve_rows, _ingest_rows):
            for row in measure(options, bar):
                rows.append(row)
                if options.json:  # a long run that is interrupted keeps its results
                    save(options.json, facts, rows)
    text = render(facts, rows)
    sys.stdout.write(text + "\n")
    if options.write:
        write_into(options.write, text)
    if options.compare:
        earlier = json.loads(options.compare.read_text("utf-8"))
        sys.stdout.write("\n" + compared(earlier, rows) + "\n")
    return 0


def _prepare(options: argparse.Namespace, bar: Progress, chunks: int, *, tokens: bool) -> Corpus:
    task = bar.add_task(f"{chunks:,} synthetic chunks", total=chunks)
    return synthetic.prepare(
        options.work,
        chunks,
        lambda made: bar.advance(task, made),
        models=options.models,
        tokens=tokens,
    )


def _corpus_rows(options: argparse.Namespace, bar: Progress) -> Iterable[Row]:
    wanted = [name for name in _CORPUS_ROWS if name in options.only]
    if not wanted:
        return
    corpus = _prepare(options, bar, options.chunks, tokens=options.has_tokens(options.chunks))
    for name in wanted:
        for measure in _CORPUS_ROWS[name]:
            yield from _watched(name, measure(corpus, options.effort), bar)


def _curve_rows(options: argparse.Namespace, bar: Progress) -> Iterable[Row]:
    if curve.GROUP not in options.only:
        return
    for size in options.sizes:
        corpus = _prepare(options, bar, size, tokens=options.has_tokens(size))
        rows = curve.curve_rows(corpus, options.effort)
        yield from _watched(f"curve, {size:,} chunks", rows, bar)
        if size != options.chunks and not options.keep:
            shutil.rmtree(corpus.home)


def _watched(name: str, rows: Iterable[Row], bar: Progress) -> Iterable[Row]:
    task = bar.add_task(name, total=None)
    for row in rows:
        bar.advance(task)
        yield row
    bar.update(task, total=bar.tasks[task].completed)


def _ingest_rows(options: argparse.Namespace, bar: Progress) -> Iterable[Row]:
    if "encoder" in options.only:
        yield from ingest.encoder_rows(options.models, options.effort.encoded)
    if "ingest" not in options.only:
        return
    big = bar.add_task("one long PDF", total=1)
    yield from ingest.big_rows(options.work, options.pages, lambda n: bar.advance(big, n))
    if options.pdfs is None:
        return
    if not options.pdfs.is_dir():
        bar.console.print(f"No folder {options.pdfs}: name one with --pdfs to measure it.")
        return
    many = bar.add_task("folder of PDFs", total=1)
    yield from ingest.folder_rows(options.pdfs, lambda n: bar.advance(many, n))


def _pull(options: argparse.Namespace) -> None:
    """Make sure that the embedded model is there; the first run may have to fetch it."""
    from casetrack.models.pull import pull

    pull("mini", options.models)


if __name__ == "__main__":
    raise SystemExit(main())
