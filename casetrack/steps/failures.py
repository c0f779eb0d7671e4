"""Failures of extractors: each costs its own values of one passage, never the document."""

from __future__ import annotations

import logging
import re
from collections import Counter
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from casetrack.errors import CaseTrackError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

T = TypeVar("T")
D = TypeVar("D")
_log = logging.getLogger(__name__)
_REASON = re.compile(r'The extractor "([^"]+)" failed ')


@dataclass(slots=True)
class Failures:
    """The failures of the extractors with one document, by the extractor's name.

    *document* names it in the log.
    """

    document: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    errors: dict[str, str] = field(default_factory=dict)

    def add(self, extractor: str, error: str, count: int = 1, /) -> None:
        """Count failures of an extractor; the first error is kept."""
        self.counts[extractor] += count
        self.errors.setdefault(extractor, " ".join(error.split())[:200])

    def reasons(self) -> tuple[str, ...]:
        """Return a line of ``documents.missing`` for each extractor."""
        return tuple(
            f'The extractor "{name}" failed {"once" if count == 1 else f"{count:,} times"} '
            f"({self.errors[name]}); its values are missing there. "
            "`casetrack reindex --reparse` tries again."
            for name, count in sorted(self.counts.items())
        )


_current: ContextVar[Failures | None] = ContextVar("failures", default=None)


@contextmanager
def collect_failures(document: str = "", /) -> Iterator[Failures]:
    """Collect the failures of one document; without this, an extractor's error is raised."""
    failures = Failures(document)
    token = _current.set(failures)
    try:
        yield failures
    finally:
        _current.reset(token)


def attempt(extractor: str, find: Callable[[], T], otherwise: D, /) -> T | D:
    """Return what an extractor finds, or *otherwise* after logging and counting its error."""
    try:
        return find()
    except CaseTrackError:
        raise  # such as a model that cannot be used: it concerns every document
    except Exception as error:
        if not record_failure(extractor, error):
            raise
        return otherwise


def record_failure(extractor: str, error: Exception, /) -> bool:
    """Log and count an error of an extractor; ``False`` if failures are not collected."""
    failures = _current.get()
    if failures is None:
        return False
    if extractor not in failures.counts:
        where = failures.document or "a document"
        _log.error("extractor %r failed with %s", extractor, where, exc_info=error)
    failures.add(extractor, f"{type(error).__name__}: {error}")
    return True


def failed_extractors(missing: Iterable[str], /) -> frozenset[str]:
    """Return the extractors that lines of ``documents.missing`` name."""
    return frozenset(m[1] for line in missing if (m := _REASON.match(line)))


def without_failures(
    missing: Iterable[str], extractors: Collection[str] | None = None, /
) -> tuple[str, ...]:
    """Return *missing* without the lines of these extractors, by default of all."""

    def is_kept(line: str) -> bool:
        found = _REASON.match(line)
        return not found or (extractors is not None and found[1] not in extractors)

    return tuple(filter(is_kept, missing))
