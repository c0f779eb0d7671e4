"""Sets blocks and statement tables as PDF pages, each kind of document in a dress of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from _make.markup import Block, inline
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT
from reportlab.lib.pagesizes import A4, LETTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    HRFlowable,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Mapping
    from pathlib import Path


GUTTER = 7 * mm


@dataclass(frozen=True)
class Dress:
    """How the pages of a document look."""

    font: str = "Times-Roman"
    bold: str = "Times-Bold"
    size: float = 10.5
    leading: float = 14.2
    page: tuple[float, float] = A4
    margin: float = 25 * mm
    justify: bool = True
    colour: str = "#000000"
    header: str = ""
    """Left of the page's head; the section stands at the right."""
    footer: str = "{page}"
    band: bool = False
    """Rows of statements in two shades."""
    currency: str = ""
    """A sign before the first and the total rows of a statement."""


DRESSES = {
    "filing": Dress(size=11, leading=15.2, page=LETTER, margin=25 * mm, currency="$"),
    "annual": Dress(
        "Helvetica",
        "Helvetica-Bold",
        10,
        15,
        margin=18 * mm,
        justify=False,
        colour="#1d4e3a",
        header="Calloway & Finch plc",
        footer="{page}   Annual Report and Accounts 2024",
    ),
    "energy": Dress(
        "Helvetica",
        "Helvetica-Bold",
        10.4,
        15.6,
        margin=26 * mm,
        colour="#0b3a66",
        band=True,
        header="Nordhavn Vind ASA · Annual report 2022",
        footer="Page {page}",
    ),
    "contract": Dress(size=11, leading=14.8, margin=30 * mm, footer="- {page} -"),
    "typed": Dress("Courier", "Courier-Bold", 10.4, 14, LETTER, 28 * mm, False, footer="{page}"),
    "lease": Dress("Helvetica", "Helvetica-Bold", 11.2, 16.4, margin=31 * mm, footer="Page {page}"),
    "loan": Dress(
        size=10.8, leading=14.4, margin=28 * mm, footer="{page}", header="Execution version"
    ),
    "statute": Dress(
        size=10.6, leading=13.8, margin=32 * mm, header="Statutory Instruments", footer="{page}"
    ),
    "act": Dress(
        "Helvetica",
        "Helvetica-Bold",
        9.6,
        13,
        LETTER,
        30 * mm,
        False,
        footer="{page}",
        header="Public Acts of the Session of 2021",
    ),
}


@dataclass(frozen=True)
class Sheet:
    """A table of figures: heads of columns, and rows of a kind, a label and cells.

    Kinds: ``h`` heads a group, ``r`` is a line, ``s`` a sum, ``t`` a total.
    """

    heads: tuple[str, ...]
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    widths: tuple[float, ...] = ()
    first: str = ""


class _Section(Flowable):  # type: ignore[misc]
    """Sets what the heads of the pages from here on say at the right."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def wrap(self, *_size: float) -> tuple[float, float]:
        return 0, 0

    def draw(self) -> None:
        self.canv.section = self.name


def write(
    path: Path,
    blocks: list[Block],
    sheets: Mapping[str, Sheet],
    dress: Dress,
    *,
    title: str,
    author: str,
    date: dt.date,
) -> None:
    """Write the file *path*: the same bytes each time, for one version of the library."""
    document = BaseDocTemplate(
        str(path),
        pagesize=dress.page,
        title=title,
        author=author,
        creator=author,
        lang="en",
        invariant=1,
        pageCompression=0,
    )
    document.addPageTemplates(_templates(dress, date))
    document.build(list(_Setter(dress, sheets).flow(blocks)))


def _templates(dress: Dress, date: dt.date) -> list[PageTemplate]:
    width, height = dress.page
    top, bottom = 23 * mm, 21 * mm
    inner, tall = width - 2 * dress.margin, height - top - bottom
    half = (inner - GUTTER) / 2

    def frame(x: float, wide: float) -> Frame:
        return Frame(
            x, bottom, wide, tall, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0
        )

    def plain(canvas: Any, _document: Any) -> None:
        canvas.setDateFormatter(lambda *_: f"D:{date:%Y%m%d}090000+00'00'")

    def after(canvas: Any, _document: Any) -> None:
        canvas.setFont(dress.font, 8.4)
        canvas.setFillColor(colors.HexColor(dress.colour))
        section = getattr(canvas, "section", "")
        if dress.header:
            canvas.drawString(dress.margin, height - 14 * mm, dress.header)
        if section:
            canvas.drawRightString(width - dress.margin, height - 14 * mm, section)
        if dress.header or section:
            canvas.setLineWidth(0.3)
            canvas.line(dress.margin, height - 16 * mm, width - dress.margin, height - 16 * mm)
        text = dress.footer.format(page=canvas.getPageNumber())
        canvas.drawCentredString(width / 2, 12 * mm, text)

    return [
        PageTemplate("cover", [frame(dress.margin, inner)], plain),
        PageTemplate("one", [frame(dress.margin, inner)], plain, after),
        PageTemplate(
            "two",
            [frame(dress.margin, half), frame(dress.margin + half + GUTTER, half)],
            plain,
            after,
        ),
    ]


class _Setter:
    """Turns blocks into reportlab's flowables."""

    def __init__(self, dress: Dress, sheets: Mapping[str, Sheet]) -> None:
        self.dress, self.sheets = dress, sheets
        self.width = dress.page[0] - 2 * dress.margin
        colour = colors.HexColor(dress.colour)
        base = ParagraphStyle(
            "text",
            fontName=dress.font,
            fontSize=dress.size,
            leading=dress.leading,
            spaceAfter=dress.leading * 0.55,
            allowWidows=0,
            allowOrphans=0,
            alignment=TA_JUSTIFY if dress.justify else TA_LEFT,
        )

        def derive(name: str, **changes: Any) -> ParagraphStyle:
            return ParagraphStyle(name, parent=base, **changes)

        head = {
            "fontName": dress.bold,
            "alignment": TA_LEFT,
            "textColor": colour,
            "keepWithNext": 1,
        }
        self.styles = {
            "text": base,
            "clause": derive("clause", leftIndent=30, firstLineIndent=-30),
            "letter": derive("letter", leftIndent=50, firstLineIndent=-20),
            "roman": derive("roman", leftIndent=70, firstLineIndent=-20),
            "bullet": derive("bullet", leftIndent=16, bulletIndent=4),
            "line": derive("line", alignment=TA_LEFT, spaceAfter=0),
            "centre": derive("centre", alignment=TA_CENTER),
            "big": derive(
                "big",
                alignment=TA_CENTER,
                fontName=dress.bold,
                fontSize=dress.size + 12,
                leading=dress.leading + 14,
            ),
            "cell": derive(
                "cell",
                alignment=TA_LEFT,
                spaceAfter=0,
                fontSize=dress.size - 0.9,
                leading=dress.leading - 2.2,
            ),
            "h1": derive("h1", **head, fontSize=dress.size + 5, leading=dress.leading + 7),
            "h2": derive(
                "h2", **head, fontSize=dress.size + 1.6, leading=dress.leading + 2.4, spaceBefore=6
            ),
            "h3": derive("h3", **head, spaceBefore=4),
        }

    def flow(self, blocks: list[Block]) -> Iterator[Any]:
        fresh = True
        for block in blocks:
            if block.kind == "page":
                yield PageBreak()
            elif block.text.startswith("@"):
                yield from self._order(block.text, fresh=fresh)
            else:
                yield from self._set(block)
            fresh = False

    def _order(self, text: str, *, fresh: bool) -> Iterator[Any]:
        word, _, rest = text[1:].partition(" ")
        if word in {"one", "two"}:
            self.width = self.dress.page[0] - 2 * self.dress.margin
            if word == "two":
                self.width = (self.width - GUTTER) / 2
            yield NextPageTemplate(word)
            if not fresh:
                yield PageBreak()
        elif word == "section":
            yield _Section(rest)
        elif word == "sheet":
            yield self._sheet(self.sheets[rest])
        elif word == "centre":
            yield Paragraph(self._mark(rest), self.styles["centre"])
        elif word == "big":
            yield Paragraph(self._mark(rest), self.styles["big"])
        elif word == "space":
            yield Spacer(1, float(rest))
        elif word == "rule":
            yield HRFlowable(
                width="100%",
                thickness=0.6,
                color=colors.HexColor(self.dress.colour),
                spaceBefore=3,
                spaceAfter=7,
            )
        else:
            raise ValueError(text)

    def _set(self, block: Block) -> Iterator[Any]:
        if block.kind == "table":
            yield self._ruled(block.rows)
        elif block.kind == "heading":
            yield CondPageBreak(self.dress.leading * (9 - 2 * block.level))
            yield Paragraph(self._mark(block.text), self.styles[f"h{block.level}"])
        elif block.kind == "line":
            gap = self.dress.leading if block.level else 0
            yield Paragraph(
                self._mark(block.text),
                ParagraphStyle("end", parent=self.styles["line"], spaceAfter=gap),
            )
        else:
            kind = block.kind
            if re.match(r"\((?:i|ii|iii|iv|v|vi|vii|viii)\) ", block.text):
                kind = "roman"  # type: ignore[assignment]
            bullet = "•" if kind == "bullet" else None
            yield Paragraph(self._mark(block.text), self.styles[kind], bulletText=bullet)

    def _mark(self, text: str) -> str:
        tags = {"bold": "b", "italic": "i"}
        return "".join(
            f"<{tags[w]}>{escape(t)}</{tags[w]}>" if w in tags else escape(t)
            for t, w in inline(text)
        )

    def _ruled(self, rows: tuple[tuple[str, ...], ...]) -> Table:
        """A table of words within rules, columns as wide as their texts ask for."""
        cap = 44 if self.width > 100 * mm else 26
        longest = [
            max(8, *(min(len(c), cap) for c in column)) + 4 for column in zip(*rows, strict=True)
        ]
        widths = [self.width * one / sum(longest) for one in longest]
        cells = [
            [
                Paragraph(
                    f"<b>{self._mark(c)}</b>" if not i else self._mark(c), self.styles["cell"]
                )
                for c in row
            ]
            for i, row in enumerate(rows)
        ]
        table = Table(
            cells,
            colWidths=widths,
            repeatRows=1,
            spaceBefore=2,
            spaceAfter=self.dress.leading * 0.7,
        )
        table.setStyle(
            TableStyle(
                [
                    ("GRID", (0, 0), (-1, -1), 0.4, colors.HexColor("#777777")),
                    ("VALIGN", (0, 0), (-1, -1), "TOP"),
                    ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e9ecef")),
                ]
            )
        )
        return table

    def _sheet(self, sheet: Sheet) -> Table:
        """A statement: figures at the right, rules above sums and below totals."""
        dress, columns = self.dress, len(sheet.heads)
        figure = 27 * mm if columns < 5 else (self.width * 0.6) / columns
        widths = [*(sheet.widths or (figure,) * columns)]
        widths = [self.width - sum(widths), *widths]
        colour, size = colors.HexColor(dress.colour), dress.size - 0.6
        style: list[tuple[Any, ...]] = [
            ("FONT", (0, 0), (-1, -1), dress.font, size),
            ("FONT", (0, 0), (-1, 0), dress.bold, size),
            ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ("VALIGN", (0, 0), (-1, -1), "BOTTOM"),
            ("LINEBELOW", (0, 0), (-1, 0), 0.7, colour),
            ("LEFTPADDING", (0, 0), (-1, -1), 2),
            ("RIGHTPADDING", (0, 0), (-1, -1), 3),
            ("TOPPADDING", (0, 0), (-1, -1), 2.2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2.2),
        ]
        cells: list[list[Any]] = [[sheet.first, *sheet.heads]]
        signed = False
        for at, (kind, label, *values) in enumerate(sheet.rows, start=1):
            name = dress.bold if kind in "hst" else dress.font
            text = ParagraphStyle(
                "label",
                fontName=name,
                fontSize=size,
                leading=size + 2.6,
                leftIndent=8 if kind == "r" else 0,
            )
            shown = [*values, *[""] * (columns - len(values))]
            if dress.currency and values and (kind == "t" or (kind == "r" and not signed)):
                shown = [f"{dress.currency} {v}" if v[:1].isdigit() else v for v in shown]
                signed = True
            cells.append([Paragraph(escape(label), text), *shown])
            if kind in "st":
                style += [
                    ("LINEABOVE", (1, at), (-1, at), 0.5, colour),
                    ("FONT", (1, at), (-1, at), dress.bold, size),
                ]
            if kind == "t":
                style.append(("LINEBELOW", (1, at), (-1, at), 1.1, colour))
            if dress.band and at % 2 == 0:
                style.append(("BACKGROUND", (0, at), (-1, at), colors.HexColor("#eef3f8")))
        table = Table(
            cells, colWidths=widths, repeatRows=1, spaceBefore=3, spaceAfter=dress.leading * 0.8
        )
        table.setStyle(TableStyle(style))
        return table
