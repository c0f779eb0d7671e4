"""The root of all errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

from casetrack.base.errors.references import in_python


class CaseTrackError(Exception):
    """Root of all errors that CaseTrack raises on purpose.

    Parameters
    ----------
    message
        What happened and where, one sentence.
    hint
        The next step for the user; may have several lines, may be empty.
    """

    # Stable name for programs: by default the name of the class in lower case with underscores.
    code: ClassVar[str] = "error"
    message_key: str = ""  # key of the message in an edition's texts, if it differs from *code*
    # Values for the placeholders of an edition's message.
    facts: Mapping[str, str] = MappingProxyType({})

    def __init_subclass__(cls) -> None:
        if "code" not in vars(cls):
            cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = message
        self.hint = hint
        step = in_python(hint)
        super().__init__(f"{message}\n\n{step}" if step else message)

    def _render_traceback_(self) -> list[str]:
        """Return IPython's traceback: the user's line and the error, without internal frames."""
        import traceback
        from pathlib import Path

        package = str(Path(__file__).parents[2])
        foreign = [
            frame
            for frame in traceback.extract_tb(self.__traceback__)
            if not frame.filename.startswith(package) and "IPython" not in frame.filename
        ]
        source = [f"line {foreign[-1].lineno}: {foreign[-1].line}", ""] if foreign else []
        return [*source, f"{type(self).__name__}: {self}"]

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

        ``of(("start", day), "is later than", ("end", other))``: each face inserts its argument
        names.
        """
        error = cls(_message_of(parts, lambda name: f"`{name}`"), hint=hint)
        error.parts = parts
        return error

    def call_arguments(self, call: Callable[[str], str], /) -> None:
        """Put the names of a face into the message."""
        if self.parts:
            self.message = _message_of(self.parts, call)


def _message_of(parts: tuple[str | tuple[Any, ...], ...], call: Callable[[str], str]) -> str:
    words = []
    for part in parts:
        name, *value = (part,) if isinstance(part, str) else (call(part[0]), *part[1:])
        words += [
            name,
            *(f"({each:,g})" if isinstance(each, float) else f"({each})" for each in value),
        ]
    return f"{' '.join(words)}."


class NameNotFound(UsageError):
    """No object has the given name; the message suggests similar names.

    Parameters
    ----------
    near
        ``(name, id or kind)`` of objects with a similar name.
    asked
        Start of the message: ``Document not found: "Lease"``.
    hint, there
        Next step and additional text if no name is similar.
    """

    code = "usage"

    full = "full name"

    def __init__(
        self, name: str, near: Sequence[tuple[str, str]], asked: str, hint: str, otherwise: str = ""
    ) -> None:
        self.name, self.near = name, tuple(near)
        sign = "ID: " if self.full.endswith("ID") else ""
        self.lines = "\n".join(f"  - {n} ({sign}{i})" for n, i in near)
        also = f" Did you mean:\n{self.lines}\nUse the {self.full}." if near else otherwise
        super().__init__(f"{asked}.{also}", hint="" if near else hint)


class PackageMissing(UsageError):
    """An optional package is not installed.

    Parameters
    ----------
    package
        Its name for pip and for imports.
    lost
        The consequence, as in "there can be no pandas data frame".
    instead
        An alternative without the package, a sentence; may be empty.
    """

    def __init__(self, package: str, lost: str, instead: str = "") -> None:
        hint = f"Install it with `pip install {package}` (in a notebook: `%pip install {package}`)."
        super().__init__(
            f"{package} is not installed, so {lost}.", hint=f"{hint} {instead}".strip()
        )

    @classmethod
    def check(cls, package: str, lost: str, instead: str = "", /) -> None:
        """Raise ``PackageMissing`` if the package is not installed; do not import it."""
        import importlib.util

        if importlib.util.find_spec(package) is None:
            raise cls(package, lost, instead)
