"""Options that several commands share."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import typer

from casetrack.api.operation import Arg
from casetrack.faces.cli.completion import collection_names
from casetrack.faces.cli.output import line


def option(arg: Arg, /, **more: Any) -> Any:
    """Return the Typer form of a declared argument; *more* are further keywords for Typer."""
    words = {"metavar": arg.metavar, "help": arg.help, "min": arg.ge, "max": arg.le, **more}
    words = {name: word for name, word in words.items() if word is not None}
    options = [option.lstrip("/") for option in arg.options]
    return typer.Option(*options, **words) if options else typer.Argument(**words)


def opt(about: str, cli: str, /, **more: Any) -> Any:
    """Return the Typer form of an option such as ``--limit -k N``; a single word is an argument.

    *about* is its help, and *more* are further keywords for Typer, such as ``min``.
    """
    return option(Arg(about, cli), **more)


def version_option(text: str, /) -> Any:
    """Return the option that writes *text* and ends the program."""

    def write(wanted: bool) -> None:
        if wanted:
            line(text)
            raise typer.Exit

    words: dict[str, Any] = {"callback": write, "is_eager": True}
    return opt("Show the version and exit.", "--version", **words)


C = TypeVar("C", bound=Callable[..., Any])


def described(**options: Any) -> Callable[[C], C]:
    """Give each parameter of a command, by name, the result of :func:`option`."""

    def describe(command: C) -> C:
        kinds = command.__annotations__
        kinds |= {name: Annotated[kinds[name], info] for name, info in options.items()}
        return command

    return describe


class EditionName(StrEnum):
    """The editions that ``casetrack`` serves."""

    LEGAL = "legal"


CollectionOption = Annotated[
    str | None,
    opt(
        "Name or ID of the collection; optional if there is only one.",
        "--collection -c NAME",
        autocompletion=collection_names,
    ),
]
NameArgument = Annotated[
    str, opt("Name or ID of the collection.", "NAME", autocompletion=collection_names)
]
AnyNameArgument = Annotated[
    str | None, opt("Name or ID of the collection.", "NAME", autocompletion=collection_names)
]
JsonOption = Annotated[bool, opt("Write JSON instead of text.", "--json")]
CreateOption = Annotated[bool, opt("Create the collection if it does not exist.", "--create")]


PasswordOption = Annotated[
    list[str] | None,
    opt("Opens protected files; may be repeated. Never stored.", "--password PASSWORD"),
]
ToolsOption = Annotated[
    str | None,
    opt(
        "Offer only these tools: names of sets (all, read-only, core, daily, search, map, "
        "legal) or of tools, separated by commas.",
        "--tools SETS",
    ),
]
ReadOnlyOption = Annotated[bool, opt("Offer only read-only tools.", "--read-only")]
ENV_OFFLINE = "CASETRACK_OFFLINE"
OfflineOption = Annotated[
    bool,
    opt(
        "Servers do not download missing models; the same as any value of the variable "
        f"{ENV_OFFLINE}. Then only `casetrack models pull` does.",
        "--offline",
    ),
]
EditionOption = Annotated[
    EditionName | None,
    opt(
        "legal: cases of a lawyer, with their own tools, in place of the collections.", "--edition"
    ),
]
