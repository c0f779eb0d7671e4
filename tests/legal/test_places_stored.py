"""Printed places in a collection: in citations, JSON and SQL, and looked up from both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.errors import UsageError
from casetrack.extract.legal.spans import Pin
from casetrack.legal.places import BatesPages, find_bates, locate
from casetrack.records.shape import SOURCE
from legal.cases import new_case
from tests.tools.transcripts import LAYOUTS, pages_of, write_pdf

if TYPE_CHECKING:
    from casetrack.collection import Collection


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return a case with a stamped deposition, and a letter stamped after a gap."""
    folder = tmp_path_factory.mktemp("case")
    layout = LAYOUTS["stamped Bates"]
    write_pdf(folder / "Smith Dep.pdf", layout, pages_of(layout, 3, seed=6))
    (folder / "Letter.txt").write_text("Dear Jane,\nit was late.\nABC000007\n")
    return new_case(tmp_path_factory.mktemp("home"), folder)


def bates(case: Collection, asked: str) -> BatesPages:
    """Look up Bates numbers."""
    return case.workspace.ask(lambda state: find_bates(state.snapshot, asked))


def test_page_and_line_stand_in_citations_json_and_sql(case: Collection) -> None:
    (page,) = (p for p in case.read.pages("Smith Dep.pdf") if p.page == 2)
    source = page.provenance
    assert source.printed_place is not None
    assert source.printed_place.startswith("62:1-")
    assert f"p. 2 ({source.printed_place})" in source.cite()
    assert SOURCE.of(source)["printed_place"].endswith("; ABC000002")
    rows = case.sql("SELECT chunk_id, citation, cite(chunk_id) AS cited FROM chunks").to_pylist()
    assert {row["citation"] for row in rows} == {row["cited"] for row in rows}
    for row in rows:
        assert case.read.chunk(row["chunk_id"]).provenance.cite() == row["citation"]
    labels = case.sql(
        "SELECT DISTINCT place.label AS label FROM (SELECT unnest(printed) AS place FROM chunks) "
        "WHERE place.kind = 'bates' ORDER BY 1"
    )
    assert [row["label"] for row in labels.to_pylist()] == [
        *(f"ABC00000{n}" for n in (1, 2, 3)),
        "ABC000007",
    ]


def test_a_pin_leads_to_its_page_and_characters(case: Collection) -> None:
    made = pages_of(LAYOUTS["stamped Bates"], 3, seed=6)
    _, line, words = made[1].expected()[4]
    document = case.document("Smith Dep.pdf")
    pin = Pin(f"62:{line}", "line", "62", "62", line, line)
    ((place,),) = case.workspace.ask(lambda state: locate(state.snapshot, document, pin))
    (page,) = (p for p in case.read.pages(document) if p.page == place.page)
    assert " ".join(page.text[place.start : place.end].split()) == words
    assert place.printed == f"62:{line}; ABC000002"


def test_bates_numbers_lead_to_pages_and_gaps_are_said(case: Collection) -> None:
    found = bates(case, "abc 000002 - 000008")
    assert [(p.document_name, p.page) for p in found.pages] == [
        ("Smith Dep.pdf", 2),
        ("Smith Dep.pdf", 3),
        ("Letter.txt", 1),
    ]
    gaps = [str(gap) for gap in found.missing]
    assert gaps == ["abc 000004-abc 000006", "abc 000008"]
    assert all(gap in str(found.note) for gap in gaps)
    assert bates(case, "ABC000001").note is None
    assert "XYZ000001" in str(bates(case, "XYZ000001").note)
    with pytest.raises(UsageError, match="42"):
        bates(case, "42")
