"""Rows of a sheet as a grid of its cells, from the file: letters and names of columns stay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.api.viewer.source import find_source
from casetrack.api.viewer.templating import rendered
from casetrack.base.errors import FileError
from casetrack.base.provenance import column_letters
from casetrack.extract.tables.model import is_value
from casetrack.parse.base import ReadOptions
from casetrack.parse.workers.pool import MAX_DRAW_SECONDS, drawing_pool
from casetrack.store.passages import page_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.viewer.view import View
    from casetrack.base.records import Document
    from casetrack.parse.sheets.model import Cell, SheetRow
    from casetrack.store.workspace import State

_FORMATS = frozenset({"xlsx", "xlsm", "xltx", "xltm", "xls", "xlt", "ods"})
_ROWS, _ABOVE, _COLUMNS, _HEAD_ROWS = 200, 30, 200, 20


@dataclass(frozen=True, slots=True)
class SheetGrid:
    """A part of a sheet as escaped HTML, and the first rows of the parts before and after it."""

    html: str
    before: int | None
    after: int | None


def sheet_grid(
    state: State, document: Document, sheet: int, first: int = 1, /, view: View | None = None
) -> SheetGrid | None:
    """Return the rows of a sheet from row *first*, or around the passage of a *view*.

    Sheet and row are 1-based. ``None`` if the file is no workbook, has changed, or cannot be read:
    the stored text of the sheet is all there is to show.
    """
    source = find_source(state.workspace.folder, document)
    if document.format not in _FORMATS or source.path is None:
        return None
    marked = _marked(view)
    if marked:
        first = max(1, min(marked) - _ABOVE)
    limits = state.workspace.settings.parse
    short = replace(limits, timeout_seconds=min(limits.timeout_seconds, MAX_DRAW_SECONDS))
    pool, options = drawing_pool(limits.memory_mb), ReadOptions(limits=short)
    try:
        read = pool.cells(source.path, sheet, first, _ROWS + _HEAD_ROWS + 1, options=options)
    except FileError:
        return None
    head = _head(read, state, document, sheet)
    rows = [row for row in read if row.number >= first and row is not head]
    shown = rows[:_ROWS]
    if not shown:
        return None
    columns = range(1, min(_COLUMNS, max(c.column for row in shown for c in row.cells)) + 1)
    html = rendered(
        "sheet_grid.html",
        head=head,
        rows=shown,
        columns=columns,
        letters=column_letters,
        cells_of=lambda row: {cell.column: cell for cell in row.cells},
        class_of=lambda row, cell: _class(row, cell, marked, view.answer if view else ""),
        target=next((row.number for row in shown if row.number in marked), None),
    )
    after = rows[_ROWS].number if len(rows) > _ROWS else None
    return SheetGrid(html, max(1, first - _ROWS) if first > 1 else None, after)


def _head(
    rows: Sequence[SheetRow], state: State, document: Document, sheet: int
) -> SheetRow | None:
    """Return the row of the names of columns that the passages of a sheet have."""
    stored = page_rows(state.snapshot, document, sheet, ("table_header",))
    named = next((set(r["table_header"].split(" | ")) for r in stored if r["table_header"]), None)
    top = (row for row in rows if row.number <= _HEAD_ROWS)
    return next((r for r in top if named and named <= {c.text for c in r.cells}), None)


def _marked(view: View | None) -> set[int]:
    """Return the rows of the answer, else those of the passage."""
    if view is None:
        return set()
    places = [part.place for part in view.pinpoint] or [view.provenance]
    return {n for p in places if p.row_start for n in range(p.row_start, (p.row_end or 0) + 1)}


def _class(row: SheetRow, cell: Cell, marked: set[int], answer: str) -> str:
    names = ["number"] if is_value(cell.text) else []
    if row.number in marked:
        names += ["on", "cited"] if answer and answer in cell.text else ["on"]
    return " ".join(names)
