"""The invariants P1 to P6 of the design, over every sample and over the corpora."""

from __future__ import annotations

import bisect
import itertools
import re
import uuid
from datetime import UTC, datetime
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from casetrack.base.config import OcrSettings, ParseLimits
from casetrack.base.errors import FileError
from casetrack.base.provenance import DOUBTFUL_BELOW, Provenance, iso_utc
from casetrack.base.records.shape import SOURCE
from casetrack.ingest.pipeline import Tools, load_pipeline
from casetrack.ingest.steps.terms import searchable_terms
from casetrack.ingest.steps.words import index_terms
from casetrack.models.encoders import Encoders
from casetrack.parse import known_extensions
from casetrack.parse.base import ReadOptions
from casetrack.parse.workers.pool import ParsePool
from casetrack.store.datasets import Ledger
from casetrack.store.passages import narrow, narrowed
from graph_records import provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


DOCUMENT = str(uuid.UUID(int=7))
FOLDERS = [
    *"annual-reports briefs cuad dockets filings legal-citations mail ner-open".split(),
    *"opinions pdf-suite py-pdf-samples recognizers redaction scifact transcripts xquad".split(),
    *(f"office-suite/{kind}" for kind in "csv docx eml epub html mbox msg odp ods odt".split()),
    *(f"office-suite/{kind}" for kind in "pptx rtf txt xls xlsx".split()),
    # LibreOffice opens each of these, which takes seconds.
    *(
        pytest.param(f"office-suite/{kind}", marks=pytest.mark.needs("libreoffice"))
        for kind in ("doc", "ppt")
    ),
]
WITH_WORDS = {"cuad", "py-pdf-samples"}
"""Folders of which the words in the boxes are compared too."""
LAID_OUT = {".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"}


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsePool]:
    options = ReadOptions(ocr=OcrSettings("off"))
    with ParsePool(ParseLimits(timeout_seconds=60), workers=1, options=options) as pool:
        yield pool


@pytest.fixture(scope="module")
def seeing_pool(models_dir: Path) -> Iterator[ParsePool]:
    """Return a pool that reads pictures of text."""
    options = ReadOptions(models_dir=models_dir)
    with ParsePool(ParseLimits(), workers=2, options=options) as pool:
        yield pool


def pages_of(pool: ParsePool, path: Path) -> list[dict[str, Any]]:
    with pool.read(path) as parsed:
        return rows_of(parsed.batches)


def read_of(
    pool: ParsePool, path: Path, tools: Tools | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return a file's pages, and the chunks that are made of these pages."""
    with pool.read(path) as parsed:
        pages = list(parsed.batches)
    chunks = load_pipeline("standard", tools).run(DOCUMENT, iter(pages), name=path.name)
    return rows_of(pages), rows_of(chunks)


def rows_of(batches: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


def check(path: Path, pages: list[dict[str, Any]], chunks: list[dict[str, Any]]) -> None:
    """Check one document's chunks against its pages."""
    by_page: dict[int, list[dict[str, Any]]] = {p["page"]: [] for p in pages}
    for chunk in chunks:
        by_page[chunk["page"]].append(chunk)
    assert len({c["chunk_id"] for c in chunks}) == len(chunks)
    for page in pages:
        text, own = page["text"], by_page[page["page"]]
        assert text == text.strip()
        for name in ("lines", "paragraphs"):  # in their order, so that they can be looked up
            assert all(a["end"] <= b["start"] for a, b in itertools.pairwise(page[name]))
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
            check_spans(page, chunk)
            check_boxes(page, chunk, everywhere=path.suffix.lower() in LAID_OUT)


def touched_by(spans: list[dict[str, Any]], start: int, end: int) -> list[dict[str, Any]]:
    """Return those of ordered spans that share a code point with a range."""
    first = bisect.bisect_right(spans, start, key=itemgetter("end"))
    return spans[first : bisect.bisect_left(spans, end, key=itemgetter("start"))]


def check_chunk(page: dict[str, Any], chunk: dict[str, Any]) -> None:
    start, end = chunk["char_start"], chunk["char_end"]
    # P1: exact, in code points; numbers count from one.
    assert page["text"][start:end] == chunk["text"]
    assert 0 < chunk["char_count"] == end - start <= 2200
    for name in ("line", "paragraph"):
        first, last = chunk[f"{name}_start"], chunk[f"{name}_end"]
        touched = touched_by(page[f"{name}s"], start, end)
        assert 1 <= first <= last
        assert (touched[0]["number"], touched[-1]["number"]) == (first, last)
        covered = set()
        for span in touched:
            covered.update(range(span["start"], span["end"]))
        loose = [i for i in range(start, end) if i not in covered and not page["text"][i].isspace()]
        assert loose == []
    # P3: values computed from a chunk are in its row.
    assert (chunk["terms"], chunk["term_counts"]) == searchable_terms(chunk)
    assert sum(chunk["term_counts"]) == chunk["term_total"]
    assert set(index_terms(chunk["text"])) <= set(chunk["terms"])
    # P4, for a chunk: its place is completely known.
    for name in ("page_kind", "page_is_estimated", "extraction_method", "sheet_name"):
        assert chunk[name] == page[name]
    assert chunk["document_id"] == DOCUMENT
    assert chunk["extraction_method"] != "Skipped"
    assert (chunk["row_start"] is None) is (page["sheet_name"] is None)


def check_spans(page: dict[str, Any], chunk: dict[str, Any]) -> None:
    """P5: each value is exactly at its stated span."""
    for name in ("mentions", "dates", "amounts", "citations"):
        before = 0
        for span in chunk[name] or ():
            assert before <= span["start"] < span["end"] <= len(chunk["text"]), (name, span)
            assert chunk["text"][span["start"] : span["end"]] == span["text"]
            assert span["text"] == span["text"].strip()
            assert 0.0 <= span["confidence"] <= 1.0
            before = span["end"]
            check_narrowed(page, chunk, span["start"], span["end"])
    for date in chunk["dates"]:
        assert (date["first"] is None) is (date["last"] is None)
        if date["first"] is not None:
            assert date["first"] <= date["last"]
            assert date["value"] is not None


def check_narrowed(page: dict[str, Any], chunk: dict[str, Any], start: int, end: int) -> None:
    """P4 of a part of a chunk: its lines and paragraphs contain it, within those of the chunk."""
    result = narrowed(chunk | MOMENTS, Shelf(chunk), start, end)
    first, last = chunk["char_start"] + start, chunk["char_start"] + end
    assert (result.char_start, result.char_end) == (first, last)
    assert page["text"][first:last] == chunk["text"][start:end]
    for name in ("line", "paragraph"):
        touched = [span["number"] for span in touched_by(page[f"{name}s"], first, last)]
        low, high = getattr(result, f"{name}_start"), getattr(result, f"{name}_end")
        assert chunk[f"{name}_start"] <= low <= min(touched)
        assert max(touched) <= high <= chunk[f"{name}_end"]


class Shelf:
    """As much of a collection as the source of a chunk takes."""

    def __init__(self, chunk: dict[str, Any]) -> None:
        columns = ("document_id", "revision", "chunk_count", "source", "source_id", "source_url")
        row = dict.fromkeys(columns) | {"document_id": chunk["document_id"]}
        row |= {"name": "name", "path": "/name", "ingested_at": MOMENT}
        self.documents = Ledger(pa.Table.from_pylist([row]))


MOMENT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
OUTSIDE = "Hidden text outside of the visible page: "
BOOKMARK = "Bookmark: "
MOMENTS = {"created_at": MOMENT, "embedded_at": None}


def check_boxes(page: dict[str, Any], chunk: dict[str, Any], *, everywhere: bool) -> None:
    """Check P6 for rows: each line with a layout has one rectangle, on the page."""
    start, end = chunk["char_start"], chunk["char_end"]
    touched = touched_by(page["lines"], start, end)
    laid_out = [n for n in touched if n["x0"] is not None]
    assert [box["line"] for box in chunk["line_boxes"]] == [n["number"] for n in laid_out]
    if everywhere:
        # Text outside the visible page, and names of bookmarks that the page does not show, have no
        # box; they are the end of the page's text.
        places = [place for word in (OUTSIDE, BOOKMARK) if (place := page["text"].find(word)) >= 0]
        beside = [n for n in touched if n["x0"] is None and n["start"] >= min(places, default=inf)]
        assert len(laid_out) == len(touched) - len(beside)
    for box in chunk["line_boxes"]:
        assert box["x0"] < box["x1"]
        assert box["y0"] < box["y1"]
        # Letters and lines may extend slightly over the edge; none is completely outside.
        assert box["x0"] < page["page_width"]
        assert box["y0"] < page["page_height"]
        assert box["x1"] > 0
        assert box["y1"] > 0


def sample_files(folder: Path) -> list[Path]:
    known = {*known_extensions(), ""}  # mails have no extension
    return sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix.lower() in known)


def test_every_sample(pool: ParsePool, samples: Path) -> None:
    files = sample_files(samples)
    assert len(files) >= 14
    for path in files:
        pages, chunks = read_of(pool, path)
        check(path, pages, chunks)
        assert pages_of(pool, path) == pages, f"{path.name} reads differently the second time"


@pytest.mark.slow
def test_names_in_every_sample(pool: ParsePool, samples: Path, models_dir: Path) -> None:
    encoders = Encoders(models_dir)
    tools = Tools(None, encoders.get("mini"), names=encoders.names("mini"))
    result = 0
    for path in sample_files(samples)[::4]:
        pages, chunks = read_of(pool, path, tools)
        check(path, pages, chunks)
        result += sum(len(chunk["mentions"]) for chunk in chunks)
    assert result > 50


OWN = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "name",
    [
        "casetrack/search/search.py",
        "casetrack/api/viewer/sheet.js",
        "casetrack/store/sql/bm25.sql",
        "tests/parse/test_definitions.py",
    ],
)
def test_source_code(pool: ParsePool, name: str) -> None:
    path = OWN / name
    pages, chunks = read_of(pool, path)
    check(path, pages, chunks)
    defined = {part for chunk in chunks for part in chunk["heading_path"]}
    assert defined or path.name != "search.py"
    assert all(part in path.read_text(encoding="utf-8") for part in defined)


@pytest.mark.parametrize("name", FOLDERS)
def test_corpora(pool: ParsePool, corpus: Callable[[str], Path], name: str) -> None:
    """P1 to P6, as far as rows and words show them, over every file of the corpora; no OCR."""
    files, read, total, lost = sample_files(corpus(name)), 0, 0, list[str]()
    for path in files:
        try:
            pages, chunks = read_of(pool, path)
        except FileError:
            continue  # tests of the readers check the messages of such errors
        check(path, pages, chunks)
        read += 1
        if name in WITH_WORDS and path.suffix.lower() == ".pdf":
            words = native_words(path)
            for chunk in chunks:
                total += len(chunk["text"].split())
                lost += lost_words(chunk, words[chunk["page"]])
    assert read > len(files) / 2
    assert total > 1000 or name not in WITH_WORDS
    # The two part words differently here and there.
    assert len(lost) <= total / 100, lost[:50]


Rectangle = tuple[float, float, float, float]
Placed = tuple[Rectangle, str]


def native_words(path: Path) -> dict[int, list[Placed]]:
    """Return the words of each page of a PDF as its library places them."""
    import pymupdf

    with pymupdf.open(path) as pdf:
        return {
            number: [(tuple(word[:4]), word[4]) for word in page.get_text("words")]
            for number, page in enumerate(pdf, start=1)
        }


def recognised_words(path: Path, models: Path) -> dict[int, list[Placed]]:
    """Return the words of each page of a picture as the OCR engine places them, in points."""
    from casetrack.parse.image.reader import open_frames
    from casetrack.parse.ocr import read_image

    by_name = {}
    for frame in open_frames(path, 10).frames:
        page = read_image(frame.grey, frame.dpi, OcrSettings(), models_dir=models)
        by_name[frame.number] = [
            (tuple(side * frame.scale for side in (w.x0, w.y0, w.x1, w.y1)), w.text)
            for line in page.lines
            for w in line.words
        ]
    return by_name


def lost_words(chunk: dict[str, Any], words: list[Placed]) -> list[str]:
    """Return the words of a chunk that its boxes do not contain."""
    inside = {letters(text) for text in standing_in(chunk["line_boxes"], words)}
    # A word divided at a line end is in two boxes, in two parts.
    return [
        word
        for word in map(letters, chunk["text"].split())
        if word and word not in inside and not divided(word, inside)
    ]


def standing_in(boxes: list[dict[str, Any]], words: list[Placed]) -> list[str]:
    """Return the words whose middle is in one of the boxes, or a point outside it."""
    if not boxes or not words:
        return []
    places = np.array([place for place, _ in words])
    middles = (places[:, :2] + places[:, 2:]) / 2
    low = np.array([[(box["x0"] - 1, box["y0"] - 1)] for box in boxes])
    high = np.array([[(box["x1"] + 1, box["y1"] + 1)] for box in boxes])
    held = ((low <= middles) & (middles <= high)).all(axis=2).any(axis=0)
    return [text for (_, text), is_held in zip(words, held, strict=True) if is_held]


def test_words_inside_the_boxes_are_the_words_of_the_chunk(pool: ParsePool, samples: Path) -> None:
    for path in sorted(samples.rglob("*.pdf")):
        words = native_words(path)
        for chunk in read_of(pool, path)[1]:
            lost = lost_words(chunk, words[chunk["page"]])
            assert lost == [], f"{path.name}, p. {chunk['page']}"


@pytest.mark.parametrize(
    "name", ["phototest.tif", "eurotext.tif", pytest.param("devatest.png", marks=pytest.mark.slow)]
)
def test_recognised_words_inside_the_boxes_are_the_words_of_the_chunk(
    seeing_pool: ParsePool, corpus: Callable[[str], Path], models_dir: Path, name: str
) -> None:
    """P6 for pictures: the words are those of the engine, at the places that it gave them."""
    path = corpus("ocr/pages") / name
    pages, chunks = read_of(seeing_pool, path)
    check(path, pages, chunks)
    words = recognised_words(path, models_dir)
    assert chunks
    for chunk in chunks:
        assert chunk["extraction_method"] == "Ocr"
        assert lost_words(chunk, words[chunk["page"]]) == []


def letters(word: str) -> str:
    return re.sub(r"[\W_]+", "", word.replace("ﬁ", "fi").replace("ﬂ", "fl")).casefold()


def divided(word: str, inside: set[str]) -> bool:
    return any(word[:i] in inside and word[i:] in inside for i in range(1, len(word)))


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ([3, 4, 6, 8], [(3, 3), (3, 4), (4, 4), (6, 6), (8, 8)]),
        ([3, 3, 3, 8], [(3, 3), (3, 3), (3, 3), (3, 3), (8, 8)]),
        (None, [(3, 3), (3, 5), (5, 5), (6, 6), (8, 8)]),
    ],
)
def test_lines_of_a_part(stored: list[int] | None, expected: list[tuple[int, int]]) -> None:
    """Lines 3 to 8 of a text of four lines and two empty ones, with numbers left out or not."""
    text = "one\n\ntwo\ntri\n\nfour"
    whole = source(line_start=3, line_end=8, line_numbers=tuple(stored or ()), char_start=0)
    parts = [(0, 3), (0, 8), (5, 8), (9, 12), (14, 18)]
    actual = [narrow(whole, text, None, None, *part) for part in parts]
    assert [(one.line_start, one.line_end) for one in actual] == expected


def source(**changes: Any) -> Provenance:
    facts = {"document_name": "Q3 Report.v2.pdf", "page": 12, "paragraph_end": 8, "line_end": 4}
    return provenance(**facts | changes)


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
            {"sheet_name": "Costs", "row_start": 2, "row_end": 14}
            | {"column_start": 1, "column_end": 28},
            'Q3 Report.v2.pdf, sheet "Costs", rows 2-14, columns A-AB',
            'Q3 Report.v2, sheet "Costs"',
        ),
        (
            {"page_kind": "slide", "page": 3, "document_name": "Talk.pptx"},
            "Talk.pptx, slide 3, para. 8, ll. 1-4",
            "Talk, slide 3",
        ),
        (
            {"page_kind": "message", "page": 41, "document_name": "box.mbox", "line_end": 1},
            "box.mbox, message 41, para. 8, l. 1",
            "box, message 41",
        ),
        (
            {"page_kind": "section", "page": 2, "document_name": "book.epub"},
            "book.epub, section 2, para. 8, ll. 1-4",
            "book, section 2",
        ),
        ({"page_kind": "cell", "document_name": "a"}, "a, cell 12, para. 8, ll. 1-4", "a, cell 12"),
    ],
)
def test_citations(changes: dict[str, Any], full: str, short: str) -> None:
    result = source(**changes)
    assert (result.cite(), result.cite_short()) == (full, short)


@pytest.mark.parametrize(
    ("confidence", "is_doubtful"),
    [(None, False), (0.97, False), (DOUBTFUL_BELOW, False), (0.42, True)],
)
def test_recognised_text_says_how_sure_it_is(confidence: float | None, is_doubtful: bool) -> None:
    result = source(ocr_confidence=confidence)
    note = result.ocr_note()
    assert note is None if confidence is None else f"{confidence:.2f}" in str(note)
    assert result.is_doubtful is is_doubtful
    message = SOURCE.of(result)
    assert message["ocr_confidence"] == confidence
    assert message["ocr_warning"] == (note if is_doubtful else None)


def test_source_has_times_in_utc_and_ranges() -> None:
    message = SOURCE.of(
        source(
            embedded_at=None,
            ingested_at=MOMENT,
            row_start=3,
            row_end=3,
            column_start=2,
            column_end=4,
        )
    )
    assert message["document_ingested_at"] == "2026-03-04T05:06:07Z"
    assert message["chunk_embedded_at"] is None
    assert (message["row_range"], message["column_range"]) == ("3", "B-D")
    assert iso_utc(None) is None
