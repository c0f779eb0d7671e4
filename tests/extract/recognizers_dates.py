"""Score the date finder against a recogniser specification: cases with texts and expected dates.

The cases are JSON files of one list each. An extractor case gives the spans of the dates in a text;
a parser or model case also gives their values. Expressions that the finder leaves out on purpose
(times of day, durations, sets) are not scored, but a text with only those must give no date.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.extract.dates import find_dates

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.extract.spans import DateSpan

_DATES = {"date", "daterange"}
_WITH_TIMES = {"datetime", "datetimerange"}
_OPEN_ENDED = re.compile(
    r"^(?:> ?=?|since|after|before|until|later than|earlier than|no later than|no earlier than|"
    r"starting|beginning on|as early as|as late as|more than|less than)\b|(?:or|and) later$",
    re.IGNORECASE,
)


@dataclass
class Count:
    """Cases of one kind: all, and those that came out right."""

    total: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, *, right: bool, note: str) -> None:
        """Count one case; keep *note* if it is wrong."""
        self.total += 1
        self.right += right
        if not right:
            self.wrong.append(note)

    @property
    def share(self) -> float:
        """Right ones among all."""
        return self.right / self.total if self.total else 1.0


def score(folder: Path) -> dict[str, Count]:
    """Return counts by kind for the date cases in *folder*.

    Kinds are named by file; ``everywhere`` are the cases that every implementation must pass.
    Open-ended ranges ("since August") and dates with a time, of which the finder returns the date
    alone, have separate kinds. So do cases with a result without a type and without typed values:
    only their places are scored.
    """
    counts: dict[str, Count] = {}

    def add(kind: str, case: dict[str, Any], *, right: bool, note: str) -> None:
        kinds = [kind] if "NotSupported" in case else [kind, f"{kind}, everywhere"]
        for name in kinds:
            counts.setdefault(name, Count()).add(right=right, note=note)

    for name in ("DateExtractor", "DatePeriodExtractor", "DateParser", "DatePeriodParser"):
        for case in _cases(folder, name):
            spans = _of_kind(name, find_dates(case["Input"], anchor=_anchor(case)))
            valued = name.endswith("Parser")
            right = _agree(case["Results"], spans, valued=valued)
            add(name, case, right=right, note=_note(case, spans))
    for case in _cases(folder, "DateTimeModel"):
        spans = find_dates(case["Input"], anchor=_anchor(case))
        kind, right = _model(case, spans)
        add(f"DateTimeModel {kind}", case, right=right, note=_note(case, spans))
    return counts


def _of_kind(name: str, spans: tuple[DateSpan, ...]) -> tuple[DateSpan, ...]:
    """Leave out results of other kinds: ranges among days, days among ranges."""
    daily = not name.startswith("DatePeriod")
    return tuple(span for span in spans if (span.precision == "day") is daily)


def _cases(folder: Path, name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(
        (folder / f"{name}.json").read_text(encoding="utf-8-sig")
    )
    return cases


def _anchor(case: dict[str, Any]) -> dt.date | None:
    moment = case.get("Context", {}).get("ReferenceDateTime")
    return dt.datetime.fromisoformat(moment).date() if moment else None


def _note(case: dict[str, Any], spans: tuple[DateSpan, ...]) -> str:
    expected = [
        (item["Text"], item.get("Value", item.get("Resolution"))) for item in case["Results"]
    ]
    actual = [(span.text, span.kind, span.value or span.readings) for span in spans]
    return f"{case['Input']!r}: {expected} <> {actual}"


def _type(result: dict[str, Any]) -> str:
    """Return the type of a result, or that of its values."""
    values = (result.get("Resolution") or {}).get("values", [])
    messages = next((value["type"] for value in values if value.get("type")), "")
    name: str = result.get("TypeName") or result.get("Type") or messages
    return name.removeprefix("datetimeV2.")


def _model(case: dict[str, Any], spans: tuple[DateSpan, ...]) -> tuple[str, bool]:
    types = {_type(result) for result in case["Results"]}
    dates = [result for result in case["Results"] if _type(result) in _DATES]
    if "" in types:
        texts = [result["Text"].lower() for result in case["Results"]]
        return "type not told", all(any(s.text.lower() in text for text in texts) for s in spans)
    if any(_OPEN_ENDED.search(result["Text"]) for result in dates):
        inside = all(any(span.text.lower() in result["Text"] for span in spans) for result in dates)
        return "open-ended", inside
    if types & _WITH_TIMES:
        timed = [result for result in case["Results"] if _type(result) in _WITH_TIMES]
        return "date of a time", all(_date_part(result, spans) for result in timed)
    if dates:
        return "dates", _agree(dates, spans, valued=True)
    return "no date", not spans


def _agree(results: list[dict[str, Any]], spans: tuple[DateSpan, ...], *, valued: bool) -> bool:
    if len(results) != len(spans):
        return False
    return all(
        result["Text"].lower() == span.text.lower() and (not valued or _same(result, span))
        for result, span in zip(results, spans, strict=True)
    )


def _date_part(result: dict[str, Any], spans: tuple[DateSpan, ...]) -> bool:
    values = (result.get("Resolution") or {}).get("values", [])
    days = {str(v[n])[:10] for v in values for n in ("value", "start", "end") if v.get(n)}
    times_only = any(
        v.get("timex") == "PRESENT_REF" or "hour" in v.get("timex", "") for v in values
    )
    inside = [span for span in spans if span.text.lower() in result["Text"]]
    if not inside:
        return times_only or not re.search(r"[a-z]+day|[0-9]{4}|tomorrow", result["Text"])
    if "not resolv" in days:  # the calendar does not have it
        return all(span.kind == "impossible" for span in inside)
    days |= {str(v.get("timex")).lstrip("(")[:10] for v in values}
    actual = {day for span in inside for day in (*_starts(span), span.first)}
    return bool(days & (actual | {timex for span in inside for timex in _as_timex(span)}))


def _starts(span: DateSpan) -> list[str]:
    return [reading[:10] for reading in (span.value, *span.readings) if reading]


def _same(result: dict[str, Any], span: DateSpan) -> bool:
    """Whether one of the values that a result may have is one that the span has."""
    timexes, days = _expected(result)
    pairs = {re.sub(r"^\((.+?),(.+?),P.*", r"\1/\2", timex) for timex in timexes}
    if (pairs | timexes) & _as_timex(span):
        return True
    if not days:
        return span.first is None
    return bool(days & _covered(span))


def _expected(result: dict[str, Any]) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the symbolic values of a result, and its first and last days."""
    timexes: set[str] = set()
    days: set[tuple[str, str]] = set()
    value = result.get("Value")
    if value is not None:
        timexes |= {value["Timex"]} if value.get("Timex") else set()
        items = [value.get("FutureResolution") or {}, value.get("PastResolution") or {}]
    else:
        items = (result.get("Resolution") or {}).get("values", [])
        timexes |= {item["timex"] for item in items if "timex" in item}
    for item in items:
        first = item.get("date") or item.get("startDate") or item.get("start") or item.get("value")
        last = item.get("endDate") or item.get("end") or first
        if first and re.match(r"\d{4}-\d\d-\d\d", first) and not first.startswith("0001"):
            days.add((first, last))
    return timexes, days


def _as_timex(span: DateSpan) -> set[str]:
    """Return the symbolic forms of a span without the document's date."""
    value = span.value or ""
    forms = {value, *span.readings} - {""}
    return {re.sub(r"(^|/)--", r"\1XXXX-", form) for form in forms}


def _covered(span: DateSpan) -> set[tuple[str, str]]:
    """Return first and last days, for every convention of the end of a range.

    The specification's ranges end before their end, or on it if days are named, or with the first
    day of the last named period.
    """
    covered: set[tuple[str, str]] = set()
    for value in (span.value, *span.readings):
        if not value or value.startswith("-"):
            continue
        start, _, stop = value.partition("/")
        opened, closed = _days(start), _days(stop or start)
        if opened is None or closed is None:
            continue
        after = closed[1] + dt.timedelta(days=1)
        for last in {closed[1], after, *((closed[0],) if stop else ())}:
            covered.add((opened[0].isoformat(), last.isoformat()))
    return covered


def _days(value: str) -> tuple[dt.date, dt.date] | None:
    """Return the days of a single value, computed apart from the finder."""
    if match := re.fullmatch(r"(\d{4})-W(\d\d)", value):
        monday = dt.date.fromisocalendar(int(match[1]), int(match[2]), 1)
        return monday, monday + dt.timedelta(days=6)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return dt.date.fromisoformat(value), dt.date.fromisoformat(value)
    months = {"Q": 3, "H": 6}
    if match := re.fullmatch(r"(\d{4})-([QH])(\d)", value):
        length = months[match[2]]
        return _months(int(match[1]), (int(match[3]) - 1) * length, length)
    if match := re.fullmatch(r"(\d{4})-(\d\d)", value):
        return _months(int(match[1]), int(match[2]) - 1, 1)
    if re.fullmatch(r"\d{4}", value):
        return _months(int(value), 0, 12)
    if re.fullmatch(r"\d{3}X", value):
        return _months(int(value[:3]) * 10, 0, 120)
    return None


def _months(year: int, skipped: int, length: int) -> tuple[dt.date, dt.date]:
    first, after = year * 12 + skipped, year * 12 + skipped + length
    begin = dt.date(first // 12, first % 12 + 1, 1)
    return begin, dt.date(after // 12, after % 12 + 1, 1) - dt.timedelta(days=1)
