"""Small pieces of text: single lines and tables."""

from __future__ import annotations

from collections.abc import Sequence


def one_line(text: str, /) -> str:
    """Return *text*, such as a file name, without line breaks; all else in it stays."""
    return " ".join(text.splitlines())


def table(rows: Sequence[tuple[str, str | None]], /) -> str:
    """Return labelled values in two columns, each on one line; rows without one are left out."""
    width = max(len(label) for label, _ in rows) + 2
    filled = [(f"{one_line(label)}:", one_line(value)) for label, value in rows if value]
    return "\n".join(f"  {label:<{width}}{value}" for label, value in filled)
