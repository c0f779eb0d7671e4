"""Writes a view as one page of HTML that loads nothing and runs nothing."""

from __future__ import annotations

import base64
import itertools
import re
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.markup import address, esc, span
from casetrack.api.viewer.page_body import page_body
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.view import open_view
from casetrack.base.records.shape import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from casetrack.api.viewer.view import View
    from casetrack.base.provenance import Box
    from casetrack.base.records import Chunk
    from casetrack.store.workspace import State

    _Near = tuple[Chunk, str]

CHUNK_MARK = '<meta name="casetrack-chunk" content="'
"""Stands near the start of every page that is written, before the chunk's id."""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'"
_METHODS = {
    "Native": "the text that the file itself holds",
    "Ocr": "optical character recognition (OCR)",
    "Hybrid": "the text that the file itself holds, and OCR of its pictures",
    "Spreadsheet": "the cells of the spreadsheet",
}
_FULL = 0.75
"""A line of at least this share of the longest one went on in the next."""
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\(?\w{1,3}[.)]|\d+(?:\.\d+)*)\s|.* \| ")
_OVER = 1.5
"""Points by which a highlight goes over its line to either side."""


def view_html(
    state: State, chunk_id: str, /, *, window: int = 1, password: str | None = None
) -> str:
    """Return a passage on its page as a self-contained page of HTML; see :func:`open_view`."""
    return page_html(open_view(state, chunk_id, window=window, password=password))


def page_html(view: View, /) -> str:
    """Return the page."""
    chunk, place = view.chunk, view.provenance
    here = Path(__file__).parent
    style = "".join((here / n).read_text(encoding="utf-8") for n in ("page.css", "style.css"))
    before, after = _neighbours(view)
    is_sheet = place.sheet_name is not None
    image = view.image
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
        body=""
        if image
        else "".join(page_body(view.page, is_sheet=is_sheet, language=place.language)),
        before=before,
        after=after,
        lines=_lines(chunk),
        facts=_facts(view),
    )


def page_words(view: View, /) -> str:
    """Say which page is shown, such as ``Page 3 of 11``."""
    p = view.provenance
    kind = (p.page_kind or "page").capitalize()
    text = f"{kind} {p.page} of {view.document.page_count}"
    if p.sheet_name is not None:
        return f"Sheet \u201c{p.sheet_name}\u201d ({p.page} of {view.document.page_count})"
    return f"{text} (estimated)" if p.page_is_estimated else text


def marks_svg(view: View, width: float, height: float, /) -> str:
    """Return the marks of a passage as a drawing to lie over its page, sized in points."""
    head = f'<svg viewBox="0 0 {width:.2f} {height:.2f}" preserveAspectRatio="none" '
    parts = [head + ('aria-hidden="true" class="light">' if view.strong else 'aria-hidden="true">')]
    for number, line in enumerate(view.provenance.line_boxes):
        target = ' id="passage" class="target"' if number == 0 else ""
        title = f"<title>Line {line.line}</title>"
        parts.append(f"<rect{target} {_sides(line.box)}>{title}</rect>")
    parts += [f'<rect class="strong" {_sides(box)}/>' for box in view.strong]
    return "".join(parts) + "</svg>"


def _sides(box: Box) -> str:
    width, height = max(box.x1 - box.x0, 0) + 2 * _OVER, max(box.y1 - box.y0, 0)
    place = f'x="{box.x0 - _OVER:.2f}" y="{box.y0:.2f}" rx="1"'
    return f'{place} width="{width:.2f}" height="{height:.2f}"'


# --- the words -----------------------------------------------------------------------------


def _neighbours(view: View) -> tuple[list[_Near], list[_Near]]:
    """Return the chunks before and after the passage, without the text that they share."""
    row = [*view.window.before, view.chunk, *view.window.after]
    pairs = list(itertools.pairwise(row))
    here = len(view.window.before)
    # Each neighbour goes without what it shares with the chunk that is nearer to the passage.
    before = [(a, a.text[: len(a.text) - _shared(a, b)]) for a, b in pairs[:here]]
    after = [(b, b.text[_shared(a, b) :]) for a, b in pairs[here:]]
    return [_near(*one) for one in before], [_near(*one) for one in after]


def _near(chunk: Chunk, text: str) -> _Near:
    return chunk, text if chunk.provenance.sheet_name is not None else flowing(text)


def _shared(first: Chunk, second: Chunk) -> int:
    """Return how many characters at the start of *second* are the end of *first*."""
    a, b = first.provenance, second.provenance
    return max(0, a.char_end - b.char_start) if a.page == b.page else 0


def flowing(text: str, /) -> str:
    """Join the lines of paragraphs that were broken because they were full."""
    lines = text.split("\n")
    full = max(map(len, lines)) * _FULL
    out = last = ""
    for line in lines:
        flows = last and line.strip() and len(last) >= full and not _ITEM.match(line)
        out += (" " if flows else "\n" if out else "") + line
        last = line
    return out


def _lines(chunk: Chunk) -> list[tuple[int, str]]:
    """Return the lines of the passage with their numbers; nothing where these are not certain.

    Some formats count empty lines and some do not; the passage's last number tells.
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


# --- the facts -----------------------------------------------------------------------------


def _facts(view: View) -> Iterator[tuple[str, str]]:
    """Give names and values; the values are HTML."""
    p, document, source = view.provenance, view.document, SOURCE.of(view.provenance)
    yield "File", _file(view)
    yield "Source", span(document.source or "")
    yield "Address", address(document.source_url)
    yield "Author there", span(document.source_author or "")
    yield "Changed there", _time(document.source_updated_at)
    yield "Attached to", span(view.parent.name) if view.parent else ""
    yield "Title", span(document.title or "")
    yield "Author", span(document.author or "")
    yield (p.page_kind or "page").capitalize(), _page_number(view)
    yield "Rows", esc(source["row_range"] or "")
    yield "Columns", esc(source["column_range"] or "")
    if p.sheet_name is None:
        yield "Paragraphs", _range(p.paragraph_start, p.paragraph_end)
        yield "Lines", _range(p.line_start, p.line_end)
    yield "Characters", f"{p.char_start:,}\u2013{p.char_end:,} of the page\u2019s text"
    yield "Table columns", span(p.table_header or "")
    yield "Page header", span(p.page_header or "")
    yield "Page footer", span(p.page_footer or "")
    yield "As printed", esc(p.printed_place or "")
    yield "Language", esc(p.language or "")
    yield "Read from", _METHODS.get(p.extraction_method, esc(p.extraction_method))
    if p.ocr_confidence is not None:
        doubt = " (low)" if p.is_doubtful else ""
        engine = f", read by {esc(document.ocr_engine)}" if document.ocr_engine else ""
        yield "OCR confidence", f"{p.ocr_confidence:.2f}{doubt}{engine}"
    yield "Written", _time(document.own_date)
    yield "Last changed", _time(document.content_modified_at or document.file_modified_at)
    yield "Ingested", _time(p.ingested_at)
    yield "Passage made", _time(p.created_at)
    yield "Embedded", _time(p.embedded_at)
    chunk = f"{p.chunk_index + 1} of {view.chunk.chunk_count}"
    yield "Passage", f'{chunk}, <span class="id">{esc(p.chunk_id)}</span>'
    yield "Document", f'<span class="id">{esc(p.document_id)}</span>'
    yield "SHA-256", f'<span class="id">{esc(document.file_hash)}</span>'


def _page_number(view: View) -> str:
    p = view.provenance
    name = "" if p.sheet_name is None else f"{span(p.sheet_name)}, "
    estimated = " (estimated)" if p.page_is_estimated else ""
    return f"{name}{p.page} of {view.document.page_count}{estimated}"


def _file(view: View) -> str:
    path = view.document.path
    shown = span(path)
    if not view.source.is_there or not Path(path).is_absolute():
        return shown
    return f'{shown}<br><a href="{esc(Path(path).as_uri())}" rel="noreferrer">Open the file</a>'


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}\u2013{last}"


def _time(moment: datetime | None) -> str:
    if moment is None:
        return ""
    utc = moment.astimezone(UTC)
    return f'<time datetime="{utc:%Y-%m-%dT%H:%M:%SZ}">{utc:%Y-%m-%d %H:%M} UTC</time>'
