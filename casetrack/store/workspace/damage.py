"""Damage that is met in a longer work on a collection is told as such."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from casetrack.store.damage import damage_told

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.store.workspace.workspace import Workspace

_HELD, _SHOWN = "_workspace", "workspace"
"""What an object that works on a collection calls it."""
P = ParamSpec("P")
R = TypeVar("R")


S = TypeVar("S")


def tells_damage(method: Callable[Concatenate[S, P], R], /) -> Callable[Concatenate[S, P], R]:
    """Let a method raise ``CollectionDamaged`` for whatever Lance and Arrow say of damaged files.

    See :func:`casetrack.store.damage.damage_told`.
    """

    @functools.wraps(method)
    def told(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        workspace: Workspace = getattr(self, _HELD, None) or getattr(self, _SHOWN)
        with damage_told(workspace.folder):
            return method(self, *args, **kwargs)

    return told
