"""Finds the cell of a table that answers a question, by the names of its row and column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.dataclass import dataclass
from casetrack.base.words import WordLists
from casetrack.base.words.lists import month_numbers
from casetrack.search.pinpoint.candidates import values_in
from casetrack.search.question import wanted as asked_for
from casetrack.search.question.wanted import query_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.search.pinpoint.scoring import Sought
    from casetrack.search.question.wanted import Wanted

BETWEEN = " | "
"""The sign between cells in the text of a table."""
_MONTHS = month_numbers("en", "en_short", "de", "de_short")
_MONTH = "month "
_MONTH_NAMES = query_terms(" ".join(_MONTHS))
_GENERIC = query_terms(WordLists(asked_for.__file__).text("generic"))
_NOTE = re.compile(r"\((?:note\s*)?[\w,. ]{1,8}\)|\[\w\]", re.IGNORECASE)
_CODE = re.compile(r"\S*\d\S*")
_LABEL = re.compile(r"[^:]{0,80}(?:[^\W\d_]|\d{4})[^:]{0,80}: ")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_FIGURE = re.compile(r"^[\s$\u20ac\u00a3(~-]*\d[\d.,]*(?:\s*%|\s*\))*$")
_PERIOD = re.compile(r"\b(?:19|20)\d\d\b")
_LONGEST_PERIOD = 40
_FISCAL = re.compile(r"(?:fy|cy)((?:19|20)\d\d)")
_COVERED = 0.8
"""Minimum share of the question's words, by rarity, in the names of row and column and nearby."""
_LEAST_NAMED = 0.5
"""Minimum share of the words of a row's name that are in the question."""
_AMOUNTS = frozenset({"money", "percent", "number"})


def terms_of(text: str, /) -> frozenset[str]:
    """Return the index terms of a text; a month counts as its number, an owner as who owns."""
    terms = query_terms(_NOTE.sub(" ", text))
    months = {f"{_MONTH}{_MONTHS[w]}" for w in _LETTERS.findall(text.lower()) if w in _MONTHS}
    return terms | months | {t.removesuffix("er") for t in terms if len(t) > 4}


class Cell(NamedTuple):
    """A cell ``text[start:end]`` with the name of its column."""

    start: int
    end: int
    text: str
    column: str


class Rank(NamedTuple):
    """How well a cell fits a question; more is better."""

    covered: float  # share of the question in the names of row, column and document
    name: float  # share of the question in the name of the row
    row: int  # superfluous words of the row's name, negative
    column: int  # the same of the column


@dataclass(frozen=True)
class Row:
    """A line of a table: its name and its cells."""

    start: int
    end: int
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """The text of its first cell, without notes."""
        return self.cells[0].text

    @property
    def is_statement(self) -> bool:
        """Whether all cells but the first are figures: a line of a financial statement."""
        return any(map(str.isalpha, self.name)) and all(
            _FIGURE.match(cell.text) or not query_terms(cell.text) for cell in self.cells[1:]
        )


def rows_of(text: str, /) -> Iterator[Row]:
    """Yield the rows of the tables of a passage that have named columns."""
    header: list[str] = []
    span = ""
    start = 0
    for line in text.split("\n"):
        cells = cells_of(line, start) if BETWEEN in line else []
        named = [cell.text for cell in cells]
        if len(cells) > 1 and any(_LABEL.match(name) for name in (*named[1:], named[0])):
            yield Row(start, start + len(line), tuple(map(_labelled, cells)))
        elif cells and (not header or not _starts(line)) and not any(map(_is_figure, named)):
            # A heading over several columns: "December 31," above "2016 | 2015".
            span, header = (
                (named[0], header) if len(named) == 1 else ("", [f"{span} {n}" for n in named])
            )
        elif len(cells) > 1 and len(header) - len(cells) in {0, -1}:
            columns = header if len(cells) == len(header) else ["", *header]
            pairs = zip(cells, columns, strict=True)
            yield Row(start, start + len(line), tuple(cell._replace(column=c) for cell, c in pairs))
        elif not line.strip():
            header, span = [], ""
        start += len(line) + 1


def labelled_rows(text: str, /) -> Iterator[Row]:
    """Yield the values next to their labels: "Form number: 4711", and "Total due | 310.00"."""
    start = 0
    for line in text.split("\n"):
        cells = cells_of(line, start)
        for cell in cells:
            label, sign, value = cell.text.partition(": ")
            if sign and value.strip() and _LABEL.fullmatch(label + sign):
                first = Cell(cell.start, cell.start + len(label), label, "")
                last = Cell(cell.end - len(value.lstrip()), cell.end, value.lstrip(), "")
                yield Row(cell.start, cell.end, (first, last))
        if len(cells) == 2 and any(map(str.isdigit, cells[1].text)):
            yield Row(start, start + len(line), (cells[0], cells[1]))
        start += len(line) + 1


def _starts(line: str) -> bool:
    """Return whether the first cell of a line has text."""
    first, _, rest = line.strip().partition("|")
    return bool((first or rest.partition("|")[0]).strip())


def _is_figure(text: str) -> bool:
    """Return whether a cell has a number that is no year or date."""
    return any(map(str.isdigit, text)) and (len(text) > _LONGEST_PERIOD or not _PERIOD.search(text))


def cells_of(line: str, start: int) -> list[Cell]:
    """Return the cells of a line that have text."""
    cells, at = [], 0
    for part in line.split("|"):
        own = part.strip()
        first = start + at + len(part) - len(part.lstrip())
        if own.strip("-: "):
            cells.append(Cell(first, first + len(own), own, ""))
        at += len(part) + 1
    return cells


def _labelled(cell: Cell) -> Cell:
    column, _, value = cell.text.rpartition(": ")
    labelled = Cell(cell.end - len(value), cell.end, value, column)
    return labelled if _LABEL.match(cell.text) else cell


def _column(cell: Cell) -> frozenset[str]:
    """Return the terms of a column's name that are no period."""
    terms = _described(cell.column) - _MONTH_NAMES
    return frozenset(t for t in terms if not t.startswith(_MONTH))


def _described(text: str) -> frozenset[str]:
    """Return the terms of a name, without codes unless it is one."""
    return terms_of(_CODE.sub("", text).strip() or text) - _GENERIC


@dataclass(frozen=True)
class Table:
    """The rows of a passage compared with a question.

    *weights* are the terms of the question with their rarity, *named* the terms of the headings and
    of the document's name, *around* those and the terms near the table.
    """

    text: str
    weights: Mapping[str, float]
    named: frozenset[str]
    around: frozenset[str]
    wanted: Wanted
    periods: frozenset[str]  # the terms of the question that are numbers
    held: frozenset[str] = frozenset()  # the terms of the beginning of its document

    @classmethod
    def of(
        cls, text: str, names: str, sought: Sought, asked: Wanted, held: frozenset[str], /
    ) -> Table:
        """Return the tables of a passage; *names* are its headings and its document's name.

        *held* are the terms of the beginning of its document.
        """
        named = terms_of(names)
        around = named | terms_of("\n".join(t for t in text.split("\n") if BETWEEN not in t))
        verbs = asked.predicate if not asked.kinds and asked.thing else frozenset[str]()
        own = {t for t, w in sought.specific.items() if w >= 1.0} - asked.named - verbs
        own |= {t for t in terms_of(sought.query) if t.startswith(_MONTH)}
        asked_names = sorted({_FISCAL.sub(r"\1", t) for t in own} - _GENERIC - _MONTH_NAMES)
        weights = {t: sought.rarity.get(t, 1.0) for t in asked_names}
        periods = frozenset(t for t in weights if any(map(str.isdigit, t)))
        return cls(text, weights, named, around, asked, periods, held)

    def cells(self) -> list[tuple[Rank, Cell]]:
        """Return the cells that may answer, with their ranks."""
        cells = [(row, self._cell_of(row)) for row in rows_of(self.text)]
        cells += [(row, self._value_of(row)) for row in labelled_rows(self.text)]
        return [(self._rank(row, cell), cell) for row, cell in cells if cell is not None]

    def _rank(self, row: Row, cell: Cell) -> Rank:
        name, own = terms_of(row.name), self._terms(row, cell)
        extra = [len(each - self.weights.keys() - _GENERIC) for each in (name, _column(cell))]
        return Rank(self._share(own | self.named), self._share(name), -extra[0], -extra[1])

    def _terms(self, row: Row, cell: Cell) -> frozenset[str]:
        words = " ".join(
            f"{c.column} {c.text}" for c in row.cells if c is not cell and not _FIGURE.match(c.text)
        )
        keys = " ".join(c.text for c in row.cells[:1])
        return terms_of(f"{words} {keys} {cell.column}")

    def _share(self, terms: frozenset[str]) -> float:
        total = sum(self.weights.values()) or 1.0
        return round(sum(w for t, w in sorted(self.weights.items()) if t in terms) / total, 6)

    def _cell_of(self, row: Row) -> Cell | None:
        """Return the only cell of a row that may answer."""
        cells = [cell for cell in row.cells if self._fits(cell, row)]
        ranks = [self._share(terms_of(cell.column)) for cell in cells]
        if not cells or ranks.count(max(ranks)) > 1 or (len(cells) > 1 and max(ranks) == 0.0):
            return None
        cell = cells[ranks.index(max(ranks))]
        own = self._terms(row, cell)
        name = _described(row.name)
        keys = [
            c
            for n, c in enumerate(row.cells)
            if c is not cell and (n == 0 or not _FIGURE.match(c.text))
        ]
        described = [_described(key.text) for key in keys]
        if not self.periods <= own | terms_of(cell.column) | self.around:
            return None
        if row.is_statement:
            if (
                name - self.weights.keys()
                or not name
                or self.weights.keys() - own - self.around - _GENERIC
            ):
                return None
            return cell
        is_named = any(
            part and sum(t in self.weights for t in part) >= _LEAST_NAMED * len(part)
            for part in described
        )
        is_text = not _FIGURE.match(cell.text) and not self.wanted.kinds
        covered = self._share(own | (self.named if is_text else self.around))
        return (
            cell if is_named and covered >= _COVERED and self._share(own) >= _LEAST_NAMED else None
        )

    def _value_of(self, row: Row) -> Cell | None:
        """Return the value of a label if the question has all its words, and no others.

        Other words are those of headings, of the document's name and of its beginning.
        """
        label, value = query_terms(row.name) - _GENERIC, row.cells[1]
        if not label or label - self.weights.keys() or not self._fits(value, row):
            return None
        return value if self._share(label | self.named | self.held) >= _COVERED else None

    def _fits(self, cell: Cell, row: Row) -> bool:
        """Return whether a cell has a value of the requested kind."""
        own = query_terms(cell.text)
        if cell is row.cells[0] or not own or own <= self.weights.keys():
            return False
        kinds = self.wanted.kinds
        if "person" in kinds:
            words = cell.text.split()
            return (
                len(words) <= 4
                and all(w[0].isupper() for w in words)
                and not any(map(str.isdigit, cell.text))
            )
        if not kinds and self.wanted.thing in (terms_of(row.name), terms_of(cell.column)):
            return True
        if not any(map(str.isdigit, cell.text)):
            return False
        if not kinds and "number" in self.wanted.thing - terms_of(f"{row.name} {cell.column}"):
            return False  # An identifier: "invoice number"
        if _FIGURE.match(cell.text) and (not kinds or kinds & _AMOUNTS):
            if kinds and "percent" not in kinds and "%" in cell.column:
                return False
            is_money = any(sign in cell.text for sign in "$\u20ac\u00a3")
            return not is_money or not kinds or "money" in kinds
        return self._has_kind(cell.text) and (
            bool(kinds) or bool(terms_of(cell.column) & self.wanted.thing)
        )

    def _has_kind(self, text: str) -> bool:
        values, kinds = values_in(text, (), 0), self.wanted.kinds
        return any(
            (not kinds or v.kind in kinds) and len(v.text) >= 0.6 * len(text) for v in values
        )
