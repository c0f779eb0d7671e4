"""Forty questions with and forty without an answer in the sample case file: classification.

None was used for calibration. Those without an answer are about the same subjects as the others.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchMode

# Least number of recognised absent answers, and highest number of denied present ones. A search by
# meaning alone may miss the passage that has the words: see docs/evaluation.md.
TOLD: dict[SearchMode, tuple[int, int]] = {
    "keyword": (20, 0),
    "semantic": (22, 2),
    "hybrid": (22, 0),
}


@pytest.fixture(scope="module")
def questions(samples: Path) -> list[dict[str, Any]]:
    lines = (samples.parent / "absence.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.slow
def test_answers_are_where_they_are_said_to_be(
    demo: Collection, questions: list[dict[str, Any]]
) -> None:
    assert sorted(q["kind"] for q in questions) == ["absent"] * 40 + ["present"] * 40
    texts: dict[str, str] = {}
    for document in demo.documents():
        chunks = demo.read.chunks(document.document_id)
        texts[document.path] = " ".join(" ".join(c.text.split()) for c in chunks)
    for question in questions:
        assert bool(question["answers"]) == (question["kind"] == "present")
        for answer in question["answers"]:
            held = [t for path, t in texts.items() if path.endswith(answer["document"])]
            assert answer["text"] in held[0], question["id"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(TOLD))
def test_missing_objects_are_reported(
    demo: Collection, questions: list[dict[str, Any]], mode: SearchMode
) -> None:
    message = {"absent": 0, "present": 0}
    for question in questions:
        answer = demo.search(question["question"], mode=mode, limit=3)
        message[question["kind"]] += answer.evidence == "none"
    least, most = TOLD[mode]
    assert message["absent"] >= least, message
    assert message["present"] <= most, message
