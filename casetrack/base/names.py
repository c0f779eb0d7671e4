"""Finding a thing by what a person calls it: id, start of an id, name; near names otherwise."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.base.errors import AmbiguousName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ID_PREFIX = 8
"""Signs of an id that are enough to name a thing by it."""
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
        lambda e: len(text) >= ID_PREFIX and e.id.startswith(text.lower()),
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


@dataclass(frozen=True, slots=True)
class ShortIds:
    """Ids as short as they can be told: 8 signs, and more only where others begin so, too.

    Attributes
    ----------
    crowded
        The beginnings that several ids share, each with these ids.
    taken
        What else is called by such a beginning: the names of documents, which go before ids.
    """

    crowded: Mapping[str, Sequence[str]] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()

    @classmethod
    def among(cls, ids: Iterable[str], /, *, taken: Iterable[str] = ()) -> ShortIds:
        """Return the short forms of *ids*, none of which is one of the names *taken*."""
        begin: dict[str, list[str]] = defaultdict(list)
        for each in ids:
            begin[each[:ID_PREFIX]].append(each)
        shared = {start: found for start, found in begin.items() if len(found) > 1}
        return cls(shared, frozenset(n for n in taken if n in begin))

    def of(self, full: str, /) -> str:
        """Return the shortest beginning of an id, of at least 8 signs, that means it alone."""
        size = ID_PREFIX
        if full[:size] in self.taken:
            return full
        for other in self.crowded.get(full[:size], ()):
            while other != full and other[:size] == full[:size]:
                size += 1
        return full[:size]
