"""What the texts of clients' settings have in common, whatever their format.

An entry stands at a path of keys (the key of the servers, the server's name, a key of it). Each
format says how a value is put there and taken out without touching any other character.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class TextInvalid(ValueError):
    """The text is not of its format.

    Parameters
    ----------
    text
        The text that was read.
    position
        Offset of the first character that does not fit.
    reason
        What is wrong there, without a full stop.
    """

    def __init__(self, text: str, position: int, reason: str) -> None:
        before = text[:position].replace("\r\n", "\n").replace("\r", "\n")
        self.line = before.count("\n") + 1
        self.column = len(before) - before.rfind("\n")
        self.reason = reason
        super().__init__(f"line {self.line}, column {self.column}: {reason}")


class WrongShape(ValueError):
    """A value on the way to the entry is not what holds entries.

    Parameters
    ----------
    path
        Keys from the root to that value; empty for the root itself.
    found
        What it is instead, in words.
    wanted
        What it should be, in words.
    """

    def __init__(
        self, path: Sequence[str], found: str, wanted: str = "an object in braces"
    ) -> None:
        self.path = tuple(path)
        self.found = found
        self.wanted = wanted
        super().__init__(f"{'/'.join(path)} is {found}")


class Format(Protocol):
    """How one entry of a text is changed, and not one other character.

    All raise :class:`TextInvalid` where the text is not of the format, and :class:`WrongShape`
    where something on the way to the entry is there and holds no entries.
    """

    name: str
    begins: str
    """What a text that is made anew needs before everything else."""

    def put(self, text: str, path: Sequence[str], value: Any, /) -> str:
        """Return *text* with *value* at *path*; what is missing on the way is made.

        The text may be empty.
        """
        ...

    def drop(self, text: str, path: Sequence[str], /) -> str:
        """Return *text* without what stands at *path*; what is not there is not missed."""
        ...

    def value_at(self, text: str, path: Sequence[str], /) -> Any:
        """Return the value at *path*, the whole for an empty one; ``None`` where nothing is."""
        ...

    def is_extended(self, text: str, /) -> bool:
        """Return whether strict readers of the format may refuse the text."""
        ...

    def shown(self, path: Sequence[str], value: Any, /) -> str:
        """Return a text that holds nothing but *value* at *path*, for people to copy."""
        ...


def nested(path: Sequence[str], value: Any, /) -> Any:
    """Return *value* inside objects with the keys of *path*."""
    for key in reversed(path):
        value = {key: value}
    return value


def newline_of(text: str, /) -> str:
    """Return how the lines of *text* end: the first does as all do."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def found_words(value: Any, /) -> str:
    """Return what a value is, for :class:`WrongShape`."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object in braces"
    shown = value if isinstance(value, str) else json.dumps(value, default=str)
    return shown if len(shown) <= 30 else shown[:30] + "\u2026"
