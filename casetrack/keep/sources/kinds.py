"""The kinds of sources and their configuration keys."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from casetrack.base.arguments import suggest
from casetrack.base.errors import UsageError

Value = str | bool | float | tuple[str, ...]
KeyType = Literal["text", "path", "texts", "flag", "number", "count", "share"]
_NAME = re.compile(r"\w[\w.-]*")
_WANTED = {
    "text": "a text in quotes",
    "path": "a path in quotes",
    "texts": "a list of texts, such as ['**/*.md']",
    "flag": "true or false",
    "number": "a whole number above 0",
    "count": "a whole number from 0",
    "share": "a number from 0 to 1",
}

_LEAST: Mapping[KeyType, int] = {"number": 1, "count": 0}


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a source's table in a configuration.

    Attributes
    ----------
    type
        ``path`` is relative to the configuration's folder; ``texts`` is a list; a ``number`` is an
        integer above 0, a ``count`` an integer from 0, a ``share`` a number from 0 to 1.
    example, chosen
        The value in a new configuration: as a comment, and as a setting.
    """

    name: str
    type: KeyType
    help: str
    default: Value | None = None
    required: bool = False
    only: tuple[str, ...] = ()
    example: Value | None = None
    chosen: Value | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of sources; *called* is the name of its source in a new configuration."""

    name: str
    summary: str
    keys: tuple[Key, ...]
    free_keys: bool = False
    called: str = "name"


def kinds_in(path: Path, /) -> dict[str, Kind]:
    """Return the kinds that a TOML file declares, by name."""
    with path.open("rb") as file:
        tables = tomllib.load(file)
    shared = tables.pop("shared", {})
    return {name: _kind(name, table, shared) for name, table in tables.items()}


def _kind(name: str, table: dict[str, Any], shared: Mapping[str, dict[str, Any]]) -> Kind:
    merged = {key: shared.get(key, {}) | own for key, own in table.pop("keys").items()}
    return Kind(name, keys=tuple(_key(key, own) for key, own in merged.items()), **table)


def _key(name: str, fields: dict[str, Any]) -> Key:
    lists = {field: tuple(value) for field, value in fields.items() if isinstance(value, list)}
    return Key(name, **fields | lists)


KINDS: Mapping[str, Kind] = kinds_in(Path(__file__).with_name("kinds.toml"))
"""All kinds by name."""


def kind_of(name: str, /) -> Kind:
    """Return a kind of sources."""
    kind = KINDS.get(name)
    if kind is None:
        raise UsageError(
            f"Unknown kind of source {name!r}{suggest(name, KINDS)}.",
            hint=f"Use one of: {', '.join(KINDS)}.",
        )
    return kind


def check_name(name: str, /, *, kind: str) -> None:
    """Refuse a name that is invalid in the path of a document."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a {kind} source.",
            hint="Use letters, digits, '.', '_' and '-', starting with a letter or a digit.",
        )


def read_settings(
    kind: Kind, settings: Mapping[str, object], /, *, where: str, base: Path
) -> tuple[dict[str, Any], dict[str, object]]:
    """Return all keys of a kind with their values, and the free ones.

    *where* is the source, for errors: ``git:platform``. *base* is the base folder of relative
    paths.
    """
    known = {key.name: key for key in kind.keys}
    free = {name: value for name, value in settings.items() if name not in known}
    if free and not kind.free_keys:
        name = next(iter(free))
        raise UsageError(
            f"{where} has an unknown key {name!r}{suggest(name, known)}.",
            hint=f"Keys of {kind.name} sources: {', '.join(known)}.",
        )
    values = {
        key.name: _value(key, settings.get(key.name), where=where, base=base) for key in kind.keys
    }
    return values, free


def _value(key: Key, given: object, /, *, where: str, base: Path) -> object:
    if given is None:
        if key.required:
            raise UsageError(f"{where} has no {key.name!r}.", hint=f"{key.name}: {key.help}")
        given = key.default
        if given is None:
            return None
    if key.type == "texts" and isinstance(given, list | tuple):
        if all(isinstance(part, str) for part in given):
            return tuple(given)
    elif key.type == "flag" and isinstance(given, bool):
        return given
    elif key.type in _LEAST and isinstance(given, int) and not isinstance(given, bool):
        if given >= _LEAST[key.type]:
            return given
    elif key.type == "share" and isinstance(given, int | float) and not isinstance(given, bool):
        if 0 <= given <= 1:
            return float(given)
    elif key.type == "text" and isinstance(given, str) and (given.strip() or given == key.default):
        return given
    elif key.type == "path" and isinstance(given, str) and given.strip():
        return base / Path(given).expanduser()
    raise UsageError(
        f"{key.name!r} of {where} is not {_WANTED[key.type]}.", hint=f"{key.name}: {key.help}"
    )
