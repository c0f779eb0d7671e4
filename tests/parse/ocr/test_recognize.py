"""Pictures of text to words, as each engine reads them: clean, turned, skewed, noisy, faint."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from casetrack.parse.ocr import RecognizedPage, clean
from casetrack.parse.ocr.recognize import find_skew, lines_are_upright, prepare, recognize

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.parse.ocr.engine import Engine


LINES = (
    "The supplier shall deliver the goods",
    "within 30 days of the order dated",
    "14 March 2025. Payment of $12,480.50",
    "is due on receipt of each invoice.",
    "Either party may terminate with",
    "written notice of ninety (90) days.",
    "This agreement is governed by the",
    "laws of the State of New York.",
)


@dataclass(frozen=True)
class Drawn:
    """A page: its grey pixels, and each word with its rectangle."""

    image: np.ndarray
    words: tuple[tuple[str, tuple[float, float, float, float]], ...]

    @property
    def text(self) -> str:
        return " ".join(word for word, _ in self.words)


@cache
def sample(lines: tuple[str, ...] = LINES, size: int = 40, leading: float = 1.5) -> Drawn:
    """Draw lines of black text on white; *size* is the font size in pixels."""
    font = ImageFont.load_default(size)
    margin = 2 * size
    width = int(max(font.getlength(line) for line in lines)) + 2 * margin
    height = int(len(lines) * leading * size) + 2 * margin
    picture = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(picture)
    words = []
    for row, line in enumerate(lines):
        y = margin + row * leading * size
        draw.text((margin, y), line, fill=0, font=font)
        at = 0
        for word in line.split(" "):
            x = margin + font.getlength(line[:at])
            words.append((word, draw.textbbox((x, y), word, font=font)))
            at += len(word) + 1
    return Drawn(np.asarray(picture), tuple(words))


def turned(image: np.ndarray, degrees: float) -> np.ndarray:
    """Turn counter-clockwise; white comes in at the corners."""
    picture = Image.fromarray(image)
    return np.asarray(picture.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255))


def scaled(image: np.ndarray, factor: float) -> np.ndarray:
    picture = Image.fromarray(image)
    size = (round(picture.width * factor), round(picture.height * factor))
    return np.asarray(picture.resize(size, Image.Resampling.LANCZOS))


def with_grain(image: np.ndarray, sigma: float) -> np.ndarray:
    """Add noise as of a camera in the dark."""
    noise = np.random.default_rng(7).normal(0, sigma, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def with_specks(image: np.ndarray, share: float) -> np.ndarray:
    """Add black and white dots as of a bad fax."""
    rng = np.random.default_rng(7)
    out = image.copy()
    chance = rng.random(image.shape)
    out[chance < share / 2] = 0
    out[chance > 1 - share / 2] = 255
    return out


def with_shadow(image: np.ndarray) -> np.ndarray:
    """Darken towards one corner, as of a photographed page."""
    height, width = image.shape
    ramp = np.linspace(1.0, 0.35, width)[None, :] * np.linspace(1.0, 0.7, height)[:, None]
    return (image * ramp).astype(np.uint8)


def faint(image: np.ndarray) -> np.ndarray:
    """Leave a twelfth of the contrast."""
    return (200 + image.astype(np.float64) * 20 / 255).astype(np.uint8)


def _recall(page: RecognizedPage, drawn: Drawn) -> float:
    wanted, result = Counter(drawn.text.split()), Counter(page.text.split())
    return (wanted & result).total() / wanted.total()


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(r[2] - r[0]) * (r[3] - r[1]) for r in (a, b)]
    return width * height / (sum(areas) - width * height)


@pytest.mark.slow
def test_every_word_of_a_clean_page_is_read_where_it_stands(engine: Engine) -> None:
    drawn = sample()
    page = recognize(prepare(drawn.image, 300.0), engine)
    assert page.text.split() == drawn.text.split()
    assert (page.rotation, page.skew, page.engine) == (0, 0.0, engine.name)
    assert page.confidence > 0.85
    actual = [word for line in page.lines for word in line.words]
    for word, (text, box) in zip(actual, drawn.words, strict=True):
        assert word.text == text
        assert _overlap((word.x0, word.y0, word.x1, word.y1), box) > 0.5, text
        assert 0.0 <= word.confidence <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "degrees", [90, *(pytest.param(n, marks=pytest.mark.slow) for n in (180, 270))]
)
def test_a_turned_page_is_read_and_its_boxes_are_in_the_picture_as_given(
    engine: Engine, degrees: int
) -> None:
    drawn = sample(LINES[:4])
    image = np.ascontiguousarray(np.rot90(drawn.image, degrees // 90))
    page = recognize(prepare(image, 300.0), engine)
    assert page.rotation == (360 - degrees) % 360
    assert page.text.split() == drawn.text.split()
    height, width = drawn.image.shape
    for word, (text, (x0, y0, x1, y1)) in zip(
        (word for line in page.lines for word in line.words), drawn.words, strict=True
    ):
        box = {
            90: (y0, width - x1, y1, width - x0),
            180: (width - x1, height - y1, width - x0, height - y0),
            270: (height - y1, x0, height - y0, x1),
        }[degrees]
        assert _overlap((word.x0, word.y0, word.x1, word.y1), box) > 0.5, text


@pytest.mark.slow
@pytest.mark.parametrize(
    "degrees", [-9.0, *(pytest.param(degrees, marks=pytest.mark.slow) for degrees in (-2.5, 12.0))]
)
def test_a_skewed_page_is_straightened_and_its_boxes_are_mapped_back(
    engine: Engine, degrees: float
) -> None:
    drawn = sample(LINES[:5])
    image = turned(drawn.image, degrees)
    page = recognize(prepare(image, 300.0), engine)
    assert page.skew == pytest.approx(-degrees, abs=0.4)
    assert _recall(page, drawn) > 0.95
    # Where the drawing went, its words must be: dark pixels inside, and all dark pixels covered.
    covered = np.zeros(image.shape, bool)
    for line in page.lines:
        for word in line.words:
            covered[int(word.y0) : int(word.y1) + 2, int(word.x0) : int(word.x1) + 2] = True
    assert (image[covered] < 128).sum() > 0.97 * (image < 128).sum()


_DAMAGE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "white on black": lambda image: 255 - image,
    "faint": faint,
    "shadow": with_shadow,
    "grain": lambda image: with_grain(image, 45.0),
    "specks": lambda image: with_specks(image, 0.08),
    "900 dpi": lambda image: scaled(image, 3.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", _DAMAGE, ids=str)
def test_bad_pictures_are_read_too(engine: Engine, damage: str) -> None:
    drawn = sample(LINES[:2])
    page = recognize(prepare(_DAMAGE[damage](drawn.image), 300.0), engine)
    assert _recall(page, drawn) >= 0.9, page.text


@pytest.mark.slow
def test_a_few_words_on_a_large_sheet_are_read(engine: Engine) -> None:
    drawn = sample(LINES[:2])
    sheet = np.full((4800, 3600), 255, np.uint8)
    height, width = drawn.image.shape
    sheet[3000 : 3000 + height, 1200 : 1200 + width] = drawn.image
    page = recognize(prepare(sheet, 300.0), engine)
    assert page.text.split() == drawn.text.split()
    first = page.lines[0].words[0]
    assert (first.x0 - 1200, first.y0 - 3000) == pytest.approx(drawn.words[0][1][:2], abs=6)


@pytest.mark.parametrize(
    "image",
    [
        np.full((900, 700), 255, np.uint8),
        np.zeros((900, 700), np.uint8),
        np.full((3, 5000), 128, np.uint8),
        np.zeros((1, 1), np.uint8),
        with_grain(np.full((300, 400), 128, np.uint8), 60.0),
    ],
    ids=["white", "black", "sliver", "dot", "noise"],
)
def test_pictures_without_text_give_none(engine: Engine, image: np.ndarray) -> None:
    page = recognize(prepare(image, 300.0), engine)
    assert len(page.text) < 12
    assert page.lines or page.confidence == 0.0


@pytest.mark.parametrize("size", [24, 40, 64])
def test_cleaning_leaves_clean_pages_alone(size: int) -> None:
    image = sample(size=size).image
    assert np.array_equal(clean.clean(image), image)


@pytest.mark.slow
def test_noise_is_measured_and_taken_away() -> None:
    image = sample().image
    for noisy in (with_grain(image, 40.0), with_specks(image, 0.05)):
        assert clean.measure_noise(noisy).is_high
        assert not clean.measure_noise(clean.clean(noisy)).is_high
        rest = np.abs(clean.clean(noisy).astype(int) - image).mean()
        assert rest < 0.6 * np.abs(noisy.astype(int) - image).mean()


def test_letters_are_measured_also_where_dust_outnumbers_them() -> None:
    image = sample(size=40).image.copy()
    height, count = clean.measure_letters(image)
    assert count > 20
    assert 18 <= height <= 32
    for y, x in np.random.default_rng(3).integers(0, 60, (400, 2)):
        image[y * 8 % image.shape[0] : y * 8 % image.shape[0] + 4, x * 10 : x * 10 + 3] = 0
    assert clean.measure_letters(image)[0] == pytest.approx(height, abs=6)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("degrees", [-14.0, -0.6, 0.0, 6.5])
def test_skew_is_found(degrees: float) -> None:
    image = turned(sample().image, degrees)
    assert find_skew(image) == pytest.approx(-degrees, abs=0.3)


def test_lines_across_are_distinguished_from_lines_down() -> None:
    image = sample().image
    assert lines_are_upright(image)
    assert not lines_are_upright(np.ascontiguousarray(np.rot90(image)))
    # A narrow list: its left edge is sharper than its lines.
    narrow = sample(tuple(f"{n}.50" for n in range(10, 40)), leading=1.2).image
    assert lines_are_upright(narrow)


# --- noise that was enlarged with its picture -------------------------------------------------


def noisy_page() -> np.ndarray:
    page = Image.new("L", (800, 600), 255)
    ImageDraw.Draw(page).text((40, 120), "dredging", font=ImageFont.load_default(40), fill=30)
    noise = np.random.default_rng(1).normal(0, 25, (600, 800))
    dirty = np.clip(np.asarray(page) + noise, 0, 255).astype(np.uint8)
    large = Image.fromarray(dirty).resize((1200, 900), Image.Resampling.BILINEAR)
    return clean.clean(np.asarray(large))


def test_noise_is_distinguished_from_text_and_taken_out() -> None:
    page = Image.new("L", (900, 450), 255)
    ImageDraw.Draw(page).text((40, 120), "dredging " * 4, font=ImageFont.load_default(40), fill=0)
    assert not clean.is_speckled(np.asarray(page))
    noisy = noisy_page()
    assert clean.is_speckled(noisy)
    assert not clean.is_speckled(clean.smoothed(noisy))
