"""What the tables of a document say of their sums: scale, period, row, and those without a sign.

A statement prints "$" in its first row and its totals, "(in millions)" in its caption, and what
year a column is about in its head. All of that holds for the cells below. Pages are read line by
line; a block is a run of rows under the same heads. What does not fit the heads by its number of
cells gets no period, and a bare number becomes a sum only in a column whose other cells are sums.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from casetrack.extract.amounts.numerals import Habit
from casetrack.extract.tables.cells import Row, read_row
from casetrack.extract.tables.periods import has_head, is_leaves, read_columns
from casetrack.extract.tables.rows import counts_things, is_per_share
from casetrack.extract.tables.scales import Scale, find_scales

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.extract.tables.cells import Cell
    from casetrack.extract.tables.periods import Column
    from casetrack.graph.document.facts import ChunkFacts


class TableSum(NamedTuple):
    """A sum in a cell of a table.

    Attributes
    ----------
    start, end
        Of its number, in the text that was asked for: code points.
    printed
        The number as it stands there, with its sign.
    factor
        What it is to be multiplied by; 1 where nothing says so.
    unit
        Its currency: its own, or that of its column.
    row_label, period
        The words of its row and of its column's head; ``None`` where they are not settled.
    first, last
        Days of that period, as far as they are known.
    signed
        Whether its cell has a currency sign.
    doubtful
        Whether it has no sign and is larger than its document allows.
    """

    start: int
    end: int
    printed: float
    factor: float
    unit: str
    row_label: str | None
    period: str | None
    first: dt.date | None
    last: dt.date | None
    signed: bool = True
    doubtful: bool = False


class _Line(NamedTuple):
    start: int
    text: str
    in_table: bool


class _TableRow(NamedTuple):
    line: _Line
    row: Row
    label: str
    section: str
    scale: Scale | None
    own: Scale | None


_PROSE = 90
_LONG_PROSE = 150
_TITLE_LINES = 5
_MOST_HEADS = 6
_ROWS_OF_SECTION = 6
_SIGNS = re.compile(r"[$€£¥₹]")
_NOTE_END = re.compile(r"\s?(?:\((?:[a-z]|\d{1,2})\)|[*†‡])+$")
_UNLESS = re.compile(r"\b[Uu]nless\b|\bUNLESS\b")
_UNLESS_NOTED = re.compile(
    r"\bunless\s(?:otherwise\s)?(?:noted|stated|indicated|specified)(?:\sotherwise)?\b",
    re.IGNORECASE,
)
_IN_LABEL = re.compile(
    r"[$]\s?(?P<number>\d{1,3}(?:,\d{3})*)(?![\d.,]*\d)(?!\s?(?:million|billion|thousand|m\b|b\b|bn\b))",
    re.IGNORECASE,
)
_NOMINAL = re.compile(r"\bpar\b|\bstated\svalue|\bper\b|\bexcess\b|\bdenominat", re.IGNORECASE)
_LAST_YEARS = range(1900, 2101)
_MOST = dict.fromkeys(("dollar", "USD", "EUR", "GBP", "CHF"), 1e14)
"""No books hold such a sum: what comes to more is no sum, or is not scaled as its table says."""
_LEAST_PLAIN = 1000
_LEAST_STATED = 5
_NEARLY_ALL = 0.8
_BEYOND_REASON = 1e13
_BEYOND_SIGNED = 10
_RETURNS = re.compile(r"\bS&P\b|\bindex\b|\bpeer|NASDAQ|\breturns?\s?$|\bRussell\b", re.IGNORECASE)


def read_tables(chunks: Sequence[ChunkFacts], /) -> list[list[TableSum]]:
    """Return the sums in tables of each chunk, by place in its text.

    Parameters
    ----------
    chunks
        All of one document, in order.
    """
    found: list[list[TableSum]] = [[] for _ in chunks]
    scale: Scale | None = None
    pages: list[tuple[int, _Page]] = []
    previous: _Page | None = None
    at = 0
    while at < len(chunks):
        end = at
        while end < len(chunks) and chunks[end].page == chunks[at].page:
            end += 1
        page = chunks[at:end]
        scale = next(filter(None, map(_for_all_pages, page)), scale)
        if any(chunk.tables for chunk in page):
            is_next = previous is not None and page[0].page == previous.chunks[0].page + 1
            previous = _Page(page, scale, previous if is_next else None)
            pages.append((at, previous))
        at = end
    usual = _usual(block for _, page in pages for block in page.blocks)
    read = [list(reader.sums(usual)) for _, reader in pages]
    signed = [abs(s.printed * s.factor) for sums in read for s in sums if s.signed]
    most = _BEYOND_SIGNED * max(signed) if len(signed) >= _LEAST_STATED else math.inf
    for (first, reader), sums in zip(pages, read, strict=True):
        for number, chunk in enumerate(reader.chunks, start=first):
            found[number] = [
                one._replace(
                    start=one.start - chunk.char_start,
                    end=one.end - chunk.char_start,
                    doubtful=not one.signed and abs(one.printed * one.factor) > most,
                )
                for one in sums
                if chunk.char_start <= one.start and one.end <= chunk.char_end
            ]
    return found


def _usual(blocks: Iterable[_Block]) -> float | None:
    """Return the scale that nearly all tables of a document state, ``None`` without one."""
    stated: Counter[float] = Counter()
    for block in blocks:
        scale = block.rows[0].scale
        if scale is not None and scale.of_money:
            stated[scale.factor] += 1
    if stated.total() < _LEAST_STATED:
        return None
    factor, count = stated.most_common(1)[0]
    return factor if count >= _NEARLY_ALL * stated.total() else None


def _for_all_pages(chunk: ChunkFacts) -> Scale | None:
    """Return what a chunk says of the whole rest of the document's tables."""
    for found in _UNLESS.finditer(chunk.text):
        start = chunk.text.rfind("\n", 0, found.start()) + 1
        end = chunk.text.find("\n", found.end())
        line = chunk.text[start : end if end >= 0 else len(chunk.text)]
        if (stated := _UNLESS_NOTED.search(line)) is None:
            continue
        scale = next((s for s in find_scales(line) if s.of_money), None)
        if scale is not None and abs(scale.start - stated.start()) < _PROSE:
            return scale
    return None


def _lines(page: Sequence[ChunkFacts]) -> list[_Line]:
    """Return the lines of a page's chunks, which may overlap, each once."""
    text = ""
    base = page[0].char_start
    tables: list[tuple[int, int]] = []
    for chunk in page:
        gap = chunk.char_start - base - len(text)
        text += "\n" * gap if gap > 0 else ""
        text += chunk.text[max(0, -gap) :]
        tables += chunk.tables
    lines: list[_Line] = []
    at = base
    inside = iter(sorted(set(tables)))
    table = next(inside, None)
    for words in text.split("\n"):
        while table is not None and table[1] <= at:
            table = next(inside, None)
        if words.strip():
            lines.append(_Line(at, words, table is not None and table[0] < at + len(words)))
        at += len(words) + 1
    return lines


@dataclass
class _Block:
    """Rows under the same heads.

    Attributes
    ----------
    scale
        The one that the lines of its heads state, if they do.
    unit
        The currency of the table that it continues.
    ends
        Whether running text follows it.
    """

    heads: list[str] = field(default_factory=list)
    rows: list[_TableRow] = field(default_factory=list)
    scale: Scale | None = None
    unit: str | None = None
    ends: bool = False


def _give_heads(block: _Block, other: _Block) -> None:
    block.heads = other.heads
    if other.scale is not None:
        block.rows = [
            row if row.scale is not None else row._replace(scale=other.scale) for row in block.rows
        ]


class _Page:
    """Reads the tables of one page.

    Parameters
    ----------
    chunks
        Those of the page.
    scale
        What an earlier page says of all that follow: "unless otherwise noted, in millions".
    previous
        The page before, whose last table may continue on this one.
    """

    def __init__(
        self, chunks: Sequence[ChunkFacts], scale: Scale | None, previous: _Page | None
    ) -> None:
        self.chunks = chunks
        self._previous = previous
        self.blocks: list[_Block] = []
        self._lines = _lines(chunks)
        self._habit = Habit("\n".join(line.text for line in self._lines))
        self._page_scale = self._scale = scale
        self._units: dict[int, str] = {}
        self._block = _Block()
        self._section, self._since = "", 0
        self._waiting = ""
        self._prose = self._opening = 0
        for stated in find_scales(chunks[0].page_header or ""):
            if stated.of_money:
                self._page_scale = self._scale = stated
        head = chunks[0].table_header
        if head and self._lines and self._lines[0].in_table and not has_head(self._lines[0].text):
            for line in head.split("\n"):
                self._block.heads.append(line)
                self._take_scales(line, outside=False, title=False)

        self._read()

    def _read(self) -> None:
        """Part the page into blocks."""
        for number, line in enumerate(self._lines):
            row = self._row(line)
            text = line.text
            if row is not None and not self._is_head(line, row):
                self._add_row(line, row)
                continue
            if (line.in_table or _is_short(text)) and has_head(text):
                self._close()
                self._block.heads = [*self._block.heads[-_MOST_HEADS:], text]
            elif not line.in_table and not _is_short(text):
                self._close()
                self._add_late_heads()
                self._prose += len(text)
            else:
                words = text.strip(" |")
                is_section = "|" not in words and next(find_scales(words), None) is None
                self._section, self._since = words if is_section else "", 0
            self._waiting = text.strip(" |") if line.in_table else ""
            self._take_scales(text, outside=not line.in_table, title=number < _TITLE_LINES)
        self._close()
        self._add_late_heads()

    def sums(self, usual: float | None) -> Iterator[TableSum]:
        """Yield the sums in order of their blocks.

        Parameters
        ----------
        usual
            The scale of nearly all tables of the document, for those that do not state theirs.
        """
        self._continue()
        for block, following in pairwise([*self.blocks, _Block()]):
            self._borrow(block, following)
            columns = read_columns(block.heads)
            kinds = _kinds_of_columns(block.rows)
            factor = usual if usual is not None and _may_have(block, usual) else 1.0
            is_second = self._is_second(block)
            for row in block.rows:
                unit = None if is_second else self._unit(row, block)
                yield from _sums_of(row, unit, columns, kinds, factor)

    def _continue(self) -> None:
        """Give head, scale and currency of the page before to the table that continues here."""
        before, self._previous = self._previous, None
        if before is None or not before.blocks or before._prose + self._opening >= _LONG_PROSE:
            return
        last = before.blocks[-1]
        columns, scale = read_columns(last.heads), last.rows[-1].scale
        counts = {len(row.row.cells) for row in last.rows}
        for block in self.blocks:
            if any(row.scale is not None for row in block.rows):
                return
            if not block.heads and all(len(row.row.cells) in counts for row in block.rows):
                block.heads, block.unit = last.heads, before._unit(last.rows[-1], last)
            elif not columns or read_columns(block.heads) != columns:
                return
            block.rows = [row._replace(scale=scale) for row in block.rows]
            if block.ends:
                return

    def _is_second(self, block: _Block) -> bool:
        """Return whether a block begins another table, without any currency, below another one."""
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
            self._block = _Block()

    def _add_late_heads(self) -> None:
        """Give heads that no row follows to the rows before them, where these have none.

        Layouts with a line between head and body may put the head behind the body.
        """
        late, self._block = self._block, _Block()
        if not self.blocks:
            return
        if not late.heads:
            self.blocks[-1].ends = True
            return
        if not read_columns(self.blocks[-1].heads):
            _give_heads(self.blocks[-1], late)
        self.blocks[-1].ends = True

    def _borrow(self, block: _Block, following: _Block) -> None:
        """Take the heads that stand between rows without heads and the rest of their table."""
        if block.ends or block.heads or block.scale or not following.heads:
            return
        if all(row.scale is None for row in block.rows):
            columns = len(read_columns(following.heads))
            if columns and 2 * sum(len(r.row.cells) == columns for r in block.rows) > len(
                block.rows
            ):
                _give_heads(block, following)

    def _row(self, line: _Line) -> Row | None:
        if line.in_table:
            return read_row(line.text, self._habit)
        if len(_SIGNS.findall(line.text)) < 2:
            return None
        row = read_row(line.text, self._habit)
        if row is None or len(row.cells) < 2 or row.label[1] - row.label[0] >= _PROSE:
            return None
        return row

    def _is_head(self, line: _Line, row: Row) -> bool:
        return is_leaves(line.text) and all(
            cell.value is not None and cell.plain and int(cell.value) in _LAST_YEARS
            for cell in row.cells
        )

    def _take_scales(self, text: str, *, outside: bool, title: bool) -> None:
        for scale in find_scales(text):
            if not scale.of_money or (outside and not scale.enclosed and not _is_short(text)):
                continue
            self._scale = self._block.scale = scale
            self._prose = 0
            if (outside and title) or _UNLESS_NOTED.search(text):
                self._page_scale = scale

    def _add_row(self, line: _Line, row: Row) -> None:
        if not self.blocks and not self._block.rows:
            self._opening = self._prose
        if self._prose >= _LONG_PROSE:
            self._scale = self._page_scale
        self._prose = 0
        label = line.text[slice(*row.label)]
        own = next((s for s in find_scales(label)), None)
        words = " ".join(_NOTE_END.sub("", label.strip(" |:")).split())
        if self._waiting and not self._waiting.endswith(":") and words[:1].islower():
            words = f"{self._waiting} {words}"
        self._waiting = ""
        section = self._section if self._since < _ROWS_OF_SECTION else ""
        self._since += 1
        self._block.rows.append(_TableRow(line, row, words, section, self._scale, own))

    def _unit(self, row: _TableRow, block: _Block) -> str | None:
        """Return the currency of a row's cells: of its caption, or of a sign beside it."""
        if row.scale is not None and row.scale.unit:
            return row.scale.unit
        signs = Counter(c.unit for r in block.rows for c in r.row.cells if c.unit)
        if signs:
            unit = signs.most_common(1)[0][0]
            if row.scale is not None and unit:
                self._units[id(row.scale)] = unit
            return unit
        return block.unit or (self._units.get(id(row.scale)) if row.scale is not None else None)


def _may_have(block: _Block, factor: float) -> bool:
    """Say whether a table without a statement can be counted as the document's others are.

    It has several columns of whole numbers that would be no sums beyond reason. Comparisons of
    returns ("$ 100" in the first year) are never counted so.
    """
    cells = [
        c for row in block.rows for c in row.row.cells if c.value is not None and not c.percent
    ]
    if not cells or any(row.scale is not None for row in block.rows):
        return False
    values = [abs(cell.value or 0.0) for cell in cells if cell.decimals < 2]
    if len(values) < len(cells) * _NEARLY_ALL or 2 * len(cells) < 3 * len(block.rows):
        return False
    if any(_RETURNS.search(row.label) for row in block.rows):
        return False
    odd = any(value * factor >= _BEYOND_REASON for value in values)
    return not odd and not all(value % _LEAST_PLAIN == 0 for value in values)


def _is_short(text: str) -> bool:
    return len(text) <= _PROSE and text.rstrip()[-1:] not in {".", ";"}


class _Kinds(NamedTuple):
    """What cells of rows with so many cells are, by their places in the row.

    Attributes
    ----------
    money, ratios
        Places with a currency sign, and with a per cent sign, by the number of cells.
    bare
        Places before the first currency sign of a row, which hold counts.
    with_cents
        Whether most sums of the block have two decimals.
    whole
        Whether every sum with a sign is a whole number, so that "2.5" beside them is a rate.
    """

    money: dict[int, set[int]]
    ratios: dict[int, set[int]]
    bare: dict[int, set[int]]
    with_cents: bool
    whole: bool


def _kinds_of_columns(rows: Sequence[_TableRow]) -> _Kinds:
    money: dict[int, set[int]] = {}
    ratios: dict[int, set[int]] = {}
    bare: dict[int, set[int]] = {}
    cents = sums = 0
    whole: bool | None = None
    for row in rows:
        count = len(row.row.cells)
        signed = [place for place, cell in enumerate(row.row.cells) if cell.unit]
        bare.setdefault(count, set()).update(range(signed[0] if signed else 0))
        for place, cell in enumerate(row.row.cells):
            if cell.unit:
                money.setdefault(count, set()).add(place)
                if cell.value is not None and not is_per_share(row.label, row.section):
                    whole = whole is not False and cell.decimals == 0
            if cell.percent:
                ratios.setdefault(count, set()).add(place)
            elif cell.value is not None:
                sums += 1
                cents += cell.decimals >= 2
    return _Kinds(money, ratios, bare, 2 * cents > sums, bool(whole))


def _sums_of(
    row: _TableRow, unit: str | None, columns: Sequence[Column], kinds: _Kinds, usual: float
) -> Iterator[TableSum]:
    cells = row.row.cells
    count = len(cells)
    signed, percents = kinds.money.get(count, set()), kinds.ratios.get(count, set())
    heads = _heads_of(cells, columns, signed, percents)
    per_share = is_per_share(row.label, row.section)
    counted = counts_things(row.label, row.section)
    scale = row.own or row.scale
    stated = usual if scale is None else scale.factor if scale.of_money else 1.0
    if stated != 1 and not per_share:
        yield from _sums_in_label(row, stated)
    for place, cell in enumerate(cells):
        if cell.value is None or cell.percent:
            continue
        head = heads[place]
        if cell.unit is None:
            is_sum = place in signed or head is not None
            if (
                unit is None
                or (counted and not per_share)
                or not is_sum
                or place in (percents | kinds.bare.get(count, set())) - signed
            ):
                continue
            if kinds.whole and cell.decimals == 1:
                continue
            if (per_share and cell.decimals < 2) or _is_odd(cell, count) or not row.label:
                continue
        # Cents among whole millions are of a share.
        of_share = per_share or (cell.decimals >= 2 and not kinds.with_cents)
        factor = 1.0 if of_share else stated
        most = _MOST.get(cell.unit or unit or "", math.inf)
        if cell.value * factor >= most:
            if cell.unit is None:
                # A count of shares that stands among sums.
                continue
            factor = usual if cell.value * usual < most else 1.0
        start = row.line.start
        yield TableSum(
            start + cell.start, start + cell.end, cell.value, factor, cell.unit or unit or "",
            row.label or None,
            head.period if head and head.period else None,
            head.first if head else None,
            head.last if head else None,
            signed=cell.unit is not None,
        )  # fmt: skip


def _sums_in_label(row: _TableRow, factor: float) -> Iterator[TableSum]:
    """Yield the sums that a row's label names: "Receivables, less allowances of $477 | 3,667"."""
    label = row.line.text[slice(*row.row.label)]
    if "$" not in label or _NOMINAL.search(label):
        return
    for found in _IN_LABEL.finditer(label):
        start = row.line.start + row.row.label[0]
        value = float(found["number"].replace(",", ""))
        yield TableSum(
            start + found.start(), start + found.end(), value, factor, "dollar", row.label or None,
            None, None, None,
        )  # fmt: skip


def _heads_of(
    cells: Sequence[Cell], columns: Sequence[Column], signed: set[int], percents: set[int]
) -> list[Column | None]:
    """Return the column of each cell, ``None`` where the heads do not tell."""
    count = len(cells)
    periods = [column for column in columns if column.period]
    if count == len(columns):
        return [column if column.period else None for column in columns]
    if not periods:
        return [None] * count
    for places in ([i for i in range(count) if i not in percents], sorted(signed)):
        if len(places) == len(periods):
            found: list[Column | None] = [None] * count
            for place, column in zip(places, periods, strict=True):
                found[place] = column
            return found
    return [None] * count


def _is_odd(cell: Cell, count: int) -> bool:
    """Say whether a bare number is rather a year, an identifier, or a footnote's mark."""
    if not cell.plain:
        return False
    value = cell.value or 0.0
    return value >= _LEAST_PLAIN or (count == 1 and value < 100)
