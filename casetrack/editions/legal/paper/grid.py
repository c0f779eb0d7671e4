"""Tables for papers: in DOCX, with a header on each page, and in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.viewer import kept
from casetrack.api.viewer.markup import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from docx.document import Document


def docx_grid(
    document: Document,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    widths: Sequence[float],
    /,
    *,
    size: int,
    spaced: bool = False,
) -> None:
    """Add a table to a document; its header is repeated on each page.

    Parameters
    ----------
    widths
        Widths of the columns in inches.
    size
        Font size in points.
    spaced
        Whether cells have a space below, and rows do not break across pages.
    """
    from docx.oxml import OxmlElement
    from docx.shared import Inches, Pt

    table = document.add_table(rows=0, cols=len(heads), style="Table Grid")
    table.autofit = False
    for number, words in enumerate([heads, *rows]):
        row = table.add_row()
        for cell, text, width in zip(row.cells, words, widths, strict=True):
            run = cell.paragraphs[0].add_run(kept.clean(text))
            run.font.size, run.bold = Pt(size), number == 0
            cell.width = Inches(width)
            if spaced:
                cell.paragraphs[0].paragraph_format.space_after = Pt(2)
        if number == 0:
            kept.repeat_on_pages(row)
        if spaced:
            row._tr.get_or_add_trPr().insert(0, OxmlElement("w:cantSplit"))
    for column, width in zip(table.columns, widths if spaced else (), strict=False):
        column.width = Inches(width)


def markdown_grid(heads: Sequence[str], rows: Iterable[Sequence[str]], /) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return [*lines, *(f"| {' | '.join(map(escaped, row))} |" for row in rows)]
