"""Colons between labels and values, far from both."""

from __future__ import annotations

import numpy as np
import pytest

from casetrack.parse.ocr.engine import RawLine, RawWord
from casetrack.parse.ocr.rapid_detect import TextBox, lone_colons

BASE = 60
_LABEL = RawLine((RawWord("Cashier", 20, BASE - 20, 120, BASE, 0.99),), float(BASE), 30.0)
_BOX = TextBox(15.0, BASE - 28.0, 125.0, 36.0, 0.0)
_VALUE = TextBox(300.0, BASE - 28.0, 400.0, 36.0, 0.0)


def _page(*dots: tuple[int, int, int]) -> np.ndarray:
    """Draw dots of some side on white, at a distance from the label and above its baseline."""
    image = np.full((120, 500), 250, np.uint8)
    image[BASE - 20 : BASE, 20:120:8] = 20
    for right, up, side in dots:
        image[BASE - up - side : BASE - up, 120 + right : 120 + right + side] = 90
    return image


@pytest.mark.parametrize(
    ("dots", "count"),
    [
        (((60, 0, 4), (60, 12, 4)), 1),
        (((60, 0, 4), (61, 12, 4)), 1),
        (((60, 0, 4),), 0),  # a full stop
        (((60, 0, 4), (75, 0, 4)), 0),  # leaders
        (((60, 0, 4), (60, 12, 4), (60, -12, 4)), 0),  # a dotted rule
        (((60, 0, 4), (60, 12, 9)), 0),  # dirt
        (((60, -30, 4), (60, -18, 4)), 0),  # below the line
        (((200, 0, 4), (200, 12, 4)), 0),  # within the text of another line
    ],
)
def test_a_colon_is_two_dots_alone_in_the_band_of_a_line(
    dots: tuple[tuple[int, int, int], ...], count: int
) -> None:
    result = lone_colons(_page(*dots), [_BOX, _VALUE], [_LABEL])
    assert [word.text for line in result for word in line.words] == [":"] * count
    for line in result:
        (word,) = line.words
        assert (word.x0, word.y0, word.y1) == (180, BASE - 16, BASE)
        assert line.size == _LABEL.size


def test_no_line_has_no_colons() -> None:
    assert lone_colons(_page((60, 0, 4), (60, 12, 4)), [], []) == []
