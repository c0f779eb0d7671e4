"""Places as the paper names them: from characters to pages and lines, and back."""

from __future__ import annotations

import pytest

from casetrack.extract.papers.places import (
    bates_key,
    find_pin,
    joined_words,
    printed_at,
    printed_words,
    read_bates,
)
from casetrack.extract.papers.text import Pin, PrintedPlace, TextPage, WholeText


def transcript_page(number: int, label: str, lines: list[tuple[str, str]]) -> TextPage:
    """Return a page with its number and those of its lines."""
    text = "\n".join(words for _, words in lines)
    printed, at = [PrintedPlace("page", label, 0, len(text))], 0
    for name, words in lines:
        printed.append(PrintedPlace("line", name, at, at + len(words)))
        at += len(words) + 1
    return TextPage(number, text, tuple(printed))


DEPOSITION = WholeText(
    (
        transcript_page(7, "24", [("23", "Q. Were you there?"), ("25", "A. I was, for")]),
        transcript_page(8, "25", [("1", "an hour."), ("2", "Q. Alone?"), ("4", "A. Yes.")]),
    )
)
STARRED = WholeText(
    (
        TextPage(1, "One two three four", (PrintedPlace("star", "593", 4, 18),)),
        TextPage(
            2, "five six", (PrintedPlace("star", "593", 0, 5), PrintedPlace("star", "594", 5, 8))
        ),
    )
)


@pytest.mark.parametrize(
    ("pin", "result"),
    [
        (Pin("24:23", "line", "24", "24", "23", "23"), ["Q. Were you there?"]),
        (
            Pin("24:23-25:1", "line", "24", "25", "23", "1"),
            ["Q. Were you there?\nA. I was, for\nan hour."],
        ),
        (Pin("25:2-4", "line", "25", "25", "2", "4"), ["Q. Alone?\nA. Yes."]),
        # A line without text is passed over, and one that is not there finds nothing.
        (Pin("25:3-4", "line", "25", "25", "3", "4"), ["A. Yes."]),
        (Pin("25:9", "line", "25", "25", "9", "9"), []),
        (Pin("26:1", "line", "26", "26", "1", "1"), []),
        (Pin("25", "page", "25", "25"), ["an hour.\nQ. Alone?\nA. Yes."]),
        # The page of the file is no page of a transcript that numbers its own.
        (Pin("7", "page", "7", "7"), []),
    ],
)
def test_a_pin_finds_the_characters_it_names(pin: Pin, result: list[str]) -> None:
    """Page and line resolve to their text."""
    assert [DEPOSITION.text[a:b] for a, b in find_pin(DEPOSITION, pin)] == result


def test_what_stands_somewhere_is_named_as_the_paper_does() -> None:
    """Characters lead to page and line, over the end of a page too."""
    text = DEPOSITION.text
    assert printed_at(DEPOSITION, 0, 5) == "24:23"
    assert printed_at(DEPOSITION, 0, text.index("Alone")) == "24:23-25:2"
    assert printed_at(DEPOSITION, text.index("Alone"), len(text)) == "25:2-4"


def test_a_star_page_goes_on_over_the_end_of_the_page_of_the_file() -> None:
    """It ends where the next one of its reporter begins."""
    ((start, end),) = find_pin(STARRED, Pin("593", "page", "593", "593"))
    assert STARRED.text[start:end] == "two three four\nfive "
    assert printed_at(STARRED, 0, len(STARRED.text)) == "*593-*594"
    assert printed_at(STARRED, 0, 3) is None


def test_star_pages_of_two_reporters_stand_beside_one_another() -> None:
    """Each series of numbers has its own range."""
    stars = [
        PrintedPlace("star", n, 10 * i, 10 * i + 9) for i, n in enumerate(("267", "1006", "268"))
    ]
    assert printed_words(stars, 0, 100) == "*267-*268; *1006"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("ABC000123", "ABC000123"),
        ("ABC-000123", "ABC-000123"),
        ("DEF2-000123", "DEF2-000123"),
        ("ABC 000123 - ABC 000130", "ABC 000123-ABC 000130"),
        ("ABC000123-30", "ABC000123-ABC000130"),
        ("ABC000123 through ABC000130", "ABC000123-ABC000130"),
        ("ACME-SEC-0001 to ACME-SEC-0004", "ACME-SEC-0001-ACME-SEC-0004"),
        ("2019-04", None),
        ("ABC000130-ABC000123", None),
        ("ABC000123-XYZ000130", None),
        ("a" * 5000, None),
    ],
)
def test_bates_numbers_are_read_in_every_spelling(written: str, read: str | None) -> None:
    """A prefix and digits, or a range of them; nothing else."""
    bates = read_bates(written)
    assert (str(bates) if bates else None) == read


def test_spellings_of_a_bates_number_have_one_key() -> None:
    assert bates_key("ABC-000123") == bates_key("abc 000123")


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["24:1-20; ABC000123", "24:19-25; ABC000123"], "24:1-25; ABC000123"),
        (["24:3", None], "24:3"),
        (["24:3-25:1", "25:1-9", "26:2"], "24:3-26:2"),
        (["*593", "*593-*595; *12", "*595"], "*12; *593-*595"),
        (["printed p. iv", "printed p. iv"], "printed p. iv"),
        ([None, None], None),
    ],
)
def test_places_of_passages_are_joined(parts: list[str | None], whole: str | None) -> None:
    assert joined_words(parts) == whole
