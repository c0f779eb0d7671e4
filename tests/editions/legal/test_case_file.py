"""Which document of a case a citation means; nothing is guessed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from casetrack.editions.legal.check.resolve import CaseFile
from casetrack.editions.legal.extract.citations import read_citations
from casetrack.extract.papers.text import TextPage, WholeText
from editions.legal.hard_citations import Passage, tabled
from graph_records import document


def case_of(**papers: dict[str, Any]) -> CaseFile:
    """Return a case of papers by name, with the known facts of each."""
    plain = replace(document(1), document_type=None)
    rows = [
        replace(plain, **({"document_id": name, "name": name, "path": f"/case/{name}"} | facts))
        for name, facts in papers.items()
    ]
    collection: Any = SimpleNamespace(documents=lambda **_: rows)
    return CaseFile(collection)


def sources(case: CaseFile, text: str) -> list[tuple[str, ...]]:
    whole = WholeText((TextPage(1, text),))
    return [tuple(d.name for d in case.sources_of(each)) for each in read_citations(whole)]


CASE = {
    "daubert": {
        "legal_type": "opinion",
        "case_name": "Daubert v. Merrell Dow Pharmaceuticals, Inc.",
        "own_citations": ("509 U.S. 579", "113 S. Ct. 2786"),
    },
    "slip": {"legal_type": "opinion", "case_name": "Poe v. Doe", "filed_on": "2021-03-04"},
    "carmack": {"legal_type": "statute", "legal_title": "49 U.S.C. § 14706"},
    "complaint": {"legal_type": "complaint", "docket_entry": "1", "legal_title": "COMPLAINT"},
    "amended": {
        "legal_type": "complaint",
        "docket_entry": "9",
        "legal_title": "FIRST AMENDED COMPLAINT",
    },
    "vale": {"legal_type": "deposition", "witness": "Daniel Vale"},
    "jones": {"legal_type": "other", "legal_detail": "declaration", "witness": "Ann M. Jones"},
    "bill": {"legal_type": "exhibit", "exhibit": "A", "docket_entry": "45-2"},
    "photograph": {"legal_type": "exhibit", "exhibit": "PX-5"},
    "order": {"legal_type": "order", "docket_entry": "20"},
    "order again": {"legal_type": "order", "docket_entry": "20"},
}


@tabled("means.txt")
def test_what_a_citation_means(passage: Passage) -> None:
    text = sources(case_of(**CASE), passage.text)
    assert tuple(", ".join(names) for names in text) == passage.expected


def test_an_open_citation_means_nothing() -> None:
    assert sources(case_of(**CASE), "Id. at 593.") == [()]


def test_names_of_files_tell_where_the_paper_does_not() -> None:
    papers: dict[str, dict[str, Any]] = {
        "020 Scheduling Order.pdf": {"path": "/case/Docket/020 Scheduling Order.pdf"},
        "Ex. 3 Letter.pdf": {},
        "2024 Budget.xlsx": {"path": "/case/Mail/2024 Budget.xlsx"},
    }
    case = case_of(**papers)
    assert sources(case, "Dkt. 20 at 1. Smith Dep. 3:4; Ex. 3 at 2; Dkt. 2024 at 1.") == [
        ("020 Scheduling Order.pdf",),
        (),
        ("Ex. 3 Letter.pdf",),
        (),
    ]


def test_the_type_that_the_user_gives_counts_first() -> None:
    detected = {"document_type_evidence": "TRANSCRIPT OF HEARING"}
    hearing = {"legal_type": "other", "legal_detail": "hearing transcript"}
    papers: dict[str, dict[str, Any]] = {
        "hearing": hearing | detected | {"document_type": "transcript"},
        "article": hearing | {"document_type": "report"},
        "scan": {"document_type": "trial transcript"},
        "letter": {"legal_type": "complaint", "document_type": "correspondence"},
    }
    case = case_of(**papers)
    result = sources(case, "Hr'g Tr. at 4. Trial Tr. at 5:6. Compl. ¶ 7.")
    assert result == [("hearing",), ("scan",), ()]
    for kind, cited in (
        ("hearing", "Tr. 63:20-22"),
        ("trial", "Trial Tr. 63:20"),
        ("deposition", "Tr. 6:1"),
    ):
        (one,) = sources(case_of(paper={"document_type": kind}), f"See {cited}.")
        assert one == ("paper",)
    both = case_of(**{kind: {"document_type": kind} for kind in ("hearing", "trial")})
    assert sources(both, "Trial Tr. 6:1; Hr'g Tr. 6:1; Tr. 6:1.") == [
        ("trial",),
        ("hearing",),
        ("hearing", "trial"),
    ]
