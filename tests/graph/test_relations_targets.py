"""What a reference means among the documents; nothing where two might be meant."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from casetrack.graph.relations.targets import targets
from casetrack.graph.relations.titles import read_title
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
    "mail.eml": {
        "title": "Network and Firmware",
        "content_created_at": datetime(2024, 9, 17, 8, tzinfo=UTC),
    },
}


def resolved(
    type_: str, text: str, case: dict[str, dict[str, Any]] | None = None, *, key: str = "key"
) -> str | None:
    documents = [
        document(name, **{"file_hash": name} | facts) for name, facts in (case or CASE).items()
    ]
    row = {"reference_id": key, "type": type_, "name": text, "spellings": [text]}
    found = targets([row], documents)
    assert set(found) <= {key}
    return found[key].removeprefix("id-") if found else None


@pytest.mark.parametrize(
    ("type_", "text", "expected"),
    [
        ("document", "the Master Services Agreement dated 12 March 2024", 0),
        ("document", "Master Services Agreement", 0),
        ("document", "Agreement BF-TS-2024-03", 0),
        ("document", "Amendment No. 1", 1),
        ("document", "First Amendment", 1),
        ("document", "Amendment No. 1 to the Master Services Agreement", 1),
        ("document", "proposal TS-P-2024-017", 2),
        ("document", "Invoice TS-2024-0187", 3),
        ("document", "our invoice no. TS-2024-0187 of 3 June 2024", 3),
        ("document", "see Invoice TS-2024-0311.pdf", 4),
        ("document", "minutes of 27 February 2024", 5),
        ("document", "Board Minutes dated October 29, 2024", 6),
        ("document", "your letter of 21 October 2024", 7),
        ("document", "letter dated 4 November 2024", 8),
        ("document", "Notice of Claim", 7),
        ("document", "Notice of Claim of 21 October 2024", 7),
        ("exhibit", "Exhibit B", 9),
        ("exhibit", "EXHIBIT C", 10),
        ("standard", "ISO 9001:2015", 11),
        ("document", "e-mail of 17 September 2024", 13),
        ("link", "https://files.example.org/case/Invoice TS-2024-0187.pdf", 3),
    ],
)
def test_the_one_document_that_is_meant(type_: str, text: str, expected: int) -> None:
    assert resolved(type_, text) == list(CASE)[expected]


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("section", "Master Services Agreement"),
        ("document", "the Agreement"),
        ("document", "Invoice"),
        ("document", "invoice TS-2024-9999"),
        ("document", "purchase order TS-2024-0187"),
        ("document", "Services Agreement"),
        ("document", "Master Services Agreement BF-TS-2019-01"),
        ("document", "Amendment No. 2"),
        ("document", "Board Minutes"),
        ("document", "Board Minutes of 1 March 2024"),
        ("document", "minutes of 21 October 2024"),
        ("document", "letter of October 2024"),
        ("document", "letter of 22 October 2024"),
        ("document", "Notice of Claim of 25 October 2024"),
        ("report", "Report 11"),
        ("report", "Form 10-K"),
        ("exhibit", "Exhibit D"),
        ("exhibit", "Exhibit"),
        ("standard", "ISO 9001"),
        ("standard", "ISO 9001:2008"),
        ("link", "https://example.org/"),
    ],
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


def test_two_dates_cannot_both_mean_an_undated_file() -> None:
    names = [f"Acceptance Record of {day} May 2024" for day in (3, 30)]
    rows = [{"reference_id": n, "type": "document", "name": n, "spellings": []} for n in names]
    undated = document("Acceptance Record.pdf")
    assert targets(rows[:1], [undated]) == {names[0]: undated.document_id}
    assert targets(rows, [undated]) == {}
    written = document(
        "Acceptance Record.pdf", content_created_at=datetime(2024, 5, 30, tzinfo=UTC)
    )
    assert targets(rows, [written]) == {names[1]: written.document_id}


def test_all_spellings_must_mean_the_same() -> None:
    documents = [document("Supply Agreement.pdf"), document("Loan Agreement.pdf", file_hash="1")]
    row = {"reference_id": "r", "type": "document", "name": "Supply Agreement"}
    assert targets([row | {"spellings": ["the Supply Agreement", "11"]}], documents)
    assert not targets([row | {"spellings": ["Loan Agreement"]}], documents)


@pytest.mark.parametrize(
    ("name", "words", "dates", "identifiers", "version", "stage"),
    [
        ("MSA_v2.1_draft_20240312.docx", "msa", {"2024-03-12"}, set(), (2, 1), 0),
        ("Lease rev B (signed).pdf", "lease", set(), set(), (2,), 3),
        ("Lease - Copy (2).pdf", "lease", set(), set(), None, 1),
        ("05.03.2024 Third Addendum.pdf", "addendum 3", {"2024-03-05"}, set(), None, 1),
        ("Report Q3 2024.pdf", "report q3 2024", set(), set(), None, 1),
        ("Budget 31.12.2024 FINAL.xlsx", "budget", {"2024-12-31"}, set(), None, 2),
        ("Rechnung Nr. RE/2024/17.pdf", "rechnung", set(), {"re-2024-17"}, None, 1),
        ("Smith v Jones.pdf", "smith v jones", set(), set(), None, 1),
    ],
)
def test_a_name_is_taken_apart(
    name: str,
    words: str,
    dates: set[str],
    identifiers: set[str],
    version: tuple[int, ...] | None,
    stage: int,
) -> None:
    title = read_title(name, is_file=True)
    assert " ".join(title.words) == words
    assert (title.dates, title.identifiers) == (dates, identifiers)
    assert (title.version, title.stage) == (version, stage)
