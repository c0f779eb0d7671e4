"""Every file of the large corpora ends in pages of normal form or in an error that says why."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from casetrack import errors
from casetrack.config import OcrSettings, ParseLimits
from casetrack.readers import detect, known_extensions
from casetrack.readers.base import ReadOptions
from casetrack.readers.legacy.libreoffice import find_libreoffice
from casetrack.readers.workers.pool import ParsePool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.corpus


FOLDERS = [
    # Folder, least share of files with text, every how many of them in a quick run.
    ("pdf-suite", 0.6, 12),
    ("py-pdf-samples", 0.6, 3),
    ("cuad/pdf", 1.0, 17),
    ("office-suite/csv", 1.0, 1),
    # LibreOffice opens each of these, which takes seconds.
    ("office-suite/doc", 0.7, 20),
    ("office-suite/docx", 0.6, 4),
    ("office-suite/eml", 1.0, 1),
    ("office-suite/epub", 1.0, 1),
    ("office-suite/html", 0.85, 3),
    ("office-suite/mbox", 1.0, 1),
    ("office-suite/msg", 0.9, 1),
    ("office-suite/odp", 0.7, 1),
    ("office-suite/ods", 0.7, 1),
    ("office-suite/odt", 0.9, 1),
    ("office-suite/ppt", 0.5, 20),
    ("office-suite/pptx", 0.75, 1),
    ("office-suite/rtf", 0.85, 1),
    ("office-suite/txt", 1.0, 1),
    # The tests of sheets read each of these.
    ("office-suite/xls", 0.75, 6),
    ("office-suite/xlsx", 0.75, 6),
]
PICTURES = [("ocr/pages", 0.75), ("ocr/receipts", 0.95)]
NO_OCR = ReadOptions(ocr=OcrSettings("off"))
SHARED_NUMBERS = {"json", "jsonl"}
"""Formats of which several lines of text may stand on one line of the file."""


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsePool]:
    with ParsePool(ParseLimits(60.0, 2048), 2, options=NO_OCR) as opened:
        yield opened


@pytest.fixture(scope="module")
def seeing_pool(models_dir: Path) -> Iterator[ParsePool]:
    """Return a pool that reads pictures."""
    options = ReadOptions(models_dir=models_dir)
    with ParsePool(ParseLimits(), 2, options=options) as opened:
        yield opened


def rows(pool: ParsePool, path: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return a file's format and its pages."""
    with pool.read(path) as parsed:
        return parsed.info.format, [row for batch in parsed.batches for row in batch.to_pylist()]


def check(row: dict[str, Any], *, numbers_are_shared: bool) -> None:
    """Check that lines and paragraphs tile the text of a page, and that their numbers ascend."""
    text = row["text"]
    assert text == text.strip()
    assert (row["extraction_method"] == "Skipped") is (text == "")
    for spans in (row["lines"], row["paragraphs"]):
        position = 0
        for span in spans:
            assert position <= span["start"] < span["end"] <= len(text)
            assert not text[position : span["start"]].strip()
            position = span["end"]
        assert not text[position:].strip()
    numbers = [line["number"] for line in row["lines"]]
    assert numbers == sorted(numbers)
    assert numbers_are_shared or len(set(numbers)) == len(numbers)


def outcome(pool: ParsePool, path: Path) -> str:
    """Read a file, check its pages, and say how it ended."""
    try:
        kind, found = rows(pool, path)
    except errors.FileError as error:
        says_what_and_next = str(path) in error.message and error.hint
        return type(error).__name__ if says_what_and_next else f"bare {type(error).__name__}"
    assert [row["page"] for row in found] == list(range(1, len(found) + 1)), path
    for row in found:
        check(row, numbers_are_shared=kind in SHARED_NUMBERS)
    return "text" if any(row["text"] for row in found) else "no text"


def check_folder(pool: ParsePool, folder: Path, least: float, step: int) -> None:
    """Check every *step*-th file; *least* is the share of files with text."""
    known = known_extensions()
    paths = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in known][::step]
    with ThreadPoolExecutor(2) as threads:
        counts = Counter(threads.map(lambda path: outcome(pool, path), paths))
    allowed = {"text", "no text", "ParseFailed", "FileEncrypted", "FormatMismatch"}
    assert set(counts) <= allowed | {"ConverterMissing"}, counts
    if counts["ConverterMissing"]:
        assert find_libreoffice() is None
        pytest.skip("LibreOffice is not on this machine")
    assert counts["text"] >= least * len(paths) > 0, counts


@pytest.mark.parametrize(("folder", "least", "step"), FOLDERS)
def test_files_end_in_pages_or_in_a_reason(
    pool: ParsePool, corpus: Callable[[str], Path], folder: str, least: float, step: int
) -> None:
    """The shares leave room: many files in these suites hold no text, or are broken."""
    check_folder(pool, corpus(folder), least, step)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("folder", "least"), [*((name, least) for name, least, _ in FOLDERS), *PICTURES]
)
def test_every_file_ends_in_pages_or_in_a_reason(
    seeing_pool: ParsePool, corpus: Callable[[str], Path], folder: str, least: float
) -> None:
    """Pictures of text are read too."""
    check_folder(seeing_pool, corpus(folder), least, 1)


def test_protected_files_open_with_their_passwords(corpus: Callable[[str], Path]) -> None:
    folder = corpus("pdf-suite")
    known = json.loads((folder / "passwords.json").read_text(encoding="utf-8"))
    assert known
    for name, password in known.items():
        reader = detect(folder / name)
        options = replace(NO_OCR, passwords=("not this one", password))
        assert len(list(reader.read(folder / name, options).pages)) >= 1
        with pytest.raises(errors.FileEncrypted):
            reader.read(folder / name, NO_OCR)


def test_pages_are_counted_as_others_count_them(corpus: Callable[[str], Path]) -> None:
    folder = corpus("py-pdf-samples")
    listed = json.loads((folder / "files.json").read_text(encoding="utf-8"))["data"]
    checked = 0
    for entry in listed:
        path = folder / entry["path"]
        if entry.get("encrypted") or not path.is_file() or not entry.get("pages"):
            continue
        try:
            reading = detect(path).read(path)
        except errors.ParseFailed:
            continue
        assert reading.info.page_count == entry["pages"], path.name
        checked += 1
    assert checked >= 20
