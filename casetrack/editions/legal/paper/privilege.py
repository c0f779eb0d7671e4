"""The privilege log as DOCX, Excel, CSV and Markdown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from casetrack.api.viewer import kept
from casetrack.base.arrow_values import without_formula
from casetrack.editions.legal.paper.grid import docx_grid, markdown_grid

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.editions.legal.records.load_files import PrivilegeEntry, PrivilegeLog

COLUMNS = (
    *("No.", "Control number", "Bates range", "Date", "Type", "Author", "Recipients", "CC", "BCC"),
    *("Subject", "Description", "Privilege asserted", "Basis"),
)
_WORDS = (
    *("type", "author", "recipients", "cc", "bcc"),
    *("subject", "description", "privilege", "basis"),
)
"""Values of the last columns."""
_WIDTHS = (0.35, 0.8, 0.8, 0.7, 0.7, 1.0, 1.0, 0.7, 0.5, 0.8, 0.9, 0.7, 0.75)
"""Widths of the columns in inches, for landscape pages."""
MARKED = "* attorney"


def cells(entry: PrivilegeEntry, /) -> list[str]:
    """Return the cells of an entry in the order of :data:`COLUMNS`."""
    span = entry.bates_begin
    if entry.bates_end and entry.bates_end != span:
        span += f"-{entry.bates_end}"
    moment = " ".join(filter(None, (entry.date, entry.time)))
    words = (getattr(entry, name) for name in _WORDS)
    return [str(entry.number), entry.control_number, span, moment, *words]


def as_csv(log: PrivilegeLog, /) -> str:
    """Return the log as CSV, with a byte order mark for Excel."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows([without_formula(cell) for cell in cells(entry)] for entry in log.entries)
    return "\ufeff" + out.getvalue()


def as_markdown(log: PrivilegeLog, /) -> str:
    """Return the log as a Markdown table, with notes below."""
    lines = [
        f"# Privilege log: {log.collection}",
        "",
        *markdown_grid(COLUMNS, map(cells, log.entries)),
        "",
        *([f"{MARKED}", ""] if _has_attorneys(log) else []),
        *(f"- {note}" for note in log.notes),
    ]
    return "\n".join(lines).rstrip() + "\n"


def as_docx(log: PrivilegeLog, /) -> bytes:
    """Return the log as a DOCX file in landscape, with notes as comments."""
    document = kept.new_document(f"Privilege log: {log.collection}")
    kept.set_landscape(document, margin=0.5)
    heading = kept.centred(document, "PRIVILEGE LOG")
    for note in log.notes:
        kept.add_comment(document, heading, note)
    docx_grid(document, COLUMNS, map(cells, log.entries), _WIDTHS, size=8)
    if _has_attorneys(log):
        document.add_paragraph(MARKED)
    return kept.packed(document)


def as_xlsx(log: PrivilegeLog, /) -> bytes:
    """Return the log as a workbook, with a second sheet of notes."""
    import openpyxl
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Privilege log"
    for number, values in enumerate([COLUMNS, *map(cells, log.entries)], start=1):
        for column, value in enumerate(values, start=1):
            cell = sheet.cell(number, column)
            # Values are texts, even if they begin like a formula.
            cell.value, cell.data_type = kept.clean(value), "s"
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            if number == 1:
                cell.font = Font(bold=True)
    for column, width in enumerate(_WIDTHS, start=1):
        sheet.column_dimensions[get_column_letter(column)].width = round(width * 22)
    sheet.freeze_panes = "A2"
    notes = book.create_sheet("Notes")
    for note in [*([MARKED] if _has_attorneys(log) else []), *log.notes]:
        notes.append([kept.clean(note)])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _has_attorneys(log: PrivilegeLog) -> bool:
    return any(entry.attorneys for entry in log.entries)


WRITERS: dict[str, Callable[[PrivilegeLog], bytes | str]] = {
    ".docx": as_docx,
    ".xlsx": as_xlsx,
    ".csv": as_csv,
    ".md": as_markdown,
}
"""Writers by suffix of the file."""
