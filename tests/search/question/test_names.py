"""Documents named by a question are found by the places of its words, and by file names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.base.dataclass import replace
from casetrack.search.question.read import read
from casetrack.search.question.words import MOST, Names

FILES = ["ORCAMARINE_2020_AR.pdf", "ORCAMARINE_2021_AR.pdf", "Wagtail.pdf", "TERNSHIPPING.pdf"]
SIZES = [100, 100, 60, 40]
HELD = {
    "orca": [90, 92, 1, 0],
    "marin": [90, 92, 2, 3],
    "wagtail": [0, 0, 58, 0],
    "krill": [0, 0, 30, 0],
    "2020": [80, 30, 10, 5],
    "2021": [2, 85, 10, 5],
    "board": [20, 22, 12, 9],
    "revenu": [60, 60, 30, 20],
    "ship": [10, 8, 5, 9],
}


def names(
    files: list[str] = FILES, sizes: list[int] = SIZES, held: dict[str, list[int]] = HELD
) -> Names:
    def counts(term: str) -> np.ndarray:
        return np.array(held.get(term, [0] * len(files))[: len(files)], dtype=np.int64)

    return Names(
        ids=[f"id-{n}" for n in range(len(files))],
        names=files,
        sizes=np.array(sizes, dtype=np.int64),
        counts=counts,
        frequency=lambda term: int(counts(term).sum()),
    )


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        ("What was the revenue of Orca?", {FILES[0], FILES[1]}),
        ("Revenue of Orca Marine in 2020", {FILES[0]}),
        ("Orca's revenue, FY2021", {FILES[1]}),
        ("How much krill does Wagtail take?", {FILES[2]}),
        ("krill quota", set()),  # an ordinary word, though only one document has it
        ("KRILL QUOTA", set()),
        ("Wie groß ist die Fangquote für Krill?", set()),
        ("wagtail quota", {FILES[2]}),  # the name of the file
        ("Who sits on the board of Tern Shipping?", {FILES[3]}),
        ("ternshipping fleet", {FILES[3]}),
        ("What does Tern ship?", set()),
        ("What was the revenue in 2020?", set()),
        ("Board and revenue", set()),
        ("Compare the revenue of Orca and Wagtail in 2021", {FILES[1], FILES[2]}),
    ],
)
def test_documents_that_are_named(question: str, documents: set[str]) -> None:
    result = read(question, names=names()).named
    assert {n.document for n in result} == documents
    assert all(0 < n.weight <= 1 for n in result)


@pytest.mark.parametrize(("file", "is_named"), [("Krill.pdf", True), ("Notes on krill.pdf", False)])
def test_a_word_in_small_letters_is_the_beginning_of_a_files_name(
    file: str, is_named: bool
) -> None:
    files = [*FILES[:2], file, FILES[3]]
    assert bool(read("krill quota", names=names(files)).named) == is_named


BEGINNINGS = [{"corvina", "orca", "quota"}, {"orca"}, {"tern", "orca"}, {"letter", "orca"}]
CARDS = ["Corvina Ltd", "", "", "Letter to Tern"]


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        ("What must Corvina pay?", {0}),  # a name in the card
        ("What must Tern pay?", {2}),  # where the document begins
        ("What must Orca pay?", set()),  # where all begin
        ("Is the quota paid?", set()),  # no capital
        ("Was schuldet die Quota?", set()),  # a German noun
        ("Who paid in May 2021?", {1}),
        ("Who paid in 2021?", set()),
    ],
)
def test_documents_are_named_by_their_cards_beginnings_and_months(
    question: str, documents: set[int]
) -> None:
    def begins(term: str) -> np.ndarray:
        return np.array([term in beginning for beginning in BEGINNINGS])

    own = names(
        sizes=[4, 4, 3, 4],
        held={t: [1] * 4 for t in ("orca",)}
        | {
            term: [int(term in each) for each in BEGINNINGS]
            for term in ("corvina", "tern", "quota")
        },
    )
    own = replace(own, begins=begins, cards=CARDS, days=[None, "2021-05-07", "2020-05-07", None])
    result = read(question, names=own).named
    assert {n.document_id for n in result} == {f"id-{n}" for n in documents}


def test_short_documents_are_not_told_by_their_words() -> None:
    assert not read("krill", names=names(sizes=[4, 4, 3, 4])).named


def test_a_word_of_a_whole_field_is_not_counted() -> None:
    sizes, counted = np.full(3000, 20), list[str]()
    held = {"field": np.repeat([15, 0], 1500), "wagtail": np.repeat([18, 0], [4, 2996])}

    def counts(term: str) -> np.ndarray:
        counted.append(term)
        return held.get(term, np.zeros(3000, dtype=np.int64))

    many = Names(
        ids=[f"id-{n}" for n in range(3000)],
        names=[f"{n}.pdf" for n in range(3000)],
        sizes=sizes,
        counts=counts,
        frequency=lambda term: int(held[term].sum()) if term in held else 0,
    )
    result = read("field of Wagtail", names=many).named
    assert {n.document for n in result} == {f"{n}.pdf" for n in range(4)}
    assert "wagtail" in counted
    assert "field" not in counted


def test_one_document_alone_is_never_named() -> None:
    assert not read("Orca", names=names(FILES[:1], SIZES[:1])).named


@given(st.text(alphabet="OrcaMne20 1,?'wgtilkb", max_size=60))
def test_what_names_a_document_is_part_of_the_question(question: str) -> None:
    result = read(question, names=names()).named
    assert len(result) <= MOST
    for named in result:
        assert question[named.part.start : named.part.end] == named.part.text
        assert named.part.text.strip()


@pytest.mark.parametrize(
    ("question", "files", "documents"),
    [
        ("What was the revenue of O&M in 2021?", ["Orca Marine 2021.pdf"], {0}),
        ("O&M's revenue", ["ORCA_AND_MARINE_AR.pdf"], {0}),
        ("O&M's revenue", ["O&M report.pdf"], {0}),
        ("B&R costs", ["Board revenue.pdf"], set()),  # words of every document
        ("R&D costs", ["Omens of March.pdf"], set()),
        ("notice of defects", ["2024-10-21 Notice of Defects.docx"], {0}),
        ("When is a notice of defects sent?", ["2024-10-21 Notice of Defects.docx"], set()),
    ],
)
def test_names_that_are_abbreviated_or_follow_a_date(
    question: str, files: list[str], documents: set[int]
) -> None:
    all_files = [*files, *FILES[1:]]
    held = {**HELD, "orca": [90, 0, 1, 0], "marin": [90, 0, 1, 0]}
    result = read(question, names=names(all_files, held=held)).named
    assert {n.document for n in result} == {all_files[n] for n in documents}
