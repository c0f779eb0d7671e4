"""Implausible years are no dates, by form and context; see :mod:`casetrack.base.years`."""

from __future__ import annotations

import datetime as dt

import pytest

from casetrack.extract.card.cover import Cover
from casetrack.extract.card.read import card_columns
from casetrack.extract.dates import find_dates
from casetrack.extract.papers.text import TextPage
from casetrack.parse.dates import mail_date as parse_date
from casetrack.parse.dates import parse_date as web_date
from casetrack.parse.image.reader import date_of
from casetrack.parse.package import moment
from casetrack.parse.pdf.open import parse_date as pdf_date

NO_DATES = (
    *("JUN 1087", "P/N: DEC 1440 rev B", "12-JUN-1087", "Jun 1215", "JUNE 1087", "06/12/1087"),
    *("1087-06-12", "30 Nov 0002", "Saturday, November 30, 0002 12:00 AM", "12 June 0987"),
    *("Sent: Monday, 3 May 1087 10:12 AM\nTo: Bo", "On 3 May 1087 at 10:12, Ada Moss wrote:"),
    *("Am Montag, 3. Juni 1087 um 10:12 schrieb Ada Moss:", "> Date: 15 June 1215 10:12"),
    *("in 1080 units", "since 1080", "from 1042 to 1066", "the 1080s", "Q3 1080", "30 Nov 9999"),
    *("1/1/1970 00:00", "Thu, 1 Jan 1970 00:00 +0000", "12/30/1899 0:00", "0 Jan 1900"),
)
DATES = {
    "sealed on 15 June 1215 at Runnymede": "1215-06-15",
    "Sent: 3 May 2021 10:12": "2021-05-03",
    "In 1215 King John sealed it": "1215",
    "on 30 Nov 0800 hours": "--11-30",
    "until 31 December 2135": "2135-12-31",
}


@pytest.mark.parametrize("text", NO_DATES)
def test_an_implausible_year_is_no_date(text: str) -> None:
    assert find_dates(text) == ()


@pytest.mark.parametrize("text", DATES)
def test_a_year_of_history_is_a_date(text: str) -> None:
    assert [span.value for span in find_dates(text)] == [DATES[text]]


@pytest.mark.parametrize(
    ("result", "year"),
    [
        (parse_date("Sat, 30 Nov 0002 00:00:00 +0000"), None),
        (parse_date("Sat, 30 Nov 2002 00:00:00 0000"), 2002),
        (parse_date("30 Nov 02 09:15 GMT"), 2002),
        *((parse_date(f"Fri, 30 Nov {year} 00:00:00 +0000"), None) for year in (2057, 2190)),
        (parse_date("Wed, 31 Dec 1969 16:00:00 -0800"), None),
        (parse_date("Mon, 31 Dec 1979 16:00:00 -0800"), None),
        (moment("1980-01-01T00:00:00Z"), None),
        (pdf_date("D:20210304000000Z"), 2021),
        (moment("1970-01-01T00:00:00Z"), None),
        (date_of({"taken": "1952:07:01 10:00:00"}, "taken"), 1952),
        (date_of({"taken": "0001:01:01 00:00:00"}, "taken"), None),
        (web_date("Sat, 30 Nov 0002 00:00:00 +0000"), None),
        (web_date("1813-01-28"), 1813),
    ],
)
def test_recorded_and_stated_moments(result: dt.datetime | None, year: int | None) -> None:
    assert (result.year if result else None) == year


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Annual Report 2020\n\nA good year.", "2020-12-31"),
        ("ACME\nAnnual Report and Accounts 2019/20", "2020-12-31"),
        ("FORM 10-K\nFor the fiscal year ended June 30, 2020", "2020-06-30"),
        ("Geschäftsbericht 2018\n\nWorte.", "2018-12-31"),
        ("Annual Report 2020\n15 February 2021\n", "2021-02-15"),
        ("It was in 2012, as the report says in many more words than fit here.", None),
        ("Report 1080\n", None),
    ],
)
def test_the_text_states_the_date_of_a_document(text: str, day: str | None) -> None:
    card = card_columns(Cover([TextPage(1, text)]), "report")
    assert (card["stated_on"] or (card["period"] or "").rpartition("/")[2] or None) == day
