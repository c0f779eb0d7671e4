"""Productions: what a load file brought into a case, and what was written of one."""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.base.records.shape import Record, Seconds


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
