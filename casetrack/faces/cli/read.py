"""``casetrack read``: a document page by page, or on from a passage."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.quotes import show_place
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk

_PAGES = re.compile(r"\s*(\d+)\s*(?:[-\u2013]\s*(\d+)\s*)?")


def read(
    ctx: typer.Context,
    document: Annotated[
        str | None, typer.Argument(metavar="DOCUMENT", help="Name, path or ID of the document.")
    ] = None,
    collection: CollectionOption = None,
    pages: Annotated[
        str | None, typer.Option("--pages", metavar="N or N-M", help="Which pages. [default: all]")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="ID", help="Instead, read on from this chunk.")
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-k", metavar="N", min=1, max=200, help="With --from: how many passages."
        ),
    ] = 5,
    back: Annotated[
        bool, typer.Option("--back", help="With --from: the passages before it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read a document's text in order, with the place of every passage.

    Text that two passages share is written once; JSON has every passage whole.
    """
    if (document is None) == (start is None) or (start is not None and pages is not None):
        raise UsageError(
            "Name either a document or, with --from, a chunk.",
            hint="For instance: casetrack read Lease.pdf --pages 3-5",
        )
    target = ctx.ensure_object(State).collection(collection)
    if start is not None:
        found = target.read.traverse(
            start, direction="backward" if back else "forward", limit=limit
        )
    else:
        row = target.document(document or "")
        first, last = _span(pages, row.page_count)
        found = target.read.browse(row.document_id, first, last)
    if as_json:
        write_json([c.as_dict() for c in found])
        return
    _show(found)


def _span(pages: str | None, page_count: int) -> tuple[int, int]:
    """Return the first and the last page that ``--pages`` names."""
    if pages is None:
        return 1, max(page_count, 1)
    match = _PAGES.fullmatch(pages)
    if match is None:
        raise UsageError(f"Not a range of pages: {pages!r}.", hint="Write it as 3 or as 3-5.")
    return int(match[1]), int(match[2] or match[1])


def _show(found: "Sequence[Chunk]") -> None:
    if not found:
        line("There is nothing to read there.")
    page, end = 0, 0
    for number, chunk in enumerate(found):
        p = chunk.provenance
        if number:
            line()
        line((chunk.citation, "bold cyan"))
        show_place(p)
        told = end - p.char_start if p.page == page else 0
        line(chunk.text[max(told, 0) :].lstrip("\n") if told > 0 else chunk.text)
        page, end = p.page, p.char_end
