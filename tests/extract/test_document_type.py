"""What kind of document a text is, and what it says for that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.document_type import infer_document_type
from casetrack.records import DOCUMENT_TYPES


def infer(
    name: str,
    text: str,
    *,
    form: str = "pdf",
    title: str | None = None,
    headings: tuple[str, ...] = (),
    pages: int = 3,
) -> tuple[str, str]:
    return infer_document_type(
        format=form, name=name, title=title, text=text, headings=headings, pages=pages
    )


OPENINGS = {
    "doc1.pdf": (
        (
            "SERVICES AGREEMENT\n\nThis agreement is entered into as of 4 May 2021 by and between "
            "Quarry Ltd and Ferry GmbH."
        ),
        "contract",
        '"AGREEMENT" in the title',
    ),
    "mill house.docx": (
        "Lease of the Mill House\n\nWHEREAS the landlord owns the house, the parties agree:",
        "contract",
        '"Lease" in the title',
    ),
    "scan_0004.pdf": (
        (
            "Amendment No. 2\n\nto the deed made as of the first of May. Now, therefore, the "
            "parties hereto agree as follows."
        ),
        "contract",
        '"Amendment No.',
    ),
    "vertrag.pdf": (
        "Mietvertrag\n\nzwischen Frau Weiß und Herrn Braun wird vereinbart, was folgt.",
        "contract",
        '"Mietvertrag" in the title',
    ),
    "q3.pdf": (
        "Progress Report, third quarter\n\nExecutive summary\n\nThe dam is nearly done.",
        "report",
        '"Report" in the title',
    ),
    "board.docx": (
        "Minutes of the board\n\nPresent: Ms Adler, Mr Brook. This report was read out.",
        "report",
        '"Minutes" in the title',
    ),
    "survey findings.pdf": (
        "Survey of the bridge\n\nAbstract\n\nThis study looks at eleven bolts.",
        "report",
        '"findings" in the file name',
    ),
    "gutachten.pdf": (
        "Gutachten über den Zustand des Daches\n\nIm Auftrag der Eigentümer.",
        "report",
        '"Gutachten" in the title',
    ),
    "0187.pdf": (
        "INVOICE\n\nInvoice no. 187\nBill to: Mill Ltd\n\nSubtotal 400.00\nTotal due 480.00",
        "invoice",
        '"INVOICE" in the title',
    ),
    "R-2024-11.pdf": (
        "Rechnung\n\nRechnungsnummer 11\nKundennummer 9\n\nGesamtbetrag 119,00 EUR",
        "invoice",
        '"Rechnung" in the title',
    ),
    "receipt_may.jpg": (
        "Corner Shop\n\nReceipt 55\nGrand total 12.40",
        "invoice",
        '"receipt" in the file name',
    ),
    "staff memo.docx": (
        "MEMORANDUM\n\nTo: all staff\nFrom: the office\nSubject: keys\n\nKeys are at the desk.",
        "memo",
        '"MEMORANDUM" in the title',
    ),
    "x.txt": (
        "Memo\n\nTo: Ms Adler\nFrom: Mr Brook\n\nThe gate sticks.",
        "memo",
        '"Memo" in the title',
    ),
    "2024-05-02.pdf": (
        "Mill Lane 4\n\nDear Ms Adler,\n\nthank you for the keys.\n\nYours sincerely,\nB. Brook",
        "correspondence",
        '"Dear Ms" in the opening',
    ),
    "anschreiben.pdf": (
        "Sehr geehrte Frau Weiß,\n\ndie Lieferung kommt später.\n\nMit freundlichen Grüßen",
        "correspondence",
        '"Sehr geehrte" in the opening',
    ),
    "P-17.docx": (
        "Proposal for the renewal of the jetty\n\nWe are pleased to submit our price.",
        "proposal",
        '"Proposal" in the title',
    ),
    "angebot 12.pdf": (
        "Angebot für ein Boot\n\nGültig bis Ende Mai.",
        "proposal",
        '"Angebot" in the title',
    ),
    "hr-policy.pdf": (
        "Travel Policy\n\nThis policy applies to all who travel. Employees must keep tickets.",
        "policy",
        '"Policy" in the title',
    ),
    "conduct.pdf": (
        "Code of Conduct\n\nEmployees shall be kind to visitors.",
        "policy",
        '"Code of Conduct" in the title',
    ),
    "a.txt": ("The fox went out on a cold night to pray for the moon.", "other", "tells its kind"),
    "a.pdf": ("", "other", "nothing in it tells its kind"),
    "talk.txt": ("We spoke of the lantern and hereto of the oar.", "other", "too little in it"),
}


@pytest.mark.parametrize("name", OPENINGS)
def test_openings(name: str) -> None:
    text, kind, evidence = OPENINGS[name]
    found, why = infer(name, text)
    assert found == kind
    assert evidence in why


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("xlsx", "spreadsheet"),
        ("csv", "spreadsheet"),
        ("pptx", "presentation"),
        ("odp", "presentation"),
        ("eml", "correspondence"),
        ("mbox", "correspondence"),
    ],
)
def test_formats_speak_for_themselves(form: str, kind: str) -> None:
    found, why = infer(f"a.{form}", "Nothing that tells.", form=form)
    assert found == kind
    assert form.upper() in why


def test_headings_and_the_title_of_the_metadata_count() -> None:
    plain = "One and two and three."
    assert infer("a.docx", plain)[0] == "other"
    kind, why = infer("a.docx", plain, title="Annual Report", headings=("Recommendations",))
    assert kind == "report"
    assert '"Recommendations" in the headings' in why


def test_short_kinds_do_not_run_to_dozens_of_pages() -> None:
    text = "Dear Ms Adler,\n\nthis is long.\n\nYours sincerely"
    assert infer("a.pdf", text, pages=2)[0] == "correspondence"
    assert infer("a.pdf", text, pages=90)[0] == "other"
    assert infer("a.mbox", text, pages=90, form="mbox")[0] == "correspondence"


def test_a_word_inside_another_is_no_cue() -> None:
    text = "Memorable releases of reportage by billing contractors."
    assert infer("a.txt", text) == ("other", "nothing in it tells its kind")


PIECES = st.sampled_from(
    ["Dear", "To: a\n", "From:\n", "zwischen ", " und ", "INVOICE", "\x00", "ß" * 50, "\n"]
)


@given(
    text=st.text() | st.lists(PIECES, max_size=60).map("".join),
    name=st.text(max_size=40),
    title=st.none() | st.text(max_size=40),
    headings=st.lists(st.text(max_size=40), max_size=5),
    pages=st.integers(0, 10_000),
    form=st.sampled_from(["pdf", "xlsx", "eml", "code", ""]),
)
def test_any_text_has_a_kind_and_a_reason(
    text: str, name: str, title: str | None, headings: list[str], pages: int, form: str
) -> None:
    kind, why = infer(name, text, form=form, title=title, headings=tuple(headings), pages=pages)
    assert kind in DOCUMENT_TYPES
    assert why.strip()
