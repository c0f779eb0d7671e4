"""What every reader gives: pages with their text, lines and paragraphs.

A reader has two methods: ``accepts`` looks at the first bytes, ``read`` opens the file. Page texts
have one normal form, made by :class:`PageBuilder`, so that chunks can tile them and a citation
means the same thing in every format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from casetrack.base.config import OcrSettings, ParseLimits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from casetrack.base.provenance import Box, HiddenSpan, PrintedPlace

ParagraphKind = Literal["body", "heading", "list", "quote", "table", "footnote", "code"]
PageKind = Literal["page", "slide", "sheet", "message", "section"]
ExtractionMethod = Literal["Native", "Ocr", "Hybrid", "Spreadsheet", "Skipped"]


WITHIN = " > "
"""Stands between the names of definitions, each of which stands in the one before."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: ``text[start:end]``, its 1-based number, and where it stands.

    *box* is in page points; *row*, *column_start* and *column_end* are 1-based sheet cells;
    *confidence* (0 to 1) is that of recognised text.
    """

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

    *header* is the header row in force in a table whose rows do not name their columns themselves:
    also where it stands on an earlier page. In source code it names the functions and classes that
    the paragraph stands in, outermost first, joined by :data:`WITHIN`.
    """

    start: int
    end: int
    number: int
    kind: ParagraphKind = "body"
    level: int | None = None
    header: str | None = None


PlacedWord = tuple[float, float, float, float, str]
"""What stands between two blanks, or a letter of a script without them: its rectangle on the page
as shown (x0, y0, x1, y1 in points), and itself as it is drawn."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page in normal form.

    Attributes
    ----------
    number
        1-based; the sheet's position for spreadsheets.
    text
        Lines joined by one newline, paragraphs by an empty line (in a sheet, where each row is
        both, by one newline); no white space at either end,
        no control characters but newline and tab, no run of white space longer than
        :data:`MAX_BLANK` characters.
    lines, paragraphs
        In order, without overlap; every non-white-space character lies in exactly one of each.
    width, height
        Page size in points as shown, or ``None``.
    method
        ``"Skipped"`` for a page on which no text could be read.
    kind
        What a citation calls it: a page, a slide, a sheet, a message, a section.
    header, footer
        Running head and foot, where they were recognised and left out of *text* because an
        earlier page has them already.
    ocr_confidence, ocr_engine
        Mean confidence (0 to 1) of the recognised part of the text, and what recognised it.
    printed
        Places printed on the paper: numbers of lines, of the page where they are not *number*,
        star pages, Bates numbers. The numbers of lines and star pages are not in *text*.
    hidden
        Parts of *text* that a reader of the file does not see.
    native_page
        What the file itself calls the page, where a reader knows it.
    native_line_first
        1-based number of its first line counted through the file, where a reader knows it.
    mail_headers
        Of a message in a mailbox: header fields that place it in its thread, by name.
    words
        Where its words stand, in no order that counts; they may be more than those of *text*.
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
    mail_headers: tuple[tuple[str, str], ...] = ()
    words: tuple[PlacedWord, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a file says about itself.

    Attributes
    ----------
    page_count
        Its pages; 0 where they are not counted before they are read.
    created_at, modified_at
        Its own dates, not the file system's; with a time zone.
    properties
        Further facts by name, such as ``from``, ``to``, ``message_id`` of a mail or ``keywords``.
    """

    format: str
    page_count: int
    title: str | None = None
    author: str | None = None
    created_at: datetime | None = None
    modified_at: datetime | None = None
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file, copied out so that it can be read as a document of its own.

    *name* is for people and safe as a file name; *path* is the copy.
    """

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the user said about reading.

    Attributes
    ----------
    passwords
        Tried in order on protected files.
    ocr, limits
        How pictures of text are read, and how far a reader may go.
    models_dir
        Folder with language data and models of OCR engines, beside what the system has.
    spool
        Folder for copies of attachments; ``None`` leaves them in their file.
    """

    passwords: tuple[str, ...] = ()
    ocr: OcrSettings = field(default_factory=OcrSettings)
    limits: ParseLimits = field(default_factory=ParseLimits)
    models_dir: Path | None = None
    spool: Path | None = None


DEFAULT_OPTIONS = ReadOptions()


@dataclass(frozen=True, slots=True)
class Reading:
    """An opened document: its facts, and its pages, which are produced one by one.

    These lists grow while the pages are produced.

    Attributes
    ----------
    warnings
        What the user should know, as sentences: repairs, guesses, hidden sheets.
    missing
        What of the content could not be read, as sentences; with any, the document is partial.
    attachments
        Files inside the file, in order.
    """

    info: DocumentInfo
    pages: Iterator[Page]
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileHead:
    """What a reader may look at to accept a file: extension (lower case, with dot), first bytes.

    *members* holds the lower-case names inside a ZIP container, or the known streams of an OLE
    container; empty for other files and for damaged containers. *mark* names in words the format
    whose mark the file starts with, ``None`` for text and unknown bytes.
    """

    path: Path
    extension: str
    head: bytes
    members: frozenset[str] = field(default_factory=frozenset)
    mark: str | None = None


class Reader(Protocol):
    """Reads one family of formats."""

    name: str
    """Name of the format for people, such as ``PDF``."""
    extensions: tuple[str, ...]
    """Extensions it reads, lower case, with dot."""

    def accepts(self, file: FileHead, /) -> bool:
        """Tell from the content (not from the extension alone) whether this reader fits."""
        ...

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the file.

        Raises
        ------
        FileEncrypted, ParseFailed, ParseLimit
            The file needs a password, is damaged, or is made to overload programs.
        """
        ...


MAX_BLANK = 64
"""Longest run of white space that a page text may hold, in code points."""
