"""Writes scenes as files: PDF, DOCX, XLSX, ODS; ODT and a second PDF as LibreOffice makes them."""

from __future__ import annotations

import datetime as dt
import subprocess
import zipfile
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import docx
import openpyxl
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from openpyxl.styles import Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.table import Table as SheetTable
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

if TYPE_CHECKING:
    from pathlib import Path

    from quality.tabular.grids import Cell, Grid
    from quality.tabular.scenes import Scene

_GREY = "D9D9D9"
_FORMATS = {"count": "#,##0", "amount": "#,##0.00", "share": "0.0%", "date": "yyyy-mm-dd"}


def write_pdf(scene: Scene, path: Path, /) -> None:
    """Write a document as PDF."""
    styles = getSampleStyleSheet()
    story: list[Any] = []
    for part in scene.parts:
        grid = part.grid
        if grid.width == 1:
            story.append(Paragraph(grid.cells[0].text, styles["Normal"]))
        else:
            story.append(_pdf_table(grid, styles))
        story.append(Spacer(1, 14))
    SimpleDocTemplate(str(path), pagesize=A4, invariant=1).build(story)


def _pdf_table(grid: Grid, styles: Any) -> Table:
    rows: list[list[Any]] = [[""] * grid.width for _ in range(grid.height)]
    style: list[Any] = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    room = 470 / grid.width
    for cell in grid.cells:
        wide = cell.lines or len(cell.text) * 5.2 > room * cell.wide
        bold = cell.is_head and "bold" in grid.marks
        text: Any = cell.text
        if wide:
            lines = [f"• {x}" for x in cell.lines] if cell.is_list else list(cell.lines)
            inner = "<br/>".join(lines or [cell.text])
            text = Paragraph(f"<b>{inner}</b>" if bold else inner, styles["Normal"])
        rows[cell.row][cell.column] = text
        place = (cell.column, cell.row)
        end = (cell.column + cell.wide - 1, cell.row + cell.high - 1)
        if place != end:
            style.append(("SPAN", place, end))
            if cell.wide > 1 and cell.is_head:
                style.append(("ALIGN", place, end, "CENTER"))
        if bold:
            style.append(("FONTNAME", place, end, "Helvetica-Bold"))
        if cell.is_head and "fill" in grid.marks:
            style.append(("BACKGROUND", place, end, colors.HexColor(f"#{_GREY}")))
        if cell.kind in {"count", "amount", "share"}:
            style.append(("ALIGN", place, end, "RIGHT"))
        if grid.lines == "rules" and cell.is_head and cell.wide > 1:
            style.append(("LINEBELOW", place, end, 0.4, colors.black))
    below = ("LINEBELOW", (0, grid.head - 1), (-1, grid.head - 1), 0.5, colors.black)
    if grid.lines == "grid":
        style.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
    elif grid.lines == "rules":
        style += [
            ("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black),
            below,
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, colors.black),
        ]
    elif grid.lines == "head":
        style.append(below)
    return Table(rows, style=style, colWidths=[room] * grid.width)


def write_docx(scene: Scene, path: Path, /) -> None:
    """Write a document as DOCX."""
    document = docx.Document()
    for part in scene.parts:
        if part.grid.width == 1:
            document.add_paragraph(part.grid.cells[0].text)
        else:
            _docx_table(document, part.grid)
        document.add_paragraph("")
    document.save(str(path))


def _docx_table(document: Any, grid: Grid) -> None:
    table = document.add_table(grid.height, grid.width)
    if grid.lines == "grid":
        table.style = "Table Grid"
    for cell in grid.cells:
        target = table.cell(cell.row, cell.column)
        if cell.wide > 1 or cell.high > 1:
            last = table.cell(cell.row + cell.high - 1, cell.column + cell.wide - 1)
            target = target.merge(last)
        _docx_cell(target, cell, grid)
    if "declared" in grid.marks:
        for row in table.rows[: grid.head]:
            row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _docx_cell(target: Any, cell: Cell, grid: Grid) -> None:
    lines = cell.lines or (cell.text,)
    for number, line in enumerate(lines):
        paragraph = target.paragraphs[0] if not number else target.add_paragraph()
        if cell.is_list:
            paragraph.style = "List Bullet"
        words = line.split(" ")
        for at, word in enumerate(words):
            run = paragraph.add_run(word + (" " if at + 1 < len(words) else ""))
            if cell.is_head:
                run.bold = "bold" in grid.marks or None
            elif cell.lines and at == 1:
                run.bold = True
    if cell.is_head and "fill" in grid.marks:
        shade = OxmlElement("w:shd")
        shade.set(qn("w:val"), "clear")
        shade.set(qn("w:fill"), _GREY)
        target._tc.get_or_add_tcPr().append(shade)


def write_xlsx(scene: Scene, path: Path, /) -> None:
    """Write a sheet as XLSX; numbers and dates are stored as such."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for number, part in enumerate(scene.parts):
        grid = part.grid
        for cell in grid.cells:
            _sheet_cell(sheet, cell, grid, part.top + 1, part.left + 1)
        if "declared" in grid.marks:
            first = f"{get_column_letter(part.left + 1)}{part.top + grid.head}"
            last = f"{get_column_letter(part.left + grid.width)}{part.top + grid.height}"
            sheet.add_table(SheetTable(displayName=f"T{number}", ref=f"{first}:{last}"))
    for column in sheet.columns:
        longest = max((len(str(c.value)) for c in column if c.value is not None), default=0)
        letter = get_column_letter(column[0].column)
        sheet.column_dimensions[letter].width = min(max(9, longest + 1), 26)
    sheet.page_setup.fitToHeight, sheet.sheet_properties.pageSetUpPr.fitToPage = 0, True
    book.save(path)


def _sheet_cell(sheet: Any, cell: Cell, grid: Grid, top: int, left: int) -> None:
    row, column = top + cell.row, left + cell.column
    target = sheet.cell(row, column)
    target.value = cell.text
    if not cell.is_head and cell.kind in _FORMATS and _is_number(cell):
        target.value = _raw(cell)
        target.number_format = _FORMATS[cell.kind]
    elif (not cell.is_head and cell.kind == "year") or (cell.is_head and cell.text.isdecimal()):
        target.value = int(cell.text)
    if cell.is_head:
        target.font = Font(bold="bold" in grid.marks)
        if "fill" in grid.marks:
            target.fill = PatternFill("solid", fgColor=_GREY)
    if "fill" in grid.marks:
        side = Side("thin")
        target.border = Border(side, side, side, side)
    if grid.is_merged and (cell.wide > 1 or cell.high > 1):
        sheet.merge_cells(
            start_row=row,
            start_column=column,
            end_row=row + cell.high - 1,
            end_column=column + cell.wide - 1,
        )


def _is_number(cell: Cell) -> bool:
    return cell.text[:1].isdigit()


def _raw(cell: Cell) -> Any:
    if cell.kind == "date":
        return dt.datetime.fromisoformat(cell.text)
    if cell.kind == "share":
        return float(cell.text[:-1]) / 100
    number = float(cell.text.replace(",", ""))
    return int(number) if cell.kind == "count" else number


_ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.3">'
    '<office:automatic-styles><style:style style:name="ce1" style:family="table-cell">'
    '<style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles>'
    '<office:body><office:spreadsheet><table:table table:name="Sheet1">{rows}</table:table>'
    "</office:spreadsheet></office:body></office:document-content>"
)


def write_ods(scene: Scene, path: Path, /) -> None:
    """Write a sheet as ODS, with empty cells and rows in one as LibreOffice has them."""
    placed = {
        (part.top + cell.row, part.left + cell.column): (cell, part.grid)
        for part in scene.parts
        for cell in part.grid.cells
    }
    rows = []
    for row in range(max(r for r, _ in placed) + 1):
        columns = [c for r, c in placed if r == row]
        cells = []
        column = 0
        while columns and column <= max(columns):
            cell, grid = placed.get((row, column), (None, None))
            if cell is None or grid is None:
                cells.append("<table:table-cell/>")
                column += 1
                continue
            cells.append(_ods_cell(cell, grid))
            wide = cell.wide if grid.is_merged else 1
            cells.append("<table:covered-table-cell/>" * (wide - 1))
            column += wide
        rows.append(f"<table:table-row>{''.join(cells) or '<table:table-cell/>'}</table:table-row>")
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr("content.xml", _ODS.format(rows="".join(rows)))


def _ods_cell(cell: Cell, grid: Grid) -> str:
    kind = 'office:value-type="string"'
    if not cell.is_head and cell.kind in _FORMATS and _is_number(cell):
        raw = _raw(cell)
        date = isinstance(raw, dt.datetime)
        name = "date" if date else "percentage" if cell.kind == "share" else "float"
        shown = f'date-value="{raw:%Y-%m-%d}"' if date else f'value="{raw}"'
        kind = f'office:value-type="{name}" office:{shown}'
    elif cell.text.isdecimal():
        kind = f'office:value-type="float" office:value="{cell.text}"'
    if cell.is_head and "bold" in grid.marks:
        kind += ' table:style-name="ce1"'
    if grid.is_merged and (cell.wide > 1 or cell.high > 1):
        kind += (
            f' table:number-columns-spanned="{cell.wide}" table:number-rows-spanned="{cell.high}"'
        )
    return f"<table:table-cell {kind}><text:p>{escape(cell.text)}</text:p></table:table-cell>"


def convert(paths: list[Path], suffix: str, folder: Path, /) -> None:
    """Convert files to another format with LibreOffice.

    Raises
    ------
    subprocess.CalledProcessError
        LibreOffice ended with an error.
    """
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless"]
    subprocess.run(
        [*command, "--convert-to", suffix, "--outdir", str(folder), *map(str, paths)],
        check=True,
        capture_output=True,
    )
