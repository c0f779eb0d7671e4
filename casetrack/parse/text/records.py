"""Reads the records of a delimited file one by one, also where its quotes are broken."""

from __future__ import annotations

import csv
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.parse.text.dialect import Dialect

_MAX_RECORD = 1 << 20
"""A quoted field over several lines that is longer was never closed."""
_FIELD_LIMIT = (1 << 31) - 1


class Record(NamedTuple):
    """A record: its number, the file's line it starts on (both 1-based), and its fields."""

    number: int
    line: int
    fields: list[str]


class _Runaway(Exception):
    """A quoted field goes on for too long."""


class RecordReader:
    """Iterates over records.

    A quote that opens a field and never closes would swallow the rest of the file; a record that
    does so, or that takes in further lines without getting the width of the others, is read again
    as one line whose quotes mean nothing.

    Parameters
    ----------
    lines
        The file's lines with their ends.
    """

    def __init__(self, lines: Iterable[str], dialect: Dialect) -> None:
        self._lines = iter(lines)
        self._dialect = dialect
        self._again: deque[str] = deque()
        self._taken: list[str] = []
        self._length = 0
        self._ended = False
        self.broken: list[int] = []
        """Lines whose quotes do not pair."""

    def __iter__(self) -> Iterator[Record]:
        csv.field_size_limit(_FIELD_LIMIT)
        line = 1
        number = 0
        parser = self._parse(self._source())
        while True:
            self._taken, self._length = [], 0
            try:
                fields = next(parser, None)
                good = fields is not None and self._is_sound(fields)
            except (csv.Error, _Runaway):
                fields, good = [], False
            if fields is None:
                return
            if not good:
                fields = self._literal()
                self.broken.append(line)
                parser = self._parse(self._source())
            number += 1
            if not (number == 1 and self._dialect.declares):
                yield Record(number, line, fields)
            line += len(self._taken)

    def _parse(self, lines: Iterable[str], *, strict: bool = False) -> Iterator[list[str]]:
        return iter(
            csv.reader(
                lines,
                delimiter=self._dialect.delimiter,
                quotechar=self._dialect.quote,
                skipinitialspace=self._dialect.skips_space,
                strict=strict,
            )
        )

    def _source(self) -> Iterator[str]:
        while True:
            line = self._again.popleft() if self._again else next(self._lines, None)
            if line is None:
                self._ended = True
                return
            self._taken.append(line)
            self._length += len(line)
            yield self._dialect.plain(line)
            if self._length > _MAX_RECORD:
                raise _Runaway

    def _is_sound(self, fields: list[str]) -> bool:
        """Tell a record whose lines belong together."""
        if len(self._taken) < 2:
            return True
        quotes = sum(line.count(self._dialect.quote) for line in self._taken)
        if (self._ended and quotes % 2) or not self._closes_well():
            return False
        return len(fields) == self._dialect.width or len(self._split(self._taken[0])) != (
            self._dialect.width
        )

    def _closes_well(self) -> bool:
        """Tell whether each quote that closes stands before a delimiter or a line's end."""
        try:
            # Only the strict parser minds.
            list(self._parse(map(self._dialect.plain, self._taken), strict=True))
        except csv.Error:
            return False
        return True

    def _split(self, line: str) -> list[str]:
        return line.rstrip("\r\n").split(self._dialect.delimiter)

    def _literal(self) -> list[str]:
        """Read the first line of what was taken by its delimiters alone; give back the rest."""
        first, *rest = self._taken
        self._again = deque(chain(rest, self._again))
        self._taken = [first]
        self._ended = False
        return self._split(first)
