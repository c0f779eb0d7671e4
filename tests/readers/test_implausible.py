"""Bytes and dates that only look wrong, or only look right."""

from __future__ import annotations

import pytest

from casetrack.readers.dates import mail_date as parse_date
from casetrack.readers.encoding import decode


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 30 Nov 0002 12:00:00 +0000",
        "Sun, 30 Nov 0002 12:00 -0800",
        "Mon, 1 Jan 0100 00:00:00 GMT",
        "Thu, 01 Jan 1601 00:00:00 +0000",
        "Fri, 31 Dec 9999 23:59:59 +0000",
    ],
)
def test_a_year_without_mail_is_no_date(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Mon, 5 Mar 2001 08:00:00 -0800 (PST)", 2001),
        ("5 Mar 01 08:00 0000", 2001),
        ("Tue, 4 Jan 94 10:00:00 GMT", 1994),
        ("Thu, 1 Jan 1970 00:00:00 +0000", 1970),
    ],
)
def test_years_of_mail_are_read(text: str, year: int) -> None:
    found = parse_date(text)
    assert found is not None
    assert found.year == year


@pytest.mark.parametrize(
    "text", ["the sign \ufffd alone", "\ufffd", "a\ufffd\n" * 40_000, "Grüße \ufffd"]
)
def test_a_literal_replacement_character_is_valid_utf8(text: str) -> None:
    found = decode(text.encode())
    assert (found.text, found.encoding, found.warning) == (text, "utf-8", None)
