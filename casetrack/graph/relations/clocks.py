"""Moments that two clocks showed: one in a mail's head, one where it is quoted."""

from __future__ import annotations

from datetime import datetime

_QUARTER = 15
_ZONES = 14 * 60


def day_key(moment: datetime, /) -> str:
    """Return the day of a moment, ``2024-05-04``."""
    return moment.strftime("%Y-%m-%d")


def readings(written: str, /) -> list[datetime]:
    """Return the moments that a quoted one may be: with day and month the other way round too."""
    moment = datetime.fromisoformat(written)
    found = [moment]
    if moment.day <= 12 and moment.day != moment.month:
        found.append(moment.replace(month=moment.day, day=moment.month))
    return found


def same_minute(written: datetime, sent: datetime | None, slack: int, /) -> bool:
    """Tell whether a clock somewhere showed one moment at the other, but for *slack* minutes."""
    if sent is None:
        return False
    apart = round((written - sent).total_seconds() / 60)
    return abs(apart) <= _ZONES and min(apart % _QUARTER, -apart % _QUARTER) <= slack
