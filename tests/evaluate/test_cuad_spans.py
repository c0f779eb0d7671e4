"""Comparing what is found in contracts with annotated spans."""

from __future__ import annotations

import pytest

from evaluate.cuad_spans import (
    Count,
    Found,
    Squeezed,
    named_places,
    party_kind,
    places_of_chunks,
    score_contract,
    written_dates,
)

TEXT = (
    'This agreement is made on the 1st  day of June , 2006 between Acme Widgets, Inc.\n("Acme") '
    "and the Distributor.\n\nIt is governed by the laws of the State of New\n  York."
)


def clause(category: str, words: str) -> dict[str, object]:
    start = TEXT.index(words)
    return {"category": category, "start": start, "end": start + len(words), "text": words}


def found(words: str, kind: str, *values: str) -> Found:
    start, end = Squeezed(TEXT).span(TEXT.index(words), TEXT.index(words) + len(words))
    return Found(start, end, kind, values)


CLAUSES = [
    clause("Parties", "Acme Widgets, Inc."),
    clause("Parties", '("Acme")'),
    clause("Parties", "Distributor"),
    clause("Agreement Date", "1st  day of June , 2006"),
    clause("Governing Law", TEXT[TEXT.index("It is") :]),
]


def test_everything_found() -> None:
    counts: dict[str, Count] = {}
    mentions = [
        found("Widgets, Inc", "organization"),
        found('Acme")', "person"),
        found("1st  day of June , 2006", "date", "2006-06-01"),
        found("New\n  York", "location"),
    ]
    score_contract(TEXT, CLAUSES, mentions, counts)
    assert {name: (c.right, c.total) for name, c in counts.items()} == {
        "Parties, full name": (1, 1),
        "Parties, short name": (1, 1),
        "Parties, role word": (0, 1),
        "Agreement Date, written": (1, 1),
        "Governing Law, clauses that name a state or country": (1, 1),
        "Governing Law, places named": (1, 1),
    }


@pytest.mark.parametrize(
    "mention",
    [
        found("Inc", "organization"),  # less than half
        found("Acme Widgets, Inc", "location"),  # of another kind
        found("1st  day of June , 2006", "date", "2006-06-02"),  # another day
        found("State", "location"),  # beside the name
    ],
)
def test_near_misses_do_not_count(mention: Found) -> None:
    counts: dict[str, Count] = {}
    score_contract(TEXT, CLAUSES, [mention], counts)
    assert sum(c.right for c in counts.values()) == 0


def test_the_same_words_elsewhere_count_apart() -> None:
    counts: dict[str, Count] = {}
    score_contract(TEXT, [clause("Parties", '("Acme")')], [found("Acme", "organization")], counts)
    assert (counts["Parties, short name"].right, counts["Parties, short name"].anywhere) == (0, 1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("XXXXXXXXXXXX", "blank"),
        ('("NFLA")', "short name"),
        ("Marketing Agent", "role word"),
        ('"you" or the "Franchisee"', "role word"),
        ('(each a "Party", collectively, the "Parties").', "role word"),
        ('Acme and Bolt are each a "Party"', "clause"),
        ("Robbie Fowler", "full name"),
    ],
)
def test_kinds_of_parties(text: str, kind: str) -> None:
    assert party_kind(text) == kind


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("November 7, 2017", [{"2017-11-07"}]),
        ("18t h day of August 2014", [{"2014-08-18"}]),
        ("first day of July, 2017 (", [{"2017-07-01"}]),
        ("22 Dec. 2017", [{"2017-12-22"}]),
        ("29/3/18", [{"2018-03-29"}]),
        ("05/06/98", [{"1998-05-06", "1998-06-05"}]),
        ("from March 15, 2018 to March 14, 2020", [{"2018-03-15"}, {"2020-03-14"}]),
        ("____ day of ______________ 2013", []),
        ("1st day of December", []),
        ("February 30, 2018", []),
    ],
)
def test_dates_as_written(text: str, dates: list[set[str]]) -> None:
    assert written_dates(text) == dates


def test_places_of_chunks() -> None:
    text = Squeezed("one two\n\nthree four five")
    assert places_of_chunks(text, ["one two\nthree", "two three", "four  five"]) == [0, 3, 11]
    with pytest.raises(ValueError, match="chunk 0 does not stand in the text: 'six'"):
        places_of_chunks(text, ["six"])


def test_longest_name_of_a_place() -> None:
    text = "laws of England and Wales, West Virginia and the People's Republic of China"
    assert [text[a:b] for a, b in named_places(text)] == [
        "England and Wales",
        "West Virginia",
        "People's Republic of China",
    ]
