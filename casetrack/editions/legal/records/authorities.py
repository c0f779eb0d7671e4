"""Authorities of a brief, who cites them in the file, and the chronology of a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from casetrack.base.records.graph.entities import Quote
from casetrack.base.records.graph.timeline import Dated
from casetrack.base.records.shape import HIDDEN, INLINE, FieldFormat, Record, Share
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


# Who in the file cites an authority, how, and in which sentence.

AGAINST = (
    *("overruled by", "abrogated by", "superseded by", "superseded by statute", "reversed by"),
    *("vacated by", "overruled", "abrogated", "superseded", "reversed", "vacated", "disapproved"),
)
"""What says that an authority is no longer good law, in part at least."""
DOUBT = ("distinguished", "criticized", "questioned", "limited", "declined to follow")
"""What says that it was not followed."""
DOUBT_SIGNALS = ("but see", "but see, e.g.", "but cf.", "contra")
"""Signals that stand before what speaks against the sentence."""


@dataclass(frozen=True, slots=True)
class CitingPlace(Record):
    """A place that cites an authority.

    Attributes
    ----------
    signal
        The word before it in the usual spelling, such as ``see`` or ``but see``; empty for none.
    treatment
        What is said of the authority, such as ``overruled by``; empty where nothing is.
    form
        ``full``, ``short``, ``id``, ``supra`` or ``name``.
    pin
        Where in the authority it points, as written; ``None`` for the whole.
    sentence
        The sentence that cites, on one line.
    parenthetical
        The remark in parentheses after it; empty for none.
    quote
        The citation itself at its exact place.
    confidence
        How sure the reading is.
    note
        What a reader should know of it; empty for nothing.
    """

    JSON = (
        *("signal", "treatment", "form", "pin", "sentence", "parenthetical"),
        *("confidence", "note", "quote"),
    )
    SHOWN = ("signal", "treatment", "sentence", "citation")

    signal: str
    treatment: str
    form: str
    pin: str | None
    sentence: str
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
        """How much it speaks against the authority, see :func:`weight_of`."""
        return weight_of(self.signal, self.treatment)


@dataclass(frozen=True, slots=True, repr=False)
class Citator(Tabular[CitingPlace], Record):
    """Every place of the file that surely cites an authority; what speaks against it comes first.

    Attributes
    ----------
    asked
        What was asked for.
    authority_id, name, kind
        What it is.
    parallel_ids
        Its other ids, of parallel citations.
    source_document_id, source_document
        The document of the case that is this authority, where exactly one fits.
    total, document_count
        Places that cite it, and documents that hold them.
    signals, treatments
        How often each occurs.
    places
        The places.
    notes
        What the user should know.
    """

    JSON = (
        *("asked", "authority_id", "name", "kind", "parallel_ids", "source_document_id"),
        *("source_document", "total", "document_count", "signals", "treatments", "notes", "places"),
    )

    asked: str
    authority_id: str
    name: str
    kind: str
    parallel_ids: tuple[str, ...]
    source_document_id: str | None
    source_document: str | None
    total: int
    document_count: int
    counted: Annotated[tuple[tuple[str, str], ...], HIDDEN]
    places: tuple[CitingPlace, ...]
    notes: tuple[str, ...] = ()

    @property
    def signals(self) -> dict[str, int]:
        """How often each signal occurs, over all places."""
        return dict(Counter(signal for signal, _ in self.counted if signal).most_common())

    @property
    def treatments(self) -> dict[str, int]:
        """How often each treatment occurs, over all places."""
        return dict(Counter(said for _, said in self.counted if said).most_common())

    def _table(self) -> tuple[type[CitingPlace], Sequence[CitingPlace]]:
        return CitingPlace, self.places

    def _heading(self) -> str:
        return f"{self.name}: {len(self.places):,} of {self.total:,} places that cite it"


def weight_of(signal: str, treatment: str, /) -> int:
    """Return how much a place speaks against what it cites.

    2 where it says that it is no longer good law, 1 where it does not follow it, else 0.
    """
    if treatment in AGAINST:
        return 2
    return int(treatment in DOUBT or signal in DOUBT_SIGNALS)


# The chronology of a case: what happened when, who took part, and what says so.


@dataclass(frozen=True, slots=True)
class ChronologyEntry(Dated):
    """An event and its source.

    Attributes
    ----------
    event
        What happened: the reader's own words where there are some, else those of the document.
    document_says
        The words of the document, where the reader has own ones; else empty.
    who
        People and organisations that the words name, in their order.
    quote
        The place that says so.
    picked
        Whether the reader has taken it, or it is the reader's own.
    event_id
        What it is taken or left out by.
    """

    SHOWN = ("date", "event", "who", "citation")

    event: str
    document_says: str
    who: tuple[str, ...]
    quote: Annotated[Quote, INLINE]
    picked: bool
    event_id: str

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.quote.citation


@dataclass(frozen=True, slots=True, repr=False)
class Chronology(Tabular[ChronologyEntry], Record):
    """Events by date, with the reader's picks.

    Attributes
    ----------
    case
        Name of the case.
    total
        Events of the span that was asked for, with those that are not shown.
    entries
        In order of date.
    notes
        What is left out, in sentences.
    """

    JSON = ("case", "start", "end", "total")

    case: str
    start: Annotated[str | None, FieldFormat(name="start_date")]
    end: Annotated[str | None, FieldFormat(name="end_date")]
    total: int
    entries: tuple[ChronologyEntry, ...]
    notes: tuple[str, ...] = ()

    def _table(self) -> tuple[type[ChronologyEntry], Sequence[ChronologyEntry]]:
        return ChronologyEntry, self.entries

    def _heading(self) -> str:
        return f"{len(self.entries):,} of {self.total:,} events of {self.case}"
