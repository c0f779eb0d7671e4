"""The value that answers: of the kind that is asked for, in the pinpoint, and never made up."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from casetrack.config import load_settings
from casetrack.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.collection import Collection
TEXT = (
    "The hall was let on 3 May 2021 to a club. The club pays CHF 4,200.00 for it. "
    "Twelve chairs are broken. The parties met in the yard.\n\n"
    "The club tells the owner of any damage no later than thirty-six hours after it saw it. "
    "Wine was served, and bread was served, and the yard was full of people from the village."
)


@pytest.fixture(scope="module")
def hall(stored: Callable[..., Collection]) -> Collection:
    return stored({"hall.txt": TEXT})


@pytest.mark.parametrize(
    ("question", "kind", "value"),
    [
        ("When was the hall let to a club?", "date", "3 May 2021"),
        ("How much does the club pay for the hall?", "amount", "CHF 4,200.00"),
        ("How many chairs are broken?", "count", "Twelve"),
        ("How soon must the club tell the owner of damage?", "date", "thirty-six hours"),
    ],
)
def test_the_value_that_is_asked_for(
    hall: Collection, question: str, kind: str, value: str
) -> None:
    result = hall.search(question, mode="keyword")[0]
    found = result.answer
    assert found is not None
    assert (found.kind, found.text) == (kind, value)
    assert TEXT[found.char_start : found.char_end] == value
    assert any(
        part.char_start <= found.char_start and found.char_end <= part.char_end
        for part in result.pinpoint
    )


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        ("5. The mill grinds when 40 sacks are there.", "How many sacks at the mill?", "40"),
        ("(2) a minimum of 30 sacks a day", "How many sacks a day at least?", "30"),
        ("a) 12) Sacks are 7 in number.", "How many sacks are there?", "7"),
        ("The lease of the mill lasts two years.", "How long does the lease last?", "two years"),
        ("12 sacks are torn.", "How many sacks are torn?", "12"),
    ],
)
def test_labels_are_no_values_and_spans_of_time_are(
    stored: Callable[..., Collection], text: str, question: str, value: str
) -> None:
    found = stored({"mill.txt": text}).search(question, mode="keyword")[0].answer
    assert found is not None
    assert found.text.startswith(value)


@pytest.mark.parametrize(
    "question",
    [
        "Which hall has a club?",  # asks for no value
        "When was wine served in the yard?",  # no date stands there
        "Was it on 3 May 2021 that the hall was let to a club, and when?",  # the question says it
    ],
)
def test_no_value_where_none_fits(hall: Collection, question: str) -> None:
    assert hall.search(question, mode="keyword")[0].answer is None


def test_the_name_of_a_plan_or_a_form_is_no_number(stored: Callable[..., Collection]) -> None:
    text = "Employees save by 401(k) plans that a bank keeps, as the 10-K says on p. 88."
    found = (
        stored({"plan.txt": text}).search("How many employees are there?", mode="keyword")[0].answer
    )
    assert found is not None
    assert (found.text, found.sure) == ("88", False)  # what is counted here are pages


def test_the_name_of_a_document_says_which_document_not_where_in_it(
    stored: Callable[..., Collection],
) -> None:
    text = "Net income attributable to {} was CHF 4,311.00.\n\nTotal revenues were CHF 322,467.00."
    reports = {f"{f.upper()}_2022_10K.txt": text.format(f) for f in ("Brackwater", "Ostendal")}
    found = stored(reports).search("What was Ostendal's total revenue?", mode="keyword")[0]
    assert found.provenance.document_name == "OSTENDAL_2022_10K.txt"
    assert found.answer is not None
    assert found.answer.text == "CHF 322,467.00"


def test_of_two_that_fit_neither_is_sure(stored: Callable[..., Collection]) -> None:
    collection = stored({"two.txt": "The rent is CHF 300.00 in May and CHF 400.00 in June."})
    found = collection.search("How much is the rent?", mode="keyword")[0].answer
    assert found is not None
    assert not found.sure


STATEMENT = (
    "(in thousands)\n"
    " | 2017 | 2016\n"
    "Revenues | $ 11,692 | $ 8,830\n"
    "Gross profit | 1,212 | 37.6%\n"
    "Total liabilities | $ 15,430 | $ 10,900\n"
    "Foreign currency adjustments | 27,409 | (5,464)\n"
)


@pytest.fixture(scope="module")
def statement(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    home = tmp_path_factory.mktemp("statement")
    with (home / "statement.csv").open("w", newline="") as file:
        csv.writer(file).writerows(line.split(" | ") for line in STATEMENT.splitlines())
    settings = replace(load_settings(home / "data"), models_dir=home / "no-models")
    collection = Library(settings).create("Statement")
    collection.ingest(home / "statement.csv")
    return collection


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What were the total revenues in 2017?", "$ 11,692"),
        ("What was the gross profit?", "1,212"),
        ("What was the rate of gross profit?", "37.6%"),
        ("What was the total of dividends?", None),
    ],
)
def test_only_a_row_that_the_question_names_answers(
    statement: Collection, question: str, value: str | None
) -> None:
    found = statement.search(question, mode="keyword")
    answer = found[0].answer if found else None
    assert (answer.text if answer else None) == value


def test_a_value_in_a_passage_that_hardly_answers_is_not_sure(hall: Collection) -> None:
    result = hall.search("How many chairs are broken?", mode="keyword")[0]
    assert result.answer is not None
    for evidence in ("weak", "none"):
        doubtful = replace(result, evidence=evidence).answer
        assert doubtful is not None
        assert (doubtful.text, doubtful.sure) == (result.answer.text, False)
