"""Small pieces of text: numbers, sizes, spans, quotes, tables."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, /) -> str:
    """Return a number with its noun: ``1 chunk``, ``1,051 chunks``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def one_line(text: str, /) -> str:
    """Return *text*, such as a file name, without line breaks; all else in it stays."""
    return " ".join(text.splitlines())


def span(start: int | str | None, end: int | str | None, /) -> str:
    """Return ``8-9``, or ``8`` for equal ends."""
    return str(start) if start == end else f"{start}-{end}"


def table(rows: Sequence[tuple[str, str | None]], /) -> str:
    """Return labelled values in two columns, each on one line; rows without one are left out."""
    width = max(len(label) for label, _ in rows) + 2
    filled = [(f"{one_line(label)}:", one_line(value)) for label, value in rows if value]
    return "\n".join(f"  {label:<{width}}{value}" for label, value in filled)
