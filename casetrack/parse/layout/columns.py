"""Reading order: finds columns by the white gutters between them.

A page is cut only on evidence: no text crosses a vertical strip over several lines, and both
sides are prose, not cells. Rows of tables and forms stay whole.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.groups import in_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.parse.layout.segments import Segment

_BIN = 3.0
_MIN_LINES = 4
_MIN_LAST_LINES = 2
_MIN_WIDTH = 60.0
_PROSE_CHARS = 20
_MAX_CANDIDATES = 12
_MAX_DEPTH = 6
_SAME_TOP = 0.5


@dataclass(slots=True)
class _Band:
    """Text left and right of a gutter, between two lines that cross it."""

    left: list[Segment]
    right: list[Segment]

    @property
    def weight(self) -> int:
        return sum(len(s.text) for s in (*self.left, *self.right))


def reading_order(segments: Sequence[Segment], /) -> list[list[Segment]]:
    """Divide the segments of a page into regions in reading order."""
    return _order(list(segments), 0)


def _order(segments: list[Segment], depth: int) -> list[list[Segment]]:
    if not segments:
        return []
    bands = _best_bands(segments) if depth < _MAX_DEPTH else []
    if not bands:
        return [segments]
    regions: list[list[Segment]] = []
    inside = {id(s) for band in bands for s in (*band.left, *band.right)}
    rest = sorted((s for s in segments if id(s) not in inside), key=_middle)
    at = 0
    for band in bands:
        top = min(_middle(s) for s in (*band.left, *band.right))
        end = bisect.bisect_left(rest, top, lo=at, key=_middle)
        regions += _order(rest[at:end], depth + 1)
        at = end
        for part in _rows_or_columns(band):
            regions += _order(part, depth + 1)
    return regions + _order(rest[at:], depth + 1)


def _middle(segment: Segment) -> float:
    return (segment.v0 + segment.v1) / 2


def _best_bands(segments: list[Segment]) -> list[_Band]:
    """Return the bands, from top to bottom, of the gutter that separates the most text."""
    best: list[_Band] = []
    best_weight = 0
    for x in _candidates(segments):
        bands = _bands_at(segments, x)
        weight = sum(band.weight for band in bands)
        if weight > best_weight:
            best, best_weight = bands, weight
    return best


def _candidates(segments: list[Segment]) -> list[float]:
    """Return positions crossed by few segments, least crossed first."""
    left = min(s.u0 for s in segments)
    width = max(s.u1 for s in segments) - left
    if width < 2 * _MIN_WIDTH or len(segments) < 2 * _MIN_LINES:
        return []
    steps = [0] * (int(width / _BIN) + 2)
    for s in segments:
        steps[int((s.u0 - left) / _BIN)] += 1
        steps[int((s.u1 - left) / _BIN) + 1 if s.u1 - left < width else -1] -= 1
    crossed, total = [], 0
    for step in steps:
        total += step
        crossed.append(total)
    limit = len(segments) - 2 * _MIN_LINES
    margin = int(_MIN_WIDTH / _BIN)
    positions: list[tuple[int, float]] = []
    at = margin
    while at < len(crossed) - margin:
        end = at
        while end + 1 < len(crossed) - margin and crossed[end + 1] == crossed[at]:
            end += 1
        low = crossed[at] < crossed[at - 1] and crossed[at] < crossed[end + 1]
        if low and crossed[at] <= limit:
            positions.append((crossed[at], left + (at + end + 1) / 2 * _BIN))
        at = end + 1
    positions.sort()
    return [x for _, x in positions[:_MAX_CANDIDATES]]


def _bands_at(segments: list[Segment], x: float) -> list[_Band]:
    sides = [
        sorted(_middle(s) for s in segments if s.u1 <= x + 0.5),
        sorted(_middle(s) for s in segments if s.u0 >= x - 0.5),
    ]
    # Text between lines of both columns, such as a quotation in a box, does not divide them.
    crossing = sorted(
        _middle(s)
        for s in segments
        if s.u0 < x - 0.5
        and s.u1 > x + 0.5
        and not all(
            bisect.bisect(side, s.v1 + s.size / 2) > bisect.bisect(side, s.v0 - s.size / 2)
            for side in sides
        )
    )
    bands: dict[int, _Band] = {}
    for s in segments:
        is_left = s.u1 <= x + 0.5
        if not is_left and s.u0 < x - 0.5:
            continue
        band = bands.setdefault(bisect.bisect(crossing, _middle(s)), _Band([], []))
        (band.left if is_left else band.right).append(s)
    columns = []
    for _, band in sorted(bands.items()):
        trimmed = _trim(band)
        if trimmed is not None and _is_columns(trimmed):
            columns.append(trimmed)
    return columns


def _trim(band: _Band) -> _Band | None:
    """Remove a page's running head and foot: single rows separated from the text."""
    if len(band.left) < _MIN_LINES or len(band.right) < _MIN_LAST_LINES:
        return None
    rows = _rows((*band.left, *band.right))
    gaps = [b[0].v0 - a[0].v1 for a, b in pairwise(rows)]
    usual = sorted(gaps)[len(gaps) // 2] if gaps else 0.0
    first, last = 0, len(rows)
    for _ in range(2):
        size = rows[first][0].size
        if last - first > _MIN_LINES and gaps[first] > max(usual, 0.0) + size:
            first += 1
    for _ in range(2):
        size = rows[last - 1][0].size
        if last - first > _MIN_LINES and gaps[last - 2] > max(usual, 0.0) + size:
            last -= 1
    kept = {id(s) for row in rows[first:last] for s in row}
    return _Band([s for s in band.left if id(s) in kept], [s for s in band.right if id(s) in kept])


def _rows(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Group segments whose heights overlap by more than half, from top to bottom."""
    ordered = sorted(segments, key=_middle)
    return in_runs(ordered, lambda row, s: _middle(s) < row[0].v1 - 0.1 * s.size)


def _is_columns(band: _Band) -> bool:
    """Return whether both sides are prose, not rows of cells."""
    least = _MIN_LAST_LINES if _ends_early(band) else _MIN_LINES
    for side, lines in ((band.left, _MIN_LINES), (band.right, least)):
        if len(_rows(side)) < lines or not _is_prose(side, lines):
            return False
        if max(s.u1 for s in side) - min(s.u0 for s in side) < _MIN_WIDTH:
            return False
        if _letter_share(side) < 0.55:
            return False
    gutter = min(s.u0 for s in band.right) - max(s.u1 for s in band.left)
    size = sorted(s.size for s in (*band.left, *band.right))[len(band.left)]
    return gutter >= max(4.0, 0.5 * size)


def _ends_early(band: _Band) -> bool:
    """Return whether the right side is a few last lines at the top of an equally wide column."""
    left, right = _rows(band.left), _rows(band.right)
    if not _MIN_LAST_LINES <= len(right) < _MIN_LINES or len(left) < 3 * _MIN_LINES:
        return False
    if abs(min(s.v0 for s in right[0]) - min(s.v0 for s in left[0])) > _SAME_TOP * left[0][0].size:
        return False
    wide, other = (
        max(s.u1 for s in side) - min(s.u0 for s in side) for side in (band.left, band.right)
    )
    return 0.75 * wide <= other <= 1.1 * wide


def _is_prose(side: Sequence[Segment], lines: int) -> bool:
    """Return whether a side is running text with *lines* long lines, not cells of a table."""
    lengths = [len(s.text.strip()) for s in side]
    long = [length for length in lengths if length >= _PROSE_CHARS]
    return len(long) >= lines and sum(long) >= 0.6 * sum(lengths)


def _letter_share(side: Sequence[Segment]) -> float:
    text = "".join(s.text for s in side).replace(" ", "")
    return sum(map(str.isalpha, text)) / max(len(text), 1)


def _rows_or_columns(band: _Band) -> list[list[Segment]]:
    """Return the band's parts in reading order: rows of cells if they share gaps, else columns."""
    cuts = _shared_gaps(band)
    if len(cuts) < 2:
        return [band.left, band.right]
    parts: list[list[Segment]] = [[] for _ in range(2 * len(cuts) + 2)]
    for offset, side in enumerate((band.left, band.right)):
        for s in side:
            parts[2 * bisect.bisect(cuts, _middle(s)) + offset].append(s)
    out: list[list[Segment]] = []
    for left, right in zip(parts[::2], parts[1::2], strict=True):
        if len(_rows(left)) <= 1 and len(_rows(right)) <= 1:
            out.append(left + right)
        else:
            out += [left, right]
    return [part for part in out if part]


def _shared_gaps(band: _Band) -> list[float]:
    """Return heights at which both sides begin a new row, if nearly all gaps of one side match.

    Paragraphs of two columns can match by chance, especially if there are few. But cells of a row
    begin on one line, and the last row is not longer than all rows above it: a side that extends
    far below the other is a column.
    """
    left, right = _gaps(band.left), _gaps(band.right)
    shared: list[float] = []
    for top, bottom in left:
        for other_top, other_bottom in right:
            low, high = max(top, other_top), min(bottom, other_bottom)
            if high > low:
                if abs(bottom - other_bottom) <= _SAME_TOP * band.left[0].size:
                    shared.append((low + high) / 2)
                break
    if len(shared) < 0.75 * max(1, min(len(left), len(right))):
        return []
    ends = sorted(max(s.v1 for s in side) for side in (band.left, band.right))
    above = shared[-1] - min(s.v0 for s in (*band.left, *band.right))
    return shared if ends[1] - shared[-1] <= above else []


def _gaps(side: Sequence[Segment]) -> list[tuple[float, float]]:
    """Return white strips of one side that are wider than its usual distance between lines."""
    rows = _rows(side)
    spaces = []
    for above, below in pairwise(rows):
        spaces.append((max(s.v1 for s in above), min(s.v0 for s in below)))
    if not spaces:
        return []
    widths = sorted(bottom - top for top, bottom in spaces)
    usual = max(widths[len(widths) // 4], 0.0)
    size = side[0].size
    return [(t, b) for t, b in spaces if b - t > usual + 0.3 * size]
