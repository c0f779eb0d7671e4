"""Damage a collection in every way a disk can: ``python -m faults.run --cases 5000 --seed 1``.

A small data folder is made once. For each case it is copied, one fault is planted into one file,
and the copy is used in every way: lists, search, snapshots, ``doctor``, upkeep, ``doctor
--repair``, and search again. Violations are counted by name and shown with their fault; ``--seed``
and ``--case`` repeat one.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from faults.plant import FAULTS, WEIGHTS, Case
from faults.runs import MEMORY, preload, run_shares

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from faults.judge import Verdict
    from faults.kills import Kill


def drawn(files: Mapping[str, Sequence[str]], count: int, seed: int, /) -> list[Case]:
    """Return so many cases: every area and fault as often as the others, by the seed."""
    dice = random.Random(seed)
    areas = sorted(files)
    faults = [name for name in FAULTS for _ in range(WEIGHTS.get(name, 1))]
    return [
        Case(number, area, dice.choice(files[area]), dice.choice(faults))
        for number, area in enumerate(dice.choice(areas) for _ in range(count))
    ]


def table(results: Iterable[tuple[Case, Verdict]], /) -> str:
    """Return the table of faults: cases and results by area."""
    tried = Counter[tuple[str, str]]()
    ends: dict[tuple[str, str], Counter[str]] = {}
    for case, verdict in results:
        key = _room(case.area), case.fault
        tried[key] += 1
        end = "FAILED" if verdict.failures else verdict.end
        ends.setdefault(key, Counter())[end] += 1
    lines = ["| where | fault | cases | no harm | mended | said | failed |", "|" + "---|" * 7]
    for key in sorted(tried):
        counts = [ends[key][end] for end in ("no harm", "mended", "said", "FAILED")]
        lines.append(f"| {key[0]} | {key[1]} | {tried[key]} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def _room(area: str) -> str:
    return "views" if area.startswith("views") else area.removesuffix(".json").split("/")[0]


def main() -> None:
    """Run a sweep and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after this long")
    parser.add_argument("--case", type=int, help="only this one")
    parser.add_argument("--first", type=int, default=0, help="begin with this one")
    parser.add_argument("--only", default="", help="only files whose area begins like this")
    parser.add_argument("--fault", help="only this fault")
    parser.add_argument("--processes", type=int, default=2, help="how many at once")
    parser.add_argument("--show", type=int, default=40, help="failures to print of each kind")
    parser.add_argument("--kills", type=int, help="kill programs so often, and damage nothing")
    parser.add_argument("--kill", type=int, help="only this one")
    parser.add_argument("--writer", action="append", help="kill only this one; may be repeated")
    asked = parser.parse_args()
    if asked.kills is not None or asked.kill is not None:
        numbers = range(asked.first, asked.kills or 0) if asked.kill is None else [asked.kill]
        _kill(numbers, asked.seed, asked.minutes, asked.writer or [])
        return
    preload()
    home = Path(tempfile.mkdtemp(prefix="faults-", dir=MEMORY))
    try:

        def draw(files: Mapping[str, Sequence[str]]) -> list[Case]:
            return [
                c
                for c in drawn(files, asked.cases, asked.seed)
                if asked.case in {None, c.number} and c.number >= asked.first
                if c.area.startswith(asked.only) and asked.fault in {None, c.fault}
            ]

        started, results = time.monotonic(), list[tuple["Case", "Verdict"]]()
        failures = Counter[str]()
        for case, verdict in run_shares(draw, asked.seed, home, asked.processes):
            results.append((case, verdict))
            for what, detail in verdict.failures:
                failures[what] += 1
                if failures[what] <= asked.show:
                    at = f"{case.number}: {case.area}, {case.fault} ({verdict.fault})"
                    print(f"{what} | {at} | {detail}", flush=True)
            if time.monotonic() - started > 60.0 * asked.minutes:
                break
        print(table(results))
        print(f"\n{len(results)} cases, seed {asked.seed}, {time.monotonic() - started:.0f} s")
        for what, count in failures.most_common():
            print(f"{count:6} {what}")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _kill(numbers: Iterable[int], seed: int, minutes: float, writers: Sequence[str]) -> None:
    from faults.kills import kills, kills_table

    started, killed = time.monotonic(), list["Kill"]()
    for kill in kills(numbers, seed, writers):
        killed.append(kill)
        if kill.failure is not None:
            print(f"{kill.number}: {kill.writer}\n{kill.failure}", flush=True)
        if time.monotonic() - started > 60.0 * minutes:
            break
    places = len({(kill.writer, kill.where) for kill in killed})
    seconds = time.monotonic() - started
    print(kills_table(killed))
    print(f"\n{len(killed)} kills at {places} places, seed {seed}, {seconds:.0f} s")


if __name__ == "__main__":
    main()
