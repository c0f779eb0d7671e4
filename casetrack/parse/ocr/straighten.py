"""Finds how far a page is turned: quarter turns by its lines, a few degrees by their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from casetrack.parse.ocr.clean import ink, shrink
from casetrack.parse.ocr.components import find_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from casetrack.parse.ocr.components import Ints
    from casetrack.parse.ocr.page import Picture

MAX_SKEW = 15.0
_MIN_SKEW = 0.25
_LOW_RESOLUTION = 1000
_MAX_POINTS = 40_000
_MIN_GAIN = 1.06
_LETTERS_RESOLUTION = 2000
_MAX_LETTERS = 600


@dataclass(frozen=True, slots=True)
class Affine:
    """A map of the plane: ``x' = a x + b y + c``, ``y' = d x + e y + f``."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 0.0
    e: float = 1.0
    f: float = 0.0

    def point(self, x: float, y: float, /) -> tuple[float, float]:
        """Map a point."""
        return self.a * x + self.b * y + self.c, self.d * x + self.e * y + self.f

    def box(
        self, x0: float, y0: float, x1: float, y1: float, /
    ) -> tuple[float, float, float, float]:
        """Map a rectangle; return the upright rectangle around the result."""
        corners = [self.point(x, y) for x in (x0, x1) for y in (y0, y1)]
        xs, ys = [c[0] for c in corners], [c[1] for c in corners]
        return min(xs), min(ys), max(xs), max(ys)

    def after(self, first: Affine, /) -> Affine:
        """Return the map that does *first* and then this one."""
        return Affine(
            self.a * first.a + self.b * first.d,
            self.a * first.b + self.b * first.e,
            self.a * first.c + self.b * first.f + self.c,
            self.d * first.a + self.e * first.d,
            self.d * first.b + self.e * first.e,
            self.d * first.c + self.e * first.f + self.f,
        )


def quarter_turn(image: Picture, degrees: int, /) -> tuple[Picture, Affine]:
    """Turn counter-clockwise by 0, 90, 180 or 270 degrees; the map leads back."""
    height, width = image.shape
    back = {
        0: Affine(),
        90: Affine(0.0, -1.0, width, 1.0, 0.0, 0.0),
        180: Affine(-1.0, 0.0, width, 0.0, -1.0, height),
        270: Affine(0.0, 1.0, 0.0, -1.0, 0.0, height),
    }[degrees]
    return np.ascontiguousarray(np.rot90(image, degrees // 90)), back


def straighten(image: Picture, degrees: float, /) -> tuple[Picture, Affine]:
    """Turn counter-clockwise by a few degrees, on white ground; the map leads back."""
    from PIL import Image

    if not degrees:
        return image, Affine()
    height, width = image.shape
    angle = np.deg2rad(degrees)
    cos, sin = float(np.cos(angle)), float(np.sin(angle))
    new_width = int(np.ceil(width * cos + height * abs(sin)))
    new_height = int(np.ceil(height * cos + width * abs(sin)))
    # In pixels with y down, a turn counter-clockwise takes a point p to centre' + R (p - centre)
    # with R = (cos, sin; -sin, cos); this is its inverse.
    cx, cy, nx, ny = width / 2, height / 2, new_width / 2, new_height / 2
    back = Affine(cos, -sin, cx - cos * nx + sin * ny, sin, cos, cy - sin * nx - cos * ny)
    turned = Image.fromarray(image).transform(
        (new_width, new_height),
        Image.Transform.AFFINE,
        (back.a, back.b, back.c, back.d, back.e, back.f),
        Image.Resampling.BICUBIC,
        fillcolor=int(np.percentile(image[::8, ::8], 90)),
    )
    return np.asarray(turned), back


def lines_are_upright(image: Picture, /) -> bool:
    """Tell lines that run across the picture from lines that run down it.

    Letters stand nearer to their neighbours in the line than to those of the next line.
    """
    x0, y0, x1, y1 = _letters(image)
    if x0.size < 8:
        return True
    across = np.maximum(x0[:, None], x0) - np.minimum(x1[:, None], x1)
    down = np.maximum(y0[:, None], y0) - np.minimum(y1[:, None], y1)
    # Side by side: they overlap by half in one direction and are apart in the other.
    half_height = -0.5 * np.minimum(y1 - y0, (y1 - y0)[:, None])
    half_width = -0.5 * np.minimum(x1 - x0, (x1 - x0)[:, None])
    far = np.inf
    beside = np.where((down <= half_height) & (across >= 0), across, far).min(axis=1)
    below = np.where((across <= half_width) & (down >= 0), down, far).min(axis=1)
    return bool(np.sum(beside <= below) >= np.sum(below < beside))


def _letters(image: Picture) -> tuple[Ints, Ints, Ints, Ints]:
    """Return rectangles of what may be letters, at most so many that pairs can be compared."""
    factor = max(int(max(image.shape) / _LETTERS_RESOLUTION), 1)
    mask = ink(shrink(image, factor) if factor > 1 else image)
    parts = find_components(mask)
    height, width = parts.y1 - parts.y0, parts.x1 - parts.x0
    size = np.maximum(height, width)
    likely = (size >= 4) & (np.minimum(height, width) >= 2) & (size < 0.1 * max(image.shape))
    if not likely.any():
        likely = size > 0
    usual = np.median(size[likely]) if likely.any() else 0
    chosen = np.nonzero(likely & (size > 0.5 * usual) & (size < 3 * usual))[0]
    # Neighbours must stay together: a stretch from the middle, not a sample.
    spare = max(chosen.size - _MAX_LETTERS, 0) // 2
    chosen = chosen[spare : spare + _MAX_LETTERS]
    return parts.x0[chosen], parts.y0[chosen], parts.x1[chosen], parts.y1[chosen]


def find_skew(image: Picture, /) -> float:
    """Return by how many degrees counter-clockwise the page must be turned to be straight.

    0 for pages that gain little by it: turning blurs.
    """
    rows, columns = _points(image)
    if rows.size < 200:
        return 0.0
    coarse = np.arange(-MAX_SKEW, MAX_SKEW + 0.1, 1.0)
    best = _best(rows, columns, coarse)
    best = _best(rows, columns, best + np.arange(-0.8, 0.81, 0.2))
    best = _best(rows, columns, best + np.arange(-0.15, 0.16, 0.05))
    if abs(best) < _MIN_SKEW:
        return 0.0
    gain = _sharpness(rows, columns, best) / max(_sharpness(rows, columns, 0.0), 1e-9)
    return float(best) if gain >= _MIN_GAIN else 0.0


def _best(
    rows: NDArray[np.float64], columns: NDArray[np.float64], angles: NDArray[np.float64]
) -> float:
    return float(max(angles, key=lambda angle: (_sharpness(rows, columns, angle), -abs(angle))))


def _sharpness(rows: NDArray[np.float64], columns: NDArray[np.float64], degrees: float) -> float:
    """Measure how unequal the rows are filled: most where they run along the lines of text."""
    shifted = rows - columns * np.tan(np.deg2rad(degrees))
    counts = np.bincount((shifted - shifted.min()).astype(np.int64)).astype(np.float64)
    return float(np.sum(np.diff(counts) ** 2))


def _points(image: Picture) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return row and column of ink pixels at a low resolution, a fixed sample of them."""
    factor = max(round(max(image.shape) / _LOW_RESOLUTION), 1)
    small = shrink(image, factor) if factor > 1 else image
    mask = ink(small)
    if mask.mean() > 0.5:
        return np.empty(0), np.empty(0)
    # Long dark stretches are rules, pictures and borders of the scan, not letters.
    mask &= ~_solid(mask)
    rows, columns = np.nonzero(mask)
    if rows.size > _MAX_POINTS:
        chosen = np.linspace(0, rows.size - 1, _MAX_POINTS).astype(np.int64)
        rows, columns = rows[chosen], columns[chosen]
    return rows.astype(np.float64), columns.astype(np.float64)


def _solid(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where a square of 15 pixels is nearly all dark."""
    reach = 7
    padded = np.pad(mask, reach + 1).astype(np.int32).cumsum(0).cumsum(1)
    size = 2 * reach + 1
    total = (
        padded[size:, size:]
        - padded[:-size, size:]
        - padded[size:, :-size]
        + padded[:-size, :-size]
    )
    height, width = mask.shape
    solid: NDArray[np.bool_] = total[:height, :width] > 0.8 * size * size
    return solid
