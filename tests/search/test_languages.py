"""Questions in languages whose words have combining signs or endings behind an apostrophe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

FILE = Path(__file__).parents[1] / "fixtures" / "languages.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def collection(stored: Callable[..., Collection]) -> Collection:
    return stored({f"{case['language']}.txt": case["text"] for case in CASES})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["language"])
def test_only_absent_answers_are_denied(collection: Collection, case: dict[str, str]) -> None:
    found = collection.search(case["answered"], mode="keyword")
    assert found.evidence != "none"
    assert found[0].provenance.document_name == f"{case['language']}.txt"
    # In Thai most questions share pairs of signs with a text.
    if "unanswered" in case:
        assert collection.search(case["unanswered"], mode="keyword").evidence == "none"
