"""Finds lines of text in a picture: the detection network's map, cut into boxes (Liao 2020, DB)."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.parse.ocr.clean import Components, find_components, threshold
from casetrack.parse.ocr.engine import RAPID, Picture, RawLine, RawWord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_MULTIPLE = 32
_MAX_SIDE = 1408
_TEXT, _SURE = 0.3, 0.5
_UNCLIP = 1.6
_MIN_HEIGHT = 3
_MAX_BOXES = 3000
_MAX_SLOPE = 0.27


@dataclass(frozen=True, slots=True)
class TextBox:
    """A line: from *x0* to *x1*; its upper edge starts at *y0* and falls by *slope*."""

    x0: float
    y0: float
    x1: float
    height: float
    slope: float


def find_text(image: Picture, detector: Any, /) -> list[TextBox]:
    """Return the lines of text of a picture, from top to bottom."""
    from PIL import Image

    height, width = image.shape
    scale = min(1.0, _MAX_SIDE / max(height, width))
    size = tuple(max(round(side * scale / _MULTIPLE), 1) * _MULTIPLE for side in (width, height))
    small = Image.fromarray(image).resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    data = np.asarray(small).astype(np.float32) / 127.5 - 1.0
    (scores,) = detector.run(None, {"x": np.broadcast_to(data, (1, 3, *data.shape))})
    chance: NDArray[np.float32] = scores[0, 0]
    mask = chance > _TEXT
    # One pixel down and right, as in training, joins parts that touch at corners.
    mask[1:] |= mask[:-1].copy()
    mask[:, 1:] |= mask[:, :-1].copy()
    parts = find_components(mask)
    boxes = _boxes(parts, chance)
    return [
        _scaled(box, width / size[0], height / size[1], image.shape) for box in boxes[:_MAX_BOXES]
    ]


def _boxes(parts: Components, chance: NDArray[np.float32]) -> list[TextBox]:
    count = parts.area.size
    if not count:
        return []
    sums = np.concatenate([np.zeros((chance.shape[0], 1)), chance.cumsum(axis=1)], axis=1)
    mass = sums[parts.row, parts.end] - sums[parts.row, parts.start]
    sure = np.bincount(parts.part, weights=mass, minlength=count) / parts.area
    slope, offset = _slopes(parts)
    length = parts.end - parts.start
    middle = (parts.start + parts.end) / 2
    # Upper and lower edge without the slope.
    level = parts.row - slope[parts.part] * middle
    top = np.full(count, np.inf)
    bottom = np.full(count, -np.inf)
    solid = length >= 0.15 * (parts.x1 - parts.x0)[parts.part]
    solid |= np.abs(slope[parts.part]) > 0
    np.minimum.at(top, parts.part[solid], level[solid])
    np.maximum.at(bottom, parts.part[solid], level[solid] + 1)
    boxes = []
    for i in np.argsort(offset, kind="stable"):
        width, height = float(parts.x1[i] - parts.x0[i]), float(bottom[i] - top[i])
        if min(width, height) < _MIN_HEIGHT or sure[i] < _SURE:
            continue
        grow = _UNCLIP * width * height / (2 * (width + height))
        x0 = float(parts.x0[i]) - grow
        boxes.append(
            TextBox(
                x0,
                float(top[i]) + float(slope[i]) * x0 - grow,
                float(parts.x1[i]) + grow,
                height + 2 * grow,
                float(slope[i]),
            )
        )
    return boxes


def _slopes(parts: Components) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and mean height of each part; only long parts have a reliable slope."""
    count = parts.area.size
    weight = (parts.end - parts.start).astype(np.float64)
    x, y = (parts.start + parts.end) / 2, parts.row + 0.5

    def total(values: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(parts.part, weights=weight * values, minlength=count).astype(np.float64)

    area = parts.area.astype(np.float64)
    mx, my = total(x) / area, total(y) / area
    # A run of n pixels has a variance of n^2 / 12 around its middle.
    spread = total(x * x + (weight * weight - 1) / 12) / area - mx * mx
    along = total(x * y) / area - mx * my
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(spread > 0, along / spread, 0.0)
    long = (parts.x1 - parts.x0) > 5 * np.sqrt(np.maximum(area, 1)) * 0.45
    slope[~long | (np.abs(slope) < 0.004) | (np.abs(slope) > _MAX_SLOPE)] = 0.0
    return slope, my


def _scaled(box: TextBox, sx: float, sy: float, shape: tuple[int, ...]) -> TextBox:
    x0 = max(box.x0 * sx, 0.0)
    x1 = min(box.x1 * sx, float(shape[1]))
    slope = box.slope * sy / sx
    y0 = box.y0 * sy + slope * (x0 - box.x0 * sx)
    return TextBox(x0, y0, x1, box.height * sy, slope)


# Isolated colons between a label and its value, which the detector misses. On receipts and forms
# they form a separate column, far from any line of text. They are detected by their shape: two
# dots, one above the other, with white around them, in the band of a line that ends to their left.

_RIGHT = 0.9
_LEAST_DOT, _LARGEST_DOT, _LEAST_PIXELS = 0.05, 0.26, 2
_FULL = 0.55
_ASIDE, _NEAREST, _FARTHEST = 0.08, 0.12, 0.5
_ALIKE = 2.0
_WHITE, _STRAY = 0.3, 0.2
_MOST_DOTS = 2000
_REACH, _BELOW = 15.0, 0.15
_PALE = 0.5


def lone_colons(
    image: Picture, boxes: Sequence[TextBox], lines: Sequence[RawLine], /
) -> list[RawLine]:
    """Return colons outside of all lines, each as a separate line; *boxes* are the lines."""
    if not lines:
        return []
    usual = statistics.median(box.height for box in boxes)
    mask = _faint(image)
    parts = find_components(mask)
    width, height = parts.x1 - parts.x0, parts.y1 - parts.y0
    least, most = max(_LEAST_DOT * usual, _LEAST_PIXELS), _LARGEST_DOT * usual
    likely = (np.minimum(width, height) >= least) & (np.maximum(width, height) <= most)
    likely &= parts.area >= _FULL * width * height
    x0, y0, x1, y1 = (side[likely] for side in (parts.x0, parts.y0, parts.x1, parts.y1))
    order = np.lexsort((y0, x0))
    if order.size > _MOST_DOTS:
        return []  # Dust, or a dotted ground.
    dots = [(int(x0[i]), int(y0[i]), int(x1[i]), int(y1[i])) for i in order]
    colons = []
    for i, upper in enumerate(dots):
        for lower in dots[max(i - 8, 0) : i + 9]:
            if not _is_pair(upper, lower, usual):
                continue
            left, right = min(upper[0], lower[0]), max(upper[2], lower[2])
            line = _line_of(left, upper[1], right, lower[3], boxes, lines, usual)
            if line is not None and _is_isolated(mask, left, upper[1], right, lower[3], usual):
                word = RawWord(":", left, upper[1], right, lower[3], _RIGHT)
                colons.append(RawLine((word,), float(lower[3]), line.size))
    return colons


def _faint(image: Picture) -> NDArray[np.bool_]:
    """Return pixels darker than paper: dots are printed paler than the strokes of letters."""
    level = threshold(image)
    paper = float(np.median(image[::4, ::4]))
    mask: NDArray[np.bool_] = image <= level + _PALE * max(paper - level, 0.0)
    return mask


def _is_pair(
    upper: tuple[int, int, int, int], lower: tuple[int, int, int, int], usual: float
) -> bool:
    aside = abs((upper[0] + upper[2]) - (lower[0] + lower[2])) / 2
    below = (lower[1] + lower[3] - upper[1] - upper[3]) / 2
    areas = [(dot[2] - dot[0]) * (dot[3] - dot[1]) for dot in (upper, lower)]
    return (
        aside <= max(_ASIDE * usual, 1.0)
        and _NEAREST * usual <= below <= _FARTHEST * usual
        and upper[3] < lower[1]
        and max(areas) <= _ALIKE * min(areas)
    )


def _is_isolated(mask: NDArray[np.bool_], x0: int, y0: int, x1: int, y1: int, usual: float) -> bool:
    """Return whether there is white around two dots, and nothing between them."""
    room = round(_WHITE * usual)
    top, left = max(y0 - room, 0), max(x0 - room, 0)
    around = mask[top : y1 + room, left : x1 + room]
    own = mask[y0:y1, x0:x1]
    stray = int(around.sum()) - int(own.sum())
    return stray <= _STRAY * own.sum() and not own.any(axis=1).all()


def _line_of(
    x0: int,
    y0: int,
    x1: int,
    y1: int,
    boxes: Sequence[TextBox],
    lines: Sequence[RawLine],
    usual: float,
) -> RawLine | None:
    """Return the line to the left in whose band the dots are; ``None`` if they are inside one."""
    if any(
        b.x0 <= x1 and x0 <= b.x1 and _band(b, x0)[0] <= y1 and y0 <= _band(b, x0)[1] for b in boxes
    ):
        return None
    near = [
        line
        for line in lines
        if 0 <= x0 - _end(line) <= _REACH * usual
        and line.base - line.size <= y0
        and y1 <= line.base + _BELOW * line.size
    ]
    return max(near, key=_end) if near else None


def _end(line: RawLine) -> float:
    return max(word.x1 for word in line.words)


def _band(box: TextBox, x: float) -> tuple[float, float]:
    top = box.y0 + box.slope * (x - box.x0)
    return top, top + box.height


# Network output to words: the best class of each step, without repeats and blanks (CTC). The
# network omits spaces that are visible in the picture, and reads specks in Latin lines as Chinese
# characters. Both are corrected.

_FIRST_EASTERN = "\u2e80"
_WIDE_FORMS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_FEW_EASTERN, _SURELY_EASTERN = 0.34, 0.9
_CLEAR_GAP, _LIKELY_GAP, _LEAST_SPACE = 12.5, 8.5, 0.05
_OF_USUAL_GAP = 2.5
_PARTED = 0.85
"""Share of correct words on receipts among those separated only by a gap."""
_CLOSING = frozenset(".,;!?)]}%")


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a line; *first* and *last* are the middles of its outer letters (0 to 1)."""

    text: str
    first: float
    last: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Reading:
    """A line as the network reads it; *confidence* is its mean over the letters."""

    words: tuple[Piece, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class _Letter:
    """A character of a line, and its middle: the step, and the share of the width."""

    text: str
    step: int
    at: float
    certainty: float

    @property
    def is_eastern(self) -> bool:
        """Whether its script has no spaces between words."""
        return self.text >= _FIRST_EASTERN


def decode(
    scores: NDArray[np.float32],
    alphabet: Sequence[str],
    share: float,
    ink: NDArray[np.bool_] | None = None,
    /,
) -> Reading:
    """Convert the scores of one line (steps x classes) into words.

    Class 0 of *alphabet* is empty and separates equal letters, the last is a space; *share* is the
    part of the steps in the line, *ink* its dark columns.
    """
    letters = _letters(scores, alphabet, share)
    solid = [letter for letter in letters if not letter.text.isspace()]
    eastern = [letter for letter in solid if letter.is_eastern]
    if eastern and len(eastern) < _FEW_EASTERN * len(solid):
        if min(letter.certainty for letter in eastern) < _SURELY_EASTERN:
            western = np.array([text < _FIRST_EASTERN for text in alphabet])
            letters = _letters(np.where(western, scores, 0.0), alphabet, share)
            solid = [letter for letter in letters if not letter.text.isspace()]
        letters = [replace(x, text=x.text.translate(_WIDE_FORMS)) for x in letters]
    certain = [letter.certainty for letter in solid]
    gaps = _gaps(letters, ink, scores) if ink is not None else frozenset()
    return Reading(tuple(_words(letters, gaps)), float(np.mean(certain)) if certain else 0.0)


def _letters(scores: NDArray[np.float32], alphabet: Sequence[str], share: float) -> list[_Letter]:
    best = scores.argmax(axis=1)
    kept = best != 0
    kept[1:] &= best[1:] != best[:-1]
    used = max(len(best) * share, 1.0)
    return [
        _Letter(alphabet[best[i]], int(i), (float(i) + 0.5) / used, float(scores[i, best[i]]))
        for i in np.nonzero(kept)[0]
        if i < used
    ]


def _gaps(
    letters: Sequence[_Letter], ink: NDArray[np.bool_], scores: NDArray[np.float32]
) -> frozenset[int]:
    """Return the letters that follow a gap as wide as between words."""
    white: dict[int, int] = {}
    for i, (left, right) in enumerate(pairwise(letters), start=1):
        if left.text.isspace() or right.text.isspace() or left.is_eastern or right.is_eastern:
            continue
        if right.text in _CLOSING:
            continue  # Separated from its word in many prints, but part of it.
        part = ink[int(left.at * ink.size) : int(right.at * ink.size) + 1]
        dark = np.flatnonzero(np.concatenate([[True], part, [True]]))
        white[i] = int(np.diff(dark).max()) - 1
    if not white:
        return frozenset()
    least = _OF_USUAL_GAP * statistics.median(white.values())
    starts = set()
    for i, gap in white.items():
        between = scores[letters[i - 1].step + 1 : letters[i].step, -1]
        likely = between.size and float(between.max()) >= _LEAST_SPACE
        if gap >= max(least, _LIKELY_GAP if likely else _CLEAR_GAP):
            starts.add(i)
    return frozenset(starts)


def _words(letters: Sequence[_Letter], gaps: frozenset[int]) -> list[Piece]:
    """Split letters at spaces and gaps; words separated only by a gap get a lower confidence."""
    groups: list[list[_Letter]] = [[]]
    parted: set[int] = set()
    for i, letter in enumerate(letters):
        if letter.text.isspace():
            groups.append([])
            continue
        if i in gaps:
            parted |= {len(groups) - 1, len(groups)}
            groups.append([])
        groups[-1].append(letter)
    return [
        Piece(
            "".join(letter.text for letter in group),
            group[0].at,
            group[-1].at,
            min(
                RAPID.share_right(min(letter.certainty for letter in group)),
                _PARTED if number in parted else 1.0,
            ),
        )
        for number, group in enumerate(groups)
        if group
    ]
