"""Words in quotation marks, and numbers in their other spellings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.search.question.read import read
from casetrack.search.question.words import other_spellings, pattern_of, phrases_of


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ('Where does it say "time is of the essence"?', ["time is of the essence"]),
        ("clauses on \u201cforce majeure\u201d", ["force majeure"]),
        ("Bedeutung von \u201eh\u00f6here Gewalt\u201c", ["h\u00f6here Gewalt"]),
        ("the 'net sales' of 2020", ["net sales"]),
        ("the tenant's and the landlord's duties", []),
        ('what is "rent"?', []),
        ('an open " quotation', []),
    ],
)
def test_phrases(question: str, phrases: list[str]) -> None:
    assert [p.text for p in phrases_of(question)] == phrases


@pytest.mark.parametrize(
    ("phrase", "text", "result"),
    [
        ("net sales", "Net  Sales, as defined", True),
        ("net sales", "net\nsales", True),
        ("time-charter", "time charter", True),
        ("net sales", "sales, net", False),
        ("net sales", "net of sales", False),
        ("net sale", "net sales", False),
    ],
)
def test_a_phrase_is_found_word_by_word(phrase: str, text: str, result: bool) -> None:
    assert (pattern_of(phrase).search(text) is not None) == result


@pytest.mark.parametrize(
    ("number", "others"),
    [
        ("1.5 million", ["1500000"]),
        ("1,500,000", ["1.5 million"]),
        ("2.25bn", ["2250000000"]),
        ("1,577", []),
        ("1.577", []),
        ("1,234,567", []),
        ("12 thousand", ["12000"]),
    ],
)
def test_numbers_in_other_spellings(number: str, others: list[str]) -> None:
    assert list(other_spellings(number)) == others


def test_numbers_are_looked_for_in_other_spellings_and_years_are_none() -> None:
    result = read("Who paid $1.5 million in 2018?")
    assert [n.text for n in result.numbers] == ["1.5 million"]
    assert 0 < result.terms["1500000"] < 1
    assert result.terms["2018"] == 1


@given(st.text(alphabet="\"'\u201c\u201d ab1.,5mlion", max_size=40))
def test_phrases_and_numbers_are_parts_of_the_question(question: str) -> None:
    result = read(question)
    for part in (*result.phrases, *result.numbers):
        assert question[part.start : part.end] == part.text
