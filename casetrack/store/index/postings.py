"""Postings of one segment: for every key the rows that hold it, and a value for each.

Index terms (strings, with term frequencies) and the vocabulary ids of learned sparse vectors
(int32, with weights) lie in the same form:

``<name>_keys.arrow``
    ``key`` (ascending), ``offset`` (first posting), ``count`` (postings), ``peak`` (largest value).
``<name>.arrow``
    ``row`` (ascending within a key) and ``value``, both in the narrowest type that holds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.store.index.columns import Strings, as_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_KNOWN = 4096
"""Words whose postings are kept at hand: where they begin and end, not what they hold."""


class Posting(NamedTuple):
    """The rows that hold a key, the value in each, and the largest of the values."""

    rows: NDArray[np.unsignedinteger]
    values: NDArray[np.number]
    peak: float

    def inside(self, span: slice, /) -> Posting:
        """Return what it holds of the rows in *span*; the peak stays an upper bound."""
        rows = self.rows
        last = int(rows[-1]) if len(rows) else -1
        # Another type of integer would make NumPy convert all rows first.
        low, high = (
            int(np.searchsorted(rows, rows.dtype.type(end))) if end <= last else len(rows)
            for end in (span.start, span.stop)
        )
        return Posting(rows[low:high], self.values[low:high], self.peak)


@dataclass(frozen=True, slots=True)
class Postings:
    """Keys, and the rows and values of each; see the module for the layout."""

    keys: pa.Table
    entries: pa.Table
    _offset: np.ndarray
    _count: np.ndarray
    _peak: np.ndarray
    _row: np.ndarray
    _value: np.ndarray
    _key: np.ndarray | Strings
    _known: dict[str, tuple[Posting | None]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, keys: pa.Table, entries: pa.Table, /) -> Postings:
        """Wrap the two tables.

        Raises
        ------
        ValueError
            They do not belong together.
        """
        key = keys["key"]
        offset, count, peak = (as_numpy(keys[n]) for n in ("offset", "count", "peak"))
        if int(count.sum(dtype=np.int64)) != entries.num_rows:
            raise ValueError("the postings and their keys do not belong together")
        row, value = as_numpy(entries["row"]), as_numpy(entries["value"])
        lookup = as_numpy(key) if pa.types.is_integer(key.type) else Strings.of(key)
        return cls(keys, entries, offset, count, peak, row, value, lookup)

    def find(self, keys: Sequence[str] | NDArray[np.int32], /) -> list[Posting | None]:
        """Return the postings of each key; ``None`` where it does not occur."""
        if isinstance(self._key, Strings):
            return [self._of(self._key, str(key)) for key in keys]
        near = np.searchsorted(self._key, np.asarray(keys, dtype=np.int32))
        near = np.minimum(near, len(self._key) - 1)
        places = (
            np.where(self._key[near] == keys, near, -1).tolist()
            if len(self._key)
            else [-1] * len(keys)
        )
        return [None if place < 0 else self._at(place) for place in places]

    def starting(self, beginning: str, /) -> list[str]:
        """Return the keys that begin with *beginning*; none where keys are no strings."""
        return list(self._key.starting(beginning)) if isinstance(self._key, Strings) else []

    def _of(self, keys: Strings, key: str) -> Posting | None:
        """Return the posting of a word; one search looks it up some ten times."""
        known = self._known.get(key)
        if known is None:
            place = keys.find(key)
            known = (None if place < 0 else self._at(place),)
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[key] = known
        return known[0]

    def _at(self, place: int) -> Posting:
        start = int(self._offset[place])
        end = start + int(self._count[place])
        return Posting(self._row[start:end], self._value[start:end], float(self._peak[place]))

    @property
    def rows(self) -> np.ndarray:
        """The row of every posting, key after key."""
        return self._row

    @property
    def values(self) -> np.ndarray:
        """The value of every posting, key after key."""
        return self._value

    @property
    def counts(self) -> np.ndarray:
        """Postings of every key."""
        return self._count


def build_postings(lists: pa.ListArray, values: np.ndarray, size: int, /) -> Postings:
    """Turn the lists of keys of all rows around.

    Parameters
    ----------
    lists
        For every row its distinct keys, strings or integers; null where it has none.
    values
        The value of every key of every row, in the same order.
    size
        Number of rows.
    """
    rows = as_numpy(pc.list_parent_indices(lists)).astype(row_type(size))
    flat = lists.flatten().dictionary_encode()
    # Codes follow first appearance; rank them by the key's own order.
    keys = flat.dictionary
    order = np.asarray(pc.sort_indices(keys))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    ranks = rank[as_numpy(flat.indices)] if len(keys) else np.empty(0, dtype=np.int32)
    del flat
    by_key = np.argsort(ranks, kind="stable")
    counts = np.bincount(ranks, minlength=len(keys)).astype(np.int32)
    offsets = np.zeros(len(keys), dtype=np.int64)
    np.cumsum(counts[:-1], out=offsets[1:])
    rows, values = rows[by_key], values[by_key]
    peaks = np.maximum.reduceat(values, offsets) if len(keys) else values
    table = {"key": keys.take(pa.array(order)), "offset": offsets, "count": counts}
    return Postings.of(
        pa.table(table | {"peak": peaks.astype(np.float32)}),
        pa.table({"row": rows, "value": values}),
    )


def row_type(size: int, /) -> type[np.uint16 | np.uint32]:
    """Return the narrowest type for a row of a segment of *size* rows."""
    return np.uint16 if size <= 1 << 16 else np.uint32


def narrow(counts: np.ndarray, /) -> np.ndarray:
    """Return whole numbers from 0 upwards in the narrowest type that holds them."""
    largest = int(counts.max(initial=0))
    return counts.astype(np.min_scalar_type(largest))
