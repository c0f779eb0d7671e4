"""Lists, counts, sums and extremes are computed with their places, or declined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_COMPUTED = {
    "list all change requests": ["CR-01", "CR-02", "CR-03", "CR-04", "CR-05", "CR-06", "CR-07"],
    "how many contracts": ["Amendment No 1.docx", "Master Services Agreement.pdf: 2024-03-12"],
    "Welche Rechnung ist die höchste?": ["Invoice TS-2025-0042.pdf: 1,681,440 GBP"],
    "Which cost group has the highest approved budget?": [
        "Cranes, delivered and installed: 2,140,000 GBP"
    ],
    "latest letter to Ms Okafor": ["2024-11-04 Reply to Notice of Claim.pdf: 2024-11-04"],
    "Which parts are from Tidewell?": ["TS-30002", "TS-30005"],
    "Who signed the master services agreement?": [
        "Harriet Penrose: chair",
        "Julian Whitlock",
        "Ruth Calloway: managing director",
    ],
    "What is the total of invoice HCS-20417?": ["Invoice HCS-20417.pdf: £1,852.68"],
    "When is invoice HCS-20417 due?": ["Invoice HCS-20417.pdf: 21 days from invoice date"],
    "By what day must Brackenfell Foods pay invoice HCS-20417?": [
        "Invoice HCS-20417.pdf: 21 days from invoice date"
    ],
    "Who wrote the letter of 4 November 2024?": [
        "2024-11-04 Reply to Notice of Claim.pdf: Dr Ruth Calloway"
    ],
    "When did the Master Services Agreement take effect?": [
        "Master Services Agreement.pdf: 12 March 2024"
    ],
    "What is the total of invoice HCS-20417 for shaft seals?": None,
    "What is the date of invoice TS-2025-9999?": None,
    "When was the notice of claim sent?": ["2024-10-21 Notice of Claim.docx: 2024-10-21"],
    "latest minutes": ["Board Minutes 2025-03-25.md: 2025-03-25"],
    "which minutes mention CR-07": None,
    "What does an emergency stop cost?": None,
}


@pytest.mark.parametrize(("question", "parts"), _COMPUTED.items())
def test_the_parts_of_a_computed_answer_are_cited(
    demo: Collection, question: str, parts: list[str] | None
) -> None:
    answer = demo.search(question)
    computed = answer.computed
    assert (computed and [part.shown for part in computed.parts]) == parts
    assert computed is None or not any(result.answer for result in answer.results)
    for part in computed.parts if computed else ():
        quote = part.quote
        chunk = demo.read.chunk(quote.chunk_id)
        assert chunk.text[quote.char_start : quote.char_end] == quote.text != ""
        marks = [r.pinpoint[0].text for r in answer if r.chunk_id == quote.chunk_id]
        assert computed is None or computed.total > 1 or all(quote.text in each for each in marks)


def test_a_sum_is_that_of_its_parts_and_a_follow_up_is_reported(demo: Collection) -> None:
    computed = demo.search("total of all invoices").computed
    assert computed is not None
    values = [float((p.value or "").split()[0].replace(",", "")) for p in computed.parts]
    assert computed.text == f"{sum(values):,.2f} GBP"
    assert any("in full" in note for note in demo.search("and how much of it is VAT?").notes)
    assert any("`casetrack by-type" in n for n in demo.search("latest letter about Roth").notes)
