"""Mistakes of a statement itself, told from those that another value of a parameter would mend."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.base.errors import QueryError

_NAMES = re.compile(r"Referenced (column|table)|does not have a column|Ambiguous reference")
"""What DuckDB says where a name is wrong."""


def is_certain(error: QueryError, /) -> bool:
    """Return whether a statement fails whatever the values of its parameters are.

    So do those that are refused, do not read as SQL, or name what is not there.
    """
    import duckdb

    # What DuckDB raised is left out of tracebacks, and kept as the context.
    cause = error.__cause__ or error.__context__
    if not isinstance(cause, duckdb.Error):
        return True
    if isinstance(cause, (duckdb.ParserException, duckdb.CatalogException)):
        return True
    return bool(_NAMES.search(str(cause)))
