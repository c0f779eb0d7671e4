"""Kinds of legal papers, and what their captions say: first pages of many courts, with traps.

``first_pages.txt`` holds them: a line ``#### KIND NAME``, then the page. All cases and people are
made up; ``none`` is a document that is not legal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.document_type import infer_document_type
from casetrack.extract.legal.caption import LegalFacts, case_key, read_caption
from casetrack.extract.legal.courts import find_court
from casetrack.extract.legal.docket_header import read_docket_header
from casetrack.extract.legal.paper_kinds import kind_of_title
from casetrack.extract.legal.text import TextPage, WholeText


def pages() -> dict[str, tuple[str, str]]:
    found = {}
    text = Path(__file__).with_name("first_pages.txt").read_text("utf-8")
    for part in text.split("#### ")[1:]:
        head, _, page = part.partition("\n")
        kind, _, name = head.partition(" ")
        found[name] = kind, page.strip("\n")
    return found


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
    found = read(text)
    assert (found.legal_type or "none") == kind, found.legal_evidence
    assert (found.legal_evidence is None) == (kind == "none")
    for party in found.parties or ():
        assert " ".join(text[party.start : party.end].split()) == party.name


FACTS: dict[str, dict[str, Any]] = {
    "district-marks": {
        "case_number": "19-cv-2210",
        "court": "United States District Court for the Northern District of Illinois",
        "court_id": "ilnd",
        "judge": "Peter Lindqvist",
        "case_name": "Ruth Anne Calloway v. Harbor Freight Lines, Inc.",
        "legal_title": "FIRST AMENDED COMPLAINT",
        "filed_on": None,
    },
    "texas-petition": {
        "case_number": "2019-55123",
        "court": "District Court of Harris County, Texas, 165th Judicial District",
        "court_id": None,
    },
    "california-pleading": {
        "case_number": "CGC-20-581122",
        "court": "Superior Court of the State of California, County of San Francisco",
        "case_name": "MEI-LING TAO v. Brightwater Homes, Inc.",
    },
    "to-dismiss": {
        "case_number": "2:16-cv-09001-ABC-DEF",
        "docket_entry": "21",
        "filed_on": "2017-02-11",
        "legal_detail": "notice of motion",
        "judge": "Carla Brandt",
    },
    "bankruptcy-sale": {"case_number": "17-10873 (LSS)", "court_id": "deb"},
    "appellant": {"case_number": "19-15551", "court_id": "ca9"},
    "proposed": {"legal_detail": "proposed order"},
    "cite-as": {
        "own_citations": ("509 U.S. 1301",),
        "court_id": "scotus",
        "filed_on": "1993-06-28",
        "case_name": "Marchbanks v. Elder Pharma, Inc.",
    },
    "uk-neutral": {"own_citations": ("[2019] EWHC 1122 (Comm)",), "judge": "Harcourt"},
    "cover": {"exhibit": "C", "docket_entry": "12-3"},
    "sec-exhibit": {"exhibit": "10.3"},
    "sticker": {"exhibit": "PX-14"},
    "declaration": {"witness": "Oscar N. Webb", "legal_detail": "declaration", "exhibit": None},
    "hearing-transcript": {"legal_detail": "transcript"},
}


@pytest.mark.parametrize("name", FACTS)
def test_what_a_caption_says(name: str) -> None:
    found = read(PAGES[name][1])
    assert {key: getattr(found, key) for key in FACTS[name]} == FACTS[name]


def test_parties_have_their_roles() -> None:
    found = read(PAGES["adversary"][1])
    assert [(p.name, p.role) for p in found.parties or ()] == [
        ("NORTHMOOR RETAIL HOLDINGS, INC.", "debtor"),
        ("CRESTLINE CAPITAL LLC", "plaintiff"),
        ("NORTHMOOR RETAIL HOLDINGS, INC.", "defendant"),
    ]


def test_columns_are_told_apart_by_where_the_lines_stand() -> None:
    lines = (
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
    )
    text, boxes = "", {}
    for words, left, right in lines:
        boxes[len(text)] = (float(left), float(right))
        text += words + "\n"
    found = read(text.rstrip(), boxes=[boxes])
    assert found.legal_type == "order"
    assert [(p.name, p.role) for p in found.parties or ()] == [
        ("QUAYLE TOYS, INC.", "plaintiff"),
        ("IVO LANG", "defendant"),
        ("DOES 1 through 10", "defendant"),
    ]


TITLES = {
    "order": (
        "ORDER DENYING MOTION",
        "ORDER GRANTING IN PART MOTION FOR SUMMARY JUDGMENT",
        "AGREED SCHEDULING ORDER",
        "ORDER ADOPTING REPORT AND RECOMMENDATION",
        "ORDER APPROVING STIPULATION",
        "FINAL JUDGMENT",
        "STIPULATION AND [PROPOSED] ORDER EXTENDING TIME",
    ),
    "motion": (
        "DEFENDANT'S MOTION TO DISMISS COMPLAINT",
        "MOTION FOR JUDGMENT ON THE PLEADINGS",
        "MOTION FOR LEAVE TO FILE BRIEF",
        "MOTION TO STRIKE DECLARATION",
        "JOINT MOTION FOR ENTRY OF PROTECTIVE ORDER",
    ),
    "brief": (
        "MEMORANDUM IN SUPPORT OF MOTION TO COMPEL",
        "OBJECTIONS TO MAGISTRATE JUDGE'S REPORT",
        "ANSWERING BRIEF OF APPELLEE",
        "PLAINTIFFS' RESPONSE TO ORDER TO SHOW CAUSE",
        "BRIEF OF AMICI CURIAE IN SUPPORT OF PETITIONERS",
    ),
    "opinion": (
        "MEMORANDUM AND ORDER",
        "ORDER AND REASONS",
        "FINDINGS OF FACT, CONCLUSIONS OF LAW",
    ),
    "complaint": ("COMPLAINT FOR DECLARATORY JUDGMENT", "VERIFIED PETITION", "INDICTMENT"),
    "answer": ("DEFENDANT JONES' ANSWER", "ANSWER TO FIRST AMENDED COMPLAINT"),
    "other": (
        "NOTICE OF ENTRY OF ORDER",
        "DECLARATION OF A. ROE IN SUPPORT OF MOTION",
        "RESPONSES AND OBJECTIONS TO PLAINTIFF'S INTERROGATORIES",
        "SUBPOENA TO PRODUCE DOCUMENTS",
    ),
}


@pytest.mark.parametrize(("kind", "title"), [(k, t) for k, ts in TITLES.items() for t in ts])
def test_the_first_word_that_names_a_paper_tells_its_kind(kind: str, title: str) -> None:
    found = kind_of_title(title)
    assert found is not None
    assert found.legal_type == kind


HEADERS = {
    "Case: 1:14-cv-01748 Document #: 45 Filed: 03/02/15 Page 1 of 12 PageID #:365": (
        "14-cv-1748", "45", "2015-03-02",
    ),
    "2:13-cv-10000-SJM-DRG Doc # 1 Filed 01/15/13 Pg 1 of 20 Pg ID 1": (
        "13-cv-10000", "1", "2013-01-15",
    ),
    "Case 4:10-cv-00001 Document 1-3 Filed in TXSD on 01/01/10 Page 1 of 2": (
        "10-cv-1", "1-3", "2010-01-01",
    ),
    "09-50026-reg Doc 1 Filed 06/01/09 Entered 06/01/09 07:57:51 Main Document Pg 1 of 24": (
        "09-50026", "1", "2009-06-01",
    ),
    "Appellate Case: 21-800 Document: 010110462922 Date Filed: 01/11/2021 Page: 1": (
        "21-800", None, "2021-01-11",
    ),
    "Case: 13-56445, 10/25/2013, ID: 8838203, DktEntry: 6, Page 1 of 20": (
        "13-56445", "6", "2013-10-25",
    ),
    "USCA Case #13-1234 Document #1445678 Filed: 07/09/2013 Page 1 of 20": (
        "13-1234", None, "2013-07-09",
    ),
}  # fmt: skip


@pytest.mark.parametrize("line", HEADERS)
def test_the_line_of_the_filing_system(line: str) -> None:
    for text in (f"{line}\n\nORDER\n\nOne.", f"ORDER\n\nOne.\n\n{line}"):
        found = read_docket_header(text)
        assert found is not None
        assert text[found.start : found.end] == line
        assert (case_key(found.case_number), found.entry, found.filed_on) == HEADERS[line]


@pytest.mark.parametrize(
    "line",
    ["Invoice 2023-0001 Page 1 of 2", "Report 12-345 01/02/2012 Page 3 of 9", "Room 12-3, page 4"],
)
def test_another_line_is_none(line: str) -> None:
    assert read_docket_header(f"{line}\n\nText.") is None


@pytest.mark.parametrize("one", ["8:16-cv-01261-DOC-KES", "16 CV 1261 (DOC)", "No. 16-cv-1261"])
def test_writings_of_one_case_number_have_one_key(one: str) -> None:
    assert case_key(one) == "16-cv-1261"


COURTS = {
    "United States District Court, D. Vermont.": ("vtd", "District of Vermont"),
    "U.S. Bankruptcy Court\nDistrict of Arizona (Phoenix)": ("azb", "District of Arizona"),
    "United States Court of Appeals,\nNinth Circuit.": ("ca9", "Ninth Circuit"),
    "STATE OF MICHIGAN\nIN THE CIRCUIT COURT FOR THE COUNTY OF WAYNE": (None, "Wayne, Michigan"),
    "IN THE COURT OF CHANCERY OF THE STATE OF DELAWARE": (None, "State of Delaware"),
}


@pytest.mark.parametrize("text", COURTS)
def test_courts_by_their_usual_names(text: str) -> None:
    court = find_court(text.split("\n"))
    assert court is not None
    assert court.court_id == COURTS[text][0]
    assert court.name.endswith(COURTS[text][1])


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


@given(st.text(max_size=400))
def test_any_text_is_read_without_failing(text: str) -> None:
    found = read(text)
    assert (found.legal_type is None) == (found.legal_evidence is None)
    for party in found.parties or ():
        assert 0 <= party.start <= party.end <= len(text)


def test_the_day_of_another_paper_that_is_cited_is_not_the_day_of_this_one() -> None:
    page = (
        "HARTWELL, Plaintiff-Appellant,\nv.\nCOUNTY OF DENE, Defendant-Appellee.\n\n"
        "No. 14-0182.\n\n"
        "Intermediate Court of Appeals of Hawai'i.\n\nJune 9, 2014.\n\nOPINION OF THE COURT\n\n"
        'Hartwell appeals from the "Order Granting the Motion [Filed January 18, 2011]" below.'
    )
    found = read(page)
    assert (found.legal_type, found.filed_on) == ("opinion", "2014-06-09")


def test_two_parties_between_semicolons_are_two() -> None:
    found = read(PAGES["two-between-semicolons"][1])
    assert [party.name for party in found.parties or ()][1:] == [
        *("BOARD OF HARBORS", "DEPARTMENT OF PIERS", "UNIVERSITY OF KAIMU'I", "Noah M. Pele"),
    ]
