"""``casetrack read`` and ``show``: documents page by page, and passages on their page."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.text import head_of, lines_of
from casetrack.base.errors import StorageError, UsageError
from casetrack.faces.cli.asking import answer, write
from casetrack.faces.cli.options import CollectionOption, JsonOption, opt
from casetrack.faces.cli.output import Part, byte_text, line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.viewer import View

# ``casetrack report``: a briefing of a whole collection as one page of HTML.


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
    path = _report_path(output, target.name)
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


def _report_path(output: Path | None, name: str) -> Path:
    """Return the file to write: the named one, or one with the collection's name."""
    if output is not None and not output.is_dir():
        return output
    return (output or Path()) / f"{file_stem(name) or 'collection'} report.html"


# ``casetrack read``: a document page by page, or on from a passage.

_PAGES = re.compile(r"\s*(\d+)\s*(?:[-\u2013]\s*(\d+)\s*)?")


def read(
    ctx: typer.Context,
    document: Annotated[str | None, opt("DOCUMENT")] = None,
    collection: CollectionOption = None,
    pages: Annotated[str | None, opt("--pages N or N-M")] = None,
    start: Annotated[str | None, opt("--from ID")] = None,
    limit: Annotated[int, opt("--limit -k N", min=1, max=200)] = 5,
    back: Annotated[bool, opt("--back")] = False,
    as_json: JsonOption = False,
) -> None:
    """Read a document's text in order, with the place of every passage.

    Text that two passages share is written once; JSON has every passage whole.

    Parameters
    ----------
    document
        Name, path or ID of the document.
    pages
        Pages. [default: all]
    start
        Read on from this chunk instead.
    limit
        With --from: number of passages.
    back
        With --from: the passages before it.
    """
    if (document is None) == (start is None) or (start is not None and pages is not None):
        raise UsageError(
            "Name either a document or, with --from, a chunk.",
            hint="For instance: casetrack read Lease.pdf --pages 3-5",
        )
    target = ctx.ensure_object(State).collection(collection)
    if start is not None:
        chunks = target.read.traverse(
            start, direction="backward" if back else "forward", limit=limit
        )
    else:
        row = target.document(document or "")
        first, last = _span(pages, row.page_count)
        chunks = target.read.browse(row.document_id, first, last)
    if as_json:
        answer(chunks, "", as_json=True)
        return
    write(head_of(chunks))
    page, end = 0, 0
    for chunk in chunks:
        p = chunk.provenance
        shown = end - p.char_start if p.page == page else 0
        text = chunk.text[shown:].lstrip("\n") if shown > 0 else chunk.text
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
    chunk_id: Annotated[str | None, opt("ID")] = None,
    collection: CollectionOption = None,
    output: Annotated[Path | None, opt("--output -o FILE")] = None,
    out: Annotated[Path | None, opt("--out", hidden=True)] = None,
    as_png: Annotated[bool, opt("--png")] = False,
    open_it: Annotated[bool, opt("--open")] = False,
    question: Annotated[str | None, opt("--for QUESTION")] = None,
    page: Annotated[int | None, opt("--page N", min=1)] = None,
    window: Annotated[int, opt("--window N", min=0, max=50)] = 1,
    password: Annotated[str | None, opt("--password TEXT")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a page with a highlighted passage and its citation.

    The page contains all its data, so that it can be sent, printed and kept.

    Parameters
    ----------
    chunk_id
        A chunk's id, as search results give it. [default: the best answer to --for] With --page: a
        document.
    output
        Write to this .html or .png file, or into this folder. [default: the current folder]
    out
        The same as --output.
    as_png
        Write a picture instead of a page of HTML.
    open_it
        Open the file in the browser.
    question
        Highlight the answer to this question, and mark the rest of the passage lightly.
    page
        Write this page of the document as a picture.
    window
        Also show N chunks before and after it.
    password
        Opens a protected file to see the page; not stored.
    """
    out = output or out
    suffix = _suffix(out, as_png or page is not None)
    target = ctx.ensure_object(State).collection(collection)
    state = target.workspace.state()
    if page is not None:
        from casetrack.api.viewer.page_picture import page_picture

        picture = page_picture(state, chunk_id or "", page, password=password)
        path = _place(picture.document.name, f"page {page}", out, suffix, picture.png.startswith)
        facts: dict[str, Any] = {"citation": picture.citation, "notes": list(picture.notes)}
        _finish(_write(picture.png, path), facts, [], open_it=open_it, as_json=as_json)
        return
    from casetrack.api.viewer import open_view
    from casetrack.api.viewer.page import page_html

    if chunk_id is None:
        best = target.search(question, limit=1) if question else None
        if not best:
            raise UsageError("No passage to show.", hint="Give its id, or a question with --for.")
        chunk_id = best[0].chunk_id
    view = open_view(state, chunk_id, window=window, password=password, question=question)
    p = view.provenance
    place = f"{p.page_kind or 'page'} {p.page}" if p.sheet_name is None else f"sheet {p.page}"
    path = _place(view.document.name, place, out, suffix, partial(_shows, view))
    content = view.png() if suffix == ".png" else page_html(view).encode("utf-8", "replace")
    facts = {
        "citation": view.chunk.citation,
        "has_picture": view.image is not None,
        "notes": list(view.notes),
        "chunk": view.chunk.as_dict(),
    }
    lines: list[tuple[Part, ...]] = [
        (("At: ", "bold"), (part.citation, "bold cyan")) for part in view.pinpoint
    ]
    lines += [((note, "yellow"),) for note in (*view.notes, *p.warnings)]
    _finish(_write(content, path), facts, lines, open_it=open_it, as_json=as_json)


def _finish(
    path: Path,
    facts: dict[str, Any],
    lines: "Sequence[tuple[Part, ...]]",
    /,
    *,
    open_it: bool,
    as_json: bool,
) -> None:
    """Open the written file if requested, and report it."""
    if open_it:
        open_page(path, "" if path.suffix == ".png" else "#passage")
    if as_json:
        write_json({"file": str(path)} | facts)
        return
    line((facts["citation"], "bold cyan"))
    for parts in lines or [((note, "yellow"),) for note in facts["notes"]]:
        line(*parts)
    line(("Wrote ", "bold"), str(path))


def _suffix(out: Path | None, as_png: bool) -> str:
    """Return the kind of file to write: the name decides, and ``--png`` must agree with it."""
    if out is None or out.is_dir():
        return ".png" if as_png else ".html"
    suffix = out.suffix.lower()
    if suffix not in _SUFFIXES:
        raise UsageError(
            f"The name {out.name!r} does not define the kind of file.",
            hint="Name a file that ends in .html or .png, or a folder that exists.",
        )
    if as_png and suffix != ".png":
        raise UsageError(
            f"--png writes a picture, and {out.name!r} names a page of HTML.",
            hint="Leave out --png, or name a file that ends in .png.",
        )
    return suffix


def _place(
    name: str, place: str, out: Path | None, suffix: str, same: Callable[[bytes], bool], /
) -> Path:
    """Return the absolute path to write; a file of another origin is never replaced.

    *name* is the document, *place* its shown part, and *same* recognizes a file of the same part
    by its first bytes.
    """
    if out is not None and not out.is_dir():
        path = out.expanduser().absolute()
        if _is_free(path, same):
            return path
        raise UsageError(
            f"The file {path} exists and does not show this passage.",
            hint="Choose another name, or remove the file first.",
        )
    folder = (out or Path()).absolute()
    stem = file_stem(Path(name).stem) or "passage"
    for number in range(1, _MAX_NUMBER):
        again = "" if number == 1 else f" ({number})"
        path = folder / f"{stem}, {place}{again}{suffix}"
        if _is_free(path, same):
            return path
    raise UsageError(
        f"Too many files in {folder} are called {stem!r}.", hint="Name a file with --output."
    )


def file_stem(name: str, /) -> str:
    """Return a name in a form that is valid for a file; may be empty."""
    return " ".join(_UNSAFE.sub(" ", name).split())[:_MAX_STEM].strip(" .")


def _is_free(path: Path, same: Callable[[bytes], bool]) -> bool:
    """Return whether the path does not exist, or shows the same content."""
    if not path.exists():
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return same(file.read(4096))


def _shows(view: "View", head: bytes) -> bool:
    from casetrack.api.viewer.page import CHUNK_MARK
    from casetrack.api.viewer.source import CHUNK_FACT, facts_of

    mark = f'{CHUNK_MARK}{view.chunk.chunk_id}"'.encode()
    return mark in head or facts_of(head).get(CHUNK_FACT) == view.chunk.chunk_id


def _write(content: bytes, path: Path) -> Path:
    if not path.parent.is_dir():
        raise UsageError(
            f"The folder {path.parent} does not exist.",
            hint="Create it first, or choose another place.",
        )
    try:
        path.write_bytes(content)
    except OSError as error:
        raise StorageError(
            f"Cannot write {path}: {error.strerror or error}.",
            hint="Free some space, or choose another place with --output.",
        ) from error
    return path


def open_page(path: Path, place: str = "", /) -> None:
    """Open a file in the browser, at *place* such as ``#passage``."""
    import webbrowser

    if not webbrowser.open(path.as_uri() + place):
        line((f"No browser could be opened; open {path} by hand.", "yellow"), err=True)
