"""What a paper of a case says of itself: its kind, and the parties of the case in their roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from casetrack.base.records.shape import Record

LegalType = Literal[
    "complaint",
    "answer",
    "motion",
    "brief",
    "order",
    "opinion",
    "deposition",
    "contract",
    "statute",
    "correspondence",
    "exhibit",
    "other",
]
"""What kind of legal document it is; ``other`` is legal too, such as a notice or a docket."""
LEGAL_TYPES: tuple[LegalType, ...] = get_args(LegalType)


@dataclass(frozen=True, slots=True)
class Party(Record):
    """A party as the caption names it.

    Attributes
    ----------
    name
        As written, on one line.
    role
        In lower case and singular: ``plaintiff``, ``appellant``, ``debtor``, ...; ``None`` where
        the caption does not say it.
    page, start, end
        Where the name stands: code points into the text of that page.
    """

    name: str
    role: str | None
    page: int
    start: int
    end: int
