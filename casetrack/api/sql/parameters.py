"""Values of parameters: parsed from ``-p name=value`` and checked against a statement."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from casetrack.base.errors import UsageError
from casetrack.base.sql.statements import parameters

ParameterType = Literal["text", "integer", "number", "boolean", "date", "list"]
PARAMETER_TYPES: tuple[ParameterType, ...] = get_args(ParameterType)
_NO_VALUE = object()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a saved query; *default* is text after ``-p name=``, ``None`` if required."""

    name: str
    type: ParameterType
    default: str | None
    about: str

    @property
    def described(self) -> str:
        """Type and meaning as text."""
        return f"{self.type}: {self.about}" if self.about else self.type

    @property
    def written(self) -> str:
        """Name, type and default on one line: ``least number = 1000``."""
        head = f"{self.name} {self.type}"
        if self.default is None:
            return head
        return f"{head} = {self.default}" if self.default else f"{head} = ''"

    @property
    def explained(self) -> str:
        """Name, type, default and meaning: ``$least number = 1000: the smallest sum``."""
        return f"${self.written}" + (f": {self.about}" if self.about else "")


def pairs(given: Sequence[str], /) -> dict[str, str]:
    """Parse ``name=value`` pairs; a dollar sign before a name is ignored.

    Raises ``UsageError`` if one of them is not such a pair.
    """
    read: dict[str, str] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        name = name.strip().lstrip("$")
        if not equals or not name.isidentifier():
            raise UsageError(f"Not a parameter: {pair!r}.", hint="Write it as -p name=value.")
        read[name] = text
    return read


def guessed(text: str, /) -> Any:
    """Parse a number, ``true``, ``false``, ``null`` or a quoted text; other input is text."""
    value = _json(text)
    return text if isinstance(value, (list, dict)) else value


def _json(text: str, /) -> Any:
    """Parse JSON; other values are text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def typed(name: str, kind: ParameterType, text: str, /) -> Any:
    """Parse a value by its type; ``null`` is the null value of every type.

    Raises ``UsageError`` if the text is not such a value.
    """
    if text == "null":
        return None
    value = _read(kind, text)
    if value is _NO_VALUE:
        example = {
            "integer": "12",
            "number": "1.5",
            "boolean": "true or false",
            "date": "2024-03-12",
            "list": """'["one", "another"]'""",
        }
        raise UsageError(
            f"{text!r} is not {'an' if kind == 'integer' else 'a'} {kind}, "
            f"as the parameter {name} must be.",
            hint=f"For instance: {name}={example[kind]}",
        )
    return value


def _read(kind: ParameterType, text: str) -> Any:
    if kind == "text":
        return text
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), _NO_VALUE)
    if kind == "list":
        value = _json(text)
        return value if isinstance(value, list) else _NO_VALUE
    reader: Any = {"integer": int, "number": float, "date": dt.date.fromisoformat}[kind]
    try:
        return reader(text.strip())
    except ValueError:
        return _NO_VALUE


def values_for(
    statement: str,
    given: Mapping[str, str],
    declared: Iterable[Parameter] = (),
    /,
    *,
    way: str = "-p {name}=VALUE",
) -> dict[str, Any]:
    """Return the values of the parameters (``$name``) of a statement.

    *given* are texts by name, also of other statements. *declared* are types and defaults of a
    saved query. *way* is the syntax for values in the error. Raises ``UsageError`` if values are
    missing (all are listed), or one has the wrong type.
    """
    known = {p.name: p for p in declared}
    values: dict[str, Any] = {}
    missing: list[str] = []
    for name in parameters(statement):
        if name.isdigit():
            raise UsageError(
                f"The statement uses a numbered parameter: ${name}.",
                hint="Use a name, such as $question, and a value with -p question=...",
            )
        about = known.get(name)
        if name in given:
            text = given[name]
            values[name] = typed(name, about.type, text) if about else guessed(text)
        elif about is not None and about.default is not None:
            values[name] = typed(name, about.type, about.default)
        else:
            missing.append(f"{name} ({about.described})" if about else name)
    if missing:
        listed = "\n".join(f"  - {name}" for name in missing)
        names = [name.partition(" ")[0] for name in missing]
        raise UsageError(
            f"Missing value{'s' if len(missing) > 1 else ''} of parameters:\n{listed}",
            hint="Add: " + "  ".join(way.format(name=name) for name in names),
        )
    return values


def refuse_unused(
    given: Mapping[str, str], statements: Sequence[str], declared: Iterable[Parameter] = (), /
) -> None:
    """Refuse values of parameters that no statement has, since the name is probably misspelled.

    Raises ``UsageError`` if there is such a value.
    """
    used = dict.fromkeys(name for statement in statements for name in parameters(statement))
    used |= dict.fromkeys(p.name for p in declared)
    unused = [name for name in given if name not in used]
    if unused:
        raise UsageError(
            f"Unknown parameter: {', '.join(unused)}.",
            hint=f"The parameters are: {', '.join(used)}."
            if used
            else "The statement has no parameters; a parameter is written $name.",
        )
