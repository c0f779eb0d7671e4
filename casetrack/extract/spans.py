"""Results of the finders: names, dates, amounts and references with exact positions.

Invariant P5 (DESIGN §2): ``text[span.start:span.end] == span.text``. Offsets are Unicode code
points, 0-based and half-open. Confidences are 0..1.
"""

from __future__ import annotations

from typing import Literal

from casetrack.base.dataclass import dataclass

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
    """A name; *is_role* marks a contract's word for a party: the Borrower, Lender."""

    start: int
    end: int
    text: str
    kind: NameKind
    confidence: float
    is_role: bool = False


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A date or a range of dates."""

    start: int
    end: int
    text: str
    # `absolute`: one value. `partial`: without a year. `relative`: depends on the document's date
    # ("last week"). `ambiguous`: several readings. `impossible`: not in the calendar.
    kind: DateKind
    # ISO 8601 with the text's precision: `2024-03-12`, `2024-03`, `2024`, `2024-W07`, `2024-Q3`,
    # `2024-H1`, `199X` (decade), `--03-12` (partial), or two values joined by `/` (range). `None`
    # without a single value.
    value: str | None
    # first, last: first and last day, `YYYY-MM-DD`; `None` without a single value.
    first: str | None
    last: str | None
    precision: DatePrecision | None  # of the value; `range` for two ends; `None` if unknown
    readings: tuple[str, ...]  # all values of an ambiguous date
    confidence: float


@dataclass(frozen=True, slots=True)
class AmountSpan:
    """A sum of money, a percentage, or a quantity with a unit."""

    start: int
    end: int
    text: str
    kind: AmountKind
    # With sign and scale ("1.25 million dollars" is 1250000.0); the lower end of a range.
    # Percentages as written: 15.7 for "15.7 %".
    value: float
    high: float | None  # the upper end of a range, else `None`
    # ISO 4217 code of a certain currency (`GBP`, `USD` for "US$"), else a plain name (`dollar`),
    # `percent`, or the unit's usual symbol (`kg`, `km`).
    unit: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class ReferenceSpan:
    """A reference in the text to a document, a standard, a law, a section or a link."""

    start: int
    end: int
    text: str
    # `section` and `exhibit` are in the same document or set; `rule` is one of a court, `record` a
    # paper of the same lawsuit ("Dkt. 12 at 3").
    type: ReferenceType
    # Equal for all spellings, such as `standard:iso-9001-2015` or `case:410-us-113`; begins with
    # the type.
    key: str
    # For display ("ISO 9001:2015", "Roe v. Wade, 410 U.S. 113").
    name: str
    relationship: Relationship  # relationship that the text states
    resolved: bool  # false for an ambiguous *id.* or *supra*, which is kept and not counted
    confidence: float
