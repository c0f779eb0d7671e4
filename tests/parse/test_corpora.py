"""Every file of the large corpora gives pages of normal form or an error with its reason."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from casetrack.base import errors
from casetrack.base.config import OcrSettings, ParseLimits
from casetrack.parse import detect, known_extensions
from casetrack.parse.base import ReadOptions
from casetrack.parse.page_builder import clean_text
from casetrack.parse.workers.pool import ParsePool

NEEDS_LIBREOFFICE = pytest.mark.needs("libreoffice")
FOLDERS = [
    # Folder, least share of files with text, every how many of them are read.
    ("pdf-suite", 0.6, 12),
    ("py-pdf-samples", 0.6, 3),
    ("cuad/pdf", 1.0, 17),
    *((f"office-suite/{kind}", 1.0, 1) for kind in ("csv", "eml", "epub", "mbox", "txt")),
    ("office-suite/docx", 0.6, 4),
    ("office-suite/html", 0.85, 3),
    ("office-suite/msg", 0.9, 1),
    *((f"office-suite/{kind}", 0.7, 1) for kind in ("odp", "ods", "odt", "pptx", "rtf")),
    *((f"office-suite/{kind}", 0.75, 6) for kind in ("xls", "xlsx")),
    # LibreOffice opens each of these, which takes seconds.
    *(
        pytest.param(f"office-suite/{kind}", 0.5, 20, marks=NEEDS_LIBREOFFICE)
        for kind in ("doc", "ppt")
    ),
    ("ocr/pages", 0.75, 10),
    ("ocr/receipts", 0.95, 10),
]
NO_OCR = ReadOptions(ocr=OcrSettings("off"))
SHARED_NUMBERS = {"json", "jsonl", "ods", "xls", "xlsx"}
"""Formats with several lines of text on one line of the file, or links after the row of a sheet."""


@pytest.fixture(scope="module")
def pool(models_dir: Path) -> Iterator[ParsePool]:
    options = ReadOptions(models_dir=models_dir)
    with ParsePool(ParseLimits(60.0, 2048), 2, options=options) as opened:
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
    """Read a file, check its pages, and return the result."""
    try:
        kind, result = rows(pool, path)
    except errors.FileError as error:
        says_what_and_next = str(path) in error.message and error.hint
        return type(error).__name__ if says_what_and_next else f"bare {type(error).__name__}"
    assert [row["page"] for row in result] == list(range(1, len(result) + 1)), path
    for row in result:
        check(row, numbers_are_shared=kind in SHARED_NUMBERS)
    return "text" if any(row["text"] for row in result) else "no text"


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("folder", "least", "step"), FOLDERS)
def test_files_end_in_pages_or_in_a_reason(
    pool: ParsePool, corpus: Callable[[str], Path], folder: str, least: float, step: int
) -> None:
    """The shares leave room: many files in these suites hold no text, or are broken."""
    pool.options = replace(pool.options, ocr=OcrSettings("auto" if "ocr" in folder else "off"))
    known = known_extensions()
    paths = [p for p in sorted(corpus(folder).rglob("*")) if p.suffix.lower() in known]
    if not os.environ.get("CASETRACK_TEST_EVERY_FILE"):
        paths = paths[::step]
    with ThreadPoolExecutor(2) as threads:
        counts = Counter(threads.map(lambda path: outcome(pool, path), paths))
    allowed = {"text", "no text", "ParseFailed", "FileEncrypted", "FormatMismatch"}
    assert set(counts) <= allowed, counts
    assert counts["text"] >= least * len(paths) > 0, counts


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


PARAGRAPHS = {
    "docx": (r"word/(document|header\d*|footer\d*)\.xml", "{*}p"),
    "pptx": (r"ppt/slides/slide\d+\.xml", "{*}p"),
    "xlsx": (r"xl/sharedStrings\.xml", "{*}si"),
    "odt": (r"content\.xml", "{*}p"),
    "odp": (r"content\.xml", "{*}p"),
    "ods": (r"content\.xml", "{*}p"),
}
BLANKS = {"tab", "br", "cr", "p", "s", "line-break", "tracked-changes", "annotation", "note"}


def words_of(path: Path) -> set[str]:
    """Return the words of a container's paragraphs, as its XML has them."""
    parts, paragraph = PARAGRAPHS[path.suffix[1:]]
    result, is_open = set(), path.suffix.startswith(".od")
    with zipfile.ZipFile(path) as archive:
        for name in filter(re.compile(parts).fullmatch, archive.namelist()):
            for element in etree.fromstring(archive.read(name)).iterfind(f".//{paragraph}"):
                text = ""
                for one in element.iter("{*}*"):
                    kind = etree.QName(one).localname
                    blank = " " if kind in BLANKS else ""
                    if kind == "t" or (is_open and kind not in {"title", "desc", "date"}):
                        text += blank + (one.text or "")
                    text += blank + (one.tail or "" if is_open else "")
                result.update(re.findall(r"\w+", clean_text(text)))
    return result


@pytest.mark.parametrize("kind", PARAGRAPHS)
def test_no_word_of_an_office_file_is_lost_or_glued(
    corpus: Callable[[str], Path], kind: str
) -> None:
    compared, lost = 0, []
    for path in sorted((corpus("office-suite") / kind).glob(f"*.{kind}")):
        try:
            theirs = words_of(path)
            pages = list(detect(path).read(path, NO_OCR).pages)
        except (errors.FileError, zipfile.BadZipFile, etree.XMLSyntaxError, ValueError):
            continue
        # The sign of a note may part a word.
        text = "\n".join(f"{page.text}\n{page.header}\n{page.footer}" for page in pages)
        ours = re.findall(r"\w+", text + re.sub(r"\[(?:\d+|[ivx]+)\]", "", text))
        compared += len(theirs)
        lost += [(path.name, word) for word in theirs.difference(ours)]
    assert compared > (50 if kind == "ods" else 500)
    assert len(lost) <= 0.002 * compared, lost
