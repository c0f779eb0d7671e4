"""Results of productions, privilege logs and redactions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from casetrack.base.provenance import Box
from casetrack.base.records.cards import Card, Fact
from casetrack.base.records.shape import NO_COLUMN, Record, Seconds


@dataclass(frozen=True, slots=True)
class LoadTrouble(Record):
    """An error in a load file, or in a file that it names."""

    SHOWN = ("kind", "text")

    # ``delimiter``, ``encoding``, ``columns``, ``fields``, ``control number``, ``range``, ``gap``,
    # ``overlap``, ``family``, ``file``, ``image``, ``date`` or ``document``.
    kind: str
    text: str  # The error and its handling
    file: str
    line: int | None = None  # From 1; ``None``: the file as a whole
    control_number: str = ""


@dataclass(frozen=True, slots=True)
class ProductionLoad(Record):
    """The result of loading a production."""

    collection: str
    production: str  # Source of its documents: ``production:VOL001``
    load_file: str
    image_file: str | None
    dry_run: bool
    document_count: int  # Documents in the load files
    loaded_count: int  # Documents in the collection
    read_from: dict[str, int]  # Documents by readable form: native, text, field, images, row
    family_count: int  # Families of two or more documents
    attachment_count: int
    ranges: tuple[str, ...]
    gaps: tuple[str, ...]  # Missing Bates numbers
    custodians: tuple[str, ...]
    columns: tuple[str, ...]
    troubles: tuple[LoadTrouble, ...]
    failed: tuple[LoadTrouble, ...]  # Unreadable documents and files
    cancelled: bool
    seconds: Seconds
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProductionExport(Record):
    """The result of exporting documents."""

    folder: str
    load_file: str
    image_file: str | None  # ``None``: no document has images
    document_count: int
    native_count: int
    text_count: int
    image_count: int
    ranges: tuple[str, ...]
    numbered: int  # Documents that got a new control number
    notes: tuple[str, ...] = ()  # Differences to the original, and missing files


# The privilege log: the facts that Rule 26(b)(5)(A) requires of withheld documents.


@dataclass(frozen=True, slots=True)
class PrivilegeEntry(Record):
    """A withheld document; unknown values are empty."""

    SHOWN = ("number", "control_number", "date", "type", "author", "recipients", "privilege")

    number: int  # From 1
    control_number: str
    bates_begin: str
    bates_end: str
    date: str  # When it was sent (zone of the mail), else written
    time: str
    date_is: str  # ``sent``, ``written`` or empty
    type: str  # ``E-mail``, ``Attachment`` or ``Document``, with its kind or format
    author: str  # From header or load file; attorneys have an asterisk
    recipients: str
    cc: str
    bcc: str
    subject: str
    description: str  # Facts that do not reveal the content
    privilege: str  # From the user's tags
    basis: str  # From the notes of the tags
    attorneys: tuple[str, ...]  # Listed attorneys who wrote or received it
    family: int | None  # Number of the parent's entry
    tagged: bool  # Whether the user selected it; others are of its family
    unclear: tuple[str, ...]  # Names of empty fields without evidence
    custodian: str
    document_id: str
    document: str


@dataclass(frozen=True, slots=True)
class PrivilegeLog(Record):
    """A privilege log."""

    collection: str
    entries: tuple[PrivilegeEntry, ...]  # Families together, in order of production, others by date
    notes: tuple[str, ...] = ()  # Points to review before service


Place = Literal["bottom-right", "bottom-center", "bottom-left"]
"""Place of a number on a page."""
PLACES: tuple[Place, ...] = get_args(Place)

# Redactions: hidden words in files, and redacted copies.

Cover = Literal[
    "box",
    "picture",
    "annotation",
    "invisible",
    "mark",
    "earlier version",
    "shading",
    "hidden",
    "deleted",
    "properties",
    "bookmark",
    "field",
    "link",
    "script",
    "replacement text",
    "attached file",
    "unused object",
]


@dataclass(frozen=True, slots=True)
class HiddenText(Record):
    """Text of a file that is invisible but can be copied."""

    file: str
    page: int | None  # 1-based; ``None`` in a DOCX and for parts outside the pages
    paragraph: int | None  # 1-based in its part of a DOCX
    text: str
    # ``box``, ``picture``, ``annotation`` (movable in a viewer), ``invisible`` (colour, render
    # mode, clip, layer, outside of the page), ``mark`` (redaction not applied), ``earlier
    # version``, ``shading`` (black on black), ``hidden`` (text property), ``deleted`` (tracked
    # change); the others are parts outside the pages, with words that no page shows.
    cover: Cover
    box: Annotated[Box | None, NO_COLUMN] = None  # Page points
    certain: bool = True  # ``False``: a viewer may show it, or it hides nothing; check it yourself

    @property
    def place(self) -> str:
        """Its place as text: ``p. 3``, ``para. 12``, or the part of the file."""
        if self.page is not None:
            return f"p. {self.page}"
        return self.cover if self.paragraph is None else f"para. {self.paragraph}"


@dataclass(frozen=True, slots=True, repr=False)
class RedactedCopy(Card):
    """A redacted copy of a PDF, with the checks of its content."""

    original: str
    copy: str
    original_sha256: str
    copy_sha256: str
    places: int  # Number of black areas
    pages: tuple[int, ...]  # Pages (1-based) with black areas
    by_reason: dict[str, int]  # Number of black areas by reason
    recognised: tuple[int, ...]  # Pages read by OCR, which may have errors
    not_read: tuple[int, ...]  # Pages with pictures or drawings without OCR; words may be left
    left_out: tuple[str, ...]  # Page and invisible words that the copy does not have
    covered: tuple[str, ...]  # Page and other invisible words of the copy
    proof: tuple[str, ...]  # Passed checks, by PDFium, which did not write the copy
    unproved: tuple[str, ...]  # Checks that were not possible

    def _facts(self) -> list[Fact]:
        return [
            ("original", self.original),
            ("copy", self.copy),
            ("black areas", self.places),
            ("on pages", self.pages),
            ("found by", self.by_reason),
            ("not read", self.not_read),
            ("invisible and left out", self.left_out),
            ("invisible and readable", self.covered),
            ("proof", "; ".join(self.proof)),
            ("not checked", "; ".join(self.unproved)),
        ]
