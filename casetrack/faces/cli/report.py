"""``casetrack report``: a briefing of a whole collection as one page of HTML."""

from pathlib import Path
from typing import Annotated

import typer

from casetrack.faces.cli.options import CollectionOption, JsonOption, opt
from casetrack.faces.cli.output import byte_text, line, write_json
from casetrack.faces.cli.show import file_stem, open_page
from casetrack.faces.cli.state import State


def report(
    ctx: typer.Context,
    collection: CollectionOption = None,
    output: Annotated[Path | None, opt("--output -o FILE")] = None,
    open_it: Annotated[bool, opt("--open")] = False,
    light: Annotated[bool, opt("--light")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a briefing on people, dates, topics and amounts, each statement with its source.

    The page contains all its data, so that it can be sent, printed and kept. Each link opens
    the cited passage, highlighted on its page if the page can be drawn.

    Parameters
    ----------
    output
        Write to this .html file, or into this folder. [default: the current folder]
    open_it
        Open the file in the browser.
    light
        Omit pictures of pages, for a small file.
    """
    target = ctx.ensure_object(State).collection(collection)
    path = _place(output, target.name)
    from casetrack.faces.cli.progress import Meter

    with Meter("Writing the report", unit="pages") as meter:
        written = target.report(
            path,
            pictures=not light,
            progress=lambda what, done, total: meter.step(what, done, total or None),
        )
    size = written.stat().st_size
    if open_it:
        open_page(written)
    if as_json:
        write_json({"file": str(written), "bytes": size})
        return
    line(("Wrote ", "bold"), str(written), (f" ({byte_text(size)})", "dim"))


def _place(output: Path | None, name: str) -> Path:
    """Return the file to write: the named one, or one with the collection's name."""
    if output is not None and not output.is_dir():
        return output
    return (output or Path()) / f"{file_stem(name) or 'collection'} report.html"
