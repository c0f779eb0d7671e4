"""Speed and peak memory of adding PDF files in a separate process."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.disk import collection_rows
from bench.memory import PeakMemory
from bench.prose import passage
from bench.report import Row, judge, number
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SECONDS_REQUIRED, _MEMORY_REQUIRED_MB = 1.0, 2048.0
_FOLDER, _BIG = (18, 900), (25, 500)
"""Goals: pages per second and megabytes."""
_LINES_PER_PAGE, _LINE_CHARS = 38, 84
_ENCODED_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Ingested:
    """Measurements of one run of ``casetrack ingest``."""

    pages: int
    chunks: int
    files: int
    failed: int
    seconds: float
    wall_seconds: float
    peak_mb: float
    main_mb: float
    disk: tuple[Row, ...]


def folder_rows(folder: Path, advance: Callable[[int], None], /) -> Iterator[Row]:
    """Yield speed and memory over a folder of PDFs."""
    run = ingest(folder, f"PDFs of {folder.name}/", advance)
    yield from _rows(f"{run.files} PDFs of {folder.name}/", run, *_FOLDER)


def big_rows(work: Path, pages: int, advance: Callable[[int], None], /) -> Iterator[Row]:
    """Yield speed and memory over one generated PDF of *pages* pages."""
    path = work / f"generated-{pages}" / f"generated-{pages}.pdf"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        building = path.with_suffix(".building")
        write_pdf(building, pages)
        building.rename(path)
    what = f"one PDF of {pages} pages"
    yield from _rows(what, ingest(path, what, advance), *_BIG)


def _rows(what: str, run: Ingested, pages: int, megabytes: int, /) -> Iterator[Row]:
    per_page = run.seconds / max(1, run.pages)
    failed = f", {run.failed} FAILED" if run.failed else ""
    yield Row(
        "ingest",
        f"ingest, {what}: {run.pages:,} pages, {run.chunks:,} chunks{failed}",
        f"{per_page:.3f} s/page, {run.pages / run.seconds:.1f} pages/s "
        f"({run.seconds:.1f} s; with start and end of the process {run.wall_seconds:.1f} s)",
        required=f"< {_SECONDS_REQUIRED:.0f} s/page",
        aim=f">= {pages} pages/s",
        verdict=judge(per_page, required=_SECONDS_REQUIRED, aim=1 / pages),
        figures={
            "seconds_per_page": per_page,
            "seconds": run.seconds,
            "pages": run.pages,
            "chunks": run.chunks,
            "failed": run.failed,
        },
    )
    yield Row(
        "ingest",
        f"  peak memory (RSS of all its processes) over {what}",
        f"{run.peak_mb:,.0f} MB (of which the main process {run.main_mb:,.0f})",
        required="< 2 GB",
        aim=f"<= {megabytes} MB",
        verdict=judge(run.peak_mb, required=_MEMORY_REQUIRED_MB, aim=megabytes),
        figures={"peak_mb": run.peak_mb, "main_mb": run.main_mb},
    )
    yield from run.disk


def ingest(path: Path, what: str, advance: Callable[[int], None], /) -> Ingested:
    """Run ``casetrack ingest`` over *path* into a new data folder, which is removed again."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "casetrack", "ingest", str(path), "--create"]
        command += ["-c", "Bench", "--json", "--data-dir", scratch]
        started = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            with PeakMemory(process.pid) as memory:
                output, errors = process.communicate()
            wall = time.perf_counter() - started
        if process.returncode not in {0, 1}:
            raise RuntimeError(f"{' '.join(command)} failed:\n{errors.decode()[-2000:]}")
        report = json.loads(output)
        stored = Library(load_settings(Path(scratch)), tier=UNLIMITED).get("Bench")
        disk = tuple(collection_rows(stored, what, "ingest"))
    outcomes: list[dict[str, Any]] = report["outcomes"]
    advance(1)
    return Ingested(
        pages=sum(o["pages"] for o in outcomes),
        chunks=sum(o["chunks"] for o in outcomes),
        files=len(outcomes),
        failed=sum(o["status"] == "failed" for o in outcomes),
        seconds=report["seconds"],
        wall_seconds=wall,
        peak_mb=memory.peak / 1e6,
        main_mb=memory.main / 1e6,
        disk=disk,
    )


def write_pdf(path: Path, pages: int, /, *, seed: int = 0) -> None:
    """Write a PDF of *pages* A4 pages of about 3,000 characters, with headings and page numbers."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    rng = random.Random(f"{pages} {seed}")
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for page in range(1, pages + 1):
        canvas.setFont("Helvetica-Bold", 13)
        canvas.drawString(62, 780, f"{page}. Obligations and reports of period {page}")
        canvas.setFont("Times-Roman", 11)
        height = 752.0
        for line in _page_lines(rng):
            canvas.drawString(62, height, line)
            height -= 16.5
        canvas.setFont("Helvetica", 8)
        canvas.drawCentredString(297, 40, f"Page {page} of {pages}")
        canvas.showPage()
    canvas.save()


def _page_lines(rng: random.Random) -> list[str]:
    lines: list[str] = []
    while len(lines) < _LINES_PER_PAGE:
        lines += [*textwrap.wrap(passage(rng, 550), _LINE_CHARS), ""]
    return lines[:_LINES_PER_PAGE]


def encoder_rows(models_dir: Path, count: int, /) -> Iterator[Row]:
    """Yield the time of the model alone, per chunk and per query."""
    from casetrack.base.records import DEFAULT_PROFILE
    from casetrack.models.encoders import Encoders

    rng = random.Random(5)
    texts = [passage(rng, _ENCODED_CHARS)[:_ENCODED_CHARS] for _ in range(count)]
    encoder = Encoders(models_dir).get(DEFAULT_PROFILE)
    states = [e.tokens for e in encoder.encode_documents(texts[:8])]
    tokens = statistics.mean(len(s) for s in states if s is not None)
    started = time.perf_counter()
    for _ in encoder.encode_documents(texts):
        pass
    per_chunk = (time.perf_counter() - started) * 1000 / len(texts)
    queries = [passage(rng, 40)[:60] for _ in range(100)]
    taken = []
    for query in queries:
        started = time.perf_counter()
        encoder.encode_query(query)
        taken.append((time.perf_counter() - started) * 1000)
    yield Row(
        "encoder",
        f"encoder ({encoder.name}), per chunk of {_ENCODED_CHARS:,} characters "
        f"({tokens:.0f} tokens)",
        f"{number(per_chunk)} ms; a query {number(statistics.median(taken))} ms",
        figures={"chunk_ms": per_chunk, "query_ms": statistics.median(taken)},
    )
