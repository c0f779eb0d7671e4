"""Tables for papers: in DOCX, with a header on each page, and in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.viewer import kept
from casetrack.api.viewer.markup import escaped
from casetrack.api.viewer.timeline_figure import when

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from docx.document import Document

    from casetrack.editions.legal.records.authorities import Chronology, ChronologyEntry


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


# The chronology of a case as a paper: DOCX and Markdown.

_HEADS = ("Date", "Event", "Who", "Source")
_WIDTHS = (1.35, 4.15, 1.5, 2.0)
"""Widths of the columns in inches, for landscape pages."""


def as_docx(chronology: Chronology, /) -> bytes:
    """Return a chronology as a DOCX file: a table with its header on each page.

    Notes are a comment on its heading.
    """
    document = kept.new_document(f"Chronology: {chronology.case}")
    kept.set_landscape(document)
    heading = kept.centred(document, "CHRONOLOGY")
    kept.centred(document, chronology.case)
    if chronology.notes:
        kept.add_comment(document, heading, "\n".join(chronology.notes))
    docx_grid(document, _HEADS, map(_cells, chronology.entries), _WIDTHS, size=10, spaced=True)
    return kept.packed(document)


def _cells(entry: ChronologyEntry) -> tuple[str, str, str, str]:
    return when(entry), entry.event, "; ".join(entry.who), entry.citation


def as_markdown(chronology: Chronology, /) -> str:
    """Return a chronology as a Markdown table."""
    lines = [f"# Chronology: {escaped(chronology.case)}", ""]
    lines += markdown_grid(_HEADS, map(_cells, chronology.entries))
    lines += ["", *(f"- {escaped(note)}" for note in chronology.notes)]
    return "\n".join(lines).rstrip() + "\n"


WRITERS: dict[str, Callable[[Chronology], bytes | str]] = {".docx": as_docx, ".md": as_markdown}
"""Writers by suffix of the file."""
