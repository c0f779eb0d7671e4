"""Papers to work on: a file, or a document of the case."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import DocumentNotFound, FileNotFound, NoText, WrongPathKind
from casetrack.base.provenance import Box, PrintedPlace
from casetrack.extract.papers.text import TextPage, WholeText

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.config import Settings
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import Document
    from casetrack.store.workspace import State

_WITH_COMMENTS = frozenset((".docx", ".odt", ".rtf", ".doc"))
_COMMENT = re.compile(r"(?<![^\n])Comment(?: by [^:\n]{1,80})?: (?:[^\n]|\n(?!\n))*")
"""The form of comments in the text of office files."""
_NO_BREAK = re.compile(r"[^\n]")
_DOUBTFUL = 0.9
"""Recognised text below this confidence gets a note."""


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A line of the paper: span in the whole text, page, and box in page points."""

    start: int
    end: int
    page: int
    box: Box


@dataclass(frozen=True)
class Draft:
    """A paper with its text."""

    name: str
    path: Path  # Original path for a document of the case; the file may be gone
    whole: WholeText
    # Lines with a place on a page; empty if the format has no layout.
    lines: tuple[DraftLine, ...] = ()
    document: Document | None = None
    page_kind: str = "page"  # page, slide, sheet, message, section or cell
    is_estimated: bool = False  # Whether page breaks are estimated
    ocr_confidence: float | None = None  # Mean confidence of recognised text, 0 to 1
    notes: tuple[str, ...] = ()

    @cached_property
    def margin_comments(self) -> tuple[tuple[int, int], ...]:
        """Start and end of margin comments, which are not text of the paper."""
        if self.path.suffix.lower() not in _WITH_COMMENTS:
            return ()
        return tuple(m.span() for m in _COMMENT.finditer(self.whole.text))

    @cached_property
    def words(self) -> WholeText:
        """The text with blanks instead of margin comments."""
        return self.without(self.margin_comments)

    def without(self, spans: Sequence[tuple[int, int]], /) -> WholeText:
        """Return the text with blanks instead of some spans, so that offsets stay valid."""
        pages = []
        for page, begin in zip(self.whole.pages, self.whole.starts, strict=True):
            text = page.text
            for start, end in spans:
                low, high = max(start - begin, 0), min(end - begin, len(text))
                if low < high:
                    text = text[:low] + _NO_BREAK.sub(" ", text[low:high]) + text[high:]
            pages.append(replace(page, text=text))
        return WholeText(tuple(pages))

    def boxes(self, start: int, end: int, /) -> dict[int, tuple[Box, ...]]:
        """Return the boxes of the lines of ``whole.text[start:end]`` by page, in page points.

        The result is empty if the format has no layout.
        """
        boxes: dict[int, tuple[Box, ...]] = {}
        for line in self.lines[
            max(0, bisect_right(self.lines, start, key=lambda x: x.start) - 1) :
        ]:
            if line.start >= end:
                break
            if line.end > start:
                boxes[line.page] = (*boxes.get(line.page, ()), line.box)
        return boxes


def read_draft(
    named: str | Path,
    /,
    *,
    settings: Settings,
    collection: Collection | None = None,
    passwords: Sequence[str] = (),
) -> Draft:
    """Read a paper: the file at a path, or else a document of the case.

    Parameters
    ----------
    named
        Path of a file; or the name, path or id of a document of *collection*. A file has
        precedence, because it will be filed.
    collection
        The case; if ``None``, only files are accepted.
    passwords
        Passwords for a protected file.

    Raises
    ------
    FileNotFound
        There is no such file or document.
    FileEncrypted, UnsupportedFormat, NoText, FileError
        The file cannot be read, or has no text.
    AmbiguousName
        Several documents of the case match.
    """
    path = Path(named).expanduser()
    if path.is_file():
        return _of_file(path.absolute(), settings, passwords)
    if path.is_dir():
        raise WrongPathKind(
            f"{path} is a folder, not a paper.", hint="Name the file of a brief or motion."
        )
    if collection is None:
        raise FileNotFound(path)
    try:
        return collection.workspace.ask(lambda state: _of_case(state, str(named)))
    except DocumentNotFound as error:
        raise FileNotFound(
            f"{path} (and the case {collection.name!r} has no document with this name)"
        ) from error


# --- a file ------------------------------------------------------------------------------------


def _of_file(path: Path, settings: Settings, passwords: Sequence[str]) -> Draft:
    from casetrack.ingest.intake import read_options
    from casetrack.parse.workers.pool import ParsePool

    reading = read_options(settings, passwords)
    rows: list[dict[str, Any]] = []
    with ParsePool(reading.limits, 1, options=reading) as pool, pool.read(path) as parsed:
        for batch in parsed.batches:
            rows += batch.to_pylist()
        notes = [*parsed.warnings, *parsed.missing]
    if not any(row["text"].strip() for row in rows):
        raise NoText(path)
    whole = WholeText(tuple(_text_page(row) for row in rows))
    sure = [row["ocr_confidence"] for row in rows if row["ocr_confidence"] is not None]
    return Draft(
        name=path.name,
        path=path,
        whole=whole,
        lines=tuple(_lines(rows, whole)),
        page_kind=rows[0]["page_kind"],
        is_estimated=any(row["page_is_estimated"] for row in rows),
        ocr_confidence=sum(sure) / len(sure) if sure else None,
        notes=(*notes, *_ocr_note(sure)),
    )


def _text_page(row: Mapping[str, Any]) -> TextPage:
    printed = (PrintedPlace(**place) for place in row["printed"] or ())
    blocks, notes = (
        tuple((p["start"], p["end"]) for p in row["paragraphs"] if p["kind"] == kind)
        for kind in ("quote", "footnote")
    )
    is_estimated = row["page_is_estimated"]
    return TextPage(row["page"], row["text"], tuple(printed), blocks, is_estimated, notes)


def _lines(rows: Sequence[Mapping[str, Any]], whole: WholeText) -> Iterator[DraftLine]:
    for row, offset in zip(rows, whole.starts, strict=True):
        for line in row["lines"]:
            if line["x0"] is not None:
                box = Box(line["x0"], line["y0"], line["x1"], line["y1"])
                yield DraftLine(offset + line["start"], offset + line["end"], row["page"], box)


def _ocr_note(sure: Sequence[float]) -> list[str]:
    """Return a note on the confidence of recognised text."""
    if not sure:
        return []
    pages = "1 page was" if len(sure) == 1 else f"{len(sure):,} pages were"
    mean = sum(sure) / len(sure)
    advice = " Compare citations with the paper." if mean < _DOUBTFUL else ""
    return [f"{pages} read from a scan, with a mean confidence of {mean:.0%}.{advice}"]


# --- a document of the case --------------------------------------------------------------------


def _of_case(state: State, named: str) -> Draft:
    from casetrack.store.passages import whole_text

    document = state.document(named)
    chunks = state.chunks_of(document)
    if not chunks:
        raise NoText(document.name)
    whole = whole_text(state.snapshot, document.document_id)
    starts = {p.number: at for p, at in zip(whole.pages, whole.starts, strict=True)}
    lines: dict[tuple[int, int], DraftLine] = {}
    for chunk in chunks:
        p = chunk.provenance
        offset = starts[p.page] + p.char_start
        for start, end, box in _chunk_lines(chunk.text, p):
            line = DraftLine(offset + start, offset + end, p.page, box)
            lines.setdefault((p.page, line.start), line)
    places = [chunk.provenance for chunk in chunks]
    # Each chunk of a page has the confidence of the page.
    pages = {p.page: p.ocr_confidence for p in places if p.ocr_confidence is not None}
    sure = list(pages.values())
    return Draft(
        name=document.name,
        path=Path(document.path),
        whole=whole,
        lines=tuple(sorted(lines.values(), key=lambda x: x.start)),
        document=document,
        page_kind=places[0].page_kind or "page",
        is_estimated=any(p.page_is_estimated for p in places),
        ocr_confidence=sum(sure) / len(sure) if sure else None,
        notes=tuple(_ocr_note(sure)),
    )


def _chunk_lines(text: str, where: Provenance) -> Iterator[tuple[int, int, Box]]:
    """Yield start, end and box of the lines of a chunk whose box is certain."""
    boxes = {b.line: b.box for b in where.line_boxes}
    spans, at = [], 0
    for line in text.split("\n"):
        spans.append((at, at + len(line)))
        at += len(line) + 1
    count = where.line_end - where.line_start + 1
    if count != len(spans):
        # An empty line separates paragraphs; in most formats it is not a line of the page.
        spans = [(start, end) for start, end in spans if text[start:end].strip()]
    if count == len(spans):
        for number, (start, end) in enumerate(spans, where.line_start):
            if number in boxes:
                yield start, end, boxes[number]
