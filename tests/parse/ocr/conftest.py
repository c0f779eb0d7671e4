"""Pictures of text made on the spot, and the engines that this machine has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.base.config import OcrSettings
from casetrack.parse.ocr.choose import choose_engine

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.parse.ocr.engine import Engine


@pytest.fixture(
    scope="session",
    params=["rapidocr", pytest.param("tesseract", marks=pytest.mark.needs("tesseract"))],
)
def engine(request: pytest.FixtureRequest, models_dir: Path) -> Engine:
    """Return each engine."""
    language = "eng" if request.param == "tesseract" else None
    return choose_engine(OcrSettings(request.param, language), models_dir)
