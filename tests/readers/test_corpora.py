"""Every file of the large corpora ends in pages of normal form or in an error that says why."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from casetrack import errors
from casetrack.config import ParseLimits
from casetrack.readers import detect, known_extensions
from casetrack.readers.workers.pool import ParsePool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsePool]:
    with ParsePool(ParseLimits(60.0, 2048), 2) as opened:
        yield opened


def rows(pool: ParsePool, path: Path) -> list[dict[str, Any]]:
    return [row for batch in pool.read(path).batches for row in batch.to_pylist()]


def check(row: dict[str, Any]) -> None:
    """Check that lines and paragraphs tile the text of a page."""
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
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize(
    ("folder", "least"),
    [
        ("pdf-suite", 0.65),
        ("py-pdf-samples", 0.7),
        ("cuad/pdf", 1.0),
        ("office-suite/docx", 0.6),
        ("office-suite/xlsx", 0.8),
        ("office-suite/xls", 0.75),
        ("office-suite/ods", 0.7),
        ("office-suite/txt", 1.0),
    ],
)
def test_every_file_ends_in_pages_or_in_a_reason(
    pool: ParsePool, corpus: Callable[[str], Path], folder: str, least: float
) -> None:
    """*least* is the share of files with text; many in these suites hold none, or are broken."""
    known = known_extensions()
    paths = [p for p in sorted(corpus(folder).rglob("*")) if p.suffix.lower() in known]

    def outcome(path: Path) -> str:
        try:
            found = rows(pool, path)
        except errors.FileError as error:
            says_what_and_next = str(path) in error.message and error.hint
            return type(error).__name__ if says_what_and_next else f"bare {type(error).__name__}"
        assert [row["page"] for row in found] == list(range(1, len(found) + 1))
        for row in found:
            check(row)
        return "text" if any(row["text"] for row in found) else "no text"

    with ThreadPoolExecutor(4) as threads:
        counts = Counter(threads.map(outcome, paths))
    assert counts["text"] >= least * len(paths), counts
    allowed = {"text", "no text", "ParseFailed", "FileEncrypted", "FormatMismatch"}
    assert set(counts) <= allowed, counts


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
