"""Pictures of text made on the spot, and the engines that this machine has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.config import OcrSettings
from casetrack.errors import OcrUnavailable
from casetrack.ocr.choose import choose_engine
from casetrack.ocr.weights import find_weights, pull_weights

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.ocr.engine import Engine


@pytest.fixture(scope="session")
def ocr_models(models_dir: Path) -> Path:
    """Return a models folder with RapidOCR's networks, unless its package is installed."""
    try:
        find_weights(models_dir)
    except OcrUnavailable:
        pull_weights(models_dir, lambda *_: None)
    return models_dir


@pytest.fixture(scope="session", params=["rapidocr", "tesseract"])
def engine(request: pytest.FixtureRequest, ocr_models: Path) -> Engine:
    """Return each engine; Tesseract only where the machine has English language data."""
    settings = OcrSettings(request.param, "eng" if request.param == "tesseract" else None)
    if request.param == "rapidocr":
        return choose_engine(settings, ocr_models)
    try:
        return choose_engine(settings, ocr_models)
    except OcrUnavailable as error:
        pytest.skip(f"Tesseract cannot run here: {error.message}")
