"""Text that many documents repeat: footers, licence notices, disclaimers, signatures.

A segment has a digest of every line; the live segments together show which lines many documents
repeat. Such text counts once for a collection, with the first document that has it.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from casetrack.graph.document.facts import ChunkFacts

_LINE = re.compile(r"[^\n]*\w[^\n]*")
_SIGNS = re.compile(r"https?://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\W_]+")
_DOCUMENTS = 5
"""Minimum number of documents with a repeated text, and of different texts before it."""
_SHORT = 40
"""A shorter text may be a salutation, a heading or a name that documents have in common."""
_OPENING = 300
"""A shorter text at the start of a document is its letterhead or title."""
_LONG = 3000
"""Most of a document can be a footer only up to this length; otherwise it is a version."""
_CHUNK_BITS = 32


def lines_of(chunks: Sequence[ChunkFacts], /) -> Iterator[tuple[int, int, int, int]]:
    """Yield chunk, start, end and int32 digest of each line that the previous chunk has not.

    Equal digests mean equal letters and digits in any case, without links and mail addresses. A
    table is one line, as is the first paragraph of a page, which is the head of a mail.
    """
    page, read = -1, 0
    for number, chunk in enumerate(chunks):
        read = read if chunk.page == page else 0
        page = chunk.page
        for start, end in _spans(chunk):
            if chunk.char_start + start >= read:
                letters = _SIGNS.sub("", chunk.text[start:end]).lower()
                yield number, start, end, zlib.crc32(letters.encode("utf-8", "replace")) - (1 << 31)
        read = max(read, chunk.char_end)


def _spans(chunk: ChunkFacts) -> Iterator[tuple[int, int]]:
    at, size = 0, len(chunk.text)
    head = max(0, chunk.text.find("\n\n")) if chunk.char_start == 0 else 0
    tables = sorted(tuple(min(max(n - chunk.char_start, 0), size) for n in t) for t in chunk.tables)
    for start, end in ((0, head), *tables, (size, size)):
        for match in _LINE.finditer(chunk.text, at, max(at, start)):
            yield match.span()
        if start < end:
            yield start, end
        at = max(at, end)


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines of documents in reading order; all arrays are int64 [n]."""

    unit: NDArray[np.int64]  # Number of the document
    chunk: NDArray[np.int64]  # Position of the chunk among all chunks
    # Span in the chunk's text.
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    digest: NDArray[np.int64]

    def boilerplate(self) -> Lines:
        """Return the lines of texts that at least five documents repeat after other texts.

        The context of an opening is the text after it. Left out are openings of fewer than 300
        characters, such as letterheads, other texts of fewer than 40, and documents of which more
        than 3,000 characters and three quarters are repeated, such as versions.
        """
        if not len(self.digest):
            return self
        size = self.end - self.start
        rows = np.arange(len(size))
        digests, code = np.unique(self.digest, return_inverse=True)
        first = np.ones(len(size), bool)
        first[1:] = self.unit[1:] != self.unit[:-1]
        common = _several(code, self.unit, len(digests))
        # Consecutive common lines are one text; what precedes it is its context.
        begins = common & (first | ~np.roll(common, 1))
        text = np.cumsum(begins) - 1
        last = np.roll(first, -1)
        before = np.maximum.accumulate(np.where(~common | first, rows, 0))
        after = np.minimum.accumulate(np.where(~common | last, rows, len(rows))[::-1])[::-1]
        opens = common[before]
        near = np.where(opens, after, before)
        context = np.where(common[near], -1, code[near])
        length = np.bincount(text[common], size[common], max(1, int(begins.sum())))[text]
        of_unit = np.cumsum(first) - 1
        whole, shared = (np.bincount(of_unit, n)[of_unit] for n in (size, size * common))
        framed = common & (context >= 0) & (length >= np.where(opens, _OPENING, _SHORT))
        framed &= (shared <= _LONG) | (4 * shared <= 3 * whole)
        framed[framed] = _several(code[framed], context[framed], len(digests))
        return self.taken(framed)

    def taken(self, rows: NDArray[np.bool_]) -> Lines:
        """Return some of the lines."""
        return Lines(*(getattr(self, name)[rows] for name in self.__slots__))

    def later(self) -> NDArray[np.bool_]:
        """Return whether an earlier line is the same."""
        again = np.ones(len(self.digest), bool)
        again[_firsts(self.digest)] = False
        return again

    def repeats(
        self, chunk: NDArray[np.int64], start: NDArray[np.int64], what: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return for places in reading order whether an earlier one has the same line and offset.

        *what* distinguishes places at the same offset, such as different entities.
        """
        again = np.zeros(len(chunk), bool)
        lines = (self.chunk << _CHUNK_BITS) + self.start
        at = np.searchsorted(lines, (chunk << _CHUNK_BITS) + start, side="right") - 1
        inside = np.flatnonzero(at >= 0)
        own = at[inside]
        inside = inside[(self.chunk[own] == chunk[inside]) & (start[inside] < self.end[own])]
        own = at[inside]
        offset = start[inside] - self.start[own]
        again[inside] = True
        again[inside[_firsts(self.digest[own], offset, what[inside])]] = False
        return again


def _several(code: NDArray[np.int64], other: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """Return whether the code of each row occurs with at least five different *other* values."""
    firsts = _firsts(code, other)
    enough: NDArray[np.bool_] = (np.bincount(code[firsts], minlength=size) >= _DOCUMENTS)[code]
    return enough


def _firsts(*columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first row of each distinct combination of values."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        # Numbers from 0, so that the packed key of several columns fits 64 bits.
        _, key = np.unique(key, return_inverse=True)
        low = int(column.min(initial=0))
        key = key * (int(column.max(initial=0)) - low + 1) + (column - low)
    firsts: NDArray[np.int64] = np.unique(key, return_index=True)[1]
    return firsts
