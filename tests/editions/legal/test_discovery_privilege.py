"""The privilege log: from the heads of mails, load files, tags and a list of attorneys."""

from __future__ import annotations

import csv
import io
import json
from email.message import Message
from typing import TYPE_CHECKING, Any

import docx
import openpyxl
import pytest

from casetrack.base.addresses import Correspondent, correspondents
from casetrack.base.errors import FileNotFound, UsageError
from casetrack.editions.legal.discovery.fields import read_counsel
from casetrack.editions.legal.discovery.load import load_production
from casetrack.editions.legal.discovery.privilege import Counsel, privilege_log
from casetrack.editions.legal.paper.privilege import COLUMNS, as_csv, as_docx, as_markdown, as_xlsx
from casetrack.parse.mail import headers
from editions.legal.cases import new_case
from editions.legal.productions import label, produce
from graph.belonging.mails import mail
from graph.belonging.measure import write

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

NOTE = "Advice on the lease that was asked for"
JANE = "Jane Roe <jroe@roe.example>"
FILES = {
    "advice.eml": mail(
        JANE,
        "ada@mill.example, Bo Renner <bo@mill.example>",
        "Advice on the lease",
        "Do not sign the lease before May.",
        0,
        cc="Cy Hale <cy@hale.example>",
        zone=-8,
    ),
    "plain.eml": mail("Bo Renner <bo@mill.example>", "ada@mill.example", "=Lunch", "At noon?", 3),
    "notes.txt": "Notes for the meeting with counsel on the lease.",
}


@pytest.fixture(scope="module", name="case")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("privilege")
    collection = new_case(folder, write(FILES, folder / "files"))
    load_production(collection, produce(folder, images=False))
    collection.marks.tag("advice.eml", "privileged", "attorney-client", note=NOTE)
    collection.marks.tag("notes.txt", "privileged", "work product")
    collection.marks.tag(f"{label(3)}.txt", "privileged")
    return collection


def test_a_log_says_what_heads_tags_and_load_files_say(case: Collection) -> None:
    log = privilege_log(case, attorneys=["roe.example"])
    rows = [(e.control_number, e.date, e.author, e.family, e.tagged) for e in log.entries]
    assert rows == [
        (label(1), "2023-05-14", "Ada Mossop <ada@mill.example>", None, False),
        (label(3), "", "", 1, True),
        (label(4), "", "", 1, False),
        ("", "", "", None, True),
        ("", "2023-09-04", f"{JANE}*", None, True),
    ]
    assert [e.number for e in log.entries] == [1, 2, 3, 4, 5]
    advice = log.entries[4]
    assert (advice.time, advice.date_is) == ("00:30 -0800", "sent")
    assert advice.recipients == "ada@mill.example; Bo Renner <bo@mill.example>"
    assert advice.cc == "Cy Hale <cy@hale.example>"
    assert (advice.basis, advice.subject) == (NOTE, "Advice on the lease")
    assert advice.attorneys == (JANE,)


def test_what_nothing_tells_is_empty_and_said(case: Collection, messages: Any) -> None:
    log = privilege_log(case, attorneys=["roe.example"])
    assert log.entries[3].unclear == ("date", "author", "basis")
    messages(as_markdown(log))


def test_no_word_of_a_document_is_told_but_its_subject(case: Collection) -> None:
    log = privilege_log(case, subjects=False)
    facts = json.dumps(log.as_dict())
    for word in ('Advice on the lease"', "sign", "Notes for", "48,000"):
        assert word not in facts
    assert not any(e.attorneys for e in log.entries)


def test_without_families_it_is_what_was_chosen(case: Collection) -> None:
    alone = privilege_log(case, documents=[label(3)], families=False)
    assert [(e.control_number, e.family) for e in alone.entries] == [(label(3), None)]
    with pytest.raises(UsageError):
        privilege_log(case, tag="a tag of no document")


def test_it_is_written_in_every_form(case: Collection) -> None:
    log = privilege_log(case, documents=["plain.eml", "advice.eml"], attorneys=["Jane Roe"])
    rows = list(csv.reader(io.StringIO(as_csv(log).removeprefix("\ufeff"))))
    assert rows[0] == list(COLUMNS)
    assert [row[5] for row in rows[1:]] == [f"{JANE}*", "Bo Renner <bo@mill.example>"]
    assert rows[2][9] == "'=Lunch"  # no formula
    table = docx.Document(io.BytesIO(as_docx(log))).tables[0]
    assert [cell.text for cell in table.rows[0].cells] == list(COLUMNS)
    assert [cell.text for cell in table.rows[1].cells] == rows[1]
    sheet = openpyxl.load_workbook(io.BytesIO(as_xlsx(log)))["Privilege log"]
    assert (sheet["F2"].value, sheet["J3"].value) == (f"{JANE}*", "=Lunch")
    assert sheet["J3"].data_type == "s"
    assert "| Jane Roe \\<jroe@roe.example\\>\\* |" in as_markdown(log)


@pytest.mark.parametrize(
    ("listed", "person", "is_listed"),
    [
        ("roe.example", Correspondent("", "jroe@roe.example"), True),
        ("@roe.example", Correspondent("", "jroe@law.roe.example"), True),
        ("roe.example", Correspondent("", "jroe@notroe.example"), False),
        ("Jane Roe", Correspondent("Roe, Jane M.", ""), True),
        ("Roe, Jane", Correspondent("", "jane.roe@mill.example"), True),
        ("Jane Roe", Correspondent("Jane Doe", ""), False),
        ("jroe@roe.example", Correspondent("J. Roe", "JRoe@Roe.example"), True),
    ],
)
def test_who_is_on_the_list(listed: str, person: Correspondent, *, is_listed: bool) -> None:
    assert Counsel([listed]).has(person) is is_listed


def test_a_single_name_is_nobody(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'Roe'"):
        Counsel(["Roe"])
    path = tmp_path / "counsel.txt"
    path.write_text("# ours\nJane Roe  # partner\n\nroe.example\n", "utf-8")
    assert read_counsel(path) == ["Jane Roe", "roe.example"]
    with pytest.raises(FileNotFound):
        read_counsel(tmp_path / "none.txt")


HEADS = {
    "a@x.example, b@x.example": ["a@x.example", "b@x.example"],
    '"Roe, Jane" <j@x.example>, b@x.example': ["Roe, Jane <j@x.example>", "b@x.example"],
    "a@x.example, law <.s@x.example>": ["a@x.example", "law <.s@x.example>"],
    "Roe, Jane; Renner, Bo": ["Roe, Jane", "Renner, Bo"],
    "A@x.example\u00aeB@x.example": ["A@x.example", "B@x.example"],
    "Mary Cook@ECT, Bo Ny/HOU/X@X": ["Mary Cook", "Bo Ny"],
    'Team: a@x.example;, "Mill, Inc." <b@x.example>': ["a@x.example", "Mill, Inc. <b@x.example>"],
    "": [],
}


@pytest.mark.parametrize(("written", "people"), HEADS.items())
def test_people_of_a_head(written: str, people: list[str]) -> None:
    assert [str(p) for p in correspondents(written)] == people


@pytest.mark.parametrize(
    ("written", "shown", "people"),
    [
        ("j@x.example", "Roe, Jane </O=X/CN=J>", "Jane Roe <j@x.example>"),
        ("j@x.example", "Roe, Jane </O=X>, Bo </O=X>", "j@x.example"),
        ("", "Bo Ny/HOU/X@X", "Bo Ny"),
    ],
)
def test_names_of_a_mailbox(written: str, shown: str, people: str) -> None:
    message = Message()
    message["To"], message["X-To"] = written, shown
    assert headers.people(message, "to") == people
