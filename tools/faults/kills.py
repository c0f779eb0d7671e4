"""Kills writers, and the processes that read files for them, at any instant, and checks all.

What is checked stands in ``tests/crash/killing.py``: what was acknowledged is there, nothing is
half there, and the same work done again comes to the same end and leaves nothing over.
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
    """What came of one kill.

    Attributes
    ----------
    number
        With the seed it settles everything that chance does here.
    writer
        What was killed.
    where
        At which call, or in which state.
    failure
        What was not as it must be; ``None`` where all was.
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


def kills_table(found: Sequence[Kill], /) -> str:
    """Return the table of kills: how many of each writer, at how many places, and failures."""
    lines = ["| killed | kills | places | done before | failed |", "|" + "---|" * 5]
    for writer in dict.fromkeys(kill.writer for kill in found):
        own = [kill for kill in found if kill.writer == writer]
        places = Counter(kill.where for kill in own if kill.where != _DONE)
        failed = sum(kill.failure is not None for kill in own)
        done = len(own) - places.total()
        lines.append(f"| {writer} | {len(own)} | {len(places)} | {done} | {failed} |")
    return "\n".join(lines)
