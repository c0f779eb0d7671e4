"""Selects the engine: the configured one, or the first that is ready."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from casetrack.base.errors import OcrUnavailable, Opt

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.base.config import OcrSettings
    from casetrack.parse.ocr.engine import Engine

_READ_BY_RAPIDOCR = frozenset(
    "afr ces chi_sim chi_tra dan deu eng est fin fra hrv hun isl ita jpn lat lav lit nld nor pol "
    "por ron slk slv spa swe tur".split()
)
_OFF_HINT = f"Set engine in config.toml ([ocr]). {Opt(ocr='auto')} reads scans, too."


def choose_engine(settings: OcrSettings, models_dir: Path | None, /) -> Engine:
    """Return the engine for these settings, one instance per process; may raise ``OcrUnavailable``.

    ``auto`` prefers Tesseract with its data for the language, then EasyOCR if it is installed with
    weights, then RapidOCR.
    """
    if settings.engine == "off":
        raise OcrUnavailable("Recognition of text in pictures is switched off.", hint=_OFF_HINT)
    return _make(settings.engine, settings.language, models_dir)


def second_engine(
    first: Engine, settings: OcrSettings, models_dir: Path | None, /
) -> Engine | None:
    """Return an engine for pages that *first* read badly, ``None`` without one.

    On photographed receipts Tesseract finds 76 % of the words, RapidOCR 88 %; pages that Tesseract
    is sure of are read well by both, faster by Tesseract.
    """
    if settings.engine != "auto" or first.name == "rapidocr":
        return None
    if settings.language and not _is_read_by_rapidocr(settings.language):
        return None
    try:
        return _make("rapidocr", None, models_dir)
    except OcrUnavailable:
        return None


def _is_read_by_rapidocr(language: str) -> bool:
    return _READ_BY_RAPIDOCR.issuperset(part.strip() for part in language.split("+"))


@functools.lru_cache(maxsize=4)
def _make(name: str, language: str | None, models_dir: Path | None) -> Engine:
    if name != "auto":
        return _MAKERS[name](language, models_dir)
    failures = []
    for maker in _MAKERS.values():
        try:
            return maker(language, models_dir)
        except OcrUnavailable as error:
            failures.append(error)
    raise OcrUnavailable(
        "No OCR engine can be used: " + " ".join(error.message for error in failures),
        hint="\n".join(dict.fromkeys(error.hint for error in failures)),
    )


def unload_engines() -> None:
    """Unload all engines, about 200 MB; the next picture loads them again."""
    _make.cache_clear()


def _tesseract(language: str | None, models_dir: Path | None) -> Engine:
    from casetrack.parse.ocr.language_data import find_data
    from casetrack.parse.ocr.tesseract import TesseractEngine, is_installed

    if not is_installed():
        raise OcrUnavailable(
            "The package tesserocr is not installed.",
            hint=f"Install it with `pip install tesserocr`. Or choose {Opt(ocr='rapidocr')}.",
        )
    return TesseractEngine(find_data(language, models_dir))


def _easyocr(language: str | None, models_dir: Path | None) -> Engine:
    from casetrack.parse.ocr.easy import EasyEngine

    return EasyEngine(language, models_dir)


def _rapidocr(language: str | None, models_dir: Path | None) -> Engine:
    if language and not _is_read_by_rapidocr(language):
        raise OcrUnavailable(
            f"RapidOCR does not read {language}.",
            hint="Use Tesseract with the language's data. Or leave out "
            f"{Opt(ocr_language='LANGUAGES')}.",
        )
    from casetrack.parse.ocr.fetch import find_weights
    from casetrack.parse.ocr.rapid import RapidEngine

    return RapidEngine(find_weights(models_dir))


_MAKERS = {"tesseract": _tesseract, "easyocr": _easyocr, "rapidocr": _rapidocr}
