"""What the dates of a document mean, as far as the document itself settles it."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from casetrack.extract.dates import day_order, read_date

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.spans import DateSpan
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts

ReadBy = Literal["document_date", "day_order"]

LEAST_CONFIDENCE = 0.5
"""Below it the finder only says that something has the form of a date."""

_MAILS = frozenset(("eml", "msg", "mbox"))
_LETTERHEAD = 600
_SHORT_LINE = 60
_DATED = frozenset(("contract", "correspondence", "memo"))
"""Kinds of documents whose first date is their own."""
_DATED_BEFORE = re.compile(
    r"\b(?:dated?|datum|as of|made on|vom|den)\W{0,3}(?:the\s)?$", re.IGNORECASE
)
_ISO_NAME = re.compile(r"(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)")
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_PART = re.compile(r"(\d{4})-([WQH]\d{1,2})")
_SEASON = re.compile(r"(\d{4})-(\w+)")


class DateReader:
    """Settles the open dates of one document.

    A date without a year stays without one, and one with several readings keeps them, unless the
    document's other dates show one order of day and month. What is a date by its form at best
    ("on 15", a bare weekday) is left as it is.

    Parameters
    ----------
    document, chunks
        The document.
    """

    def __init__(self, document: DocumentFacts, chunks: Sequence[ChunkFacts], /) -> None:
        self._day_first = day_order(d for c in chunks for d in c.dates)
        self.document_date = document_date(document, chunks, self._day_first)
        self._settled: dict[tuple[str, str], DateSpan | None] = {}

    def read(self, span: DateSpan, /) -> tuple[DateSpan, ReadBy | None]:
        """Return the date with its value, and what settled it beside its own words."""
        if not is_certain(span):
            return span, None
        # Which of three figures is the year is more than an order of day and month can say.
        is_order = span.kind == "ambiguous" and len(span.readings) == 2
        if is_order and span.value is None and self._day_first is not None:
            found = self._again(span, None)
            if found and found.value and (not span.readings or found.value in span.readings):
                return _valued(span, found), "day_order"
        if span.kind == "relative" and span.value is None and self.document_date is not None:
            found = self._again(span, self.document_date)
            if found and found.value:
                return _valued(span, found), "document_date"
        return span, None

    def _again(self, span: DateSpan, anchor: dt.date | None) -> DateSpan | None:
        key = (span.kind, span.text)
        if key not in self._settled:
            self._settled[key] = read_date(span.text, anchor=anchor, day_first=self._day_first)
        return self._settled[key]


def is_certain(span: DateSpan, /) -> bool:
    """Return whether a span is a date, and no guess by its form."""
    return span.confidence >= LEAST_CONFIDENCE


def _valued(span: DateSpan, found: DateSpan) -> DateSpan:
    return replace(
        span, value=found.value, first=found.first, last=found.last, precision=found.precision
    )


def document_date(
    document: DocumentFacts, chunks: Sequence[ChunkFacts], day_first: bool | None, /
) -> dt.date | None:
    """Return the day on which a document was written, as far as it says so.

    Of a mail its own; else the first full date at the head of its first page; else the date that
    its file name begins with. When a file was made says nothing of when its text was written.
    """
    if document.format.lower() in _MAILS and document.content_created_at is not None:
        return document.content_created_at.date()
    for chunk in chunks:
        if chunk.page != chunks[0].page or chunk.char_start > _LETTERHEAD:
            break
        for span in chunk.dates:
            if chunk.char_start + span.start > _LETTERHEAD:
                break
            day = _day(span, day_first)
            if day and (document.document_type in _DATED or _stands_out(chunk.text, span)):
                return day
    named = _ISO_NAME.match(document.name.rpartition("/")[2])
    return _calendar_day(*map(int, named.groups())) if named else None


def _stands_out(text: str, span: DateSpan) -> bool:
    """Return whether a date is the head's: on a short line, at the start of one, or "dated"."""
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    line = text[start : end if end >= 0 else len(text)]
    before = text[start : span.start]
    return len(line) <= _SHORT_LINE or not before.strip() or bool(_DATED_BEFORE.search(before))


def _day(span: DateSpan, day_first: bool | None) -> dt.date | None:
    found: DateSpan | None = span
    if not is_certain(span):
        return None
    if span.kind == "ambiguous" and span.value is None and day_first is not None:
        found = read_date(span.text, day_first=day_first)
    elif span.kind != "absolute":
        return None
    if found is None or found.precision != "day" or not found.value:
        return None
    match = _DAY.fullmatch(found.value)
    return _calendar_day(*map(int, match.groups())) if match else None


def _calendar_day(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def date_key(span: DateSpan, /) -> str | None:
    """Return the key of a date; ``None`` without a value or a year, and for a guess."""
    value = span.value if is_certain(span) else None
    if not value or any(part[:1] in {"-", "X", ""} for part in value.split("/")):
        return None
    return value


def date_name(key: str, /) -> str:
    """Write a value in ISO 8601 for people.

    Examples
    --------
    >>> date_name("2024-03-12"), date_name("2024-Q3"), date_name("199X"), date_name("2024-03/2025")
    ('12 March 2024', 'Q3 2024', '1990s', 'March 2024 – 2025')
    """
    if "/" in key:
        return " – ".join(date_name(part) for part in key.split("/"))
    if (m := _DAY.fullmatch(key)) and 1 <= int(m[2]) <= 12:
        return f"{int(m[3])} {_MONTHS[int(m[2]) - 1]} {m[1]}"
    if (m := _MONTH.fullmatch(key)) and 1 <= int(m[2]) <= 12:
        return f"{_MONTHS[int(m[2]) - 1]} {m[1]}"
    if m := _PART.fullmatch(key):
        part = m[2]
        return f"week {int(part[1:])} of {m[1]}" if part[0] == "W" else f"{part} {m[1]}"
    if key.endswith("X"):
        return f"{key[:-1]}0s"
    if m := _SEASON.fullmatch(key):
        return f"{m[2]} {m[1]}"
    return key
