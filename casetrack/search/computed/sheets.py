"""Lists, counts, sums and extremes over the rows of one sheet, by its column names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.dataclass import dataclass, replace
from casetrack.extract.tables.cells import scale_of_column
from casetrack.search.computed.asked import LISTS
from casetrack.search.computed.parts import counted, joined
from casetrack.search.pinpoint.cells import rows_of
from casetrack.search.question.wanted import query_terms as stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.base.records.search import ComputedAnswer
    from casetrack.search.computed.asked import AskedSet
    from casetrack.search.computed.parts import Source

_FORMATS = frozenset({"xlsx", "xlsm", "xls", "ods", "csv", "tsv"})
_TOTAL = re.compile(
    r"^\W*(?:sub-?\s?totals?|(?:grand )?totals?|sum|average|mean|(?:zwischen)?summe|gesamt\w*|"
    r"mittelwert|durchschnitt)\b",
    re.IGNORECASE,
)
_IS_TOTAL = re.compile(rf"{_TOTAL.pattern}(?: (?:all|overall|amount|costs?))?\W*$", re.IGNORECASE)
_EMPTY = re.compile(r"^\W*(?:n/?a|none|nil)?\W*$", re.IGNORECASE)
_NUMERIC = re.compile(r"^[^\w]*\d[\d.,]*\W*$")
_MOST_CHUNKS = 400
_QUANTIFIERS = stems(LISTS.text("quantifiers"))


class _Cell(NamedTuple):
    """A cell: its text, and its place in a chunk."""

    text: str
    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The header and the rows of a sheet."""

    name: str
    header: tuple[str, ...]
    rows: tuple[dict[str, _Cell], ...]


class _Value(NamedTuple):
    """A number in a row."""

    number: float
    unit: str | None
    cell: _Cell
    label: str
    may_be_total: bool  # "Total current assets", but also "Total Eclipse"


def sheets_answer(source: Source, asked: AskedSet, /) -> ComputedAnswer | None:
    """Return the answer from the rows of the only sheet with the asked columns, or ``None``."""
    if asked.by == "length":
        return None
    named = source.named
    wanted, rest = stems(" ".join(asked.measure or asked.words)), source.without_names(asked.rest)
    chunks = source.places_with(wanted) if wanted else []
    ids = list(dict.fromkeys(map(source.state.index.document_at, chunks)))
    every = source.state.snapshot.documents
    ids = [i for i in ids if every[i].format in _FORMATS and (not named or i in named)]
    fitting = [
        each
        for document_id in ids
        for sheet in _sheets(source, document_id)
        if not asked.measure or _label_column(sheet, asked)
        for each in _columns(sheet, wanted, stems(rest))
    ]
    if len(fitting) != 1:
        return None
    sheet, column = fitting[0]
    if asked.form in {"list", "count"}:
        return _different(source, sheet, column)
    return _compared(source, asked, sheet, column)


def _columns(
    sheet: _Sheet, wanted: frozenset[str], rest: frozenset[str]
) -> Iterator[tuple[_Sheet, str]]:
    """Yield the columns that the question names, with the rows to which it is narrowed.

    All words count: those of the set, and the others, of the column or of the cells of a row.
    """
    for column in sheet.header:
        names = [column]
        if scale_of_column(column) is not None:
            names.append(re.split(r"[(/,]", column)[0])  # "Sales (EUR m)"
        for own in {stems(name) - extra for name in names for extra in (frozenset(), _QUANTIFIERS)}:
            if wanted <= own <= wanted | rest and (rows := _scoped(sheet, rest - own)) is not None:
                yield rows, column


def _scoped(sheet: _Sheet, words: frozenset[str]) -> _Sheet | None:
    """Return the rows with a cell of exactly some words; ``None`` if not in one column."""
    cells = {
        (column, cell.text.casefold()): cell.text
        for row in sheet.rows
        if words
        for column, cell in row.items()
        if stems(cell.text) == words
    }
    if len(cells) != 1:
        return None if words else sheet
    (column, value), text = cells.popitem()
    rows = [r for r in sheet.rows if column in r and r[column].text.casefold() == value]
    return replace(sheet, name=f'{sheet.name}, rows with {column} "{text}"', rows=tuple(rows))


def _label_column(sheet: _Sheet, asked: AskedSet) -> str:
    """Return the column of the compared things; the first one if the sheet is named by them."""
    thing = stems(asked.name)
    columns = [column for column in sheet.header if thing <= stems(column)]
    exact = [column for column in columns if stems(column) == thing] or columns
    column = exact[0] if len(exact) == 1 else ""
    return column or (sheet.header[0] if thing <= stems(f"{sheet.header[0]} {sheet.name}") else "")


def _sheets(source: Source, document_id: str) -> Iterator[_Sheet]:
    """Yield the sheets of a document; those with too many chunks are left out."""
    places = source.places(document_id)
    if len(places) > _MOST_CHUNKS:
        return
    pages: dict[int, list[tuple[str, str, int]]] = {}
    for place, (chunk_id, text) in zip(places, source.texts(places), strict=True):
        number, row = place
        data = source.state.index.segments[number].data
        (stored,) = data.places_of([row], ["page", "char_start", "sheet_name"])
        pages.setdefault(stored["page"], []).append((chunk_id, text, stored["char_start"]))
    name = source.state.snapshot.documents[document_id].name
    for chunks in pages.values():
        sheet = _sheet(name, chunks)
        if sheet is not None:
            yield sheet


def _sheet(name: str, chunks: Sequence[tuple[str, str, int]]) -> _Sheet | None:
    """Return the table of a sheet: a line of column names, and rows that repeat them."""
    rows: list[dict[str, _Cell]] = []
    end = 0
    for chunk_id, text, char_start in chunks:
        for row in rows_of(text):
            if char_start + row.start < end:
                continue
            rows.append({c.column: _Cell(c.text, chunk_id, c.start, c.end) for c in row.cells})
            if "" in rows[-1] or len(rows[-1]) < len(row.cells):
                # A second table below the first, or two columns of one name.
                return None
        end = max(end, char_start + len(text))
    header = dict.fromkeys(column for cells in rows for column in cells)
    return _Sheet(name, tuple(header), tuple(rows)) if rows else None


def _is_total(row: dict[str, _Cell]) -> bool:
    return any(_IS_TOTAL.match(cell.text) for cell in list(row.values())[:2])


def _different(source: Source, sheet: _Sheet, column: str) -> ComputedAnswer | None:
    """Return the different values of a column."""
    cells: dict[str, _Cell] = {}
    for row in sheet.rows:
        cell = row.get(column)
        if cell is not None and not _EMPTY.match(cell.text) and not _is_total(row):
            cells.setdefault(cell.text.casefold(), cell)
    if any(_NUMERIC.match(cell.text) for cell in cells.values()):
        return None  # the number of things is their sum or something else
    parts = [(c.text, None, (c.chunk_id, c.start, c.end)) for c in cells.values()]
    how = f'different values of the column "{column}" in {sheet.name}, without totals'
    return source.answer(counted(len(parts), "value"), how, parts) if parts else None


def _compared(source: Source, asked: AskedSet, sheet: _Sheet, column: str) -> ComputedAnswer | None:
    """Return the sum or the extreme of a column of numbers with one unit."""
    values = _values(sheet, column, _label_column(sheet, asked) if asked.measure else "")
    if values is None or not values or len({value.unit for value in values}) != 1:
        return None
    unit = f" {values[0].unit}" if values[0].unit else ""
    where = f'column "{column}" in {sheet.name}, without totals and empty cells'
    if (stated := scale_of_column(column)) is not None and stated.factor != 1:
        where += ", scaled as its name states"
    if asked.form != "extreme":
        if any(value.may_be_total for value in values):
            return None
        name, number = "sum", sum(v.number for v in values)
        if asked.form == "computation":
            name, number = "average", number / len(values)
        text = f"{round(number, 6):,.15g}{unit}"
        how, chosen = f"{name} of {counted(len(values), 'row')}: {where}", values
    else:
        best = (min if asked.lowest else max)(value.number for value in values)
        chosen = [value for value in values if value.number == best]
        if any(value.may_be_total for value in chosen):
            return None
        names = joined(list(dict.fromkeys(value.label for value in chosen)))
        text = f"{names} ({best:,.15g}{unit})" if asked.measure else f"{best:,.15g}{unit} ({names})"
        how = f"{counted(len(values), 'row')} compared: {where}"
    parts = [
        (v.label, f"{v.number:,.15g}{unit}", (v.cell.chunk_id, v.cell.start, v.cell.end))
        for v in chosen
    ]
    return source.answer(text, how, parts)


def _values(sheet: _Sheet, column: str, label: str) -> list[_Value] | None:
    """Return the numbers of a column with a label; ``None`` if a cell is no number.

    The label is the cell in the column *label*, by default the first one with words.
    """
    from casetrack.extract.amounts import find_amounts

    values = []
    stated = scale_of_column(column)
    for row in sheet.rows:
        cell = row.get(column)
        if cell is None or _EMPTY.match(cell.text) or _is_total(row):
            continue
        amounts = find_amounts(cell.text, numbers=True)
        if len(amounts) != 1 or amounts[0].high is not None:
            return None
        first = amounts[0]
        if cell.text[: first.start].strip() or cell.text[first.end :].strip():
            return None
        names = [each.text for each in row.values() if not _NUMERIC.match(each.text)]
        name = row[label].text if label in row else (names or [cell.text])[0]
        may_be_total = any(_TOTAL.match(each.text) for each in list(row.values())[:2])
        number, unit = first.value, first.unit
        if stated is not None and unit is None:
            number, unit = round(number * stated.factor, 6), stated.unit
        values.append(_Value(number, unit, cell, name, may_be_total))
    return values
