"""The root of all errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# References to commands and options in texts; each face spells them in its own terms.
#
# A text of the library refers to an operation as `` `casetrack COMMAND --option VALUE` `` and to an
# option of the operation that failed as `` `--option VALUE` ``. One sentence has one next step, so
# that a face without it leaves out the sentence.

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


class CaseTrackError(Exception):
    """Root of all errors that CaseTrack raises on purpose.

    Parameters
    ----------
    message
        What happened and where, one sentence.
    hint
        The next step for the person who reads it; may span lines, may be empty.

    Attributes
    ----------
    code
        What programs call it.
    wording
        What its message is called where that is not the code; an edition may have another message
        in its own words under that name.
    facts
        What such a message may name.
    """

    code = "error"
    wording: str = ""
    facts: Mapping[str, str] = MappingProxyType({})

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = message
        self.hint = hint
        step = in_python(hint)
        super().__init__(f"{message}\n\n{step}" if step else message)

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows: the user's line and what is wrong, without our own frames."""
        import traceback
        from pathlib import Path

        package = str(Path(__file__).parents[2])
        foreign = [
            frame
            for frame in traceback.extract_tb(self.__traceback__)
            if not frame.filename.startswith(package) and "IPython" not in frame.filename
        ]
        told = [f"line {foreign[-1].lineno}: {foreign[-1].line}", ""] if foreign else []
        return [*told, f"{type(self).__name__}: {self}"]

    def as_dict(self) -> dict[str, str]:
        """Return ``{"code", "message", "hint"}`` for JSON output."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(CaseTrackError):
    """An argument is wrong; nothing was done."""

    code = "usage"


class PackageMissing(UsageError):
    """What was asked for needs a package that is not among those every installation has.

    Parameters
    ----------
    package
        What pip calls it; also what it is imported as.
    lost
        What cannot be done without it, as in "there can be no pandas data frame".
    instead
        What does without it, a sentence; may be empty.
    """

    code = "package_missing"

    def __init__(self, package: str, lost: str, instead: str = "") -> None:
        hint = f"Install it with `pip install {package}` (in a notebook: `%pip install {package}`)."
        super().__init__(
            f"{package} is not installed, so {lost}.", hint=f"{hint} {instead}".strip()
        )

    @classmethod
    def check(cls, package: str, lost: str, instead: str = "", /) -> None:
        """Look for the package without importing it.

        Raises
        ------
        PackageMissing
            It is not there.
        """
        import importlib.util

        if importlib.util.find_spec(package) is None:
            raise cls(package, lost, instead)
