"""Dates as the heads of web pages and books write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from casetrack.readers.mail import headers
from casetrack.years import stated

_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")


def parse_date(text: str | None, /) -> datetime | None:
    """Return an ISO 8601 date or one of a mail header in UTC, ``None`` where it is neither.

    A date without a time zone counts as UTC; a bare year or month as its first day.
    """
    if not text:
        return None
    text = text.strip()[:64]
    bare = _YEAR_OR_MONTH.fullmatch(text)
    if bare:
        text = f"{bare[1]}-{bare[2] or '01'}-01"
    try:
        return _utc(datetime.fromisoformat(text))
    except ValueError:
        pass
    found = headers.parse_date(text)
    return None if found is None else _utc(found)


def _utc(moment: datetime) -> datetime | None:
    if moment.tzinfo is None:
        return stated(moment.replace(tzinfo=UTC))
    try:
        return stated(moment.astimezone(UTC))
    except OverflowError:
        return None
