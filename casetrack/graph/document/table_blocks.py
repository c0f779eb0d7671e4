"""Tables of pages as blocks: rows under the same headers, with their stated scale.

A financial statement prints "$" in its first row and totals, "(in millions)" in its caption, and
the year of a column in its header. These apply to the cells below, also on the next page if the
table continues. Pages are read line by line.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from casetrack.extract.amounts.numerals import Habit
from casetrack.extract.tables.carry import is_title, part_tables
from casetrack.extract.tables.cells import (
    Row,
    Scale,
    counts_things,
    currency_of,
    find_scales,
    is_per_share,
    read_row,
)
from casetrack.extract.tables.model import MONEY_SIGNS, sort_of
from casetrack.extract.tables.periods import has_head, is_leaves, read_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.graph.document.facts import ChunkFacts


class Line(NamedTuple):
    """A line of a page: offset, text, and whether it is in a table."""

    start: int
    text: str
    in_table: bool


class TableRow(NamedTuple):
    """A row with its label, the section above it, and the scales that apply to it."""

    line: Line
    row: Row
    label: str
    section: str
    scale: Scale | None
    own: Scale | None


_PROSE = 90
_TITLE_LINES = 5
_MOST_HEADS = 6
_LEAST_NAMES = 2
_ROWS_OF_SECTION = 6
_EXCEPT = re.compile(r"\bexcept\b|^[^(]*\)", re.IGNORECASE)
_NOTE_END = re.compile(r"\s?(?:\((?:[a-z]|\d{1,2})\)|[*†‡])+$")
_UNLESS = re.compile(r"\b[Uu]nless\b|\bUNLESS\b")
_UNLESS_NOTED = re.compile(
    r"\bunless\s(?:otherwise\s)?(?:noted|stated|indicated|specified)(?:\sotherwise)?\b",
    re.IGNORECASE,
)


def scale_of_document(chunk: ChunkFacts) -> Scale | None:
    """Return the scale that a chunk states for the rest of the document's tables."""
    for match in _UNLESS.finditer(chunk.text):
        start = chunk.text.rfind("\n", 0, match.start()) + 1
        end = chunk.text.find("\n", match.end())
        line = chunk.text[start : end if end >= 0 else len(chunk.text)]
        if (stated := _UNLESS_NOTED.search(line)) is None:
            continue
        scale = next((s for s in find_scales(line) if s.of_money), None)
        if scale is not None and abs(scale.start - stated.start()) < _PROSE:
            return scale
    return None


def _lines(page: Sequence[ChunkFacts]) -> list[Line]:
    """Return the lines of a page's chunks, which may overlap, each once."""
    text = ""
    base = page[0].char_start
    tables: list[tuple[int, int]] = []
    for chunk in page:
        gap = chunk.char_start - base - len(text)
        text += "\n" * gap if gap > 0 else ""
        text += chunk.text[max(0, -gap) :]
        tables += chunk.tables
    lines: list[Line] = []
    at = base
    inside = iter(sorted(set(tables)))
    table = next(inside, None)
    for words in text.split("\n"):
        while table is not None and table[1] <= at:
            table = next(inside, None)
        if words.strip():
            lines.append(Line(at, words, table is not None and table[0] < at + len(words)))
        at += len(words) + 1
    return lines


@dataclass
class Block:
    """Rows under the same headers."""

    heads: list[str] = field(default_factory=list)
    rows: list[TableRow] = field(default_factory=list)
    names: tuple[str, ...] = ()  # Cells of the last header line, also without a period
    scale: Scale | None = None  # Stated in the header lines, or ``None``
    # Rows and currency of the table that it continues.
    above: list[TableRow] = field(default_factory=list)
    unit: str | None = None


def _names(line: str) -> tuple[str, ...]:
    """Return the names of columns in a line of a header; empty for other lines."""
    cells = line.split("|")
    return tuple(cell.strip() for cell in cells) if len(cells) > _LEAST_NAMES else ()


class Page:
    """Reads the tables of one page from all its chunks.

    *scale* is stated on an earlier page ("unless otherwise noted, in millions").
    """

    def __init__(self, chunks: Sequence[ChunkFacts], scale: Scale | None) -> None:
        self.chunks = chunks
        self.blocks: list[Block] = []
        self._lines = _lines(chunks)
        self._habit = Habit("\n".join(line.text for line in self._lines))
        self._page_scale = self._scale = scale
        self._units: dict[int, str] = {}
        self._signs: dict[int, Counter[str | None]] = {}
        self._block = Block()
        self._section, self._since = "", 0
        self._waiting = ""
        self._opening: list[str] = []
        self._between: list[str] = []
        for stated in find_scales(chunks[0].page_header or "", anywhere=True):
            if stated.of_money:
                self._page_scale = self._scale = stated
        head = chunks[0].table_header
        if head and self._lines and self._lines[0].in_table and not has_head(self._lines[0].text):
            for line in head.split("\n"):
                self._block.heads.append(line)
                self._block.names = _names(line)
                self._take_scales(line, outside=False, title=False)

        self._read()

    def _read(self) -> None:
        """Split the page into blocks."""
        for number, line in enumerate(self._lines):
            row = self._row(line)
            text = line.text
            if row is not None and not self._is_head(line, row):
                self._add_row(line, row)
                continue
            if not line.in_table:
                self._between.append(text)
            if (line.in_table or is_title(text)) and has_head(text):
                self._close()
                self._block.heads = [*self._block.heads[-_MOST_HEADS:], text]
                self._block.names = _names(text)
            elif not line.in_table and not is_title(text):
                self._close()
                self._block = Block()
            else:
                if line.in_table and not self._block.rows:
                    self._block.names = _names(text) or self._block.names
                words = text.strip(" |")
                is_section = (
                    "|" not in words and next(find_scales(words), currency_of(words)) is None
                )
                head = text.partition("|")[0].strip()
                is_section = is_section or (is_per_share(head, "") and _EXCEPT.search(head) is None)
                self._section, self._since = (head or words) if is_section else "", 0
            self._waiting = text.strip(" |") if line.in_table else ""
            self._take_scales(text, outside=not line.in_table, title=number < _TITLE_LINES)
        self._close()

    def continue_table(self, above: Page, /) -> None:
        """Apply header, scale and currency of the last table of the previous page to the first."""
        if not (above.blocks and self.blocks) or part_tables([*above._between, *self._opening]):
            return
        last, first = above.blocks[-1], self.blocks[0]
        own, counts = read_columns(first.heads), {len(row.row.cells) for row in last.rows}
        is_same = own == read_columns(last.heads) if own else True
        if any(row.scale or len(row.row.cells) not in counts for row in first.rows) or not is_same:
            return
        first.heads, first.names = first.heads or last.heads, first.names or last.names
        first.above = [*last.above, *last.rows]
        first.unit = above.unit(last.rows[-1], last)
        first.rows = [row._replace(scale=last.rows[-1].scale) for row in first.rows]

    def is_second(self, block: Block) -> bool:
        """Return whether a block starts a second table without currency below another one."""
        scale = block.rows[0].scale
        return (
            bool(block.heads)
            and block.scale is None
            and (
                scale is not self._page_scale
                or counts_things(block.heads[-1].partition("|")[0], "")
            )
            and any(other.rows[0].scale is scale for other in self.blocks if other is not block)
            and not any(cell.unit for row in block.rows for cell in row.row.cells)
        )

    def _close(self) -> None:
        if self._block.rows:
            self.blocks.append(self._block)
            self._block = Block()

    def _row(self, line: Line) -> Row | None:
        if line.in_table:
            return read_row(line.text, self._habit)
        if sum(map(line.text.count, MONEY_SIGNS)) < 2:
            return None
        row = read_row(line.text, self._habit)
        if row is None or len(row.cells) < 2 or row.label[1] - row.label[0] >= _PROSE:
            return None
        return row

    def _is_head(self, line: Line, row: Row) -> bool:
        return is_leaves(line.text) and all(
            sort_of(line.text[cell.start : cell.end]) == "year" and not cell.name
            for cell in row.cells
        )

    def _take_scales(self, text: str, *, outside: bool, title: bool) -> None:
        alone = currency_of(text) if self._scale is None else None
        for scale in (alone,) if alone else find_scales(text):
            if not scale.of_money or (outside and not scale.enclosed and not is_title(text)):
                continue
            self._scale = self._block.scale = scale
            self._between = []
            if (outside and title) or _UNLESS_NOTED.search(text):
                self._page_scale = scale

    def _add_row(self, line: Line, row: Row) -> None:
        if not self.blocks and not self._block.rows:
            self._opening = self._between
        if part_tables(self._between):
            self._scale = self._page_scale
        self._between = []
        label = line.text[slice(*row.label)]
        # Before the label is the name of its column: "Shares in thousands: Allocated".
        own = next((s for s in find_scales(line.text[: row.label[1]])), None)
        words = " ".join(_NOTE_END.sub("", label.strip(" |:")).split())
        if self._waiting and not self._waiting.endswith(":") and words[:1].islower():
            words = f"{self._waiting} {words}"
        self._waiting = ""
        section = self._section if self._since < _ROWS_OF_SECTION else ""
        self._since += 1
        self._block.rows.append(TableRow(line, row, words, section, self._scale, own))

    def unit(self, row: TableRow, block: Block) -> str | None:
        """Return the currency of a row's cells: from its caption, or from a sign in the block."""
        for scale in (row.own, row.scale):
            if scale is not None and scale.unit:
                return scale.unit
        # Counted once for all rows: a sheet can have tens of thousands.
        if id(block) not in self._signs:
            self._signs[id(block)] = Counter(
                c.unit for r in block.rows for c in r.row.cells if c.unit
            )
        if signs := self._signs[id(block)]:
            unit = signs.most_common(1)[0][0]
            if row.scale is not None and unit:
                self._units[id(row.scale)] = unit
            return unit
        return block.unit or (self._units.get(id(row.scale)) if row.scale is not None else None)
