"""A production set: numbered copies of documents, and the list of what has which numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from casetrack.base.records.shape import Record

ProducedAs = Literal["pages", "native"]


@dataclass(frozen=True, slots=True)
class ProducedFile(Record):
    """A file of a production set.

    Attributes
    ----------
    original
        Path of the file that it was made from, which was only read.
    copy
        Path of the stamped PDF.
    native
        Path of the copy in its own format beside a slip sheet; ``None`` where the pages are shown.
    produced_as
        ``pages``: every page is stamped; ``native``: a slip sheet has the number.
    first, last
        Bates numbers of its first and last page.
    pages
        Number of stamped pages.
    sha256, copy_sha256
        Of the original, and of the stamped PDF.
    """

    original: str
    copy: str
    native: str | None
    produced_as: ProducedAs
    first: str
    last: str
    pages: int
    sha256: str
    copy_sha256: str
