"""Data of workbooks: rows of displayed cells, merged ranges, declared headers."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from casetrack.parse.layout.running import page_number
from casetrack.parse.page_builder import clean_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from casetrack.parse.drawn.text import Block

# Headers and footers of printed sheets, in the codes of Excel.

_CODE = re.compile(r'&&|&(?:"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|\d+|[A-Za-z])')
_NUMBERS = frozenset({"&P", "&N"})


def coded_head(kind: str, text: str, /) -> str:
    """Return the line of a header or footer without its codes for fonts, dates and pages."""
    words = _CODE.sub(lambda m: "&" if m[0] == "&&" else " ", text)
    numbered = _CODE.sub(lambda m: "1" if m[0] in _NUMBERS else m[0], text)
    return head_line(kind, words, _CODE.sub(" ", numbered))


def head_line(kind: str, words: str, numbered: str, /) -> str:
    """Return the line of a header or footer (*kind*); empty if it is only a page number."""
    text = " ".join(words.split())
    is_number = page_number(" ".join(numbered.split())) is not None
    return "" if is_number or not text else f"Sheet {kind}: {text}"


CellKind = Literal["text", "number", "date", "other"]
KIND = "Spreadsheet"
"""Name of the format in errors."""

_HYPERLINK = re.compile(r'HYPERLINK\(\s*"((?:[^"]|"")*)"\s*[,;)]', re.IGNORECASE)
MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384


class Cell(NamedTuple):
    """A displayed cell; *column* is 1-based, *unseen* its kind of hidden text."""

    column: int
    text: str
    kind: CellKind
    style: int | str | None = None
    unseen: str = ""


class SheetRow(NamedTuple):
    """A row with at least one cell; *number* is 1-based, cells ascend by column."""

    number: int
    cells: list[Cell]


class Area(NamedTuple):
    """A range of cells, 1-based, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


class Note(NamedTuple):
    """A displayed comment on a cell, the target of its *link*, or its hidden text."""

    column: int
    text: str
    link: str = ""
    unseen: str = ""


Notes = dict[int, list[Note]]
"""Comments and links by row, sorted by column."""


def add_link(notes: Notes, row: int, column: int, target: str | None, /) -> None:
    """Add the target of an external link."""
    words = " ".join(clean_text(target or "").split())
    if words and not words.startswith("#"):
        note = Note(column, f"[Link: {words}]", words.removeprefix("mailto:"))
        bisect.insort(notes.setdefault(row, []), note, key=itemgetter(0))


class Drawn(NamedTuple):
    """An object over the cells: its upper left cell, last column, and text on one line."""

    row: int
    column: int
    column_end: int
    text: str


def drawn_over(
    row: int, column: int, column_end: int, blocks: Iterable[Block], /
) -> Iterator[Drawn]:
    """Yield an object over the cells if it has text; ``;`` separates its paragraphs."""
    text = "; ".join(filter(None, (clean_text(block.text).strip() for block in blocks)))
    if text:
        yield Drawn(row, column, column_end, text)


def add_formula_link(notes: Notes, row: int, column: int, formula: str, /) -> bool:
    """Add the target of a link in a formula; return whether it must be computed."""
    if "HYPERLINK(" not in formula.upper():
        return False
    target = _HYPERLINK.search(formula)
    if target is None:
        return True
    add_link(notes, row, column, target[1].replace('""', '"'))
    return False


def computed_links_warning(count: int, /) -> list[str]:
    """Return the warning that counts links with a computed target, if any."""
    what = f"Targets of links that formulas compute were not read: {count:,}."
    return [what] if count else []


@dataclass(frozen=True, slots=True)
class SheetData:
    """One sheet.

    *rows* is an iterator that is read once; *headers* are header rows that the file declares;
    *drawn* are objects over the cells, from the top; *heads* are lines of the header and footer.
    *hidden_rows* are known after the rows are read.
    """

    name: str
    rows: Iterable[SheetRow]
    merged: tuple[Area, ...] = ()
    headers: tuple[Area, ...] = ()
    notes: Notes = field(default_factory=dict)
    drawn: Sequence[Drawn] = ()
    is_hidden: bool = False
    hidden_rows: set[int] = field(default_factory=set)
    heads: tuple[str, ...] = ()
    hidden_columns: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class WorkbookFacts:
    """Facts of a workbook that are known before its cells are read."""

    format: str
    names: tuple[str, ...]
    title: str | None = None
    author: str | None = None
    created_at: datetime | None = None
    modified_at: datetime | None = None
    properties: tuple[tuple[str, str], ...] = ()
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def shown_cell(
    column: int, text: str, kind: CellKind, style: int | str | None, unseen: str = ""
) -> Cell | None:
    """Return the cell with its text on one line, ``None`` without text."""
    clean = clean_text(text).strip()
    return Cell(column, clean, kind, style, unseen) if clean else None


def hidden_warning(names: Iterable[str], /) -> list[str]:
    """Return the warning that names hidden sheets, if any."""
    listed = ", ".join(f'"{name}"' for name in names)
    return [f"Hidden sheets were read too: {listed}."] if listed else []
