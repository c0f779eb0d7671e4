"""References to commands and options in texts, which each face writes in its own syntax.

Texts are stored and sent between processes, so a reference is a code span with the shell command.
Each sentence has one next step, so a face without it can omit the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from casetrack.base.dataclass import dataclass

_SPAN = re.compile(r"`(?:casetrack ([^`]+)|(ctx [^`]+)|(--[a-z][^`]*))`")
_OPTION = re.compile(r"--([a-z-]+)(?:[ =]([^\s-]\S*))?")
_GAP = re.compile(r"((?<=[.!?])\s+(?=[A-Z\"`\0])|\n)")


class See(str):
    """A reference to an operation: ``See("models pull", name)``, ``See("doctor", repair=True)``."""

    __slots__ = ()

    def __new__(cls, command: str, /, *values: object, **options: object) -> See:
        """Name a command of ``casetrack`` (or ``ctx …``), its values and options."""
        program = () if command.startswith("ctx ") else ("casetrack",)
        return super().__new__(cls, _span(*program, command, *values, **options))


class Opt(str):
    """A reference to options of the operation that failed: ``Opt(mode="keyword")``."""

    __slots__ = ()

    def __new__(cls, *flags: str, **options: object) -> Opt:
        """Name options that need no value, and others with theirs."""
        return super().__new__(cls, _span(**dict.fromkeys(flags, True), **options))


def _span(*words: object, **options: object) -> str:
    line = [str(word) for word in words]
    for name, value in options.items():
        line.append(f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}")
        line += [] if value is True else [str(value)]
    return f"`{' '.join(line)}`"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a command or option."""

    text: str  # the shell command
    # Possible command names, longest first; empty for an option of the failed operation.
    names: tuple[str, ...]
    options: tuple[tuple[str, str], ...]  # names with underscores, and values

    def keywords(self, sign: str, /) -> str:
        """Return the options as parameters: ``force=True``, or ``force: true``."""
        if sign == "=":
            values = ((n, v if v.isupper() else repr(v or True)) for n, v in self.options)
            return ", ".join(f"{name}={value}" for name, value in values)
        return ", ".join(f"{name}: {value or 'true'}" for name, value in self.options)


def spelled(
    text: str, spell: Callable[[Reference], str | None], without: Callable[[str], str], /
) -> str:
    """Spell the references of a text; *without* replaces a sentence that has an unknown one."""
    references = map(_reference, _SPAN.finditer(text))
    parts = []
    for part in _GAP.split(_SPAN.sub("\0", text)):
        sentence, known = part, True
        for each in islice(references, part.count("\0")):
            phrase = spell(each)
            known = known and phrase is not None
            sentence = sentence.replace("\0", each.text if phrase is None else phrase, 1)
        parts.append(sentence if known else without(sentence))
    return "".join(parts).strip()


def _reference(match: re.Match[str]) -> Reference:
    words = (match[1] or match[2] or "").split()
    names = (" ".join(words[:2]), words[0]) if words else ()
    options = tuple((n.replace("-", "_"), v) for n, v in _OPTION.findall(match[0].strip("`")))
    return Reference(match[0], names, options)


def in_python(text: str, /) -> str:
    """Spell options as keyword arguments; commands stay: a notebook runs them with ``!``."""
    return spelled(text, lambda see: None if see.names else see.keywords("="), lambda part: part)
