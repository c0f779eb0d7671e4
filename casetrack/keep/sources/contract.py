"""Holds a source against what it promises, for people who write one or set one up."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import SourceChanged, SourceSkipped
from casetrack.ingest.walk import suffix_of
from casetrack.keep.sources.base import counted, listed

if TYPE_CHECKING:
    import threading

    from casetrack.keep.sources.base import Item, Source

_SHOWN = 5


@dataclass(slots=True)
class Contract:
    """What came of a check.

    Attributes
    ----------
    items
        Number of items that were listed.
    first
        The first of them.
    passed
        What holds, a sentence each.
    problems
        What does not, a sentence each with what to do.
    notes
        What the source says of its listing.
    """

    items: int = 0
    first: list[Item] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(
    source: Source, /, *, fetches: int = 3, cancel: threading.Event | None = None
) -> Contract:
    """List a source twice and fetch some of its items; nothing is stored.

    Parameters
    ----------
    source
        Any.
    fetches
        How many items are fetched.
    cancel
        Set it to stop.

    Raises
    ------
    SourceError
        It cannot be listed, or an item cannot be fetched: the text says why.
    JobStopped
        *cancel* was set.
    """
    found = Contract()
    items = list(source.items(cancel=cancel))
    found.items, found.first, found.notes = len(items), items[:_SHOWN], list(source.notes)
    found.passed.append(f"Lists {counted(len(items), 'item')}.")
    if not items:
        found.problems.append("It has no items: check what it is to list, and its globs.")
        return found
    _check_listing(items, found)
    _check_again(items, list(source.items(cancel=cancel)), found)
    _check_contents(source, items[:fetches], found, cancel)
    return found


def _check_listing(items: list[Item], found: Contract) -> None:
    from casetrack.parse import known_extensions

    times = Counter(item.source_id for item in items)
    twice = [name for name, count in times.items() if count > 1]
    if twice:
        found.problems.append(f"Ids are not unique: {listed(twice)}. Give each item its own.")
    else:
        found.passed.append("Every item has its own id.")
    readable = set(known_extensions())
    unread = [i.source_id for i in items if suffix_of(i.name or i.source_id) not in readable]
    if unread:
        found.problems.append(
            f"{counted(len(unread), 'item')} would not be read: {listed(unread)}. Their extensions "
            "are those of no known format; leave them out, or say what they are."
        )
    undated = sum(item.updated_at is None for item in items)
    if undated:
        found.problems.append(
            f"{counted(undated, 'item')} without a time of change: --since does not find them."
        )
    else:
        found.passed.append("Every item says when it was changed.")


def _check_again(before: list[Item], after: list[Item], found: Contract) -> None:
    tokens = {item.source_id: item.token for item in before}
    others = [i.source_id for i in after if tokens.get(i.source_id) != i.token]
    missing = len(before) - (len(after) - sum(i.source_id not in tokens for i in after))
    if others or missing:
        found.problems.append(
            f"A second listing differs in {counted(len(others) + missing, 'item')}: "
            f"{listed(others) or 'some are missing'}. Unless it was changed just now, each sync "
            "would read these anew: leave out what differs from call to call, such as the time."
        )
    else:
        found.passed.append("A second listing is the same.")


def _check_contents(
    source: Source, items: list[Item], found: Contract, cancel: threading.Event | None
) -> None:
    with tempfile.TemporaryDirectory(prefix="casetrack-") as folder:
        fetched = [item for item in items if source.file(item) is None]
        source.prepare(fetched, cancel=cancel)
        for number, item in enumerate(items):
            target = source.file(item) or Path(folder) / str(number)
            try:
                if item in fetched:
                    source.fetch(item, target, cancel=cancel)
                size = target.stat().st_size
            except (SourceSkipped, SourceChanged) as error:
                found.problems.append(error.message)
                continue
            if not size:
                found.problems.append(f"{item.source_id} is empty.")
            elif item.size is not None and item.size != size:
                found.problems.append(
                    f"{item.source_id} has {size:,} bytes, but its listing says {item.size:,}."
                )
            else:
                found.passed.append(f"{item.source_id}: {size:,} bytes.")
    source.close()
