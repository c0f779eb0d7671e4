"""Amounts in the tables of a document: scale, currency, row and period.

Rows whose number of cells does not match the headers get no period; a number without a currency
sign is an amount only if the other cells of its column are.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from casetrack.extract.tables.cells import counts_things, is_per_share, scale_of_column
from casetrack.extract.tables.periods import has_head, read_column, read_columns
from casetrack.graph.document.facts import TableSum
from casetrack.graph.document.table_blocks import Page, scale_of_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.extract.tables.cells import Cell, Scale
    from casetrack.extract.tables.periods import Column
    from casetrack.graph.document.facts import ChunkFacts
    from casetrack.graph.document.table_blocks import Block, TableRow


_IN_LABEL = re.compile(
    r"[$]\s?(?P<number>\d{1,3}(?:,\d{3})*)(?![\d.,]*\d)(?!\s?(?:million|billion|thousand|m\b|b\b|bn\b))",
    re.IGNORECASE,
)
_NOMINAL = re.compile(r"\bpar\b|\bstated\svalue|\bper\b|\bexcess\b|\bdenominat", re.IGNORECASE)
_MOST = dict.fromkeys(("dollar", "USD", "EUR", "GBP", "CHF"), 1e14)
"""Maximum plausible amounts: larger ones are no amounts, or not scaled as the table states."""
_LEAST_PLAIN = 1000
_LEAST_STATED = 5
_NEARLY_ALL = 0.8
_BEYOND_REASON = 1e13
_BEYOND_SIGNED = 10
_CHANGE = re.compile(r"(?:increase|decrease|change)\b", re.IGNORECASE)
"""Names of columns of changes, which are amounts or percentages."""
_RETURNS = re.compile(r"\bS&P\b|\bindex\b|\bpeer|NASDAQ|\breturns?\s?$|\bRussell\b", re.IGNORECASE)


def read_tables(chunks: Sequence[ChunkFacts], /, *, sheets: bool = False) -> list[list[TableSum]]:
    """Return the amounts in tables of each chunk; a table of *sheets* ends with its page."""
    sums_of_chunks: list[list[TableSum]] = [[] for _ in chunks]
    scale: Scale | None = None
    pages: list[tuple[int, Page]] = []
    at = 0
    while at < len(chunks):
        end = at
        while end < len(chunks) and chunks[end].page == chunks[at].page:
            end += 1
        page = chunks[at:end]
        scale = next(filter(None, map(scale_of_document, page)), scale)
        if any(chunk.tables for chunk in page):
            reader = Page(page, scale)
            if pages and not sheets and page[0].page == pages[-1][1].chunks[0].page + 1:
                reader.continue_table(pages[-1][1])
            pages.append((at, reader))
        at = end
    usual = _usual(block for _, page in pages for block in page.blocks)
    for first, reader in pages:
        sums = list(_sums_of_page(reader, usual))
        for number, chunk in enumerate(reader.chunks, start=first):
            sums_of_chunks[number] = [
                one._replace(start=one.start - chunk.char_start, end=one.end - chunk.char_start)
                for one in sums
                if chunk.char_start <= one.start and one.end <= chunk.char_end
            ]
    return sums_of_chunks


def _usual(blocks: Iterable[Block]) -> float | None:
    """Return the scale that nearly all tables of a document state, or ``None``."""
    stated: Counter[float] = Counter()
    for block in blocks:
        scale = block.rows[0].scale
        if scale is not None and scale.of_money:
            stated[scale.factor] += 1
    if stated.total() < _LEAST_STATED:
        return None
    factor, count = stated.most_common(1)[0]
    return factor if count >= _NEARLY_ALL * stated.total() else None


def _sums_of_page(page: Page, usual: float | None) -> Iterator[TableSum]:
    """Yield the amounts of a page in block order; *usual* is the scale for tables without one."""
    for block in page.blocks:
        columns = read_columns(block.heads)
        kinds = _kinds_of_columns([*block.above, *block.rows], block.names)
        factor = usual if usual is not None and _may_have(block, usual) else 1.0
        is_second = page.is_second(block)
        sums = [
            one
            for row in block.rows
            for one in _sums_of(
                row, None if is_second else page.unit(row, block), columns, kinds, factor
            )
        ]
        most = _most(sums)
        yield from (one._replace(doubtful=_is_beyond(one, most)) for one in sums)


def _most(sums: Sequence[TableSum]) -> float:
    """Return the largest plausible amount without a currency sign, from those with one."""
    whole = [one for one in sums if one.signed and one.printed % 1 == 0]  # no values of a share
    signed = [abs(one.printed * one.factor) for one in whole]
    return _BEYOND_SIGNED * max(signed) if len(signed) >= _LEAST_STATED else math.inf


def _is_beyond(one: TableSum, most: float) -> bool:
    return one.doubtful or (not one.signed and abs(one.printed * one.factor) > most)


def _may_have(block: Block, factor: float) -> bool:
    """Return whether a table without a stated scale may have the usual one.

    It has several columns of integers that stay plausible when scaled. Comparisons of returns ("$
    100" in the first year) never do.
    """
    rows = [row for row in block.rows if not is_per_share(row.label, row.section)]
    cells = [c for row in rows for c in row.row.cells if c.value is not None and not c.percent]
    if not cells or any(row.scale is not None for row in block.rows):
        return False
    values = [abs(cell.value or 0.0) for cell in cells if cell.decimals < 2]
    if len(values) < len(cells) * _NEARLY_ALL or 2 * len(cells) < 3 * len(rows):
        return False
    if any(_RETURNS.search(row.label) for row in block.rows):
        return False
    odd = any(value * factor >= _BEYOND_REASON for value in values)
    return not odd and not all(value % _LEAST_PLAIN == 0 for value in values)


class _Kinds(NamedTuple):
    """Properties of cells by position, separately for each number of cells in a row."""

    # Positions with a currency sign, and with a per cent sign.
    money: dict[int, set[int | str]]
    ratios: dict[int, set[int | str]]
    # Positions before the first currency sign of a row, or under the name of a count.
    bare: dict[int, set[int | str]]
    with_cents: bool  # Whether most amounts of the block have two decimals
    whole: bool  # Whether all amounts with a sign are integers, so that "2.5" is a rate


def _kinds_of_columns(rows: Sequence[TableRow], names: Sequence[str]) -> _Kinds:
    counted = [place for place, name in enumerate(names) if _is_count(name)]
    money: dict[int, set[int | str]] = {}
    ratios: dict[int, set[int | str]] = {}
    bare: dict[int, set[int | str]] = {}
    cents = sums = 0
    whole: bool | None = None
    for row in rows:
        count, places = _places(row.row.cells)
        signed = [place for place, cell in enumerate(row.row.cells) if cell.unit]
        own = bare.setdefault(count, set())
        own.update(places[: signed[0] if signed else 0])
        if count and len(names) - count in {0, 1}:
            # The first name may be that of the labels.
            own.update(place - (len(names) - count) for place in counted)
        for place, cell in zip(places, row.row.cells, strict=True):
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


def _is_count(name: str) -> bool:
    """Return whether a column has counts or ratios; "Three months ended" is a period."""
    return not has_head(name) and counts_things(name, "")


def _sums_of(
    row: TableRow, unit: str | None, columns: Sequence[Column], kinds: _Kinds, usual: float
) -> Iterator[TableSum]:
    cells = row.row.cells
    count, places = _places(cells)
    signed, percents = kinds.money.get(count, set()), kinds.ratios.get(count, set())
    heads = _heads_of(cells, columns, signed, percents)
    per_share = is_per_share(row.label, row.section)
    counted = counts_things(row.label, row.section) or bool(row.own and not row.own.of_money)
    scale = row.own or row.scale
    stated = usual if scale is None else scale.factor if scale.of_money else 1.0
    if stated != 1 and not per_share:
        yield from _sums_in_label(row, stated)
    for place, cell, head in zip(places, cells, heads, strict=True):
        if cell.value is None or cell.percent:
            continue
        column = scale_of_column(cell.name) if cell.name else None
        if cell.unit is None and column is not None and column.unit:
            if counted and not per_share:
                continue
        elif cell.unit is None:
            # Sheets show the currency in each cell, so a number without a sign is no amount.
            is_sum = head is not None or (place in signed and not cell.name)
            if (
                unit is None
                or (counted and not per_share)
                or not is_sum
                or _is_count(cell.name.rpartition(" / ")[2])
                or any(map(_CHANGE.match, cell.name.split(" / ")))
                or place in (percents | kinds.bare.get(count, set())) - signed
            ):
                continue
            if kinds.whole and cell.decimals == 1:
                continue
            if (per_share and cell.decimals < 2) or _is_odd(cell, count) or not row.label:
                continue
        # Cents among integers in millions are per-share values.
        of_share = per_share or (cell.decimals >= 2 and not kinds.with_cents)
        factor = 1.0 if of_share else column.factor if column is not None else stated
        currency = cell.unit or (column.unit if column is not None else None) or unit or ""
        most = _MOST.get(currency, math.inf)
        if cell.value * factor >= most:
            if cell.unit is None:
                # A number of shares among amounts.
                continue
            factor = usual if cell.value * usual < most else 1.0
        start = row.line.start
        yield TableSum(
            start + cell.start, start + cell.end, cell.value, factor, currency,
            row.label or None,
            head.period if head and head.period else None,
            head.first if head else None,
            head.last if head else None,
            signed=cell.unit is not None,
        )  # fmt: skip


def _places(cells: Sequence[Cell]) -> tuple[int, Sequence[int | str]]:
    """Return the number of cells (0 if they have names), and the column of each."""
    if cells[0].name:
        return 0, [cell.name for cell in cells]
    return len(cells), range(len(cells))


def _sums_in_label(row: TableRow, factor: float) -> Iterator[TableSum]:
    """Yield the amounts in a row's label: "Receivables, less allowances of $477 | 3,667"."""
    label = row.line.text[slice(*row.row.label)]
    if "$" not in label or _NOMINAL.search(label):
        return
    for match in _IN_LABEL.finditer(label):
        start = row.line.start + row.row.label[0]
        value = float(match["number"].replace(",", ""))
        yield TableSum(
            start + match.start(), start + match.end(), value, factor, "dollar", row.label or None,
            None, None, None,
        )  # fmt: skip


def _heads_of(
    cells: Sequence[Cell],
    columns: Sequence[Column],
    signed: set[int | str],
    percents: set[int | str],
) -> list[Column | None]:
    """Return the column of each cell, ``None`` if the headers do not determine it."""
    if cells[0].name:
        return [read_column(cell.name) for cell in cells]
    count = len(cells)
    periods = [column for column in columns if column.period]
    if count == len(columns):
        return [column if column.period else None for column in columns]
    if not periods:
        return [None] * count
    for wanted in (set(range(count)) - percents, signed):
        places = [place for place in range(count) if place in wanted]
        if len(places) == len(periods):
            heads: list[Column | None] = [None] * count
            for place, column in zip(places, periods, strict=True):
                heads[place] = column
            return heads
    return [None] * count


def _is_odd(cell: Cell, count: int) -> bool:
    """Return whether a bare number is probably a year, an identifier, or a footnote mark."""
    if not cell.plain:
        return False
    value = cell.value or 0.0
    return value >= _LEAST_PLAIN or (count == 1 and value < 100)
