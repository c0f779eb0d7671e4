"""Every result has a pinpoint with its exact place (P1)."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection

FILLER = "The parties met in the hall. Coffee was served. Nobody was late."
LEASE = (
    f"2.1 Rent. The rent is CHF 4,200.00 a month. It falls due on the first day.\n{FILLER}\n\n"
    f"{FILLER}\n\n"
    "7.3 Ending. Either side may end the lease by a letter that reaches the other three months\n"
    "before the end of June. A shorter time is possible where both agree.\n\n"
    f"{FILLER}"
)


@pytest.fixture(scope="module")
def lease(stored: Callable[..., Collection]) -> Collection:
    return stored({"lease.txt": LEASE, "hall.txt": f"{FILLER} The hall has a stage."})


@pytest.mark.parametrize(
    ("question", "answer", "clause", "lines"),
    [
        ("How much is the rent a month?", "The rent is CHF 4,200.00", "\u00a7 2.1", (1, 1)),
        ("letter that ends the lease", "Either side may end the lease", "\u00a7 7.3", (4, 5)),
        ("On which day is the rent due?", "It falls due on the first day", "\u00a7 2.1", (1, 1)),
        ("Is a shorter time possible?", "A shorter time is possible", "\u00a7 7.3", (5, 5)),
    ],
)
def test_the_sentence_that_answers_is_marked(
    lease: Collection, question: str, answer: str, clause: str, lines: tuple[int, int]
) -> None:
    result = lease.search(question, mode="keyword")[0]
    best = result.pinpoint[0]
    assert answer in best.text
    assert (best.line_start, best.line_end) == lines
    text = f"l. {lines[0]}" if lines[0] == lines[1] else f"ll. {lines[0]}-{lines[1]}"
    assert best.citation == f"lease.txt, p. 1, {clause}, {text}"
    assert result.citation.startswith("lease.txt, p. 1, paras.")
    assert 1 <= len(result.pinpoint) <= 3
    for part in result.pinpoint:
        assert LEASE[part.char_start : part.char_end] == part.text
        assert 0 < part.score <= 1
        assert part.text in result.text


NOTICE = "CORVINA BOARD\n\nMEETINGS OF 2021\n\nLocation: the old hall\n\nTime: 3:30pm - 5:00pm\n"


@pytest.mark.parametrize(
    ("question", "marked"),
    [
        ("Where does the Corvina board meet?", "old hall"),
        ("At what time do the meetings start?", "3:30pm"),
    ],
)
def test_a_value_is_marked_by_its_label(
    stored: Callable[..., Collection], question: str, marked: str
) -> None:
    result = stored({"notice.txt": NOTICE, "hall.txt": FILLER}).search(question, mode="keyword")[0]
    assert any(marked in mark.text for mark in result.pinpoint)


LETTER = (
    "Corvina Transport GmbH\n12 Dock Road, Hull\n\nTo Mr Ilse Brandt\n\n"
    "Corvina Transport thanks Mr Brandt for the order of 4 May.\n\n"
    "The pallets are kept in the cold store until they are fetched.\n\n"
    "Total due: 310.00 EUR\n"
)
OTHER = "Corvina pallets.\n\nThe pallets of the hall are kept in the yard until they are fetched.\n"


@pytest.fixture(scope="module")
def letters(stored: Callable[..., Collection]) -> Collection:
    return stored({"letter.txt": LETTER, "yard.txt": OTHER, "hall.txt": FILLER})


def test_a_name_of_the_letterhead_selects_the_letter_and_is_not_marked(letters: Collection) -> None:
    results = letters.search("Where are the pallets of Corvina Transport kept?", mode="keyword")
    assert results[0].provenance.document_name == "letter.txt"
    assert "cold store" in results[0].pinpoint[0].text
    assert [named.document for named in results.reading.named] == ["letter.txt"]


@pytest.mark.slow
def test_token_matrices_say_it_in_other_words(library_with_model: Library, tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    collection = library_with_model.create("Words")
    collection.ingest([tmp_path / "lease.txt"])
    question = "How can a tenant move out early?"
    assert "the lease by a letter" in collection.search(question, mode="full")[0].pinpoint[0].text
    # The text contains no word of the question.
    shares = {p.score for p in collection.search(question, mode="keyword") for p in p.pinpoint}
    assert len(shares) <= 1


def test_a_result_is_reported_with_its_pinpoint(lease: Collection) -> None:
    raw = lease.search("How much is the rent a month?", mode="keyword").as_dict()["results"][0]
    best = raw["pinpoint"][0]
    assert best.keys() >= {"text", "score", "citation", "char_start", "char_end"}
    assert LEASE[best["char_start"] : best["char_end"]] == best["text"]


def test_a_result_keeps_its_pinpoint_when_it_is_pickled_or_its_rows_are_gone(
    stored: Callable[..., Collection],
) -> None:
    lease = stored({"lease.txt": LEASE})
    results = lease.search("How much is the rent a month?", mode="keyword")
    marked = results[0].pinpoint
    assert pickle.loads(pickle.dumps(results))[0].pinpoint == marked
    again = lease.search("How much is the rent a month?", mode="keyword")
    Library(lease.workspace.settings).delete(lease.name)
    assert [p.text for p in again[0].pinpoint] == [p.text for p in marked]
