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


def opt(cli: str, about: str = "", /, **more: Any) -> Any:
    """Return the Typer form of an option such as ``--limit -k N``; a single word is an argument.

    *about* is its help, by default that of the command's docstring; *more* are further keywords for
    Typer, such as ``min``.
    """
    return option(Arg(about, cli), **more)


def version_option(text: str, /) -> Any:
    """Return the option that writes *text* and ends the program."""

    def write(wanted: bool) -> None:
        if wanted:
            line(text)
            raise typer.Exit

    words: dict[str, Any] = {"callback": write, "is_eager": True}
    return opt("--version", "Show the version and exit.", **words)


C = TypeVar("C", bound=Callable[..., Any])


def described(**options: Any) -> Callable[[C], C]:
    """Give each parameter of a command, by name, its option or the words of :func:`opt`."""

    def describe(command: C) -> C:
        kinds = command.__annotations__
        for name, each in options.items():
            kinds[name] = Annotated[kinds[name], opt(each) if isinstance(each, str) else each]
        return command

    return describe


class EditionName(StrEnum):
    """The editions that ``casetrack`` serves."""

    LEGAL = "legal"


CollectionOption = Annotated[
    str | None,
    opt(
        "--collection -c NAME",
        "Name or ID of the collection; optional if there is only one.",
        autocompletion=collection_names,
    ),
]
NameArgument = Annotated[
    str, opt("NAME", "Name or ID of the collection.", autocompletion=collection_names)
]
AnyNameArgument = Annotated[
    str | None, opt("NAME", "Name or ID of the collection.", autocompletion=collection_names)
]
JsonOption = Annotated[bool, opt("--json", "Write JSON instead of text.")]
CreateOption = Annotated[bool, opt("--create", "Create the collection if it does not exist.")]


PasswordOption = Annotated[
    list[str] | None,
    opt("--password PASSWORD", "Opens protected files; may be repeated. Never stored."),
]
ToolsOption = Annotated[
    str | None,
    opt(
        "--tools SETS",
        "Offer only these tools: names of sets (all, read-only, core, daily, search, map, "
        "legal) or of tools, separated by commas.",
    ),
]
ReadOnlyOption = Annotated[bool, opt("--read-only", "Offer only read-only tools.")]
ENV_OFFLINE = "CASETRACK_OFFLINE"
OfflineOption = Annotated[
    bool,
    opt(
        "--offline",
        "Servers do not download missing models; the same as any value of the variable "
        f"{ENV_OFFLINE}. Then only `casetrack models pull` does.",
    ),
]
EditionOption = Annotated[
    EditionName | None,
    opt(
        "--edition", "legal: cases of a lawyer, with their own tools, in place of the collections."
    ),
]
