"""References to commands and options in texts; each face spells them in its own terms.

A text of the library refers to an operation as `` `casetrack COMMAND --option VALUE` `` and to an
option of the operation that failed as `` `--option VALUE` ``. One sentence has one next step, so
that a face without it leaves out the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_REFERENCE = re.compile(r"`(?:(casetrack|ctx) ([^`]+)|(--[a-z][^`]*))`")
_OPTION = re.compile(r"--([a-z-]+)(?:[ =]([^\s-]\S*))?")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"`])")


@dataclass(frozen=True, slots=True)
class See:
    """A reference: the command (empty for an option of the failed operation) and its options.

    Attributes
    ----------
    text
        The reference as a shell spells it.
    names
        Names that the command may have, the longest first.
    """

    text: str
    program: str
    names: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


def spelled(text: str, spell: Callable[[See], str | None], without: Callable[[str], str], /) -> str:
    """Spell the references of a text; *without* replaces a sentence that has an unknown one."""
    if "`" not in text:
        return text
    return "".join(
        part if number % 2 else _sentence(part, spell, without)
        for number, part in enumerate(re.split(f"({SENTENCE.pattern})", text))
    ).strip()


def in_python(text: str, /) -> str:
    """Spell options as keyword arguments; commands stay: a notebook runs them with ``!``."""
    return spelled(text, lambda see: None if see.names else keywords(see, "="), lambda part: part)


def keywords(see: See, sign: str, /) -> str:
    """Spell the options of a reference as parameters: ``force=True``, or ``force: true``."""
    if sign == "=":
        values = ((n, v if v.isupper() else repr(v or True)) for n, v in see.options)
        return ", ".join(f"{name}={value}" for name, value in values)
    return ", ".join(f"{name}: {value or 'true'}" for name, value in see.options)


def _sentence(
    sentence: str, spell: Callable[[See], str | None], without: Callable[[str], str]
) -> str:
    unknown = False

    def put(match: re.Match[str]) -> str:
        nonlocal unknown
        words = (match[2] or "").split()
        names = (" ".join(words[:2]), words[0]) if words else ()
        options = tuple((n.replace("-", "_"), v) for n, v in _OPTION.findall(match[2] or match[3]))
        phrase = spell(See(match[0], match[1] or "", names, options))
        unknown = unknown or phrase is None
        return match[0] if phrase is None else phrase

    spelt = _REFERENCE.sub(put, sentence)
    return without(spelt) if unknown else spelt
