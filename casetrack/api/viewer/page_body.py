"""Writes the text of a page that has no picture: paragraphs, and tables as grids."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from casetrack.api.viewer.grid import PLAIN, make_grid
from casetrack.api.viewer.templating import rendered
from casetrack.base.provenance import column_letters
from casetrack.extract.tables.model import is_value

if TYPE_CHECKING:
    from casetrack.api.viewer.page_text import Block, PageText

_SHORT = 14
"""Cells of so few letters are not broken."""


def page_body(page: PageText, /, *, is_sheet: bool = False, language: str | None = None) -> str:
    """Return the page's text as HTML, with the passage marked.

    Parameters
    ----------
    is_sheet
        Whether it is a sheet of a workbook, with rows and columns.
    language
        The code of its language, if it is known.
    """
    runs = itertools.groupby(page.blocks, key=lambda b: is_sheet or b.kind == "table")
    return rendered(
        "page_body.html",
        page=page,
        is_sheet=is_sheet,
        language=language,
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
        names.append("on")
    return " ".join(names)
