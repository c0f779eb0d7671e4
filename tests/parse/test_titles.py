"""Titles over the table that a page begins with: which lines are a heading, and which are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from casetrack.base.provenance import Box
from casetrack.parse import detect
from casetrack.parse.layout.assemble import name_titles
from casetrack.parse.layout.blocks import Block
from casetrack.parse.layout.lines import TextLine

WIDTH = 400.0


def line(text: str, at: float = 0.0, cells: int = 1) -> TextLine:
    """Return a line that begins at a share of the width of its page."""
    u0 = at * WIDTH
    u1 = u0 + 5.0 * len(text)
    box = Box(u0, 0, u1, 10)
    return TextLine(text, u0, u1, 0, 10, 9, 10, False, cells, box, 0, WIDTH, 0)


def middle(text: str) -> TextLine:
    return line(text, 0.5 - 2.5 * len(text) / WIDTH)


def table() -> Block:
    rows = ["Oats | 1,250 | 900", f"Total{' ' * 70}| 1,560 | 1,195"]
    return Block([line(row, cells=3) for row in rows], "table")


def body(*texts: str) -> Block:
    return Block([middle(text) for text in texts])


def headings(blocks: list[Block]) -> list[str]:
    name_titles(blocks, 3)
    return [" ".join(n.text for n in b.lines) for b in blocks if b.kind == "heading"]


@pytest.mark.parametrize(
    ("blocks", "result"),
    [
        ([body("Statement of Crops"), table()], ["Statement of Crops"]),
        ([body("Any Farm, Inc."), body("Statement of Crops"), table()], ["Statement of Crops"]),
        (
            [body("Statement of Crops", "Years ended June 30,"), body("(in thousands)"), table()],
            ["Statement of Crops Years ended June 30,"],
        ),
        # No titles: prose, a sentence that announces the table, units, periods, names of firms.
        ([body("Statement of Crops"), body("We grew oats and barley in all of our fields.")], []),
        ([body("The table shows our crops:"), table()], []),
        ([body("Years ended December 31, 2022 and 2021"), table()], []),
        ([body("Any Farm, Inc."), table()], []),
        # Heads of columns are above a part of the table.
        ([Block([line("Weighted Average Price", 0.3)]), table()], []),
    ],
)
def test_the_title_of_a_page(blocks: list[Block], result: list[str]) -> None:
    assert headings(blocks) == result


@pytest.mark.parametrize(
    ("bold", "stays"),
    [
        (middle("Statement of Crops"), True),
        (line("Crops by Field"), True),
        (line("(in thousands)"), False),
        (middle("$ in millions, except per share data"), False),
        (line("Accumulated", 0.3), False),
    ],
)
def test_bold_lines_over_a_table(bold: TextLine, stays: bool) -> None:
    assert headings([Block([bold], "heading", 3), table()]) == ([bold.text] if stays else [])


def test_statements_of_a_real_release_have_their_titles(corpus: Callable[[str], Path]) -> None:
    path = corpus("annual-reports") / "pdf" / "JOHNSON_JOHNSON_2023Q2_EARNINGS.pdf"
    pages = list(detect(path).read(path).pages)
    for number in (10, 11):
        page = pages[number - 1]
        titles = [page.text[p.start : p.end] for p in page.paragraphs if p.kind == "heading"]
        assert "Condensed Consolidated Statement of Earnings" in titles
