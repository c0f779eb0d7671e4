"""The interface of a step: name, version, needed and added columns, and a pure function."""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import CaseTrackError
from casetrack.base.records.documents import ExtractorFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    Batches = Iterator[pa.RecordBatch]

Value = TypeVar("Value", bool, int, float, str, tuple[str, ...])

MEANING = "meaning"
"""Metadata key of a parameter's description."""


@dataclass(frozen=True, slots=True)
class Contract:
    """Input and output of a step, as columns of declared tables.

    Attributes
    ----------
    name, version
        Part of the pipeline's fingerprint: increase the version when the output changes.
    reads, writes
        Declared tables. If both are the same, rows are passed on with added columns.
    needs, adds
        Required columns of *reads*, and added columns of *writes*.
    """

    name: str
    version: int
    reads: str
    writes: str
    needs: tuple[str, ...]
    adds: tuple[str, ...]


class Step(Protocol):
    """A step that is ready to run."""

    contract: Contract

    @property
    def fingerprint(self) -> str:
        """Text that changes whenever the step's output could: parameters, model hashes."""

    def __call__(self, batches: Batches, /) -> Batches:
        """Convert batches of ``contract.reads`` to batches of ``contract.writes``."""


def parameter(default: Value, meaning: str, /) -> Value:
    """Declare a field of a step's dataclass as a parameter for pipeline files.

    *default* determines the type: integer, float, boolean, text, or a tuple of texts. *meaning* is
    one sentence with the unit.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Rules:
    ...     min_letters: int = parameter(40, "Fewest letters of a page.")
    >>> Rules().min_letters
    40
    """
    declared: Any = field(default=default, metadata={MEANING: meaning})
    return declared  # type: ignore[no-any-return]


# Failures of extractors: each loses its own values of one passage, never the document.

T = TypeVar("T")
D = TypeVar("D")
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Failures:
    """The failures of the extractors with one document, which *document* names in the log."""

    document: str = ""
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Counts by extractor and stage."""
    errors: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, extractor: str, stage: str, error: str = "", /, *, count: int = 1) -> None:
        """Count failures of an extractor and keep the first error."""
        self.counts[extractor, stage] += count
        self.errors.setdefault((extractor, stage), error)

    def all(self) -> tuple[ExtractorFailure, ...]:
        """Return one failure per extractor and stage."""
        return tuple(
            ExtractorFailure(*key, self.errors[key], count) for key, count in self.counts.items()
        )


_current: ContextVar[Failures | None] = ContextVar("failures", default=None)


@contextmanager
def collect_failures(document: str = "", /) -> Iterator[Failures]:
    """Collect the failures of one document; outside this block, an extractor's error is raised."""
    failures = Failures(document)
    token = _current.set(failures)
    try:
        yield failures
    finally:
        _current.reset(token)


def attempt(
    extractor: str, find: Callable[[], T], otherwise: D, /, *, stage: str | None = None
) -> T | D:
    """Return the result of an extractor, or *otherwise* after logging and counting its error."""
    try:
        return find()
    except CaseTrackError:
        raise  # such as an unusable model, which affects every document
    except Exception as error:
        if not record_failure(extractor, error, stage=stage):
            raise
        return otherwise


def record_failure(extractor: str, error: Exception, /, *, stage: str | None = None) -> bool:
    """Log and count an error of an extractor; ``False`` if failures are not collected."""
    failures = _current.get()
    if failures is None:
        return False
    key = (extractor, stage or extractor)
    if key not in failures.counts:
        where = failures.document or "a document"
        _log.error("extractor %r failed with %s", extractor, where, exc_info=error)
    text = error.message.rstrip(".") if isinstance(error, CaseTrackError) else type(error).__name__
    failures.add(*key, text)
    return True
