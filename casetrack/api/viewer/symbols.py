"""Signs for kinds of entities, and labels of a known width."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.base.records.graph import Entity

KIND_WORDS = {
    "person": "Person",
    "organization": "Organisation",
    "location": "Place",
    "date": "Date",
    "amount": "Amount",
    "concept": "Term",
}
"""What the kinds are called on a page, in the order of the legend."""
LABEL_SIZE = 12.5
"""Pixels of the letters of a label."""
_CORNERS = {"location": (4, 0.0), "date": (6, 0.0), "amount": (5, -90.0), "concept": (3, -90.0)}
# A polygon looks as large as a circle when their areas are alike.
_GROWTH = {3: 1.35, 4: 1.22, 5: 1.15, 6: 1.1}
_A_TEXT = 100
"""Characters from which on a text is cut between its words."""
_TURNING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMWQOGCD@%")


def corners(kind: str, x: float, y: float, radius: float, /) -> str:
    """Return the corners of the polygon of a kind as SVG."""
    count, first = _CORNERS[kind]
    far = radius * _GROWTH[count]
    # The middle of a triangle lies below the middle of its box.
    low = y + (radius * 0.2 if count == 3 else 0.0)
    return " ".join(
        f"{x + far * math.cos(a):.1f},{low + far * math.sin(a):.1f}"
        for a in (math.radians(first + 360 * n / count) for n in range(count))
    )


def radius_of(entity: Entity, most: int, /) -> float:
    """Return pixels; the area grows with the number of mentions."""
    return 6.0 + 11.0 * math.sqrt(max(entity.mention_count, 0) / max(most, 1))


def shortened(text: str, limit: int, /) -> str:
    """Return *text* on one line, cut to at most *limit* characters with an ellipsis."""
    # Signs that turn the direction of text around would make it read as something else.
    flat = " ".join(_TURNING.sub("", text[: limit * 8]).split())
    if len(flat) <= limit and len(text) <= limit * 8:
        return flat
    cut = flat[: limit - 1]
    # A mark belongs to the letter before it.
    while cut and unicodedata.combining(flat[len(cut) : len(cut) + 1] or " "):
        cut = cut[:-1]
    # A text ends at a word; a name, which is short, where there is room.
    words = cut.rpartition(" ")[0]
    if limit >= _A_TEXT and flat[len(cut) : len(cut) + 1].strip() and len(words) > limit * 0.8:
        return words + " \u2026"
    return cut.rstrip() + "\u2026"


def label_lines(text: str, /, *, width: int = 18, lines: int = 2) -> tuple[str, ...]:
    """Break a name into at most *lines* lines of about *width* characters."""
    words = shortened(text, width * lines).split(" ")
    rows = [""]
    for word in words:
        joined = f"{rows[-1]} {word}".strip()
        if len(joined) <= width or not rows[-1] or len(rows) == lines:
            rows[-1] = joined
        else:
            rows.append(word)
    return tuple(rows)


def text_width(text: str, size: float = LABEL_SIZE, /) -> float:
    """Return about how many pixels a line of text takes, rather too many than too few."""
    return size * sum(map(_advance, text))


def _advance(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.1
    if letter in _NARROW:
        return 0.36
    if letter in _WIDE:
        return 0.9
    return 0.7 if letter.isupper() else 0.58
