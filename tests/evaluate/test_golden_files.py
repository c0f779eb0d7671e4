"""Golden files: how they are read, and when a passage or a page counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.errors import CaseTrackError, UsageError
from casetrack.evaluate import measure, open_golden

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.collection import Collection
    from casetrack.library import Library

RENT = {"document": "contracts/lease.txt", "page": 1, "text": "rent of 1,250.00"}


@pytest.fixture
def scores(
    house: Collection, tmp_path: Path, lines_file: Callable[..., Path]
) -> Callable[..., dict[str, float]]:
    """Ask one question of the house, and return its scores."""

    def ask(question: str, *answers: dict[str, Any], **more: Any) -> dict[str, float]:
        row = {"question": question, "answers": answers, **more}
        file = lines_file(tmp_path / "golden.jsonl", [row])
        run = measure(open_golden(file, house), mode="keyword")
        return dict(run.means)

    return ask


@pytest.mark.parametrize(
    ("answer", "hit", "page_hit"),
    [
        (RENT, 1.0, 1.0),
        ({**RENT, "text": "RENT  of\n1,250.00"}, 1.0, 1.0),
        ({**RENT, "text": "rent of 1,300.00"}, 0.0, 1.0),  # the page is said to hold it
        ({"document": "contracts/lease.txt", "text": "rent of 1,300.00"}, 0.0, 0.0),
        ({"document": "contracts/lease.txt", "text": "a month"}, 1.0, 1.0),
        ({"document": "contracts/lease.txt", "page": 1}, 1.0, 1.0),
        ({"document": "Contracts\\LEASE.txt", "page": 1}, 1.0, 1.0),
        ({**RENT, "document": "letters/lease.txt"}, 0.0, 0.0),
        ({**RENT, "document": "supply.txt"}, 0.0, 0.0),
    ],
)
def test_what_counts(
    scores: Callable[..., dict[str, float]], answer: dict[str, Any], hit: float, page_hit: float
) -> None:
    found = scores("What rent does the tenant pay?", answer)
    assert (found["hit@1"], found["page_hit@1"]) == (hit, page_hit)


def test_any_answer_is_a_hit_and_all_are_recalled(
    scores: Callable[..., dict[str, float]],
) -> None:
    found = scores("rent of the tenant", RENT, {"document": "supply.txt", "text": "ten days"})
    assert (found["hit@1"], found["recall@10"]) == (1.0, 0.5)


def test_a_question_may_be_for_one_document(scores: Callable[..., dict[str, float]]) -> None:
    answer = {"document": "letters/lease.txt", "text": "roof leaks"}
    assert scores("notice in writing roof", answer)["hit@1"] == 0.0
    assert scores("notice in writing roof", answer, search_in="letters/lease.txt")["hit@1"] == 1.0


def test_most_of_the_words_may_be_enough(scores: Callable[..., dict[str, float]]) -> None:
    wanted = "Either party may (at will) end this lease with six months' notice in writing"
    answer = {"document": "contracts/lease.txt", "text": wanted}
    assert scores("notice in writing", answer)["hit@1"] == 0.0
    assert scores("notice in writing", answer, match="most")["hit@1"] == 1.0


def test_an_answer_that_no_passage_holds_is_told(
    house: Collection, tmp_path: Path, lines_file: Callable[..., Path]
) -> None:
    wrong = {**RENT, "text": "rent of 1,300.00"}
    rows = [{"question": "rent?", "answers": [RENT]}, {"question": "rent?", "answers": [wrong]}]
    (note,) = open_golden(lines_file(tmp_path / "g.jsonl", rows), house).notes
    assert note.startswith("1 answer stands whole in no passage (line 2)")


def test_groups_and_ids(house: Collection, tmp_path: Path, lines_file: Callable[..., Path]) -> None:
    missing = {**RENT, "document": "supply.txt", "page": 1, "text": "ten days"}
    rows = [
        {"id": "a", "question": "tenant rent", "answers": [RENT], "kind": "money"},
        {"question": "tenant", "answers": [missing], "kind": "time"},
        {"question": "rent", "answers": [RENT], "kind": "money", "comment": "read aloud"},
    ]
    file = lines_file(tmp_path / "g.jsonl", rows)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n\r\n"))
    run = measure(open_golden(file, house), mode="keyword")
    assert list(run.scores) == ["a", "3", "5"]
    assert {k: (n, m["hit@1"]) for k, (n, m) in run.means_by_kind().items()} == {
        "money": (2, 1.0),
        "time": (1, 0.0),
    }
    assert run.dataset == "House: g.jsonl"


def test_marks_of_the_first_right_passage(scores: Callable[..., dict[str, float]]) -> None:
    asked = "How much notice ends the lease?"
    notice = "Either party may end this lease with six months' notice in writing."
    answer = {"document": "contracts/lease.txt", "text": "six months' notice"}
    found = scores(asked, {**answer, "sentence": notice})
    assert found["pinpoint"] == 1.0
    assert found["marked_chars"] == len(notice)
    assert scores(asked, {**answer, "sentence": f"Mill House {notice}"})["pinpoint"] == 0.0
    # Nothing is said of marks where no right passage was found, or no words are known.
    missing = {**answer, "text": "seven months' notice"}
    assert "pinpoint" not in scores(asked, missing)
    assert "pinpoint" not in scores(asked, {"document": "contracts/lease.txt"})


def test_what_is_not_there_is_told(
    house: Collection, tmp_path: Path, lines_file: Callable[..., Path]
) -> None:
    rows = [
        {"question": "Who insures the Zeppelin hangar HCS-99999?", "answers": []},
        {"question": "What rent does the tenant pay each month?", "answers": [RENT]},
    ]
    asked = open_golden(lines_file(tmp_path / "g.jsonl", rows), house)
    assert [question.absent for question in asked.questions] == [True, False]
    run = measure(asked, mode="keyword")
    assert run.scores["1"] == {"absent_told": 1.0}  # of what isn't there no place is right
    assert run.scores["2"]["present_told"] == 0.0
    assert (run.means["absent_told"], run.means["hit@1"]) == (1.0, 1.0)


def test_languages_are_told_or_found(
    house: Collection, tmp_path: Path, lines_file: Callable[..., Path]
) -> None:
    rows = [
        {"question": "Wer zahlt die Miete?", "answers": [RENT], "language": "DE"},
        {"question": "Кто платит за аренду дома?", "answers": [RENT]},
    ]
    run = measure(open_golden(lines_file(tmp_path / "g.jsonl", rows), house), mode="keyword")
    assert run.languages["1"] == "de"
    assert run.languages["2"] in {"ru", "Cyrillic"}
    assert sorted(count for count, _means in run.means_by_language().values()) == [1, 1]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "line 2: not a JSON object with question and answers"),
        ([1], "line 2: not a JSON object with question and answers"),
        ({"answers": [RENT]}, "line 2: question must be a text that is not empty"),
        ({"question": " ", "answers": [RENT]}, "line 2: question must be a text"),
        ({"question": "a"}, "line 2: answers must be a list"),
        ({"question": "a", "answers": [], "value": "4"}, "line 2: a value without an answer"),
        ({"question": "a", "answers": [RENT], "value": 4}, "line 2: value must be a text"),
        ({"question": "a", "answers": [RENT], "value": []}, "line 2: value must be a text, or"),
        ({"question": "a", "answers": [RENT], "language": "English"}, "line 2: language must be a"),
        (
            {"question": "a", "answers": [{"document": "supply.txt", "sentence": "x"}]},
            "line 2: a sentence without a text",
        ),
        ({"question": "a", "answers": [{**RENT, "sentence": ""}]}, "line 2: sentence must be"),
        ({"question": "a", "answers": ["x"]}, "line 2: an answer must be an object"),
        ({"question": "a", "awnsers": [RENT]}, "line 2: unknown key 'awnsers'"),
        ({"question": "a", "answers": [{**RENT, "pgae": 1}]}, "line 2: unknown key 'pgae' of an"),
        ({"question": "a", "answers": [{"page": 1}]}, "line 2: document must be a text"),
        ({"question": "a", "answers": [{**RENT, "page": "1"}]}, "line 2: page must be a whole"),
        ({"question": "a", "answers": [{**RENT, "page": True}]}, "line 2: page must be a whole"),
        ({"question": "a", "answers": [{**RENT, "page": 2}]}, "line 2: .* has no page 2"),
        ({"question": "a", "answers": [{**RENT, "text": ""}]}, "line 2: text must be a text"),
        ({"question": "a", "answers": [RENT], "match": "x"}, "line 2: match must be one of exact"),
        (
            {"question": "a", "answers": [{"document": "nothing.txt"}]},
            'line 2: Document not found: "nothing.txt"',
        ),
        (
            {"question": "a", "answers": [{"document": "suply.txt"}]},
            "line 2: .*\n.*supply.txt",
        ),
        ({"question": "a", "answers": [{"document": "lease.txt"}]}, "line 2: 2 documents are"),
        ({"question": "a", "answers": [RENT], "search_in": "no.txt"}, "line 2: Document not"),
        ({"question": "a", "answers": [RENT], "id": "1"}, "line 2: the id '1' was there before"),
    ],
)
def test_broken_lines(house: Collection, tmp_path: Path, row: Any, message: str) -> None:
    good = json.dumps({"question": "rent?", "answers": [RENT]})
    file = tmp_path / "golden.jsonl"
    file.write_text(good + "\n" + (row if isinstance(row, str) else json.dumps(row)))
    with pytest.raises(UsageError, match=message) as caught:
        open_golden(file, house)
    assert "golden.jsonl, line 2" in caught.value.message


def test_nothing_to_ask(library: Library, house: Collection, tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    with pytest.raises(CaseTrackError, match="File not found"):
        open_golden(file, house)
    file.write_text("\n \n")
    with pytest.raises(UsageError, match="holds no question"):
        open_golden(file, house)
    with pytest.raises(UsageError, match='The collection "Bare" is empty'):
        open_golden(file, library.create("Bare"))
