"""Arguments of operations, declared once: what every face calls them and says of them.

A method of the facade says it in ``Annotated``, beside the type and the default::

    least: Annotated[float | None, Arg("At least this.", cli="--min N", mcp="min_value")] = None

The command line and the server for AI programs make their options and schemas of it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from casetrack.base.arguments import DocumentRef, PassageRef

    DayRef = str | date
else:
    # What a face hands on is text; only Python programs have objects to give.
    DocumentRef = PassageRef = DayRef = str

__all__ = [
    "Arg",
    "Argument",
    "DayRef",
    "DocumentRef",
    "PassageRef",
    "arguments_of",
    "called",
    "choices",
]

_SAME: Any = object()


@dataclass(frozen=True, slots=True)
class Arg:
    """What the faces say of an argument.

    Attributes
    ----------
    help
        One line for people.
    cli
        Its options and the word for its value: ``--limit -k N``, ``--kind``. A word alone is an
        argument by position; ``/--same`` is an option that makes it false.
    mcp
        Its name for AI programs; empty where it is the argument's own.
    note
        What their schema says of it; little, since a model reads it on every turn.
    ge, le
        Bounds of a number, on all faces.
    mcp_le, mcp_default
        Where answers for models have to be shorter.
    """

    help: str = ""
    cli: str = ""
    mcp: str = ""
    note: str = ""
    ge: float | None = None
    le: float | None = None
    mcp_le: float | None = None
    mcp_default: Any = _SAME

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command line; empty for an argument by position."""
        return tuple(word for word in self.cli.split() if word[0] in "-/")

    @property
    def metavar(self) -> str | None:
        """What stands for the value in the help of the command line."""
        words = [word for word in self.cli.split() if word[0] not in "-/"]
        return " ".join(words) or None


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of an operation as faces take it.

    Attributes
    ----------
    type
        Of what faces hand on.
    default
        ``inspect.Parameter.empty`` where it has to be given.
    by_position
        Whether the method takes it by position.
    """

    name: str
    type: Any
    default: Any
    by_position: bool
    arg: Arg

    @property
    def mcp_name(self) -> str:
        """What AI programs call it."""
        return self.arg.mcp or self.name

    @property
    def mcp_default(self) -> Any:
        """The default for AI programs."""
        return self.default if self.arg.mcp_default is _SAME else self.arg.mcp_default


def choices(method: Callable[..., Any], name: str, /) -> tuple[str, ...]:
    """Return the words that an argument of a method can be, in their order."""
    return next(get_args(each.type) for each in arguments_of(method) if each.name == name)


@functools.cache
def arguments_of(method: Callable[..., Any], /) -> tuple[Argument, ...]:
    """Return the declared arguments of a method, in its order; others are not for faces."""
    found = []
    for each in inspect.signature(method).parameters.values():
        if "Arg(" not in str(each.annotation):
            continue
        kind = eval(each.annotation, inspect.unwrap(method).__globals__)  # noqa: S307 - text of our own code
        arg = next(part for part in get_args(kind)[1:] if isinstance(part, Arg))
        by_position = each.kind is each.POSITIONAL_ONLY
        found.append(Argument(each.name, _bare(kind, each.default), each.default, by_position, arg))
    return tuple(found)


def _bare(kind: Any, default: Any) -> Any:
    """Return the type that faces take: ``None`` is for Python where the default is another."""
    bare = get_args(kind)[0]
    if get_origin(bare) is Sequence:
        return list[get_args(bare)[0]]  # type: ignore[misc]
    rest = tuple(each for each in get_args(bare) if each is not NoneType)
    optional = get_origin(bare) in {UnionType, Union} and default is not None
    return Union[rest] if optional else bare  # noqa: UP007 - of any number


def called(method: Callable[..., Any], owner: Any, given: dict[str, Any], /) -> Any:
    """Return what a method answers for arguments by name.

    Parameters
    ----------
    owner
        A collection, whose part has the method: ``Map`` is ``collection.map``.

    Raises
    ------
    UsageError
        A list has too few or too many values.
    """
    for each in arguments_of(method):
        low, high, value = each.arg.ge, each.arg.le, given.get(each.name)
        if isinstance(value, list) and low and high and not low <= len(value) <= high:
            raise UsageError(
                f"{low:g} to {high:g} values of {each.arg.metavar} are needed, not {len(value)}.",
                hint="Put a value of several words in quotation marks.",
            )
    part = getattr(owner, method.__qualname__.split(".", maxsplit=1)[0].lower(), owner)
    names = [each.name for each in arguments_of(method) if each.by_position]
    first = [given[name] for name in names if name in given]
    rest = {name: value for name, value in given.items() if name not in names}
    return getattr(part, method.__name__)(*first, **rest)
