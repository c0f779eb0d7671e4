"""Searches while another process adds documents, and the slowdown of both."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench import synthetic
from bench.ingest import write_pdf
from bench.peers import K
from bench.report import Row, number, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.report import Effort
    from bench.synthetic import Corpus
    from casetrack.api.collection import Collection

_PAGES = 8
_WAIT_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class _Written:
    """Measurements of one run of the writer and of the searches during it."""

    pages: int
    seconds: float
    milliseconds: list[float]


def under_writer_rows(corpus: Corpus, effort: Effort, /) -> Iterator[Row]:
    """Yield the times of continuous searches by one reader, with and without a writer."""
    mode = corpus.modes[-1]
    queries = corpus.queries("middling", count=effort.queries)
    with tempfile.TemporaryDirectory(dir=corpus.home) as scratch:
        folder = Path(scratch) / "papers"
        folder.mkdir()
        for number_ in range(effort.written_files):
            write_pdf(folder / f"paper-{number_:03d}.pdf", _PAGES, seed=number_)
        alone = _write(corpus, Path(scratch) / "alone", folder, lambda _: None)
        calm, reader = list[float](), _Reader(queries, mode)
        for _ in range(effort.passes):
            calm += [reader.ask(corpus.collection) for _ in queries]
        both = _write(corpus, Path(scratch) / "both", folder, reader.ask)
    yield from _rows(corpus, mode, calm, alone, both)


def _rows(
    corpus: Corpus, mode: str, calm: list[float], alone: _Written, both: _Written
) -> Iterator[Row]:
    before, during = spread(calm), spread(both.milliseconds)
    speeds = [w.pages / w.seconds for w in (alone, both)]
    searches = len(both.milliseconds) / both.seconds
    where = f"{corpus.chunk_count:,} chunks, {mode}, middling terms"
    yield Row(
        "under writer",
        f"one reader without pause, no writer: {where}",
        str(before),
        figures=before.figures,
    )
    yield Row(
        "under writer",
        f"the same while another process ingests {both.pages} pages: {where}",
        f"{during}, {searches:.0f} searches/s, none failed",
        ratio=during.ratio(before),
        figures=during.figures | {"searches_per_s": searches},
    )
    yield Row(
        "under writer",
        f"ingest of {alone.pages} pages, no reader",
        f"{number(speeds[0])} pages/s",
        figures={"pages_per_s": speeds[0]},
    )
    yield Row(
        "under writer",
        f"ingest of {both.pages} pages, one reader without pause",
        f"{number(speeds[1])} pages/s",
        ratio=f"x {speeds[1] / speeds[0]:.2f}",
        figures={"pages_per_s": speeds[1]},
    )


class _Reader:
    """Asks one question after the other, over and over."""

    def __init__(self, queries: list[str], mode: str) -> None:
        self._queries, self._mode, self._next = queries, mode, 0

    def ask(self, collection: Collection) -> float:
        """Return the milliseconds of the next question.

        Raises
        ------
        RuntimeError
            A question has no results, although its words are in the collection.
        """
        query = self._queries[self._next % len(self._queries)]
        self._next += 1
        started = time.perf_counter()
        answer = collection.search(query, limit=K, mode=self._mode)  # type: ignore[arg-type]
        taken = (time.perf_counter() - started) * 1000
        if not len(answer):
            raise RuntimeError(f"nothing was found for {query!r} while a writer was at work")
        return taken


def _write(
    corpus: Corpus, target: Path, folder: Path, ask: Callable[[Collection], float | None]
) -> _Written:
    """Ingest *folder* into a copy of the collection, asking until the writer has ended."""
    collection = synthetic.copy(corpus, target).get(synthetic.NAME)
    collection.search("warm", mode="keyword")
    command = [sys.executable, "-m", "casetrack", "ingest", str(folder), "--json"]
    command += ["-c", synthetic.NAME, "--data-dir", str(target)]
    taken: list[float] = []
    with (
        tempfile.TemporaryFile() as errors,
        tempfile.TemporaryFile() as output,
        subprocess.Popen(command, stdout=output, stderr=errors) as process,
    ):
        while process.poll() is None:
            milliseconds = ask(collection)
            if milliseconds is None:
                time.sleep(_WAIT_SECONDS)
            else:
                taken.append(milliseconds)
        for file in (errors, output):
            file.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{errors.read().decode()[-2000:]}")
        report = json.loads(output.read())
    pages = sum(outcome["pages"] for outcome in report["outcomes"])
    return _Written(pages, report["seconds"], taken)
