"""The text that is permitted between two parts of one table, also over a page break."""

from __future__ import annotations

from collections.abc import Sequence

_TITLE_CHARS, _MAX_CHARS = 90, 150


def is_title(line: str, /) -> bool:
    """Return whether a line is short and ends no sentence, unlike running text."""
    return len(line) <= _TITLE_CHARS and line.rstrip()[-1:] not in {".", ";"}


def part_tables(lines: Sequence[str], /) -> bool:
    """Return whether lines between two tables contain running text, not only titles."""
    return sum(len(line) for line in lines if not is_title(line)) >= _MAX_CHARS
