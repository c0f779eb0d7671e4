"""Segments of a region to visual lines: one text, one rectangle, one baseline each."""

from __future__ import annotations

import bisect
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.provenance import hull
from casetrack.parse.layout.segments import join_segments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.provenance import Box
    from casetrack.parse.layout.segments import Segment

_SAME_LINE = 0.35
_CELL_GAP = 1.5


@dataclass(slots=True)
class TextLine:
    """A visual line.

    Attributes
    ----------
    u0, u1, v0, v1, base
        Extent and baseline in the reading direction, in points.
    size, bold
        Of its largest segment; bold only where all of it is.
    cells
        Stretches of text parted by wide gaps.
    left, right
        Edges of the region that the line stands in.
    region
        Number of that region on the page.
    confidence
        Of recognised text, 0 to 1: the mean over its characters.
    """

    text: str
    u0: float
    u1: float
    v0: float
    v1: float
    base: float
    size: float
    bold: bool
    cells: int
    box: Box
    left: float
    right: float
    region: int
    confidence: float | None = None


def visual_lines(segments: Sequence[Segment], region: int, /) -> list[TextLine]:
    """Gather the segments of one region into lines, from top to bottom."""
    groups = _gather(_without_shadows(segments))
    if not groups:
        return []
    left = min(s.u0 for group in groups for s in group)
    right = max(s.u1 for group in groups for s in group)
    lines = [_line(group, left, right, region) for group in groups]
    return [line for line in lines if line.text]


def _without_shadows(segments: Sequence[Segment]) -> list[Segment]:
    """Drop text drawn a second time over itself (false bold, shadows), and blanks."""
    seen: dict[str, list[Segment]] = {}
    out = []
    for s in segments:
        if not s.text.strip():
            continue
        near = 0.25 * s.size
        twins = seen.setdefault(s.text, [])
        if any(abs(t.u0 - s.u0) < near and abs(t.base - s.base) < near for t in twins):
            continue
        twins.append(s)
        out.append(s)
    return out


def _gather(segments: list[Segment]) -> list[list[Segment]]:
    """Group by baseline, large text first, so that raised and lowered bits find their line."""
    bases: list[float] = []
    groups: list[list[Segment]] = []
    for s in sorted(segments, key=lambda s: (-round(s.size), s.base, s.u0)):
        near = s.size * 1.5
        first = bisect.bisect_left(bases, s.base - near)
        last = bisect.bisect_right(bases, s.base + near)
        fitting = [i for i in range(first, last) if _fits(s, groups[i])]
        if fitting:
            best = min(fitting, key=lambda i: abs(bases[i] - s.base))
            groups[best].append(s)
            continue
        at = bisect.bisect(bases, s.base)
        bases.insert(at, s.base)
        groups.insert(at, [s])
    return groups


def _fits(s: Segment, group: list[Segment]) -> bool:
    """Tell whether a segment stands on the group's line, and not on top of its text."""
    main = group[0]
    offset = s.base - main.base
    small = s.size < 0.8 * main.size
    if abs(offset) > _SAME_LINE * s.size:
        # Raised or lowered: only small text right beside other text of the line.
        if not small or not -0.7 * main.size <= offset <= 0.4 * main.size:
            return False
        if not any(-0.2 * s.size < _distance(s, t) < 0.5 * main.size for t in group):
            return False
    narrow = s.u1 - s.u0
    for t in group:
        overlap = min(s.u1, t.u1) - max(s.u0, t.u0)
        if overlap > 0.3 * min(narrow, t.u1 - t.u0) + 0.1:
            return False
    return True


def _distance(s: Segment, t: Segment) -> float:
    return max(s.u0 - t.u1, t.u0 - s.u1)


def _line(group: list[Segment], left: float, right: float, region: int) -> TextLine:
    main = group[0]
    ordered = sorted(group, key=lambda s: s.u0)
    gaps = sum(1 for a, b in pairwise(ordered) if b.u0 - a.u1 > _CELL_GAP * main.size)
    if len(ordered) > 1 and _is_right_to_left(ordered):
        text = " ".join(s.text.strip() for s in reversed(ordered))
    else:
        text = join_segments(ordered)
    return TextLine(
        text=text,
        u0=ordered[0].u0,
        u1=max(s.u1 for s in group),
        v0=min(s.v0 for s in group),
        v1=max(s.v1 for s in group),
        base=main.base,
        size=main.size,
        bold=_is_bold(group),
        cells=gaps + 1,
        box=hull([s.box for s in group]),
        left=left,
        right=right,
        region=region,
        confidence=_confidence(group),
    )


def _confidence(group: Sequence[Segment]) -> float | None:
    known = [(s.confidence, len(s.text)) for s in group if s.confidence is not None]
    total = sum(length for _, length in known)
    return sum(value * length for value, length in known) / total if total else None


def _is_bold(group: Sequence[Segment]) -> bool:
    lettered = [s.bold for s in group if any(map(str.isalpha, s.text))]
    return bool(lettered) and all(lettered)


def _is_right_to_left(segments: Sequence[Segment]) -> bool:
    if all(s.text.isascii() for s in segments):
        return False
    kinds = [unicodedata.bidirectional(c) for s in segments for c in s.text if c.isalpha()]
    return 2 * sum(1 for kind in kinds if kind in {"R", "AL"}) > len(kinds)
