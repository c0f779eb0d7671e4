"""How long an analyst waits for an answer in SQL: ``python -m bench.questions``.

Asks the ten questions of ``sql.questions_cuad`` about all contracts: the first call of a statement
in a process that has just started, and the median of five warm ones. Each statement has a process
of its own, so that none pays for what another one loaded. The collection is taken in once and kept.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.licensed import use_pro_license
from bench.show import machine
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from store.sql.questions_cuad import QUESTIONS, load_clauses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.api.collection import Collection
    from store.sql.questions_cuad import Clauses, Question

_CHECKOUT = Path(__file__).resolve().parent.parent.parent
_CUAD = _CHECKOUT.parent / "shared" / "data" / "cuad"
_NAME = "Contracts"
_WARM = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """What one statement took and gave; times in milliseconds."""

    name: str
    asks: str
    first_ms: float
    warm_ms: float
    rows: int
    answered: int
    annotated: int


def main() -> int:
    """Run what was asked for and print the table; or be one statement of it."""
    options = _options()
    os.environ["CASETRACK_MODELS"] = str(options.models)
    os.environ.setdefault("LANCE_LOG", "error")
    if options.run:
        (question,) = (q for q in QUESTIONS if q.name == options.run)
        clauses = load_clauses(options.cuad / "clauses.jsonl")
        measured = _measure(_library(options).get(_NAME), question, clauses)
        sys.stdout.write(json.dumps(asdict(measured)) + "\n")
        return 0
    use_pro_license()
    _take_in(options)
    found = []
    for question in QUESTIONS:
        found.append(_in_its_own_process(question))
        sys.stderr.write(f"{question.name}: {found[-1].warm_ms:.0f} ms\n")
    sys.stdout.write(_table(machine(), found) + "\n")
    return 0


def _options() -> argparse.Namespace:
    models = os.environ.get("CASETRACK_MODELS")
    parser = argparse.ArgumentParser(prog="python -m bench.questions", description=__doc__)
    add = parser.add_argument
    add("--cuad", type=Path, default=_CUAD, help="folder with txt/ and clauses.jsonl")
    add("--work", type=Path, default=_CHECKOUT / ".cache" / "questions", help="what is kept")
    add(
        "--models",
        type=Path,
        default=Path(models) if models else _CHECKOUT / ".cache" / "models",
        help="models folder [CASETRACK_MODELS]",
    )
    add("--run", choices=[q.name for q in QUESTIONS], help=argparse.SUPPRESS)
    return parser.parse_args()


def _library(options: argparse.Namespace) -> Library:
    return Library(replace(load_settings(options.work), models_dir=options.models))


def _take_in(options: argparse.Namespace) -> None:
    library = _library(options)
    if any(info.name == _NAME for info in library.collections()):
        return
    sys.stderr.write("taking in the contracts\n")
    library.create(_NAME).ingest([options.cuad / "txt"])


def _in_its_own_process(question: Question) -> Measured:
    command = [sys.executable, "-m", "bench.questions", *sys.argv[1:], "--run", question.name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Measured(**json.loads(done.stdout))


def _measure(
    collection: Collection, question: Question, clauses: Mapping[str, Clauses]
) -> Measured:
    times = []
    for _ in range(1 + _WARM):
        started = time.perf_counter()
        rows = collection.sql(question.sql).to_pylist()
        times.append((time.perf_counter() - started) * 1000)
    names = collection.sql("SELECT name FROM documents")["name"].to_pylist()
    wanted = question.wanted(clauses, names)
    return Measured(
        name=question.name,
        asks=question.asks,
        first_ms=times[0],
        warm_ms=statistics.median(times[1:]),
        rows=len(rows),
        answered=len(question.answered(rows, wanted)),
        annotated=len(wanted),
    )


def _table(facts: Mapping[str, object], found: list[Measured]) -> str:
    lines = [
        ", ".join(f"{name}: {value}" for name, value in facts.items()),
        "",
        "| question | first, ms | warm, ms | rows | annotated contracts answered |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {m.asks} | {m.first_ms:.0f} | {m.warm_ms:.0f} | {m.rows} "
            f"| {m.answered} of {m.annotated} |"
            for m in found
        ),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
