"""``casetrack read`` and ``show``: documents page by page, and passages on their page."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.text import head_of, lines_of
from casetrack.base.errors import StorageError, UsageError
from casetrack.faces.cli.asking import answer, write
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.viewer import View

# ``casetrack read``: a document page by page, or on from a passage.

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
        answer(found, "", as_json=True)
        return
    write(head_of(found))
    page, end = 0, 0
    for chunk in found:
        p = chunk.provenance
        told = end - p.char_start if p.page == page else 0
        text = chunk.text[told:].lstrip("\n") if told > 0 else chunk.text
        line()
        write(lines_of(replace(chunk, text=text)))
        page, end = p.page, p.char_end


def _span(pages: str | None, page_count: int) -> tuple[int, int]:
    """Return the first and the last page that ``--pages`` names."""
    if pages is None:
        return 1, max(page_count, 1)
    match = _PAGES.fullmatch(pages)
    if match is None:
        raise UsageError(f"Not a range of pages: {pages!r}.", hint="Write it as 3 or as 3-5.")
    return int(match[1]), int(match[2] or match[1])


_SUFFIXES = (".html", ".htm", ".png")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\ud800-\udfff<>:"/\\|?*]+')
_MAX_STEM = 80
_MAX_NUMBER = 1000


def show(
    ctx: typer.Context,
    chunk_id: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="A chunk's id, as search results give it. [default: the best answer to --for]",
        ),
    ] = None,
    collection: CollectionOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this .html or .png file, or into this folder. "
            "[default: the current folder]",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", hidden=True, help="The same as --output.")
    ] = None,
    as_png: Annotated[
        bool, typer.Option("--png", help="Write a picture instead of a page of HTML.")
    ] = False,
    open_it: Annotated[
        bool, typer.Option("--open", help="Open what was written in the browser.")
    ] = False,
    question: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="QUESTION",
            help="Mark strongly what answers this question, and the rest of the passage lightly.",
        ),
    ] = None,
    window: Annotated[
        int,
        typer.Option(
            "--window", metavar="N", min=0, max=50, help="Also show N chunks before and after it."
        ),
    ] = 1,
    password: Annotated[
        str | None,
        typer.Option(
            "--password", metavar="TEXT", help="Opens a protected file to see the page; not stored."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a page on which a passage is highlighted where it stands, with its citation.

    The page holds everything it shows, so that it can be sent, printed and kept.
    """
    out = output or out
    suffix = _suffix(out, as_png)
    target = ctx.ensure_object(State).collection(collection)
    from casetrack.api.viewer import open_view

    if chunk_id is None:
        best = target.search(question, limit=1) if question else None
        if not best:
            raise UsageError("No passage to show.", hint="Give its id, or a question with --for.")
        chunk_id = best[0].chunk_id
    view = open_view(
        target.workspace.state(), chunk_id, window=window, password=password, question=question
    )
    path = _write(view, _place(view, out, suffix), suffix)
    if open_it:
        _open(path)
    if as_json:
        write_json(_told(view, path))
        return
    line((view.chunk.citation, "bold cyan"))
    for part in view.pinpoint:
        line(("At: ", "bold"), (part.citation, "bold cyan"))
    for note in view.notes:
        line((note, "yellow"))
    for warning in view.provenance.warnings:
        line((warning, "yellow"))
    line(("Wrote ", "bold"), str(path))


def _told(view: "View", path: Path) -> dict[str, Any]:
    return {
        "file": str(path),
        "has_picture": view.image is not None,
        "notes": list(view.notes),
        "chunk": view.chunk.as_dict(),
    }


def _suffix(out: Path | None, as_png: bool) -> str:
    """Return the kind of file to write: the name decides, and ``--png`` must agree with it."""
    if out is None or out.is_dir():
        return ".png" if as_png else ".html"
    suffix = out.suffix.lower()
    if suffix not in _SUFFIXES:
        raise UsageError(
            f"Cannot tell from the name {out.name!r} what to write.",
            hint="Name a file that ends in .html or .png, or a folder that exists.",
        )
    if as_png and suffix != ".png":
        raise UsageError(
            f"--png writes a picture, and {out.name!r} names a page of HTML.",
            hint="Leave out --png, or name a file that ends in .png.",
        )
    return suffix


def _place(view: "View", out: Path | None, suffix: str) -> Path:
    """Return where to write, absolute; a file that something else wrote is never replaced."""
    if out is not None and not out.is_dir():
        path = out.expanduser().absolute()
        if _is_free(path, view):
            return path
        raise UsageError(
            f"There is a file {path} already, which does not show this passage.",
            hint="Choose another name, or remove the file first.",
        )
    folder = (out or Path()).absolute()
    p = view.provenance
    safe = _UNSAFE.sub(" ", Path(view.document.name).stem)
    stem = " ".join(safe.split())[:_MAX_STEM].strip(" .") or "passage"
    place = f"{p.page_kind or 'page'} {p.page}" if p.sheet_name is None else f"sheet {p.page}"
    for number in range(1, _MAX_NUMBER):
        again = "" if number == 1 else f" ({number})"
        path = folder / f"{stem}, {place}{again}{suffix}"
        if _is_free(path, view):
            return path
    raise UsageError(
        f"Too many files in {folder} are called {stem!r}.", hint="Name a file with --output."
    )


def _is_free(path: Path, view: "View") -> bool:
    """Return whether nothing is there, or what shows the same passage."""
    from casetrack.api.viewer.page import CHUNK_MARK
    from casetrack.api.viewer.source import CHUNK_FACT, facts_of

    if not path.exists():
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(4096)
    mark = f'{CHUNK_MARK}{view.chunk.chunk_id}"'.encode()
    return mark in head or facts_of(head).get(CHUNK_FACT) == view.chunk.chunk_id


def _write(view: "View", path: Path, suffix: str) -> Path:
    from casetrack.api.viewer.page import page_html

    content = view.png() if suffix == ".png" else page_html(view).encode("utf-8", "replace")
    if not path.parent.is_dir():
        raise UsageError(
            f"There is no folder {path.parent}.", hint="Make it first, or choose another place."
        )
    try:
        path.write_bytes(content)
    except OSError as error:
        raise StorageError(
            f"Cannot write {path}: {error.strerror or error}.",
            hint="Free some space, or choose another place with --output.",
        ) from error
    return path


def _open(path: Path) -> None:
    import webbrowser

    address = path.as_uri()
    if path.suffix != ".png":
        address += "#passage"
    if not webbrowser.open(address):
        line((f"No browser could be opened; open {path} yourself.", "yellow"), err=True)
