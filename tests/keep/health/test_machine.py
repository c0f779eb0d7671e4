"""Checks of the machine by ``doctor``: models and engines of text recognition."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from casetrack.base.config import OcrSettings
from casetrack.base.errors import OcrUnavailable
from casetrack.keep.health import check_ocr
from casetrack.parse.ocr import choose, language_data
from casetrack.parse.ocr.fetch import RAPID, find_weights


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a models folder on a machine without language data and packages for OCR."""
    monkeypatch.setattr(language_data, "_SYSTEM_FOLDERS", ())
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    monkeypatch.setattr("casetrack.parse.ocr.easy.find_spec", lambda name: None)
    choose._make.cache_clear()
    return tmp_path / "models"


def test_text_recognition_needs_one_engine_that_works(bare: Path) -> None:
    problem = check_ocr(bare)
    assert not problem.ok
    for name in ("tesseract-eng", "casetrack[easyocr]", "rapidocr"):
        assert name in problem.remedy


def test_text_recognition_names_the_engine_and_what_it_reads(
    bare: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    networks = find_weights(models_dir)
    folder = bare / "rapidocr"
    folder.mkdir(parents=True)
    for file in RAPID.files:
        shutil.copyfile(networks / file.name, folder / file.name)
    monkeypatch.setattr(language_data, "_SYSTEM_FOLDERS", ())
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    check = check_ocr(bare)
    assert (check.name, check.ok) == ("text recognition", True)
    assert check.detail.startswith("rapidocr (Latin, Greek")
    # It is named while its files are whole: auto would fail on the first page with these.
    (folder / RAPID.files[0].name).write_bytes(b"not a network")
    damaged = check_ocr(bare)
    assert not damaged.ok
    assert f"{RAPID.files[0].name} in {folder} is damaged" in damaged.detail
    assert "casetrack models pull rapidocr" in damaged.remedy


def test_text_recognition_with_tesseract_names_the_languages(tmp_path: Path) -> None:
    choose._make.cache_clear()
    try:
        engine = choose.choose_engine(OcrSettings("tesseract"), None)
    except OcrUnavailable as error:
        pytest.skip(f"Tesseract cannot run here: {error.message}")
    check = check_ocr(tmp_path)
    assert check.detail.startswith(f"tesseract ({', '.join(engine.languages)})")
