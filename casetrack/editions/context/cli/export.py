"""``ctx export``: the collection as JSON, and as a page that searches it in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.output import byte_text, counted, line, write_json


def export(
    ctx: typer.Context,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A .json file, an .html page, or a folder for both. [default: JSON to standard "
            "output]",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="TEXT", help="What the page is called. [default: this folder's name]"
        ),
    ] = None,
) -> None:
    """Write everything as JSON, or as one page that searches it in the browser without a server.

    The page holds what it searches and loads nothing: open it from the disk, send it, or put it on
    any web server. It searches by words; its links open the lines where a source has such links.
    """
    home = ctx.ensure_object(ContextState).home
    from casetrack.editions.context import export as exporting

    if output is None:
        write_json(exporting.as_json(home.collection))
        return
    title = name or home.config.base.name or "Search"
    written = exporting.write(home.collection, output, name=title)
    held = f"{counted(written.documents, 'document')}, {counted(written.chunks, 'passage')}"
    for file in written.files:
        line(("Wrote ", "bold"), str(file), (f" ({held}; {byte_text(file.stat().st_size)})", "dim"))
