"""Finding a thing by what a person calls it: id, start of an id, name; near names otherwise."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.errors import AmbiguousName

if TYPE_CHECKING:
    from collections.abc import Sequence

_ID_PREFIX = 8
_SHOWN = 80
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be named: its id, its name, and other exact names such as a path."""

    id: str
    name: str
    others: tuple[str, ...] = ()


def find(asked: str, entries: Sequence[Entry], /, *, kind: str) -> int | None:
    """Return the position of the entry that *asked* names, or ``None``.

    An exact id, name or other name wins over the start of an id, that over a name in other
    letter case.

    Raises
    ------
    AmbiguousName
        Several entries fit equally well.
    """
    text = asked.strip()
    folded = text.casefold()
    tests = (
        lambda e: e.id == text,
        lambda e: text in (e.name, *e.others),
        lambda e: len(text) >= _ID_PREFIX and e.id.startswith(text.lower()),
        lambda e: e.name.casefold() == folded,
    )
    for test in tests:
        fits = [i for i, entry in enumerate(entries) if test(entry)]
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise AmbiguousName(kind, asked, [(entries[i].name, entries[i].id) for i in fits])
    return None


def near(asked: str, entries: Sequence[Entry], /, *, limit: int = 3) -> list[tuple[str, str]]:
    """Return ``(name, id)`` of entries with a similar name, most similar first."""
    folded = asked.strip().casefold()
    scored = []
    for entry in entries:
        name = entry.name.casefold()
        ratio = difflib.SequenceMatcher(None, folded, name).ratio()
        if folded and (folded in name or name in folded):
            ratio += 0.5
        if ratio >= 0.6:
            scored.append((-ratio, entry.name, entry.id))
    return [(name, entry_id) for _, name, entry_id in sorted(scored)[:limit]]


def shown(text: str, /) -> str:
    """Return what a user typed on one line, short enough for a message."""
    line = _CONTROL.sub(" ", text).strip()
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + "…"
