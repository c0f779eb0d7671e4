"""Rows of a table in a passage are a table in its text, with all their values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.api.text.tables import with_tables


def laid_out(text: str) -> str:
    return "".join(p if isinstance(p, str) else text[slice(*p)] for p in with_tables(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "A: 1 | Bee: x y\nA: 20 | Bee: z",
            "| A   | Bee |\n|-----|-----|\n| 1   | x y |\n| 20  | z   |",
        ),
        (
            "In millions\n\nRent | 2023: 5 | 2024: 6\n\nFees | 2023: 1\n\nEnd.",
            (
                "In millions\n\n|      | 2023 | 2024 |\n|------|------|------|\n"
                "| Rent | 5    | 6    |\n| Fees | 1    |      |\n\nEnd."
            ),
        ),
        # The first line is the end of a row of the passage before.
        (
            "| B: 9\nA: 1 | B: 2\nA: 3 | B: 4",
            "| B: 9\n| A   | B   |\n|-----|-----|\n| 1   | 2   |\n| 3   | 4   |",
        ),
        ("A: 1 | B: 2", "A: 1 | B: 2"),
        ("Yes | no\nboth | neither", "Yes | no\nboth | neither"),
        ("", ""),
    ],
)
def test_rows_are_a_table(text: str, expected: str) -> None:
    assert laid_out(text) == expected


def test_a_wide_table_keeps_the_names_in_its_rows() -> None:
    text = "\n".join(f"A: {'long ' * 20}{n} | B: {'wide ' * 20}{n}" for n in range(3))
    assert laid_out(text) == text


@given(
    st.lists(st.lists(st.sampled_from(["A: x", "B: y", "z", "C: 4 5", ""]), max_size=4), max_size=5)
)
def test_no_word_is_lost(rows: list[list[str]]) -> None:
    text = "\n".join(" | ".join(row) for row in rows)
    shown = laid_out(text)
    assert {*"xyz45"} & {*text} == {*"xyz45"} & {*shown}
    assert all(shown.count(value) >= text.count(value) for value in ("x", "y", "z", "4 5"))
