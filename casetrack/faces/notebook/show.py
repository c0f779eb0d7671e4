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
"""Work that is over by then shows nothing, unless it was asked to."""
UPDATE_SECONDS = 0.2
"""A notebook keeps every update it is sent, so there are not many."""
_NAME_CHARS = 24


class Display(Protocol):
    """Shows one piece of work."""

    def show(self, title: str, done: int, total: int | None, note: str) -> None:
        """Show a moment of it; *total* is ``None`` where it is not known yet."""
        ...

    def close(self, text: str) -> None:
        """Show that it is over; *text* says how it ended."""
        ...


def where() -> Where:
    """Return where this program shows something to a person."""
    if _kernel() is not None:
        return "notebook"
    return "terminal" if _is_terminal() else "nowhere"


def _kernel() -> Any:
    """Return IPython where it runs in a kernel; IPython is never imported for it."""
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
        said = " ".join(part for part in (title, count, note) if part)
        self._put(
            f"{html.escape(title)} <progress{known} style='width:16em;vertical-align:middle' "
            f"aria-label='{html.escape(title, quote=True)}'></progress> {html.escape(count)} "
            f"<small>{html.escape(note)}</small>",
            said,
        )

    def close(self, text: str) -> None:
        """Leave one line where the bar was, if there was one."""
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
    """A bar on standard error, which goes away at the end."""

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
        """Take the bar away; what was done is for the report."""
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
    """One piece of work while it goes on; see :class:`casetrack.api.collection.progress.ShownWork`.

    Attributes
    ----------
    cancel
        Set by the first interrupt.
    interrupted
        Whether it was an interrupt that stopped the work.
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
        """Show a moment of the work.

        It is one record about files, or how much is done and of how much, with or without what is
        being done before them.
        """
        done, total, note = _moment(*news)
        self._last = (done, total)
        now = time.monotonic()
        if self._display is None or now < self._next:
            return
        self._next = now + UPDATE_SECONDS
        if self.cancel.is_set():
            note = "stopping after the document at hand"
        self._display.show(self._title, done, total, note)

    def end(self, *, broken: bool = False) -> None:
        """Take the bar away; *broken* says that an error ended the work."""
        if self._display is None:
            return
        seconds = time.monotonic() - self._started
        ended = "stopped" if broken or self.cancel.is_set() else "ended"
        count = _count(*self._last)
        self._display.close(f"{self._title} {ended}{': ' if count else ''}{count}, {seconds:.1f} s")


def show_work(
    title: str, /, *, show: bool | None, cancel: threading.Event | None
) -> contextlib.AbstractContextManager[Watching]:
    """Show a piece of work, and let an interrupt end it in order.

    An interrupt (the stop button, Ctrl-C) asks the work to stop where nothing is half done; a
    second one stops it at once. In a notebook or an interactive session the report then says that
    it was stopped; in a program, which nobody looks on at, ``KeyboardInterrupt`` is raised
    once the work has stopped.

    Parameters
    ----------
    title
        What is going on, such as ``"Reading"``.
    show
        ``True`` shows it from the first moment, ``False`` never, ``None`` after
        :data:`DELAY_SECONDS` where a person looks on.
    cancel
        Is set by an interrupt, too, so that whoever made it knows.
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
    """Work in several parts of the same size, shown by one bar.

    Parameters
    ----------
    work
        Shows all of it.
    parts
        How many parts there are.
    """

    def __init__(self, work: Watching, parts: int, /) -> None:
        self._work, self._parts, self._begun = work, parts, 0

    def part(self) -> Callable[..., None]:
        """Begin the next part; return what to call with how much of it is done, and of how much."""
        before, self._begun = self._begun, self._begun + 1

        def hear(*news: Any) -> None:
            done, total, note = _moment(*news)
            size = total or 0
            self._work.hear(note, before * size + done, self._parts * size)

        return hear


@contextlib.contextmanager
def watching(title: str, /, *, parts: int = 1, show: bool | None = None) -> Iterator[Parts]:
    """Show work that takes a ``progress`` function: a measurement, a briefing.

    Collections show their own long work by themselves; this is for the rest. An interrupt ends
    such work at once, as ever.

    Parameters
    ----------
    title
        What is going on, such as ``"Asking"``.
    parts
        How many times the work is done, each time as much of it.
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
    """Turn the first interrupt into the wish to stop.

    Only where interrupts are Python's own matter: a program with another handler keeps it.
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
