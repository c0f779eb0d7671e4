"""Long work that somebody watches: what shows its progress, and what stops it.

The facade knows neither notebooks nor terminals. Who opens a collection for a person gives it a
display (:mod:`casetrack.faces.notebook.show`); without one, work is silent.
"""

from __future__ import annotations

import contextlib
import functools
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="_Displaying")
L = TypeVar("L", bound="Callable[..., None]")


class ShownWork(Protocol):
    """What shows one piece of work while it goes on."""

    @property
    def cancel(self) -> threading.Event:
        """Set when the person who watches asks it to end."""
        ...

    def hear(self, *news: Any) -> None:
        """Take news: one record about files, or what is being done, how much, and of how much."""
        ...


class ProgressDisplay(Protocol):
    """Shows long work to whom opened the collection."""

    def __call__(
        self, title: str, /, *, show: bool | None, cancel: threading.Event | None
    ) -> AbstractContextManager[ShownWork]:
        """Begin to show it.

        Parameters
        ----------
        title
            What is going on, such as ``"Reading"``.
        show
            Whether to; ``None`` where a person looks on.
        cancel
            Set when the person asks the work to end; without it nobody can.
        """
        ...


class _Displaying(Protocol):
    _display: ProgressDisplay | None


def shows_progress(
    title: str, /, *, stops: bool = True
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Let a method of the facade show its progress where the collection has a display.

    The method has a keyword *progress*: a function is called as ever; ``None`` shows the work where
    a person looks on, ``True`` in any case, ``False`` never.

    Parameters
    ----------
    title
        What is going on, such as ``"Reading"``.
    stops
        Whether the method has a keyword *cancel*, too.
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
    """Keep what the work itself calls from being shown as work of its own.

    Other threads have their own mark, so that their work is shown beside this one.
    """
    mark = _is_shown.set(True)
    try:
        yield
    finally:
        _is_shown.reset(mark)


def listener(progress: L | bool | None, /) -> L | None:
    """Return what to tell of progress, if there is anything."""
    return None if isinstance(progress, bool) else progress


def silent(_what: str, _done: int, _total: int, /) -> None:
    """Tell nobody."""
