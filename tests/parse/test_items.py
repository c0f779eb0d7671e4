"""Calendars and contacts: one page per item, lines of the file, every hostile text is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.parse.text.items import ItemReader

if TYPE_CHECKING:
    from pathlib import Path

CALENDAR = r"""BEGIN:VCALENDAR
X-WR-CALNAME:Site
BEGIN:VTIMEZONE
TZID:Europe/Berlin
END:VTIMEZONE
BEGIN:VEVENT
UID:1@acme.com
SUMMARY:Handover of
  chamber 3
DTSTART;TZID=/acme.com/Europe/Berlin:20240312T100000
DTEND;VALUE=DATE:20240313
ORGANIZER;CN="Roe, Jo: Acme":mailto:jo@acme.com
DESCRIPTION:Bring keys\, please.\nGate 2
BEGIN:VALARM
DESCRIPTION:An alarm
END:VALARM
END:VEVENT
BEGIN:VTODO
DUE:20240401T120000Z
SUMMARY:Invoice
END:VTODO
END:VCALENDAR
"""
CONTACT = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;Dr.
TEL;CELL:+49 170 1234
item1.EMAIL;TYPE=work:joerg@acme.de
ADR;WORK:;;Hauptstr. 1;Berlin;;10115;Germany
END:VCARD
"""


def texts(path: Path, content: str) -> list[str]:
    path.write_bytes(content.encode())
    return [page.text for page in ItemReader().read(path).pages]


def test_each_item_is_a_page(tmp_path: Path) -> None:
    assert texts(tmp_path / "a.ics", CALENDAR) == [
        (
            "Handover of chamber 3\n\nStart: 2024-03-12 10:00 (Europe/Berlin)\nEnd: 2024-03-12\n"
            "Organizer: Roe, Jo: Acme <jo@acme.com>\nDescription: Bring keys, please.\nGate 2"
        ),
        "Due: 2024-04-01 12:00 UTC\n\nInvoice",
    ]
    reading = ItemReader().read(tmp_path / "a.ics")
    assert (reading.info.format, reading.info.title) == ("ics", "Site")
    assert [line.number for line in next(reading.pages).lines] == [8, 10, 11, 12, 13, 13]


def test_a_contact_has_its_names_and_addresses(tmp_path: Path) -> None:
    assert texts(tmp_path / "a.vcf", CONTACT) == [
        (
            "Name: Dr. Jörg Müller\nTelephone (cell): +49 170 1234\nMail (work): joerg@acme.de\n"
            "Address (work): Hauptstr. 1, Berlin, 10115, Germany"
        )
    ]


def test_a_file_without_items_is_read_as_text(tmp_path: Path) -> None:
    for content in ("No calendar", "BEGIN:VEVENT\nEND:VEVENT"):
        assert texts(tmp_path / "a.ics", content) == [content]


@pytest.mark.timeout(60)
@given(
    st.lists(st.sampled_from([*CALENDAR.splitlines(), *CONTACT.splitlines(), "", " x", ";:", '"']))
)
def test_any_order_of_lines_is_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("items") / "a.ics"
    assert texts(path, "\n".join(lines) or " ")
