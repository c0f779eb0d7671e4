"""Sets blocks as PDF pages with reportlab, the same bytes each time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import reportlab
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT
from reportlab.lib.fonts import addMapping
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Frame,
    FrameBreak,
    HRFlowable,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Table,
    TableStyle,
)

from _make.markup import Block, inline

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

_WIDTH, _HEIGHT = A4
_TITLE_HEIGHT = 27 * mm
_GUTTER = 8 * mm


@dataclass(frozen=True, slots=True)
class Style:
    """The dress of one kind of PDF.

    Attributes
    ----------
    font
        Family known to reportlab after :func:`register_fonts`.
    size, leading
        Type size and line distance in points.
    margin
        Left and right margin in points.
    justify
        Both edges straight, words divided at line ends.
    ligatures
        Set fi and fl as the single characters U+FB01 and U+FB02.
    running
        Print title and page number on each page.
    """

    font: str
    size: float
    leading: float
    margin: float = 26 * mm
    justify: bool = False
    ligatures: bool = False
    running: bool = True


STYLES = {
    "contract": Style("Contract", 10.6, 14.6, 30 * mm, justify=True, ligatures=True),
    "report": Style("Times-Roman", 10.8, 14.6, 22 * mm, justify=True),
    "opinion": Style("Times-Roman", 11, 15, 28 * mm, justify=True),
    "letter": Style("Helvetica", 10, 13.6, running=False),
    "invoice": Style("Vera", 8.6, 12.4, 22 * mm, running=False),
}


def register_fonts() -> None:
    """Make the families ``Contract`` and ``Vera`` known.

    ``Contract`` is Times with the ligatures fi and fl. The usual encoding of a PDF's base fonts
    lacks them, so they come from a second Times under the Mac Roman encoding, which holds them;
    no font needs to be embedded.
    """
    if "Contract" in pdfmetrics.getRegisteredFontNames():
        return
    faces = {
        "Contract": ("Times-Roman", "Times-Bold", "Times-Italic"),
        "Vera": ("Vera.ttf", "VeraBd.ttf", "VeraIt.ttf"),
    }
    folder = Path(reportlab.__file__).parent / "fonts"
    for family, files in faces.items():
        for file, suffix, bold, italic in zip(
            files, ("", "-Bold", "-Italic"), (0, 1, 0), (0, 0, 1), strict=True
        ):
            name = family + suffix
            if file.endswith(".ttf"):
                pdfmetrics.registerFont(TTFont(name, str(folder / file)))
            else:
                font = pdfmetrics.Font(name, file, "WinAnsiEncoding")
                ligatures = pdfmetrics.Font(f"{name}-Ligatures", file, "MacRomanEncoding")
                font.substitutionFonts = [ligatures, *font.substitutionFonts]
                pdfmetrics.registerFont(ligatures)
                pdfmetrics.registerFont(font)
            addMapping(family, bold, italic, name)


def write_pdf(
    path: Path,
    blocks: list[Block],
    /,
    *,
    style: Style,
    title: str,
    author: str,
    date: dt.date,
    language: str,
    hyphens: dict[str, str],
) -> None:
    """Set ``blocks`` in ``style`` and write the file ``path``."""
    register_fonts()
    document = BaseDocTemplate(
        str(path),
        pagesize=A4,
        title=title,
        author=author,
        creator="Brackenfell case file",
        lang=language,
        invariant=1,
        # Compressed streams would differ between builds of zlib.
        pageCompression=0,
    )
    sections = _sections(blocks)
    # reportlab begins with the first template it was given.
    templates = sorted(_templates(style, title, date), key=lambda one: one.id != sections[0][0])
    document.addPageTemplates(templates)
    document.build(list(_Setter(style, hyphens).flow(sections)))


def write_blank(path: Path, /, *, title: str, author: str, date: dt.date) -> None:
    """Write a PDF of one page with nothing on it."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=A4, invariant=1, pageCompression=0)
    dress(canvas, title=title, author=author, date=date)
    canvas.showPage()
    canvas.save()


def dress(canvas: Any, /, *, title: str, author: str, date: dt.date) -> None:
    """Set a canvas's document properties, the date of the document among them."""
    canvas.setTitle(title)
    canvas.setAuthor(author)
    canvas.setCreator("Brackenfell case file")
    fix_date(canvas, date)


def fix_date(canvas: Any, date: dt.date, /) -> None:
    """Give the file the date of the document instead of the time of writing."""
    canvas.setDateFormatter(lambda *_: f"D:{date:%Y%m%d}090000+00'00'")


def _templates(style: Style, title: str, date: dt.date, /) -> list[PageTemplate]:
    top, bottom = 24 * mm, 22 * mm
    width, height = _WIDTH - 2 * style.margin, _HEIGHT - top - bottom
    column = (width - _GUTTER) / 2
    right = style.margin + column + _GUTTER

    def frame(x: float, y: float, w: float, h: float) -> Frame:
        return Frame(x, y, w, h, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)

    def before(canvas: Any, _document: Any) -> None:
        fix_date(canvas, date)
        if not style.running:
            return
        canvas.setFont(style.font, 8.5)
        canvas.drawString(style.margin, _HEIGHT - 15 * mm, _ligate(title, style))
        canvas.setLineWidth(0.3)
        canvas.line(style.margin, _HEIGHT - 17 * mm, _WIDTH - style.margin, _HEIGHT - 17 * mm)

    def between(canvas: Any, document: Any, top_of_rule: float) -> None:
        before(canvas, document)
        canvas.setLineWidth(0.3)
        canvas.line(_WIDTH / 2, bottom, _WIDTH / 2, top_of_rule)

    def after(canvas: Any, _document: Any) -> None:
        if style.running:
            canvas.setFont(style.font, 8.5)
            canvas.drawCentredString(_WIDTH / 2, 13 * mm, f"Page {canvas.getPageNumber()}")

    low = height - _TITLE_HEIGHT
    return [
        PageTemplate("one", [frame(style.margin, bottom, width, height)], before, after),
        PageTemplate(
            "title",
            [
                frame(style.margin, bottom + low, width, _TITLE_HEIGHT),
                frame(style.margin, bottom, column, low),
                frame(right, bottom, column, low),
            ],
            lambda canvas, document: between(canvas, document, bottom + low),
            after,
        ),
        PageTemplate(
            "two",
            [frame(style.margin, bottom, column, height), frame(right, bottom, column, height)],
            lambda canvas, document: between(canvas, document, bottom + height),
            after,
        ),
    ]


def _sections(blocks: list[Block], /) -> list[tuple[str, list[Block]]]:
    """Split at page breaks; name the template by whether the section is set in columns."""
    sections: list[list[Block]] = [[]]
    for block in blocks:
        if block.kind == "page":
            sections.append([])
        else:
            sections[-1].append(block)
    return [
        ("title" if any(block.kind == "columns" for block in one) else "one", one)
        for one in sections
    ]


def _ligate(text: str, style: Style, /) -> str:
    return text.replace("fi", "\ufb01").replace("fl", "\ufb02") if style.ligatures else text


class _Setter:
    """Turns blocks into reportlab's flowables."""

    def __init__(self, style: Style, hyphens: dict[str, str], /) -> None:
        self._style = style
        self._hyphens = hyphens if style.justify else {}
        base = ParagraphStyle(
            "text",
            fontName=style.font,
            fontSize=style.size,
            leading=style.leading,
            spaceAfter=style.leading * 0.5,
            alignment=TA_JUSTIFY if style.justify else TA_LEFT,
            embeddedHyphenation=1,
            allowWidows=0,
            allowOrphans=0,
        )

        def derive(name: str, **changes: Any) -> ParagraphStyle:
            return ParagraphStyle(name, parent=base, **changes)

        heading = {"alignment": TA_LEFT, "keepWithNext": 1}
        self._styles = {
            "text": base,
            "clause": base,
            "letter": derive("letter", leftIndent=24),
            "bullet": derive("bullet", leftIndent=14, bulletIndent=3),
            "line": derive("line", alignment=TA_LEFT, spaceAfter=0),
            "cell": derive(
                "cell",
                alignment=TA_LEFT,
                spaceAfter=0,
                fontSize=style.size - 0.8,
                leading=style.leading - 2,
            ),
            "heading1": derive(
                "h1", **heading, fontSize=style.size + 6, leading=style.leading + 8, spaceBefore=4
            ),
            "heading2": derive(
                "h2", **heading, fontSize=style.size + 1.4, leading=style.leading + 2, spaceBefore=7
            ),
            "heading3": derive("h3", **heading, spaceBefore=5),
        }

    def flow(self, sections: list[tuple[str, list[Block]]], /) -> Iterator[Any]:
        """Yield flowables; each section begins on a new page of its own template."""
        for number, (template, blocks) in enumerate(sections):
            yield NextPageTemplate(template)
            if number:
                yield PageBreak()
            for block in blocks:
                yield from self._set(block, columns=template == "title")

    def _set(self, block: Block, /, *, columns: bool) -> Iterator[Any]:
        if block.kind == "columns":
            yield NextPageTemplate("two")
            yield FrameBreak()
        elif block.kind == "rule":
            yield HRFlowable(
                width="100%", thickness=0.5, color=colors.black, spaceBefore=2, spaceAfter=6
            )
        elif block.kind == "table":
            yield self._table(block.rows, columns=columns)
        elif block.kind == "heading":
            yield CondPageBreak(self._style.leading * 4)
            yield Paragraph(
                f"<b>{self._mark(block.text)}</b>", self._styles[f"heading{block.level}"]
            )
        elif block.kind == "line":
            gap = self._style.leading if block.level else 0
            yield Paragraph(
                self._mark(block.text),
                ParagraphStyle("last", parent=self._styles["line"], spaceAfter=gap),
            )
        else:
            bullet = "•" if block.kind == "bullet" else None
            yield Paragraph(self._mark(block.text), self._styles[block.kind], bulletText=bullet)

    def _mark(self, text: str, /) -> str:
        """Text as reportlab's markup, with points of division and ligatures put in."""
        parts = []
        for run, weight in inline(text):
            words = " ".join(self._divide(word) for word in run.split(" "))
            safe = escape(_ligate(words, self._style))
            tag = {"bold": "b", "italic": "i"}.get(weight)
            parts.append(f"<{tag}>{safe}</{tag}>" if tag else safe)
        return "".join(parts)

    def _divide(self, word: str, /) -> str:
        bare = word.strip("“”‘’().,;:?!")
        if bare.lower() not in self._hyphens:
            return word
        letters = iter(bare)
        points = self._hyphens[bare.lower()]
        return word.replace(bare, "".join(c if c == "\xad" else next(letters) for c in points))

    def _table(self, rows: tuple[tuple[str, ...], ...], /, *, columns: bool) -> Table:
        width = _WIDTH - 2 * self._style.margin
        if columns:
            width = (width - _GUTTER) / 2 - 0.5
        cells = [
            [
                Paragraph(
                    f"<b>{self._mark(c)}</b>" if not i else self._mark(c), self._styles["cell"]
                )
                for c in row
            ]
            for i, row in enumerate(rows)
        ]
        table = Table(
            cells,
            colWidths=self._widths(rows, width),
            repeatRows=1,
            spaceBefore=2,
            spaceAfter=self._style.leading * 0.7,
        )
        table.setStyle(
            TableStyle(
                [
                    ("GRID", (0, 0), (-1, -1), 0.4, colors.black),
                    ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e8e8e8")),
                    ("VALIGN", (0, 0), (-1, -1), "TOP"),
                    ("TOPPADDING", (0, 0), (-1, -1), 2),
                    ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
                ]
            )
        )
        return table

    def _widths(self, rows: tuple[tuple[str, ...], ...], width: float, /) -> list[float]:
        """Widths of columns: each holds its longest word; the rest goes where more text stands."""
        size = self._styles["cell"].fontSize
        font = f"{self._style.font.removesuffix('-Roman')}-Bold"

        def measure(text: str) -> float:
            return float(pdfmetrics.stringWidth(text, font, size))

        columns = list(zip(*rows, strict=True))
        least = [
            max(measure(word) for cell in column for word in cell.split(" ")) + 13
            for column in columns
        ]
        whole = [min(max(measure(cell) for cell in column) + 13, width / 2) for column in columns]
        wish = [max(many - few, 0) for few, many in zip(least, whole, strict=True)]
        spare = width - sum(least)
        if not any(wish):
            return [few + spare / len(least) for few in least]
        return [few + spare * part / sum(wish) for few, part in zip(least, wish, strict=True)]
