"""Productions, privilege logs and redactions: what was read and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from casetrack.base.provenance import Box
from casetrack.base.records.cards import Card, Fact
from casetrack.base.records.shape import NO_COLUMN, Record, Seconds


@dataclass(frozen=True, slots=True)
class LoadTrouble(Record):
    """Something that is wrong with a load file, or with what it names.

    Attributes
    ----------
    kind
        ``delimiter``, ``encoding``, ``columns``, ``fields``, ``control number``, ``range``,
        ``gap``, ``overlap``, ``family``, ``file``, ``image``, ``date`` or ``document``.
    text
        What is wrong, and what was done about it.
    file
        The file.
    line
        Its line, from 1; ``None`` where it is about the file as a whole.
    control_number
        Of the document that it is about; may be empty.
    """

    SHOWN = ("kind", "text")

    kind: str
    text: str
    file: str
    line: int | None
    control_number: str


@dataclass(frozen=True, slots=True)
class ProductionLoad(Record):
    """What came of loading a production.

    Attributes
    ----------
    production
        The source that its documents have: ``production:VOL001``.
    document_count
        Documents that the load files name.
    loaded_count
        Those that are in the collection now.
    read_from
        How many were read from their native, their text file, a field of the load file, their
        images, and, where there is nothing else, from their row.
    family_count, attachment_count
        Families of two documents and more, and documents that are attached to another.
    ranges, gaps
        Bates numbers that it covers, and those missing in between.
    columns
        The fields of the load file.
    troubles
        What is wrong with the load files, line by line.
    failed
        Documents that could not be read, even from their row, and files that were not.
    """

    collection: str
    production: str
    load_file: str
    image_file: str | None
    dry_run: bool
    document_count: int
    loaded_count: int
    read_from: dict[str, int]
    family_count: int
    attachment_count: int
    ranges: tuple[str, ...]
    gaps: tuple[str, ...]
    custodians: tuple[str, ...]
    columns: tuple[str, ...]
    troubles: tuple[LoadTrouble, ...]
    failed: tuple[LoadTrouble, ...]
    cancelled: bool
    seconds: Seconds
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProductionExport(Record):
    """What was written of a set of documents.

    Attributes
    ----------
    folder
        Where it lies.
    load_file, image_file
        The DAT and OPT file; the latter is ``None`` where no document has images.
    document_count, native_count, text_count, image_count
        What is in it.
    ranges
        The Bates numbers that it covers.
    numbered
        How many documents got a control number, since they had none.
    notes
        What is not as it was, or is missing.
    """

    folder: str
    load_file: str
    image_file: str | None
    document_count: int
    native_count: int
    text_count: int
    image_count: int
    ranges: tuple[str, ...]
    numbered: int
    notes: tuple[str, ...] = ()


# The privilege log: what is withheld, and what Rule 26(b)(5)(A) asks to be told of it.


@dataclass(frozen=True, slots=True)
class PrivilegeEntry(Record):
    """A document that is withheld. What nobody knows is an empty text.

    Attributes
    ----------
    number
        Of the entry, from 1.
    control_number, bates_begin, bates_end
        By its load file.
    date, time
        When it was sent, in the zone that the mail names, else when it was written, by its own
        account or its load file's.
    date_is
        ``sent``, ``written`` or empty.
    type
        ``E-mail``, ``Attachment`` or ``Document``, with its kind or format.
    author, recipients, cc, bcc
        As its head or its load file shows them; who is on the list of attorneys bears an asterisk.
    subject
        As it is, unless subjects are left out.
    description
        What it is, from facts alone: nothing of what it says.
    privilege, basis
        As the user's tags and notes say.
    attorneys
        Who of the list of attorneys wrote it or got it.
    family
        Number of the entry that it is attached to; ``None`` for none.
    tagged
        Whether the user chose it; the others came with their family.
    unclear
        The fields that are empty because nothing says what belongs there.
    custodian
        By its load file.
    document_id, document
        The document.
    """

    SHOWN = ("number", "control_number", "date", "type", "author", "recipients", "privilege")

    number: int
    control_number: str
    bates_begin: str
    bates_end: str
    date: str
    time: str
    date_is: str
    type: str
    author: str
    recipients: str
    cc: str
    bcc: str
    subject: str
    description: str
    privilege: str
    basis: str
    attorneys: tuple[str, ...]
    family: int | None
    tagged: bool
    unclear: tuple[str, ...]
    custodian: str
    document_id: str
    document: str


@dataclass(frozen=True, slots=True)
class PrivilegeLog(Record):
    """A privilege log.

    Attributes
    ----------
    collection
        The case.
    entries
        Families together, as they were produced, the others by date.
    notes
        What is to be looked at before it is served.
    """

    collection: str
    entries: tuple[PrivilegeEntry, ...]
    notes: tuple[str, ...] = ()


Place = Literal["bottom-right", "bottom-center", "bottom-left"]
"""Where a number stands on a page."""
PLACES: tuple[Place, ...] = get_args(Place)

# Redactions: words that a covered place still holds, and copies from which words were taken.

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
]


@dataclass(frozen=True, slots=True)
class HiddenText(Record):
    """Text that a reader of a file doesn't see and that anybody can copy out of it.

    Attributes
    ----------
    file
        Path of the file.
    page
        1-based; ``None`` in a DOCX, which has none of its own.
    paragraph
        1-based, of a DOCX: in reading order of its part; else ``None``.
    text
        The words.
    cover
        What hides them: ``box``, ``picture``, ``annotation`` (can be moved away in any viewer),
        ``invisible`` (by its colour, render mode, clip, layer, or beyond the border of the page),
        ``mark`` (marked for redaction, which was never carried out), ``earlier version`` (taken
        out, and still in the file, which keeps its earlier states), ``shading`` (black on black),
        ``hidden`` (a property of the text), ``deleted`` (a tracked change that was not accepted).
    box
        Where they stand on the page, in points; ``None`` in a DOCX and in earlier versions.
    """

    file: str
    page: int | None
    paragraph: int | None
    text: str
    cover: Cover
    box: Annotated[Box | None, NO_COLUMN] = None

    @property
    def place(self) -> str:
        """Where it stands, in words: ``p. 3`` or ``para. 12``."""
        return f"p. {self.page}" if self.page is not None else f"para. {self.paragraph}"


@dataclass(frozen=True, slots=True, repr=False)
class RedactedCopy(Card):
    """A copy of a PDF from which words were taken, and what was looked at to prove it.

    Attributes
    ----------
    original, copy
        Paths.
    original_sha256, copy_sha256
        SHA-256 of both files, so that either can be told again.
    places
        Number of black areas.
    pages
        The pages (1-based) that have one.
    by_reason
        Black areas by what they were found by.
    recognised
        Pages that were read by text recognition, whose words may have been misread.
    not_read
        Pages with pictures or drawings not read by text recognition: words in them may be left.
    left_out
        Page and words that are invisible in the original, and that the copy doesn't have.
    covered
        Page and words of the copy that are invisible, can be copied, and were not asked for.
    proof
        Checks of the written copy that passed; PDFium reads it, which had no part in writing it.
    unproved
        Checks that were not possible.
    """

    original: str
    copy: str
    original_sha256: str
    copy_sha256: str
    places: int
    pages: tuple[int, ...]
    by_reason: dict[str, int]
    recognised: tuple[int, ...]
    not_read: tuple[int, ...]
    left_out: tuple[str, ...]
    covered: tuple[str, ...]
    proof: tuple[str, ...]
    unproved: tuple[str, ...]

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
