"""The invariants P1 to P6 of the design, over every sample and over the corpora."""

from __future__ import annotations

import itertools
import re
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.config import ParseLimits
from casetrack.errors import FileError
from casetrack.pipeline import load_pipeline
from casetrack.provenance import Box, LineBox, Provenance, column_letters, iso_utc
from casetrack.readers.workers.pool import ParsePool
from casetrack.steps.words import index_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DOCUMENT = str(uuid.UUID(int=7))
SAMPLE_FORMATS = {".pdf", ".docx", ".xlsx", ".xls", ".ods", ".txt", ".md"}


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsePool]:
    with ParsePool(ParseLimits(timeout_seconds=60), workers=1) as pool:
        yield pool


def pages_of(pool: ParsePool, path: Path) -> list[dict[str, Any]]:
    with pool.read(path) as parsed:
        return [row for batch in parsed.batches for row in batch.to_pylist()]


def chunks_of(pool: ParsePool, path: Path) -> list[dict[str, Any]]:
    with pool.read(path) as parsed:
        batches = load_pipeline("standard").run(DOCUMENT, parsed.batches)
        return [row for batch in batches for row in batch.to_pylist()]


def check(pages: list[dict[str, Any]], chunks: list[dict[str, Any]]) -> None:
    """Check one document's chunks against its pages."""
    by_page: dict[int, list[dict[str, Any]]] = {p["page"]: [] for p in pages}
    for chunk in chunks:
        by_page[chunk["page"]].append(chunk)
    assert len({c["chunk_id"] for c in chunks}) == len(chunks)
    for page in pages:
        text, own = page["text"], by_page[page["page"]]
        assert text == text.strip()
        # P2: the chunks tile the page, and the page can be rebuilt from them.
        rebuilt = ""
        for chunk in own:
            assert chunk["char_start"] <= len(rebuilt)
            rebuilt = rebuilt[: chunk["char_start"]] + chunk["text"]
        assert rebuilt == text
        for before, after in itertools.pairwise(own):
            assert before["char_start"] < after["char_start"]
        for chunk in own:
            check_chunk(page, chunk)


def check_chunk(page: dict[str, Any], chunk: dict[str, Any]) -> None:
    start, end = chunk["char_start"], chunk["char_end"]
    # P1: exact, in code points; numbers count from one.
    assert page["text"][start:end] == chunk["text"]
    assert 0 < chunk["char_count"] == end - start <= 2200
    for name in ("line", "paragraph"):
        first, last = chunk[f"{name}_start"], chunk[f"{name}_end"]
        touched = [s for s in page[f"{name}s"] if s["start"] < end and s["end"] > start]
        assert 1 <= first <= last
        assert (touched[0]["number"], touched[-1]["number"]) == (first, last)
        covered = set()
        for span in touched:
            covered.update(range(span["start"], span["end"]))
        loose = [i for i in range(start, end) if i not in covered and not page["text"][i].isspace()]
        assert loose == []
    # P3: what is computed from a chunk stands in its row.
    assert sum(chunk["term_counts"]) == chunk["term_total"] == len(index_terms(chunk["text"]))
    # P6, as far as rows tell: every line with a layout has its rectangle, inside the page.
    for box in chunk["line_boxes"]:
        assert chunk["line_start"] <= box["line"] <= chunk["line_end"]
        assert box["x0"] < box["x1"]
        assert box["y0"] < box["y1"]


def sample_files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in SAMPLE_FORMATS)


def test_every_sample(pool: ParsePool, samples: Path) -> None:
    files = sample_files(samples)
    assert len(files) >= 14
    for path in files:
        pages = pages_of(pool, path)
        check(pages, chunks_of(pool, path))
        assert pages_of(pool, path) == pages, f"{path.name} reads differently the second time"


@pytest.mark.corpus
def test_contracts(pool: ParsePool, corpus: Callable[[str], Path]) -> None:
    for path in sorted((corpus("cuad") / "pdf").glob("*.pdf"))[::2]:
        check(pages_of(pool, path), chunks_of(pool, path))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "kinds", "step"),
    [
        ("py-pdf-samples", ["pdf"], 2),
        ("office-suite", ["docx", "xlsx", "xls", "ods", "txt"], 12),
        ("pdf-suite", ["pdf"], 16),
    ],
)
def test_corpora(
    pool: ParsePool, corpus: Callable[[str], Path], name: str, kinds: list[str], step: int
) -> None:
    check_corpus(pool, corpus(name), kinds, step)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("cuad", ["pdf", "txt"]),
        ("py-pdf-samples", ["pdf"]),
        ("office-suite", ["docx", "xlsx", "xls", "ods", "txt"]),
        ("pdf-suite", ["pdf"]),
    ],
)
def test_whole_corpora(
    pool: ParsePool, corpus: Callable[[str], Path], name: str, kinds: list[str]
) -> None:
    check_corpus(pool, corpus(name), kinds, 1)


def check_corpus(pool: ParsePool, folder: Path, kinds: list[str], step: int) -> None:
    """Check every *step*-th file; a file that cannot be read must say so as a FileError."""
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower().lstrip(".") in kinds)
    read = 0
    for path in files[::step]:
        try:
            pages = pages_of(pool, path)
            chunks = chunks_of(pool, path)
        except FileError:
            continue  # what such errors say is tested with the readers
        check(pages, chunks)
        read += 1
    assert read > len(files[::step]) / 2


def test_words_inside_the_boxes_are_the_words_of_the_chunk(pool: ParsePool, samples: Path) -> None:
    import pymupdf

    for path in sorted(samples.rglob("*.pdf")):
        with pymupdf.open(path) as pdf:
            words = {n: page.get_text("words") for n, page in enumerate(pdf, start=1)}
        for chunk in chunks_of(pool, path):
            inside = {
                letters(word[4])
                for word in words[chunk["page"]]
                for box in chunk["line_boxes"]
                if box["x0"] - 1 <= (word[0] + word[2]) / 2 <= box["x1"] + 1
                and box["y0"] - 1 <= (word[1] + word[3]) / 2 <= box["y1"] + 1
            }
            lost = [
                w
                for w in map(letters, chunk["text"].split())
                # A word divided at a line end stands in two boxes, in two parts.
                if w and w not in inside and not divided(w, inside)
            ]
            assert lost == [], f"{path.name}, p. {chunk['page']}"


def letters(word: str) -> str:
    return re.sub(r"[\W_]+", "", word.replace("ﬁ", "fi").replace("ﬂ", "fl")).casefold()


def divided(word: str, inside: set[str]) -> bool:
    return any(word[:i] in inside and word[i:] in inside for i in range(1, len(word)))


MOMENT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def provenance(**changes: Any) -> Provenance:
    values: dict[str, Any] = {
        "document_id": "d",
        "document_name": "Q3 Report.v2.pdf",
        "document_path": "/files/Q3 Report.v2.pdf",
        "chunk_id": "c",
        "chunk_index": 4,
        "page": 12,
        "page_is_estimated": False,
        "paragraph_start": 8,
        "paragraph_end": 8,
        "line_start": 1,
        "line_end": 4,
        "char_start": 0,
        "char_end": 10,
        "extraction_method": "Native",
        "ocr_confidence": None,
        "created_at": MOMENT,
        "embedded_at": None,
        "ingested_at": MOMENT,
        "line_boxes": (LineBox(1, Box(1, 2, 3, 4)),),
    }
    return Provenance(**(values | changes))


@pytest.mark.parametrize(
    ("changes", "full", "short"),
    [
        ({}, "Q3 Report.v2.pdf, p. 12, para. 8, ll. 1-4", "Q3 Report.v2, p. 12"),
        (
            {"paragraph_end": 9, "line_end": 1},
            "Q3 Report.v2.pdf, p. 12, paras. 8-9, l. 1",
            "Q3 Report.v2, p. 12",
        ),
        (
            {"page": 1, "page_is_estimated": True, "document_name": "notes"},
            "notes, p. 1 (estimated), para. 8, ll. 1-4",
            "notes, p. 1",
        ),
        (
            {
                "sheet_name": "Costs",
                "row_start": 2,
                "row_end": 14,
                "column_start": 1,
                "column_end": 28,
            },
            'Q3 Report.v2.pdf, sheet "Costs", rows 2-14, columns A-AB',
            'Q3 Report.v2, sheet "Costs"',
        ),
    ],
)
def test_citations(changes: dict[str, Any], full: str, short: str) -> None:
    found = provenance(**changes)
    assert (found.cite(), found.cite_short()) == (full, short)


def test_source_has_times_in_utc_and_ranges() -> None:
    source = provenance(row_start=3, row_end=3, column_start=2, column_end=4).source()
    assert source["document_ingested_at"] == "2026-03-04T05:06:07Z"
    assert source["chunk_embedded_at"] is None
    assert (source["row_range"], source["column_range"]) == ("3", "B-D")
    assert iso_utc(None) is None


@pytest.mark.parametrize(
    ("number", "expected"), [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ"), (703, "AAA")]
)
def test_column_letters(number: int, expected: str) -> None:
    assert column_letters(number) == expected
    assert column_letters(None) is None
