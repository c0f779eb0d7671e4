"""A court's docket as data, and two documents that bear one number of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.errors import UsageError
from casetrack.editions.legal.docket import read_docket
from casetrack.faces.cli.main import main
from casetrack.graph.paper_sources import same_entry
from editions.legal.cases import new_case

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    home = tmp_path_factory.mktemp("docket")
    papers = (
        ("Complaint.txt", "1", "07/20/18", "COMPLAINT"),
        ("Order.txt", "12", "09/14/18", "ORDER"),
        ("Order again.txt", "12", "09/14/18", "ORDER DENYING MOTION"),
    )
    paper = (HERE / "docket_paper.txt").read_text("utf-8")
    for name, entry, day, title in papers:
        (home / name).write_text(paper.format(entry=entry, day=day, title=title), "utf-8")
    shutil.copy(HERE / "docket.html", home / "Docket.html")
    files = (home / name for name in ("Docket.html", *(name for name, *_ in papers)))
    return new_case(home, *files, name="Whitlock")


def test_a_docket_is_read_as_data(case: Collection) -> None:
    docket = read_docket(case, "Docket.html")
    held = docket.document
    assert (held.case_name, held.judge) == ("Whitlock v. City of Salem", "Ada Brine")
    assert (held.court_id, held.filed_on) == ("ord", "2018-07-20")
    assert [(p.name, p.role) for p in held.parties or ()] == [("Cora Whitlock", "plaintiff")]
    assert [(e.number, e.filed_on, e.entered_on, e.papers) for e in docket.lines] == [
        ("1", "2018-07-20", "2018-07-21", ("Complaint.txt",)),
        (None, "2018-08-02", None, ()),
        ("12", "2018-09-14", None, ("Order again.txt", "Order.txt")),
        ("13", None, None, ()),
    ]
    (page,) = case.read.pages("Docket.html")
    for entry in docket.lines:
        assert page.text[entry.start : entry.end] == entry.text


def test_two_documents_with_one_number_are_reported(case: Collection) -> None:
    order, complaint = case.document("Order.txt"), case.document("Complaint.txt")
    assert [d.name for d in same_entry(case.documents(), order)] == ["Order again.txt"]
    assert same_entry(case.documents(), complaint) == ()


def test_another_document_is_no_docket(case: Collection) -> None:
    with pytest.raises(UsageError, match=r'"Order\.txt"'):
        read_docket(case, "Order.txt")


def test_the_columns_are_shown(
    case: Collection, capsys: pytest.CaptureFixture[str], messages: Any
) -> None:
    def told(*arguments: str) -> str:
        assert not main(["--data-dir", str(case.folder.parents[1]), *arguments, "-c", "Whitlock"])
        return capsys.readouterr().out

    assert "Order again.txt" in told("document", "Order.txt")
    (one,) = [d for d in json.loads(told("documents", "--json")) if d["name"] == "Complaint.txt"]
    assert (one["legal_type"], one["docket_entry"]) == ("complaint", "1")
    assert one["case_number"] == "6:18-cv-01322-AB"
    assert [p["role"] for p in one["parties"]] == ["plaintiff", "defendant"]
    messages(told("docket", "Docket.html"))
    assert json.loads(told("docket", "Docket.html", "--json"))["lines"][0]["number"] == "1"
    rows = case.sql("SELECT name, court_id FROM documents WHERE legal_type = 'order'").to_pylist()
    assert {(r["name"], r["court_id"]) for r in rows} == {
        ("Order.txt", "ord"),
        ("Order again.txt", "ord"),
    }
