"""``doctor`` is well when all is well, and names what is not, with the remedy."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from casetrack.config import OcrSettings
from casetrack.errors import OcrUnavailable
from casetrack.health import check_ocr, page_problems, row_problems
from casetrack.ocr import choose, languages
from casetrack.ocr.weights import RAPID, find_weights, pull_weights
from casetrack.store.session import WriteSession, write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.collection import Collection
    from casetrack.library import Library
    from casetrack.records import Check, HealthReport


def failed(report: HealthReport) -> dict[str, Check]:
    return {c.name: c for c in report.checks if not c.ok}


@pytest.fixture
def collection(library: Library, tmp_path: Path) -> Collection:
    collection = library.create("Case")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"Text of {name}. " * 300)
        collection.ingest([tmp_path / name])
    return collection


def test_all_is_well(collection: Collection) -> None:
    report = collection.doctor()
    assert report.ok
    assert failed(report) == {}
    assert {c.name for c in report.checks} >= {"provenance", "page texts", "search index"}


def test_source_files_that_changed_or_went(collection: Collection, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("other")
    (tmp_path / "b.txt").unlink()
    problem = failed(collection.doctor())["source files"]
    assert "b.txt is no longer there" in problem.detail
    assert "a.txt has changed since" in problem.detail
    assert problem.remedy


def test_a_stopped_reindex_is_told(collection: Collection) -> None:
    (collection.folder / "rewrite").mkdir()
    report = collection.doctor()
    assert report.ok
    (found,) = [c for c in report.checks if c.name == "leftovers"]
    assert "`casetrack reindex` goes on with it" in found.detail


def test_rows_that_are_missing(collection: Collection) -> None:
    import lance

    chunk = collection.chunks("a.txt")[1].chunk_id
    lance.dataset(collection.folder / "chunks.lance").delete(f"chunk_id = '{chunk}'")
    problems = failed(collection.doctor())
    assert "a.txt has" in problems["documents"].detail
    assert "page texts" in problems


def test_leftovers_of_a_stopped_writer_are_told(
    collection: Collection, store_text: Callable[..., object]
) -> None:
    session = WriteSession(collection.folder)
    session.begin()
    store_text(session, "half.txt", "Half. " * 500)
    session._finished.clear()
    session.commit()
    check = next(c for c in collection.doctor().checks if c.name == "leftovers")
    assert "rows of stopped work" in check.detail
    with write_session(collection.folder):
        pass
    check = next(c for c in collection.doctor().checks if c.name == "leftovers")
    assert check.detail == "none"


def test_library_report(library: Library, collection: Collection) -> None:
    report = library.doctor()
    assert set(failed(report)) == {"models"}
    assert "casetrack models pull" in failed(report)["models"].remedy
    (collection.folder / "collection.json").unlink()
    assert f"collection in {collection.folder.name}" in failed(library.doctor())


def test_library_with_model(library_with_model: Library) -> None:
    assert library_with_model.doctor().ok


def test_a_collection_without_data(collection: Collection) -> None:
    shutil.rmtree(collection.folder / "chunks.lance")
    problem = failed(collection.doctor())["data"]
    assert "cannot be read" in problem.detail


ROW = {
    "text": "abc",
    "char_start": 0,
    "char_end": 3,
    "char_count": 3,
    "page": 1,
    "paragraph_start": 1,
    "paragraph_end": 1,
    "line_start": 1,
    "line_end": 2,
    "chunk_id": "c",
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"text": " \n "}, "its text is empty"),
        ({"char_end": 4}, "its character offsets do not fit its text"),
        ({"page": 0}, "its page or offset is impossible"),
        ({"line_start": 0}, "its line numbers are impossible"),
        ({"paragraph_start": 2}, "its paragraph numbers are impossible"),
    ],
)
def test_row_problems(change: dict[str, object], problem: str | None) -> None:
    assert list(row_problems(ROW | change)) == ([problem] if problem else [])


def test_page_problems() -> None:
    first = ROW | {"text": "abcdef", "char_end": 6}
    good = ROW | {"text": "efgh", "char_start": 4, "char_end": 8}
    assert list(page_problems([first, good])) == []
    assert "its beginning is missing" in next(iter(page_problems([good])))
    gap = good | {"char_start": 7, "char_end": 11}
    assert "text is missing before" in next(iter(page_problems([first, gap])))
    other = good | {"text": "xxgh"}
    assert "disagrees with the one before" in next(iter(page_problems([first, other])))


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a models folder on a machine without language data and packages for OCR."""
    monkeypatch.setattr(languages, "_SYSTEM_FOLDERS", ())
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    for module in ("casetrack.ocr.weights", "casetrack.ocr.easy"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: None)
    choose._make.cache_clear()
    return tmp_path / "models"


def test_text_recognition_needs_one_engine_that_works(bare: Path) -> None:
    problem = check_ocr(bare)
    assert not problem.ok
    assert "No OCR engine can be used" in problem.detail
    for name in ("tesseract-eng", "casetrack[easyocr]", "rapidocr"):
        assert name in problem.remedy


def test_text_recognition_names_the_engine_and_what_it_reads(
    bare: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    networks = _networks(models_dir)
    folder = bare / "rapidocr"
    folder.mkdir(parents=True)
    for file in RAPID.files:
        shutil.copyfile(networks / file.name, folder / file.name)
    monkeypatch.setattr(languages, "_SYSTEM_FOLDERS", ())
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    check = check_ocr(bare)
    assert (check.name, check.ok) == ("text recognition", True)
    assert check.detail.startswith("rapidocr (Latin, Greek")
    # It is named while its files are whole: auto would fail on the first page with these.
    (folder / RAPID.files[0].name).write_bytes(b"not a network")
    damaged = check_ocr(bare)
    assert not damaged.ok
    assert f"{RAPID.files[0].name} in {folder} is wrong" in damaged.detail
    assert "casetrack models pull rapidocr" in damaged.remedy


def test_text_recognition_with_tesseract_names_the_languages(tmp_path: Path) -> None:
    choose._make.cache_clear()
    try:
        engine = choose.choose_engine(OcrSettings("tesseract"), None)
    except OcrUnavailable as error:
        pytest.skip(f"Tesseract cannot run here: {error.message}")
    check = check_ocr(tmp_path)
    assert check.detail.startswith(f"tesseract ({', '.join(engine.languages)})")


def _networks(models_dir: Path) -> Path:
    try:
        return find_weights(None)
    except OcrUnavailable:
        pull_weights(models_dir, lambda *_: None)
        return find_weights(models_dir)
