"""Who in the file cites an authority, how, and in which sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from casetrack.base.records.graph.quote import Quote
from casetrack.base.records.shape import HIDDEN, INLINE, Record, Share
from casetrack.base.records.table import Tabular

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
