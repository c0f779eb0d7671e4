"""Transcripts and pleadings as PDF, DOCX and plain text, in the layouts of many reporters."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tests.tools.court_words import prose, spoken

if TYPE_CHECKING:
    from pathlib import Path

PageAt = Literal["top right", "top", "bottom", "bottom dashes", "top words"]


@dataclass(frozen=True)
class Printed:
    """A page as printed: its own number, and the text of each of its numbered lines."""

    label: str
    lines: tuple[str, ...]

    def expected(self) -> list[tuple[str, str, str]]:
        """Return page, line and words of each line that has any."""
        return [
            (self.label, str(number), " ".join(line.split()))
            for number, line in enumerate(self.lines, start=1)
            if line.strip()
        ]


@dataclass(frozen=True)
class Layout:
    """Page layout of a reporter or a court.

    Attributes
    ----------
    lines, pitch, size
        Numbered lines on a page, points from one to the next, font size.
    number_size
        Font size of the numbers, if different.
    font
        A font name of MuPDF.
    number_x, text_x
        Left edges; the numbers end at *number_x* plus two figures.
    one_string
        Number and text are drawn as one string of fixed width.
    split_digits
        The two figures of a number are drawn separately.
    page_at
        Position of the page number.
    box, double_rule
        Lines drawn around the text, or at its left.
    stamps
        Times before the numbers.
    bates
        Prefix of the number stamped at the foot of each page.
    skew
        Distance in points of the text below its number.
    rotate
        Rotation of the page, degrees.
    top, width
        Height of the first line, in points; characters on a line.
    words
        Its text.
    sparse_first
        The first page has a gap, as below a caption.
    """

    lines: int = 25
    pitch: float = 24.0
    size: float = 12.0
    number_size: float = 12.0
    font: str = "cour"
    number_x: float = 60.0
    text_x: float = 100.0
    one_string: bool = False
    split_digits: bool = False
    page_at: PageAt = "top right"
    box: bool = False
    double_rule: bool = False
    stamps: bool = False
    footer: str = ""
    bates: str = ""
    skew: float = 0.0
    rotate: int = 0
    first_page: int = 1
    top: float = 80.0
    width: int = 60
    words: Literal["testimony", "prose"] = "testimony"
    sparse_first: bool = False


LAYOUTS: dict[str, Layout] = {
    "plain": Layout(first_page=24),
    "one string": Layout(one_string=True, first_page=101, page_at="top right"),
    "boxed": Layout(box=True, footer="ACME COURT REPORTING  (800) 555-0142", page_at="top words"),
    "stamped times": Layout(stamps=True, number_x=110, text_x=140, width=52, first_page=9),
    "split digits": Layout(split_digits=True, page_at="bottom", first_page=47),
    "small numbers": Layout(number_size=8, font="tiro", text_x=95, page_at="bottom dashes"),
    "one string, times font": Layout(one_string=True, font="tiro", first_page=310, width=66),
    "rotated": Layout(rotate=90, first_page=5),
    "stamped Bates": Layout(bates="ABC", first_page=61, footer="www.example-reporters.com"),
    "tight": Layout(lines=28, pitch=20, size=10, width=72, page_at="top words", first_page=2),
    "pleading": Layout(
        lines=28, pitch=24, words="prose", font="tiro", double_rule=True, page_at="bottom dashes",
        footer="DEFENDANT'S MOTION TO DISMISS", text_x=112, number_x=80, width=70, top=60,
        sparse_first=True, skew=1.5,
    ),
    "pleading, off pitch": Layout(
        lines=28, pitch=23.2, words="prose", font="helv", double_rule=True, page_at="bottom",
        text_x=112, number_x=76, width=64, top=64, skew=5.0, sparse_first=True,
    ),
}  # fmt: skip
"""Layouts of real papers by their characteristics."""


def pages_of(layout: Layout, count: int, seed: int = 0) -> list[Printed]:
    """Return *count* pages of a layout."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        lines = (
            spoken(chance, layout.lines, layout.width)
            if layout.words == "testimony"
            else prose(chance, layout.lines, layout.width)
        )
        if layout.sparse_first and number == 0:
            lines[8:14] = [""] * 6
        made.append(Printed(str(layout.first_page + number), tuple(lines)))
    return made


def with_cover(pages: list[Printed], label: int) -> list[Printed]:
    """Return pages after a cover and an index, whose lines read as no testimony."""
    lines = len(pages[0].lines)
    cover = ["UNITED STATES DISTRICT COURT", "", "ACME, INC.,", "", "      Plaintiff,", "   v."]
    cover += ["BETA LLC,", "", "DEPOSITION OF JANE SMITH", "", "Reported by: A. Person, CSR 12345"]
    index = ["I N D E X", "", "WITNESS        PAGE", "Jane Smith       5", "", "EXHIBITS"]
    index += [f"{n}   Letter of {n} May 2011      {n + 20}" for n in range(1, 12)]
    made = [
        Printed(str(label + i), tuple(text + [""] * (lines - len(text))))
        for i, text in enumerate((cover, index))
    ]
    return [*made, *pages]


def write_pdf(path: Path, layout: Layout, pages: list[Printed]) -> None:
    """Write the pages as a PDF with text."""
    import pymupdf

    document = pymupdf.open()
    for index, printed in enumerate(pages):
        page = document.new_page(width=612, height=792)
        _draw_page(page, layout, printed)
        if layout.bates:
            page.insert_text((480, 775), f"{layout.bates}{index + 1:06d}", fontsize=9)
        if layout.rotate:
            page.set_rotation(layout.rotate)
    document.save(path, deflate=True)
    document.close()


def _draw_page(page: Any, layout: Layout, printed: Printed) -> None:
    import pymupdf

    put = page.insert_text
    for index, text in enumerate(printed.lines):
        y = layout.top + index * layout.pitch
        number = f"{index + 1:>2}"
        if layout.one_string:
            put(
                (layout.number_x, y),
                f"{number}   {text}",
                fontname=layout.font,
                fontsize=layout.size,
            )
            continue
        _draw_number(put, layout, number, y)
        if layout.stamps:
            stamp = f"10:{(index * 7) % 60:02d}:{(index * 13) % 60:02d}"
            put((40, y), stamp, fontname=layout.font, fontsize=9)
        if text.strip():
            indent = len(text) - len(text.lstrip())
            x = layout.text_x + indent * 0.5 * layout.size
            put((x, y + layout.skew), text.strip(), fontname=layout.font, fontsize=layout.size)
    bottom = layout.top + layout.lines * layout.pitch
    _draw_margins(put, layout, printed, bottom)
    if layout.box:
        box = pymupdf.Rect(layout.number_x + 25, layout.top - 20, 580, bottom)
        page.draw_rect(box)
    if layout.double_rule:
        for x in (layout.text_x - 12, layout.text_x - 9):
            page.draw_line((x, 20), (x, 780))
        page.draw_line((580, 20), (580, 780))


def _draw_number(put: Any, layout: Layout, number: str, y: float) -> None:
    import pymupdf

    size = layout.number_size
    text = number.strip()
    right = layout.number_x + 2 * 0.6 * size
    width = pymupdf.get_text_length(text, fontname=layout.font, fontsize=size)
    if layout.split_digits and len(text) == 2:
        put((right - width, y), text[0], fontname=layout.font, fontsize=size)
        put((right - width / 2 + 1.5, y), text[1], fontname=layout.font, fontsize=size)
        return
    put((right - width, y), text, fontname=layout.font, fontsize=size)


def _draw_margins(put: Any, layout: Layout, printed: Printed, bottom: float) -> None:
    where = {
        "top right": ((540, 45), printed.label),
        "top": ((300, 45), printed.label),
        "top words": ((500, 45), f"Page {printed.label}"),
        "bottom": ((300, min(bottom + 20, 770)), printed.label),
        "bottom dashes": ((295, min(bottom + 20, 770)), f"- {printed.label} -"),
    }
    at, text = where[layout.page_at]
    put(at, text, fontname=layout.font, fontsize=layout.size)
    if layout.footer:
        put((180, min(bottom + 34, 784)), layout.footer, fontname=layout.font, fontsize=8)


def write_condensed(path: Path, pages: list[Printed], *, across: bool = False) -> None:
    """Write four pages to a sheet, down the columns or across."""
    import pymupdf

    document = pymupdf.open()
    small = Layout(pitch=13.0, size=7.0, number_size=7.0, top=60, number_x=40, text_x=58)
    places = [(0, 0), (1, 0), (0, 1), (1, 1)] if across else [(0, 0), (0, 1), (1, 0), (1, 1)]
    for first in range(0, len(pages), 4):
        sheet = document.new_page(width=612, height=792)
        four = pages[first : first + 4]
        head = f"{sheet.number + 1} (Pages {four[0].label} to {four[-1].label})"
        sheet.insert_text((240, 20), head, fontsize=8)
        for (column, row), printed in zip(places, four, strict=False):
            x, y = 285.0 * column, 372.0 * row
            shifted = replace(
                small, number_x=small.number_x + x, text_x=small.text_x + x, top=small.top + y
            )
            sheet.insert_text(
                (x + 230, y + 42), f"Page {printed.label}", fontname="cour", fontsize=7
            )
            for index, text in enumerate(printed.lines):
                line = shifted.top + index * small.pitch
                _draw_number(sheet.insert_text, shifted, f"{index + 1:>2}", line)
                if text.strip():
                    indent = len(text) - len(text.lstrip())
                    at = (shifted.text_x + indent * 3.0, line)
                    sheet.insert_text(at, text.strip(), fontname="cour", fontsize=6.0)
            sheet.draw_rect(pymupdf.Rect(x + 36, y + 30, x + 290, y + 392))
    document.save(path, deflate=True)
    document.close()


TextStyle = Literal[
    "padded", "stamps", "stamps after", "double spaced", "page word", "no feeds", "zeros"
]


def text_of(pages: list[Printed], style: TextStyle = "padded") -> str:
    """Return the pages as a plain text transcript."""
    out = []
    for printed in pages:
        label = {"page word": f"Page {printed.label}", "zeros": f"{int(printed.label):04d}"}.get(
            style, printed.label
        )
        rows = [f"{label:>66}", ""]
        for number, line in enumerate(printed.lines, start=1):
            row = f"{number:>2}   {line}".rstrip()
            if style == "stamps":
                row = f"10:{number:02d}:07 {row}"
            elif style == "stamps after" and line.strip():
                row = f"{number:>2} 10:{number:02d}:07  {line}".rstrip()
            elif style == "zeros":
                row = f"{number:02d}   {line}".rstrip()
            elif style == "page word":
                row = f"    {row}"
            rows.append(row)
            if style == "double spaced":
                rows.append("")
        out.append("\n".join(rows))
    return ("\n\n" if style == "no feeds" else "\f").join(out) + "\n"


def write_docx(path: Path, pages: list[Printed], *, table: bool = False) -> None:
    """Write the pages as a DOCX whose lines have typed numbers, before a tab or in a table."""
    import docx
    from docx.enum.text import WD_BREAK

    document = docx.Document()
    for index, printed in enumerate(pages):
        head = document.add_paragraph(printed.label)
        if index:
            head.runs[0].add_break(WD_BREAK.PAGE)
            head.clear()
            head.add_run().add_break(WD_BREAK.PAGE)
            head.add_run(printed.label)
        if table:
            rows = document.add_table(rows=0, cols=2)
            for number, line in enumerate(printed.lines, start=1):
                cells = rows.add_row().cells
                cells[0].text, cells[1].text = str(number), " ".join(line.split())
            continue
        for number, line in enumerate(printed.lines, start=1):
            document.add_paragraph(f"{number}\t{' '.join(line.split())}".rstrip())
    document.save(str(path))


def write_scan(path: Path, source: Path, *, dpi: int = 200) -> None:
    """Write a PDF of pictures of the pages of another one."""
    import pymupdf

    with pymupdf.open(source) as printed, pymupdf.open() as document:
        for page in printed:
            picture = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
            sheet = document.new_page(width=page.rect.width, height=page.rect.height)
            sheet.insert_image(sheet.rect, stream=picture.tobytes("png"))
        document.save(path)
