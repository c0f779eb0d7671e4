"""Resolution of a reference among the documents; none if two are possible."""

from __future__ import annotations

import re
from typing import Any

import pytest

from casetrack.graph.relations.targets import Catalogue, targets
from graph.fakes import document

CASE = {
    "Master Services Agreement.pdf": {"title": "Master Services Agreement BF-TS-2024-03"},
    "Amendment No 1.docx": {"title": "Amendment No. 1 to the Master Services Agreement"},
    "Proposal TS-P-2024-017.docx": {},
    "Invoice TS-2024-0187.pdf": {},
    "Invoice TS-2024-0311.pdf": {},
    "Board Minutes 2024-02-27.docx": {},
    "Board Minutes 2024-10-29.docx": {},
    "2024-10-21 Notice of Claim.docx": {"document_type": "correspondence", "file_hash": "claim"},
    "2024-11-04 Reply to Notice of Claim.pdf": {"document_type": "correspondence"},
    "Exhibit B Notice of Claim.docx": {"document_type": "correspondence", "file_hash": "claim"},
    "Exhibit C Condemned Goods.pdf": {},
    "ISO 9001-2015.pdf": {},
    "Bond_20190321_10-K_Supply Agreement.pdf": {},
    "mail.eml": {"title": "Network and Firmware", "stated_on": "2024-09-17"},
}


def resolved(
    type_: str, text: str, case: dict[str, dict[str, Any]] | None = None, *, key: str = "key"
) -> str | None:
    documents = [
        document(name, **{"file_hash": name} | facts) for name, facts in (case or CASE).items()
    ]
    row = {"reference_id": key, "type": type_, "name": text, "spellings": [text]}
    result = targets([row], Catalogue(documents))
    assert set(result) <= {key}
    return result[key].removeprefix("id-") if result else None


MEANT = {
    ("document", 0): "the Master Services Agreement dated 12 March 2024"
    " | Master Services Agreement | Agreement BF-TS-2024-03",
    ("document", 1): "Amendment No. 1"
    " | First Amendment | Amendment No. 1 to the Master Services Agreement",
    ("document", 2): "proposal TS-P-2024-017",
    ("document", 3): "Invoice TS-2024-0187 | our invoice no. TS-2024-0187 of 3 June 2024",
    ("document", 4): "see Invoice TS-2024-0311.pdf",
    ("document", 5): "minutes of 27 February 2024",
    ("document", 6): "Board Minutes dated October 29, 2024",
    ("document", 7): "your letter of 21 October 2024"
    " | Notice of Claim | Notice of Claim of 21 October 2024",
    ("document", 8): "letter dated 4 November 2024",
    ("exhibit", 9): "Exhibit B",
    ("exhibit", 10): "EXHIBIT C",
    ("standard", 11): "ISO 9001:2015",
    ("document", 13): "e-mail of 17 September 2024",
    ("link", 3): "https://files.example.org/case/Invoice TS-2024-0187.pdf",
}


@pytest.mark.parametrize(
    ("type_", "text", "expected"),
    [(type_, text, n) for (type_, n), texts in MEANT.items() for text in texts.split(" | ")],
)
def test_the_one_document_that_is_meant(type_: str, text: str, expected: int) -> None:
    assert resolved(type_, text) == list(CASE)[expected]


NOT_MEANT = {
    "section": "Master Services Agreement",
    "document": """
the Agreement | Invoice | invoice TS-2024-9999 | purchase order TS-2024-0187
Services Agreement | Master Services Agreement BF-TS-2019-01 | Amendment No. 2 | Board Minutes
Board Minutes of 1 March 2024 | minutes of 21 October 2024 | letter of October 2024
letter of 22 October 2024 | Notice of Claim of 25 October 2024
""",
    "report": "Report 11 | Form 10-K",
    "exhibit": "Exhibit D | Exhibit",
    "standard": "ISO 9001 | ISO 9001:2008",
    "link": "https://example.org/",
}


@pytest.mark.parametrize(
    ("type_", "text"),
    [(t, text) for t, texts in NOT_MEANT.items() for text in re.split(r" \| |\n", texts.strip())],
)
def test_no_document_is_guessed(type_: str, text: str) -> None:
    assert resolved(type_, text) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Supply Agreement", ["Supply Agreement.pdf", "2024-01-05 Supply Agreement.docx"]),
        ("letter of 5 May 2024", ["2024-05-05 Letter Ada.pdf", "2024-05-05 Letter Bo.pdf"]),
        ("Amendment No. 1", ["Amendment No 1 to the Lease.pdf", "Amendment 1 to the Loan.pdf"]),
        ("Invoice 20417", ["Invoice 20417.pdf", "Invoice 20417 (1).pdf"]),
        ("plan.pdf", ["plan.pdf", "Plan.PDF"]),
    ],
)
def test_two_that_fit_are_none(text: str, names: list[str]) -> None:
    assert resolved("document", text, {name: {} for name in names}) is None
    assert resolved("document", text, {names[0]: {}}) == names[0]


def test_of_copies_the_one_that_is_called_so_is_meant() -> None:
    facts = {"file_hash": "same"}
    names = ["Lease of Mill Road.pdf", "Lease of Mill Road copy.pdf", "scan0001.pdf"]
    case = {name: facts | {"title": "Lease of Mill Road"} for name in names}
    assert resolved("document", "Lease of Mill Road", case) is None
    del case[names[1]]
    assert resolved("document", "Lease of Mill Road", case) == names[0]


def test_an_exhibit_says_whose_it_is() -> None:
    case: dict[str, dict[str, Any]] = {
        "Exhibit A to Lease.pdf": {},
        "Lease.pdf": {},
        "Loan Agreement.pdf": {},
    }
    key = "exhibit:exhibit-a@id-{}"
    assert resolved("exhibit", "Exhibit A", case, key=key.format("Lease.pdf")) is not None
    assert resolved("exhibit", "Exhibit A", case, key=key.format("Loan Agreement.pdf")) is None


def test_a_mail_about_an_agreement_is_not_that_agreement() -> None:
    case = {"a.eml": {"title": "Agency Agreement", "format": "eml"}}
    assert resolved("document", "Agency Agreement", case) is None


def test_two_dates_cannot_both_mean_an_undated_file() -> None:
    names = [f"Acceptance Record of {day} May 2024" for day in (3, 30)]
    rows = [{"reference_id": n, "type": "document", "name": n, "spellings": []} for n in names]
    undated = document("Acceptance Record.pdf")
    assert targets(rows[:1], Catalogue([undated])) == {names[0]: undated.document_id}
    assert targets(rows, Catalogue([undated])) == {}
    written = document("Acceptance Record.pdf", stated_on="2024-05-30")
    assert targets(rows, Catalogue([written])) == {names[1]: written.document_id}


def test_all_spellings_must_mean_the_same() -> None:
    documents = [document("Supply Agreement.pdf"), document("Loan Agreement.pdf", file_hash="1")]
    row = {"reference_id": "r", "type": "document", "name": "Supply Agreement"}
    assert targets([row | {"spellings": ["the Supply Agreement", "11"]}], Catalogue(documents))
    assert not targets([row | {"spellings": ["Loan Agreement"]}], Catalogue(documents))
