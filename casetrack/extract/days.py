"""The day that a document states as its own, and days that a user types as arguments."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Final

from casetrack.base.arguments import shown
from casetrack.base.errors import UsageError
from casetrack.extract.dates import find_dates, read_date

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.spans import DateSpan

# The day that a document states as its own, as opposed to when its file was made.

LETTERHEAD: Final = 600
"""Characters at the top of the first page that may have the document's date."""
LEAST_CONFIDENCE: Final = 0.5
"""Minimum confidence; below it only the form suggests a date."""
_SHORT_LINE: Final = 60
_DATED: Final = frozenset(("contract", "correspondence", "memo"))
"""Kinds of documents whose first date is their own."""
_DATED_BEFORE: Final = re.compile(
    r"\b(?:dated?|datum|as of|made on|vom|den)\W{0,3}(?:the\s)?$", re.IGNORECASE
)
_COVER: Final = 2500
_ENDED: Final = re.compile(
    r"\b(?:years?|quarters?|months|weeks|periods?)\s+(?:then\s+)?end(?:ed|ing)\s*:?\s*",
    re.IGNORECASE,
)
_REPORT: Final = re.compile(
    r"\b(?:reports?|statements?|accounts|review|results|survey|yearbook|(?:geschäfts|jahres)\w+)\b",
    re.IGNORECASE,
)
_PERIOD: Final = re.compile(
    r"(?<![\d/.,$€£-])(?:(?P<part>[QH][1-4])[ /-]?)?(?P<year>(?:19|20)\d\d)"
    r"(?:\s?[/–-]\s?(?P<to>\d\d(?:\d\d)?))?(?![\d%]|[.,/-]\d)"
)


def stated_day(
    text: str, /, *, title: str | None, document_type: str | None, made: dt.date
) -> dt.date | None:
    """Return the day that a document states for itself, or ``None``.

    It is the date at the top of the first page (*text*), else the last day of a report's period if
    the file was created (*made*) later.
    """
    cover = text[:_COVER]
    day = head_day(cover, find_dates(cover[:LETTERHEAD]), None, document_type)
    if day is not None:
        return day
    end = _period_end(cover, title)
    return end if end is not None and end < made else None


def head_day(
    text: str, spans: Iterable[DateSpan], day_first: bool | None, document_type: str | None, /
) -> dt.date | None:
    """Return the first full date of a page's head that is the document's own."""
    for span in spans:
        if span.start > LETTERHEAD:
            break
        day = _day(span, day_first)
        if day and (document_type in _DATED or _stands_out(text, span)):
            return day
    return None


def _stands_out(text: str, span: DateSpan) -> bool:
    """Return whether a date is the head's: on a short line, at the start of one, or "dated"."""
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    line = text[start : end if end >= 0 else len(text)]
    before = text[start : span.start]
    if _ENDED.search(before):
        return False  # the end of a period, not the day of writing
    return len(line) <= _SHORT_LINE or not before.strip() or bool(_DATED_BEFORE.search(before))


def _day(span: DateSpan, day_first: bool | None) -> dt.date | None:
    date: DateSpan | None = span
    if span.confidence < LEAST_CONFIDENCE:
        return None
    if span.kind == "ambiguous" and span.value is None and day_first is not None:
        date = read_date(span.text, day_first=day_first)
    elif span.kind != "absolute":
        return None
    if date is None or date.precision != "day" or not date.first:
        return None
    return dt.date.fromisoformat(date.first)


def _period_end(cover: str, title: str | None) -> dt.date | None:
    """Return the last day of the period that a report names on its cover or in its title."""
    for match in _ENDED.finditer(cover):
        date = next(iter(find_dates(cover[match.end() : match.end() + _SHORT_LINE])), None)
        if date is not None and date.start == 0 and date.precision == "day" and date.last:
            return dt.date.fromisoformat(date.last)
    lines = [line for line in cover[:LETTERHEAD].split("\n") if len(line) <= _SHORT_LINE]
    for line in (title or "", *lines, " ".join(lines[:4])):
        if _REPORT.search(line) and (period := _PERIOD.search(line)):
            last = f"{period['year'][: 4 - len(period['to'] or '')]}{period['to'] or ''}"
            whole = read_date(f"{period['part'] or ''} {last}".strip())
            if whole is not None and whole.last:
                return dt.date.fromisoformat(whole.last)
    return None


# Dates that a user types as an argument, in any form.

LONGEST = 100
"""Maximum characters of a typed date or amount."""
_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d")


def day_span(typed: str, /) -> tuple[str, str]:
    """Return the first and last day of a typed date, ``YYYY-MM-DD``; see :func:`typed_date`."""
    date = typed_date(typed)
    return str(date.first), str(date.last)


def typed_date(typed: str, /) -> DateSpan:
    """Return a typed date with its days; raise ``UsageError`` if it is invalid or ambiguous."""
    dates = dates_of(typed.strip()) if len(typed) <= LONGEST else []
    if len(dates) == 1 and None not in {dates[0].value, dates[0].first, dates[0].last}:
        return dates[0]
    problem = "cannot be read as a date"
    if len(dates) == 1 and dates[0].readings:
        problem = f"can be read as {' or '.join(dates[0].readings)}"
    raise UsageError(
        f'"{shown(typed)}" {problem}.',
        hint="Write it as YYYY-MM-DD, such as 2024-03-12; 2024-03 and 2024 are good, too.",
    )


def dates_of(text: str, /) -> list[DateSpan]:
    """Return the dates of a typed text, if it has nothing else."""
    from casetrack.extract.dates import find_dates
    from casetrack.extract.spans import DateSpan

    if _YEAR.fullmatch(text):
        # In running text four digits are a number; typed alone where a date goes, a year.
        days = (f"{text}-01-01", f"{text}-12-31")
        return [DateSpan(0, 4, text, "absolute", text, *days, "year", (), 1.0)]
    return [d for d in find_dates(text) if is_all(text, d.start, d.end)]


def is_all(text: str, start: int, end: int, /) -> bool:
    """Return whether the span covers everything except punctuation."""
    return not any(c.isalnum() for c in text[:start] + text[end:])
