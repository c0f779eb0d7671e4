"""What syncing the sources of a config needs beside the sync itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from casetrack.base.errors import SourceError, UsageError
from casetrack.extract.typed_dates import day_span
from casetrack.keep.sources.base import Source

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import NoReturn

    from casetrack.editions.context.config import SourceEntry
    from casetrack.editions.context.home import ContextHome
    from casetrack.keep.sources.base import Item


class Unopened(Source):
    """A source that cannot even be opened: to a sync, one whose listing fails.

    So the others go on, and the collection knows why it may be behind this one.

    Parameters
    ----------
    entry
        The source.
    error
        Why.
    """

    notes: Sequence[str] = ()
    dark: Sequence[str] = ("",)
    large: Sequence[str] = ()

    def __init__(self, entry: SourceEntry, error: SourceError, /) -> None:
        self.kind, self.name = entry.kind, entry.name
        self._error = error

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:  # noqa: ARG002
        """Raise the error."""
        self._fail()

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:  # noqa: ARG002
        """Raise the error."""
        self._fail()

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:  # noqa: ARG002
        """Return nothing: it has no items."""
        return None

    def _fail(self) -> NoReturn:
        raise self._error


def source_to_sync(home: ContextHome, entry: SourceEntry, /) -> Source:
    """Return a source of the config; one that cannot be opened fails when it is listed."""
    try:
        return home.source(entry)
    except SourceError as error:
        return Unopened(entry, error)
    except UsageError as error:
        return Unopened(entry, SourceError(entry.label, error.message, hint=error.hint))


def moments(since: str | None, until: str | None, /) -> tuple[datetime | None, datetime | None]:
    """Return from when on and before when something counts: days, months or years in UTC.

    Raises
    ------
    UsageError
        One is no date, or the second lies before the first.
    """
    start = None if since is None else _midnight(day_span(since)[0])
    end = None if until is None else _midnight(day_span(until)[1]) + timedelta(days=1)
    if start is not None and end is not None and end <= start:
        raise UsageError(
            f"No day is after {since} and before {until}.", hint="Exchange since and until."
        )
    return start, end


def _midnight(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
