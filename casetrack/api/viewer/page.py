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
from casetrack.api.viewer.view import open_view
from casetrack.base.records.shape import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from casetrack.api.viewer.view import View
    from casetrack.base.provenance import Box, Provenance
    from casetrack.base.records import Chunk
    from casetrack.parse.render import PageImage
    from casetrack.store.workspace import State

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
    return "".join(_page(view))


def _page(view: View) -> Iterator[str]:
    chunk, name = view.chunk, esc(view.document.name)
    citation = esc(chunk.citation)
    here = Path(__file__).parent
    style = "".join((here / n).read_text(encoding="utf-8") for n in ("page.css", "style.css"))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield '<meta name="generator" content="CaseTrack">\n'
    yield f'{CHUNK_MARK}{esc(chunk.chunk_id)}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{citation}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<header>\n"
    yield f'<p class="eyebrow">Collection <bdi>{esc(view.collection)}</bdi></p>\n'
    yield f'<h1><bdi>{name}</bdi></h1>\n<p class="citation">{citation}</p>\n'
    if path := chunk.provenance.heading_path:
        items = "".join(f"<li><bdi>{esc(title)}</bdi></li>" for title in path)
        yield f'<ol class="path" aria-label="Headings">{items}</ol>\n'
    yield "</header>\n"
    yield from _notes(view)
    yield f'<main class="{"pair" if chunk.provenance.sheet_name is None else "wide"}">\n'
    yield from _page_section(view)
    yield "<div>\n"
    yield from _words_section(view)
    yield from _facts_section(view)
    yield "</div>\n</main>\n"
    yield "<footer>Written by CaseTrack. It holds all it shows, and loads nothing.</footer>\n"
    yield "</body>\n</html>\n"


def _notes(view: View) -> Iterator[str]:
    p = view.provenance
    if p.is_doubtful:
        text = (
            f"<strong>Low confidence.</strong> This text was recognised by OCR with a confidence "
            f"of {p.ocr_confidence:.2f}. Compare it with the picture of the page before you rely "
            "on it."
        )
        yield f'<p class="note danger" role="note">{text}</p>\n'
    if p.hidden_warning:
        text = f"This passage {p.hidden_warning}."
        yield f'<p class="note danger" role="note"><strong>Hidden text.</strong> {esc(text)}</p>\n'
    for note in view.notes:
        yield f'<p class="note" role="note">{esc(note)}</p>\n'


# --- the page ------------------------------------------------------------------------------


def _page_section(view: View) -> Iterator[str]:
    place = page_words(view)
    yield f'<section aria-label="{esc(place)}">\n<p class="bar"><b>{esc(place)}</b>'
    yield '<a href="#passage">Go to the passage</a></p>\n'
    if view.image is not None:
        yield from _picture(view, view.image, place)
    else:
        p = view.provenance
        is_sheet = p.sheet_name is not None
        yield from page_body(view.page, is_sheet=is_sheet, language=p.language)
    yield "</section>\n"


def page_words(view: View, /) -> str:
    """Say which page is shown, such as ``Page 3 of 11``."""
    p = view.provenance
    kind = (p.page_kind or "page").capitalize()
    text = f"{kind} {p.page} of {view.document.page_count}"
    if p.sheet_name is not None:
        return f"Sheet \u201c{p.sheet_name}\u201d ({p.page} of {view.document.page_count})"
    return f"{text} (estimated)" if p.page_is_estimated else text


def _picture(view: View, image: PageImage, place: str) -> Iterator[str]:
    data = base64.b64encode(image.png).decode("ascii")
    alt = f"Picture of {place[0].lower()}{place[1:]} of {view.document.name}."
    if view.boxes:
        alt += " The passage is highlighted; its words stand under Passage."
    yield f'<figure class="frame" style="--shape:{image.width / image.height:.5f}">'
    yield f'<img alt="{esc(alt)}" src="data:image/png;base64,{data}">\n'
    yield f"{marks_svg(view, image.width, image.height)}</figure>\n"


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


def _words_section(view: View) -> Iterator[str]:
    chunk = view.chunk
    if view.pinpoint:
        yield '<section aria-labelledby="answers">\n<h2 id="answers">What answers</h2>\n'
        for part in view.pinpoint:
            yield f'<div class="paper words"><p class="where">{esc(part.citation)}</p>'
            yield f'<p class="plain"><mark>{esc(part.text)}</mark></p></div>\n'
        yield "</section>\n"
    yield '<section aria-labelledby="words">\n<h2 id="words">Passage</h2>\n'
    yield f'<div class="paper words"><div{_lang(chunk.provenance)} dir="auto">{_lines(chunk)}</div>'
    yield "</div>\n</section>\n"
    row = [*view.window.before, chunk, *view.window.after]
    pairs = list(itertools.pairwise(row))
    here = len(view.window.before)
    # Each neighbour goes without what it shares with the chunk that is nearer to the passage.
    before = [(a, a.text[: len(a.text) - _shared(a, b)]) for a, b in pairs[:here]]
    after = [(b, b.text[_shared(a, b) :]) for a, b in pairs[here:]]
    for title, near in (("Before it", before), ("After it", after)):
        if near:
            yield f'<section aria-label="{title}">\n<h2>{title}</h2>\n<div class="near">\n'
            yield from (_neighbour(c, text) for c, text in near)
            yield "</div>\n</section>\n"


def _shared(first: Chunk, second: Chunk) -> int:
    """Return how many characters at the start of *second* are the end of *first*."""
    a, b = first.provenance, second.provenance
    return max(0, a.char_end - b.char_start) if a.page == b.page else 0


def _neighbour(chunk: Chunk, text: str) -> str:
    if not text.strip():
        return ""
    shown = text if chunk.provenance.sheet_name is not None else flowing(text)
    return (
        f'<div{_lang(chunk.provenance)} dir="auto"><p class="where">{esc(chunk.citation)}</p>'
        f'<p class="plain">{esc(shown.strip())}</p></div>\n'
    )


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


def _lines(chunk: Chunk) -> str:
    """Write the passage with the numbers of its lines, where they are certain.

    Some formats count empty lines and some do not; the passage's last number tells.
    """
    p = chunk.provenance
    lines = chunk.text.strip().split("\n")
    count = p.line_end - p.line_start + 1
    counts_all = len(lines) == count
    is_certain = counts_all or sum(1 for line in lines if line.strip()) == count
    if p.sheet_name is not None or count == 1 or not is_certain:
        return f'<p class="plain">{esc(chunk.text.strip())}</p>'
    number = p.line_start
    parts = []
    for line in lines:
        if line.strip():
            parts.append(f'<i aria-hidden="true">{number}</i><span>{esc(line)}</span>')
        else:
            parts.append('<span class="gap"></span>')
        number += counts_all or bool(line.strip())
    return f'<div class="lines">{"".join(parts)}</div>'


def _lang(provenance: Provenance) -> str:
    return f' lang="{esc(provenance.language)}"' if provenance.language else ""


# --- the facts -----------------------------------------------------------------------------


def _facts_section(view: View) -> Iterator[str]:
    yield '<section aria-labelledby="facts">\n<h2 id="facts">Where it comes from</h2>\n<dl>\n'
    for name, value in _facts(view):
        if value:
            yield f"<dt>{name}</dt><dd>{value}</dd>\n"
    yield "</dl>\n</section>\n"


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
