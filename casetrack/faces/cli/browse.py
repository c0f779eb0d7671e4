"""``casetrack browse``: the collections in a window of the browser."""

from typing import Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.base.registry import registered
from casetrack.faces.cli.state import State


def browse(
    ctx: typer.Context,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="PORT", help="The port; 0 takes a free one.")
    ] = 8766,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Let nothing be changed through the window.")
    ] = False,
    show: Annotated[
        bool,
        typer.Option("--open/--no-open", help="Open it in the browser, or only say its address."),
    ] = True,
    as_program: Annotated[
        bool,
        typer.Option(
            "--app",
            help="As a program of the desktop: in a browser window of its own, and ended with it.",
        ),
    ] = False,
) -> None:
    """Open a window on your collections: search, pages, people, dates, all by mouse.

    It runs in your browser and speaks with this computer only. The address holds a key; whoever
    has it and uses this computer may open the window. `casetrack setup desktop` puts it into the
    menu of your desktop.
    """
    serve_window = registered("windows").get("browser")
    if serve_window is None:
        raise UsageError("This installation comes without the window.")
    library = ctx.ensure_object(State).library
    serve_window(library, port=port, read_only=read_only, open_it=show, as_program=as_program)
