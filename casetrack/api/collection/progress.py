"""Progress display and cancellation of long work.

The facade is independent of notebooks and terminals: a face can open a collection with a display
(:mod:`casetrack.faces.notebook.show`); without one, work is silent.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from casetrack.base.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="_HasDisplay")
L = TypeVar("L", bound="Callable[..., None]")


class ShownWork(Protocol):
    """Display of one piece of running work."""

    @property
    def cancel(self) -> threading.Event:
        """Set when the user cancels the work."""

    def hear(self, *news: Any) -> None:
        """Receive progress: a record about files, or the current step, work done and total."""


class ProgressDisplay(Protocol):
    """Shows long work to the user of the collection."""

    def __call__(
        self, title: str, /, *, show: bool | None, cancel: threading.Event | None
    ) -> AbstractContextManager[ShownWork]:
        """Start a display with a *title* such as ``"Reading"``.

        *show* ``None`` shows it in a notebook or terminal. *cancel* is set when the user cancels.
        """


class _HasDisplay(Protocol):
    _display: ProgressDisplay | None


def shows_progress(
    title: str, /, *, stops: bool = True
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Let a method of the facade show its progress if the collection has a display.

    The method has a keyword *progress*: a function is called; ``None`` shows the work in a notebook
    or terminal, ``True`` always, ``False`` never. *title* is text such as ``"Reading"``; *stops* is
    true if the method has a keyword *cancel* too.
    """

    def decorate(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        @functools.wraps(method)
        def show_while(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            progress = kwargs.get("progress")
            if callable(progress) or _is_shown.get():
                return method(self, *args, **kwargs)
            show = progress if isinstance(progress, bool) else None
            if self._display is None:
                if show:
                    raise UsageError(
                        "This collection was opened without anything that shows progress.",
                        hint="Open it with casetrack.open(...), or give `progress` a function.",
                    )
                return method(self, *args, **kwargs)
            given: Any = kwargs.get("cancel")
            with self._display(title, show=show, cancel=given) as watching, _shown():
                kwargs["progress"] = watching.hear
                if stops:
                    kwargs["cancel"] = watching.cancel
                return method(self, *args, **kwargs)

        return show_while

    return decorate


_is_shown: ContextVar[bool] = ContextVar("casetrack_is_shown", default=False)


@contextlib.contextmanager
def _shown() -> Iterator[None]:
    """Prevent a second display for calls within the work.

    Other threads have a separate flag, so their work has its own display.
    """
    mark = _is_shown.set(True)
    try:
        yield
    finally:
        _is_shown.reset(mark)


def listener(progress: L | bool | None, /) -> L | None:
    """Return the progress function, if there is one."""
    return None if isinstance(progress, bool) else progress


def silent(_what: str, _done: int, _total: int, /) -> None:
    """Ignore progress."""
