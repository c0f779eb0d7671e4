"""The table of authorities of a brief: what it cites, and on which of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from casetrack.base.records.shape import HIDDEN, Record
from casetrack.base.records.table import Tabular
from casetrack.editions.legal.records.check import DraftPlace

AuthoritySection = Literal[
    "Cases", "Constitutional Provisions", "Statutes", "Rules", "Regulations", "Other Authorities"
]
"""The parts of a table of authorities, in the order in which courts ask for them."""
AUTHORITY_SECTIONS: tuple[AuthoritySection, ...] = get_args(AuthoritySection)

DifferenceKind = Literal["entry not found", "citation not found", "other pages"]


@dataclass(frozen=True, slots=True)
class Authority(Record):
    """An authority and where a brief cites it.

    Attributes
    ----------
    section
        The part of the table in which it stands.
    name
        The authority in words, as the table lists it.
    name_end
        Where in *name* the name of a case ends, which is set in italics; 0 where there is none.
    key
        The same for every way of citing it.
    pages
        The numbers printed on the pages that cite it, each once, in order.
    listed
        What stands behind the leader dots: ``"3, 5\u20137"``, or ``"passim"``.
    places
        Every place that counts, with short forms, *Id.* and *supra*, in order.
    is_complete
        Whether the brief cites it in full anywhere; the name is as short as the brief's otherwise.
    """

    SHOWN = ("section", "name", "listed")

    section: AuthoritySection
    name: str
    name_end: Annotated[int, HIDDEN]
    key: str
    pages: tuple[str, ...]
    listed: str
    places: tuple[DraftPlace, ...]
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class Uncounted(Record):
    """A form such as *Id.* of which it is not settled what it means: it is counted nowhere."""

    text: str
    place: DraftPlace
    reason: str


@dataclass(frozen=True, slots=True)
class TableDifference(Record):
    """Where the table that stands in the brief differs from what the brief cites.

    Attributes
    ----------
    kind
        ``entry not found``: CaseTrack found citations and no entry of the table; ``citation not
        found``: an entry, and neither a citation nor its name outside of the tables; ``other
        pages``: an entry with other pages than those on which CaseTrack found citations.
    name
        The authority.
    said
        The difference as one sentence.
    listed, counted
        The pages as the table has them, and as they were counted.
    """

    kind: DifferenceKind
    name: str
    said: str
    listed: str = ""
    counted: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class TableOfAuthorities(Tabular[Authority], Record):
    """What a brief cites, sorted as courts ask.

    Attributes
    ----------
    draft_name, draft_path
        The brief; its path, or its id where it is a document of the case.
    pages
        Pages of the file.
    page_numbers
        Whether pages go by the numbers printed on them, or by their place in the file.
    passim
        From how many pages on an authority is listed as *passim*; 0 for never.
    authorities
        In the order of the table.
    uncounted
        What could not be settled.
    has_own_table
        Whether the brief holds a table of authorities already.
    differences
        Where that table differs; ``None`` where it was not asked for, or there is none.
    notes
        What must be known of it, in sentences.
    """

    JSON = ("draft_name", "draft_path", "pages", "page_numbers", "passim")

    draft_name: str
    draft_path: str
    pages: int
    page_numbers: Literal["printed", "file"]
    passim: int
    authorities: tuple[Authority, ...] = ()
    uncounted: tuple[Uncounted, ...] = ()
    has_own_table: bool = False
    differences: tuple[TableDifference, ...] | None = None
    notes: tuple[str, ...] = ()

    def sections(self) -> dict[AuthoritySection, tuple[Authority, ...]]:
        """Return the authorities of each part of the table that has any."""
        found = {
            s: tuple(a for a in self.authorities if a.section == s) for s in AUTHORITY_SECTIONS
        }
        return {section: listed for section, listed in found.items() if listed}

    def _table(self) -> tuple[type[Authority], Sequence[Authority]]:
        return Authority, self.authorities

    def _heading(self) -> str:
        return f"{len(self.authorities):,} authorities cited in {self.draft_name}"
