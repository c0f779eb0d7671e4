"""Clean a picture of text before recognition, only where it is noisy.

A filter removes detail from a clean page, but without filters a noisy page has thousands of specks
that an engine tries to read. So each step first checks whether it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from casetrack.parse.ocr.engine import Picture

# Connected parts of a black-and-white picture, by runs of pixels, without a vision library.

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Components:
    """The 8-connected parts of a mask and their pixel runs, in arrays; ends are exclusive."""

    x0: Ints
    y0: Ints
    x1: Ints
    y1: Ints
    area: Ints
    part: Ints
    row: Ints
    start: Ints
    end: Ints


def find_components(mask: NDArray[np.bool_], /) -> Components:
    """Find the connected parts of *mask*."""
    row, start, end = _runs(mask)
    part = _labels(row, start, end, mask.shape[1])
    count = int(part.max()) + 1 if part.size else 0
    far = np.iinfo(np.int64).max
    x0, y0 = np.full(count, far), np.full(count, far)
    x1, y1 = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.minimum.at(x0, part, start)
    np.maximum.at(x1, part, end)
    np.minimum.at(y0, part, row)
    np.maximum.at(y1, part, row + 1)
    area = np.bincount(part, weights=end - start, minlength=count).astype(np.int64)
    return Components(x0, y0, x1, y1, area, part, row, start, end)


def _runs(mask: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    height, width = mask.shape
    padded = np.zeros((height, width + 2), np.int8)
    padded[:, 1:-1] = mask
    steps = np.diff(padded, axis=1)
    row, start = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    return row.astype(np.int64), start.astype(np.int64), end.astype(np.int64)


def _labels(row: Ints, start: Ints, end: Ints, width: int) -> Ints:
    """Return the part of each run: the smallest label that it reaches through neighbours."""
    count = row.size
    label = np.arange(count)
    # Runs of one row do not overlap, so both keys ascend and a run's neighbours in the next row
    # are a slice.
    stride = width + 2
    below = (row + 1) * stride
    first = np.searchsorted(row * stride + end, below + start, side="left")
    last = np.searchsorted(row * stride + start, below + end, side="right")
    many = np.maximum(last - first, 0)
    upper = np.repeat(np.arange(count), many)
    offset = np.arange(upper.size) - np.repeat(np.cumsum(many) - many, many)
    lower = np.repeat(first, many) + offset
    while upper.size:
        a, b = label[upper], label[lower]
        apart = a != b
        if not apart.any():
            break
        low, high = np.minimum(a, b)[apart], np.maximum(a, b)[apart]
        np.minimum.at(label, high, low)
        while not np.array_equal(label, jumped := label[label]):
            label = jumped
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


MAX_PIXELS = 24_000_000
"""Larger pictures are reduced: an A4 page at 450 dpi has fewer."""

_SAMPLE_PIXELS = 1_500_000
_NOISE_SIGMA = 9.0
_SPECK_SHARE = 0.0015
_UNEVEN = 22.0
_FAINT_RANGE = 150.0
_TILE = 32


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise of a picture: *sigma* of the grain in grey levels, share of single-pixel *specks*."""

    sigma: float
    specks: float

    @property
    def is_high(self) -> bool:
        """Whether filtering improves the picture."""
        return self.sigma > _NOISE_SIGMA or self.specks > _SPECK_SHARE


def clean(image: Picture, /) -> Picture:
    """Return the picture ready for recognition: dark text on light, even ground, little noise."""
    image = _denoise(image)
    image = _flatten(image)
    image = _stretch(image)
    return _dark_on_light(image)


def measure_noise(image: Picture, /) -> Noise:
    """Measure grain and specks on stripes distributed over the picture."""
    part = _stripes(image).astype(np.int16)
    if min(part.shape) < 8:
        return Noise(0.0, 0.0)
    rows = part[:-2] - 2 * part[1:-1] + part[2:]
    curve = np.abs(rows[:, :-2] - 2 * rows[:, 1:-1] + rows[:, 2:])
    # The median ignores the edges of letters; 6 is the filter's gain on white noise.
    sigma = float(np.median(curve)) / (0.6745 * 6.0)
    centre = part[1:-1, 1:-1]
    around = [
        part[1 + dy : part.shape[0] - 1 + dy, 1 + dx : part.shape[1] - 1 + dx]
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
        if dx or dy
    ]
    darkest, lightest = around[0].copy(), around[0].copy()
    for other in around[1:]:
        np.minimum(darkest, other, out=darkest)
        np.maximum(lightest, other, out=lightest)
    alone = (centre + 80 < darkest) | (centre > lightest + 80)
    return Noise(sigma, float(alone.mean()))


def threshold(image: Picture, /) -> int:
    """Return the grey level that best separates ink from ground (Otsu 1979)."""
    from PIL import Image

    # Pillow counts pixels ten times faster than numpy.
    counts = np.array(Image.fromarray(image).histogram(), np.float64)
    total = counts.sum()
    levels = np.arange(256)
    below = np.cumsum(counts)
    above = total - below
    mass = np.cumsum(counts * levels)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = mass / below - (mass[-1] - mass) / above
        spread = below * above * gap * gap
    return int(np.nanargmax(np.where(np.isfinite(spread), spread, -1.0)))


def ink(image: Picture, /) -> NDArray[np.bool_]:
    """Return the mask of dark pixels."""
    mask: NDArray[np.bool_] = image <= threshold(image)
    return mask


def measure_letters(image: Picture, /) -> tuple[float, int]:
    """Return the median height of letters in pixels, weighted by height, and their number."""
    mask = ink(image)
    share = mask.mean()
    if share == 0.0 or share > 0.5:
        return 0.0, 0
    parts = find_components(mask)
    height, width = parts.y1 - parts.y0, parts.x1 - parts.x0
    likely = (
        (height >= 4)
        & (width >= 2)
        & (height < 0.2 * image.shape[0] + 24)
        & (width < 8 * height)
        & (height < 8 * width)
        & (parts.area > 0.1 * height * width)
    )
    if likely.sum() < 3:
        return 0.0, 0
    ordered = np.sort(height[likely])
    weight = np.cumsum(ordered)
    return float(ordered[np.searchsorted(weight, weight[-1] / 2)]), int(likely.sum())


def shrink(image: Picture, factor: int, /) -> Picture:
    """Reduce by a whole factor, with the mean of the pixels."""
    from PIL import Image

    return np.asarray(Image.fromarray(image).reduce(factor))


def _stripes(image: Picture) -> Picture:
    height, width = image.shape
    rows = max(_SAMPLE_PIXELS // max(width, 1), 16)
    if rows >= height:
        return image
    each = max(rows // 8, 3)
    starts = np.linspace(0, height - each, 8).astype(int)
    return np.concatenate([image[start : start + each] for start in starts])


def _denoise(image: Picture) -> Picture:
    """Remove specks with a median filter; smooth remaining grain."""
    from PIL import Image, ImageFilter

    for _ in range(2):
        noise = measure_noise(image)
        if not noise.is_high:
            return image
        image = np.asarray(Image.fromarray(image).filter(ImageFilter.MedianFilter(3)))
    if measure_noise(image).is_high:
        image = np.asarray(Image.fromarray(image).filter(ImageFilter.GaussianBlur(1.0)))
    return image


def _flatten(image: Picture) -> Picture:
    """Remove shadows: divide by the brightness of the paper nearby."""
    from PIL import Image, ImageFilter

    height, width = image.shape
    if min(height, width) < 4 * _TILE:
        return image
    rows, columns = height // _TILE, width // _TILE
    tiles = image[: rows * _TILE, : columns * _TILE].reshape(rows, _TILE, columns, _TILE)
    paper = np.percentile(tiles[:, ::2, :, ::2], 85, axis=(1, 3))
    if np.median(paper) < 96 or np.percentile(paper, 98) - np.percentile(paper, 10) < _UNEVEN:
        return image
    # A tile inside a large dark figure has no paper and takes the brightness of adjacent tiles.
    small = Image.fromarray(paper.astype(np.uint8)).filter(ImageFilter.MaxFilter(5))
    smooth = small.filter(ImageFilter.GaussianBlur(2)).resize(
        (width, height), Image.Resampling.BILINEAR
    )
    ground = np.maximum(np.asarray(smooth), 32).astype(np.uint16)
    even: Picture = np.minimum(image.astype(np.uint16) * 240 // ground, 255).astype(np.uint8)
    return even


def _stretch(image: Picture) -> Picture:
    low, high = np.percentile(_stripes(image), (0.5, 95.0))
    if high - low >= _FAINT_RANGE or high - low < 12:
        return image
    table = np.clip((np.arange(256) - low) * (255.0 / (high - low)), 0, 255).astype(np.uint8)
    spread: Picture = table[image]
    return spread


def _dark_on_light(image: Picture) -> Picture:
    sample = image[::3, ::3]
    return 255 - image if ink(sample).mean() > 0.6 and np.median(sample) < 128 else image


_SPECKLED = 0.12


def is_speckled(image: Picture, /) -> bool:
    """Return whether the binarized picture alternates as noise; its layout would take minutes."""
    dark = ink(image)
    return float(np.mean(dark[:, 1:] != dark[:, :-1])) > _SPECKLED


def smoothed(image: Picture, /) -> Picture:
    """Return the picture without specks of a few pixels."""
    from PIL import Image, ImageFilter

    return np.asarray(Image.fromarray(image).filter(ImageFilter.MedianFilter(7)), np.uint8)
