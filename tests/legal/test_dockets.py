"""A court's docket as data, and two documents that bear one number of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from casetrack.cli.main import main
from casetrack.errors import UsageError
from casetrack.legal.dockets import read_docket, same_entry

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.collection import Collection
    from casetrack.library import Library

SHEET = """<html><body><h3>U.S. District Court<br>District of Oregon (Salem)<br>
CIVIL DOCKET FOR CASE #: 6:18-cv-01322-AB</h3>
<table><tr><td>Whitlock v. City of Salem<br>Assigned to: Judge Ada Brine</td>
<td>Date Filed: 07/20/2018</td></tr></table>
<table><tr><td><b>Plaintiff</b></td></tr><tr><td><b>Cora Whitlock</b></td><td>represented by</td>
<td>Ned Pool</td></tr></table>
<table><tr><th>Date Filed</th><th>#</th><th>Docket Text</th></tr>
<tr><td>07/20/2018</td><td>1</td><td>COMPLAINT against City of Salem. (Pool, Ned)
(Entered: 07/21/2018)</td></tr>
<tr><td>08/02/2018</td><td></td><td>Case reassigned.</td></tr>
<tr><td>09/14/2018</td><td>12</td><td>ORDER denying motion to dismiss.</td></tr></table>
</body></html>"""
PAPER = """Case 6:18-cv-01322-AB   Document {entry}   Filed {day}   Page 1 of 3

UNITED STATES DISTRICT COURT
DISTRICT OF OREGON

CORA WHITLOCK, Plaintiff,
v.
CITY OF SALEM, Defendant.

{title}

The words of the paper.
"""


@pytest.fixture
def case(library: Library, tmp_path: Path) -> Collection:
    papers = (
        ("Complaint.txt", "1", "07/20/18", "COMPLAINT"),
        ("Order.txt", "12", "09/14/18", "ORDER"),
        ("Order again.txt", "12", "09/14/18", "ORDER DENYING MOTION"),
    )
    for name, entry, day, title in papers:
        (tmp_path / name).write_text(PAPER.format(entry=entry, day=day, title=title), "utf-8")
    (tmp_path / "Docket.html").write_text(SHEET, "utf-8")
    library.create("Whitlock")
    found = library.get("Whitlock")
    found.ingest([tmp_path / "Docket.html", *(tmp_path / name for name, *_ in papers)])
    return found


def test_a_docket_is_read_as_data(case: Collection) -> None:
    found = read_docket(case, "Docket.html")
    assert (found.document.case_name, found.document.judge) == (
        "Whitlock v. City of Salem",
        "Ada Brine",
    )
    assert (found.document.court_id, found.document.filed_on) == ("ord", "2018-07-20")
    assert [(p.name, p.role) for p in found.document.parties or ()] == [
        ("Cora Whitlock", "plaintiff")
    ]
    assert [(e.number, e.filed_on, e.entered_on, e.papers) for e in found.lines] == [
        ("1", "2018-07-20", "2018-07-21", ("Complaint.txt",)),
        (None, "2018-08-02", None, ()),
        ("12", "2018-09-14", None, ("Order again.txt", "Order.txt")),
    ]
    (page,) = case.read.pages("Docket.html")
    for entry in found.lines:
        assert page.text[entry.start : entry.end] == entry.text


def test_two_documents_with_one_number_are_told_of(case: Collection) -> None:
    order, complaint = case.document("Order.txt"), case.document("Complaint.txt")
    assert [d.name for d in same_entry(case.documents(), order)] == ["Order again.txt"]
    assert same_entry(case.documents(), complaint) == ()


def test_another_document_is_no_docket(case: Collection) -> None:
    with pytest.raises(UsageError, match=r'"Order\.txt" is no docket of a court'):
        read_docket(case, "Order.txt")


def test_the_columns_are_shown(case: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    home = str(case.folder.parent.parent)

    def told(*arguments: str) -> str:
        assert not main(["--data-dir", home, *arguments, "-c", "Whitlock"])
        return capsys.readouterr().out

    shown = " ".join(told("document", "Order.txt").split())
    assert "12 (so is Order again.txt: nothing tells which of them is meant)" in shown
    assert "United States District Court for the District of Oregon" in shown
    (one,) = [d for d in json.loads(told("documents", "--json")) if d["name"] == "Complaint.txt"]
    assert (one["legal_type"], one["case_number"], one["docket_entry"]) == (
        "complaint",
        "6:18-cv-01322-AB",
        "1",
    )
    assert [p["role"] for p in one["parties"]] == ["plaintiff", "defendant"]
    sheet = told("docket", "Docket.html")
    assert "Several documents bear this number." in sheet
    assert json.loads(told("docket", "Docket.html", "--json"))["lines"][0]["number"] == "1"
    asked = "SELECT name, court_id FROM documents WHERE legal_type = 'order' ORDER BY name"
    rows = case.sql(asked).to_pylist()
    assert rows == [
        {"name": "Order again.txt", "court_id": "ord"},
        {"name": "Order.txt", "court_id": "ord"},
    ]
