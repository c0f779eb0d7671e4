"""Dates in texts: every kind of expression, non-dates, and the readings of ambiguous ones."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest

from casetrack.extract.dates import day_order, find_dates, read_date

ANCHOR = dt.date(2024, 5, 1)  # A Wednesday.


def _days(table: str) -> list[tuple[str, str, str, str, str]]:
    """Return text, value, first and last day and precision of texts that mean one day."""
    matches = re.findall("(.+) = (.+)", table.replace(" | ", "\n"))
    return [(text, day, day, day, "day") for text, day in matches]


_DAYS = """
12 March 2024 = 2024-03-12 | 12th March, 2024 = 2024-03-12 | March 12th, 2024 = 2024-03-12
Mar. 12, 2024 = 2024-03-12 | MARCH 12, 2024 = 2024-03-12 | 12-Mar-24 = 2024-03-12
12.03.2024 = 2024-03-12 | 3.4.2024 = 2024-04-03 | 2024-03-12 = 2024-03-12
2024/03/12 = 2024-03-12 | 3/25/2024 = 2024-03-25 | 25/04/2024 = 2024-04-25
05/05/2024 = 2024-05-05 | 29 February 2024 = 2024-02-29 | Tuesday, 12 March 2024 = 2024-03-12
the 12th day of March, 2024 = 2024-03-12 | 5th day of May 2019 = 2019-05-05
twelfth of March two thousand and four = 2004-03-12 | May the eleventh, 2023 = 2023-05-11
12. März 2024 = 2024-03-12 | 12 de marzo de 2024 = 2024-03-12 | 12 mars 2024 = 2024-03-12
the last day of February 2024 = 2024-02-29 | the first Friday of July 2024 = 2024-07-05
thirty (30) days after January 1, 2020 = 2020-01-31 | Easter Sunday 2024 = 2024-03-31
Thanksgiving 2024 = 2024-11-28 | New Year’s Eve 2024 = 2024-12-31 | Mother's Day 2024 = 2024-05-12
"""
ABSOLUTE = [
    *_days(_DAYS),
    ("March 2024", "2024-03", "2024-03-01", "2024-03-31", "month"),
    ("03/2024", "2024-03", "2024-03-01", "2024-03-31", "month"),
    ("end of March 2024", "2024-03", "2024-03-01", "2024-03-31", "month"),
    ("year 2024", "2024", "2024-01-01", "2024-12-31", "year"),
    ("early 2024", "2024", "2024-01-01", "2024-12-31", "year"),
    ("Q3 2024", "2024-Q3", "2024-07-01", "2024-09-30", "quarter"),
    ("3Q24", "2024-Q3", "2024-07-01", "2024-09-30", "quarter"),
    ("third quarter of 2023", "2023-Q3", "2023-07-01", "2023-09-30", "quarter"),
    ("3. Quartal 2024", "2024-Q3", "2024-07-01", "2024-09-30", "quarter"),
    ("H1 2025", "2025-H1", "2025-01-01", "2025-06-30", "half"),
    ("1H23", "2023-H1", "2023-01-01", "2023-06-30", "half"),
    ("second half of 2024", "2024-H2", "2024-07-01", "2024-12-31", "half"),
    ("week 7 of 2024", "2024-W07", "2024-02-12", "2024-02-18", "week"),
    ("KW 32/2024", "2024-W32", "2024-08-05", "2024-08-11", "week"),
    ("2024-W07", "2024-W07", "2024-02-12", "2024-02-18", "week"),
    ("the last week of January 2025", "2025-W05", "2025-01-27", "2025-02-02", "week"),
    ("the 1990s", "199X", "1990-01-01", "1999-12-31", "decade"),
    ("mid-1980s", "198X", "1980-01-01", "1989-12-31", "decade"),
    ("the seventies", "197X", "1970-01-01", "1979-12-31", "decade"),
    ("from 4 to 22 March 2024", "2024-03-04/2024-03-22", "2024-03-04", "2024-03-22", "range"),
    ("March 4–22, 2024", "2024-03-04/2024-03-22", "2024-03-04", "2024-03-22", "range"),
    ("January–March 2024", "2024-01/2024-03", "2024-01-01", "2024-03-31", "range"),
    ("from Nov to March 2024", "2023-11/2024-03", "2023-11-01", "2024-03-31", "range"),
    ("2019-2021", "2019/2021", "2019-01-01", "2021-12-31", "range"),
    ("between 1 May and 3 June 2024", "2024-05-01/2024-06-03", "2024-05-01", "2024-06-03", "range"),
    ("10/20/2018-11/25/2018", "2018-10-20/2018-11-25", "2018-10-20", "2018-11-25", "range"),
    ("01.05.–03.05.2024", "2024-05-01/2024-05-03", "2024-05-01", "2024-05-03", "range"),
    ("1.-3.5.2024", "2024-05-01/2024-05-03", "2024-05-01", "2024-05-03", "range"),
    ("Feb from 2 to 7, 2018", "2018-02-02/2018-02-07", "2018-02-02", "2018-02-07", "range"),
    ("Q1 to Q3 2024", "2024-Q1/2024-Q3", "2024-01-01", "2024-09-30", "range"),
    (
        "five years commencing on 1 January 2020",
        "2020-01-01/2024-12-31",
        "2020-01-01",
        "2024-12-31",
        "range",
    ),
]


@pytest.mark.parametrize(("text", "value", "first", "last", "precision"), ABSOLUTE)
def test_dates_with_one_value(text: str, value: str, first: str, last: str, precision: str) -> None:
    before = "The parties met on the record; see: "
    (span,) = find_dates(f"{before}{text}; and so on.")
    assert (span.start, span.text) == (len(before), text)
    assert (span.kind, span.value, span.precision) == ("absolute", value, precision)
    assert (span.first, span.last, span.readings) == (first, last, ())
    assert 0.5 < span.confidence < 1
    alone = read_date(text)  # the matched text alone has the same readings
    assert alone is not None
    assert (alone.start, alone.end, alone.value) == (0, len(text), value)
    assert (alone.kind, alone.readings) == (span.kind, ())


@pytest.mark.parametrize(
    ("text", "result", "value"),
    [
        ("The report appeared in 2024.", "2024", "2024"),
        ("im Jahr 2024 wurde", "Jahr 2024", "2024"),
        ("It ended in nineteen ninety six.", "nineteen ninety six", "1996"),
        ("signed 12 March 2024 at 5 pm", "12 March 2024", "2024-03-12"),
        ("logged 2024-03-12T10:15:00Z", "2024-03-12", "2024-03-12"),
        ("file sales_report-2002-10-09.xlsx", "2002-10-09", "2002-10-09"),
        ("for $12 December 27, 2019", "December 27, 2019", "2019-12-27"),
        ("12\nMarch 2024", "12\nMarch 2024", "2024-03-12"),
    ],
)
def test_place_in_the_text(text: str, result: str, value: str) -> None:
    (span,) = find_dates(text)
    assert (span.text, span.value) == (result, value)
    assert text[span.start : span.end] == span.text


def test_every_year_of_a_list_is_found() -> None:
    spans = find_dates("Sales fell in 2019, 2020 and 2021 in 300 shops.")
    assert [span.value for span in spans] == ["2019", "2020", "2021"]


@pytest.mark.parametrize("text", ["FY2024", "FY 24", "fiscal year 2024", "Geschäftsjahr 2024"])
def test_a_financial_year_has_no_days(text: str) -> None:
    (span,) = find_dates(f"Profit of {text} rose.")
    assert (span.text, span.kind, span.value) == (text, "absolute", "FY2024")
    assert (span.first, span.last, span.precision) == (None, None, "year")


@pytest.mark.parametrize(
    ("text", "value", "precision", "readings"),
    [
        ("12 March", "--03-12", "day", ("2024-03-12", "2025-03-12")),
        ("January", "--01", "month", ("2024-01", "2025-01")),
        ("Q3", "--Q3", "quarter", ("2023-Q3", "2024-Q3")),
        ("KW 32", "--W32", "week", ("2023-W32", "2024-W32")),
        (
            "1 October to 31 December",
            "--10-01/--12-31",
            "range",
            ("2023-10-01/2023-12-31", "2024-10-01/2024-12-31"),
        ),
        ("29 February", "--02-29", "day", ("2024-02-29", "2028-02-29")),
    ],
)
def test_without_a_year(text: str, value: str, precision: str, readings: tuple[str, ...]) -> None:
    (bare,) = find_dates(f"due on {text}.")
    assert (bare.text, bare.kind, bare.value) == (text, "partial", value)
    assert (bare.first, bare.last, bare.precision, bare.readings) == (None, None, precision, ())
    (near,) = find_dates(f"due on {text}.", anchor=ANCHOR)
    assert (near.kind, near.value, near.first, near.readings) == ("partial", value, None, readings)


def test_a_weekday_decides_the_year() -> None:
    (span,) = find_dates("on Tuesday 30 April", anchor=ANCHOR)
    assert (span.kind, span.value, span.first) == ("partial", "2024-04-30", "2024-04-30")


_RELATIVE_DAYS = """
yesterday = 2024-04-30 | the day after tomorrow = 2024-05-03
two days after tomorrow = 2024-05-04 | three weeks ago = 2024-04-10 | in 3 weeks = 2024-05-22
2 years 1 month and 3 days ago = 2022-03-29 | vor drei Wochen = 2024-04-10
next Monday = 2024-05-06 | last Friday = 2024-04-26 | Tuesday of last week = 2024-04-23
the second Monday of next month = 2024-06-10
"""
RELATIVE = [
    *_days(_RELATIVE_DAYS),
    ("last week", "2024-W17", "2024-04-22", "2024-04-28", "week"),
    ("next month", "2024-06", "2024-06-01", "2024-06-30", "month"),
    ("this quarter", "2024-Q2", "2024-04-01", "2024-06-30", "quarter"),
    ("last year", "2023", "2023-01-01", "2023-12-31", "year"),
    ("the next decade", "203X", "2030-01-01", "2039-12-31", "decade"),
    ("nächste Woche", "2024-W19", "2024-05-06", "2024-05-12", "week"),
    ("end of the month", "2024-05", "2024-05-01", "2024-05-31", "month"),
    ("rest of the week", "2024-05-01/2024-05-05", "2024-05-01", "2024-05-05", "range"),
    ("past 3 weeks", "2024-04-10/2024-04-30", "2024-04-10", "2024-04-30", "range"),
    ("next 5 days", "2024-05-02/2024-05-06", "2024-05-02", "2024-05-06", "range"),
    ("from Jan 22 to today", "2024-01-22/2024-05-01", "2024-01-22", "2024-05-01", "range"),
    ("June next year", "2025-06", "2025-06-01", "2025-06-30", "month"),
    ("year to date", "2024-01-01/2024-05-01", "2024-01-01", "2024-05-01", "range"),
]


@pytest.mark.parametrize(("text", "value", "first", "last", "precision"), RELATIVE)
def test_relative_dates(text: str, value: str, first: str, last: str, precision: str) -> None:
    (span,) = find_dates(f"They wrote {text}.")
    assert (span.text, span.kind, span.precision) == (text, "relative", precision)
    assert (span.value, span.first, span.last) == (None, None, None)
    resolved = read_date(span.text, anchor=ANCHOR)
    assert resolved is not None
    assert (resolved.kind, resolved.value, resolved.precision) == ("relative", value, precision)
    assert (resolved.first, resolved.last) == (first, last)


def test_expressions_of_many_forms() -> None:
    wrong = []
    table = (Path(__file__).parent / "dates_counted.txt").read_text(encoding="utf-8")
    for text, values in re.findall(r"^([^#].*) = (.*)$", table, re.MULTILINE):
        spans = find_dates(f"It was agreed, {text}, in writing.", anchor=ANCHOR)
        result = [(" | ".join(span.readings) or span.value, span.text in text) for span in spans]
        wrong += [] if result == [(values, True)] else [(text, values, result)]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("03/04/2024", ("2024-03-04", "2024-04-03")),
        ("3-4-2024", ("2024-03-04", "2024-04-03")),
        ("03/04/05", ("2005-03-04", "2005-04-03", "2003-04-05")),
        ("on 03/04", ("--03-04", "--04-03")),
        ("from 3/4/2024 to 5/6/2024", ("2024-03-04/2024-05-06", "2024-04-03/2024-06-05")),
        ("summer of 2022", ("2022-06/2022-08", "2022-12/2023-02")),
    ],
)
def test_ambiguous_dates_keep_their_readings(text: str, readings: tuple[str, ...]) -> None:
    (span,) = find_dates(text)
    assert (span.kind, span.value, span.first, span.last) == ("ambiguous", None, None, None)
    assert span.readings == readings


@pytest.mark.parametrize(
    ("text", "day_first", "value"),
    [
        ("03/04/2024", True, "2024-04-03"),
        ("03/04/2024", False, "2024-03-04"),
        ("25/04/2024", False, "2024-04-25"),
        ("04/25/2024", True, "2024-04-25"),
        ("03.04.2024", False, "2024-04-03"),
        ("03/04/05", True, "2005-04-03"),
        ("Monday, 03/04/2024", None, "2024-03-04"),
        ("Wednesday, 03/04/2024", None, "2024-04-03"),
    ],
)
def test_what_decides_the_order(text: str, day_first: bool | None, value: str) -> None:
    span = read_date(text, day_first=day_first)
    assert span is not None
    assert (span.kind, span.value, span.first) == ("absolute", value, value)


@pytest.mark.parametrize(
    "text",
    ["31/02/2024", "30 February 2024", "February 29, 2023", "31.04.2024", "2024-02-30", "Feb 30"],
)
def test_what_the_calendar_does_not_have(text: str) -> None:
    (span,) = find_dates(f"dated {text}.")
    assert (span.text, span.kind, span.value, span.first) == (text, "impossible", None, None)
    assert span.readings == ()
    assert span.confidence <= 0.6


@pytest.mark.parametrize(
    ("text", "value"),
    [("3/25/49", "2049-03-25"), ("3/25/50", "1950-03-25"), ("3/25/00", "2000-03-25")],
)
def test_years_of_two_figures(text: str, value: str) -> None:
    span = read_date(text)
    assert span is not None
    assert span.value == value
    assert span.confidence <= 0.7


NO_DATES = """
You may terminate this Agreement. | It may 12 times be extended.
They march on; the sun sat low for a second. | within 30 days of notice | a term of three years
at 5 pm or 17:30 | every Monday and each month | on 31 December of each year
on any day other than a Saturday, Sunday or public holiday | open on Friday mornings
version 1.2.2024 of the software | Section 3.4.2010 applies | server 10.1.20.24 answers
Tel: +86 138-2010-2015 | call (206) 555-1212 | SSN 123-12-1234 | a ratio of 1/2, 3/4 or 4:3
open 24/7 | a 5/16 inch bolt | $2,000 and 2000 pieces | convert $2000 to GBP
the Securities Act of 1933 | Reference BF-TS-2024-03 applies | Article 12.3 and Clause 4.5.6
the APR of a loan | Twentieth Century Fox | Theresa May spoke to April Smith | 12345/6789/2024/1
32 - 2015 and 2015-32 | There is no week 00, nor W00. | The 25th Anniversary of the company
the first party and the second party | ١٢/٠٣/٢٠٢٤ | two to four people | half a year ago
after 6-8 weeks of saline | The 25th and 75th percentile | the last year of the term
shall last 5 years from signing | the first day of the Term
"""


@pytest.mark.parametrize(
    "text", ["", " \n\t ", *NO_DATES.strip().replace("\n", " | ").split(" | ")]
)
def test_what_is_no_date(text: str) -> None:
    assert find_dates(text, anchor=ANCHOR) == ()


# After a form of address the name of a month is a person's; before another's number it is the verb.
NO_MONTHS = """
Frau März hat unterschrieben. | Sehr geehrte Frau Mai, sehr geehrter Herr August
Frau Anna März und Herrn Dr. März | Herrn März 3 Stück | Frau März 2024 befördert
Ms. May 3 times refused, Mrs April once | Dr. March, Prof. June and Miss August
Mme Juin, Monsieur Mai, Señora Abril, Don Julio | may 3 persons enter
At most may 12 employees share it | may 2 or more parties agree | nor may 2 or 3 members
nor may 5 to 7 children | nor may 3 independent directors | May 3 persons enter?
It is open. May 2 or more parties join?
"""
NEAR = """
Frau März kam am 3. März 2024 = 3. März 2024 | Frau März, 3. Mai 2024 = 3. Mai 2024
Frau Anna Weber kam im März. = März | Call Prof. April on May 3 = May 3
the vote of Ms May, May 3, 2024 = May 3, 2024 | at 5 P.M. May 3 = May 3
Dear Sir, May 3 suits me. = May 3 | on may 3, 2024 = may 3, 2024 | Meeting: May 3 = May 3
see you may 3 at noon = may 3 | may 3 works for me = may 3 | may 3 our offices are closed = may 3
may 3 or may 4 = may 3; may 4 | by may 3 parties shall answer = may 3
May 3, 2024 persons of interest = May 3, 2024 | The May 3 meetings are off. = May 3
May 3 Decisions of the Board = May 3 | from Nov. 00 to Aug. 01 = from Nov. 00 to Aug. 01
"""
NEAR_DATES = [
    *((text, []) for text in NO_MONTHS.strip().replace("\n", " | ").split(" | ")),
    *((t, d.split("; ")) for t, d in re.findall("(.+) = (.+)", NEAR.replace(" | ", "\n"))),
    ("12 Ocean Dr.\nMay 3, 2024", ["May 3, 2024"]),
]


@pytest.mark.parametrize(("text", "result"), NEAR_DATES)
def test_dates_beside_what_looks_like_them(text: str, result: list[str]) -> None:
    assert [span.text for span in find_dates(text)] == result


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (("25/04/2024", "03/04/2024"), True),
        (("04/25/2024", "03/04/2024"), False),
        (("25/04/2024", "04/25/2024"), None),
        (("03/04/2024", "12 March 2024"), None),
        (("from 25/04/2024 to 26/04/2024",), True),
        (("25.04.2024",), True),
        (("31/02/2024", "03/04/2024"), None),
        ((), None),
    ],
)
def test_the_order_of_a_document(texts: tuple[str, ...], order: bool | None) -> None:
    assert day_order(find_dates("; ".join(texts))) is order


@pytest.mark.parametrize("text", ["", "  ", "no date", "12 March 2024 and more", "1" * 300])
def test_what_is_not_one_date_alone(text: str) -> None:
    assert read_date(text) is None


def test_space_around_one_date_does_not_count() -> None:
    span = read_date("  12 March 2024\n")
    assert span is not None
    assert (span.start, span.end, span.text) == (2, 15, "12 March 2024")


def test_the_calendar_ends() -> None:
    texts = "tomorrow; next week; in 9999 years; last 9000 years; on Friday; by the 31st"
    for anchor in (dt.date.max, dt.date.min):
        for text in texts.split("; "):
            assert all(span.kind == "relative" for span in find_dates(text, anchor=anchor))


FISCAL = """
second quarter of fiscal year 2031 = FY2031-Q2 | fiscal second quarter of 2031 = FY2031-Q2
fiscal Q2 2031 = FY2031-Q2 | Q2 FY31 = FY2031-Q2 | FY31 Q4 = FY2031-Q4
first half of fiscal 2031 = FY2031-H1 | the 2031 fiscal year = FY2031
in fiscal 2031, 2030 and 2029 = FY2031 FY2030 FY2029 | fiscal 2029-2031 = FY2029/FY2031
fiscal years 2029 through 2031 = FY2029/FY2031 | third quarter of 2031 = 2031-Q3
calendar year 2031 = 2031
"""


@pytest.mark.parametrize(("text", "values"), re.findall("(.+) = (.+)", FISCAL.replace(" | ", "\n")))
def test_fiscal_periods_are_no_calendar_years(text: str, values: str) -> None:
    dates = find_dates(f"Sales rose {text} again.")
    assert " ".join(str(span.value) for span in dates) == values
    assert all((span.first is None) == values.startswith("FY") for span in dates)


OFFSETS = """
within 10 months = 2024-05-01/2025-03-01 | within the next 3 weeks = 2024-05-01/2024-05-22
within 2 weeks from today = 2024-05-01/2024-05-15
4 weeks in the future = 2024-05-02/2024-05-28 | for 3 days from tomorrow = 2024-05-02/2024-05-04
less than 3 days after tomorrow = 2024-05-02/2024-05-04
more than 2 weeks before today = 2024-04-17 | the next 4 business days = 2024-05-02/2024-05-07
the day before 3 May 2031 = 2031-05-02 | 3 days after thanksgiving = 2024-12-01
Labor Day weekend 2031 = 2031-08-30/2031-09-01 | next 12/25 = 2024-12-25
Juneteenth 2031 = 2031-06-19 | two and a half years ago = 2021-11-01
"""


@pytest.mark.parametrize(("text", "value"), re.findall("(.+) = (.+)", OFFSETS.replace(" | ", "\n")))
def test_times_that_reach_from_a_day(text: str, value: str) -> None:
    (span,) = find_dates(f"It is due {text}.", anchor=dt.date(2024, 5, 1))
    assert span.value == value


@pytest.mark.parametrize("text", ["within 30 days of receipt", "within ten days after the notice"])
def test_a_time_to_act_in_is_no_date(text: str) -> None:
    assert find_dates(f"Pay {text}.", anchor=dt.date(2024, 5, 1)) == ()
    assert find_dates("Pay within 30 days.") == ()
