"""Collections as an analyst opens them: with progress, and as a table."""

from __future__ import annotations

import contextlib
import html
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Literal, Protocol

from casetrack.api.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from rich.progress import Progress, TaskID

    from casetrack.api.collection import Collection
    from casetrack.base.records import CollectionEntry, Rows

# Progress of long work, and an interrupt that stops it between two documents.
#
# In a notebook (Jupyter, VS Code) a bar is an output that is updated in place and needs no
# extension; on a terminal it is a bar on standard error; elsewhere there is nothing.

Where = Literal["notebook", "terminal", "nowhere"]
DELAY_SECONDS = 0.5
"""Shorter work shows nothing by default."""
UPDATE_SECONDS = 0.2
"""Notebooks store every update, so updates are rare."""
_NAME_CHARS = 24


class Display(Protocol):
    """Shows one piece of work."""

    def show(self, title: str, done: int, total: int | None, note: str) -> None:
        """Show progress; an unknown *total* is ``None``."""

    def close(self, text: str) -> None:
        """End the display; *text* describes the end."""


def where() -> Where:
    """Return the kind of output of this program."""
    if _kernel() is not None:
        return "notebook"
    return "terminal" if _is_terminal() else "nowhere"


def _kernel() -> Any:
    """Return IPython if it runs a kernel, without importing it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


def _is_terminal() -> bool:
    stream = sys.stderr
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it was closed
        return False


class NotebookBar:
    """A bar in the output of a cell: plain HTML in the colours of the notebook."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, title: str, done: int, total: int | None, note: str) -> None:
        """Show a moment of the work; see :class:`Display`."""
        known = f' max="{total}" value="{done}"' if total else ""
        count = _count(done, total)
        text = " ".join(part for part in (title, count, note) if part)
        self._put(
            f"{html.escape(title)} <progress{known} style='width:16em;vertical-align:middle' "
            f"aria-label='{html.escape(title, quote=True)}'></progress> {html.escape(count)} "
            f"<small>{html.escape(note)}</small>",
            text,
        )

    def close(self, text: str) -> None:
        """Replace the bar, if any, by one line."""
        if self._handle is not None:
            self._put(f"<small>{html.escape(text)}</small>", text)

    def _put(self, page: str, plain: str) -> None:
        from IPython.display import display

        bundle = {"text/html": page, "text/plain": plain}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bundle, raw=True)


class TerminalBar:
    """A bar on standard error, removed at the end."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def show(self, title: str, done: int, total: int | None, note: str) -> None:
        """Show a moment of the work; see :class:`Display`."""
        if self._bar is None or self._task is None:
            self._bar = _rich_bar()
            self._task = self._bar.add_task(title, total=None, note="")
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total, note=note)

    def close(self, text: str) -> None:  # noqa: ARG002 - a notebook keeps it
        """Remove the bar; the report has the result."""
        if self._bar is not None:
            self._bar.stop()


def _rich_bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )


class Watching:
    """Running work; see :class:`casetrack.api.collection.progress.ShownWork`.

    Attributes
    ----------
    cancel
        Set by the first interrupt.
    interrupted
        Whether an interrupt stopped the work.
    """

    def __init__(
        self, title: str, display: Display | None, cancel: threading.Event, /, *, delay: float
    ) -> None:
        self.cancel = cancel
        self.interrupted = False
        self._title, self._display = title, display
        self._started = time.monotonic()
        self._next = self._started + delay
        self._last: tuple[int, int | None] = (0, None)

    def hear(self, *news: Any) -> None:
        """Show progress: a record about files, or the completed amount and the total.

        A description may precede the two numbers.
        """
        done, total, note = _moment(*news)
        self._last = (done, total)
        now = time.monotonic()
        if self._display is None or now < self._next:
            return
        self._next = now + UPDATE_SECONDS
        if self.cancel.is_set():
            note = "stopping after the current document"
        self._display.show(self._title, done, total, note)

    def end(self, *, broken: bool = False) -> None:
        """Remove the bar; *broken* means that an error ended the work."""
        if self._display is None:
            return
        seconds = time.monotonic() - self._started
        ended = "stopped" if broken or self.cancel.is_set() else "ended"
        count = _count(*self._last)
        self._display.close(f"{self._title} {ended}{': ' if count else ''}{count}, {seconds:.1f} s")


def show_work(
    title: str, /, *, show: bool | None, cancel: threading.Event | None
) -> contextlib.AbstractContextManager[Watching]:
    """Show work, and let an interrupt stop it in a consistent state.

    An interrupt (the stop button, Ctrl-C) requests the work to stop at a safe point; a second one
    stops it at once. In an interactive session, the report contains the stop; in a program,
    ``KeyboardInterrupt`` is raised after the work has stopped.

    Parameters
    ----------
    title
        Name of the work, such as ``"Reading"``.
    show
        ``True`` shows it at once, ``False`` never, ``None`` after :data:`DELAY_SECONDS` in an
        interactive session.
    cancel
        An interrupt sets it, too, for its owner.
    """
    return _shown_work(title, show, cancel or threading.Event())


@contextlib.contextmanager
def _shown_work(title: str, show: bool | None, cancel: threading.Event) -> Iterator[Watching]:
    place = where()
    work = Watching(title, _display(place, show), cancel, delay=0.0 if show else DELAY_SECONDS)
    with _interruptible(work), _until_the_end(work):
        yield work
    if work.interrupted and not _is_interactive(place):
        raise KeyboardInterrupt


def _display(place: Where, show: bool | None) -> Display | None:
    if show is False or (show is None and place == "nowhere"):
        return None
    return NotebookBar() if place == "notebook" else TerminalBar()


@contextlib.contextmanager
def _until_the_end(work: Watching) -> Iterator[None]:
    try:
        yield
    except BaseException:
        work.end(broken=True)
        raise
    work.end()


class Parts:
    """Work in several equal *parts*, shown by one bar."""

    def __init__(self, work: Watching, parts: int, /) -> None:
        self._work, self._parts, self._begun = work, parts, 0

    def part(self) -> Callable[..., None]:
        """Begin the next part; return a function that takes its completed amount and its total."""
        before, self._begun = self._begun, self._begun + 1

        def hear(*news: Any) -> None:
            done, total, note = _moment(*news)
            size = total or 0
            self._work.hear(note, before * size + done, self._parts * size)

        return hear


@contextlib.contextmanager
def watching(title: str, /, *, parts: int = 1, show: bool | None = None) -> Iterator[Parts]:
    """Show work with a ``progress`` function: an evaluation, a briefing.

    Collections show their own long work. An interrupt ends this work at once.

    Parameters
    ----------
    title
        Name of the work, such as ``"Asking"``.
    parts
        Number of repetitions of the work.
    show
        As for :func:`show_work`.

    Examples
    --------
    >>> with watching("Asking") as bar:  # doctest: +SKIP
    ...     run = measure(questions, progress=bar.part())
    """
    delay = 0.0 if show else DELAY_SECONDS
    work = Watching(title, _display(where(), show), threading.Event(), delay=delay)
    with _until_the_end(work):
        yield Parts(work, parts)


def _is_interactive(place: Where) -> bool:
    return place == "notebook" or hasattr(sys, "ps1") or bool(sys.flags.interactive)


@contextlib.contextmanager
def _interruptible(watching: Watching) -> Iterator[None]:
    """Turn the first interrupt into a request to stop.

    This applies only to Python's default handler: another handler is kept.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if watching.interrupted:
            signal.default_int_handler(number, frame)
        watching.interrupted = True
        watching.cancel.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _moment(*news: Any) -> tuple[int, int | None, str]:
    if len(news) == 1:
        moment = news[0]
        return moment.done, moment.total, _short(moment.file)
    what, done, total = news if len(news) == 3 else ("", *news)
    return done, total or None, str(what)


def _count(done: int, total: int | None) -> str:
    return f"{done:,} of {total:,}" if total else (f"{done:,}" if done else "")


def _short(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    half = _NAME_CHARS // 2
    return name if len(name) <= _NAME_CHARS else f"{name[:half]}\u2026{name[1 - half :]}"


def open_collection(name: str, /, *, data_dir: str | Path | None) -> Collection:
    """Open a collection that shows its long work; see :func:`casetrack.open`."""
    return Library.open(data_dir, display=show_work).get(name)


def create_collection(name: str, /, *, data_dir: str | Path | None, **facts: Any) -> Collection:
    """Make a collection that shows its long work; see :func:`casetrack.create`."""
    return Library.open(data_dir, display=show_work).create(name, **facts)


def list_collections(*, data_dir: str | Path | None) -> Rows[CollectionEntry]:
    """Return all collections of a data folder; see :func:`casetrack.collections`."""
    return Library.open(data_dir).entries()
