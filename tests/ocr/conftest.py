"""Pictures of text made on the spot, and the engines that this machine has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.config import OcrSettings
from casetrack.errors import OcrUnavailable
from casetrack.ocr.choose import choose_engine

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.ocr.engine import Engine


@pytest.fixture(scope="session", params=["rapidocr", "tesseract"])
def engine(request: pytest.FixtureRequest, models_dir: Path) -> Engine:
    """Return each engine; Tesseract only where the machine has English language data."""
    settings = OcrSettings(request.param, "eng" if request.param == "tesseract" else None)
    if request.param == "rapidocr":
        return choose_engine(settings, models_dir)
    try:
        return choose_engine(settings, models_dir)
    except OcrUnavailable as error:
        pytest.skip(f"Tesseract cannot run here: {error.message}")
