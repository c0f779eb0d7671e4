"""When a whole folder is compared next. Pure arithmetic on seconds since 1970."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING

from casetrack.base.arguments import one_of
from casetrack.base.errors import UsageError
from casetrack.base.records.sync import SCHEDULES

if TYPE_CHECKING:
    from casetrack.base.records.sync import Schedule, Watch

_HOUR = 3600.0
_INTERVALS: dict[Schedule, float] = {
    # Changes are heard at once; this is the safety net for those that were not.
    "on_change": 6 * _HOUR,
    "hourly": _HOUR,
    "every_6h": 6 * _HOUR,
    "every_12h": 12 * _HOUR,
}
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def next_full(watch: Watch, after: float, /, *, zone: tzinfo | None = None) -> float | None:
    """Return when the whole folder of *watch* is due, if it was last compared at *after*.

    A time that passed while nobody watched lies in the past: it is made up for once, and counting
    goes on from then.

    Parameters
    ----------
    watch
        Its schedule and daily time count.
    after
        Seconds since 1970.
    zone
        The time zone of daily times; the machine's own by default.

    Returns
    -------
    float or None
        Seconds since 1970; ``None`` for the schedule ``manual``.
    """
    if watch.schedule == "manual":
        return None
    if watch.schedule == "daily":
        return _next_daily(_time_of(watch.daily_time), after, zone)
    return after + _INTERVALS[watch.schedule]


def checked_schedule(text: str, /) -> Schedule:
    """Return the schedule that *text* names.

    Raises
    ------
    UsageError
        There is none of this name.
    """
    return one_of("schedule", text.strip().lower().replace("-", "_"), SCHEDULES)


def checked_time(text: str, /) -> str:
    """Return a time of day as ``HH:MM``.

    Raises
    ------
    UsageError
        *text* is none.
    """
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            f"{text!r} is not a time of day.",
            hint="Write it with 24 hours, such as 02:00 or 18:30.",
        )
    return f"{int(found[1]):02}:{found[2]}"


def _time_of(text: str) -> time:
    hour, minute = checked_time(text).split(":")
    return time(int(hour), int(minute))


def _next_daily(at: time, after: float, zone: tzinfo | None) -> float:
    """Return the first time of day *at* after a moment.

    Python's own rule holds where clocks are changed: a time that is left out that day is taken an
    hour later, and of a time that comes twice the first counts. So each day has exactly one.
    """
    today = datetime.fromtimestamp(after, zone).date()
    due = after
    for days in range(3):
        due = datetime.combine(today + timedelta(days=days), at, tzinfo=zone).timestamp()
        if due > after:
            break
    return due
