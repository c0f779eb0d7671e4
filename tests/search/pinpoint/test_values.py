"""The value that answers is shown only where it is sure; otherwise none is."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
TEXT = (
    "The hall was let on 3 May 2021 to a club. The club pays CHF 4,200.00 for the hall. "
    "Twelve chairs are broken. The parties met in the yard.\n\n"
    "The club must tell the owner of damage no later than thirty-six hours after it saw it. "
    "Wine was served, and bread was served, and the yard was full of people from the village."
)


_LATE = "It was late. " * 40


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
    result = replace(hall.search(question, mode="keyword")[0], evidence="strong")
    actual = result.answer
    assert actual is not None
    assert (actual.kind, actual.text) == (kind, value)
    assert TEXT[actual.char_start : actual.char_end] == value
    best = result.pinpoint[0]
    assert best.char_start <= actual.char_start < actual.char_end <= best.char_end
    assert replace(result, evidence="none").answer is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        ("5. The mill needs 40 sacks.", "How many sacks does the mill need?", "40"),
        ("The goodwill of the mill was CHF 90.", "What was the goodwill of the mill?", "CHF 90"),
        ("The goodwill of the mill was lost.", "What was the goodwill of the mill?", None),
        ("The lease of the mill lasts two years.", "How long does the lease last?", "two years"),
        ("The rent of the mill is 300 francs.", "How much is the rent of the mill?", "300 francs"),
        (
            "The rent of the mill is Two Hundred, Five Thousand Dollars ($205,000.00).",
            "How much is the rent of the mill?",
            "$205,000.00",
        ),
        # Values next to their labels, and times of the day.
        (
            "Rules of the mill.\nForm number: 4711\nForm date: 2 May 2021",
            "What is the form number?",
            "4711",
        ),
        (
            "The mill at Ely.\nAmount paid | CHF 40\nAmount due | CHF 9",
            "How much has the mill paid?",
            "CHF 40",
        ),
        ("The mill at Ely.\nVice president: Ann Dee", "Who is the president of the mill?", None),
        ("The mill opens at 7:30am on 4 May.", "At what time does the mill open?", "7:30am"),
        (
            "Date: 4 May 2021\nThe lease of the mill ends early.",
            "When does the lease of the mill end?",
            None,
        ),
        # Places, definitions, names.
        ("The mill has its barn at 9 Oak Row, Ely.", "Where is the mill barn?", "9 Oak Row, Ely"),
        ("The mill barn is at 9 Oak Row, a yard and Ely.", "Where is the mill barn?", None),
        ('"Mill" means the old house.', 'What does "Mill" mean?', "the old house"),
        ("The lease is governed by the laws of Ohio.", "Which law governs the lease?", "Ohio"),
        ("The inn of Ely is called Wheel.", "What is the inn of Ely called?", "Wheel"),
        ("The inn at the mill was formerly called Wheel.", "What is the inn called?", None),
        # Names of things are no values, and the counted thing follows its number.
        ("Sacks of 401(k) plans are torn.", "How many sacks are torn?", None),
        ("Chamber 3 sacks were moved by CR-07.", "How many sacks were moved?", None),
        ("See 5.2 Sacks that are torn.", "How many sacks are torn?", None),
        # A duty and a fact, a former value, a change.
        ("The notice was given on 3 May 2021.", "When must the notice be given?", None),
        ("The notice must be given by 3 May 2021.", "When was the notice given?", None),
        ("The rent was previously CHF 300.", "How much is the rent?", None),
        ("The mill loan is made on 3 May 2021. It may end.", "When will the mill loan end?", None),
        ("The rent increased by CHF 30.", "How much is the rent?", None),
        # Two values, another year, words that are missing.
        ("The rent is CHF 300 in May and CHF 400 in June.", "How much is the rent?", None),
        ("The rent was CHF 300.", "How much was the rent in 2019?", None),
        ("The rent is CHF 300.", "How much is the penalty for late rent payments?", None),
        ("M3 | Quayline: software | 17 May 2024", "When was the Quayline cutover?", None),
        # The words of the question belong to another value, or to another sentence.
        (
            "We ask a new rent of CHF 385 a month in place of the present CHF 240.",
            "What is the present rent?",
            None,
        ),
        (
            "Repairs to the mill barn, reported on 2 May 2021, are booked for 9 May 2021.",
            "When will the mill barn be repaired?",
            None,
        ),
        ("The offer of mill rope of 48 mm is valid.", "How long is the mill offer valid?", None),
        (
            "Other debts of the mill are CHF 300.\n\nThey are mostly tax of the barn.",
            "What is the barn tax debt of the mill?",
            None,
        ),
        ("Notes on Ely Mill. The fair is soon.", "Where is the fair of the Ely Mill held?", None),
        (
            f"Notes of Quayline.\n\n{_LATE}\n\nThe mill needs of the barn end on 3 May 2021.",
            "When do the mill needs of the Quayline barn end?",
            "3 May 2021",
        ),
        (
            "Questions are to be submitted at http://ely.test/barn-tax-list until 3 May 2021.",
            "When must the barn tax list offers be submitted?",
            None,
        ),
        # One value of the text is no answer.
        ("The rent is CHF 300.", "Is the rent CHF 300, and how much is it?", None),
        ("The rent is CHF 300.", "How much is the rent now?", None),
        ("The rent is CHF 300.", "How much did the rent grow?", None),
        ("The rent is CHF 300.", "What is the average rent?", None),
        ("Elm pays Ash CHF 300 for sacks.", "How much does Ash pay Elm for sacks?", None),
        ("Is the rent CHF 300?", "How much is the rent of the mill?", None),
        ("After the flood the rent is CHF 300.", "How much was the rent before the flood?", None),
        ("Sky began in 1998 by satellite.", "What satellite was used when Sky began?", None),
    ],
)
def test_a_value_is_shown_only_where_it_is_sure(
    stored: Callable[..., Collection], text: str, question: str, value: str | None
) -> None:
    result = stored({"mill.txt": text}).search(question, mode="keyword")[0]
    actual = replace(result, evidence="strong").answer
    assert (actual.text if actual else None) == value


@pytest.mark.parametrize(
    ("other", "value"), [("A mill.", "CHF 300"), ("The rent of the mill is CHF 400.", None)]
)
def test_one_of_the_first_results_has_the_value(
    stored: Callable[..., Collection], other: str, value: str | None
) -> None:
    texts = [
        "The rent of the mill: the rent of the mill is high.",
        "The rent of the mill is CHF 300.",
    ]
    files = {f"{n}.txt": text for n, text in enumerate([*texts, other])}
    results = stored(files).search("How much is the rent of the mill?", mode="keyword")
    answers = [replace(result, evidence="strong").answer for result in results]
    assert [answer.text for answer in answers if answer] == ([value] if value else [])
    assert answers[0] is None


def test_the_name_of_a_document_says_which_document_not_where_in_it(
    stored: Callable[..., Collection],
) -> None:
    text = "Net income attributable to {} was CHF 4,311.00.\n\nTotal revenues were CHF 322,467.00."
    reports = {f"{f.upper()}_2022_10K.txt": text.format(f) for f in ("Brackwater", "Ostendal")}
    answer = stored(reports).search("What was Ostendal's total revenue?", mode="keyword")[0]
    assert answer.provenance.document_name == "OSTENDAL_2022_10K.txt"
    assert answer.answer is not None
    assert answer.answer.text == "CHF 322,467.00"


STATEMENT = (
    "Part number | Unit price | In stock\n"
    "TS-10014 gearbox | $ 11,692 | 12\n"
    "TS-10022 motor | $ 8,830 | 7\n"
    "TS-10031 curtain | 1,212 | 3\n"
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the unit price of the gearbox?", "$ 11,692"),
        ("How many of the motor are in stock?", "7"),
        ("What is the unit price of the curtain?", "1,212"),
        ("What is the weight of the motor?", None),
    ],
)
def test_the_cell_of_a_row_by_the_name_of_its_column(
    statement: Collection, question: str, value: str | None
) -> None:
    answer = replace(statement.search(question, mode="keyword")[0], evidence="strong").answer
    assert (answer.text if answer else None) == value
