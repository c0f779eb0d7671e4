"""JSON with comments, parsed with the offsets of every value.

Users write settings of clients by hand, with ``//`` and ``/* */`` comments and with trailing
commas. Changing one entry and no other byte requires the offsets of each value. The grammar is RFC
8259 with comments and trailing commas, as in editors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, Protocol

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
        ...

    def drop(self, text: str, path: Sequence[str], /) -> str:
        """Return *text* without the value at *path*, if any."""
        ...

    def value_at(self, text: str, path: Sequence[str], /) -> Any:
        """Return the value at *path* (the root if empty); ``None`` if there is none."""
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
    """Return the description of a value's type, for :class:`WrongShape`."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object in braces"
    shown = value if isinstance(value, str) else json.dumps(value, default=str)
    return shown if len(shown) <= 30 else shown[:30] + "\u2026"


_SPACE = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?s:.*?)\*/)*")
_COMMENT = re.compile(r"//[^\r\n]*+|/\*(?s:.*?)\*/")
_COMMENT_NEXT = re.compile(r"[ \t]*+(?://[^\r\n]*+|/\*(?s:.*?)\*/)")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null")
_WORD = re.compile(r"\w+")
_DETAILED_LEVELS = 3
"""Levels with offsets of every value: servers, each server, its keys."""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_STRICT = json.JSONDecoder(parse_constant=_no_constant)  # Python alone takes NaN for JSON


@dataclass(slots=True)
class Node:
    """A value with its offsets.

    Attributes
    ----------
    kind
        An object, an array, or a single value.
    start, end
        Offsets of the value's first character, and after its last.
    members
        Members of an object in the order of the text, including duplicates.
    items
        Items of an array.
    closed
        Whether it is skipped strict JSON without offsets of its content: below the third level,
        because clients store megabytes of history in these files.
    """

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int = -1
    members: list[Member] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    closed: bool = False

    def get(self, key: str, /) -> Member | None:
        """Return the effective member *key*, which is the last of duplicates."""
        return next((m for m in reversed(self.members) if m.key == key), None)


@dataclass(slots=True)
class Member:
    """A key of an object with its value.

    Attributes
    ----------
    key_start
        Offset of the key's opening quote.
    comma
        Offset of the comma after the value; ``None`` if there is none.
    """

    key: str
    key_start: int
    value: Node
    comma: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed text.

    Attributes
    ----------
    root
        Its value; ``None`` if the text has only spaces and comments.
    extended
        Whether it has comments or trailing commas, which strict JSON does not allow.
    """

    text: str
    root: Node | None
    extended: bool


def scan(text: str, /) -> Document:
    """Parse *text* (without a byte order mark).

    Raises
    ------
    TextInvalid
        It is not JSON, even with comments and trailing commas.
    """
    return _Scanner(text).document()


def plain(text: str, node: Node, /) -> Any:
    """Return the Python value of *node*; of double keys the last one counts."""
    try:
        return json.loads(text[node.start : node.end])
    except (ValueError, RecursionError):  # it has comments, or is nested very deeply
        pass
    done: dict[int, Any] = {}
    pending = [node]
    while pending:  # a loop, not recursion: nesting may be deeper than the stack of Python
        now = pending[-1]
        inner = [m.value for m in now.members] or now.items
        missing = [n for n in inner if id(n) not in done]
        if missing:
            pending += missing
            continue
        pending.pop()
        if now.closed or now.kind == "scalar":
            done[id(now)] = json.loads(text[now.start : now.end])
        elif now.kind == "array":
            done[id(now)] = [done[id(n)] for n in now.items]
        else:
            done[id(now)] = {m.key: done[id(m.value)] for m in now.members}
    return done[id(node)]


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


class _Scanner:
    """Reads one text from left to right, with a stack of the open braces and brackets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.extended = False
        self.hasty = True

    def document(self) -> Document:
        self._space()
        if self.position == len(self.text):
            return Document(self.text, None, self.extended)
        root = self._value(0)
        open_nodes = [root] if root.kind != "scalar" else []
        while open_nodes:
            child = self._next(open_nodes)
            if child is not None and child.end < 0:
                open_nodes.append(child)
        self._space()
        if self.position < len(self.text):
            raise self._wrong("there is text after the end")
        return Document(self.text, root, self.extended)

    def _next(self, open_nodes: list[Node]) -> Node | None:
        """Read to the next value in the innermost open node, or to its end."""
        node = open_nodes[-1]
        closing = "}" if node.kind == "object" else "]"
        self._space()
        filled = bool(node.members or node.items)
        comma = self.position - 1 if filled and self._take(",") else None
        if comma is not None:
            if node.members:
                node.members[-1].comma = comma
            self._space()
        if self._take(closing):
            self.extended |= comma is not None
            node.end = self.position
            open_nodes.pop()
            return None
        if filled and comma is None:
            raise self._wrong(f"expected a comma or {closing!r}")
        if node.kind == "array":
            node.items.append(self._value(len(open_nodes)))
            return node.items[-1]
        return self._member(node, len(open_nodes))

    def _member(self, node: Node, level: int) -> Node:
        start = self.position
        if not self.text.startswith('"', start):
            raise self._wrong("expected a name in double quotes")
        key = json.loads(self._string())
        self._space()
        if not self._take(":"):
            raise self._wrong("expected a colon")
        self._space()
        node.members.append(Member(key, start, self._value(level)))
        return node.members[-1].value

    def _value(self, level: int) -> Node:
        start = self.position
        if self.text.startswith(("{", "["), start):
            kind: Literal["object", "array"] = "object" if self.text[start] == "{" else "array"
            hasty = self.hasty and level >= _DETAILED_LEVELS
            end = self._end_of_strict() if hasty else None
            self.position = start + 1 if end is None else end
            return Node(kind, start) if end is None else Node(kind, start, end, closed=True)
        if self.text.startswith('"', start):
            self._string()
            return Node("scalar", start, self.position)
        match = _SCALAR.match(self.text, start)
        if match is None or _WORD.match(self.text, match.end()):
            raise self._wrong("expected a value")
        self.position = match.end()
        return Node("scalar", start, self.position)

    def _end_of_strict(self) -> int | None:
        """Return the end of the value if it is strict JSON; other text is read step by step."""
        try:
            return _STRICT.raw_decode(self.text, self.position)[1]
        except RecursionError:
            self.hasty = False  # Text that is nested too deeply is not parsed again at each level.
            return None
        except ValueError:
            return None

    def _string(self) -> str:
        match = _STRING.match(self.text, self.position)
        if match is None:
            raise self._wrong(
                "this string has no end, or contains a character that must be escaped"
            )
        self.position = match.end()
        return match.group()

    def _take(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.position):
            return False
        self.position += 1
        return True

    def _space(self) -> None:
        match = _SPACE.match(self.text, self.position)
        if match is not None and match.end() > self.position:
            self.extended = self.extended or "/" in match.group()
            self.position = match.end()
        if self.text.startswith("/*", self.position):
            raise self._wrong("this comment has no end")

    def _wrong(self, reason: str) -> TextInvalid:
        if self.position >= len(self.text):
            reason += ", but the file ends here"
        return TextInvalid(self.text, self.position, reason)
