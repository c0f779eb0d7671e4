"""What was probably meant by a name that is unknown."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from casetrack.sql.catalog import catalog

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.sql.catalog import Function, View

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
    """Return the known names that look like a name, or end in it, as ``document_id`` in ``id``."""
    if len(name) > _LONGEST_NAME:
        return []
    wanted = name.lower()
    by_name = {k.lower(): k for k in known if k and not k.startswith("_")}
    by_name.pop(wanted, None)
    if ending := [k for k in by_name if k.endswith(f"_{wanted}")]:
        return [by_name[k] for k in ending[:3]]
    close = difflib.get_close_matches(wanted, by_name, n=3, cutoff=0.6)
    likeness = [difflib.SequenceMatcher(None, wanted, k).ratio() for k in close]
    return [by_name[k] for k, r in zip(close, likeness, strict=True) if r >= likeness[0] - 0.1]


def did_you_mean(names: Iterable[str], /) -> str:
    """Return the question that offers names; empty without any."""
    listed = " or ".join(names)
    return f" Did you mean {listed}?" if listed else ""
