"""The time of the next comparison of a whole folder, as arithmetic on seconds since 1970."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, tzinfo

from casetrack.base.arguments import one_of
from casetrack.base.errors import UsageError
from casetrack.base.records.sync import SCHEDULES, Schedule, Watch

_HOUR = 3600.0
_INTERVALS: dict[Schedule, float] = {
    # Changes are reported at once; the schedule catches those that were missed.
    "on_change": 6 * _HOUR,
    "hourly": _HOUR,
    "every_6h": 6 * _HOUR,
    "every_12h": 12 * _HOUR,
}
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def next_full(watch: Watch, after: float, /, *, zone: tzinfo | None = None) -> float | None:
    """Return when the whole folder of *watch* is due, if it was last compared at *after*.

    Times are seconds since 1970; ``None`` for the schedule ``manual``. A missed time is in the past
    and is made up for once. *zone* applies to daily times; the default is the machine's.
    """
    if watch.schedule == "manual":
        return None
    if watch.schedule == "daily":
        return _next_daily(_time_of(watch.daily_time), after, zone)
    return after + _INTERVALS[watch.schedule]


def checked_schedule(text: str, /) -> Schedule:
    """Return the schedule *text*.

    Raises ``UsageError`` if it is not a known schedule.
    """
    return one_of("schedule", text.strip().lower().replace("-", "_"), SCHEDULES)


def checked_time(text: str, /) -> str:
    """Return a time of day as ``HH:MM``.

    Raises ``UsageError`` if *text* is not a time of day.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{text!r} is not a time of day.",
            hint="Write it with 24 hours, such as 02:00 or 18:30.",
        )
    return f"{int(match[1]):02}:{match[2]}"


def _time_of(text: str) -> time:
    hour, minute = checked_time(text).split(":")
    return time(int(hour), int(minute))


def _next_daily(at: time, after: float, zone: tzinfo | None) -> float:
    """Return the first time of day *at* after a moment.

    When clocks change, a skipped time is an hour later, and the first of two equal times counts
    (Python's rule), so each day has exactly one.
    """
    today = datetime.fromtimestamp(after, zone).date()
    due = after
    for days in range(3):
        due = datetime.combine(today + timedelta(days=days), at, tzinfo=zone).timestamp()
        if due > after:
            break
    return due
