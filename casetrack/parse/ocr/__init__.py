"""Reads pictures of text: cleaning, engines behind one protocol, words with boxes.

:func:`read_image` is the way in. ``choose`` finds the engine, ``recognize`` takes a picture through
``clean`` and ``straighten`` to it and maps its words back; ``tesseract``, ``rapid`` and ``easy``
are the engines, ``languages`` and ``weights`` find and fetch what they need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import OcrUnavailable
from casetrack.parse.ocr.engine import RecognizedLine, RecognizedPage, Word

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.base.config import OcrSettings
    from casetrack.parse.ocr.engine import Picture


_SURE = 0.9
_AS_MUCH = 0.6


def read_image(
    image: Picture, dpi: float, settings: OcrSettings, *, models_dir: Path | None = None
) -> RecognizedPage:
    """Recognise the text of a picture.

    Where the engine is chosen automatically and is unsure of a page, a second one reads it too.

    Parameters
    ----------
    image
        Grey, uint8, height x width; 0 is black.
    dpi
        Resolution, as far as it is known; letters are measured where there are any.
    settings
        Engine and languages.
    models_dir
        Where pulled language data and weights lie, beside what the system has.

    Raises
    ------
    OcrUnavailable
        Recognition is switched off, or no engine can be used; the hint says what to do.
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


def ocr_at_hand(models_dir: Path | None, /) -> tuple[str, ...]:
    """Return what pictures can be read with on this machine: engines, and Tesseract's languages.

    Looks at files only; no engine is started.
    """
    from casetrack.parse.ocr.fetch import find_weights
    from casetrack.parse.ocr.language_data import installed
    from casetrack.parse.ocr.tesseract import is_installed

    found = sorted(installed(models_dir)) if is_installed() else []
    try:
        find_weights(models_dir)
    except OcrUnavailable:
        return tuple(found)
    return (*found, "rapidocr")


__all__ = [
    "OcrUnavailable",
    "RecognizedLine",
    "RecognizedPage",
    "Word",
    "ocr_at_hand",
    "read_image",
]
