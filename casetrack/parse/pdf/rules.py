"""Lines and shaded areas drawn on a PDF page, as they separate the cells of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.provenance import Box, hull
from casetrack.parse.layout.tables_model import THIN, Rule
from casetrack.parse.pdf.open import check_memory, failures

if TYPE_CHECKING:
    from casetrack.parse.layout.segments import Segment

_MAX_CONTENT = 2_000_000
_MAX_FORMS = 500_000
_MAX_PATHS = 20_000
_MAX_ITEMS = 400
_MAX_RULES = 4000
_MIN_LENGTH = 5.0
_SLANT = 0.6
_WHITE = 0.98
_WHOLE_PAGE = 0.7

_Rectangle = tuple[float, float, float, float]


def page_content(page: Any, /) -> bytes:
    """Return the content stream of a page, without those of its forms."""
    streams = (page.parent.xref_stream(xref) or b"" for xref in page.get_contents())
    return b"\n".join(streams)


def page_rules(page: Any, content: bytes, /) -> tuple[list[Rule], list[dict[str, Any]]]:
    """Return the lines and shaded areas of a page, in points as displayed, and all its paths.

    Returns none for pages with too many drawings. Slanted lines, curves and white areas are
    ignored.
    """
    try:
        paths = [] if _is_drawing(page, content) else page.get_cdrawings()
    except failures() as error:
        check_memory(error)
        paths = []
    if len(paths) > _MAX_PATHS:
        return [], []
    turn = tuple(page.rotation_matrix)
    limit = _WHOLE_PAGE * page.rect.width * page.rect.height
    rules = []
    for path in paths:
        for box in _rectangles(path):
            x0, y0, x1, y1 = box
            wide, high = x1 - x0, y1 - y0
            if (wide < _MIN_LENGTH and high < _MIN_LENGTH) or wide * high > limit:
                continue
            rules.append(Rule(*moved(box, turn)))
            if len(rules) > _MAX_RULES:
                return [], paths
    return rules, paths


def _is_drawing(page: Any, content: bytes) -> bool:
    """Return whether a page's drawings are too large to analyse, by the size of their content."""
    if len(content) > _MAX_CONTENT:
        return True
    forms = 0
    for xref, *_ in page.get_xobjects():
        forms += len(page.parent.xref_stream_raw(xref) or b"")
    return forms > _MAX_FORMS


def _rectangles(path: dict[str, Any]) -> Iterator[_Rectangle]:
    items = path["items"]
    if len(items) > _MAX_ITEMS or any(item[0] == "c" for item in items):
        return
    filled = "f" in path["type"]
    if filled and _is_visible(path):
        yield from _filled(path, items)
    if "s" in path["type"] and path.get("stroke_opacity", 1) != 0:
        width = path.get("width") or 0.0
        for item in items:
            yield from _stroked(item, width)


def _is_visible(path: dict[str, Any]) -> bool:
    """Return whether a filled path is visible; thin white lines are, on a shaded ground."""
    if path.get("fill_opacity", 1) == 0:
        return False
    x0, y0, x1, y1 = path["rect"]
    return min(x1 - x0, y1 - y0) <= THIN or min(path.get("fill") or (0,)) < _WHITE


def _filled(path: dict[str, Any], items: list[Any]) -> Iterator[_Rectangle]:
    for item in items:
        if item[0] == "re":
            yield tuple(item[1])
        elif item[0] == "qu":
            box = _upright(item[1])
            if box is not None:
                yield box
    lines = [item for item in items if item[0] == "l"]
    if len(lines) in {3, 4} and len(lines) == len(items) and all(map(_is_straight, lines)):
        yield tuple(path["rect"])


def _stroked(item: Any, width: float) -> Iterator[_Rectangle]:
    if item[0] == "l":
        (ax, ay), (bx, by) = item[1], item[2]
        if _is_straight(item):
            half = width / 2 if width > THIN else 0.0
            x0, x1, y0, y1 = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
            flat = x1 - x0 >= y1 - y0
            yield (x0, y0 - half, x1, y1 + half) if flat else (x0 - half, y0, x1 + half, y1)
        return
    box = tuple(item[1]) if item[0] == "re" else _upright(item[1])
    if box is not None:
        x0, y0, x1, y1 = box
        yield x0, y0, x1, y0
        yield x0, y1, x1, y1
        yield x0, y0, x0, y1
        yield x1, y0, x1, y1


def _is_straight(line: Any) -> bool:
    (ax, ay), (bx, by) = line[1], line[2]
    return bool(min(abs(ax - bx), abs(ay - by)) <= _SLANT)


def _upright(corners: Any) -> _Rectangle | None:
    """Return the rectangle of a quadrilateral with straight sides."""
    xs, ys = [p[0] for p in corners], [p[1] for p in corners]
    box = min(xs), min(ys), max(xs), max(ys)
    for x, y in zip(xs, ys, strict=True):
        if min(x - box[0], box[2] - x) > _SLANT or min(y - box[1], box[3] - y) > _SLANT:
            return None
    return box


def moved(box: _Rectangle, turn: tuple[float, ...]) -> _Rectangle:
    """Return a rectangle of the displayed page, with /Rotate applied."""
    a, b, c, d, e, f = turn
    x0, y0, x1, y1 = box
    if b == 0.0 and c == 0.0 and a == d == 1.0:
        return x0 + e, y0 + f, x1 + e, y1 + f
    xs = (x0 * a + y0 * c + e, x1 * a + y1 * c + e)
    ys = (x0 * b + y0 * d + f, x1 * b + y1 * d + f)
    return min(xs), min(ys), max(xs), max(ys)


def union(boxes: Sequence[_Rectangle], /) -> _Rectangle:
    """Return the smallest rectangle around some."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


@dataclass(slots=True)
class Word:
    """A word of a run: its extent along the line, and its rectangle as displayed."""

    text: str
    u0: float
    u1: float
    box: Box


def segment_of(segment: Segment, words: Sequence[Word], /) -> Segment:
    """Return the part of a run that consists of some of its words."""
    first, last, line = words[0], words[-1], segment.box
    box = hull([w.box for w in words])
    # Letters of one line differ in height.
    if line.x1 - line.x0 >= line.y1 - line.y0:
        box = Box(box.x0, line.y0, box.x1, line.y1)
    else:
        box = Box(line.x0, box.y0, line.x1, box.y1)
    text = " ".join(w.text for w in words) + " "
    return replace(segment, text=text, u0=first.u0, u1=last.u1, box=box, is_placed=False)
