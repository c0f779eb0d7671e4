"""Tests of a source against its interface, for its author or user."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import SourceChanged, SourceSkipped
from casetrack.ingest.walk import suffix_of
from casetrack.keep.sources.base import Item, Source, counted, listed

if TYPE_CHECKING:
    import threading


_SHOWN = 5


@dataclass(slots=True)
class Contract:
    """Result of a test."""

    items: int = 0
    first: list[Item] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(
    source: Source, /, *, fetches: int = 3, cancel: threading.Event | None = None
) -> Contract:
    """List a source twice and fetch *fetches* of its items; nothing is stored."""
    result = Contract()
    items = list(source.items(cancel=cancel))
    result.items, result.first, result.notes = len(items), items[:_SHOWN], list(source.notes)
    result.passed.append(f"Lists {counted(len(items), 'item')}.")
    if not items:
        result.problems.append("It has no items: check its settings and its globs.")
        return result
    _check_listing(items, result)
    _check_again(items, list(source.items(cancel=cancel)), result)
    _check_contents(source, items[:fetches], result, cancel)
    return result


def _check_listing(items: list[Item], result: Contract) -> None:
    from casetrack.parse import known_extensions

    times = Counter(item.source_id for item in items)
    twice = [name for name, count in times.items() if count > 1]
    if twice:
        result.problems.append(f"Ids are not unique: {listed(twice)}. Give each item its own.")
    else:
        result.passed.append("Every item has its own id.")
    readable = set(known_extensions())
    unread = [i.source_id for i in items if suffix_of(i.name or i.source_id) not in readable]
    if unread:
        result.problems.append(
            f"{counted(len(unread), 'item')} would not be readable: {listed(unread)}. Their "
            "extensions have no known format; exclude them, or set their type."
        )
    undated = sum(item.updated_at is None for item in items)
    if undated:
        result.problems.append(
            f"{counted(undated, 'item')} without a time of change: --since does not find them."
        )
    else:
        result.passed.append("Every item has a time of change.")


def _check_again(before: list[Item], after: list[Item], result: Contract) -> None:
    tokens = {item.source_id: item.token for item in before}
    others = [i.source_id for i in after if tokens.get(i.source_id) != i.token]
    missing = len(before) - (len(after) - sum(i.source_id not in tokens for i in after))
    if others or missing:
        result.problems.append(
            f"A second listing differs in {counted(len(others) + missing, 'item')}: "
            f"{listed(others) or 'some are missing'}. Unless it was changed just now, each sync "
            "would read these again: omit values that differ from call to call, such as the time."
        )
    else:
        result.passed.append("A second listing is the same.")


def _check_contents(
    source: Source, items: list[Item], result: Contract, cancel: threading.Event | None
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
                result.problems.append(error.message)
                continue
            if not size:
                result.problems.append(f"{item.source_id} is empty.")
            elif item.size is not None and item.size != size:
                result.problems.append(
                    f"{item.source_id} has {size:,} bytes, but its listing says {item.size:,}."
                )
            else:
                result.passed.append(f"{item.source_id}: {size:,} bytes.")
    source.close()
