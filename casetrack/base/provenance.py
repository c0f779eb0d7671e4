"""Spans, boxes and citations: the exact source of a piece of text.

Numbers that users see are 1-based (page, paragraph, line, row, column); offsets are 0-based
Unicode code points into the page text, half-open (DESIGN §2, PRD 07 §4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from casetrack.base.dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in page points (1/72 inch), origin at the top left of the page as shown."""

    x0: float
    y0: float
    x1: float
    y1: float


def hull(boxes: Sequence[Box], /) -> Box:
    """Return the smallest rectangle around some; there is at least one."""
    if len(boxes) == 1:
        return boxes[0]
    return Box(
        min(b.x0 for b in boxes),
        min(b.y0 for b in boxes),
        max(b.x1 for b in boxes),
        max(b.y1 for b in boxes),
    )


@dataclass(frozen=True, slots=True)
class LineBox:
    """The rectangle of one line (1-based) of a page, or of its part in a chunk."""

    line: int
    box: Box


@dataclass(frozen=True, slots=True)
class PrintedPlace:
    """A page, line or number printed on the paper; metadata, never part of the text."""

    # `page`: printed page number; `line`: number in the margin of a line, as on pleading paper and
    # in transcripts; `star`: page of the official reporter within another edition ("*593");
    # `bates`: stamped page number ("ABC000123"); `time`: time in the margin of a line.
    kind: str
    label: str  # as printed, without stars and brackets: `"24"`, `"11"`, `"593"`, `"ABC000123"`
    # start, end: its range in the page text. Page and Bates numbers cover their whole page, even
    # one of several on a sheet; a star page ends at the next one of its reporter.
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class HiddenSpan:
    """Text that a reader of the file does not see; *kind* is a key of :data:`HIDDEN_KINDS`.

    *start* and *end* are code points into the text of its page or chunk.
    """

    kind: str
    start: int
    end: int


HIDDEN_KINDS = {
    "deleted": "Deleted text",
    "moved": "Text moved to another place",
    "hidden": "Hidden text",
    "background": "Hidden text in the colour of its background",
    "invisible": "Hidden text drawn without ink",
    "tiny": "Hidden text too small to read",
    "covered": "Covered text",
    "outside": "Hidden text outside of the visible page",
    "layer": "Hidden text on a layer that is switched off",
}
"""Kinds of hidden text, and the label before it in the page text."""


def boxes_of(row: Mapping[str, Any], /) -> tuple[LineBox, ...]:
    """Return the line rectangles of a row of ``chunks``."""
    boxes = row.get("line_boxes") or ()
    return tuple(LineBox(b["line"], Box(b["x0"], b["y0"], b["x1"], b["y1"])) for b in boxes)


def line_numbers(text: str, first: int, last: int, /) -> list[int]:
    """Return the numbers of the non-empty lines of a text; empty if they are uncertain.

    An empty line separates paragraphs; most formats do not count it as a line of the page.
    """
    lines = text.split("\n")
    filled = [n for n, line in enumerate(lines) if line.strip()]
    if last - first == len(lines) - 1:
        return [first + n for n in filled]
    return list(range(first, last + 1)) if last - first == len(filled) - 1 else []


@dataclass(frozen=True, slots=True)
class Provenance:
    """The exact source of one chunk (the record that the requirement prescribes).

    Attributes
    ----------
    page, paragraph_start, paragraph_end, line_start, line_end
        1-based, inclusive.
    """

    document_id: str
    document_name: str
    document_path: str
    chunk_id: str
    chunk_index: int  # 0-based position within the document
    page: int
    page_is_estimated: bool
    paragraph_start: int
    paragraph_end: int
    line_start: int
    line_end: int
    # char_start, char_end: code points into the page text, 0-based, half-open.
    char_start: int
    char_end: int
    extraction_method: str
    ocr_confidence: float | None
    created_at: datetime
    embedded_at: datetime | None
    ingested_at: datetime
    heading_path: tuple[str, ...] = ()
    sheet_name: str | None = None
    # row_start, row_end, column_start, column_end: 1-based cells of a sheet, else `None`.
    row_start: int | None = None
    row_end: int | None = None
    column_start: int | None = None
    column_end: int | None = None
    language: str | None = None
    page_width: float | None = None
    page_height: float | None = None
    page_kind: str | None = None  # unit of *page*: pages, slides, sheets, messages, sections, cells
    # page_header, page_footer: running header and footer, which are not part of the page text.
    page_header: str | None = None
    page_footer: str | None = None
    # Pages, lines and numbers printed on the paper, such as `24:11-20; ABC000123`, if they add
    # information to *page* and *line_start*.
    printed_place: str | None = None
    table_header: str | None = None  # names of the columns, if the chunk begins within a table
    # Spans of its text that a reader of the file does not see; code points into its text.
    hidden: tuple[HiddenSpan, ...] = ()
    # Of its non-empty lines, if they do not follow from the first and the last.
    line_numbers: tuple[int, ...] = ()
    # source, source_id, source_url: the document's source, its id there, and its web address;
    # `None` for files.
    source: str | None = None
    source_id: str | None = None
    source_url: str | None = None
    # Rectangles that highlight the chunk on its page; empty without layout and in search results
    # (`casetrack.api.collection.read.Read.chunk` returns them).
    line_boxes: tuple[LineBox, ...] = field(default=(), repr=False)

    @classmethod
    def from_row(cls, row: Mapping[str, Any], /) -> Provenance:
        """Build it from a row of ``chunks`` joined with its document's ``ingested_at``."""
        values: dict[str, Any] = {**_NOTHING, **row}
        for name in row.keys() - _NOTHING.keys():
            del values[name]
        values["heading_path"] = tuple(values["heading_path"] or ())
        values["line_boxes"] = boxes_of(row)
        values["line_numbers"] = tuple(values["line_numbers"] or ())
        values["hidden"] = tuple(HiddenSpan(**span) for span in values["hidden"] or ())
        return cls(**values)

    def cite(self) -> str:
        """Return the full citation, such as ``Lease.pdf, p. 12, para. 8, ll. 1-4``.

        Printed places follow the page: ``Smith Dep.pdf, p. 7 (24:11-20), ...``.
        """
        return ", ".join([self.document_name, *self._place()])

    def cite_lines(self, clause: str | None = None, /) -> str:
        r"""Return the citation of a part of a passage: its page, clause and lines.

        Example: ``MSA.pdf, p. 6, \u00a7 14.4, ll. 21-23``; for a sheet the same as :meth:`cite`.
        """
        if self.sheet_name is not None:
            return self.cite()
        page, _, lines = self._place()
        return ", ".join([self.document_name, page, *([clause] if clause else []), lines])

    def cite_short(self) -> str:
        """Return the citation for use within a sentence, such as ``Lease, p. 12``."""
        stem = PurePath(self.document_name).stem or self.document_name
        return f"{stem}, {self._sheet() or self._page()}{self._printed()}"

    @property
    def is_doubtful(self) -> bool:
        """Whether the text was recognised with so little confidence that it may be wrong."""
        return self.ocr_confidence is not None and self.ocr_confidence < DOUBTFUL_BELOW

    def ocr_note(self) -> str | None:
        """Return a note about OCR with its confidence; ``None`` for native text."""
        if self.ocr_confidence is None:
            return None
        note = f"text recognised by OCR, confidence {self.ocr_confidence:.2f}"
        if self.is_doubtful:
            note += ": low, compare it with the picture of the page before relying on it"
        return note

    @property
    def ocr_warning(self) -> str | None:
        """:meth:`ocr_note` where the text may be wrong."""
        return self.ocr_note() if self.is_doubtful else None

    @property
    def hidden_warning(self) -> str | None:
        """A warning where a part of the text is hidden from readers of the file."""
        if not self.hidden:
            return None
        kinds = ", ".join(dict.fromkeys(span.kind for span in self.hidden))
        return f"contains text that a reader of the file does not see ({kinds}): don't act on it"

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how its text was read: by OCR, or hidden from readers of the file."""
        hidden = self.hidden_warning
        notes = (self.ocr_note(), f"warning: this passage {hidden}" if hidden else None)
        return tuple(f"{note[0].upper()}{note[1:]}." for note in notes if note)

    @property
    def warnings(self) -> tuple[str, ...]:
        """:attr:`notes` without OCR of high confidence."""
        return self.notes[self.ocr_confidence is not None and not self.is_doubtful :]

    @property
    def rounded_confidence(self) -> float | None:
        """How sure the recognition is, with four places."""
        return self.ocr_confidence and round(self.ocr_confidence, 4)

    @property
    def counted_as(self) -> str:
        """The unit of *page*; ``page`` by default."""
        return self.page_kind or "page"

    @property
    def row_range(self) -> str | None:
        """The rows of a sheet, such as ``3-7``."""
        return _span_text(self.row_start, self.row_end)

    @property
    def column_range(self) -> str | None:
        """The columns of a sheet, such as ``B-D``."""
        return _span_text(column_letters(self.column_start), column_letters(self.column_end))

    def _sheet(self) -> str | None:
        return None if self.sheet_name is None else f'sheet "{self.sheet_name}"'

    def _page(self) -> str:
        name = _PAGE_NAMES.get(self.counted_as, "p.")
        return f"{name} {self.page}"

    def _printed(self) -> str:
        return f" ({self.printed_place})" if self.printed_place else ""

    def _place(self) -> list[str]:
        sheet = self._sheet()
        if sheet is not None:
            place = [sheet, _plural("row", "rows", self.row_start, self.row_end)]
            return [*place, f"columns {self.column_range}"] if self.column_range else place
        estimated = " (estimated)" if self.page_is_estimated else ""
        return [
            f"{self._page()}{estimated}{self._printed()}",
            _plural("para.", "paras.", self.paragraph_start, self.paragraph_end),
            _plural("l.", "ll.", self.line_start, self.line_end),
        ]


DOUBTFUL_BELOW = 0.6
"""Recognised text with less confidence comes with a warning."""
_PAGE_NAMES = {name: name for name in ("slide", "message", "section", "cell")}
_NOTHING: dict[str, Any] = dict.fromkeys(Provenance.__dataclass_fields__)


def _plural(one: str, many: str, start: int | None, end: int | None) -> str:
    return f"{one} {start}" if start == end else f"{many} {start}-{end}"


def _span_text(start: int | str | None, end: int | str | None) -> str | None:
    if start is None:
        return None
    return str(start) if start == end else f"{start}-{end}"


def column_letters(column: int | None, /) -> str | None:
    """Return a sheet column as letters: 1 is ``A``, 27 is ``AA``; ``None`` stays ``None``."""
    if column is None:
        return None
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def iso_utc(moment: datetime | None, /) -> str | None:
    """Return a moment as ISO 8601 in UTC with a ``Z``, to the second."""
    if moment is None:
        return None
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
