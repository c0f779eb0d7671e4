"""Where in a statement a mistake is: DuckDB's own place, and what it leaves out or gets wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.store.sql.guard import Statement

Span = tuple[int, int]
"""First character, and the one after the last."""
NO_CONVERSION = re.compile(r"Could not convert (?:\w+ )?'(.*?)' to (\w+)", re.DOTALL)
NO_EXPRESSION = (
    r"^(?:missing [\]):]|no argument for repetition|bad repetition|trailing \\|unexpected \)"
    r"|invalid (?:escape sequence|perl operator|character class))"
)
"""How the texts on a wrong regular expression begin."""
_CAST = re.compile(r"\bcast\b|::", re.IGNORECASE)
_WIDEST = 100


def span_of(message: str, where: tuple[int, int] | None, statement: Statement, /) -> Span | None:
    """Return where in the statement, as it was given, a mistake is.

    Parameters
    ----------
    message
        What DuckDB says.
    where
        Place and length, in bytes, as DuckDB tells them.
    statement
        The statement.
    """
    given = statement.given
    span = None
    if where is not None:
        start = statement.position(where[0])
        span = start, max(start + 1, statement.position(sum(where)))
    if found := NO_CONVERSION.search(message):
        # What fails within one of our macros has a place in the text of the macro.
        value = f"'{found[1]}'"
        shown = given[slice(*span)] if span else ""
        if value not in shown and not _CAST.search(shown):
            return _only(given, re.escape(value))
    return span


def calls_of(function: str, given: str, /) -> list[Span]:
    """Return where a function is called: name, parentheses and all."""
    return [
        (found.start(), _closed(given, found.end() - 1))
        for found in re.finditer(rf"\b{re.escape(function)}\s*\(", given, re.IGNORECASE)
    ]


def _closed(given: str, opened: int) -> int:
    """Return the place after the parenthesis that closes the one at a place."""
    depth = 0
    for token in re.finditer(r"'(?:[^']|'')*'|\"[^\"]*\"|[()]", given[opened:]):
        depth += (token[0] == "(") - (token[0] == ")")
        if depth == 0:
            return opened + token.end()
    return len(given)


def name_within(name: str, given: str, span: Span | None, /) -> Span | None:
    """Return where a name stands in a part of a statement; the part where it does not."""
    if span is None:
        return None
    own = rf'"{re.escape(name)}"|(?<![\w"]){re.escape(name)}(?![\w"])(?!\s*\()'
    found = re.search(own, given[slice(*span)], re.IGNORECASE)
    return (span[0] + found.start(), span[0] + found.end()) if found else span


def line_and_column(given: str, span: Span | None, /) -> str:
    """Return a place in words; empty where there is none."""
    if span is None:
        return ""
    before = given[: span[0]]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f" in line {line}, column {column}"


def excerpt(given: str, span: Span | None, /) -> str:
    """Return the line of the mistake with a mark below it, on lines of their own."""
    if span is None:
        return ""
    start, end = span
    low = given.rfind("\n", 0, start) + 1
    high = given.find("\n", start)
    line = given[low : high if high >= 0 else len(given)]
    cut = max(0, start - low - _WIDEST // 2)
    shown = line[cut : cut + _WIDEST].replace("\t", " ")
    at = start - low - cut
    return f"\n\n    {shown}\n    {' ' * at}{'^' * max(1, min(end - start, len(shown) - at))}"


def _only(given: str, pattern: str) -> Span | None:
    found = [match.span() for match in re.finditer(pattern, given, re.IGNORECASE)]
    return found[0] if len(found) == 1 else None
