"""Writes a view as one page of HTML without external resources or scripts."""

from __future__ import annotations

import base64
import itertools
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.grid import PLAIN, make_grid
from casetrack.api.viewer.page_text import flowing, joined
from casetrack.api.viewer.symbols import ENGLISH, Words
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.view import View, open_view
from casetrack.base.provenance import column_letters
from casetrack.base.records.shape import SOURCE
from casetrack.extract.tables.model import is_value
from casetrack.store.passages import page_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.records import Chunk, Document
    from casetrack.store.workspace import State

    _Near = tuple[Chunk, str]

    from casetrack.api.viewer.page_text import Block, PageText


_SHORT = 14
"""Cells with at most this many characters are not broken."""


def page_body(
    page: PageText,
    /,
    *,
    is_sheet: bool = False,
    language: str | None = None,
    words: Words = ENGLISH,
) -> str:
    """Return the page's text as HTML, with the passage marked; *language* is a language code."""
    runs = itertools.groupby(page.blocks, key=lambda b: is_sheet or b.kind == "table")
    return rendered(
        "page_body.html",
        page=page,
        is_sheet=is_sheet,
        language=language,
        words=words,
        columns=page.columns if is_sheet else None,
        runs=((is_table, list(blocks)) for is_table, blocks in runs),
        make_grid=make_grid,
        cells_of=lambda row: {cell.column: cell for cell in row.cells},
        cell_class=_cell_class,
        column_letters=column_letters,
        plain=PLAIN,
    )


def _cell_class(block: Block, start: int, end: int, text: str, is_header: bool) -> str:
    names = ["head"] if is_header else ["number"] if is_value(text) else []
    if len(text) <= _SHORT:
        names.append("short")
    if block.mark_start < end and start < block.mark_end:
        names += ["on", "strong"] if block.answers(start, end) else ["on"]
    return " ".join(names)


_STYLES = ("colours.css", "page.css", "style.css")
CHUNK_MARK = '<meta name="casetrack-chunk" content="'
"""Prefix of the chunk id near the start of every written page."""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'"
METHODS = {
    "Native": "the text that the file itself holds",
    "Ocr": "optical character recognition (OCR)",
    "Hybrid": "the text that the file itself holds, and OCR of its pictures",
    "Spreadsheet": "the cells of the spreadsheet",
}
_OF_LINES = ("text", "char_start", "char_end", "line_boxes", "page_width", "page_height")
OVER = 1.5
"""Points that a highlight extends over its line on each side."""


def view_html(
    state: State, chunk_id: str, /, *, window: int = 1, password: str | None = None
) -> str:
    """Return a passage on its page as a self-contained page of HTML; see :func:`open_view`."""
    return page_html(open_view(state, chunk_id, window=window, password=password))


def page_html(view: View, /) -> str:
    """Return the page."""
    chunk, place = view.chunk, view.provenance
    folder = Path(__file__).parent
    style = "".join((folder / n).read_text(encoding="utf-8") for n in _STYLES)
    before, after = _neighbours(view)
    is_sheet = place.sheet_name is not None
    image = view.image
    can_open = view.source.is_there and Path(view.document.path).is_absolute()
    return rendered(
        "passage.html",
        view=view,
        chunk=chunk,
        place=place,
        policy=_POLICY,
        mark=CHUNK_MARK,
        style=style,
        page_words=page_words(view),
        picture=base64.b64encode(image.png).decode("ascii") if image else "",
        marks=marks_svg(view, image.width, image.height) if image else "",
        body="" if image else page_body(view.page, is_sheet=is_sheet, language=place.language),
        before=before,
        after=after,
        lines=_lines(chunk),
        source=SOURCE.of(place),
        methods=METHODS,
        utc=UTC,
        file=Path(view.document.path).as_uri() if can_open else "",
    )


def page_words(view: View, /) -> str:
    """Return a label such as ``Page 3 of 11``."""
    p = view.provenance
    kind = (p.page_kind or "page").capitalize()
    text = f"{kind} {p.page} of {view.document.page_count}"
    if p.sheet_name is not None:
        return f"Sheet \u201c{p.sheet_name}\u201d ({p.page} of {view.document.page_count})"
    return f"{text} (estimated)" if p.page_is_estimated else text


def marks_svg(view: View, width: float, height: float, /) -> str:
    """Return the marks of a passage as a drawing over its page, sized in points."""
    return rendered("marks.html", view=view, width=width, height=height, over=OVER)


def words_svg(state: State, document: Document, page: int, /) -> str:
    """Return the lines of a page as transparent text in their places, to select over its picture.

    Empty if the places of its lines are unknown.
    """
    rows = page_rows(state.snapshot, document, page, _OF_LINES)
    lines = [line for line in joined(rows).split("\n") if line.strip()]
    boxes: dict[int, Mapping[str, float]] = {}
    for row in rows:
        boxes |= {int(box["line"]): box for box in row["line_boxes"] or ()}
    if not boxes or len(boxes) != len(lines) or not rows[0]["page_width"]:
        return ""
    placed = zip((boxes[number] for number in sorted(boxes)), lines, strict=True)
    size = {"width": rows[0]["page_width"], "height": rows[0]["page_height"]}
    return rendered("selectable.html", placed=placed, **size)


# --- the words -----------------------------------------------------------------------------


def _neighbours(view: View) -> tuple[list[_Near], list[_Near]]:
    """Return the chunks before and after the passage, without their shared text."""
    row = [*view.window.before, view.chunk, *view.window.after]
    pairs = list(itertools.pairwise(row))
    position = len(view.window.before)
    # Remove from each neighbour the text that a chunk nearer to the passage also contains.
    before = [(a, a.text[: len(a.text) - _shared(a, b)]) for a, b in pairs[:position]]
    after = [(b, b.text[_shared(a, b) :]) for a, b in pairs[position:]]
    return [_near(*one) for one in before], [_near(*one) for one in after]


def _near(chunk: Chunk, text: str) -> _Near:
    return chunk, text if chunk.provenance.sheet_name is not None else flowing(text)


def _shared(first: Chunk, second: Chunk) -> int:
    """Return the length of the longest start of *second* that ends *first*."""
    a, b = first.provenance, second.provenance
    return max(0, a.char_end - b.char_start) if a.page == b.page else 0


def _lines(chunk: Chunk) -> list[tuple[int, str]]:
    """Return the passage's lines with their numbers; nothing if the numbers are uncertain.

    Some formats count empty lines and some do not, so the passage's last number must match.
    """
    p = chunk.provenance
    lines = chunk.text.strip().split("\n")
    count = p.line_end - p.line_start + 1
    counts_all = len(lines) == count
    is_certain = counts_all or sum(1 for line in lines if line.strip()) == count
    if p.sheet_name is not None or count == 1 or not is_certain:
        return []
    steps = (counts_all or bool(line.strip()) for line in lines)
    return list(zip(itertools.accumulate(steps, initial=p.line_start), lines, strict=False))
