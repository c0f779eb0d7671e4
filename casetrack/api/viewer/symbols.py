"""Signs for kinds of entities, and labels of a known width."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING

from casetrack.api.viewer.markup import esc

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


def symbol(kind: str, x: float, y: float, radius: float, /) -> str:
    """Return the shape of a kind as SVG; shape and colour both tell kinds apart."""
    name = kind if kind in KIND_WORDS else "concept"
    css = f'class="shape {name}"'
    if name == "person":
        return f'<circle {css} cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'
    if name == "organization":
        side = radius * 0.9
        return (
            f'<rect {css} x="{x - side:.1f}" y="{y - side:.1f}" width="{2 * side:.1f}" '
            f'height="{2 * side:.1f}" rx="{radius * 0.25:.1f}"/>'
        )
    corners, first = _CORNERS[name]
    far = radius * _GROWTH[corners]
    # The middle of a triangle lies below the middle of its box.
    low = y + (radius * 0.2 if corners == 3 else 0.0)
    points = " ".join(
        f"{x + far * math.cos(a):.1f},{low + far * math.sin(a):.1f}"
        for a in (math.radians(first + 360 * n / corners) for n in range(corners))
    )
    return f'<polygon {css} points="{points}"/>'


def sign(kind: str, /) -> str:
    """Return the shape of a kind as a small picture beside text."""
    return (
        '<svg class="sign" viewBox="-9 -9 18 18" width="15" height="15" aria-hidden="true">'
        f"{symbol(kind, 0, 0, 6)}</svg>"
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


def text_lines(rows: tuple[str, ...], x: float, y: float, /, *, css: str = "label") -> str:
    """Return lines of text as SVG, centred at *x*, the first one's foot at *y*."""
    step = LABEL_SIZE * 1.2
    parts = "".join(
        f'<tspan x="{x:.1f}" y="{y + n * step:.1f}">{esc(row)}</tspan>'
        for n, row in enumerate(rows)
    )
    return f'<text class="{css}">{parts}</text>'
