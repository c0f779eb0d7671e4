"""Writes the text of a page that has no picture: paragraphs, and tables as grids."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from casetrack.api.viewer.grid import PLAIN, make_grid
from casetrack.api.viewer.markup import esc
from casetrack.base.provenance import column_letters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.api.viewer.grid import Cell, Grid, GridRow
    from casetrack.api.viewer.page_text import Block, PageText

_NUMBER = re.compile(r"[-+(]?\s*[$€£¥]?\s*[-+]?\d[\d.,'\u00a0\u202f ]*\s*[%€$£)]?\)?")
_SHORT = 14
"""Cells of so few letters are not broken."""
_TARGET = ' id="passage" class="target"'


def page_body(
    page: PageText, /, *, is_sheet: bool = False, language: str | None = None
) -> Iterator[str]:
    """Give the page's text in pieces of HTML, with the passage marked.

    Parameters
    ----------
    is_sheet
        Whether it is a sheet of a workbook, with rows and columns.
    language
        The code of its language, if it is known.
    """
    writer = _Writer()
    lang = f' lang="{esc(language)}"' if language else ""
    opening = (
        f'<div class="paper scroll" tabindex="0" role="region" aria-label="Text of the page"{lang}>'
    )
    yield opening
    if is_sheet:
        yield from _left_out(page.left_out_before, "before")
        yield from writer.table(page.blocks, page.columns)
        yield from _left_out(page.left_out_after, "after")
    else:
        yield '<div class="prose">'
        yield from _left_out(page.left_out_before, "before")
        for is_table, run in itertools.groupby(page.blocks, key=lambda b: b.kind == "table"):
            blocks = list(run)
            if is_table:
                yield from writer.table(blocks, None)
            else:
                yield from map(writer.paragraph, blocks)
        yield from _left_out(page.left_out_after, "after")
        yield "</div>"
    yield "</div>\n"


def _left_out(count: int, side: str) -> Iterator[str]:
    if count > 0:
        yield f'<p class="left-out">{count:,} characters {side} this are not shown.</p>'


class _Writer:
    """Writes blocks; the first mark it writes is the place that links lead to."""

    def __init__(self) -> None:
        self._target = _TARGET

    def _take_target(self) -> str:
        target, self._target = self._target, ""
        return target

    def paragraph(self, block: Block, /) -> str:
        """Write a paragraph; headings say their level."""
        names, role = block.kind, ""
        if block.kind == "heading":
            level = min(max(block.level or 1, 1), 6)
            names += f" level-{level}"
            role = f' role="heading" aria-level="{min(level + 1, 6)}"'
        return f'<p class="{names}"{role} dir="auto">{self._text(block)}</p>\n'

    def _text(self, block: Block) -> str:
        parts = []
        for piece in block.pieces():
            text = esc(piece.text)
            parts.append(f"<mark{self._take_target()}>{text}</mark>" if piece.is_marked else text)
        return "".join(parts)

    def table(self, blocks: Sequence[Block], columns: tuple[int, int] | None, /) -> Iterator[str]:
        """Write rows as a grid, or as lines where no columns can be told.

        Parameters
        ----------
        columns
            First and last column of the sheet; ``None`` outside of sheets.
        """
        grid = make_grid(blocks)
        numbered = any(block.row is not None for block in blocks)
        if grid is None and not numbered:
            yield from map(self.paragraph, blocks)
            return
        yield '<div class="grid"><table>'
        if grid is None:
            yield "<tbody>"
            for block in blocks:
                number = _row_number(block, numbered)
                yield f"<tr{self._row(block)}>{number}{_whole(block, 1)}</tr>\n"
        else:
            yield _head(grid, numbered, columns)
            yield "<tbody>"
            for row in grid.rows:
                number = _row_number(row.block, numbered)
                yield f"<tr{self._row(row.block)}>{number}{_cells(grid, row)}</tr>\n"
        yield "</tbody></table></div>\n"

    def _row(self, block: Block) -> str:
        return self._take_target() if block.is_marked else ""


def _whole(block: Block, width: int) -> str:
    return _cell(block, 0, len(block.text), f' colspan="{width}"' if width > 1 else "")


def _cells(grid: Grid, row: GridRow) -> str:
    if not row.cells:
        return _whole(row.block, len(grid.columns))
    found: dict[object, Cell] = {cell.column: cell for cell in row.cells}
    out = []
    for column in grid.columns:
        cell = found.get(column)
        if cell is None:
            # An empty cell within the passage's rows belongs to the passage.
            out.append('<td class="on"></td>' if row.block.is_marked else "<td></td>")
        else:
            kind = "head" if row.is_header else ""
            out.append(_cell(row.block, cell.start, cell.end, "", kind))
    return "".join(out)


def _cell(block: Block, start: int, end: int, span: str = "", kind: str = "") -> str:
    text = block.text[start:end].strip()
    names = [kind] if kind else []
    if not kind and _NUMBER.fullmatch(text):
        names.append("number")
    if len(text) <= _SHORT:
        names.append("short")
    if block.mark_start < end and start < block.mark_end:
        names.append("on")
    named = f' class="{" ".join(names)}"' if names else ""
    return f'<td{named}{span} dir="auto">{esc(text)}</td>'


def _head(grid: Grid, numbered: bool, columns: tuple[int, int] | None) -> str:
    """Write the letters of the columns where they are certain, and their names where no row does.

    Without a gap among the columns of a sheet, there are as many names as columns.
    """
    rows = []
    corner = "<td></td>" if numbered else ""
    if columns is not None and columns[1] - columns[0] + 1 == len(grid.columns):
        letters = (column_letters(columns[0] + i) for i in range(len(grid.columns)))
        cells = "".join(f'<th scope="col">{letter}</th>' for letter in letters)
        rows.append(f'<tr class="letters">{corner}{cells}</tr>')
    if not grid.has_header:
        names = ("" if c == PLAIN else esc(c[0]) for c in grid.columns)
        cells = "".join(f'<th scope="col" dir="auto">{name}</th>' for name in names)
        rows.append(f"<tr>{corner}{cells}</tr>")
    return f"<thead>{''.join(rows)}</thead>" if rows else ""


def _row_number(block: Block, numbered: bool) -> str:
    if not numbered:
        return ""
    return f'<th scope="row">{"" if block.row is None else block.row}</th>'
