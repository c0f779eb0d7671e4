"""The header of a document's table: its rows and levels, and rows that are not a header."""

from __future__ import annotations

import pytest

from casetrack.extract.tables.header import table_lines
from casetrack.extract.tables.model import Cell, Row


def row(line: str, *, marked: bool = False) -> Row:
    """Make a row of ``a | b^2 | | c``: a number after ``^`` is the column span of a cell.

    Cells in asterisks are bold.
    """
    cells = []
    column = 1
    for part in line.split("|"):
        text, _, span = part.strip().partition("^")
        wide = int(span or 1)
        if text:
            cells.append(Cell(text.strip("*"), column, wide, "*" in line))
        column += wide
    return Row(tuple(cells), marked)


TWO_LEVELS = ["Item | 2024^2 | 2023^2", "| Q1 | Q2 | Q1 | Q2"]


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (["Item | Price", "Bolt | 12", "Nut | 8"], "Item: Nut | Price: 8"),
        (["Who | Where | Why", "Ann | Rome | work", "Bob | Oslo | rest"],
         "Who: Bob | Where: Oslo | Why: rest"),
        # Words that columns are called by; years; long names; a title; the first column nameless.
        (["Term | Meaning of the term", "Notice | a letter"],
         "Term: Notice | Meaning of the term: a letter"),
        (["Item | 2024 | 2023", "Rent | 9 | 8", "Heat | 4 | 3"], "Item: Heat | 2024: 4 | 2023: 3"),
        (["Sum that falls due when the agreement is ended by notice | Day on which it is due",
          "70 | 3 May"],
         ("Sum that falls due when the agreement is ended by notice: 70 | Day on which it is due: "
         "3 May")),
        (["Costs of the year^3", "Item | Plan | Done", "Rent | 9 | 8", "Heat | 4 | 3"],
         "Item: Heat | Plan: 4 | Done: 3"),
        (["| Plan | Done", "Rent | 9 | 8"], "Rent | Plan: 9 | Done: 8"),
        # Levels: a name over several columns comes before theirs.
        ([*TWO_LEVELS, "Rent | 1 | 2 | 3 | 4"],
         "Item: Rent | 2024 / Q1: 1 | 2024 / Q2: 2 | 2023 / Q1: 3 | 2023 / Q2: 4"),
        (["| Buyer^2 | Seller^2", "No | Name | Seat | Name | Seat", "1 | Ann | Rome | Bob | Oslo"],
         ("No: 1 | Buyer / Name: Ann | Buyer / Seat: Rome | Seller / Name: Bob | "
         "Seller / Seat: Oslo")),
        (["Item | EUR^4", "| 2024^2 | 2023^2", "| a | b | a | b", "Rent | 1 | 2 | 3 | 4"],
         ("Item: Rent | EUR / 2024 / a: 1 | EUR / 2024 / b: 2 | EUR / 2023 / a: 3 | "
         "EUR / 2023 / b: 4")),
        # A row below names without a label; one name over values.
        (["Item | Sales | Costs", "| EUR | USD", "Rent | 1 | 2", "Heat | 3 | 4"],
         "Item: Heat | Sales / EUR: 3 | Costs / USD: 4"),
        (["| Page", "Preface | 4", "Report | 10"], "Report | Page: 10"),
        # A row of one wide cell names the rows below it, and carries no name itself.
        (["Item | Price", "Bolt | 12", "Large parts^2"], "Large parts"),
        # No headers: forms, values, years in a row, a wide cell over data, prose.
        (["Name | Ann Lee", "City | Oslo", "Sum | 12"], "Sum | 12"),
        (["Name: | Ann", "Age: | 40"], "Age: 40"),
        (["Bolt | 12", "Nut | 8"], "Nut | 8"),
        (["Item | Amount^2", "Rent | 1 | 2"], "Item: Rent | Amount: 1 | Amount: 2"),
        (["same | same | same", "a | b | c"], "a | b | c"),
        (["January^2", "1 | Jubilee of a poet", "3 | Fair"], "3 | Fair"),
        (["x" * 160 + " | Price", "Bolt | 12"], "Bolt | 12"),
    ],
)  # fmt: skip
def test_rows_carry_the_names_of_their_columns(rows: list[str], last: str) -> None:
    lines = table_lines([row(line) for line in rows])
    assert len(lines) == len(rows)
    assert lines[-1] == last


def test_marked_rows_are_the_header() -> None:
    rows = [row(TWO_LEVELS[0], marked=True), row(TWO_LEVELS[1], marked=True), row("7 | 8 | 9")]
    assert table_lines(rows)[-1] == "Item: 7 | 2024 / Q1: 8 | 2024 / Q2: 9"
    # A mark on the title alone leaves the names to be found.
    titled = [row("Costs^2", marked=True), row("Item | Price"), row("Bolt | 12"), row("Nut | 8")]
    assert table_lines(titled)[-1] == "Item: Nut | Price: 8"


def test_the_author_says_how_many_rows_are_the_header() -> None:
    rows = [row(line) for line in ("", "a | b", "c | d")]
    assert table_lines(rows, guess=False) == ["", "a | b", "c | d"]
    rows[1] = rows[1]._replace(is_marked=True)
    assert table_lines(rows) == ["", "a | b", "a: c | b: d"]
    assert table_lines(rows[:2]) == ["", "a | b"]
