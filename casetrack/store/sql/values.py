"""Values that a statement is given, as DuckDB takes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from casetrack.base.errors import QueryError

_KNOWN = (str, bytes, bytearray, bool, int, float, type(None))


def plain(value: Any, /) -> Any:
    """Return a value of Python for one of NumPy, pandas, Polars or Arrow; others as they are.

    Sets become lists, paths text, and a frame the list of its rows.

    Examples
    --------
    >>> plain({"rows": ({"a"}, PurePath("b/c"))})
    {'rows': [['a'], 'b/c']}
    """
    if isinstance(value, _KNOWN):
        return value
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return value.to_dicts() if hasattr(value, "to_dicts") else value.to_dict("records")
    for name in ("to_pylist", "as_py", "to_list", "tolist"):
        convert = getattr(value, name, None)
        if callable(convert):
            return convert()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {key: plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(held) for held in value]
    return value


def refused(values: Mapping[str, Any], said: str, /) -> QueryError | None:
    """Return the error to show where DuckDB cannot take a value; ``None`` if that is not it.

    Parameters
    ----------
    values
        The values by name.
    said
        What DuckDB said.
    """
    found = re.search(r"Unable to transform python value of type '<class '([\w.]+)'>'", said)
    if found is None:
        return None
    kind = found[1].rpartition(".")[2]
    names = [f"${name}" for name, value in values.items() if type(value).__name__ == kind]
    return QueryError(
        f"The value of {names[0] if names else 'a parameter'} holds a {found[1]}, which SQL cannot "
        "take.",
        hint="Give numbers, texts, dates, lists, or dictionaries of these; a frame is taken as the "
        "list of its rows.",
    )
