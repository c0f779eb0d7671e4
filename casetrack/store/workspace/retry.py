"""The one place that asks again where a state was cleaned away while it was read."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from casetrack.base.errors import CollectionDamaged, QueryError

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R")
_STORED = "_stored_chunks"
"""What DuckDB names when it cannot read the rows that lie in Lance."""
_is_asking: ContextVar[bool] = ContextVar("casetrack_is_asking", default=False)


def twice(read: Callable[[], R], /) -> R:
    """Return what *read* returns, of the newest state if the one that it began with is gone.

    Real damage is there the second time as well, and is told then. A reading within another one is
    not repeated by itself: the outer one is.

    Parameters
    ----------
    read
        Opens the newest committed state itself, and changes nothing.

    Raises
    ------
    CollectionDamaged, QueryError
        The data cannot be read. Any other error of *read* is raised at once.
    """
    if _is_asking.get():
        return read()
    mark = _is_asking.set(True)
    try:
        return read()
    except CollectionDamaged:
        return read()
    except QueryError as error:
        # A wrong statement need not be run twice.
        if _STORED not in error.message:
            raise
        return read()
    finally:
        _is_asking.reset(mark)
