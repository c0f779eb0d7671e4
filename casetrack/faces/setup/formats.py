"""The formats of clients' settings."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

import tomlkit
import yaml

from casetrack.faces.setup import json_entry
from casetrack.faces.setup.jsonc import (
    Document,
    Format,
    TextInvalid,
    WrongShape,
    found_words,
    nested,
    newline_of,
)

# Changing one entry of a YAML text, and not one other byte.

_INDENT = "  "
_Node = Any
"""A node of PyYAML, whose classes have no common type with a layout."""


class YamlText:
    """The format of Goose and Continue.

    Parameters
    ----------
    listed
        Whether the servers are items of a list, each with its ``name``, instead of keys.
    begins
        First lines of a new file.
    """

    name = "YAML"

    def __init__(self, *, listed: bool = False, begins: str = "") -> None:
        self._listed = listed
        self.begins = begins

    def put(self, text: str, path: Sequence[str], value: Any, /) -> str:
        """Return *text* with *value* at *path*; missing levels are added."""
        root = _composed(text)
        if root is None:
            return (
                text
                + self.begins.replace("\n", newline_of(text))
                + self._rendered(text, path, value)
            )
        container = _member(_mapping(root, ()), path[0])
        if container is None:
            return _inserted(text, root, self._lines(path, value))
        key, holder = container
        entry = self._entry(holder, path)
        if len(path) > 2:
            return self._put_key(text, path, value, entry)
        if entry is not None:
            return self._replaced(text, holder, entry, path, value)
        if _is_nothing(holder):
            lines = self._lines(path, value)[1:]
            return _with_lines(text, key.end_mark.index, lines, key.start_mark.column)
        return _inserted(text, holder, self._entry_lines(path, value))

    def drop(self, text: str, path: Sequence[str], /) -> str:
        """Return *text* without the value at *path*."""
        while True:
            root = _composed(text)
            container = None if root is None else _member(_mapping(root, ()), path[0])
            if container is None:
                return text
            key, holder = container
            if len(path) == 1:
                return _without(text, root, key, holder)
            entry = self._entry(holder, path)
            if entry is None:
                return text
            if len(path) == 2:
                text = _without(text, holder, *entry)
                continue
            member = _member(entry[1], path[2])
            if member is None:
                return text
            text = _without(text, entry[1], *member)

    def value_at(self, text: str, path: Sequence[str], /) -> Any:
        """Return the value at *path*; that of a server in a list is the item with its name."""
        _composed(text)
        value = yaml.safe_load(text)
        for depth, key in enumerate(path):
            if value is None:
                return None
            if depth == 1 and self._listed:
                if not isinstance(value, list):
                    raise WrongShape(path[:depth], found_words(value), "a list")
                named = [v for v in value if isinstance(v, dict) and v.get("name") == key]
                value = named[-1] if named else None
                continue
            if not isinstance(value, dict):
                raise WrongShape(path[:depth], found_words(value))
            value = value.get(key)
        return value

    def is_extended(self, _: str, /) -> bool:
        """Return ``False``: comments belong to YAML."""
        return False

    def shown(self, path: Sequence[str], value: Any, /) -> str:
        """Return a text that holds nothing but *value* at *path*."""
        return self._rendered("", path, value)

    def _entry(self, holder: _Node, path: Sequence[str]) -> tuple[_Node, _Node] | None:
        """Return the start of the server's entry and its node; the last one is effective."""
        if _is_nothing(holder):
            return None
        if not self._listed:
            return _member(_mapping(holder, path[:1]), path[1])
        if not isinstance(holder, yaml.SequenceNode):
            raise WrongShape(path[:1], _words_of(holder), "a list")
        for item in reversed(holder.value):
            if isinstance(item, yaml.MappingNode):
                named = _member(item, "name")
                if named is not None and named[1].value == path[1]:
                    return item, item
        return None

    def _put_key(
        self, text: str, path: Sequence[str], value: Any, entry: tuple[_Node, _Node] | None
    ) -> str:
        if entry is None:
            raise WrongShape(path[:2], "nothing")
        member = _member(_mapping(entry[1], path[:2]), path[2])
        if member is None:
            return _inserted(text, entry[1], _blocks({path[2]: value}))
        colon = text.index(":", member[0].end_mark.index)
        return text[: colon + 1] + " " + _flow(value) + text[_end(text, member[1]) :]

    def _replaced(
        self, text: str, holder: _Node, entry: tuple[_Node, _Node], path: Sequence[str], value: Any
    ) -> str:
        key, node = entry
        if holder.flow_style:
            return text[: node.start_mark.index] + _flow(value) + text[_end(text, node) :]
        start = _line_start(text, key.start_mark.index)
        column = holder.start_mark.column
        block = newline_of(text).join(" " * column + x for x in self._entry_lines(path, value))
        return text[:start] + block + text[_end(text, node) :]

    def _entry_lines(self, path: Sequence[str], value: Any) -> list[str]:
        return _blocks([value]) if self._listed else _blocks({path[1]: value})

    def _lines(self, path: Sequence[str], value: Any) -> list[str]:
        return [f"{_word(path[0])}:", *(_INDENT + x for x in self._entry_lines(path, value))]

    def _rendered(self, text: str, path: Sequence[str], value: Any) -> str:
        newline = newline_of(text)
        return "".join(x + newline for x in self._lines(path, value))


def _composed(text: str) -> _Node | None:
    """Return the tree of *text* with its offsets; ``None`` if it is empty."""
    try:
        node: _Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
        yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = error.problem or error.context or "it is not YAML"
        raise TextInvalid(text, mark.index if mark else 0, reason) from error
    except yaml.reader.ReaderError as error:
        position = error.position if isinstance(error.position, int) else 0
        raise TextInvalid(text, position, error.reason) from error
    except ValueError as error:  # a date that is none, as 2024-13-45
        raise TextInvalid(text, 0, str(error)) from error
    return None if node is None or _is_nothing(node) else node


def _is_nothing(node: _Node) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")


def _mapping(node: _Node, path: Sequence[str]) -> _Node:
    if not isinstance(node, yaml.MappingNode):
        raise WrongShape(path, _words_of(node))
    return node


def _words_of(node: _Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return found_words(node.value)
    return found_words([] if isinstance(node, yaml.SequenceNode) else {})


def _member(node: _Node, key: str) -> tuple[_Node, _Node] | None:
    """Return the last member with this key, which is the effective one."""
    member = None
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode) and name.value == key:
                member = name, value
    return member


def _end(text: str, node: _Node) -> int:
    """Return the end of a node's text, without blank lines and comments after it."""
    end = int(node.end_mark.index)
    if isinstance(node, yaml.ScalarNode):
        return len(text[:end].rstrip()) if node.style in {"|", ">"} else end
    if node.flow_style or not node.value:
        return end
    last = node.value[-1]
    if isinstance(node, yaml.MappingNode):
        return _member_end(text, *last)
    return _end(text, last)


def _member_end(text: str, key: _Node, value: _Node) -> int:
    """Return the end of a member; without a value, the position after its colon."""
    return max(_end(text, value), int(key.end_mark.index) + 1)


def _line_start(text: str, position: int) -> int:
    return max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1


def _line_end(text: str, position: int) -> int:
    """Return the end of the line of *position*, before its newline."""
    ends = [e for e in (text.find("\r", position), text.find("\n", position)) if e >= 0]
    return min(ends, default=len(text))


def _inserted(text: str, holder: _Node, lines: list[str]) -> str:
    """Return *text* with *lines* (written for column 0) as the last item of a collection."""
    if holder.flow_style:
        inside = yaml.safe_load("\n".join(lines))
        close = int(holder.end_mark.index) - 1
        shown = _flow(inside)[1:-1]
        kept = len(text[:close].rstrip())
        comma = "" if not holder.value or text[kept - 1] == "," else ", "
        return text[:kept] + comma + shown + text[kept:]
    return _with_lines(text, _end(text, holder), lines, holder.start_mark.column)


def _with_lines(text: str, position: int, lines: list[str], column: int) -> str:
    """Return *text* with *lines* after the line of *position*, starting at *column*."""
    newline, place = newline_of(text), _line_end(text, position)
    block = newline.join(" " * column + line for line in lines)
    tail = newline if place == len(text) else ""
    return text[:place] + newline + block + tail + text[place:]


def _without(text: str, holder: _Node, key: _Node, value: _Node) -> str:
    """Return *text* without the lines or the part of a line of a member."""
    if holder.flow_style:
        start, end = int(key.start_mark.index), _end(text, value)
        rest = text[end:]
        if rest.lstrip().startswith(","):
            end = len(text) - len(rest.lstrip()[1:].lstrip(" "))
        else:
            start = len(text[:start].rstrip().removesuffix(",").rstrip(" "))
        return text[:start] + text[end:]
    start = _line_start(text, key.start_mark.index)
    end = _line_end(text, _end(text, value) if value is key else _member_end(text, key, value))
    if text.startswith("\r\n", end):
        end += 2
    elif end < len(text):
        end += 1
    return text[:start] + text[end:]


def _flow(value: Any) -> str:
    """Return *value* on one line, as JSON, which is valid YAML."""
    return json.dumps(value, ensure_ascii=False)


def _blocks(value: Any) -> list[str]:
    """Return *value* as lines that start in column 0."""
    shown: str = yaml.safe_dump(
        value, sort_keys=False, allow_unicode=True, width=10**6, default_flow_style=False
    )
    return shown.splitlines()


def _word(key: str) -> str:
    return _blocks({key: 0})[0].removesuffix(": 0")


# Changing one entry of a TOML text, and not one other byte.

_WANTED = "a table"


class TomlText:
    """The format of Codex: a table for each server."""

    name = "TOML"
    begins = ""

    def put(self, text: str, path: Sequence[str], value: Any, /) -> str:
        """Return *text* with *value* at *path*; missing tables are added."""
        self.value_at(text, path)
        document = tomlkit.parse(text)
        holder: Any = document
        for key in path[:-1]:
            holder = holder.setdefault(key, tomlkit.table(is_super_table=True))
        holder[path[-1]] = value
        changed = tomlkit.dumps(document)
        is_unix = newline_of(text) == "\n"
        return changed if is_unix else changed.replace("\r\n", "\n").replace("\n", "\r\n")

    def drop(self, text: str, path: Sequence[str], /) -> str:
        """Return *text* without the value at *path*."""
        if self.value_at(text, path) is None:
            return text
        document = tomlkit.parse(text)
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        del holder[path[-1]]
        return tomlkit.dumps(document)

    def value_at(self, text: str, path: Sequence[str], /) -> Any:
        """Return the value at *path*."""
        value = _read(text)
        for depth, key in enumerate(path):
            if not isinstance(value, dict):
                raise WrongShape(path[:depth], found_words(value), _WANTED)
            if key not in value:
                return None
            value = value[key]
        return value

    def is_extended(self, _: str, /) -> bool:
        """Return ``False``, because TOML has no extended form."""
        return False

    def shown(self, path: Sequence[str], value: Any, /) -> str:
        """Return a text that holds nothing but *value* at *path*."""
        return tomlkit.dumps(nested(path, value))


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, _ = str(error).partition(" (at ")
        raise TextInvalid(text, _position(text, error), reason) from error


def _position(text: str, error: tomllib.TOMLDecodeError) -> int:
    """Return the position of the error, which Python before 3.14 has only in the message."""
    place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    if place is None:  # "at end of document"
        return len(text)
    line, column = int(place[1]), int(place[2])
    return sum(len(row) for row in text.splitlines(keepends=True)[: line - 1]) + column - 1


class JsonText:
    """JSON, with comments and trailing commas."""

    name = "JSON"
    begins = ""

    put = staticmethod(json_entry.put)
    drop = staticmethod(json_entry.drop)
    value_at = staticmethod(json_entry.value_at)

    def is_extended(self, text: str, /) -> bool:
        """Return whether the text has comments or trailing commas."""
        return Document(text).strict != text

    def shown(self, path: Sequence[str], value: Any, /) -> str:
        """Return a text that holds nothing but *value* at *path*."""
        return json.dumps(nested(path, value), indent=2, ensure_ascii=False) + "\n"


JSON: Format = JsonText()
TOML: Format = TomlText()
YAML: Format = YamlText()
CONTINUE: Format = YamlText(listed=True, begins="name: My settings\nversion: 1.0.0\nschema: v1\n")
"""YAML with a list of servers, and the three keys that Continue requires."""
