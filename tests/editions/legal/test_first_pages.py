"""Types of legal papers and the content of their captions: first pages of many courts, with traps.

``first_pages.txt`` has them: a line ``#### TYPE NAME``, then the page. All cases and people are
invented; ``none`` is a document that is not legal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.document_type import infer_document_type
from casetrack.extract.papers.caption import LegalFacts, read_caption
from casetrack.extract.papers.caption_marks import kind_of_title
from casetrack.extract.papers.case_numbers import case_key
from casetrack.extract.papers.courts import find_court
from casetrack.extract.papers.docket_sheet import read_docket_header
from casetrack.extract.papers.text import TextPage, WholeText
from editions.legal.hard_citations import Passage, tabled


def pages() -> dict[str, tuple[str, str]]:
    by_name = {}
    text = Path(__file__).with_name("first_pages.txt").read_text("utf-8")
    for part in text.split("#### ")[1:]:
        head, _, page = part.partition("\n")
        kind, _, name = head.partition(" ")
        by_name[name] = kind, page.strip("\n")
    return by_name


PAGES = pages()


def read(text: str, name: str = "scan0001.pdf", form: str = "pdf", **more: Any) -> LegalFacts:
    kind, _ = infer_document_type(
        format=form, name=name, title=None, text=text, headings=(), pages=3
    )
    whole = WholeText((TextPage(1, text),))
    return read_caption(whole, format=form, name=name, document_type=kind, **more)


@pytest.mark.parametrize("name", PAGES)
def test_the_kind_of_a_first_page(name: str) -> None:
    kind, text = PAGES[name]
    result = read(text)
    assert (result.legal_type or "none") == kind, result.legal_evidence
    assert (result.legal_evidence is None) == (kind == "none")
    for party in result.parties or ():
        assert " ".join(text[party.start : party.end].split()) == party.name


@tabled("captions.txt")
def test_what_a_caption_says(passage: Passage) -> None:
    text = read(PAGES[passage.text][1])
    for expected in passage.expected:
        name, _, value = expected.partition(" = ")
        message = getattr(text, name)
        if name == "parties":
            message = [f"{p.name}: {p.role}" for p in message or ()]
        assert (
            "-" if message is None else message if isinstance(message, str) else "; ".join(message)
        ) == value


COLUMNS: dict[str, tuple[tuple[str, int, int], ...]] = {
    "order": (
        ("UNITED STATES DISTRICT COURT", 200, 410),
        ("CENTRAL DISTRICT OF CALIFORNIA", 195, 415),
        ("QUAYLE TOYS, INC. dba Case No. 8:19-cv-1261 ABC (DEFx)", 72, 540),
        ("QUAYLE PLAY SETS,", 72, 190),
        ("Plaintiff, ORDER GRANTING", 72, 442),
        ("QUAYLE TOYS' APPLICATION", 312, 482),
        ("v. FOR A PRELIMINARY", 72, 462),
        ("IVO LANG; and DOES 1 INJUNCTION", 72, 388),
        ("through 10, inclusive,", 72, 200),
        ("Defendants.", 130, 200),
        ("The motion came before the Court on the first of the month for a hearing.", 72, 540),
        ("Upon all that was said and read there, the Court finds that it has merit.", 72, 540),
    ),
    "answer": (  # the court is in the right column, whose lines are centred
        ("By: Ada Roe (Bar No. 027971999)", 72, 349),
        ("NORTHERN TURNPIKE SUPERIOR COURT OF NEW JERSEY", 87, 511),
        ("AUTHORITY, ATLANTIC COUNTY – LAW DIVISION", 87, 516),
        ("Plaintiff,", 88, 161),
        ("v. DOCKET NO.: ATL-DC-007956-25", 88, 484),
        ("CIVIL ACTION", 375, 462),
        ("TYLER PIPER, ANSWER TO COUNTERCLAIM AND", 88, 522),
        ("AFFIRMATIVE DEFENSES", 342, 498),
        ("Defendant.", 88, 161),
        *(9 * [("The defendant to the counterclaim answers it as follows, by it.", 88, 448)]),
    ),
}
PARTIES = {
    "order": ["QUAYLE TOYS, INC.", "IVO LANG", "DOES 1 through 10"],
    "answer": ["NORTHERN TURNPIKE AUTHORITY", "TYLER PIPER"],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_are_distinguished_by_where_the_lines_stand(kind: str) -> None:
    text, boxes = "", {}
    for words, left, right in COLUMNS[kind]:
        boxes[len(text)] = (float(left), float(right))
        text += words + "\n"
    result = read(text.rstrip(), boxes=[boxes])
    assert (result.legal_type, result.court is None) == (kind, False)
    roles = ["plaintiff", *["defendant"] * (len(PARTIES[kind]) - 1)]
    expected = list(zip(PARTIES[kind], roles, strict=True))
    assert [(p.name, p.role) for p in result.parties or ()] == expected


@tabled("titles.txt")
def test_the_first_word_that_names_a_paper_tells_its_kind(passage: Passage) -> None:
    text = kind_of_title(passage.text)
    assert text is not None
    assert (text.legal_type,) == passage.expected


@tabled("headers.txt")
def test_the_line_of_the_filing_system(passage: Passage) -> None:
    line = passage.text
    for text in (f"{line}\n\nORDER\n\nOne.", f"ORDER\n\nOne.\n\n{line}"):
        docket_header = read_docket_header(text)
        assert docket_header is not None
        assert text[docket_header.start : docket_header.end] == line
        message = (case_key(docket_header.case_number), docket_header.entry, docket_header.filed_on)
        assert " | ".join(fact or "" for fact in message) == passage.expected[0]


@pytest.mark.parametrize(
    "line",
    ["Invoice 2023-0001 Page 1 of 2", "Report 12-345 01/02/2012 Page 3 of 9", "Room 12-3, page 4"],
)
def test_another_line_is_none(line: str) -> None:
    assert read_docket_header(f"{line}\n\nText.") is None


@pytest.mark.parametrize(
    ("day", "filed"),
    [
        *(("08/05/2016", "2016-08-05"), ("08/05/1987", "1987-08-05")),
        *(("08/05/2109", None), ("08/05/1087", None), ("02/30/2016", None)),
    ],
)
def test_a_paper_is_filed_on_a_plausible_day(day: str, filed: str | None) -> None:
    header = read_docket_header(f"Case 8:16-cv-01261-DOC   Document 40   Filed {day}   Page 1 of 4")
    assert header is not None
    stamped = read(f"UNITED STATES DISTRICT COURT\nDISTRICT OF DELAWARE\n\nFILED {day}\n\nORDER\n")
    assert (header.filed_on, stamped.filed_on) == (filed, filed)


@pytest.mark.parametrize("one", ["8:16-cv-01261-DOC-KES", "16 CV 1261 (DOC)", "No. 16-cv-1261"])
def test_writings_of_one_case_number_have_one_key(one: str) -> None:
    assert case_key(one) == "16-cv-1261"


@pytest.mark.parametrize(
    ("text", "court_id", "name"),
    [
        ("United States District Court, D. Vermont.", "vtd", "District of Vermont"),
        ("U.S. Bankruptcy Court\nDistrict of Arizona (Phoenix)", "azb", "District of Arizona"),
        ("United States Court of Appeals,\nNinth Circuit.", "ca9", "Ninth Circuit"),
        ("STATE OF MICHIGAN\nCIRCUIT COURT FOR THE COUNTY OF WAYNE", None, "Wayne, Michigan"),
        ("IN THE COURT OF CHANCERY OF THE STATE OF DELAWARE", None, "State of Delaware"),
    ],
)
def test_courts_by_their_usual_names(text: str, court_id: str | None, name: str) -> None:
    court = find_court(text.split("\n"))
    assert court is not None
    assert (court.court_id, court.name[-len(name) :]) == (court_id, name)


@pytest.mark.parametrize(
    "line",
    [
        "United States District Court judges may decide such cases",
        "courts of the State of New York",
        "THE COURT: Good morning.",
        "The SUPERIOR COURT of Los Angeles County, Respondent;",
    ],
)
def test_other_lines_name_no_court(line: str) -> None:
    assert find_court([line]) is None


@pytest.mark.slow
@given(st.text(max_size=400))
def test_any_text_is_read_without_failing(text: str) -> None:
    result = read(text)
    assert (result.legal_type is None) == (result.legal_evidence is None)
    for party in result.parties or ():
        assert 0 <= party.start <= party.end <= len(text)


def test_the_day_of_another_paper_that_is_cited_is_not_the_day_of_this_one() -> None:
    page = (
        "HARTWELL, Plaintiff-Appellant,\nv.\nCOUNTY OF DENE, Defendant-Appellee.\n\n"
        "No. 14-0182.\n\n"
        "Intermediate Court of Appeals of Hawai'i.\n\nJune 9, 2014.\n\nOPINION OF THE COURT\n\n"
        'Hartwell appeals from the "Order Granting the Motion [Filed January 18, 2011]" below.'
    )
    result = read(page)
    assert (result.legal_type, result.filed_on) == ("opinion", "2014-06-09")


def test_a_caption_goes_on_across_the_end_of_its_page() -> None:
    first = (
        "UNITED STATES DISTRICT COURT\nDISTRICT OF DELAWARE\n\nRUTH CALLOWAY,\nPlaintiff,\nv.\n"
        "HALSTEAD LTD.;\nPRIORY PLC;\n1"
    )
    pages = (TextPage(1, first), TextPage(2, "CARLA BRANDT,\nDefendants.\nCOMPLAINT"))
    result = read_caption(WholeText(pages), format="pdf", name="scan.pdf")
    assert [(p.name, p.role, p.page) for p in result.parties or ()][1:] == [
        *(("HALSTEAD LTD.", "defendant", 1), ("PRIORY PLC", "defendant", 1)),
        ("CARLA BRANDT", "defendant", 2),
    ]
    assert result.legal_type == "complaint"
