"""Word lists and patterns in TOML files next to the modules that read them.

A list is a string. White space separates words; semicolons separate phrases and entries. An entry
is ``key: value``. White space within phrases equals one blank.
"""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path


class WordLists:
    """The word lists of one TOML file, which is read once, when a list is first needed."""

    def __init__(self, module: str, /) -> None:
        """Use the TOML file with the path of the Python file *module* and the suffix ``.toml``."""
        self._path = Path(module).with_suffix(".toml")

    @functools.cached_property
    def _lists(self) -> dict[str, str]:
        return tomllib.loads(self._path.read_text(encoding="utf-8"))

    def text(self, name: str, /) -> str:
        """Return a list as written."""
        return self._lists[name]

    def joined(self, name: str, /) -> str:
        """Return a list without line ends: a part of a regular expression."""
        return self._lists[name].replace("\n", "")

    def pattern(self, name: str, flags: int = 0, /) -> re.Pattern[str]:
        """Return a list, without line ends, as a regular expression."""
        return re.compile(self.joined(name), flags)

    def words(self, *names: str) -> tuple[str, ...]:
        """Return the words of one or several lists."""
        return tuple(word for name in names for word in self._lists[name].split())

    def phrases(self, name: str, /) -> tuple[str, ...]:
        """Return the phrases of a list."""
        phrases = (" ".join(phrase.split()) for phrase in self._lists[name].split(";"))
        return tuple(filter(None, phrases))

    def pairs(self, name: str, /) -> dict[str, str]:
        """Return the entries of a list: each key with its value."""
        return dict(_entry(phrase) for phrase in self.phrases(name))

    def groups(self, name: str, /) -> dict[str, tuple[str, ...]]:
        """Return the entries of a list: each key with the words of its value."""
        return {key: tuple(value.split()) for key, value in self.pairs(name).items()}


def _entry(phrase: str) -> tuple[str, str]:
    key, _, value = phrase.partition(": ")
    return key.removesuffix(":"), value
