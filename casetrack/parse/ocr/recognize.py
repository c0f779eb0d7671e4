"""Reads the words of a picture: cleaned, turned, straightened, scaled, read, mapped back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageFilter

from casetrack.parse.ocr.clean import (
    MAX_PIXELS,
    clean,
    find_components,
    ink,
    measure_letters,
    shrink,
)
from casetrack.parse.ocr.engine import (
    RecognizedLine,
    RecognizedPage,
    Word,
    mean_confidence,
    words_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from casetrack.parse.ocr.clean import Ints
    from casetrack.parse.ocr.engine import Engine, Fit, Picture, RawLine, RawWord

# Finds the rotation of a page: quarter turns by its lines, small angles by their rows.

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
    """Return whether lines run across the picture, by distances between letters."""
    x0, y0, x1, y1 = _letters(image)
    if x0.size < 8:
        return True
    across = np.maximum(x0[:, None], x0) - np.minimum(x1[:, None], x1)
    down = np.maximum(y0[:, None], y0) - np.minimum(y1[:, None], y1)
    # Side by side: they overlap by half in one direction and are separate in the other.
    half_height = -0.5 * np.minimum(y1 - y0, (y1 - y0)[:, None])
    half_width = -0.5 * np.minimum(x1 - x0, (x1 - x0)[:, None])
    far = np.inf
    aside = np.where((down <= half_height) & (across >= 0), across, far).min(axis=1)
    below = np.where((across <= half_width) & (down >= 0), down, far).min(axis=1)
    return bool(np.sum(aside <= below) >= np.sum(below < aside))


def _letters(image: Picture) -> tuple[Ints, Ints, Ints, Ints]:
    """Return rectangles of possible letters, few enough for a comparison of pairs."""
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
    # Neighbours must stay together: use a part from the middle, not a sample.
    spare = max(chosen.size - _MAX_LETTERS, 0) // 2
    chosen = chosen[spare : spare + _MAX_LETTERS]
    return parts.x0[chosen], parts.y0[chosen], parts.x1[chosen], parts.y1[chosen]


def find_skew(image: Picture, /) -> float:
    """Return the skew in degrees counter-clockwise; 0 if it is small, since rotation blurs."""
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
    """Return the variation of ink between rows: largest along the lines of text."""
    shifted = rows - columns * np.tan(np.deg2rad(degrees))
    counts = np.bincount((shifted - shifted.min()).astype(np.int64)).astype(np.float64)
    return float(np.sum(np.diff(counts) ** 2))


def _points(image: Picture) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return row and column of ink pixels at a low resolution, as a fixed sample."""
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
    """Return the mask where a square of 15 pixels is nearly all dark."""
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


_SURE, _TELLS = 0.6, 0.5
_FEW_LETTERS = 1200
_WORTH_READING = {True: 0.9, False: 0.6}
"""Minimum quality of the first lines of a page with few letters, and of a full, slower page."""
_UNSURE = 0.7
_CLEARLY_BETTER = 1.15
_STRIP_LINES, _STRIP_WIDTH = 3, 50
_MIN_SIDE = 8
_MARGIN = 10
_MOSTLY_INK, _WORTH_CROPPING = 0.5, 0.7


@dataclass(frozen=True, slots=True)
class _View:
    """A picture on its way to the engine, and the map back to the original."""

    image: Picture
    back: Affine
    dpi: float

    def turned(self, degrees: int) -> _View:
        image, back = quarter_turn(self.image, degrees)
        return _View(image, self.back.after(back), self.dpi)

    def straightened(self, degrees: float) -> _View:
        image, back = straighten(self.image, degrees)
        return _View(image, self.back.after(back), self.dpi)

    def scaled(self, factor: float) -> _View:
        height, width = self.image.shape
        size = max(round(width * factor), 1), max(round(height * factor), 1)
        if size == (width, height):
            return self
        image = Image.fromarray(self.image).resize(size, Image.Resampling.BICUBIC, reducing_gap=3.0)
        back = Affine(width / size[0], 0.0, 0.0, 0.0, height / size[1], 0.0)
        return _View(np.asarray(image), self.back.after(back), self.dpi * factor)

    def cropped(self) -> _View:
        """Return the part with ink: a few words on a large sheet are too small in the whole."""
        mask = ink(self.image)
        rows, columns = mask.sum(axis=1).nonzero()[0], mask.sum(axis=0).nonzero()[0]
        if not rows.size or mask.mean() > _MOSTLY_INK:
            return self
        top, left = int(rows[0]), int(columns[0])
        image = self.image[top : int(rows[-1]) + 1, left : int(columns[-1]) + 1]
        if image.size > _WORTH_CROPPING * self.image.size:
            return self
        back = Affine(c=float(left), f=float(top))
        return _View(np.ascontiguousarray(image), self.back.after(back), self.dpi)

    def padded(self, margin: int) -> _View:
        """Return the view with a white margin, since letters at the edge are misread."""
        image = np.pad(self.image, margin, constant_values=255)
        back = Affine(c=-float(margin), f=-float(margin))
        return _View(image, self.back.after(back), self.dpi)


@dataclass(slots=True)
class Prepared:
    """A picture ready for any engine: cleaned, cut to its content, with horizontal lines.

    *view* is neither straightened nor scaled. *height* (pixels) and *letters* are 0 without text.
    *skew* is still to straighten, *rotation* (0 or 90) is done, both in degrees counter-clockwise.
    """

    view: _View
    height: float
    letters: int
    skew: float
    rotation: int
    shape: tuple[int, ...]
    is_upside_down: bool | None = None


def prepare(image: Picture, dpi: float, /) -> Prepared | None:
    """Prepare a picture for recognition; ``None`` if it cannot contain text."""
    if min(image.shape) < _MIN_SIDE or int(image.max()) - int(image.min()) < 12:
        return None
    view = _reduced(_View(image, Affine(), dpi))
    view = _View(clean(view.image), view.back, view.dpi)
    view = view.cropped()
    height, letters = measure_letters(view.image)
    rotation = 0 if lines_are_upright(view.image) else 90
    view = view.turned(rotation)
    return Prepared(view, height, letters, find_skew(view.image), rotation, image.shape)


def recognize(
    picture: Prepared | None, engine: Engine, /, *, gives_up: bool = False
) -> RecognizedPage:
    """Read a picture with *engine*; *gives_up* returns no line for a page whose sample is bad."""
    if picture is None:
        return RecognizedPage((), engine.name, engine.languages)
    view, height, skew = picture.view, picture.height, picture.skew
    factor = _factor(height, engine.fit, view)
    # Enlarging comes first: rotating small letters would blur them.
    view = view.scaled(factor) if factor > 1 else view
    view = view.straightened(skew)
    view = view.scaled(factor) if factor < 1 else view
    turned = picture.is_upside_down
    if height and turned is None:
        upright, flipped = _probe(view, engine, factor * height)
        turned = flipped > _CLEARLY_BETTER * upright
        if max(upright, flipped) >= _TELLS:
            picture.is_upside_down = turned
        least = _WORTH_READING[picture.letters < _FEW_LETTERS]
        if gives_up and max(upright, flipped) < least:
            return RecognizedPage((), engine.name, engine.languages)
    rotation = picture.rotation
    if turned:
        view = view.turned(180)
        rotation += 180
    view = view.padded(_MARGIN)
    lines = engine.read(view.image, view.dpi)
    if not gives_up and mean_confidence(words_of(lines)) < _UNSURE:
        lines = max(lines, _read_softly(view, engine, factor * height), key=_text_amount)
    # The upright frame has the pixel size of the original picture.
    pixel = abs(view.back.a) + abs(view.back.b)
    pixel /= abs(np.cos(np.deg2rad(skew))) + abs(np.sin(np.deg2rad(skew)))
    return RecognizedPage(
        tuple(_line(line, view, float(pixel), picture.shape) for line in lines if line.words),
        engine.name,
        engine.languages,
        mean_confidence(words_of(lines)),
        rotation,
        skew,
    )


def _read_softly(view: _View, engine: Engine, height: float) -> list[RawLine]:
    """Read with the dots of broken letters joined, as of a dot-matrix printer."""
    blur = ImageFilter.GaussianBlur(max(height, 16.0) / 16.0)
    soft = np.asarray(Image.fromarray(view.image).filter(blur))
    return engine.read(soft, view.dpi)


def _text_amount(lines: list[RawLine]) -> float:
    """Return the amount of confidently read text; garbage lowers it."""
    return sum((word.confidence - 0.4) * len(word.text) for word in words_of(lines))


def _reduced(view: _View) -> _View:
    pixels = view.image.size
    if pixels <= MAX_PIXELS:
        return view
    factor = int(np.ceil((pixels / MAX_PIXELS) ** 0.5))
    back = Affine(float(factor), 0.0, 0.0, 0.0, float(factor), 0.0)
    return _View(shrink(view.image, factor), back, view.dpi / factor)


def _factor(height: float, fit: Fit, view: _View) -> float:
    """Return the scale factor for letters of a height, within the memory limit."""
    if not height:
        # Nothing to measure: use the resolution that the picture states.
        wanted = 300.0 / view.dpi if view.dpi < 180 else 1.0
    elif fit.low <= height <= fit.high:
        wanted = 1.0
    else:
        wanted = fit.best / height
    most = (MAX_PIXELS / view.image.size) ** 0.5
    return float(min(max(wanted, 0.2), 4.0, max(most, 1.0)))


def _probe(view: _View, engine: Engine, height: float) -> tuple[float, float]:
    """Return the engine's confidence in a few straight lines, upright and upside down."""
    confidence = [0.0, 0.0]
    for way in (0, 1):
        strip = _strip(view.turned(180 * way), height).padded(_MARGIN)
        words = words_of(engine.read(strip.image, strip.dpi))
        confidence[way] = mean_confidence(_whole(words, strip.image.shape[1]) or words)
        if confidence[way] >= _SURE:
            break
    return confidence[0], confidence[1]


def _whole(words: list[RawWord], width: int) -> list[RawWord]:
    """Return the words that the edge of a strip does not cut."""
    return [word for word in words if word.x0 > _MARGIN + 2 and word.x1 < width - _MARGIN - 2]


def _strip(view: _View, height: float) -> _View:
    """Cut out a few lines, or their middle part, where the page has the most edges."""
    rows = int(_STRIP_LINES * 2.5 * height)
    if rows >= view.image.shape[0]:
        return view
    edges = np.abs(np.diff(view.image[:, ::2].astype(np.int16), axis=1))
    by_row, by_column = edges.sum(axis=1), edges.sum(axis=0)
    top = _fullest(by_row, rows)
    above = by_row[max(top - int(2 * height), 0) : top + 1]
    top -= above.size - 1 - int(np.argmin(above))
    columns = min(int(_STRIP_WIDTH * height), view.image.shape[1])
    left = 2 * _fullest(by_column, columns // 2)
    back = Affine(c=float(left), f=float(top))
    image = np.ascontiguousarray(view.image[top : top + rows, left : left + columns])
    return _View(image, view.back.after(back), view.dpi)


def _fullest(amounts: NDArray[np.int64], length: int) -> int:
    """Return the start of the stretch of a length with the largest sum."""
    if length >= amounts.size:
        return 0
    filled = np.cumsum(np.concatenate([[0], amounts]))
    return int(np.argmax(filled[length:] - filled[:-length]))


def _line(line: RawLine, view: _View, pixel: float, shape: tuple[int, ...]) -> RecognizedLine:
    height, width = shape
    words = []
    for word in line.words:
        x0, y0, x1, y1 = view.back.box(word.x0, word.y0, word.x1, word.y1)
        words.append(
            Word(
                word.text,
                min(max(x0, 0.0), width),
                min(max(y0, 0.0), height),
                min(max(x1, 0.0), width),
                min(max(y1, 0.0), height),
                min(max(word.confidence, 0.0), 1.0),
                word.x0 * pixel,
                word.y0 * pixel,
                word.x1 * pixel,
                word.y1 * pixel,
            )
        )
    return RecognizedLine(tuple(words), line.base * pixel, line.size * pixel)
