"""Asking again where the state that was read has been cleaned away meanwhile."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.workspace.retry import twice

if TYPE_CHECKING:
    from collections.abc import Callable

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
        return twice(lambda: method(self, *args, **kwargs))

    return ask
