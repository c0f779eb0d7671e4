"""The chronology: the timeline with the reader's picks, which stay."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import UsageError
from casetrack.editions.legal.chronology import chronology
from casetrack.extract.papers.docket_sheet import is_docket_header
from editions.legal.cases import new_case, new_library

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

LETTER = (
    "Corvid Freight, Inc. signed the carriage agreement on 4 March 2024.\n\n"
    "The crate was delivered in Boston on 7 March 2024. Its lid was split.\n\n"
    "On 2 April 2024 plaintiff sent a claim in writing for $77,250.00."
)


def case_of(path: Path, text: str) -> Collection:
    path.write_text(text, encoding="utf-8")
    return new_case(path.parent, path)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a case with one letter that dates three events."""
    return case_of(tmp_path_factory.mktemp("case") / "Letter.txt", LETTER).folder.parents[2]


@pytest.fixture
def case(template: Path, tmp_path: Path) -> Collection:
    """Return a copy of that case, to be changed."""
    shutil.copytree(template, tmp_path / "copy")
    return new_library(tmp_path / "copy").get("Mill")


def dates(case: Collection, **asked: object) -> list[str]:
    """Return the dates of a chronology."""
    return [e.value for e in chronology(case, **asked).entries]  # type: ignore[arg-type]


def test_every_event_has_its_source_and_those_who_took_part(case: Collection) -> None:
    first = chronology(case).entries[0]
    assert (first.value, first.who) == ("2024-03-04", ("Corvid Freight, Inc.",))
    assert first.event == "Corvid Freight, Inc. signed the carriage agreement on 4 March 2024."
    assert first.citation == "Letter.txt, p. 1, para. 1, l. 1"
    assert LETTER[first.quote.provenance.char_start :].startswith("4 March 2024")
    assert not first.picked


@pytest.mark.parametrize(
    "line",
    [
        "Case: 24-1326 Document: 3 Page: 1 Filed: 03/18/2024",
        "Case 2:24-cv-00417-ABC Document 12 Filed 03/05/24 Page 1 of 9 Page ID #:123",
        "FILED: KINGS COUNTY CLERK 05/24/2019 04:51 PM INDEX NO. 652345/2018",
        "NYSCEF DOC. NO. 12 RECEIVED NYSCEF: 05/24/2019",
        "Electronically FILED by Superior Court of California on 5/24/2019 4:51 PM",
    ],
)
def test_what_a_court_prints_on_each_page_is_no_event(line: str) -> None:
    assert is_docket_header(line)


def test_headers_of_courts_are_left_out(tmp_path: Path) -> None:
    text = (
        "Case: 24-1326 Document: 3 Page: 1 Filed: 03/18/2024\n\n"
        "Case 1:19-cv-00011 was filed on 03/25/2019, and Document 3 says so."
    )
    assert dates(case_of(tmp_path / "Motion.txt", text)) == ["2019-03-25"]


def test_picks_are_in_it_whatever_else_does(case: Collection) -> None:
    last = chronology(case).entries[-1]
    case.marks.take_event(last.event_id, words="Harrow made its claim.")
    (actual,) = (e for e in chronology(case, limit=1).entries if e.picked)
    assert (actual.value, actual.event) == ("2024-04-02", "Harrow made its claim.")
    assert actual.document_says == last.event
    assert dates(case, only_picked=True) == ["2024-04-02"]
    assert dates(case, only_picked=True, end="2024-03-31") == []
    case.marks.take_event(last.event_id)
    (actual,) = chronology(case, only_picked=True).entries
    assert (actual.event, actual.document_says) == (last.event, "")
    case.marks.untake_event(last.event_id)
    assert dates(case, only_picked=True) == []
    assert len(dates(case)) == 3


@pytest.mark.slow
def test_leaving_out_and_taking_undo_each_other(case: Collection) -> None:
    first = chronology(case).entries[0].event_id
    case.marks.take_event(first)
    case.marks.hide_event(first)
    assert dates(case) == ["2024-03-07", "2024-04-02"]
    case.marks.take_event(first)
    assert dates(case) == ["2024-03-04", "2024-03-07", "2024-04-02"]
    assert not case.marks.all("hide_event")


def test_picks_outlive_reading_and_export(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "Letter.txt"
    case = case_of(path, LETTER)
    first = chronology(case).entries[0]
    case.marks.take_event(first.event_id, words="They agreed.")
    case.marks.add_event("2024-05-28", "Claim refused.", source="Letter.txt")
    case.marks.hide_event(chronology(case).entries[1].event_id)
    path.write_text(f"A new first line.\n\n{LETTER}", encoding="utf-8")
    case.ingest([path], progress=False)
    expected = [
        ("2024-03-04", "They agreed.", True, "Letter.txt, p. 1, para. 2, l. 3"),
        (
            "2024-04-02",
            "On 2 April 2024 plaintiff sent a claim in writing for $77,250.00.",
            False,
            "Letter.txt, p. 1, para. 4, l. 7",
        ),
        ("2024-05-28", "Claim refused.", True, chronology(case).entries[-1].citation),
    ]

    def told(of: Collection) -> list[tuple[str, str, bool, str]]:
        return [(e.value, e.event, e.picked, e.citation) for e in chronology(of).entries]

    assert told(case) == expected
    archive = case.admin.export(tmp_path / "Harrow.ctcollection")
    copy = library.import_archive(archive.path, name="Copy")
    assert told(library.get(copy.collection)) == expected


def test_a_pick_whose_passage_is_gone_is_reported(case: Collection) -> None:
    case.marks.take_event(chronology(case).entries[0].event_id)
    case.delete_document("Letter.txt")
    result = chronology(case)
    assert not result.entries
    assert [note.split()[0] for note in result.notes] == ["1"]


def test_what_cannot_be_picked(case: Collection) -> None:
    mine = case.marks.add_event("2024-01-01", "x y", source="Letter.txt").mark_id
    for act, event in (
        (case.marks.take_event, "2031-01-01@00000000"),
        (case.marks.untake_event, "2031-01-01@00000000"),
        (case.marks.take_event, mine),
    ):
        with pytest.raises(UsageError) as caught:
            act(event)
        assert event in caught.value.message
