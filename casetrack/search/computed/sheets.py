"""Lists, counts, sums and extremes over the rows of one sheet, by its column names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from casetrack.extract.tables.cells import scale_of_column
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
    named = source.named
    if asked.by == "length" or source.without_names(asked.rest).strip(" ?") not in {"", "in", "of"}:
        return None
    if asked.rest and not named:
        return None
    wanted = stems(" ".join(asked.measure or asked.words))
    chunks = source.places_with(wanted) if wanted else []
    ids = list(dict.fromkeys(map(source.state.index.document_at, chunks)))
    ids = [i for i in ids if source.documents[i].format in _FORMATS and (not named or i in named)]
    fitting = [
        (sheet, column)
        for document_id in ids
        for sheet in _sheets(source, document_id)
        for column in _columns(sheet, asked, wanted)
    ]
    if len(fitting) != 1:
        return None
    sheet, column = fitting[0]
    if asked.form in {"list", "count"}:
        return _different(source, sheet, column)
    return _compared(source, asked, sheet, column)


def _columns(sheet: _Sheet, asked: AskedSet, wanted: frozenset[str]) -> list[str]:
    """Return the columns that the question names: with exactly its words."""
    exact = [column for column in sheet.header if wanted in (stems(column), _bare(column))]
    return exact if not asked.measure or _label_column(sheet, asked) else []


def _bare(column: str) -> frozenset[str] | None:
    """Return the stems of a column's name without its scale or currency: "Sales (EUR m)"."""
    is_stated = scale_of_column(column) is not None
    return stems(re.split(r"[(/,]", column)[0]) if is_stated else None


def _label_column(sheet: _Sheet, asked: AskedSet) -> str:
    """Return the column of the compared things; the first one if the sheet is named by them."""
    thing = stems(asked.name)
    column = next((column for column in sheet.header if stems(column) == thing), "")
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
    name = source.documents[document_id].name
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
    if asked.form == "sum":
        if any(value.may_be_total for value in values):
            return None
        text = f"{round(sum(v.number for v in values), 6):,.15g}{unit}"
        how, chosen = f"sum of {counted(len(values), 'row')}: {where}", values
    else:
        best = (min if asked.lowest else max)(value.number for value in values)
        chosen = [value for value in values if value.number == best]
        if any(value.may_be_total for value in chosen):
            return None
        names = joined([value.label for value in chosen])
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
