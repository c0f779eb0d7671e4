"""The root of all errors."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from casetrack.base.errors.references import in_python

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self


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
    parts: tuple[str | tuple[Any, ...], ...] = ()

    @classmethod
    def of(cls, *parts: str | tuple[Any, ...], hint: str = "") -> Self:
        """Return an error about arguments, each with or without its value.

        ``of(("start", day), "is later than", ("end", other))``: each face calls them by its names.
        """
        error = cls(_said(parts, lambda name: f"`{name}`"), hint=hint)
        error.parts = parts
        return error

    def call_arguments(self, call: Callable[[str], str], /) -> None:
        """Put the names of a face into the message."""
        if self.parts:
            self.message = _said(self.parts, call)


def _said(parts: tuple[str | tuple[Any, ...], ...], call: Callable[[str], str]) -> str:
    words = []
    for part in parts:
        name, *value = (part,) if isinstance(part, str) else (call(part[0]), *part[1:])
        words += [
            name,
            *(f"({each:,g})" if isinstance(each, float) else f"({each})" for each in value),
        ]
    return f"{' '.join(words)}."


class NameNotFound(UsageError):
    """Nothing has a name; similar names, each with what tells it from others, are in the message.

    Parameters
    ----------
    asked
        What was looked for: ``Document not found: "Lease"``.
    near
        ``(name, id or kind)`` of what has a similar name.
    hint, there
        What to do, and what is said besides, where no name is similar.
    """

    full = "full name"

    def __init__(
        self, name: str, near: Sequence[tuple[str, str]], asked: str, hint: str, there: str = ""
    ) -> None:
        self.name, self.near = name, tuple(near)
        sign = "ID: " if self.full.endswith("ID") else ""
        self.lines = "\n".join(f"  - {n} ({sign}{i})" for n, i in near)
        also = f" Did you mean:\n{self.lines}\nUse the {self.full}." if near else there
        super().__init__(f"{asked}.{also}", hint="" if near else hint)


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
