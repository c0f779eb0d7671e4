"""Asking again where the state that was read has been cleaned away meanwhile.

A reader takes no lock, so the files of the state it reads may be removed while it reads: after a
while, and at once where a document is removed for good. That is no damage: the newest state is
there, and answers.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.errors import CollectionDamaged, QueryError

if TYPE_CHECKING:
    from collections.abc import Callable

_STORED = "_stored_chunks"
"""What DuckDB names when it cannot read the rows that lie in Lance."""
C = TypeVar("C", bound=type)


def asks_again(part: C) -> C:
    """Let every public method of a class that only reads take the newest state and try once more.

    Parameters
    ----------
    part
        A part of a facade. Each call of its methods opens the newest state itself.

    Returns
    -------
    type
        The class itself.
    """
    for name, found in list(vars(part).items()):
        if not name.startswith("_") and callable(found):
            setattr(part, name, _asking_again(found))
    return part


def _asking_again(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def ask(self: object, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except CollectionDamaged:
            # Real damage is there the second time as well, and is told then.
            return method(self, *args, **kwargs)
        except QueryError as error:
            # A wrong statement need not be run twice.
            if _STORED not in error.message:
                raise
            return method(self, *args, **kwargs)

    return ask
