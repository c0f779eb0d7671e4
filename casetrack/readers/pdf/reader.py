"""Reads PDF with PyMuPDF: the only importer of it.

Text is taken as MuPDF finds it (ligatures expanded, invisible text layers of scans included); the
order of columns, lines and paragraphs is this package's own (``columns``, ``lines``, ``blocks``).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.errors import FileEncrypted, ParseFailed
from casetrack.provenance import Box
from casetrack.readers.base import (
    DEFAULT_OPTIONS,
    DocumentInfo,
    FileHead,
    Page,
    Reading,
    ReadOptions,
)
from casetrack.readers.layout.blocks import BlockFinder, TextProfile, outline_key
from casetrack.readers.layout.columns import reading_order
from casetrack.readers.layout.hyphens import Vocabulary, join_line_ends
from casetrack.readers.layout.lines import visual_lines
from casetrack.readers.layout.segments import Piece, Segment, piece_text
from casetrack.readers.numbering import number_list
from casetrack.readers.page_builder import PageBuilder, SourceLine, clean_title

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HEADER_WITHIN = 1024
_OBJECT = re.compile(rb"\d+\s+\d+\s+obj\b")
_PRESERVE_WHITESPACE = 2
_MADE_UP_SPACE = 512
_BOLD = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)
_SOFT_HYPHEN = "\u00ad"
_SAMPLE_PAGES = 64
_UNREADABLE_SHARE = 0.5


class PdfReader:
    """PDF, with text layer; pages without one are counted and named in a warning."""

    name = "PDF"
    extensions: tuple[str, ...] = (".pdf",)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a PDF header near the start, or objects of a file whose header is lost."""
        if b"%PDF-" in file.head[:_HEADER_WITHIN]:
            return True
        return file.mark is None and _OBJECT.search(file.head) is not None

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the file; see :class:`casetrack.readers.base.Reader`."""
        document = _open(path)
        info = document.metadata or {}
        warnings: list[str] = []
        if document.is_repaired:
            warnings.append("The file is damaged; it was repaired as far as possible.")
        return Reading(
            DocumentInfo(
                "pdf",
                document.page_count,
                title=clean_title(info.get("title")),
                author=clean_title(info.get("author")),
            ),
            _PdfPages(path, document, warnings).read(),
            warnings,
        )


class _Nowhere:
    """A stream that drops what is written to it."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """Do nothing: nothing is kept."""


@functools.cache
def _silenced() -> Any:
    """Import PyMuPDF so that it prints nothing: its messages go to standard output by default."""
    import pymupdf as module

    pymupdf: Any = module
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.set_messages(stream=_Nowhere())
    return pymupdf


def _failures(pymupdf: Any) -> tuple[type[BaseException], ...]:
    """Return what PyMuPDF raises on damaged files."""
    return (RuntimeError, ValueError, TypeError, KeyError, IndexError, pymupdf.mupdf.FzErrorBase)


def _check_memory(error: BaseException) -> None:
    if "malloc" in str(error) or "out of memory" in str(error):
        raise MemoryError from error


def _open(path: Path) -> Any:
    pymupdf = _silenced()
    try:
        document = _open_file(pymupdf, path)
        if document.needs_pass:
            raise FileEncrypted(path)
        count = document.page_count
    except _failures(pymupdf) as error:
        _check_memory(error)
        raise ParseFailed(path, "PDF", _words(error)) from error
    if not document.is_pdf:
        raise ParseFailed(path, "PDF", "its content is not that of a PDF")
    if count < 1:
        raise ParseFailed(path, "PDF", "it has no pages")
    return document


def _open_file(pymupdf: Any, path: Path) -> Any:
    """Open by name, so that a large file is not held in memory, where MuPDF can take the name."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return pymupdf.open(stream=path.read_bytes(), filetype="pdf")
    return pymupdf.open(str(path), filetype="pdf")


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


@dataclass(slots=True)
class _Extract:
    """What one page holds: its size, its text by direction, and whether anything is drawn."""

    width: float
    height: float
    flows: list[list[Segment]] = field(default_factory=list)
    loose: list[Segment] = field(default_factory=list)
    lost: int = 0
    chars: int = 0
    failure: str | None = None
    is_blank: bool = False

    @property
    def is_unreadable(self) -> bool:
        return self.chars > 0 and self.lost > _UNREADABLE_SHARE * self.chars


class _PdfPages:
    """Produces the pages of one document."""

    def __init__(self, path: Path, document: Any, warnings: list[str]) -> None:
        self._path = path
        self._document = document
        self._warnings = warnings
        self._kept: dict[int, _Extract] = {}
        self._words = Vocabulary()
        self._missing: dict[str, list[int]] = {}

    def read(self) -> Iterator[Page]:
        count = self._document.page_count
        try:
            finder = BlockFinder(self._sample(count), self._outline())
            for index in range(count):
                extract = self._kept.pop(index, None) or self._extract(index)
                yield self._page(index + 1, extract, finder)
        finally:
            self._document.close()
        self._report(count)

    def _sample(self, count: int) -> TextProfile:
        """Look at pages spread over the document: usual font sizes, and its words."""
        # Evenly spread; all pages of a short document.
        taken = min(count, _SAMPLE_PAGES)
        sampled = sorted({i * count // taken for i in range(taken)})
        segments: list[Segment] = []
        for index in sampled:
            extract = self._kept[index] = self._extract(index)
            for s in (*(s for flow in extract.flows for s in flow), *extract.loose):
                segments.append(s)
                self._words.add(s.text)
        return TextProfile.of(segments)

    def _outline(self) -> dict[str, int]:
        pymupdf = _silenced()
        try:
            entries = self._document.get_toc(simple=True)
        except _failures(pymupdf) as error:
            _check_memory(error)
            self._warnings.append(f"The outline is damaged and was left out: {_words(error)}")
            return {}
        return {outline_key(title): max(level, 1) for level, title, _ in reversed(entries)}

    def _extract(self, index: int) -> _Extract:
        pymupdf = _silenced()
        try:
            page = self._document[index]
            extract = _Extract(page.rect.width, page.rect.height)
            raw = page.get_text("dict", flags=_PRESERVE_WHITESPACE)
            if _has_soft_hyphens(raw):
                raw = _with_drawn_hyphens(page.get_text("rawdict", flags=_PRESERVE_WHITESPACE))
            _collect(raw, page.rotation_matrix, extract)
            if not extract.chars:
                extract.is_blank = not page.get_bboxlog()
        except _failures(pymupdf) as error:
            _check_memory(error)
            return _Extract(0.0, 0.0, failure=_words(error))
        return extract

    def _page(self, number: int, extract: _Extract, finder: BlockFinder) -> Page:
        builder = PageBuilder(number, width=extract.width or None, height=extract.height or None)
        if extract.failure is not None:
            self._missing.setdefault(f"could not be read: {extract.failure}", []).append(number)
        elif extract.is_unreadable:
            self._missing.setdefault("fonts", []).append(number)
        elif extract.chars:
            self._fill(builder, extract, finder)
        else:
            self._missing.setdefault("blank" if extract.is_blank else "scan", []).append(number)
        return builder.build()

    def _fill(self, builder: PageBuilder, extract: _Extract, finder: BlockFinder) -> None:
        lines = []
        region = 0
        for flow in (*extract.flows, *([s] for s in extract.loose)):
            for part in reading_order(flow):
                lines += visual_lines(part, region)
                region += 1
        for line in lines:
            self._words.add(line.text)
        numbers = {id(line): i for i, line in enumerate(lines, start=1)}
        join_line_ends(lines, self._words)
        for block in finder.find(lines):
            builder.paragraph(
                [
                    SourceLine(line.text, numbers[id(line)], line.box, confidence=line.confidence)
                    for line in block.lines
                ],
                kind=block.kind,
                level=block.level,
                header=block.header,
            )

    def _report(self, count: int) -> None:
        """Say which pages have no text, and why."""
        for reason, numbers in self._missing.items():
            many = len(numbers) > 1
            subject = f"{'Pages' if many else 'Page'} {number_list(numbers)}"
            if reason == "scan":
                text = (
                    f"{'have' if many else 'has'} no text layer ({'scans' if many else 'a scan'}?)"
                )
            elif reason == "blank":
                text = f"{'are' if many else 'is'} blank"
            elif reason == "fonts":
                text = (
                    f"{'have' if many else 'has'} text in fonts that do not say "
                    "which letters they show"
                )
            else:
                text = reason
            self._warnings.append(f"{subject} {text}.")
        failed = sum(len(n) for r, n in self._missing.items() if r.startswith("could not"))
        if failed == count:
            reason = next(r for r in self._missing if r.startswith("could not"))
            raise ParseFailed(self._path, "PDF", f"no page {reason}")


def _collect(raw: dict[str, Any], rotation: Any, extract: _Extract) -> None:
    """Sort the lines that MuPDF found by direction; the direction of most text comes first."""
    turn = tuple(rotation)
    flows: dict[tuple[int, int], list[Segment]] = {}
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            segment = _segment(line, turn)
            if segment is None or not _is_on_page(segment.box, extract):
                continue
            stripped = segment.text.replace(" ", "")
            extract.chars += len(stripped)
            extract.lost += stripped.count("\ufffd")
            dx, dy = line["dir"]
            if max(abs(dx), abs(dy)) < 0.996:
                extract.loose.append(segment)
            else:
                flows.setdefault((round(dx), round(dy)), []).append(segment)
    weights = {key: sum(len(s.text) for s in flow) for key, flow in flows.items()}
    extract.flows = [flows[key] for key in sorted(flows, key=lambda k: (-weights[k], k))]


def _is_on_page(box: Box, extract: _Extract) -> bool:
    """Tell whether any of a line is on the page: cutting lines at its edge would break words."""
    return box.x0 < extract.width and box.x1 > 0 and box.y0 < extract.height and box.y1 > 0


def _segment(line: dict[str, Any], turn: tuple[float, ...]) -> Segment | None:
    spans = line["spans"]
    if not spans:
        return None
    dx, dy = line["dir"]
    pieces = []
    for span in spans:
        u0, _, u1, _ = _upright(span["bbox"], dx, dy)
        x, y = span["origin"]
        made_up = bool(span["char_flags"] & _MADE_UP_SPACE)
        pieces.append(Piece(span["text"], u0, u1, span["size"], dx * y - dy * x, made_up))
    text = _mend(piece_text(pieces))
    if not text or text.isspace():
        return None
    main = max(range(len(spans)), key=lambda i: (len(pieces[i].text.strip()), -i))
    u0, v0, u1, v1 = _upright(line["bbox"], dx, dy)
    bold = all(
        span["flags"] & 16 or _BOLD.search(span["font"])
        for span in spans
        if any(map(str.isalpha, span["text"]))
    )
    return Segment(
        text,
        u0,
        v0,
        u1,
        v1,
        pieces[main].base,
        pieces[main].size or (v1 - v0) or 1.0,
        bold,
        _shown(line["bbox"], turn),
    )


def _mend(text: str) -> str:
    """Undo a look-alike: U+037E, the Greek question mark, is canonically equal to ``;``.

    Fonts that show both with one glyph often name it by the wrong one.
    """
    return text.replace("\u037e", ";") if "\u037e" in text else text


def _has_soft_hyphens(raw: dict[str, Any]) -> bool:
    return any(
        _SOFT_HYPHEN in span["text"]
        for block in raw["blocks"]
        for line in block.get("lines", ())
        for span in line["spans"]
    )


def _with_drawn_hyphens(raw: dict[str, Any]) -> dict[str, Any]:
    """Give each span its text, with soft hyphens that take up room within a line as hyphens.

    Some programs name every hyphen they draw by U+00AD, others leave soft hyphens without a glyph
    in the text; only the width tells. At a line's end it stays, so that the word is joined.
    """
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            chars = [char for span in line["spans"] for char in span["chars"]]
            if chars and chars[-1]["c"] == _SOFT_HYPHEN:
                chars.pop()
            for char in chars:
                x0, y0, x1, y1 = char["bbox"]
                if char["c"] == _SOFT_HYPHEN and max(x1 - x0, y1 - y0) > 0:
                    along = abs((x1 - x0) * line["dir"][0]) + abs((y1 - y0) * line["dir"][1])
                    char["c"] = "-" if along > 0.1 * (y1 - y0 + x1 - x0) else ""
            for span in line["spans"]:
                span["text"] = "".join(char["c"] for char in span["chars"])
    return raw


def _upright(
    box: tuple[float, float, float, float], dx: float, dy: float
) -> tuple[float, float, float, float]:
    """Return a rectangle in the frame of its text: u along the direction, v across it."""
    x0, y0, x1, y1 = box
    if dx == 1.0 and dy == 0.0:
        return box
    us = [x * dx + y * dy for x in (x0, x1) for y in (y0, y1)]
    vs = [y * dx - x * dy for x in (x0, x1) for y in (y0, y1)]
    return min(us), min(vs), max(us), max(vs)


def _shown(box: tuple[float, float, float, float], turn: tuple[float, ...]) -> Box:
    """Return a rectangle of the page as shown: its /Rotate applied."""
    a, b, c, d, e, f = turn
    x0, y0, x1, y1 = box
    if b == 0.0 and c == 0.0 and a == d == 1.0:
        return Box(x0 + e, y0 + f, x1 + e, y1 + f)
    xs = (x0 * a + y0 * c + e, x1 * a + y1 * c + e)
    ys = (x0 * b + y0 * d + f, x1 * b + y1 * d + f)
    return Box(min(xs), min(ys), max(xs), max(ys))
