"""The golden questions of the sample case file: does the cited page hold the exact words?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.evaluate import measure, open_golden

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

# Results of the embedded default less two questions: a change that loses more than a question or
# two is a loss for users; raise these floors after a gain.
FLOORS = {1: 44, 5: 58, 10: 63}


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def questions(samples: Path) -> list[dict[str, Any]]:
    lines = (samples.parent / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_there_are_enough_questions(questions: list[dict[str, Any]]) -> None:
    assert len(questions) >= 40
    assert len({q["id"] for q in questions}) == len(questions)


@pytest.mark.slow
def test_every_answer_is_on_its_page(
    demo: Collection, questions: list[dict[str, Any]], samples: Path
) -> None:
    pages: dict[tuple[str, int], str] = {}
    for document in demo.documents():
        for chunk in demo.read.chunks(document.document_id):
            key = (document.path, chunk.provenance.page)
            pages[key] = pages.get(key, "")[: chunk.provenance.char_start] + chunk.text
    missing = [
        f"{question['id']}: {answer['text']!r} is not on {answer['document']}, p. {answer['page']}"
        for question in questions
        for answer in question["answers"]
        if squeezed(answer["text"])
        not in squeezed(pages.get((str(samples / answer["document"]), answer["page"]), ""))
    ]
    assert missing == []


@pytest.mark.slow
def test_answers_are_found(
    demo: Collection, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = measure(open_golden(samples.parent / "golden.jsonl", demo))
    total = len(run.scores)
    by_name = {top: round(run.means[f"hit@{top}"] * total) for top in FLOORS}
    with capsys.disabled():
        shares = ", ".join(f"{count} of {total} in the top {top}" for top, count in by_name.items())
        print(f"\ngolden questions ({run.mode}): {shares}")
        for kind, (count, means) in run.means_by_kind().items():
            tops = ", ".join(f"top {top} {means[f'hit@{top}'] * count:.0f}" for top in FLOORS)
            print(f"  {kind}: all {count}, {tops}")
    assert all(by_name[top] >= floor for top, floor in FLOORS.items()), by_name
