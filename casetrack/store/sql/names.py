"""What was probably meant by a name that is unknown."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from casetrack.store.sql.catalog import catalog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from casetrack.store.sql.catalog import Function, View

_MOST_OFFERED = 3
_SHORTEST_BEGINNING = 3
"""Characters from which the beginning of a name says something."""
_LONGEST_NAME = 100
"""Characters up to which a name may be a misspelt one."""


def tables_in(statement: str, /) -> list[View | Function]:
    """Return all that a statement names and that gives rows."""
    words = set(re.findall(r"\w+", statement.lower()))
    return [table for table in catalog().tables if table.name in words]


def columns_in(statement: str, /) -> list[str]:
    """Return the columns of all that a statement names."""
    return [c.name for table in tables_in(statement) for c in table.columns]


def near(name: str, known: Iterable[str], /) -> list[str]:
    """Return up to three known names that a name may stand for, the likeliest first.

    Those that have it as a word of theirs, as ``document_id`` has ``id`` and ``page_count`` has
    ``pages``; without any those that look like it, and then those that it begins.
    """
    if len(name) > _LONGEST_NAME:
        return []
    wanted = name.lower()
    by_name = {k.lower(): k for k in known if k and not k.startswith("_")}
    by_name.pop(wanted, None)
    if holding := _with_word(wanted, by_name):
        return [by_name[k] for k in holding[:_MOST_OFFERED]]
    close = difflib.get_close_matches(wanted, by_name, n=_MOST_OFFERED, cutoff=0.6)
    likeness = [difflib.SequenceMatcher(None, wanted, k).ratio() for k in close]
    alike = [by_name[k] for k, r in zip(close, likeness, strict=True) if r >= likeness[0] - 0.1]
    if alike or len(wanted) < _SHORTEST_BEGINNING:
        return alike
    return [by_name[k] for k in by_name if k.startswith(wanted)][:_MOST_OFFERED]


def _with_word(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names that have a word, or its singular, as their first or last part."""
    one = _singular(wanted)
    # Who writes ``pages`` for a number most often means how many there are.
    tests: tuple[Callable[[str], bool], ...] = (
        lambda k: k in (one, f"{one}_count"),
        lambda k: k.endswith(f"_{wanted}"),
        lambda k: len(one) >= _SHORTEST_BEGINNING and k.startswith((f"{wanted}_", f"{one}_")),
    )
    names = list(names)
    return list(dict.fromkeys(k for test in tests for k in names if test(k)))


def _singular(word: str) -> str:
    """Return an English plural in the singular, and every other word as it is."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def did_you_mean(names: Iterable[str], /) -> str:
    """Return the question that offers names; empty without any."""
    *others, last = list(names) or [""]
    listed = f"{', '.join(others)} or {last}" if others else last
    return f" Did you mean {listed}?" if listed else ""
