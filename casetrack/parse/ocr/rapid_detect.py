"""Finds lines of text in a picture: the detection network's map, cut into boxes (Liao 2020, DB)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.parse.ocr.components import find_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from casetrack.parse.ocr.components import Components
    from casetrack.parse.ocr.page import Picture

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
    (found,) = detector.run(None, {"x": np.broadcast_to(data, (1, 3, *data.shape))})
    chance: NDArray[np.float32] = found[0, 0]
    mask = chance > _TEXT
    # One pixel down and right, as in training, joins what touches at corners.
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
    # Upper and lower edge with the slope taken out.
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
    """Return slope and mean height of each part; only long parts tell a slope."""
    count = parts.area.size
    weight = (parts.end - parts.start).astype(np.float64)
    x, y = (parts.start + parts.end) / 2, parts.row + 0.5

    def total(values: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(parts.part, weights=weight * values, minlength=count).astype(np.float64)

    area = parts.area.astype(np.float64)
    mx, my = total(x) / area, total(y) / area
    # A run of n pixels spreads by n^2 / 12 around its own middle.
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
