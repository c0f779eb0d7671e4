"""A source that a question cites and that is in the collection: its cited page comes first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.store.session import write_session
from conftest import page_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

PAPERS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "opinion.txt": (
        ("The gate is kept by the judge.", "The inquiry is a flexible one."),
        {
            "own_citations": ("509 U.S. 579",),
            "case_name": "Daubert v. Merrell Dow Pharmaceuticals, Inc.",
            "legal_type": "opinion",
        },
    ),
    "motion.txt": (
        ("The motion begins.", "It goes on with the facts.", "It ends with a prayer."),
        {"docket_entry": "12", "legal_type": "motion", "case_number": "2:24-cv-01234-ABC"},
    ),
    "complaint.txt": (
        (
            "1. There was a crate.\n\n2. It broke.",
            "33. The crate was strapped.\n\n34. So it broke.",
        ),
        {"docket_entry": "1", "legal_type": "complaint"},
    ),
    "brief.txt": (
        ("The judge keeps the gate. Daubert, 509 U.S. 579 (1993). Dkt. 12 at 3.",),
        {"legal_type": "brief"},
    ),
}


def printed(row: dict[str, object], places: list[tuple[str, str, int, int]]) -> dict[str, object]:
    keys = ("kind", "label", "start", "end")
    return row | {"printed": [dict(zip(keys, place, strict=True)) for place in places]}


def transcript_page(number: int) -> dict[str, object]:
    lines = [f"Q. Question {number} {line}?" for line in range(1, 25)]
    text = "\n".join(lines)
    places = [("page", str(number), 0, len(text))]
    at = 0
    for line, words in enumerate(lines, start=1):
        places.append(("line", str(line), at, at + len(words)))
        at += len(words) + 1
    return printed(page_row(text, number), places)


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory, store_text: Callable[..., Any]) -> Collection:
    made = Library(load_settings(tmp_path_factory.mktemp("sources") / "data")).create("Case")
    with write_session(made.folder) as session:
        for name, (pages, facts) in PAPERS.items():
            store_text(session, name, *pages, **facts)
        spoken = [transcript_page(number) for number in (1, 2, 3)]
        facts = {"legal_type": "deposition", "witness": "Marcus Vale"}
        store_text(session, "Vale Deposition.pdf", *spoken, **facts)
        stamped = printed(page_row("Received in good order."), [("bates", "HAR000001", 0, 23)])
        store_text(session, "Ex. 1 Bill of Lading.pdf", stamped)
        for name, pages, first, last in (
            ("Manifest.xlsx", ("Crate one.", "Crate two.", "Crate three."), 10, 12),
            ("Plans.pptx", ("A plan of the mill.",), 20, 25),
        ):
            data = json.dumps({"bates_begin": f"HAR{first:06}", "bates_end": f"HAR{last:06}"})
            store_text(session, name, *pages, page_count=len(pages), metadata=data)
    made.workspace.catch_up()
    return made


@pytest.mark.sampled(13)
@pytest.mark.parametrize(
    ("query", "document", "page"),
    [
        ("Daubert v. Merrell Dow", "opinion.txt", 1),
        ("509 U.S. 579", "opinion.txt", 1),
        ("Dkt. 12 at 3", "motion.txt", 3),
        ("ECF No. 12", "motion.txt", 1),
        ("Compl. \u00b6 33", "complaint.txt", 2),
        ("24-cv-1234", "motion.txt", 1),
        ("Vale Dep. 3:12", "Vale Deposition.pdf", 3),
        ("Tr. 2:4-9", "Vale Deposition.pdf", 2),
        ("HAR000001-000004", "Ex. 1 Bill of Lading.pdf", 1),
        ("HAR000011", "Manifest.xlsx", 2),
        ("HAR000022", "Plans.pptx", 1),
        ("Ex. 1", "Ex. 1 Bill of Lading.pdf", 1),
    ],
)
def test_the_cited_page_comes_first(case: Collection, query: str, document: str, page: int) -> None:
    results = case.search(query)
    first = results[0].provenance
    assert results.stages_used[0] == "citation"
    assert (first.document_name, first.page) == (document, page)


def test_who_cites_it_comes_next(case: Collection) -> None:
    answer = [r.provenance.document_name for r in case.search("Daubert v. Merrell Dow")]
    assert answer[:2] == ["opinion.txt", "brief.txt"]


@pytest.mark.parametrize("query", ["Vale Dep. 99:1", "HAR000999", "Ex. 77", "Dkt. 99"])
def test_a_place_that_is_not_there_is_not_made_up(case: Collection, query: str) -> None:
    assert "citation" not in case.search(query).stages_used
