"""JSON with comments, parsed with the offsets of every value.

Users write settings of clients by hand, with ``//`` and ``/* */`` comments and with trailing
commas. Changing one entry and no other byte requires the offsets of each value. The grammar is RFC
8259 with comments and trailing commas, as in editors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

# The common interface of settings in all formats. An entry is at a path of keys (the key of the
# servers, the server's name, a key of it). Each format adds and removes a value without changing
# any other character.


class TextInvalid(ValueError):
    """The text is not in its format.

    *position* is the offset of the first invalid character, *reason* the error without a full stop.
    """

    def __init__(self, text: str, position: int, reason: str) -> None:
        before = text[:position].replace("\r\n", "\n").replace("\r", "\n")
        self.line = before.count("\n") + 1
        self.column = len(before) - before.rfind("\n")
        self.reason = reason
        super().__init__(f"line {self.line}, column {self.column}: {reason}")


class WrongShape(ValueError):
    """A value on the way to the entry has the wrong type.

    *path* are the keys from the root to it (empty for the root), *found* and *wanted* describe its
    type and the required one.
    """

    def __init__(
        self, path: Sequence[str], found: str, wanted: str = "an object in braces"
    ) -> None:
        self.path = tuple(path)
        self.found = found
        self.wanted = wanted
        super().__init__(f"{'/'.join(path)} is {found}")


class Format(Protocol):
    """A format in which one entry can be changed without changing any other character.

    All methods raise :class:`TextInvalid` for a text in another format, and :class:`WrongShape` if
    a value on the way to the entry cannot contain entries.
    """

    name: str
    begins: str
    """First lines of a new file."""

    def put(self, text: str, path: Sequence[str], value: Any, /) -> str:
        """Return *text*, which may be empty, with *value* at *path*; missing levels are added."""

    def drop(self, text: str, path: Sequence[str], /) -> str:
        """Return *text* without the value at *path*, if any."""

    def value_at(self, text: str, path: Sequence[str], /) -> Any:
        """Return the value at *path* (the root if empty); ``None`` if there is none."""

    def is_extended(self, text: str, /) -> bool:
        """Return whether strict readers of the format may refuse the text."""

    def shown(self, path: Sequence[str], value: Any, /) -> str:
        """Return a text that holds nothing but *value* at *path*, for people to copy."""


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
    """Return the description of a value's type, for :class:`WrongShape`."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object in braces"
    shown = value if isinstance(value, str) else json.dumps(value, default=str)
    return shown if len(shown) <= 30 else shown[:30] + "\u2026"


_DECODER = json.JSONDecoder()
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKEN = re.compile(rf"(?s){_STRING}|//[^\r\n]*|/\*.*?\*/|/\*")
_COMMA = re.compile(rf"(?s){_STRING}|,(?=[ \t\r\n]*[}}\]])")
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*(?s:.*?)\*/")
_COMMENT_NEXT = re.compile(r"[ \t]*(?://[^\r\n]*|/\*(?s:.*?)\*/)")


@dataclass(frozen=True, slots=True)
class Member:
    """A key of an object with its value.

    Attributes
    ----------
    key_start
        Offset of the key's opening quote.
    start, end
        Offsets of the value's first character, and after its last.
    comma
        Offset of the comma after the value; ``None`` if there is none.
    """

    key: str
    key_start: int
    start: int
    end: int
    comma: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """An object with its offsets; *members* are in the order of the text, with duplicates."""

    start: int
    end: int
    members: tuple[Member, ...]

    def get(self, key: str, /) -> Member | None:
        """Return the effective member *key*, which is the last of duplicates."""
        return next((m for m in reversed(self.members) if m.key == key), None)


class Document:
    """A parsed text (without a byte order mark).

    Attributes
    ----------
    root
        Offset of its value; ``None`` if the text has only spaces and comments.
    strict
        The text with spaces for comments and trailing commas: JSON with the same offsets.

    Raises
    ------
    TextInvalid
        It is not JSON, even with comments and trailing commas.
    """

    def __init__(self, text: str, /) -> None:
        self.text = text
        self._with_commas = _TOKEN.sub(self._without_comment, text)
        self.strict = _COMMA.sub(self._without_comma, self._with_commas)
        start = self._skip(0)
        self.root = None if start == len(text) else start
        if self.root is not None:
            try:
                json.loads(self.strict, parse_constant=self._refuse)
            except json.JSONDecodeError as error:
                reason = error.msg.replace("Expecting", "expected")
                raise self._invalid(error.pos, reason[0].lower() + reason[1:]) from error
            except RecursionError as error:
                raise self._invalid(0, "it is nested too deeply") from error

    def value(self, start: int = 0, end: int | None = None, /) -> Any:
        """Return the Python value of a part; of double keys the last one counts."""
        return json.loads(self.strict[start:end])

    def object_at(self, start: int, /) -> Node:
        """Return the object that begins at an offset."""
        members, position = list[Member](), self._skip(start + 1)
        while self.strict[position] != "}":
            key, after = _DECODER.raw_decode(self.strict, position)
            value = self._skip(self._skip(after) + 1)
            end = _DECODER.raw_decode(self.strict, value)[1]
            place = self._skip(end, self._with_commas)
            comma = place if self._with_commas[place] == "," else None
            members.append(Member(key, position, value, end, comma))
            position = self._skip(place if comma is None else place + 1)
        return Node(start, position + 1, tuple(members))

    def _skip(self, position: int, text: str = "") -> int:
        match = _SPACE.match(text or self.strict, position)
        return match.end() if match else position

    def _without_comment(self, match: re.Match[str]) -> str:
        if match[0] == "/*":
            raise self._invalid(match.start(), "this comment has no end")
        return match[0] if match[0][0] == '"' else " " * len(match[0])

    def _without_comma(self, match: re.Match[str]) -> str:
        before = self._with_commas[: match.start()].rstrip() if match[0] == "," else "{"
        return match[0] if before.endswith(("{", "[", ",")) else " "

    def _refuse(self, constant: str) -> NoReturn:  # Python alone takes NaN for JSON
        raise self._invalid(self.strict.index(constant), "expected value")

    def _invalid(self, position: int, reason: str) -> TextInvalid:
        if position >= len(self.text):
            reason += ", but the file ends here"
        return TextInvalid(self.text, position, reason)


def comments(text: str, start: int, end: int, /) -> list[tuple[int, int]]:
    """Return the offsets of the comments from *start* to *end*, a range of space and comments."""
    return [match.span() for match in _COMMENT.finditer(text, start, end)]


def behind_comments(text: str, position: int, /) -> int:
    """Return the offset after the comments that begin and end on the line of *position*."""
    while True:
        match = _COMMENT_NEXT.match(text, position)
        if match is None or "\n" in match.group() or "\r" in match.group():
            return position
        position = match.end()
