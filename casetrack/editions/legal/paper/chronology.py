"""The chronology of a case as a paper: DOCX and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.viewer import kept
from casetrack.api.viewer.markup import escaped
from casetrack.api.viewer.timeline_figure import when

if TYPE_CHECKING:
    from collections.abc import Callable

    from docx.table import _Cell, _Row

    from casetrack.editions.legal.records.authorities import Chronology, ChronologyEntry

_HEADS = ("Date", "Event", "Who", "Source")
_WIDTHS = (1.35, 4.15, 1.5, 2.0)
"""Inches of the columns, on a sheet that lies on its side."""


def as_docx(chronology: Chronology, /) -> bytes:
    """Return a chronology as a DOCX file: a table whose head stands on each page again.

    What is left out is a comment on its heading.
    """
    from docx.shared import Inches

    document = kept.new_document(f"Chronology: {chronology.case}")
    kept.on_its_side(document)
    heading = kept.centred(document, "CHRONOLOGY")
    kept.centred(document, chronology.case)
    if chronology.notes:
        kept.remark(document, heading, "\n".join(chronology.notes))
    table = document.add_table(rows=1, cols=len(_HEADS), style="Table Grid")
    table.autofit = False
    for cell, head in zip(table.rows[0].cells, _HEADS, strict=True):
        _write(cell, head, bold=True)
    kept.repeat_on_pages(table.rows[0])
    for entry in chronology.entries:
        row = table.add_row()
        for cell, words in zip(row.cells, _cells(entry), strict=True):
            _write(cell, words)
    for column, width in zip(table.columns, _WIDTHS, strict=True):
        column.width = Inches(width)
    for row in table.rows:
        _whole(row)
        for cell, width in zip(row.cells, _WIDTHS, strict=True):
            cell.width = Inches(width)
    return kept.packed(document)


def _cells(entry: ChronologyEntry) -> tuple[str, str, str, str]:
    return when(entry), entry.event, "; ".join(entry.who), entry.citation


def _write(cell: _Cell, words: str, *, bold: bool = False) -> None:
    from docx.shared import Pt

    paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_after = Pt(2)
    run = paragraph.add_run(kept.clean(words))
    run.font.size, run.bold = Pt(10), bold


def _whole(row: _Row) -> None:
    """Let no page end within a row."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().insert(0, OxmlElement("w:cantSplit"))


def as_markdown(chronology: Chronology, /) -> str:
    """Return a chronology as a table in Markdown."""
    lines = [f"# Chronology: {escaped(chronology.case)}", ""]
    lines += [f"| {' | '.join(_HEADS)} |", f"|{'---|' * len(_HEADS)}"]
    lines += [f"| {' | '.join(map(escaped, _cells(e)))} |" for e in chronology.entries]
    lines += ["", *(f"- {escaped(note)}" for note in chronology.notes)]
    return "\n".join(lines).rstrip() + "\n"


WRITERS: dict[str, Callable[[Chronology], bytes | str]] = {".docx": as_docx, ".md": as_markdown}
"""Functions that make a file, by its ending."""
