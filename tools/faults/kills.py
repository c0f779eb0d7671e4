"""Kills of writers, and of processes that read files for them, at random instants.

``tests/crash/killing.py`` defines the checks: acknowledged data is present, no half-written data
remains, and the same work repeated ends in the same state without leftovers.
"""

from __future__ import annotations

import random
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import older_form
from faults.runs import MEMORY
from tests.crash.bench import workbench
from tests.crash.killing import one_kill, one_reader_killed
from tests.crash.operations import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

READER = "a process that reads files, in its first second"
_WRITERS = (*OPERATIONS, READER, READER, READER)
_DONE = "it was done before"


@dataclass(frozen=True, slots=True)
class Kill:
    """Result of one kill.

    Attributes
    ----------
    number
        Determines, with the seed, all random choices.
    writer
        The killed process.
    where
        The call or the state at the kill.
    failure
        The violated condition; ``None`` if there is none.
    """

    number: int
    writer: str
    where: str
    failure: str | None = None


def kills(numbers: Iterable[int], seed: int, writers: Sequence[str] = (), /) -> Iterator[Kill]:
    """Kill once for each number: every writer in turn, or those that are named."""
    chosen = [w for w in _WRITERS if w in writers] if writers else _WRITERS
    with (
        tempfile.TemporaryDirectory(prefix="kills-", dir=MEMORY) as home,
        older_form.known(),
        workbench(Path(home)) as bench,
    ):
        for number in numbers:
            writer = chosen[number % len(chosen)]
            dice = random.Random(f"{seed}:{number}")
            try:
                if writer == READER:
                    where = one_reader_killed(bench, dice)
                else:
                    where, _ = one_kill(bench, writer, dice)
            except Exception:  # noqa: BLE001 - a failure is what is counted here
                yield Kill(number, writer, "unknown", traceback.format_exc())
            else:
                yield Kill(number, writer, where)


def kills_table(kills: Sequence[Kill], /) -> str:
    """Return the table of kills: how many of each writer, at how many places, and failures."""
    lines = ["| killed | kills | places | done before | failed |", "|" + "---|" * 5]
    for writer in dict.fromkeys(kill.writer for kill in kills):
        own = [kill for kill in kills if kill.writer == writer]
        places = Counter(kill.where for kill in own if kill.where != _DONE)
        failed = sum(kill.failure is not None for kill in own)
        done = len(own) - places.total()
        lines.append(f"| {writer} | {len(own)} | {len(places)} | {done} | {failed} |")
    return "\n".join(lines)
