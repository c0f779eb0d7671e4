"""Noise that was enlarged with its picture: Tesseract would take minutes over it."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from casetrack.ocr.clean import clean, is_speckled, smoothed


def noisy_page() -> np.ndarray:
    page = Image.new("L", (800, 600), 255)
    ImageDraw.Draw(page).text((40, 120), "dredging", font=ImageFont.load_default(40), fill=30)
    noise = np.random.default_rng(1).normal(0, 25, (600, 800))
    dirty = np.clip(np.asarray(page) + noise, 0, 255).astype(np.uint8)
    large = Image.fromarray(dirty).resize((1200, 900), Image.Resampling.BILINEAR)
    return clean(np.asarray(large))


def test_noise_is_told_from_text_and_taken_out() -> None:
    page = Image.new("L", (900, 450), 255)
    ImageDraw.Draw(page).text((40, 120), "dredging " * 4, font=ImageFont.load_default(40), fill=0)
    assert not is_speckled(np.asarray(page))
    assert is_speckled(noisy_page())
    assert not is_speckled(smoothed(noisy_page()))
