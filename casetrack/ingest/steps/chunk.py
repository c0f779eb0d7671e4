"""Step ``chunk``: from pages to chunks with their complete provenance."""

from __future__ import annotations

import bisect
import hashlib
import itertools
import math
import re
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.dataclass import asdict, dataclass
from casetrack.base.provenance import PrintedPlace, line_numbers
from casetrack.extract.papers.places import printed_words
from casetrack.ingest.steps.base import Contract, attempt
from casetrack.ingest.steps.chunking import ChunkRules, CodeEnds, PageWords, cut, line_boxes
from casetrack.parse.base import WITHIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.ingest.steps.base import Batches

_NEEDS = (
    *"document_id document_name document_title page page_kind page_header page_footer".split(),
    *"page_is_estimated text lines paragraphs printed hidden words mail_headers".split(),
    *"heading_path sheet_name page_width page_height extraction_method language".split(),
)
_ADDS = (
    *"chunk_id document_id document_name document_title text char_count text_hash page".split(),
    *"page_kind page_header page_footer printed printed_place hidden mail_headers".split(),
    *"page_is_estimated paragraph_start paragraph_end line_start line_end line_numbers".split(),
    *"char_start char_end heading_path symbols paragraphs table_header sheet_name".split(),
    *"row_start row_end column_start column_end line_boxes page_width page_height".split(),
    *"extraction_method ocr_confidence language".split(),
)
_PARAGRAPH = ("start", "end", "number", "kind", "level")
_COPIED = (
    *"document_id document_name document_title page page_kind page_header page_footer".split(),
    *"mail_headers page_is_estimated sheet_name page_width page_height extraction_method".split(),
    *"language".split(),
)
"""Columns copied from the page to its chunks."""
_OPENING = 80
"""Characters at the top of a page in which a short paragraph is a heading of the text."""
_UNDERLINE = re.compile(r"^([!-/:-@\[-`{-~])\1{2,} | ([!-/:-@\[-`{-~])\2{2,}$")
"""Underlines and overlines of titles in plain text."""
_NO_WORDS = PageWords()
_attempt = partial(attempt, stage="chunk")
_UNPRINTED = {"printed": None, "printed_place": None}
_NO_CELLS: dict[str, int | None] = dict.fromkeys(
    ("row_start", "row_end", "column_start", "column_end")
)
_READ = ("document_id", "page", "text", "lines", "paragraphs", "printed", "hidden", "heading_path")
"""Columns of ``pages`` that determine the cuts."""


@dataclass(frozen=True, slots=True)
class ChunkStep:
    """Cuts every page into chunks; chunks never cross a page."""

    rules: ChunkRules
    contract = Contract("chunk", 11, "pages", "chunks", _NEEDS, _ADDS)

    @property
    def fingerprint(self) -> str:
        """The sizes."""
        return repr(sorted(asdict(self.rules).items()))

    def __call__(self, batches: Batches, /) -> Batches:
        """Yield one batch of chunks per batch of pages that has any."""
        out = schema.table("chunks").arrow(_ADDS)
        made = schema.table("chunks").arrow(name for name in _ADDS if name not in _COPIED)
        for batch in batches:
            rows: list[dict[str, Any]] = []
            pages: list[int] = []
            for number, page in enumerate(batch.select(_READ).to_pylist()):
                chunks = list(chunk_page(page, self.rules, PageWords(batch["words"][number])))
                rows += chunks
                pages += [number] * len(chunks)
            if rows:
                own = pa.RecordBatch.from_pylist(rows, schema=made)
                copied = batch.select(_COPIED).take(pa.array(pages, pa.int32()))
                columns = [copied[n] if n in _COPIED else own[n] for n in out.names]
                yield pa.RecordBatch.from_arrays(columns, schema=out)


def chunk_id(document_id: str, page: int, char_start: int, text: str, /) -> str:
    """Return the id of a chunk: it changes only with its document, its offset or its text."""
    return str(uuid.uuid5(uuid.UUID(document_id), f"{page}:{char_start}:{text_hash(text)}"))


def text_hash(text: str, /) -> str:
    """Return the SHA-256 of a text in UTF-8, hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def chunk_page(
    page: dict[str, Any], rules: ChunkRules, words: PageWords = _NO_WORDS, /
) -> Iterator[dict[str, Any]]:
    """Yield the chunks of one row of ``pages`` as rows of ``chunks``, without the page's facts."""
    text = page["text"]
    paragraphs = page["paragraphs"]
    # A cut right after a heading would separate it from its text.
    breaks = [p["end"] for p in paragraphs if p["kind"] != "heading"]
    code = _attempt("code", partial(_code, page), None)
    headings = _attempt("headings", partial(_Headings, page), None)
    previous_end = 0
    for start, end in cut(text, breaks, rules, code):
        body = text[start:end]
        lines = _touching(page["lines"], start, end)
        touched = _touching(paragraphs, start, end)
        yield {
            "chunk_id": chunk_id(page["document_id"], page["page"], start, body),
            "text": body,
            "char_count": len(body),
            "text_hash": text_hash(body),
            "char_start": start,
            "char_end": end,
            "paragraph_start": touched[0]["number"],
            "paragraph_end": touched[-1]["number"],
            "line_start": lines[0]["number"],
            "line_end": lines[-1]["number"],
            "line_numbers": _attempt("line_numbers", partial(_numbers, body, lines), None),
            "heading_path": _attempt(
                "headings", partial(_heading_path, headings, max(start, previous_end), end), []
            ),
            "symbols": [s for p in touched if p["start"] >= start for s in p.get("symbols") or ()]
            or None,
            "paragraphs": [{n: p[n] for n in _PARAGRAPH} for p in touched],
            **_attempt("printed", partial(_printed, page["printed"] or [], start, end), _UNPRINTED),
            "hidden": _attempt("hidden", partial(_clipped, page["hidden"], start, end), None),
            "table_header": _attempt(
                "table_header", partial(_table_header, touched, text, start, end), None
            ),
            "ocr_confidence": _attempt("ocr_confidence", partial(_confidence, lines), None),
            **_attempt("cells", partial(_cells, lines), _NO_CELLS),
            "line_boxes": _attempt(
                "line_boxes", partial(line_boxes, text, lines, words, start, end), []
            ),
        }
        previous_end = end


def _numbers(text: str, lines: list[dict[str, Any]]) -> list[int] | None:
    numbers = [line["number"] for line in lines]
    return None if numbers == line_numbers(text, numbers[0], numbers[-1]) else numbers


def _heading_path(headings: _Headings | None, position: int, end: int) -> list[str]:
    return [] if headings is None else headings.at(position, end)


def _table_header(touched: list[dict[str, Any]], text: str, start: int, end: int) -> str | None:
    """Return the header of a table in which a chunk begins, if the header is before the chunk."""
    first = touched[0]
    header: str | None = first["header"]
    if header is None or first["kind"] != "table":
        return None
    # The header may have other spaces between its cells in the text.
    return None if "".join(header.split()) in "".join(text[start:end].split()) else header


def _confidence(lines: list[dict[str, Any]]) -> float | None:
    """Return the mean over the recognised lines, weighted by length."""
    known = [(n["confidence"], n["end"] - n["start"]) for n in lines if n["confidence"] is not None]
    total = sum(length for _, length in known)
    return sum(value * length for value, length in known) / total if total else None


def _touching(spans: list[dict[str, Any]], start: int, end: int) -> list[dict[str, Any]]:
    """Return the spans that share at least one character with ``[start, end)``."""
    first = bisect.bisect_right(spans, start, key=lambda s: s["end"])
    last = bisect.bisect_left(spans, end, key=lambda s: s["start"])
    return spans[first:last]


def _code(page: dict[str, Any]) -> CodeEnds | None:
    """Return the preferred cuts of source code; ``None`` for prose."""
    paragraphs = page["paragraphs"]
    if not paragraphs or any(p["kind"] != "code" for p in paragraphs):
        return None
    starts = [b["start"] for a, b in itertools.pairwise(paragraphs) if a["header"] != b["header"]]
    ends = [page["text"].rfind("\n", 0, start) + 1 for start in starts]
    return CodeEnds(ends, [line["end"] for line in page["lines"]])


def _enclosing(page: dict[str, Any], start: int, end: int) -> list[str]:
    """Return the definitions that enclose all source code between two offsets."""
    inside = [p for p in page["paragraphs"] if start <= p["start"] < end]
    inside = inside or _touching(page["paragraphs"], start, end)
    paths = [p["header"].split(WITHIN) if p["header"] else [] for p in inside]
    shared = itertools.takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return [names[0] for names in shared]


class _Headings:
    """The headings at each position of a page, collected once for all its chunks."""

    def __init__(self, page: dict[str, Any]) -> None:
        paragraphs = page["paragraphs"]
        self._page = page
        self._is_code = any(p["kind"] == "code" and p["header"] for p in paragraphs)
        self._own = [p for p in paragraphs if p["kind"] == "heading"]
        self._others = [p for p in paragraphs if p["kind"] != "heading"]
        self._title = _title_of_table(paragraphs)
        first = self._own[0]["start"] if self._own else 0
        self._first = first if first <= _OPENING else 0

    def at(self, position: int, end: int) -> list[str]:
        """Return the headings that apply at *position*, including those that start there.

        In source code they are the definitions that enclose *position* to *end*. The title of a
        table that fills a page, such as a statement, applies to the whole page.
        """
        if self._is_code:
            return _enclosing(self._page, position, end)
        # A company name above the title does not end the title's scope.
        place = max(position, self._first)
        following = bisect.bisect_right(self._others, place, key=lambda p: p["end"])
        stop = self._others[following]["start"] if following < len(self._others) else math.inf
        path: list[tuple[int, str]] = list(enumerate(self._page["heading_path"], start=1))
        above = 0
        for paragraph in itertools.takewhile(lambda p: p["start"] < stop, self._own):
            level = max(paragraph["level"] or 1, above)
            path = [entry for entry in path if entry[0] < level]
            heading = " ".join(self._page["text"][paragraph["start"] : paragraph["end"]].split())
            heading = _UNDERLINE.sub("", heading) or heading
            path.append((level, heading))
            if paragraph is self._title:
                above = level + 1
        return [heading for _, heading in path]


def _title_of_table(paragraphs: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the heading directly above a table at the top of a page, ignoring units and dates."""
    title = None
    for paragraph in paragraphs:
        if paragraph["kind"] == "heading":
            if paragraph["start"] > _OPENING:
                return None
            title = paragraph
        elif paragraph["kind"] == "table":
            return title
        elif paragraph["end"] - paragraph["start"] > _OPENING:
            return None
    return None


def _printed(places: list[dict[str, Any]], start: int, end: int) -> dict[str, Any]:
    """Return the printed places within a chunk, as spans and as text."""
    touched = [
        PrintedPlace(p["kind"], p["label"], max(p["start"] - start, 0), min(p["end"], end) - start)
        for p in places
        if p["start"] < end and p["end"] > start
    ]
    return {
        "printed": [asdict(place) for place in touched] or None,
        "printed_place": printed_words(touched, 0, end - start),
    }


def _clipped(
    spans: list[dict[str, Any]] | None, start: int, end: int
) -> list[dict[str, Any]] | None:
    """Return the parts of spans within a chunk, in code points of the chunk's text."""
    return [
        s | {"start": max(s["start"] - start, 0), "end": min(s["end"], end) - start}
        for s in spans or ()
        if s["start"] < end and s["end"] > start
    ] or None


def _cells(lines: list[dict[str, Any]]) -> dict[str, int | None]:
    rows = [n["row"] for n in lines if n["row"] is not None]
    if not rows:
        return _NO_CELLS
    return {
        "row_start": min(rows),
        "row_end": max(rows),
        "column_start": min(n["column_start"] for n in lines),
        "column_end": max(n["column_end"] for n in lines),
    }
