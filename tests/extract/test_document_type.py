"""The type of a document, and its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.base.records import DOCUMENT_TYPES
from casetrack.extract.document_type import infer_document_type

if TYPE_CHECKING:
    from collections.abc import Callable


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
        "SERVICES AGREEMENT\n\nEntered into by and between A and B.",
        "contract",
        "AGREEMENT",
    ),
    "scan_0004.pdf": (
        "Amendment No. 2\n\nto the deed. Now, therefore, the parties hereto agree as follows.",
        *("contract", "Amendment No."),
    ),
    "vertrag.pdf": ("Mietvertrag\n\nzwischen A und B wird vereinbart", "contract", "Mietvertrag"),
    "q3.pdf": ("Progress Report\n\nExecutive summary\n\nNearly done.", "report", "Report"),
    "survey findings.pdf": ("Survey\n\nAbstract\n\nThis study looks on.", "report", "findings"),
    "gutachten.pdf": ("Gutachten über das Dach\n\nIm Auftrag von A.", "report", "Gutachten"),
    "0187.pdf": (
        "INVOICE\n\nInvoice no. 187\nBill to: A\n\nTotal due 480.00",
        "invoice",
        "INVOICE",
    ),
    "receipt_may.jpg": ("Corner Shop\n\nReceipt 55\nGrand total 12.40", "invoice", "receipt"),
    "staff memo.docx": ("MEMORANDUM\n\nTo: A\nFrom: B\nSubject: keys", "memo", "MEMORANDUM"),
    "2024-05-02.pdf": (
        "Mill Lane 4\n\nDear Ms Adler,\n\nthank you.\n\nYours sincerely,\nB. Brook",
        *("correspondence", "Dear Ms"),
    ),
    "anschreiben.pdf": (
        "Sehr geehrte Frau Weiß,\n\nsie kommt später.\n\nMit freundlichen Grüßen",
        *("correspondence", "Sehr geehrte"),
    ),
    "P-17.docx": ("Proposal for a jetty\n\nWe are pleased to submit it.", "proposal", "Proposal"),
    "angebot 12.pdf": ("Angebot für ein Boot\n\nGültig bis Ende Mai.", "proposal", "Angebot"),
    "hr-policy.pdf": ("Travel Policy\n\nThis policy applies to all.", "policy", "Policy"),
    "conduct.pdf": (
        "Code of Conduct\n\nEmployees shall be kind to visitors.",
        *("policy", "Code of Conduct"),
    ),
    "a.txt": ("The fox went out on a cold night to pray for the moon.", "other", ""),
    "a.pdf": ("", "other", ""),
    "talk.txt": ("We spoke of the lantern and hereto of the oar.", "other", ""),
}


@pytest.mark.parametrize("name", OPENINGS)
def test_openings(name: str) -> None:
    text, kind, evidence = OPENINGS[name]
    result, why = infer(name, text)
    assert result == kind
    assert f'"{evidence}' in why if evidence else why


def test_reasons(messages: Callable[[str], None]) -> None:
    names = ("doc1.pdf", "receipt_may.jpg", "2024-05-02.pdf", "a.txt", "talk.txt")
    actual = [(name, *infer(name, OPENINGS[name][0])) for name in names]
    messages("\n".join(map(": ".join, actual)))


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        *(("xlsx", "spreadsheet"), ("csv", "spreadsheet"), ("pptx", "presentation")),
        *(("odp", "presentation"), ("eml", "correspondence")),
    ],
)
def test_formats_speak_for_themselves(form: str, kind: str) -> None:
    result, why = infer(f"a.{form}", "Nothing that tells.", form=form)
    assert result == kind
    assert form.upper() in why


def test_headings_and_the_title_of_the_metadata_count() -> None:
    plain = "One and two and three."
    assert infer("a.docx", plain)[0] == "other"
    kind, why = infer("a.docx", plain, title="Status Report", headings=("Recommendations",))
    assert kind == "report"
    assert '"Recommendations"' in why


def test_short_kinds_do_not_run_to_dozens_of_pages() -> None:
    text = "Dear Ms Adler,\n\nthis is long.\n\nYours sincerely"
    assert infer("a.pdf", text, pages=2)[0] == "correspondence"
    assert infer("a.pdf", text, pages=90)[0] == "other"


def test_a_word_inside_another_is_no_cue() -> None:
    text = "Memorable releases of reportage by billing contractors."
    assert infer("a.txt", text) == infer("a.txt", "")
    assert infer("a.txt", text)[0] == "other"


PIECES = st.sampled_from(
    ["Dear", "To: a\n", "From:\n", "zwischen ", " und ", "INVOICE", "\x00", "ß" * 50, "\n"]
)


@pytest.mark.slow
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
