"""Splitting of SQL texts into statements, and their parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<string> [eE]'(?:[^'\\]|\\.|'')*(?:'|\Z) | '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z) )
  | (?P<dollar> \$(?P<tag>[A-Za-z_]\w*)?\$ .*? (?:\$(?(tag)(?P=tag))\$|\Z) )
  | (?P<comment> --[^\n]* | /\*.*?(?:\*/|\Z) )
  | (?P<parameter> \$\w+ )
  | (?P<end> ; )
  | (?P<word> \w+ )
  | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
LIMITED = "SELECT * FROM (\n"
"""Text before a statement with a limited number of rows."""
_SELECTING = {"select", "with", "from", "values", "table"}


@dataclass(frozen=True, slots=True)
class Split:
    """Non-empty statements that end with a semicolon, and the remaining text."""

    statements: tuple[str, ...]
    rest: str


def split(text: str, /) -> Split:
    """Split a text at the semicolons outside strings, names and comments.

    Examples
    --------
    >>> split("SELECT ';'; SELECT 2")
    Split(statements=("SELECT ';'",), rest=' SELECT 2')
    """
    statements: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "end":
            statement = text[start : token.start()].strip()
            if not is_blank(statement):
                statements.append(statement)
            start = token.end()
    return Split(tuple(statements), text[start:])


def all_of(text: str, /) -> tuple[str, ...]:
    """Return the statements of a text, the last one with or without its semicolon."""
    parts = split(text)
    last = () if is_blank(parts.rest) else (parts.rest.strip(),)
    return (*parts.statements, *last)


def is_blank(text: str, /) -> bool:
    """Return whether a text has only white space and comments."""
    return all(t.lastgroup == "comment" or t.group().isspace() for t in _TOKEN.finditer(text))


def parameters(statement: str, /) -> tuple[str, ...]:
    """Return the names of a statement's parameters in order, without repetition.

    Examples
    --------
    >>> parameters("SELECT $b, '$c', $a, $b")
    ('b', 'a')
    """
    names = (t.group()[1:] for t in _TOKEN.finditer(statement) if t.lastgroup == "parameter")
    return tuple(dict.fromkeys(names))


def first_word(statement: str, /) -> str:
    """Return the first word of a statement in lower case, or ""."""
    words = (t.group() for t in _TOKEN.finditer(statement) if t.lastgroup == "word")
    return next(words, "").lower()


def limited(statement: str, limit: int | None, /) -> str:
    """Return a statement with at most *limit* rows; EXPLAIN and similar ones are not changed."""
    if limit is None or first_word(statement) not in _SELECTING:
        return statement
    own = split(statement)
    inner = own.statements[0] if len(own.statements) == 1 and is_blank(own.rest) else statement
    return f"{LIMITED}{inner}\n) LIMIT {limit}"


def unfinished_string(text: str, /) -> int | None:
    """Return where a single-quoted string begins that *text* does not end, or ``None``."""
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "string" and token.end() == len(text):
            body = token.group()
            if body.startswith("'") and (len(body) == 1 or body.count("'") % 2):
                return token.start()
    return None
