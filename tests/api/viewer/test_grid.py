"""Rows written as ``Header: value`` become grids, and no letter of them is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.api.grid import Grid, make_grid
from casetrack.api.viewer.page_text import Block, row_numbers


def blocks(*rows: str) -> list[Block]:
    return [Block(row, 0, "table", None, None, 0, 0) for row in rows]


def shown(grid: Grid | None) -> list[list[str]] | None:
    if grid is None:
        return None
    rows = []
    for row in grid.rows:
        cells = {c.column: row.block.text[c.start : c.end] for c in row.cells}
        rows.append([cells.get(c, "") for c in grid.columns] if cells else [row.block.text])
    return rows


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["A | B", "A: 1 | B: 2", "A: 3 | B: 4"], [["A", "B"], ["1", "2"], ["3", "4"]]),
        # an empty cell is left out of its row
        (["A: 1 | C: 3", "A: 1 | B: 2 | C: 3"], [["1", "", "3"], ["1", "2", "3"]]),
        # the corner of a table has no label
        (
            ["2023 | 2024", "Rent | 2023: 5 | 2024: 6", "Fees | 2023: 1 | 2024: 2"],
            [["", "2023", "2024"], ["Rent", "5", "6"], ["Fees", "1", "2"]],
        ),
        # values with the separators in them
        (
            ["A: x | y | B: 1", "A: see: note | B: 2", "A: z | B: 3"],
            [["x | y", "1"], ["see: note", "2"], ["z", "3"]],
        ),
        # two columns of one name
        (["N: 1 | N: 2", "N: 3 | N: 4"], [["1", "2"], ["3", "4"]]),
        # a title across
        (
            ["Budget of 2024", "A: 1 | B: 2", "A: 3 | B: 4"],
            [["Budget of 2024"], ["1", "2"], ["3", "4"]],
        ),
        (["A: only | B: row"], [["only", "row"]]),
        (["just words", "more words"], None),
        (["Note: one", "Note: two"], None),
        ([], None),
    ],
)
def test_grids(rows: list[str], expected: list[list[str]] | None) -> None:
    assert shown(make_grid(blocks(*rows))) == expected


def test_the_names_of_the_columns_are_known() -> None:
    grid = make_grid(blocks("A | B", "A: 1 | B: 2", "A: 3 | B: 4"))
    assert grid is not None
    assert [row.is_header for row in grid.rows] == [True, False, False]
    assert not make_grid(blocks("A: 1 | B: 2", "A: 3 | B: 4")).has_header


@given(st.lists(st.text(alphabet="ab:| ", max_size=30), max_size=8))
def test_no_letter_is_lost(rows: list[str]) -> None:
    for row in getattr(make_grid(blocks(*rows)), "rows", ()):
        text, end = row.block.text, 0
        for cell in row.cells:
            between = text[end : cell.start]
            label = f"{cell.column[0]}: " if cell.column[0] and not row.is_header else ""
            assert between in {label, f" | {label}", " | ", ""}
            assert cell.start <= cell.end
            end = cell.end
        assert not row.cells or end == len(text)


def test_rows_are_numbered_where_that_is_certain() -> None:
    def chunk(first: int, last: int, *paragraphs: int) -> dict[str, object]:
        numbers = [{"number": n} for n in paragraphs]
        return {"row_start": first, "row_end": last, "paragraphs": numbers}

    assert row_numbers([chunk(3, 5, 1, 2, 3)]) == {1: 3, 2: 4, 3: 5}
    assert row_numbers([chunk(3, 9, 1, 2, 3)]) == {1: 3, 3: 9}
    assert row_numbers([chunk(3, 9, 1, 2, 3), chunk(9, 10, 3, 4)]) == {1: 3, 3: 9, 4: 10}
    assert row_numbers([{"row_start": None, "row_end": None, "paragraphs": [{"number": 1}]}]) == {}
