"""Types shared by all readers: pages with their text, lines and paragraphs.

``Reader.accepts`` checks the first bytes of a file, ``Reader.read`` opens it. Only
:class:`PageBuilder` normalizes page text, so offsets mean the same in every format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from casetrack.base.config import OcrSettings, ParseLimits
from casetrack.base.dataclass import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from casetrack.base.provenance import Box, HiddenSpan, PrintedPlace

ParagraphKind = Literal["body", "heading", "list", "quote", "table", "footnote", "code"]
PageKind = Literal["page", "slide", "sheet", "section", "cell"]
ExtractionMethod = Literal["Native", "Ocr", "Hybrid", "Spreadsheet", "Skipped"]


WITHIN = " > "
"""Separates the names of nested definitions, outermost first."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line: ``text[start:end]``, its 1-based number; position in points or as 1-based cells."""

    start: int
    end: int
    number: int
    box: Box | None = None
    row: int | None = None
    column_start: int | None = None
    column_end: int | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a page: ``text[start:end]`` and its 1-based number; headings have a level.

    *header* is the header row of a table whose rows do not repeat it, possibly from an earlier
    page. In source code it lists the enclosing definitions, joined by :data:`WITHIN`.
    *symbols* are the names that a paragraph of source code defines.
    """

    start: int
    end: int
    number: int
    kind: ParagraphKind = "body"
    level: int | None = None
    header: str | None = None
    symbols: tuple[str, ...] = ()


PlacedWord = tuple[float, float, float, float, str]
"""x0, y0, x1, y1 in displayed points, text: a word, or a character of a script without spaces."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page in normal form.

    Lines of *text* are joined by one newline, paragraphs by an empty line (in a sheet by one
    newline); it has no control characters except newline and tab. Lines and paragraphs are in
    order, without overlap, and cover every non-white-space character. *number* is 1-based; sizes
    are in points. *method* is ``"Skipped"`` for a page without readable text. *header* and *footer*
    are running lines that *text* omits because an earlier page has them; *hidden* are spans of
    *text* that a viewer does not show. *text* also omits line numbers and star pages in *printed*,
    but not Bates numbers. *native_page* and *native_line_first* (1-based, whole file) come from the
    file. *words* are unordered and may include words that *text* omits.
    """

    number: int
    text: str
    lines: tuple[Line, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    method: ExtractionMethod = "Native"
    width: float | None = None
    height: float | None = None
    is_estimated: bool = False
    sheet_name: str | None = None
    ocr_confidence: float | None = None
    ocr_engine: str | None = None
    kind: PageKind = "page"
    header: str | None = None
    footer: str | None = None
    printed: tuple[PrintedPlace, ...] = ()
    hidden: tuple[HiddenSpan, ...] = ()
    native_page: str | None = None
    native_line_first: int | None = None
    words: tuple[PlacedWord, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """Facts that a file states about itself; *page_count* is 0 if pages are not counted first."""

    format: str
    page_count: int
    title: str | None = None
    author: str | None = None
    created_at: datetime | None = None
    modified_at: datetime | None = None
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A copy (*path*) of a file inside a file; *name* is its safe relative path for display."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of the user for reading.

    *passwords* are tried in order; *models_dir* is an additional folder with data of OCR engines;
    *spool* is the folder for copies of attachments (``None`` disables copying).
    """

    passwords: tuple[str, ...] = ()
    ocr: OcrSettings = field(default_factory=OcrSettings)
    limits: ParseLimits = field(default_factory=ParseLimits)
    models_dir: Path | None = None
    spool: Path | None = None


DEFAULT_OPTIONS = ReadOptions()


@dataclass(frozen=True, slots=True)
class Reading:
    """An opened document: its facts, and its pages as a stream that extends the lists below.

    *warnings* are sentences for the user; with any sentence in *missing* (unreadable content), the
    document is partial.
    """

    info: DocumentInfo
    pages: Iterator[Page]
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileHead:
    """The data of a file by which a reader accepts it: lower-case extension, first bytes.

    *members* contains the lower-case names in a ZIP container or the known streams of an OLE
    container. *mark* names the format of the file's signature; ``None`` for text or unknown bytes.
    """

    path: Path
    extension: str
    head: bytes
    members: frozenset[str] = field(default_factory=frozenset)
    mark: str | None = None


class Reader(Protocol):
    """Reads one family of formats."""

    name: str
    """Displayed name of the format, such as ``PDF``."""
    extensions: tuple[str, ...]
    """Extensions it reads, lower case, with dot."""

    def accepts(self, file: FileHead, /) -> bool:
        """Return whether the content, not only the extension, fits this reader."""

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the file; raise ``FileEncrypted``, ``ParseFailed`` or ``ParseLimit``."""


MAX_BLANK = 64
"""Longest run of white space in a page text, in code points."""
