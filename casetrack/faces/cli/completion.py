"""Completion: the shell completes commands, options and names of ``casetrack`` and ``ctx``."""

import contextlib
import io
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from casetrack.base.errors import CaseTrackError, UsageError
from casetrack.faces.cli.output import line, write_text

if TYPE_CHECKING:
    from casetrack.api.library import Library

_EVALUATED = re.compile(r"[\\$`]")
"""zsh evaluates what it is offered, and names may come from somebody else's archive; so these are
not offered, and nor are titles of saved queries."""


Shell = Literal["bash", "zsh", "fish", "powershell"]
"""A shell that can be completed."""


def completion(
    ctx: typer.Context,
    shell: Annotated[
        Shell | None, typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell.")
    ] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Enter it into the shell's own start-up files.")
    ] = False,
) -> int:
    """Let the shell complete commands, options and names of collections with the Tab key.

    Prints the script for the shell, or enters it with --install. Without a name it is for the
    shell that runs now.
    """
    from typer.completion import install_callback, show_callback

    chosen = shell or _running_shell()
    program = ctx.find_root().info_name
    if not install:
        write_text(_said(show_callback, ctx, chosen))
        return 0
    # Typer tells where it entered the script, in its first line.
    path = _said(install_callback, ctx, chosen).splitlines()[0].rpartition(" installed in ")[2]
    line(f"{chosen} completes {program} in every new terminal: {path}")
    return 0


def _said(callback: Callable[..., object], ctx: typer.Context, shell: str) -> str:
    """Return what one of Typer's own options for completion prints, which then ends the program."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        callback(ctx, ctx.command.params[0], shell)
    return printed.getvalue()


def prepare_completion(program: str, /) -> None:
    """Make ready for a shell that asks what could come next; costs nothing otherwise."""
    if f"_{program.upper()}_COMPLETE" in os.environ:
        from typer.completion import get_completion_inspect_parameters

        # Typer makes ready where it makes its options for completion, which are not used here.
        get_completion_inspect_parameters()


def collection_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of the collections that begin with what is typed."""
    try:
        names = [info.name for info in library_of(ctx).collections()]
    except CaseTrackError:
        return []  # a shell has no place for a message; the command itself will tell
    return sorted(n for n in names if n.startswith(incomplete) and not _EVALUATED.search(n))


def library_of(ctx: typer.Context, /) -> "Library":
    """Return the data folder that a command line names before what is completed."""
    from casetrack.api.library import Library
    from casetrack.base.config import load_settings

    return Library(load_settings(ctx.find_root().params.get("data_dir")))


def _running_shell() -> str:
    import shellingham

    try:
        name: str = shellingham.detect_shell()[0]
    except shellingham.ShellDetectionFailure:
        name = ""
    name = "powershell" if name == "pwsh" else name
    if name not in get_args(Shell):
        raise UsageError(
            f'The shell "{name}" cannot be completed.' if name else "The shell is not known.",
            hint=f"Name one of: {', '.join(get_args(Shell))}.",
        )
    return name
