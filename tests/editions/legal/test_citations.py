"""Citations of a brief: targets, whole names, pins, signals, statements."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from casetrack.editions.legal.extract.citations import read_citations
from casetrack.extract.papers.text import TextPage, WholeText

if TYPE_CHECKING:
    from casetrack.extract.papers.text import LegalCitation


def read(*pages: str) -> list[LegalCitation]:
    whole = WholeText(tuple(TextPage(i, text) for i, text in enumerate(pages, 1)))
    result = list(read_citations(whole))
    assert all(one.end <= other.start for one, other in pairwise(result))
    return result


ROE = "Roe v. Wade, 410 U.S. 113, 120 (1973)"


def test_a_citation_is_whole() -> None:
    text = (
        f"But see {ROE} (Rehnquist, J., dissenting), overruled by Doe v. Poe, 597 U.S. 215 (2022)."
    )
    one, other = read(text)
    assert text[one.start : one.end] == one.text == ROE
    assert (one.name, one.key) == ("Roe v. Wade, 410 U.S. 113 (1973)", "case:410-us-113")
    assert (one.kind, one.form, one.year, one.signal) == ("case", "full", 1973, "but see")
    assert [(pin.unit, pin.first, pin.last) for pin in one.pins] == [("page", "120", "120")]
    assert one.parenthetical == "Rehnquist, J., dissenting"
    assert one.treatment == "overruled by"
    assert other.name == "Doe v. Poe, 597 U.S. 215 (2022)"


def test_parallel_citations_are_one() -> None:
    text = (
        "See Kepo'o v. Kane, 106 Hawai'i 270, 289, 103 P.3d 939, 958 (2005). Kepo'o, 106 "
        "Hawai'i at 287, 103 P.3d at 956."
    )
    full, short = read(text)
    assert full.keys == short.keys == ("case:106-haw-270", "case:103-p3d-939")
    assert full.name == "Kepo'o v. Kane, 106 Haw. 270, 103 P.3d 939 (2005)"
    assert [(pin.key, pin.first) for pin in full.pins] == [
        ("case:106-haw-270", "289"),
        ("case:103-p3d-939", "958"),
    ]
    assert [(pin.key, pin.first) for pin in short.pins] == [
        ("case:106-haw-270", "287"),
        ("case:103-p3d-939", "956"),
    ]


def test_over_the_end_of_a_page() -> None:
    first = "Case 1:20-cv-1 Document 7 Filed 01/02/21 Page 3 of 9\nWe follow Roe v.\nWade, 410\n3"
    second = (
        "Case 1:20-cv-1 Document 7 Filed 01/02/21 Page 4 of 9\nU.S. 113, 120 (1973). Id.\nat 121."
    )
    full, again = read(first, second)
    assert full.name == "Roe v. Wade, 410 U.S. 113 (1973)"
    assert (again.form, again.key, again.pins[0].first) == ("id", full.key, "121")


@pytest.mark.parametrize(
    ("quotation", "means"),
    [
        ("40 C.F.R. § 1508.27. The rule of 40 C.F.R. § 1508.9 is met.", "case:512-us-318"),
        ("The rule of Quade v. Marlow, 88 F.3d 410 (9th Cir. 2015), is met.", "case:512-us-318"),
        ("The rule is met. Lister v. Pell, 498 F.3d 771 (9th Cir. 2007).", "case:498-f3d-771"),
    ],
)
def test_behind_a_block_quotation_id_means_its_source(quotation: str, means: str) -> None:
    before = "The court held in Harrow v. Dunmore Timber Co., 512 U.S. 318 (1994):\n\n"
    text = f"{before}{quotation}\n\nId. The rule stands."
    block = (len(before), len(before) + len(quotation))
    citations = read_citations(WholeText((TextPage(1, text, blocks=(block,)),)))
    assert (citations[-1].form, citations[-1].key) == ("id", means)


def test_signs_that_a_scan_misread() -> None:
    (result,) = read("See Daubert v. Merrell, 5O9 U.S. 579, 593 (1993).")
    assert result.key == "case:509-us-579"
    assert result.confidence < 0.8
    assert {"5O9", "509"} <= {*result.note.rstrip(".").split()}


RECORD = {
    "D.E. 33 at 4-5": ("record:dkt-33", [("page", "4", "5", None)]),
    "Smith Dep. 24:11–25:3": ("record:dep-smith", [("line", "24", "25", "11")]),
    "Am. Compl. ¶¶ 33-35": ("record:am-compl", [("paragraph", "33", "35", None)]),
    "Ex. A at 3": ("record:ex-a", [("page", "3", "3", None)]),
}
"""Others are in ``hard_citations.txt``."""


@pytest.mark.parametrize(("text", "expected"), RECORD.items(), ids=RECORD)
def test_the_record(text: str, expected: tuple[str, list[object]]) -> None:
    _, result = read(f"{ROE}. He knew it. ({text}.)")
    assert (result.text, result.kind) == (text, "record")
    pins = [(pin.unit, pin.first, pin.last, pin.first_line) for pin in result.pins]
    assert (result.key, pins) == expected


KINDS = {
    "29 C.F.R. Part 1910": "regulation",
    "15 U.S.C. § 78u-4(b)(2)": "statute",
    "Cal. Civ. Code § 5": "statute",
    "C.D. Cal. L.R. 7-3": "rule",
    "U.S. Const. amend. XIV, § 1": "constitution",
}


@pytest.mark.parametrize("text", KINDS)
def test_laws_have_their_kind(text: str) -> None:
    (result,) = read(f"It is so. See {text}.")
    assert (result.text, result.kind) == (text, KINDS[text])
