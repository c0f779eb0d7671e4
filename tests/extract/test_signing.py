"""Signers are persons: names in signature blocks, and places without evidence."""

from __future__ import annotations

import pytest

from casetrack.extract.names.shape import signs

SIGNERS = [
    "Signed for Harrow & Lyle plc: [Nkechi Abara], Operations Director",
    "Signed for Harrow & Lyle plc: [Nkechi Abara]",
    "SIGNED BY Harrow & Lyle Limited: [Nkechi Abara]",
    "Signed on behalf of the Supplier: [Nkechi Abara]",
    "Executed as a deed by Harrow & Lyle LLP: [Nkechi Abara]",
    "For and on behalf of Harrow & Lyle GmbH: [Ludwig van der Aa]",
    "HARROW, INC.\nBy: /s/ [Nkechi Abara]\nName: Nkechi Abara",
    "HARROW, INC.\nBy: ____\nName: [Nkechi Abara]\nTitle: President",
    "By: /s/ A. Roth By: /s/ P. Brandl Name: A. Roth Name: [Petra O'Brandl] Title: Chair",
    "Yours faithfully\n\n[Nkechi Abara]\n\nOperations Director",
    "Yours sincerely\n[Jean-Luc Okoro]\nHead of Legal and Company Secretary\n",
    "Present: [Nkechi Abara], Chief Financial Officer.",
]
NO_SIGNERS = [
    # Its place does not decide its kind.
    "By: [Bluefin Capital], its general partner",
    "Prepared by: [Norwich Grain]",
    "Copy: [Carrow Linden]",
    "Name: [Norwich Grain]\nAddress: 12 Mill Lane",
    "Signed for the buyer by [Norwich Grain]",
    "The crane was mended by [Norwich Grain], manager of the site for years.",
    "[Norwich Grain]\nThe directors met at noon.",
    # Its words are no person's.
    "Signed for Harrow plc: [Bluefin Holdings], Managing Director",
    "Signed for Harrow plc: [Bluefin LLC]",
    "Signed for Harrow plc: [Managing Partners], Partner",
    "Signed for Harrow plc: [Abara]",
    "Signed for Harrow plc: [Schedule Three], Partner",
    "By: /s/ [3M Deutschland]",
    # A line above is another matter.
    "Signed for Harrow plc:\nTerms of sale\n[Norwich Grain]\nmills and stores",
]


@pytest.mark.parametrize(
    ("marked", "wanted"), [*((m, True) for m in SIGNERS), *((m, False) for m in NO_SIGNERS)]
)
def test_place_of_who_signs(marked: str, wanted: bool) -> None:
    start, end = marked.index("["), marked.index("]") - 1
    text = marked.replace("[", "").replace("]", "")
    assert signs(text, start, end) is wanted


@pytest.mark.parametrize("text", ["", "/s/", "Name:", "signed for " * 400 + ":"])
def test_texts_without_a_name_have_no_signer(text: str) -> None:
    assert not signs(text, len(text), len(text))
