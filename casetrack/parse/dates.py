"""Dates as written in the headers of mails, web pages and books."""

from __future__ import annotations

import datetime as dt
import re
from email.utils import parsedate_to_datetime

from casetrack.base.years import recorded, stated

_EARLY_YEAR = re.compile(
    r"(?<![+\-:\d])0\d{2,3}\s+\d{1,2}:\d\d"
    r"|(?:^|[a-z],?\s+)[A-Z][a-z]{2}\s+\d{1,2}\s+\d\d:\d\d:\d\d\s+0\d{2,3}\s*$"
)
"""A year such as 0002 before the time of day, or after it as in ``asctime``."""
_YEAR_OR_MONTH = re.compile(r"\d{4}(?:-\d{2})?")


def mail_date(text: str, /) -> dt.datetime | None:
    """Return the date of a mail header with its time zone (default UTC), if it is plausible."""
    if _EARLY_YEAR.search(text):
        return None
    try:
        moment = parsedate_to_datetime(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
        aware.astimezone(dt.UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return recorded(aware)


def parse_date(text: str | None, /) -> dt.datetime | None:
    """Return an ISO 8601 or mail date in UTC (the default zone); ``None`` for less than a day."""
    if not text:
        return None
    text = text.strip()[:64]
    try:
        return _utc(dt.datetime.fromisoformat(text))
    except ValueError:
        pass
    moment = mail_date(text)
    return None if moment is None else _utc(moment)


def written_date(text: str | None, /) -> list[tuple[str, str]]:
    """Return the property for a date without a day, such as ``2021-03``; empty otherwise."""
    return [("date", text)] if text and _YEAR_OR_MONTH.fullmatch(text.strip()) else []


def _utc(moment: dt.datetime) -> dt.datetime | None:
    if moment.tzinfo is None:
        return stated(moment.replace(tzinfo=dt.UTC))
    try:
        return stated(moment.astimezone(dt.UTC))
    except OverflowError:
        return None
