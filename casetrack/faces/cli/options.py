"""Options that several commands share."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import typer

from casetrack.api.operation import Arg
from casetrack.base.config import OCR_ENGINES
from casetrack.faces.cli.completion import collection_names


def option(arg: Arg, /, **more: Any) -> Any:
    """Return what Typer knows of an argument that is declared so; *more* are other words for it."""
    words = {"metavar": arg.metavar, "help": arg.help, "min": arg.ge, "max": arg.le, **more}
    words = {name: word for name, word in words.items() if word is not None}
    options = [option.lstrip("/") for option in arg.options]
    return typer.Option(*options, **words) if options else typer.Argument(**words)


C = TypeVar("C", bound=Callable[..., Any])


def described(**options: Any) -> Callable[[C], C]:
    """Give each parameter of a command, by its name, what :func:`option` returns."""

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
    typer.Option(
        "--collection",
        "-c",
        metavar="NAME",
        help="Name or ID of the collection; not needed while there is only one.",
        autocompletion=collection_names,
    ),
]
AnyCollectionOption = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        metavar="NAME",
        help="Only this collection, by its name or ID.",
        autocompletion=collection_names,
    ),
]
NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Name or ID of the collection.", autocompletion=collection_names
    ),
]
FromDayOption = Annotated[
    str | None, typer.Option("--from", metavar="DATE", help="From this day on (YYYY-MM-DD).")
]
ToDayOption = Annotated[
    str | None, typer.Option("--to", metavar="DATE", help="Up to this day (YYYY-MM-DD).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON instead of text.")]
CreateOption = Annotated[
    bool, typer.Option("--create", help="Make the collection if there is none of this name.")
]

PipelineOption = Annotated[
    str | None,
    typer.Option(
        "--pipeline",
        metavar="FILE",
        help="What happens to the files: a pipeline file, or the name of one; see "
        "`casetrack schema --pipelines`.",
    ),
]

# --- which files ------------------------------------------------------------------------------

ExtensionsOption = Annotated[
    list[str] | None,
    typer.Option("--ext", metavar="EXT", help="Only these kinds, such as pdf; may be repeated."),
]
IncludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="GLOB",
        help="Only files that fit, such as 'contracts/**'; may be repeated.",
    ),
]
ExcludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="GLOB", help="Not what fits, such as drafts/; may be repeated."
    ),
]

# --- how files are read -----------------------------------------------------------------------

PasswordOption = Annotated[
    list[str] | None,
    typer.Option(
        "--password",
        metavar="PASSWORD",
        help="Opens protected files; may be repeated. Never stored.",
    ),
]
OcrOption = Annotated[
    str | None,
    typer.Option(
        "--ocr",
        metavar="ENGINE",
        help=f"How scans and pictures are read: {', '.join(OCR_ENGINES)}.",
    ),
]
OcrLanguageOption = Annotated[
    str | None,
    typer.Option(
        "--ocr-language", metavar="CODES", help="Languages of scans, such as eng or deu+eng."
    ),
]
ToolsOption = Annotated[
    str | None,
    typer.Option(
        "--tools",
        metavar="SETS",
        help="Offer only these tools: names of sets (all, read-only, core, daily, search, map, "
        "legal) or of tools, separated by commas.",
    ),
]
ReadOnlyOption = Annotated[
    bool, typer.Option("--read-only", help="Offer only tools that change nothing.")
]
ENV_OFFLINE = "CASETRACK_OFFLINE"
OfflineOption = Annotated[
    bool,
    typer.Option(
        "--offline",
        help="Servers fetch no models, even where they are missing; so does any text in the "
        f"variable {ENV_OFFLINE}. Then only `casetrack models pull` does.",
    ),
]
EditionOption = Annotated[
    EditionName | None,
    typer.Option(
        help="legal: cases of a lawyer, with their own tools, in place of the collections."
    ),
]
