"""What the context graph costs: ``just graph-cost``.

``ingest``: CPU time of taking in contracts with everything, without looking for names, and without
anything of the graph, the three in turn; what the graph adds, as a share. ``finders``: milliseconds
for each finder and for the first level of the graph. ``thousand``: the answers over a thousand
documents. CPU time is that of the process and its children; wall times mean something on a quiet
machine only.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from bench import graph_thousand
from bench.report import Row, judge
from bench.show import machine, render, save
from casetrack.api.library import Library
from casetrack.base import schema
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.ingest.steps.extract import ADDS, ExtractStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.api.collection import Collection
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.ingest.steps.base import Batches

_CHECKOUT = Path(__file__).resolve().parent.parent.parent
_CACHE = _CHECKOUT / ".cache"
_PDFS = _CHECKOUT.parent / "shared" / "data" / "cuad" / "pdf"
_SHARE_AIM = 15.0
_CHUNK_AIM_MS = 3.5
VARIANTS = ("bare", "no names", "all")
"""Without the step ``extract``, names and the graph; all but names; everything."""
GROUPS = ("ingest", "finders", "thousand")


def main() -> int:
    """Run what was asked for and print the table; or be one run of it."""
    options = _options()
    os.environ["CASETRACK_MODELS"] = str(options.models)
    os.environ.setdefault("LANCE_LOG", "error")
    if options.run:
        sys.stdout.write(json.dumps(_ingest(options.run, options.pdfs, options.files)) + "\n")
        return 0
    facts, rows = machine(), list[Row]()
    for group in options.only:
        for row in _MEASURES[group](options):
            rows.append(row)
            sys.stderr.write(f"{row.what}: {row.measured}\n")
    sys.stdout.write(render(facts, rows) + "\n")
    if options.json:
        save(options.json, facts, rows)
    return 0


def _options() -> argparse.Namespace:
    models = os.environ.get("CASETRACK_MODELS")
    parser = argparse.ArgumentParser(prog="python -m bench.graph_cost", description=__doc__)
    add = parser.add_argument
    add("--only", action="append", choices=GROUPS, help="measure only this; may be repeated")
    add("--files", type=int, default=12, help="contracts to take in [12]")
    add("--rounds", type=int, default=3, help="runs of each kind [3]")
    add("--documents", type=int, default=1000, help="documents of the large collection [1000]")
    add("--pdfs", type=Path, default=_PDFS, help="folder of contracts; txt/ lies beside it")
    add("--work", type=Path, default=_CACHE / "graph-cost", help="folder for what is kept")
    add("--models", type=Path, default=Path(models) if models else _CACHE / "models")
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    add("--run", choices=VARIANTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.only = options.only or list(GROUPS)
    options.work, options.models = options.work.resolve(), options.models.resolve()
    return options


# --- ingest ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run of an ingest took, in seconds."""

    cpu: float
    wall: float
    chunks: int


def _ingest_rows(options: argparse.Namespace) -> Iterator[Row]:
    taken: dict[str, list[Taken]] = {variant: [] for variant in VARIANTS}
    for number in range(options.rounds):
        # Each goes first in its turn, so that none has the warm cache for itself.
        turn = number % len(VARIANTS)
        for variant in (*VARIANTS[turn:], *VARIANTS[:turn]):
            taken[variant].append(_run(variant, options))
            last = taken[variant][-1]
            sys.stderr.write(f"{variant}: {last.cpu:.1f} s CPU, {last.wall:.1f} s\n")
    chunks = taken["all"][0].chunks
    cpu = {v: statistics.median(t.cpu for t in runs) for v, runs in taken.items()}
    for variant, runs in taken.items():
        spread = max(t.cpu for t in runs) - min(t.cpu for t in runs)
        yield Row(
            "ingest",
            f"{options.files} contracts, {chunks:,} chunks: {variant}",
            f"{cpu[variant]:.1f} s CPU (spread {spread:.1f} s), "
            f"{statistics.median(t.wall for t in runs):.1f} s, {len(runs)} runs",
            figures={"cpu_s": cpu[variant], "spread_s": spread},
        )
    parts = {
        "looking for names adds": ("no names", "all", None),
        "dates, amounts, references and the graph add": ("bare", "no names", None),
        "all of it adds": ("bare", "all", _SHARE_AIM),
    }
    for what, (before, after, aim) in parts.items():
        share = 100 * (cpu[after] - cpu[before]) / cpu["bare"]
        per_chunk = 1000 * (cpu[after] - cpu[before]) / chunks
        yield Row(
            "ingest",
            what,
            f"{share:.1f} % of the CPU time without it, {per_chunk:.2f} ms a chunk",
            aim=f"<= {aim:.0f} %" if aim else "",
            verdict=judge(share, aim=aim),
            figures={"share_percent": share, "ms": per_chunk},
        )


def _run(variant: str, options: argparse.Namespace) -> Taken:
    """Take the files in within a process of its own; its workers' time counts."""
    command = [sys.executable, "-m", "bench.graph_cost", "--run", variant]
    command += ["--pdfs", str(options.pdfs), "--files", str(options.files)]
    command += ["--models", str(options.models)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return Taken(**json.loads(done.stdout))


def _ingest(variant: str, folder: Path, count: int) -> dict[str, Any]:
    """Take the files in with all, or without some of it; return what it took."""
    if variant == "bare":
        _leave_out_the_graph()
    files = some_files(folder, count)
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings(Path(home))
        if variant != "all":
            settings = replace(settings, names="off")
        collection = Library(settings, tier=UNLIMITED).create("Cost")
        _ = collection.workspace.state().snapshot
        # Models are loaded and libraries imported before the clock starts.
        collection.ingest([files[-1]], ocr="off")
        collection.delete_document(files[-1].name)
        before, started = _cpu_seconds(), time.perf_counter()
        collection.ingest(files, ocr="off")
        taken = Taken(
            _cpu_seconds() - before, time.perf_counter() - started, collection.stats().chunk_count
        )
    return {"cpu": taken.cpu, "wall": taken.wall, "chunks": taken.chunks}


def some_files(folder: Path, count: int, /) -> list[Path]:
    """Return so many PDFs of a folder, evenly spread over their names.

    Raises
    ------
    RuntimeError
        It holds none.
    """
    files = sorted(folder.glob("*.pdf"))
    if not files:
        raise RuntimeError(f"{folder} holds no PDFs; name another folder with --pdfs")
    chosen = min(count, len(files))
    return [files[number * len(files) // chosen] for number in range(chosen)]


def _cpu_seconds() -> float:
    """Return user and system time of this process and of its children that have ended."""
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


class _Nothing(ExtractStep):
    """Leaves the columns of the step ``extract`` empty."""

    def __call__(self, batches: Batches, /) -> Batches:
        declared = schema.table("chunks").arrow(ADDS)
        for batch in batches:
            for name in ADDS:
                field = declared.field(name)
                batch = batch.append_column(field, pa.nulls(batch.num_rows, field.type))  # noqa: PLW2901
            yield batch


def _leave_out_the_graph() -> None:
    """Change this process: no dates, amounts, references; no graph after an ingest."""
    from casetrack.ingest import batch
    from casetrack.store.workspace import Workspace

    whole = batch.load_pipeline

    def without(name: str, *tools: Any, **where: Any) -> Pipeline:
        pipeline = whole(name, *tools, **where)
        steps = tuple(_Nothing() if isinstance(s, ExtractStep) else s for s in pipeline.steps)
        return replace(pipeline, steps=steps)

    def only_index(workspace: Workspace) -> None:
        _ = workspace.state().index

    batch.load_pipeline = without
    Workspace.catch_up = only_index  # type: ignore[method-assign]


# --- finders --------------------------------------------------------------------------------------


def _finder_rows(options: argparse.Namespace) -> Iterator[Row]:
    collection = _kept(options)
    documents = [
        [chunk.text for chunk in collection.read.chunks(d.document_id)]
        for d in collection.documents()
    ]
    count = sum(map(len, documents))
    total = 0.0
    for what, measure in _finders(collection).items():
        measure(documents[:1])  # imports, patterns, models
        taken = min(measure(documents) for _ in range(options.rounds)) / count * 1000
        total += taken
        yield Row("finders", what, f"{taken:.2f} ms a chunk", figures={"ms": taken})
    yield Row(
        "finders",
        f"all finders, {count:,} chunks",
        f"{total:.2f} ms a chunk",
        aim=f"<= {_CHUNK_AIM_MS} ms",
        verdict=judge(total, aim=_CHUNK_AIM_MS),
        figures={"ms": total},
    )
    level = min(_level_one(collection) for _ in range(options.rounds)) / count * 1000
    yield Row("finders", "level 1 of the graph", f"{level:.2f} ms a chunk", figures={"ms": level})


def _kept(options: argparse.Namespace) -> Collection:
    """Return a collection of the contracts, made by the first run."""
    library = Library(load_settings(options.work / f"contracts-{options.files}"), tier=UNLIMITED)
    known = {info.name for info in library.collections()}
    collection = library.get("Cost") if "Cost" in known else library.create("Cost")
    collection.ingest(some_files(options.pdfs, options.files), ocr="off")
    return collection


def _finders(collection: Collection) -> dict[str, Callable[[list[list[str]]], float]]:
    from casetrack.extract.amounts import find_amounts
    from casetrack.extract.dates import find_dates
    from casetrack.extract.references import References

    def over(find: Callable[[str], object]) -> Callable[[list[list[str]]], float]:
        def measure(documents: list[list[str]]) -> float:
            started = time.process_time()
            for texts in documents:
                for text in texts:
                    find(text)
            return time.process_time() - started

        return measure

    def references(documents: list[list[str]]) -> float:
        started = time.process_time()
        for texts in documents:
            reader, offset = References(), 0
            for page, text in enumerate(texts, start=1):
                reader.find(text, page=page, offset=offset)
        return time.process_time() - started

    found = {"dates": over(find_dates), "amounts": over(find_amounts), "references": references}
    names = _names(collection)
    return found | ({"names": names} if names else {})


def _names(collection: Collection) -> Callable[[list[list[str]]], float] | None:
    """Return what measures the tagger alone, over states that are made before the clock starts."""
    from casetrack.extract.names import tagger_of
    from casetrack.models.encoders import Encoders

    encoder = Encoders.of(collection.workspace.settings).get("mini")
    tagger = tagger_of(encoder)
    if tagger is None:
        sys.stderr.write("there is no tagger of names\n")
        return None

    def measure(documents: list[list[str]]) -> float:
        taken = 0.0
        for texts in documents:
            states = list(encoder.encode_documents(texts, layers=tagger.layers))
            started = time.process_time()
            for text, encoding in zip(texts, states, strict=True):
                tagger.tag(text, encoding)
            taken += time.process_time() - started
        return taken

    return measure


def _level_one(collection: Collection) -> float:
    """Return the CPU seconds of reading all documents from their chunks into one segment."""
    from casetrack.graph.reading import build
    from casetrack.graph.segment import COLUMNS
    from casetrack.store.index.reading import read_groups

    snapshot = collection.workspace.state().snapshot
    by_revision = {d.revision: d for d in snapshot.documents.values()}
    tables = list(read_groups(snapshot, by_revision, COLUMNS, 1 << 20))
    started = time.process_time()
    for table in tables:
        build(table, by_revision)
    return time.process_time() - started


def _thousand_rows(options: argparse.Namespace) -> Iterator[Row]:
    texts = options.pdfs.parent / "txt"
    yield from graph_thousand.rows(options.work, texts, options.documents)


_MEASURES: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "ingest": _ingest_rows,
    "finders": _finder_rows,
    "thousand": _thousand_rows,
}


if __name__ == "__main__":
    raise SystemExit(main())
