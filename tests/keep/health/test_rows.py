"""Possible errors of one stored row, or of the rows of a page."""

from __future__ import annotations

import pytest

from casetrack.keep.health import page_problems, row_problems
from casetrack.keep.health.rows import box_problems, derived_problems

ROW = {
    "text": "abc",
    "char_start": 0,
    "char_end": 3,
    "char_count": 3,
    "page": 1,
    "paragraph_start": 1,
    "paragraph_end": 1,
    "line_start": 1,
    "line_end": 2,
    "chunk_id": "c",
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"text": " \n "}, "its text is empty"),
        ({"char_end": 4}, "its character offsets do not fit its text"),
        ({"page": 0}, "its page or offset is impossible"),
        ({"line_start": 0}, "its line numbers are impossible"),
        ({"paragraph_start": 2}, "its paragraph numbers are impossible"),
    ],
)
def test_row_problems(change: dict[str, object], problem: str | None) -> None:
    assert list(row_problems(ROW | change)) == ([problem] if problem else [])


def test_page_problems() -> None:
    first = ROW | {"text": "abcdef", "char_end": 6}
    good = ROW | {"text": "efgh", "char_start": 4, "char_end": 8}
    assert list(page_problems([first, good])) == []
    assert len(list(page_problems([good]))) == 1
    gap = good | {"char_start": 7, "char_end": 11}
    assert len(list(page_problems([first, gap]))) == 1
    other = good | {"text": "xxgh"}
    assert len(list(page_problems([first, other]))) == 1


def test_spans_that_are_elsewhere() -> None:
    span = {"start": 0, "end": 2, "text": "ab"}
    assert list(row_problems(ROW | {"dates": [span]})) == []
    wrong = ROW | {"dates": [span | {"start": 1, "end": 3}]}
    (problem,) = row_problems(wrong)
    assert "dates" in problem


BOX = {"line": 1, "x0": 10.0, "y0": 20.0, "x1": 90.0, "y1": 30.0}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"line": 3}, "it has the rectangle of line 3, which is not one of its lines"),
        ({"x1": 5.0}, "the rectangle of line 1 is impossible"),
        ({"x1": 120.0, "y0": -9.0}, None),
        ({"x0": 101.0, "x1": 120.0}, "the rectangle of line 1 is not on its page"),
        ({"y0": -9.0, "y1": 0.0}, "the rectangle of line 1 is not on its page"),
    ],
)
def test_boxes(change: dict[str, float], problem: str | None) -> None:
    row = ROW | {"page_width": 100.0, "page_height": 200.0, "line_boxes": [BOX | change]}
    assert list(box_problems(row)) == ([problem] if problem else [])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"term_total": 4}, "its search terms and their counts do not belong together"),
        ({"term_counts": [3]}, "its search terms and their counts do not belong together"),
        ({"sparse_weights": [0.5]}, "its word weights do not belong together"),
        ({"vector_problem": "its vector is missing"}, "its vector is missing"),
    ],
)
def test_what_was_made_of_a_row(change: dict[str, object], problem: str | None) -> None:
    row = {"terms": ["a", "b"], "term_counts": [1, 2], "term_total": 3, "vector_problem": ""}
    assert list(derived_problems(row | change)) == ([problem] if problem else [])
