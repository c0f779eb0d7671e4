"""The privilege log: what is withheld, and what Rule 26(b)(5)(A) asks to be told of it."""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.base.records.shape import Record


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
