"""What is sent to a shard, and what it answers: small records, and arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from casetrack.base.objects.address import Address
    from casetrack.store.index.rows import Rows


@dataclass(frozen=True, slots=True)
class Part:
    """A segment that is looked at, and which of its rows.

    Segments never change: who names one, and its rows, is understood the same way by whoever has
    it, whatever was committed meanwhile.

    Attributes
    ----------
    name
        Of the segment.
    size
        Its rows.
    rows
        Which may be found: ``None`` for all, first and end, or one bit for each.
    is_filtered
        Whether these are fewer than those that are live.
    """

    name: str
    size: int
    rows: tuple[int, int] | bytes | None
    is_filtered: bool

    @classmethod
    def of(cls, name: str, size: int, rows: Rows, /, *, is_filtered: bool) -> Part:
        """Pack the rows of a segment."""
        if isinstance(rows, slice):
            return cls(name, size, (rows.start, rows.stop), is_filtered)
        packed = None if rows is None else np.packbits(rows).tobytes()
        return cls(name, size, packed, is_filtered)

    def unpacked(self) -> Rows:
        """Return the rows."""
        if isinstance(self.rows, bytes):
            bits = np.unpackbits(np.frombuffer(self.rows, np.uint8), count=self.size)
            return bits.astype(np.bool_)
        return None if self.rows is None else slice(*self.rows)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a shard.

    Attributes
    ----------
    collection
        Name of the collection's folder.
    parts
        The segments to look at.
    depth
        How many rows are wanted by each signal.
    weights
        What each term of the question weighs over all shards, the heaviest first; ``None`` where
        words are not looked for.
    vector, sparse
        See :class:`casetrack.store.index.recall.Question`.
    chunk_count, average_length, live_count
        Of all shards: the rows that are searched, the mean of their terms, and the rows that are
        live.
    fingerprint
        See :class:`casetrack.store.index.index.Index`.
    address, endpoint
        Where the collection lies, if that is in object storage.
    """

    collection: str
    parts: tuple[Part, ...]
    depth: int
    weights: Mapping[str, np.float32] | None
    vector: NDArray[np.float32] | None
    sparse: tuple[NDArray[np.int32], NDArray[np.float32]] | None
    chunk_count: int
    average_length: float
    live_count: int
    fingerprint: str | None
    address: Address | None = None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """The best rows by one signal, in no order.

    Attributes
    ----------
    parts
        int32 [n], for each row the number of its segment among the parts that were asked for.
    rows
        int64 [n].
    scores
        float32 [n].
    """

    parts: NDArray[np.int32]
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Told:
    """What a shard answers.

    Attributes
    ----------
    lists
        By the name of the signal.
    lacking
        Numbers of the parts that it cannot read, each with the reason.
    """

    lists: Mapping[str, Listed] = field(default_factory=dict)
    lacking: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class About:
    """What a shard is.

    Attributes
    ----------
    version
        Of the program.
    sees
        Whether it finds the data folder.
    where, process
        The machine it runs on, and its process there.
    """

    version: str
    sees: bool
    where: str
    process: int
