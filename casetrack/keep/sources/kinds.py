"""The kinds of sources and their keys: what a configuration may say, and what it means unsaid."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from casetrack.base.arguments import meant
from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        ``path`` is a text that is relative to the configuration's folder; ``texts`` is a list;
        a ``number`` is whole and above 0, a ``count`` whole and from 0, a ``share`` from 0 to 1.
    default
        What it is unsaid; ``None`` where :attr:`help` says what happens then.
    required
        Whether it has to be there.
    help
        One line.
    """

    name: str
    type: KeyType
    default: str | bool | float | tuple[str, ...] | None
    required: bool
    help: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of sources.

    Attributes
    ----------
    name
        As in ``[connectors.NAME.…]``.
    summary
        One line.
    keys
        In the order in which they are told.
    free_keys
        Whether further keys may stand there, for what the source runs.
    """

    name: str
    summary: str
    keys: tuple[Key, ...]
    free_keys: bool = False


_INCLUDE = Key(
    "include_globs",
    "texts",
    (),
    False,
    "Files to take, as in .gitignore, with {a,b}; without it every kind that can be read but "
    "pictures. Keys, .env, node_modules and the like are taken only where a glob names them.",
)
_EXCLUDE = Key("exclude_globs", "texts", (), False, "Files to leave out, as in .gitignore.")
_LARGEST = Key(
    "max_extract_bytes", "number", 50_000_000, False, "Larger files are left out, and named."
)

_FILESYSTEM = Kind(
    "filesystem",
    "A folder on this machine.",
    (
        Key("root", "path", None, True, "The folder."),
        _INCLUDE,
        _EXCLUDE,
        Key(
            "follow_symlinks",
            "flag",
            False,
            False,
            "Whether links are followed, where they lead to something inside the folder.",
        ),
        Key(
            "gitignore",
            "flag",
            True,
            False,
            "Whether .gitignore files count, those above the folder in its repository as well; "
            ".casetrackignore files always do.",
        ),
        _LARGEST,
    ),
)
_GIT = Kind(
    "git",
    "A branch of a Git repository, read with your own git and its credentials.",
    (
        Key(
            "url",
            "text",
            None,
            True,
            "https, ssh, git or file address, git@host:owner/name, or a folder.",
        ),
        Key("branch", "text", None, False, "Branch or tag; without it the repository's default."),
        Key("root", "text", ".", False, "Folder of the repository to read; globs start there."),
        _INCLUDE,
        _EXCLUDE,
        Key(
            "host",
            "text",
            None,
            False,
            "github, gitlab, bitbucket, gitea, azure or sourcehut: the style of links where the "
            "address does not tell it.",
        ),
        Key(
            "shallow",
            "flag",
            True,
            False,
            "Has no effect: only files that are read are ever fetched, and the history without "
            "files, which dates and links need.",
        ),
        Key(
            "cache_dir",
            "path",
            None,
            False,
            "Folder of the bare clone; without it a folder in the cache.",
        ),
        _LARGEST,
    ),
)
_S3 = Kind(
    "s3",
    "A bucket of Amazon S3 or of any service that speaks its language.",
    (
        Key("bucket", "text", None, True, "Name of the bucket."),
        Key("prefix", "text", "", False, "Only objects whose keys begin with this."),
        Key("region", "text", "us-east-1", False, "Region of the bucket."),
        _INCLUDE,
        _EXCLUDE,
        Key(
            "endpoint_url",
            "text",
            None,
            False,
            "Address of a service that is not Amazon's: http://localhost:9000.",
        ),
        Key(
            "anonymous",
            "flag",
            False,
            False,
            "Whether the bucket is public and asked without credentials.",
        ),
        _LARGEST,
    ),
)
_SCRIPT = Kind(
    "script",
    "A program of your own that prints one item as JSON on each line.",
    (
        Key("path", "path", None, True, "The program; a .py file runs in this Python."),
        Key("timeout", "number", 300, False, "Seconds until it is stopped."),
        Key("max_items", "number", 100_000, False, "More items than this are an error."),
        _LARGEST,
    ),
    free_keys=True,
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (_FILESYSTEM, _GIT, _S3, _SCRIPT)}
"""All kinds by name."""


def kind_of(name: str, /) -> Kind:
    """Return a kind of sources.

    Raises
    ------
    UsageError
        There is no such kind.
    """
    found = KINDS.get(name)
    if found is None:
        raise UsageError(
            f"There is no kind of source {name!r}{meant(name, KINDS)}.",
            hint=f"Use one of: {', '.join(KINDS)}.",
        )
    return found


def check_name(name: str, /, *, kind: str) -> None:
    """Refuse a name that could not stand in the path of a document.

    Raises
    ------
    UsageError
        It could not.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a {kind} source.",
            hint="Use letters, digits, '.', '_' and '-', and begin with a letter or a digit.",
        )


def read_settings(
    kind: Kind, settings: Mapping[str, object], /, *, where: str, base: Path
) -> tuple[dict[str, Any], dict[str, object]]:
    """Return all keys of a kind with their values, and the free ones.

    Parameters
    ----------
    settings
        A source's table as a configuration has it.
    where
        The source, for errors: ``git:platform``.
    base
        Folder that paths are relative to.

    Raises
    ------
    UsageError
        A key is not known, is missing, or has a value of another type.
    """
    known = {key.name: key for key in kind.keys}
    free = {name: value for name, value in settings.items() if name not in known}
    if free and not kind.free_keys:
        name = next(iter(free))
        raise UsageError(
            f"{where} has an unknown key {name!r}{meant(name, known)}.",
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
