"""Financial statements: columns told by their amounts, whatever lines and shades are drawn."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.provenance import Box
from casetrack.readers.layout.assemble import lay_out
from casetrack.readers.layout.blocks import BlockFinder, TextProfile
from casetrack.readers.layout.hyphens import Vocabulary
from casetrack.readers.layout.segments import Segment
from casetrack.readers.layout.tables_rules import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.readers.layout.blocks import Block

SIZE, LEAD, LEFT = 10.0, 13.0, 50.0
ENDS = (300.0, 400.0, 500.0, 580.0)
"""Where the amounts of each column end."""

INCOME = (
    "Revenue | $ 9,120 | $ 8,004 | $ 7,655",
    "Cost of revenue | 4,877 | 4,102 | 3,980",
    "Marketing | (1,203) | — | (88)",
    "Operating profit | 3,040 | 3,902 | 3,587",
    "Interest | | (12) | 4",
    "Profit of the year | $ 3,040 | $ 3,890 | $ 3,591",
)
YEARS = "2023 | 2022 | 2021"


def segment(text: str, x: float, y: float) -> Segment:
    """Put words at a place; each letter is half as wide as the letters are high."""
    wide = 0.5 * SIZE * len(text)
    box = Box(x, y, x + wide, y + SIZE)
    return Segment(text, x, y, x + wide, y + SIZE, y + 0.8 * SIZE, SIZE, bold=False, box=box)


def row(line: str, y: float) -> list[Segment]:
    """Set a name and amounts, which end at the right of their columns; signs stand apart."""
    name, *amounts = (part.strip() for part in line.split("|"))
    out = [segment(name, LEFT, y)] if name else []
    for amount, end in zip(amounts, ENDS, strict=False):
        sign, _, number = amount.rpartition(" ")
        if number:
            # Brackets and percent signs hang over the end of the column.
            hang = sum(5.0 for letter in number if letter in ")%")
            out.append(segment(number, end + hang - 5 * len(number), y))
        if sign:
            out.append(segment(sign, end - 70, y))
    return out


def rows(lines: Sequence[str], top: float = 120.0) -> list[Segment]:
    """Set rows below one another."""
    return [s for i, line in enumerate(lines) for s in row(line, top + LEAD * i)]


def over(text: str, columns: Sequence[int], y: float) -> Segment:
    """Set a name in the middle of columns: amounts are up to 40 points wide."""
    middle = (ENDS[columns[0]] - 40 + ENDS[columns[-1]]) / 2
    return segment(text, middle - 2.5 * len(text), y)


def years(y: float, texts: str = YEARS) -> list[Segment]:
    """Set a name over each column."""
    return [over(text.strip(), [i], y) for i, text in enumerate(texts.split("|"))]


def line(x0: float, x1: float, y: float) -> Rule:
    """Draw a line along the text."""
    return Rule(x0, y, x1, y + 0.5)


def laid(segments: Sequence[Segment], rules: Sequence[Rule] = ()) -> list[Block]:
    """Lay a page out."""
    finder = BlockFinder(TextProfile.of(segments))
    return lay_out([segments], [], finder, Vocabulary(), rules=rules)[0]


def joined(text: str) -> str:
    """Write a row as a page's text has it: empty cells at the end are left out."""
    return " ".join(text.rstrip("| ").split())


def stripes(top: float, count: int) -> list[Rule]:
    """Shade every other row, in one piece for each cell, as spreadsheets do."""
    edges = [LEFT - 5, ENDS[0] - 75, *(end + 8 for end in ENDS[:3])]
    return [
        Rule(a, top + LEAD * i - 2, b, top + LEAD * (i + 1) - 2)
        for i in range(0, count, 2)
        for a, b in pairwise(edges)
    ]


def sums(top: float, at: Sequence[int]) -> list[Rule]:
    """Draw lines over and under the amounts of some rows."""
    return [
        line(end - 75, end + 2, top + LEAD * (i + below) - 1.5)
        for i in at
        for end in ENDS[:3]
        for below in (0, 1)
    ]


DRAWN = {
    "nothing": [],
    "every other row shaded": stripes(120, 6),
    "every other row but the first shaded": stripes(120 + LEAD, 5),
    "one column shaded": [Rule(ENDS[0] - 75, 105, ENDS[0] + 8, 200)],
    "lines at sums": sums(120, (3, 5)),
    "shades, and lines at sums": [*stripes(120, 6), *sums(120, (3, 5))],
    "a line over and under all": [line(LEFT, 590, 103), line(LEFT, 590, 120 + 6 * LEAD)],
}


@pytest.mark.parametrize("drawn", DRAWN)
def test_columns_are_told_by_amounts_whatever_is_drawn(drawn: str) -> None:
    blocks = laid([*years(106), *rows(INCOME)], DRAWN[drawn])
    (table,) = [block for block in blocks if block.kind == "table"]
    assert table.header == f"| {YEARS}"
    assert [n.text for n in table.lines[1:]] == [joined(text) for text in INCOME]


@pytest.mark.parametrize(
    ("above", "drawn", "header"),
    [
        # One name over all columns, tight above theirs.
        ([over("For the years ended 31 December", (0, 1, 2), 94), *years(106)], [],
         ("| For the years ended 31 December / 2023 | For the years ended 31 December / 2022 "
          "| For the years ended 31 December / 2021")),
        # The second line of a wrapped name, and a mark over one column only.
        ([over("Income", [1], 94), *years(106, "Gross | tax | Net")], [],
         "| Gross | Income tax | Net"),
        ([over("(unaudited)", [0], 94), *years(106)], [], "| (unaudited) 2023 | 2022 | 2021"),
        # A line under a name tells which columns it is over.
        ([over("Restated", (1, 2), 90), *years(106)], [line(325, 502, 101)],
         "| 2023 | Restated / 2022 | Restated / 2021"),
        ([over("Restated", [1], 90), *years(106)], [line(325, 402, 101)],
         "| 2023 | Restated 2022 | 2021"),
        # So it does beside grounds that end at the same height.
        ([over("Restated", (1, 2), 84), over("per", [0], 97), *years(108, "share | 2022 | 2021")],
         [line(325, 502, 97), Rule(LEFT, 82, 325, 97), Rule(LEFT, 97, 502, 118)],
         "| per share | Restated / 2022 | Restated / 2021"),
        # The pieces of a line under a name leave as little room as those of its neighbour.
        ([over("Restated", (1, 2), 90), over("Total", [0], 90), *years(106)],
         [line(255, 310, 101), line(315, 405, 101), line(411, 545, 101)],
         "| Total 2023 | Restated / 2022 | Restated / 2021"),
        # The ground of a name tells it too.
        ([over("Restated", (1, 2), 90), *years(106)], [Rule(325, 88, 502, 102)],
         "| 2023 | Restated / 2022 | Restated / 2021"),
        # The number of a name below its word.
        ([over("Level", [1], 94), *years(106, "Level 1 | 2 | Total")], [],
         "| Level 1 | Level 2 | Total"),
        # Names set in lines of other heights than their neighbours'.
        ([over("Rate of", [2], 88), over("the year", [2], 96), over("in %", [2], 104),
          *years(100, "Net | Gross")], [], "| Net | Gross | Rate of the year in %"),
        # The name of the rows over two lines, the second beside the years or below them.
        ([over("Year ended", (0, 1, 2), 84), segment("In millions, except", 50, 95),
          *row("per share | 2023 | 2022 | 2021", 106)], [],
         ("In millions, except per share | Year ended / 2023 | Year ended / 2022 "
          "| Year ended / 2021")),
        ([*row("Place of | 2023 | 2022 | 2021", 95), segment("business", 50, 107)], [],
         "Place of business | 2023 | 2022 | 2021"),
        # Names of sections, and a row's long name that goes over two lines.
        ([*years(94), segment("Common stock (900 shares issued,", 50, 107)],
         [], f"| {YEARS}"),
    ],
)  # fmt: skip
def test_names_above_find_their_columns(
    above: list[Segment], drawn: list[Rule], header: str
) -> None:
    blocks = laid([*above, *rows(INCOME)], drawn)
    (table,) = [block for block in blocks if block.kind == "table"]
    assert table.header == header
    assert [n.text for n in table.lines[-6:]] == [joined(text) for text in INCOME]


def test_two_names_over_two_columns_each() -> None:
    amounts = ["Sales | 9,120 | 61.0% | 8,004 | 62.1%", "Costs | 4,877 | 39.0% | 4,102 | 37.9%",
               "Share | 6.73 | | 5.44", "Other | 12 | 0.1% | 17 | 0.2%"]  # fmt: skip
    names = [over("28 January", (0, 1), 94), over("29 January", (2, 3), 94)]
    below = [over("(unaudited)", (0, 1), 106), over("(unaudited)", (2, 3), 106)]
    (table,) = laid([*names, *below, *rows(amounts)])
    first, second = "28 January (unaudited)", "29 January (unaudited)"
    assert table.header == f"| {first} | {first} | {second} | {second}"
    assert [n.text for n in table.lines[2:]] == [joined(text) for text in amounts]


AMOUNTS = st.sampled_from(["", "—", "7", "(44)", "1,204", "$ 31", "12.5%", "(1.1)%", "$ 90,112"])


@settings(max_examples=60)
@given(st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS), min_size=3, max_size=12), st.data())
def test_each_amount_stands_below_its_name(
    amounts: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    """Wherever amounts are missing, and whatever is drawn, none moves into another column."""
    full = ("Sum", "$ 100,000", "$ 200,000", "$ 300,000")
    lines = [" | ".join(full)] * 2
    lines[1:1] = [f"Row {i} | " + " | ".join(row) for i, row in enumerate(amounts)]
    drawn = data.draw(st.sampled_from(sorted(DRAWN)))
    blocks = laid([*years(106), *rows(lines)], DRAWN[drawn])
    told = [n.text for block in blocks if block.kind == "table" for n in block.lines]
    for text in lines:
        if text.count("—") < 3 and any(c.isdigit() for c in text.partition("|")[2]):
            assert joined(text) in told
