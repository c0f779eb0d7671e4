"""Tables as readers find them: rows of cells with spans, and their text with names of columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from casetrack.base.dataclass import dataclass
from casetrack.base.words.lists import any_month

Sort = Literal["words", "number", "year", "day"]
"""Content of a cell; years and days can also be names of columns."""

MAX_NAME_CHARS = 200
"""A longer name of a column is written once, in its own row, and not before each value."""

MONEY_SIGNS = "$\u20ac\u00a3\u00a5\u20b9\u20a9\u20bd\u20aa\u20ba\u0e3f\u20b1\u20a6"
"""Signs of currencies."""

_CACHED = 4096
_MONTH = rf"(?:{any_month('en_short')})[a-z]*"
_NUMBER = re.compile(
    rf"[(\[\u2212+~<>\u2264\u2265\u00b1-]*\s*(?:(?:[A-Z]\.?){{0,3}}\s?[{MONEY_SIGNS}]|[A-Z]{{3}}(?=\s*[\d(])(?!\s+(?:19|20)\d\d\s*$))?"
    r"\s*[(\u2212+-]?\s*(?:\d[\d.,'\u00a0\u202f ]*|[.,]\d+)(?:[eE][-+]?\d+)?\s*"
    rf"(?:%|\u2030|x|bps|pts?|[KMB]n?|[{MONEY_SIGNS}]|[A-Z]{{3}}|\u00b0)?\s*[)\]]?[*\u2020\u2021]{{0,3}}\s*%?"
)
_EMPTY_VALUE = re.compile(
    r"(?:\$\s*)?[-\u2013\u2014\u2212\u2026.]{1,3}\s*%?|n/?[am]\.?"
    r"|\d[\d.]*\s*%?\s*[-\u2013]\s*\d[\d.]*\s*%",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d(?:/\d\d(?:\d\d)?|\s?[\u2013-]\s?\d{2,4}|[AEFP])?\*?")
_DAY = re.compile(
    rf"\d\d?([./-])\d\d?\1(?:\d\d){{1,2}}|(?:19|20)\d\d([./-])\d\d?\2\d\d?"
    rf"|\d\d?[. -]{{1,2}}{_MONTH}\.?[ -]\d{{2,4}}"
    rf"|{_MONTH}\.? \d\d?,? (?:19|20)\d\d",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"(?:supplementary |appendix )?(?:table|tab\.|exhibit|figure|fig\.|chart"
    r"|tabelle|tableau|tabla|tabela|tabella|cuadro|quadro|abbildung)"
    r"\s?(?-i:[A-Z]{0,3}\s?\d[\w.-]*|[A-Z]|[IVXLC]+)(?:\s?[.:\u2013-]|\s|$)",
    re.IGNORECASE,
)


@lru_cache(_CACHED)
def is_value(text: str, /) -> bool:
    """Return whether a cell's text is a number, an amount or a dash in its place."""
    text = text.strip()
    return bool(_NUMBER.fullmatch(text) or _EMPTY_VALUE.fullmatch(text))


@lru_cache(_CACHED)
def sort_of(text: str, /) -> Sort:
    """Return the content of a cell's text."""
    text = text.strip()
    if _YEAR.fullmatch(text):
        return "year"
    if _DAY.fullmatch(text):
        return "day"
    return "number" if is_value(text) else "words"


def is_caption(text: str, /) -> bool:
    """Return whether a line is the numbered title of a table or a figure."""
    return _CAPTION.match(text) is not None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with text."""

    text: str
    # column, span: first column, and number of columns.
    column: int
    span: int = 1
    is_bold: bool = False  # whether all of its text is bold
    declared: Sort | None = None  # content by the file, or `None`
    style: int | str | None = None  # number or name of its format, if the file has formats of cells

    @property
    def columns(self) -> range:
        """The columns that it covers."""
        return range(self.column, self.column + self.span)

    @property
    def sort(self) -> Sort:
        """Its content."""
        return self.declared or sort_of(self.text)


class Row(NamedTuple):
    """The non-empty cells of a row, from left to right; *is_marked*: the file declares a header."""

    cells: tuple[Cell, ...] = ()
    is_marked: bool = False
    is_shaded: bool = False


def head_names(rows: Iterable[Row], /, *, is_wrapped: bool = False) -> dict[int, str]:
    """Return the name of each column from all levels of header rows: ``2024 / Q1``.

    *is_wrapped* allows a cell to continue in the cell below it.
    """
    names: dict[int, str] = {}
    spans: dict[int, int] = {}
    for row in rows:
        for cell in row.cells:
            for column in cell.columns:
                above = names.get(column)
                if not above:
                    names[column] = cell.text
                elif cell.text and (is_wrapped or cell.text != above):
                    is_level = not is_wrapped or spans[column] > cell.span
                    names[column] = f"{above}{' / ' if is_level else ' '}{cell.text}"
                spans[column] = cell.span
    return names


def named(text: str, name: str, /) -> str:
    """Return the text of a cell after the name of its column, unless that is empty or long."""
    return f"{name}: {text}" if 0 < len(name) <= MAX_NAME_CHARS else text


def row_text(row: Row, names: Mapping[int, str] | None = None, /) -> str:
    """Return a row as one line: ``Header: value | Header: value``.

    A single cell over several columns has no name, because it introduces the rows below it.
    """
    cells = row.cells
    if not names or (len(cells) == 1 and cells[0].span > 1):
        return " | ".join(cell.text for cell in cells)
    return " | ".join(named(cell.text, names.get(cell.column, "")) for cell in cells)
