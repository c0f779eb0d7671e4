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
"""Characters that zsh would evaluate in completions. Names with them are not offered, because they
may be from foreign archives; titles of saved queries are not offered either.
"""


Shell = Literal["bash", "zsh", "fish", "powershell"]


def completion(
    ctx: typer.Context,
    shell: Annotated[Shell | None, typer.Argument(metavar="SHELL")] = None,
    install: Annotated[bool, typer.Option("--install")] = False,
) -> int:
    """Let the shell complete commands, options and names of collections with the Tab key.

    Prints the script for the shell, or installs it with --install. The default is the current
    shell.

    Parameters
    ----------
    shell
        bash, zsh, fish or powershell.
    install
        Install the script in the shell's start-up files.
    """
    from typer.completion import install_callback, show_callback

    chosen = shell or _running_shell()
    program = ctx.find_root().info_name
    if not install:
        write_text(_output_of(show_callback, ctx, chosen))
        return 0
    # The first line of Typer's output names the file of the script.
    path = _output_of(install_callback, ctx, chosen).splitlines()[0].rpartition(" installed in ")[2]
    line(f"{chosen} completes {program} in every new terminal: {path}")
    return 0


def _output_of(callback: Callable[..., object], ctx: typer.Context, shell: str) -> str:
    """Return the output of one of Typer's completion options, which then exits."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        callback(ctx, ctx.command.params[0], shell)
    return printed.getvalue()


def prepare_completion(program: str, /) -> None:
    """Prepare completion if a shell requests it; otherwise do nothing."""
    if f"_{program.upper()}_COMPLETE" in os.environ:
        from typer.completion import get_completion_inspect_parameters

        # Typer makes ready where it makes its options for completion, which are not used here.
        get_completion_inspect_parameters()


def collection_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of the collections with a prefix."""
    try:
        names = [info.name for info in library_of(ctx).collections()]
    except CaseTrackError:
        return []  # A shell has no place for a message; the command itself reports the error.
    return sorted(n for n in names if n.startswith(incomplete) and not _EVALUATED.search(n))


def library_of(ctx: typer.Context, /) -> "Library":
    """Return the data folder that the command line names before the completed word."""
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
            f'Completion does not support the shell "{name}".'
            if name
            else "The shell is not known.",
            hint=f"Name one of: {', '.join(get_args(Shell))}.",
        )
    return name
