"""Drawn lines and shaded areas of a page: the evidence for ruled tables, free of any parser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.parse.layout.segments import Segment

THIN = 3.0
"""A rectangle that is not thicker than this, in points, is a line."""

NEAR = 3.0
"""Lines that end nearer to each other than this, in points, meet."""

_GAP, _TOUCHING = 6.0, 1.0
_MAX_STROKES = 4000
_SAMPLE = 64
_SPREAD = 1.0

Turn = tuple[int, float, float]
"""A quarter turn (0 to 3) of the page as shown into the frame of a flow, and the offsets."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A drawn line or a shaded area, as a rectangle in page points as shown.

    What is thicker than ``THIN`` both ways is an area: its edges part cells as lines do.
    """

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(slots=True)
class Stroke:
    """A line along one axis: where it stands on the other axis, and from where to where it goes."""

    at: float
    low: float
    high: float


@dataclass(slots=True)
class Strokes:
    """The lines of a page in the frame of a flow; areas as ``(u0, v0, u1, v1)``.

    The edges of areas are among the lines. In *under* are the pieces of lines drawn along the text
    and the lower edges of areas, each by itself: what tells how far the name over them goes.
    """

    along: list[Stroke]
    across: list[Stroke]
    areas: list[tuple[float, float, float, float]]
    under: list[Stroke]


def strokes_in_frame(rules: Sequence[Rule], segments: Sequence[Segment], /) -> Strokes | None:
    """Turn rules into the frame of the segments of a flow, pieces of one line joined.

    ``None`` where there are none, far too many (a drawing), or where the segments do not tell how
    they stand on the page.
    """
    if not rules or len(rules) > _MAX_STROKES:
        return None
    turn = _turn_of(segments)
    if turn is None:
        return None
    along: list[Stroke] = []
    across: list[Stroke] = []
    areas = []
    drawn: list[Stroke] = []
    edges: list[Stroke] = []
    for rule in rules:
        u0, v0, u1, v1 = _turned(rule, turn)
        if v1 - v0 <= THIN and u1 - u0 > v1 - v0:
            drawn.append(Stroke((v0 + v1) / 2, u0, u1))
        elif u1 - u0 <= THIN:
            across.append(Stroke((u0 + u1) / 2, v0, v1))
        else:
            areas.append((u0, v0, u1, v1))
            edges.append(Stroke(v1, u0, u1))
            along += (Stroke(v0, u0, u1), Stroke(v1, u0, u1))
            across += (Stroke(u0, v0, v1), Stroke(u1, v0, v1))
    under = sorted(_joined(drawn, _TOUCHING) + edges, key=lambda s: (s.at, s.low))
    return Strokes(_joined(along + drawn), _joined(across), areas, under)


def clusters(values: Iterable[float], /, near: float = NEAR) -> list[float]:
    """Return the means of values that stand nearer together than *near*, in ascending order."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][0] <= near:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def _joined(strokes: list[Stroke], gap: float = _GAP) -> list[Stroke]:
    """Join pieces of one line that are no farther apart; lines drawn double count once."""
    strokes.sort(key=lambda s: s.at)
    out: list[Stroke] = []
    at = 0
    while at < len(strokes):
        end = at
        while end < len(strokes) and strokes[end].at - strokes[at].at <= NEAR:
            end += 1
        place = sum(s.at for s in strokes[at:end]) / (end - at)
        out += _merged(sorted(strokes[at:end], key=lambda s: s.low), place, gap)
        at = end
    return out


def _merged(group: list[Stroke], place: float, gap: float) -> list[Stroke]:
    out: list[Stroke] = []
    for stroke in group:
        if out and stroke.low <= out[-1].high + gap:
            out[-1].high = max(out[-1].high, stroke.high)
        else:
            out.append(Stroke(place, stroke.low, stroke.high))
    return out


_TURNS: tuple[Callable[[float, float, float, float], tuple[float, float, float, float]], ...] = (
    lambda x0, y0, x1, y1: (x0, y0, x1, y1),
    lambda x0, y0, x1, y1: (-y1, x0, -y0, x1),
    lambda x0, y0, x1, y1: (-x1, -y1, -x0, -y0),
    lambda x0, y0, x1, y1: (y0, -x1, y1, -x0),
)


def _turn_of(segments: Sequence[Segment]) -> Turn | None:
    """Find out how the frame of segments stands on the page: all of them must agree."""
    sample = segments[:: max(1, len(segments) // _SAMPLE)]
    for number, turned in enumerate(_TURNS):
        left, top = [], []
        for s in sample:
            u0, v0, _, _ = turned(s.box.x0, s.box.y0, s.box.x1, s.box.y1)
            left.append(s.u0 - u0)
            top.append(s.v0 - v0)
        if max(left) - min(left) < _SPREAD and max(top) - min(top) < _SPREAD:
            return number, left[0], top[0]
    return None


def _turned(rule: Rule, turn: Turn) -> tuple[float, float, float, float]:
    number, left, top = turn
    u0, v0, u1, v1 = _TURNS[number](rule.x0, rule.y0, rule.x1, rule.y1)
    return u0 + left, v0 + top, u1 + left, v1 + top
