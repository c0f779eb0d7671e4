"""Records of authorities, citations of authorities, and chronologies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal, get_args

from casetrack.base.dataclass import dataclass
from casetrack.base.records.graph.timeline import Dated
from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import HIDDEN, INLINE, FieldFormat, Record, Share
from casetrack.base.records.table import Tabular
from casetrack.editions.legal.records.check import DraftPlace

AuthoritySection = Literal[
    "Cases", "Constitutional Provisions", "Statutes", "Rules", "Regulations", "Other Authorities"
]
"""The sections of a table of authorities, in the order of courts."""
AUTHORITY_SECTIONS: tuple[AuthoritySection, ...] = get_args(AuthoritySection)

DifferenceKind = Literal["entry not found", "citation not found", "other pages"]


@dataclass(frozen=True, slots=True)
class Authority(Record):
    """An authority and the places that cite it."""

    SHOWN = ("section", "name", "listed")

    section: AuthoritySection
    name: str  # As in the table
    # End of the case name in *name*, set in italics; 0 if there is none.
    name_end: Annotated[int, HIDDEN]
    key: str  # The same for all forms of its citation
    pages: tuple[str, ...]  # Printed page numbers, unique, in order
    listed: str  # Text after the leader dots: ``"3, 5\u20137"``, or ``"passim"``
    # All counted places in order, with short forms, *Id.* and *supra*.
    places: tuple[DraftPlace, ...]
    is_complete: bool = True  # Whether the brief has a full citation of it


@dataclass(frozen=True, slots=True)
class Uncounted(Record):
    """An unresolved citation, such as *Id.* without an antecedent; it does not count."""

    text: str
    place: DraftPlace
    reason: str


@dataclass(frozen=True, slots=True)
class TableDifference(Record):
    """A difference between the brief's own table and its citations."""

    # ``entry not found``: no entry for citations; ``citation not found``: neither citation nor name
    # outside of the tables; ``other pages``: the pages differ.
    kind: DifferenceKind
    name: str
    said: str  # One sentence
    listed: str = ""  # Pages in the brief's own table
    counted: str = ""  # Pages of the citations


@dataclass(frozen=True, slots=True, repr=False)
class TableOfAuthorities(Tabular[Authority], Record):
    """The authorities of a brief, in the order of courts."""

    JSON = ("draft_name", "draft_path", "pages", "page_numbers", "passim")

    draft_name: str
    draft_path: str  # Id for a document of the case
    pages: int
    page_numbers: Literal["printed", "file"]  # Printed numbers, or positions in the file
    passim: int  # Number of pages from which an authority is listed as *passim*; 0: never
    authorities: tuple[Authority, ...] = ()
    uncounted: tuple[Uncounted, ...] = ()  # Unresolved citations
    has_own_table: bool = False
    # ``None``: not requested, or no own table.
    differences: tuple[TableDifference, ...] | None = None
    notes: tuple[str, ...] = ()

    def sections(self) -> dict[AuthoritySection, tuple[Authority, ...]]:
        """Return the authorities by section, without empty sections."""
        by_section = {
            s: tuple(a for a in self.authorities if a.section == s) for s in AUTHORITY_SECTIONS
        }
        return {section: listed for section, listed in by_section.items() if listed}

    def _table(self) -> tuple[type[Authority], Sequence[Authority]]:
        return Authority, self.authorities

    def _heading(self) -> str:
        return f"{len(self.authorities):,} authorities cited in {self.draft_name}"


# Citations of an authority in the file, with form and sentence.

AGAINST = (
    *("overruled by", "abrogated by", "superseded by", "superseded by statute", "reversed by"),
    *("vacated by", "overruled", "abrogated", "superseded", "reversed", "vacated", "disapproved"),
)
"""Treatments by which an authority is no longer good law, at least in part."""
DOUBT = ("distinguished", "criticized", "questioned", "limited", "declined to follow")
"""Treatments by which an authority was not followed."""
DOUBT_SIGNALS = ("but see", "but see, e.g.", "but cf.", "contra")
"""Signals before an authority that contradicts the sentence."""


@dataclass(frozen=True, slots=True)
class CitingPlace(Record):
    """A citation of an authority."""

    JSON = (
        *("signal", "treatment", "form", "pin", "sentence", "parenthetical"),
        *("confidence", "note", "quote"),
    )
    SHOWN = ("signal", "treatment", "sentence", "citation")

    signal: str  # In its usual spelling, such as ``see``; may be empty
    treatment: str  # Such as ``overruled by``; may be empty
    form: str  # ``full``, ``short``, ``id``, ``supra`` or ``name``
    pin: str | None  # As written; ``None``: the authority as a whole
    sentence: str  # On one line
    parenthetical: str
    quote: Annotated[Quote, INLINE]
    confidence: Share
    note: str

    @property
    def citation(self) -> str:
        """The full citation of the place."""
        return self.quote.citation

    @property
    def weight(self) -> int:
        """Weight of the negative treatment, see :func:`weight_of`."""
        return weight_of(self.signal, self.treatment)


@dataclass(frozen=True, slots=True, repr=False)
class Citator(Tabular[CitingPlace], Record):
    """All resolved citations of an authority; negative treatment first."""

    JSON = (
        *("asked", "authority_id", "name", "kind", "parallel_ids", "source_document_id"),
        *("source_document", "total", "document_count", "signals", "treatments", "notes", "places"),
    )

    asked: str
    authority_id: str
    name: str
    kind: str
    parallel_ids: tuple[str, ...]
    source_document_id: str | None  # The authority itself, if exactly one document matches
    source_document: str | None
    total: int  # Number of citing places
    document_count: int
    counted: Annotated[tuple[tuple[str, str], ...], HIDDEN]
    places: tuple[CitingPlace, ...]
    notes: tuple[str, ...] = ()

    @property
    def signals(self) -> dict[str, int]:
        """Counts of each signal over all places."""
        return dict(Counter(signal for signal, _ in self.counted if signal).most_common())

    @property
    def treatments(self) -> dict[str, int]:
        """Counts of each treatment over all places."""
        return dict(Counter(treatment for _, treatment in self.counted if treatment).most_common())

    def _table(self) -> tuple[type[CitingPlace], Sequence[CitingPlace]]:
        return CitingPlace, self.places

    def _heading(self) -> str:
        return f"{self.name}: {len(self.places):,} of {self.total:,} places that cite it"


def weight_of(signal: str, treatment: str, /) -> int:
    """Return the weight of the negative treatment.

    2: no longer good law; 1: not followed; 0: other.
    """
    if treatment in AGAINST:
        return 2
    return int(treatment in DOUBT or signal in DOUBT_SIGNALS)


# The chronology of a case: events, participants and sources.


@dataclass(frozen=True, slots=True)
class ChronologyEntry(Dated):
    """An event and its source."""

    SHOWN = ("date", "event", "who", "citation")

    event: str  # The user's text if there is one, else that of the document
    document_says: str  # Text of the document if the user has another one
    who: tuple[str, ...]  # People and organisations in the text, in its order
    quote: Annotated[Quote, INLINE]
    picked: bool  # Whether the user picked or added it
    event_id: str  # Id for picking and hiding

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


@dataclass(frozen=True, slots=True, repr=False)
class Chronology(Tabular[ChronologyEntry], Record):
    """Events by date, with the user's picks."""

    JSON = ("case", "start", "end", "total")

    case: str
    start: Annotated[str | None, FieldFormat(name="start_date")]
    end: Annotated[str | None, FieldFormat(name="end_date")]
    total: int  # Events of the period, including hidden ones
    entries: tuple[ChronologyEntry, ...]
    notes: tuple[str, ...] = ()

    def _table(self) -> tuple[type[ChronologyEntry], Sequence[ChronologyEntry]]:
        return ChronologyEntry, self.entries

    def _heading(self) -> str:
        return f"{len(self.entries):,} of {self.total:,} events of {self.case}"
