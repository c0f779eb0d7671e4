"""The formats of clients' settings."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from casetrack.faces.setup import json_entry
from casetrack.faces.setup.jsonc import scan
from casetrack.faces.setup.texts import TextInvalid, WrongShape, found_words, nested, newline_of
from casetrack.faces.setup.yaml_entry import YamlText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.faces.setup.texts import Format

# Changing one entry of a TOML text, and not one other byte.

_WANTED = "a table"


class TomlText:
    """The format of Codex: a table for each server."""

    name = "TOML"
    begins = ""

    def put(self, text: str, path: Sequence[str], value: Any, /) -> str:
        """Return *text* with *value* at *path*; tables on the way are made."""
        wanted = _with(_read(text), path, value)
        if isinstance(value, dict) and self.value_at(text, path) is None:
            after = _appended(text, path, value)
            if _is(after, wanted):
                return after
        return _edited(text, path, value)

    def drop(self, text: str, path: Sequence[str], /) -> str:
        """Return *text* without what stands at *path*."""
        if self.value_at(text, path) is None:
            return text
        import tomlkit

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
        """Return ``False``: there is one TOML."""
        return False

    def shown(self, path: Sequence[str], value: Any, /) -> str:
        """Return a text that holds nothing but *value* at *path*."""
        return _appended("", path, value)


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, _ = str(error).partition(" (at ")
        raise TextInvalid(text, _position(text, error), reason) from error


def _position(text: str, error: tomllib.TOMLDecodeError) -> int:
    """Return where *text* goes wrong; Python tells it in words only, before version 3.14."""
    import re

    place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    if place is None:  # "at end of document"
        return len(text)
    line, column = int(place[1]), int(place[2])
    return sum(len(row) for row in text.splitlines(keepends=True)[: line - 1]) + column - 1


def _is(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _with(whole: dict[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """Set *value* in *whole*, which is changed."""
    holder = whole
    for depth, key in enumerate(path[:-1], start=1):
        holder = holder.setdefault(key, {})
        if not isinstance(holder, dict):
            raise WrongShape(path[:depth], found_words(holder), _WANTED)
    holder[path[-1]] = value
    return whole


def _appended(text: str, path: Sequence[str], value: Any) -> str:
    """Return *text* with a table of its own behind it."""
    import tomlkit

    newline = newline_of(text)
    table = tomlkit.dumps(nested(path, value)).replace("\n", newline)
    if not text.strip():
        return text + table
    ended = text if text.endswith("\n") else text + newline
    return ended + newline + table


def _edited(text: str, path: Sequence[str], value: Any) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    holder: Any = document
    for key in path[:-1]:
        if key not in holder:
            holder[key] = tomlkit.table(is_super_table=True)
        holder = holder[key]
    holder[path[-1]] = value
    return tomlkit.dumps(document)


class JsonText:
    """JSON, with comments and trailing commas."""

    name = "JSON"
    begins = ""

    def put(self, text: str, path: Sequence[str], value: Any, /) -> str:
        """Return *text* with *value* at *path*; objects on the way are made."""
        return json_entry.put(text, path, value)

    def drop(self, text: str, path: Sequence[str], /) -> str:
        """Return *text* without what stands at *path*."""
        return json_entry.drop(text, path)

    def value_at(self, text: str, path: Sequence[str], /) -> Any:
        """Return the value at *path*."""
        return json_entry.value_at(text, path)

    def is_extended(self, text: str, /) -> bool:
        """Return whether the text has comments or trailing commas."""
        return scan(text).extended

    def shown(self, path: Sequence[str], value: Any, /) -> str:
        """Return a text that holds nothing but *value* at *path*."""
        import json

        return json.dumps(nested(path, value), indent=2, ensure_ascii=False) + "\n"


JSON: Format = JsonText()
TOML: Format = TomlText()
YAML: Format = YamlText()
CONTINUE: Format = YamlText(listed=True, begins="name: My settings\nversion: 1.0.0\nschema: v1\n")
"""YAML with a list of servers, and the three keys that Continue asks of every file."""
