"""Years and quarters are known in all their spellings, and nothing else is taken for one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.search.question.read import read
from casetrack.search.question.words import periods_of

PERIODS = """
profit in 2018 = 2018 | FY2018 profit = 2018 | FY18 profit = 2018
profit for fiscal 2018 = 2018 | the fiscal year 2018's profit = 2018
year ended December 31, 2018 = 2018 | Q2 2023 = Q2 2023 | 2Q23 = Q2 2023 | 2023Q2 = Q2 2023
3Q'21 = Q3 2021 | the second quarter of fiscal 2023 = Q2 2023
1st quarter of FY 2020 = Q1 2020 | Q4 FY22 against Q4 FY21 = Q4 2022, Q4 2021
between 2017 and 2019 = 2017, 2019 | $2018 = | 2,018 units = | section 2018.5 = | 2018% =
form 10-K of 3M = | the first quarter =
"""


@pytest.mark.parametrize("written", re.split(r" \| |\n", PERIODS.strip()))
def test_periods(written: str) -> None:
    question, _, labels = written.partition(" =")
    assert ", ".join(p.label for p in periods_of(question)) == labels.strip()


@pytest.mark.parametrize("spelling", ["FY2018", "FY18", "fiscal 2018", "2018", "Q3 2018"])
def test_every_spelling_looks_for_the_year_itself(spelling: str) -> None:
    assert read(f"profit {spelling}").terms["2018"] >= 1.0


@pytest.mark.parametrize("spelling", ["Q3 2018", "3Q18", "third quarter of 2018"])
def test_every_spelling_of_a_quarter_looks_for_the_others(spelling: str) -> None:
    assert {"q3", "third", "quarter", "2018"} <= read(f"profit {spelling}").terms.keys()


@given(st.text(alphabet="Q2 0189FYfiscalquter'of,", max_size=40))
def test_periods_are_parts_of_the_question_and_apart(question: str) -> None:
    periods = periods_of(question)
    ends = [0]
    for period in periods:
        assert question[period.part.start : period.part.end] == period.part.text
        assert period.part.start >= ends[-1]
        ends.append(period.part.end)
        assert 1950 <= period.year < 2060
