"""Printed places in a collection: in citations, JSON and SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.base.records.shape import SOURCE
from editions.legal.cases import new_case
from tests.tools.transcripts import LAYOUTS, pages_of, write_pdf

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return a case with a stamped deposition, and a letter stamped after a gap."""
    folder = tmp_path_factory.mktemp("case")
    layout = LAYOUTS["stamped Bates"]
    write_pdf(folder / "Smith Dep.pdf", layout, pages_of(layout, 3, seed=6))
    (folder / "Letter.txt").write_text("Dear Jane,\nit was late.\nABC000007\n")
    return new_case(tmp_path_factory.mktemp("home"), folder)


@pytest.mark.slow
def test_page_and_line_are_in_citations_json_and_sql(case: Collection) -> None:
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
