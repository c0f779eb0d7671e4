"""Tables of a page: found, checked, and written as one line for each row.

The cells of a row are joined by ``" | "``; an empty cell between others leaves its place, so that
the cells of a row stand where those of the header stand.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from casetrack.base.provenance import hull
from casetrack.parse.layout.hyphens import join_line_ends
from casetrack.parse.layout.lines import TextLine, visual_lines
from casetrack.parse.layout.tables_above import take_names_above
from casetrack.parse.layout.tables_align import aligned_tables, banded_tables, is_torn
from casetrack.parse.layout.tables_amounts import amount_tables, is_told, settled
from casetrack.parse.layout.tables_grid import ruled_tables
from casetrack.parse.layout.tables_model import is_value, is_year

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.provenance import Box
    from casetrack.parse.layout.hyphens import Vocabulary
    from casetrack.parse.layout.segments import Segment
    from casetrack.parse.layout.tables_model import Cell, Table, TableRow
    from casetrack.parse.layout.tables_rules import Stroke, Strokes

# The rows of a table that name its columns.

_AMOUNT = re.compile(r"\W*\d|.*[$\u20ac\u00a3\u00a5]\s?\d")
_MAX_ROWS = 4
_MAX_CHARS = 80


def find_header(table: Table, /) -> None:
    """Find the header rows of a table whose lines do not tell them, in place.

    Sure are rows in bold or on a shaded ground over others, and words over values. The first row
    of a ruled table is taken for its header where nothing speaks against it.
    """
    if table.header_rows:
        return
    rows, width = table.rows, len(table.columns)
    titles = 0
    while titles < len(rows) - 2 and _is_title(rows[titles], rows[titles + 1 :], width):
        titles += 1
    if len(rows) - titles < 2 or not _may_name(rows[titles]):
        return
    first, body = rows[titles], rows[titles + 1 :]
    signs = _signs(first, body)
    if not signs and not table.is_ruled:
        return
    if not signs and (_has_row_labels(rows[titles:]) or _has_amount(first)):
        return
    count = titles + 1
    limit = min(titles + _MAX_ROWS, len(rows) - 1)
    while count < limit and _goes_on(rows[titles:count], rows[count], rows[count + 1 :], signs):
        count += 1
    table.title_rows = titles
    table.header_rows, table.is_header_sure = count, bool(signs) or count > titles + 1


def header_names(table: Table, text: Callable[[Cell], str], /) -> list[str]:
    """Return the name of each column: those of cells over several columns stand before it.

    A cell over one column goes on in the cell below it, one over several is a level of its own:
    ``2024 / Q1``.
    """
    width = len(table.columns)
    names = [""] * width
    spans = [0] * width
    for row in table.rows[table.title_rows : table.header_rows]:
        for cell in row.cells:
            if cell.span >= width:
                continue
            words = text(cell)
            for column in range(cell.column, min(cell.column + cell.span, width)):
                if not names[column]:
                    names[column] = words
                elif words:
                    between = " / " if spans[column] > cell.span else " "
                    names[column] += between + words
                spans[column] = cell.span
    return names


def _is_title(row: TableRow, below: Sequence[TableRow], width: int) -> bool:
    """Tell a row that names the table: one cell, over all columns, just one, or a few of many."""
    if len(row.cells) != 1:
        return False
    cell = row.cells[0]
    named = next((other.cells for other in below if len(other.cells) > 1), [])
    under = sum(cell.column <= c.column < cell.column + cell.span for c in named)
    return cell.span in {1, width} or 2 * under < len(named)


def _may_name(row: TableRow) -> bool:
    """Tell whether the cells of a row can be names of columns."""
    texts = [cell.text for cell in row.cells]
    if len(texts) < 2 or any(len(text) > _MAX_CHARS for text in texts):
        return False
    if sum(1 for text in texts if text.endswith(":")) * 2 > len(texts):
        return False
    return not any(is_value(text) and not is_year(text) for text in texts)


def _signs(first: TableRow, body: Sequence[TableRow]) -> frozenset[str]:
    """Return what makes a row a header: how it is set apart from the rows below it."""
    signs = set()
    cells = [cell for row in body for cell in row.cells]
    if _is_bold(first) and 2 * sum(cell.is_bold for cell in cells) < len(cells):
        signs.add("bold")
    if first.is_shaded and 3 * sum(row.is_shaded for row in body) < 2 * len(body):
        signs.add("shaded")
    named = {c for cell in first.cells for c in range(cell.column, cell.column + cell.span)}
    for column in named - {0}:
        texts = [cell.text for cell in cells if cell.column == column]
        values = sum(1 for text in texts if is_value(text) and not is_year(text))
        if texts and 2 * values > len(texts):
            signs.add("values")
            break
    return frozenset(signs)


def _goes_on(
    head: Sequence[TableRow], row: TableRow, body: Sequence[TableRow], signs: frozenset[str]
) -> bool:
    """Tell whether a row belongs to the header above it."""
    if any(is_value(c.text) and not is_year(c.text) for c in row.cells):
        return False
    if not body or any(len(cell.text) > _MAX_CHARS for cell in row.cells):
        return False
    over = [cell for cell in head[-1].cells if cell.span > 1]
    # One cell under a wide one is an entry; the parts of a name are several.
    if any(
        sum(cell.column <= below.column < cell.column + cell.span for below in row.cells) > 1
        for cell in over
    ):
        return True
    if len(row.cells) < 2:
        return False
    own = _signs(row, body)
    if "bold" in signs:
        return "bold" in own
    return "shaded" in signs and "shaded" in own


def _is_bold(row: TableRow) -> bool:
    return all(cell.is_bold for cell in row.cells if any(map(str.isalpha, cell.text))) and any(
        cell.is_bold for cell in row.cells
    )


def _has_amount(row: TableRow) -> bool:
    return any(_AMOUNT.match(cell.text) for cell in row.cells)


def _has_row_labels(rows: Sequence[TableRow]) -> bool:
    """Tell whether the first column names the rows instead: in bold, or with colons."""
    labels = [row.cells[0] for row in rows if row.cells[0].column == 0]
    others = [cell for row in rows for cell in row.cells[1:]]
    bold = sum(cell.is_bold for cell in labels) > 0.8 * len(labels)
    if bold and 2 * sum(cell.is_bold for cell in others) < len(others):
        return True
    return 2 * sum(cell.text.endswith(":") for cell in labels) > len(labels) > 0


_NEIGHBOURS = 4
_MIN_CELLS = 3
_MAX_HEAD = 4


def flow_tables(
    strokes: Strokes | None, segments: Sequence[Segment], goes_on: Callable[[Table], bool], /
) -> list[Table]:
    """Return the tables of a flow that drawn lines tell, or amounts one below another.

    Lines cut a table into cells, or stand over and under it. A grid of one row is a table only
    where *goes_on* says that it continues one.
    """
    told = _with_names(amount_tables(segments), segments, strokes.under if strokes else ())
    told = [table for table in told if is_told(table)]
    if strokes is None:
        return told
    ordered = sorted(segments, key=lambda s: s.base)
    ruled = [
        table
        for table in ruled_tables(strokes, segments)
        if (len(table.rows) > 1 or goes_on(table)) and not is_torn(table, ordered)
    ]
    tables = settled(ruled, told)
    taken = {id(s) for table in tables for s in table.sources}
    drawn = [table for table in tables if table.is_ruled]
    drawn += banded_tables(strokes, ordered, taken)
    free = [s for s in segments if id(s) not in taken]
    tables = [table for table in tables if not table.is_ruled]
    return sorted(tables + _with_names(drawn, free, strokes.under), key=lambda t: t.rows[0].v0)


def _with_names(
    tables: list[Table], segments: Sequence[Segment], flats: Sequence[Stroke]
) -> list[Table]:
    """Give tables the names of their columns that stand above them, as text or between lines."""
    out: list[Table] = []
    taken = {id(s) for table in tables for s in table.sources}
    for table in sorted(tables, key=lambda t: t.rows[0].v0):
        find_header(table)
        if out and not table.header_rows and _is_head_of(out[-1], table):
            head = [s for row in out[-1].rows for s in row.segments]
            if take_names_above(table, head, flats=flats, whole=True):
                out.pop()
        elif take_names_above(table, [s for s in segments if id(s) not in taken], flats=flats):
            taken.update(id(s) for s in table.sources)
        out.append(table)
    return out


def _is_head_of(table: Table, below: Table) -> bool:
    """Tell lines between drawn lines that only name the columns of the table below them."""
    return (
        len(table.rows) <= _MAX_HEAD
        and 0 <= below.rows[0].v0 - table.rows[-1].v1 <= 2 * below.rows[0].segments[0].size
        and not any(
            is_value(cell.text) and not is_year(cell.text)
            for row in table.rows
            for cell in row.cells
        )
    )


def bare_tables(segments: Sequence[Segment], /) -> list[Table]:
    """Return the tables of one region that alignment alone tells."""
    return aligned_tables(segments)


def keeps_boxes(table: Table, others: Sequence[Segment], /) -> bool:
    """Tell whether the rectangle of each row holds the words of that row and no others.

    Parameters
    ----------
    others
        The rest of the page's text.
    """
    boxes = [row_box(row) for row in table.rows]
    whole = hull(boxes)
    near = [s for s in others if _holds(whole, s)]
    for i, box in enumerate(boxes):
        for row in (
            *table.rows[max(0, i - _NEIGHBOURS) : i],
            *table.rows[i + 1 : i + 1 + _NEIGHBOURS],
        ):
            if any(_holds(box, s) for s in row.segments):
                return False
        if any(_holds(box, s) for s in near):
            return False
    return True


def _holds(box: Box, segment: Segment) -> bool:
    """Tell whether words of a segment are in a rectangle: by the middle of its line."""
    own = segment.box
    x, y = (own.x0 + own.x1) / 2, (own.y0 + own.y1) / 2
    if len(segment.text.strip()) <= 2:
        return box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1
    if own.x1 - own.x0 >= own.y1 - own.y0:
        return box.y0 <= y <= box.y1 and own.x0 < box.x1 and own.x1 > box.x0
    return box.x0 <= x <= box.x1 and own.y0 < box.y1 and own.y1 > box.y0


def row_box(row: TableRow, /) -> Box:
    """Return the rectangle around the text of a row, on the page as shown."""
    return hull([s.box for s in row.segments])


class TableText:
    """The text of a table: its cells as lines at first, its rows once all words are known.

    Parameters
    ----------
    region
        Number of the table among the regions of its page.
    """

    def __init__(self, table: Table, region: int, /) -> None:
        self.table = table
        self._region = region
        self._lines = {
            id(cell): visual_lines(cell.segments, region)
            for row in table.rows
            for cell in row.cells
        }
        self.rows: list[TextLine] = []
        self.header: str | None = None
        find_header(table)

    def teach(self, words: Vocabulary, /) -> None:
        """Add the words of all cells to those of the document."""
        for lines in self._lines.values():
            for line in lines:
                words.add(line.text)

    def write(self, words: Vocabulary, /) -> None:
        """Join the lines of each cell, and the cells of each row."""
        for lines in self._lines.values():
            join_line_ends(lines, words)
        leftwards = self._is_right_to_left()
        self.rows = [self._row(row, leftwards=leftwards) for row in self.table.rows]
        names = header_names(self.table, self._text)
        if any(names):
            self.header = _side_by_side(names[::-1] if leftwards else names)

    def _text(self, cell: Cell) -> str:
        return " ".join(line.text for line in self._lines[id(cell)] if line.text)

    def _row(self, row: TableRow, *, leftwards: bool) -> TextLine:
        texts = [""] * len(self.table.columns)
        for cell in row.cells:
            texts[cell.column] = self._text(cell)
        if leftwards:
            texts.reverse()
        segments = row.segments
        main = max(segments, key=lambda s: s.size)
        known = [(s.confidence, len(s.text)) for s in segments if s.confidence is not None]
        total = sum(length for _, length in known)
        return TextLine(
            text=_side_by_side(texts),
            u0=min(s.u0 for s in segments),
            u1=max(s.u1 for s in segments),
            v0=row.v0,
            v1=row.v1,
            base=main.base,
            size=main.size,
            bold=all(cell.is_bold for cell in row.cells),
            # So that no line is taken to go on in another one.
            cells=max(len(row.cells), _MIN_CELLS),
            box=row_box(row),
            left=self.table.columns[0][0],
            right=self.table.columns[-1][1],
            region=self._region,
            confidence=sum(c * n for c, n in known) / total if total else None,
        )

    def _is_right_to_left(self) -> bool:
        text = "".join(line.text for lines in self._lines.values() for line in lines)
        if text.isascii():
            return False
        kinds = [unicodedata.bidirectional(c) for c in text if not c.isascii() or c.isalpha()]
        return 2 * sum(1 for kind in kinds if kind in {"R", "AL"}) > len(kinds)


def _side_by_side(texts: Sequence[str]) -> str:
    """Join cells; empty ones at the end are left out, others leave their place."""
    last = max((i for i, text in enumerate(texts) if text), default=-1)
    return " ".join(" | ".join(texts[: last + 1]).split())
