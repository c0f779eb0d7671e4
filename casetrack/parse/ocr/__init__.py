"""Read pictures of text: image cleaning, interchangeable engines, words with boxes.

``choose`` selects the engine; ``recognize`` applies ``clean``, the engine, and maps words back to
the picture; ``tesseract``, ``rapid`` and ``easy`` are the engines, ``language_data`` and ``fetch``
download their files.
"""

from __future__ import annotations

from pathlib import Path

from casetrack.base.config import OcrSettings
from casetrack.base.errors import OcrUnavailable
from casetrack.parse.ocr.engine import Picture, RecognizedLine, RecognizedPage, Word

_SURE = 0.9
_AS_MUCH = 0.6


def read_image(
    image: Picture, dpi: float, settings: OcrSettings, *, models_dir: Path | None = None
) -> RecognizedPage:
    """Recognize the text of a picture; a second engine may read it too if the first is unsure.

    *image* is grey, uint8, height x width, 0 is black; *dpi* is a fallback for unmeasurable
    letters. Raises ``OcrUnavailable`` if recognition is switched off or no engine is available.
    """
    from casetrack.parse.ocr.choose import choose_engine, second_engine
    from casetrack.parse.ocr.recognize import prepare, recognize

    engine = choose_engine(settings, models_dir)
    second = second_engine(engine, settings, models_dir)
    picture = prepare(image, dpi)
    page = recognize(picture, engine, gives_up=second is not None)
    if second is None or page.confidence >= _SURE:
        return page
    other = recognize(picture, second)
    much = len(other.text) >= _AS_MUCH * len(page.text)
    if other.confidence > page.confidence and much:
        return other
    return page if page.lines else recognize(picture, engine)


def available_ocr(models_dir: Path | None, /) -> tuple[str, ...]:
    """Return the OCR engines usable on this machine, and Tesseract's languages, without a start."""
    from casetrack.parse.ocr.fetch import find_weights
    from casetrack.parse.ocr.language_data import installed
    from casetrack.parse.ocr.tesseract import is_installed

    codes = sorted(installed(models_dir)) if is_installed() else []
    try:
        find_weights(models_dir)
    except OcrUnavailable:
        return tuple(codes)
    return (*codes, "rapidocr")


__all__ = [
    "OcrUnavailable",
    "RecognizedLine",
    "RecognizedPage",
    "Word",
    "available_ocr",
    "read_image",
]
