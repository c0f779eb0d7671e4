"""When a whole folder is due, also across nights on which clocks are changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from casetrack.api.watch.watch_list import checked_schedule, checked_time, next_full
from casetrack.base.errors import UsageError
from casetrack.base.records.sync import SCHEDULES, Watch

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
WATCH = Watch(
    id="w",
    collection_id="c",
    folder="/f",
    recursive=True,
    enabled=True,
    created_at=datetime(2025, 1, 1, tzinfo=UTC),
)


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    """Return a local time, or one with an offset, as seconds since 1970."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()


@pytest.mark.parametrize(
    ("schedule", "hours"), [("on_change", 6), ("hourly", 1), ("every_6h", 6), ("every_12h", 12)]
)
def test_intervals_count_from_the_last_comparison(schedule: str, hours: int) -> None:
    watch = replace(WATCH, schedule=schedule)
    last = at("2025-03-29T20:00")
    assert next_full(watch, last, zone=BERLIN) == last + hours * 3600


def test_manual_is_never_due() -> None:
    assert next_full(replace(WATCH, schedule="manual"), at("2025-06-01T12:00")) is None


@pytest.mark.parametrize(
    ("time", "after", "due"),
    [
        ("02:00", "2025-06-01T01:59", "2025-06-01T02:00"),
        ("02:00", "2025-06-01T02:00", "2025-06-02T02:00"),
        ("23:30", "2025-12-31T23:45", "2026-01-01T23:30"),
        # The last comparison was days ago: due at the first time missed, so once, not thrice.
        ("02:00", "2025-06-01T12:00", "2025-06-02T02:00"),
        # 2025-03-30: 02:00 to 03:00 does not exist. The run comes an hour later, on that day.
        ("02:30", "2025-03-29T12:00", "2025-03-30T03:30+02:00"),
        ("02:30", "2025-03-30T03:30+02:00", "2025-03-31T02:30+02:00"),
        # 2025-10-26: 02:30 comes twice. Only the first one counts.
        ("02:30", "2025-10-25T12:00", "2025-10-26T02:30+02:00"),
        ("02:30", "2025-10-26T02:30+02:00", "2025-10-27T02:30+01:00"),
    ],
)
def test_daily_in_local_time(time: str, after: str, due: str) -> None:
    watch = replace(WATCH, schedule="daily", daily_time=time)
    assert next_full(watch, at(after), zone=BERLIN) == at(due)


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, ZoneInfo("Asia/Kolkata"), ZoneInfo("UTC")])
def test_daily_comes_once_on_each_day_of_a_year(zone: ZoneInfo) -> None:
    watch = replace(WATCH, schedule="daily", daily_time="02:15")
    moment, days = at("2025-01-01T00:00", zone), []
    for _ in range(365):
        due = next_full(watch, moment, zone=zone)
        assert due is not None
        moment = due
        days.append(datetime.fromtimestamp(due, zone).date())
    assert len(set(days)) == 365
    assert days[-1].isoformat() == "2025-12-31"


def test_without_a_zone_the_machines_own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    if not hasattr(time, "tzset"):
        pytest.skip("this system has no tzset, so the zone cannot be set for a test")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        watch = replace(WATCH, schedule="daily", daily_time="02:30")
        assert next_full(watch, at("2025-10-25T12:00")) == at("2025-10-26T02:30+02:00")
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("text", "time"), [("2:00", "02:00"), (" 18:30 ", "18:30"), ("00:00", "00:00")]
)
def test_times_of_day(text: str, time: str) -> None:
    assert checked_time(text) == time


@pytest.mark.parametrize("text", ["", "24:00", "2", "2:60", "noon", "02:00:00"])
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="02:00"):
        checked_time(text)


def test_schedules_by_name() -> None:
    assert checked_schedule(" On-Change ") == "on_change"
    with pytest.raises(UsageError) as caught:
        checked_schedule("weekly")
    assert all(name in caught.value.hint for name in SCHEDULES)
