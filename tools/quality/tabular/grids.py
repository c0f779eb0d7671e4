"""Made-up tables: headers of one to three levels over rows of values, and the pairs they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from random import Random

Kind = Literal["name", "city", "status", "code", "date", "count", "amount", "share", "note", "year"]
Pair = tuple[str, str]
"""The names of a column, those of all levels side by side, and a value below them."""

_HEADS: dict[Kind, tuple[str, ...]] = {
    "name": ("Customer", "Supplier", "Party", "Name", "Vessel", "Company", "Insured person"),
    "city": ("City", "Place of business", "Seat", "Port", "Location"),
    "status": ("Status", "Result", "Grade", "State of work"),
    "code": ("Reference", "Part no.", "Contract", "File no.", "Invoice No"),
    "date": ("Due date", "Date", "Signed on", "Expiry", "Date of delivery"),
    "count": ("Quantity", "Pieces", "Units sold", "Employees", "Hours"),
    "amount": ("Amount", "Price (EUR)", "Net value", "Fee", "Total cost"),
    "share": ("Share", "Growth in %", "Rate", "Margin"),
    "note": ("Remarks", "Description", "Terms", "Subject of the agreement"),
    "year": ("Year", "Built", "Season"),
}
_FIRST = "North Elm Baker Harbour Silver Grand Iron Copper Lake Mill Stone River Ash Bright".split()
_SECOND = "Trading Works Partners Shipping Foods Motors Glass Paper Logistics Press Farms".split()
_CITIES = "Lisbon Porto Hamburg Oslo Gdansk Turin Lyon Ghent Cork Bergen Malmo Basel Vaduz".split()
_STATES = "open closed pending paid overdue in review approved rejected".replace(
    "in review", "draft"
).split()
_WORDS = (
    "delivery of the goods to the warehouse of the buyer within ten days after notice including "
    "packing and insurance but without duties which the seller bears as agreed between both"
).split()
MEASURES: tuple[Kind, ...] = ("count", "amount", "share")
GROUPS = (
    ("2024", "2023"), ("Budget", "Actual"), ("First half", "Second half"), ("Domestic", "Abroad"),
    ("Three months ended June 30,", "Six months ended June 30,"), ("Buyer", "Seller"),
)  # fmt: skip
SUBS = (
    ("Q1", "Q2"), ("2024", "2023"), ("Units", "Value"), ("Plan", "Done", "Open"),
    ("Name", "Seat"), ("Low", "High"), ("Net", "Tax", "Gross"),
)  # fmt: skip


@dataclass(slots=True)
class Cell:
    """A cell of a grid, 0-based; *lines* are the paragraphs of a rich cell."""

    row: int
    column: int
    text: str
    wide: int = 1
    high: int = 1
    kind: Kind = "name"
    is_head: bool = False
    lines: tuple[str, ...] = ()
    is_list: bool = False
    inner: Grid | None = None


@dataclass(slots=True)
class Grid:
    """A table and its true content.

    Attributes
    ----------
    marks
        Marks of its header: ``bold``, ``fill``, ``declared``, or none of them.
    lines
        ``grid``, ``rules`` (lines along the text), ``head`` (one below the header), ``none``.
    """

    width: int
    height: int
    head: int
    cells: list[Cell]
    pairs: list[Pair]
    marks: frozenset[str] = frozenset()
    lines: str = "grid"
    is_merged: bool = True
    free: list[Pair] = field(default_factory=list)

    def rows(self) -> list[list[Cell]]:
        """The cells of each row."""
        out: list[list[Cell]] = [[] for _ in range(self.height)]
        for cell in self.cells:
            out[cell.row].append(cell)
        return out


def value(kind: Kind, chance: Random, /) -> str:
    """Make a value of a kind."""
    pick = chance.choice
    if kind == "name":
        return f"{pick(_FIRST)} {pick(_SECOND)}" + pick(("", "", " Ltd", " & Sons"))
    if kind == "city":
        return pick(_CITIES)
    if kind == "status":
        return pick(_STATES)
    if kind == "code":
        return f"{pick('ABCDK')}{pick('XYZR')}-{chance.randint(100, 9999)}"
    if kind == "date":
        return f"20{chance.randint(18, 25)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    if kind == "count":
        return f"{chance.randint(1, 9999):,}"
    if kind == "amount":
        return f"{chance.randint(100, 9_999_999) / 100:,.2f}"
    if kind == "share":
        return f"{chance.randint(1, 990) / 10}%"
    if kind == "year":
        return str(chance.randint(1995, 2025))
    start = chance.randrange(len(_WORDS) - 14)
    return " ".join(_WORDS[start : start + chance.randint(3, 13)]).capitalize()


def kinds_of(chance: Random, words: int, numbers: int, /) -> list[Kind]:
    """Choose kinds of columns: words first, then numbers."""
    pool: list[Kind] = ["name", "city", "status", "code", "date"]
    chance.shuffle(pool)
    return pool[:words] + [chance.choice(MEASURES) for _ in range(numbers)]


def simple(
    chance: Random,
    kinds: list[Kind],
    /,
    *,
    rows: int = 0,
    marks: str = "",
    lines: str = "grid",
    empty: float = 0.0,
    stub: bool = False,
    title: str = "",
    sections: bool = False,
    total: bool = False,
    spanning: bool = False,
    rich: bool = False,
    head: list[str] | None = None,
) -> Grid:
    """Make a table with one header row.

    Parameters
    ----------
    empty
        Share of cells without text.
    stub
        The first column has no name.
    title
        A title above the header spans all columns.
    sections
        Rows of one wide cell name the rows below them.
    total
        The last row adds up the numbers.
    spanning
        Cells of the first column span several rows.
    rich
        Cells have several paragraphs, lists, or a nested table.
    """
    width, height = len(kinds), rows or chance.randint(4, 9)
    names: list[str] = []
    for kind in kinds:
        free = [h for h in _HEADS[kind] if h not in names]
        names.append(chance.choice(free) if free else f"{_HEADS[kind][0]} {len(names) + 1}")
    names = head or names
    if stub:
        names[0] = ""
    cells: list[Cell] = []
    at = 0
    if title:
        cells.append(Cell(0, 0, title, width, is_head=True))
        at = 1
    cells += [Cell(at, c, n, is_head=True) for c, n in enumerate(names) if n]
    at += 1
    top = at
    pairs: list[Pair] = []
    covered = 0
    grid = Grid(width, 0, top, cells, pairs, frozenset(marks.split()), lines)
    for number in range(height):
        if sections and number % 3 == 0:
            cells.append(Cell(at, 0, f"{chance.choice(_FIRST)} division", width))
            at += 1
        for column, kind in enumerate(kinds):
            if spanning and column == 0:
                if covered:
                    covered -= 1
                    continue
                high = min(chance.randint(1, 3), height - number)
                covered = high - 1
                cells.append(Cell(at, 0, value(kind, chance), high=high, kind=kind))
                pairs.append((names[0], cells[-1].text))
                continue
            if column and chance.random() < empty:
                continue
            cell = Cell(at, column, value(kind, chance), kind=kind)
            if rich and kind == "note":
                _enrich(cell, chance)
            cells.append(cell)
            if names[column]:
                pairs.append((names[column], cell.text))
        at += 1
    if total:
        cells.append(Cell(at, 0, "Total"))
        if names[0]:
            pairs.append((names[0], "Total"))
        for column, kind in enumerate(kinds):
            if column and kind in MEASURES:
                cells.append(Cell(at, column, value(kind, chance), kind=kind))
                pairs.append((names[column], cells[-1].text))
        at += 1
    grid.height = at
    return grid


def _enrich(cell: Cell, chance: Random) -> None:
    lines = tuple(value("note", chance) for _ in range(chance.randint(2, 3)))
    cell.lines, cell.text = lines, " ".join(lines)
    cell.is_list = chance.random() < 0.5


def levelled(
    chance: Random,
    /,
    *,
    levels: int = 2,
    words: int = 1,
    marks: str = "",
    lines: str = "grid",
    merged: bool = True,
    stub: str = "high",
    rows: int = 0,
    texts: bool = False,
) -> Grid:
    """Make a table whose columns have names of two or three levels.

    Parameters
    ----------
    words
        Number of columns left of the groups.
    merged
        Groups are cells over several columns; otherwise they are in the first of them.
    stub
        Names of the first columns: ``high`` over all levels, ``low`` in the last, ``none``.
    texts
        Cells are words instead of numbers.
    """
    groups = chance.choice(GROUPS)
    subs = chance.choice([s for s in SUBS if not set(s) & set(groups)])
    left = kinds_of(chance, words, 0)
    width = words + len(groups) * len(subs)
    inner: list[Kind] = [
        chance.choice(("city", "status", "code")) if texts else chance.choice(MEASURES)
        for _ in range(width - words)
    ]
    cells: list[Cell] = []
    names: list[str] = []
    for column, kind in enumerate(left):
        name = chance.choice(_HEADS[kind]) if stub != "none" else ""
        names.append(name)
        if name and stub == "high" and merged:
            cells.append(Cell(0, column, name, high=levels, is_head=True))
        elif name:
            cells.append(Cell(levels - 1 if stub == "low" else 0, column, name, is_head=True))
    if levels == 3:
        over = chance.choice(("Turnover in EUR", "Consolidated figures", "All sites"))
        cells.append(Cell(0, words, over, width - words if merged else 1, is_head=True))
    for g, group in enumerate(groups):
        at = words + g * len(subs)
        cells.append(Cell(levels - 2, at, group, len(subs) if merged else 1, is_head=True))
        for s, sub in enumerate(subs):
            cells.append(Cell(levels - 1, at + s, sub, is_head=True))
            names.append(" ".join(filter(None, (over if levels == 3 else "", group, sub))))
    pairs: list[Pair] = []
    height = rows or chance.randint(4, 8)
    for row in range(levels, levels + height):
        for column, kind in enumerate([*left, *inner]):
            cell = Cell(row, column, value(kind, chance), kind=kind)
            cells.append(cell)
            if names[column]:
                pairs.append((names[column], cell.text))
    return Grid(
        width, levels + height, levels, cells, pairs, frozenset(marks.split()), lines, merged
    )  # fmt: skip


def form(chance: Random, /, rows: int = 5) -> Grid:
    """Make a list of names and their values, which has no header; the names make the pairs."""
    labels = ["Name", "Address", "Contract no.", "Signed on", "Amount due", "Contact", "Remarks"]
    kinds: list[Kind] = ["name", "city", "code", "date", "amount", "name", "note"]
    cells = []
    for row in range(rows):
        cells += [
            Cell(row, 0, labels[row]),
            Cell(row, 1, value(kinds[row], chance), kind=kinds[row]),
        ]
    pairs = [(a.text, b.text) for a, b in zip(cells[::2], cells[1::2], strict=True)]
    return Grid(2, rows, 0, cells, pairs)
