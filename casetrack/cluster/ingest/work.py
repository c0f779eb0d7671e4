"""What goes from one process of a cluster to the next: orders, and files that are on their way."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.ingest.steps.failures import Failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from casetrack.base.records import Document, FileOutcome
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.messages import Message
    from casetrack.ingest.plan import FileFacts
    from casetrack.ingest.take import Sheet
    from casetrack.keep.sources.base import Item

T = TypeVar("T")
_BODY = "body"


@dataclass(frozen=True, slots=True)
class Order:
    """A file to read.

    Attributes
    ----------
    found
        The file; ``found.place`` is its number in the batch.
    document_id, previous, revision
        Of the document that it becomes, see :class:`casetrack.ingest.plan.Job`.
    facts
        Its facts, where they are known; else whoever reads it finds them out.
    item
        What its source calls it, where it has to be fetched.
    """

    found: FoundFile
    document_id: str
    previous: Document | None
    revision: str
    facts: FileFacts | None = None
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The facts of a file of the batch, by its number, or how it ended for want of them."""

    number: int
    facts: FileFacts | None
    outcome: FileOutcome | None = None


@dataclass(slots=True)
class Draft:
    """A document whose chunks have gone a part of the way through the pipeline."""

    sheet: Sheet
    batches: list[pa.RecordBatch]
    failures: Failures = field(default_factory=Failures)


@dataclass(slots=True)
class Work:
    """What has become of one order: what the writer is to be told, and what is not finished yet.

    Attributes
    ----------
    number
        That of the file in the batch.
    messages
        For the writer, in order.
    drafts
        Documents that are under way, by revision.
    pages
        How many pages were read.
    files, rows
        Files of chunks that were written, see :func:`casetrack.store.fragments.packed`, and how
        many chunks are in them: also those of other orders that were finished together with it.
    problem
        An error because of which the whole batch cannot go on.
    """

    number: int
    messages: list[Message] = field(default_factory=list)
    drafts: dict[str, Draft] = field(default_factory=dict)
    pages: int = 0
    files: bytes = b""
    rows: int = 0
    problem: dict[str, str] | None = None


def block_of(bodies: Iterable[object], /) -> pa.Table:
    """Return a table with one row for each of some orders, or of what has become of them."""
    import pyarrow as pa

    packed = [pickle.dumps(body, protocol=5) for body in bodies]
    return pa.table({_BODY: pa.array(packed, pa.large_binary())})


def bodies_of(block: pa.Table, kind: type[T], /) -> Iterator[T]:
    """Yield what the rows of a table hold."""
    for value in block[_BODY]:
        body: Any = pickle.loads(value.as_buffer())  # noqa: S301 - of our own processes
        if not isinstance(body, kind):
            raise TypeError(f"{type(body).__name__} instead of {kind.__name__}")
        yield body
