"""What the finders find: names, dates, amounts and references, each with its exact place.

Invariant P5 (DESIGN §2): ``text[span.start:span.end] == span.text`` for every span of a text.
Offsets are Unicode code points, 0-based and half-open. Confidences are in 0..1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NameKind = Literal["person", "organization", "location"]
DateKind = Literal["absolute", "partial", "relative", "ambiguous", "impossible"]
DatePrecision = Literal["day", "week", "month", "quarter", "half", "year", "decade", "range"]
AmountKind = Literal["money", "percent", "quantity", "number"]
ReferenceType = Literal[
    "document",
    "report",
    "standard",
    "regulation",
    "rule",
    "constitution",
    "case",
    "record",
    "section",
    "exhibit",
    "link",
]
Relationship = Literal[
    "cites",
    "amends",
    "supersedes",
    "responds_to",
    "attaches",
    "incorporates",
    "implements",
    "supports",
    "contradicts",
    "discusses",
]


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A name of a person, an organisation or a place.

    Attributes
    ----------
    start, end, text
        Its place, and what stands there.
    kind
        What it names.
    confidence
        Probability that the place and the kind are right, as the tagger sees it.
    is_role
        Whether it is no name but the word that a contract uses for a party: the Borrower, Lender.
    """

    start: int
    end: int
    text: str
    kind: NameKind
    confidence: float
    is_role: bool = False


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A date or a range of dates.

    Attributes
    ----------
    start, end, text
        Its place, and what stands there.
    kind
        ``absolute``: it has one value. ``partial``: the year is missing. ``relative``: it counts
        from the document's date ("last week", "thirty days ago"). ``ambiguous``: it can be read in
        several ways. ``impossible``: it looks like a date that the calendar does not have.
    value
        ISO 8601 with as much precision as the text gives: ``2024-03-12``, ``2024-03``, ``2024``,
        ``2024-W07``, ``2024-Q3``, ``2024-H1``, ``199X`` (decade), ``--03-12`` (partial) or, for
        ranges, two values joined by ``/``. ``None`` where there is not one value.
    first, last
        First and last day that it covers, ``YYYY-MM-DD``; ``None`` where there is not one value.
    precision
        Of the value; ``range`` for two ends. ``None`` where nothing can be said.
    readings
        All values that an ambiguous date can have, in the form of *value*.
    confidence
        How sure it is that this is a date, and this one.
    """

    start: int
    end: int
    text: str
    kind: DateKind
    value: str | None
    first: str | None
    last: str | None
    precision: DatePrecision | None
    readings: tuple[str, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class AmountSpan:
    """A sum of money, a percentage, or a quantity with a unit.

    Attributes
    ----------
    start, end, text
        Its place, and what stands there.
    kind
        What it is; bare numbers are found on request only.
    value
        The number with its sign and scale ("1.25 million dollars" is 1250000.0); the lower end of a
        range. Percentages as written: 15.7 for "15.7 %".
    high
        The upper end of a range, else ``None``.
    unit
        ISO 4217 code where the currency is certain (``GBP``, ``EUR``, ``USD`` for "US$"), a plain
        name where it is not (``dollar``), ``percent``, or the unit's usual symbol (``kg``, ``km``).
    confidence
        How sure it is.
    """

    start: int
    end: int
    text: str
    kind: AmountKind
    value: float
    high: float | None
    unit: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class ReferenceSpan:
    """A place where the text points to something: a document, a standard, a law, a section, a link.

    Attributes
    ----------
    start, end, text
        Its place, and what stands there.
    type
        What it points to. ``section`` and ``exhibit`` point into the same document or set; ``rule``
        is one of a court, ``record`` a paper of the same lawsuit ("Dkt. 12 at 3").
    key
        The same for every way of writing one thing, such as ``standard:iso-9001-2015`` or
        ``case:410-us-113``; begins with the type.
    name
        What it points to, in words for people ("ISO 9001:2015", "Roe v. Wade, 410 U.S. 113").
    relationship
        What the text says that the document does with it.
    resolved
        False where the text leaves open what is meant (an *id.* or *supra* that could be several):
        such a place is kept, and counts for nothing.
    confidence
        How sure it is.
    """

    start: int
    end: int
    text: str
    type: ReferenceType
    key: str
    name: str
    relationship: Relationship
    resolved: bool
    confidence: float
