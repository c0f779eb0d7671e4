"""Golden files: how they are read, and when a passage or a page counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.evaluate import measure, open_golden
from casetrack.base.errors import FileNotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

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


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("answer", "hit", "page_hit"),
    [
        (RENT, 1.0, 1.0),
        ({**RENT, "text": "RENT  of\n1,250.00"}, 1.0, 1.0),
        ({**RENT, "text": "rent of 1,300.00"}, 0.0, 1.0),  # the expected page
        ({"document": "contracts/lease.txt", "text": "rent of 1,300.00"}, 0.0, 0.0),
        ({"document": "contracts/lease.txt", "page": 1}, 1.0, 1.0),
        ({"document": "Contracts\\LEASE.txt", "page": 1}, 1.0, 1.0),
        ({**RENT, "document": "letters/lease.txt"}, 0.0, 0.0),
    ],
)
def test_what_counts(
    scores: Callable[..., dict[str, float]], answer: dict[str, Any], hit: float, page_hit: float
) -> None:
    result = scores("What rent does the tenant pay?", answer)
    assert (result["hit@1"], result["page_hit@1"]) == (hit, page_hit)


def test_any_answer_is_a_hit_and_all_are_recalled(scores: Callable[..., dict[str, float]]) -> None:
    result = scores("rent of the tenant", RENT, {"document": "supply.txt", "text": "ten days"})
    assert (result["hit@1"], result["recall@10"]) == (1.0, 0.5)


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
    house: Collection,
    tmp_path: Path,
    lines_file: Callable[..., Path],
    messages: Callable[..., None],
) -> None:
    wrong = {**RENT, "text": "rent of 1,300.00"}
    rows = [{"question": "rent?", "answers": [RENT]}, {"question": "rent?", "answers": [wrong]}]
    (note,) = open_golden(lines_file(tmp_path / "g.jsonl", rows), house).notes
    assert "2" in note
    messages(note)


def test_marks_of_the_first_right_passage(scores: Callable[..., dict[str, float]]) -> None:
    asked = "How much notice ends the lease?"
    notice = "Either party may end this lease with six months' notice in writing."
    answer = {"document": "contracts/lease.txt", "text": "six months' notice"}
    result = scores(asked, {**answer, "sentence": notice})
    assert result["pinpoint"] == 1.0
    assert result["marked_chars"] == len(notice)
    assert scores(asked, {**answer, "sentence": f"Mill House {notice}"})["pinpoint"] == 0.0
    # No marks without a right passage or without known words.
    missing = {**answer, "text": "seven months' notice"}
    assert "pinpoint" not in scores(asked, missing)
    assert "pinpoint" not in scores(asked, {"document": "contracts/lease.txt"})


def test_shown_values_are_judged(
    house: Collection, tmp_path: Path, lines_file: Callable[..., Path]
) -> None:
    notice = {"question": "How much notice ends this lease?", "answers": [RENT]}
    values = ({"value": "six months"}, {"value": "9"}, {}, {"answers": []})
    file = lines_file(tmp_path / "g.jsonl", [notice | each for each in values])
    run = measure(open_golden(file, house), mode="keyword")
    verdicts = [answer["verdict"] for answer in run.answers]
    assert verdicts == ["right", "wrong", "unjudged", "wrong"]
    assert {answer["document"] for answer in run.answers} == {"lease.txt"}


def test_missing_objects_are_reported(
    house: Collection, tmp_path: Path, lines_file: Callable[..., Path]
) -> None:
    rows = [
        {"question": "Who insures the Zeppelin hangar HCS-99999?", "answers": []},
        {"question": "What rent does the tenant pay each month?", "answers": [RENT]},
    ]
    asked = open_golden(lines_file(tmp_path / "g.jsonl", rows), house)
    assert [question.absent for question in asked.questions] == [True, False]
    run = measure(asked, mode="keyword")
    assert run.scores["1"] == {"absent_told": 1.0}  # an absent answer has no right place
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


def asked(answer: Any = RENT, **more: Any) -> dict[str, Any]:
    return {"question": "a", "answers": [answer], **more}


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("{", "question"),
        ([1], "question"),
        ({"answers": [RENT]}, "question"),
        (asked(question=" "), "question"),
        ({"question": "a"}, "answers"),
        (asked(answers=[], value="4"), "value"),
        (asked(value=4), "value"),
        (asked(language="English"), "language"),
        (asked({"document": "supply.txt", "sentence": "x"}), "sentence"),
        (asked({**RENT, "sentence": ""}), "sentence"),
        (asked("x"), "document, page .* text"),
        (asked(awnsers=[RENT]), "'awnsers'"),
        (asked({**RENT, "pgae": 1}), "'pgae'"),
        (asked({"page": 1}), "document"),
        (asked({**RENT, "page": "1"}), "page .*'1'"),
        (asked({**RENT, "page": 2}), "'contracts/lease.txt' .* page 2"),
        (asked({**RENT, "text": ""}), "text"),
        (asked(match="x"), "match .*exact.*'x'"),
        (asked({"document": "nothing.txt"}), '"nothing.txt"'),
        (asked({"document": "suply.txt"}), r"suply.txt[\s\S]* supply.txt"),
        (asked({"document": "lease.txt"}), r"2 [\s\S]*letters/lease.txt"),
        (asked(search_in="no.txt"), '"no.txt"'),
        (asked(id="1"), "id '1'"),
    ],
)
def test_broken_lines(house: Collection, tmp_path: Path, row: Any, named: str) -> None:
    good = json.dumps({"question": "rent?", "answers": [RENT]})
    file = tmp_path / "golden.jsonl"
    file.write_text(good + "\n" + (row if isinstance(row, str) else json.dumps(row)))
    with pytest.raises(UsageError, match=rf"golden\.jsonl, \w+ 2\b.*{named}"):
        open_golden(file, house)


def test_nothing_to_ask(library: Library, house: Collection, tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    with pytest.raises(FileNotFound):
        open_golden(file, house)
    file.write_text("\n \n")
    with pytest.raises(UsageError, match=r"golden\.jsonl"):
        open_golden(file, house)
    with pytest.raises(UsageError, match='"Bare"'):
        open_golden(file, library.create("Bare"))
