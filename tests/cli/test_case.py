"""``casetrack case``: made, listed, chosen, described, deleted; and what comes of it elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.editions import LEGAL, edition

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]


def test_a_case_is_made_used_described_and_deleted(run: Run, tmp_path: Path) -> None:
    letter = tmp_path / "Letter.txt"
    letter.write_text("The crane was delivered to Pier 9 on 3 May 2024.", encoding="utf-8")
    assert run("case", "use").out == "No case is in use: commands ask for -c NAME.\n"
    made = run("case", "create", "Harbor v. Quay", "--number", "24-cv-1", "--type", "Contract")
    assert made.code == 0
    assert made.out.startswith('Created case "Harbor v. Quay" (ID: ')
    assert made.out.endswith("Add documents: casetrack ingest PATH\n")
    run("case", "create", "Doe v. State", "--type", "criminal")
    used = run("case", "use", "harbor v. quay")
    assert used.out.startswith('Commands use the case "Harbor v. Quay" (ID: ')
    # Two cases are there; the one in use is meant.
    assert run("ingest", str(letter)).code == 0
    assert "Letter.txt" in run("search", "crane").out
    info = run("case", "info")
    for fact in ("Harbor v. Quay", "24-cv-1", "contract", "active"):
        assert fact in info.out
    listed = run("case", "list").out.splitlines()
    assert sum(line.startswith("*") for line in listed) == 1
    assert next(line for line in listed if line.startswith("*")).split()[1] == "Harbor"
    # Another one can be named as ever.
    assert run("documents", "-c", "Doe v. State", "--json").out == "[]\n"
    refused = run("case", "delete", "Harbor v. Quay")
    assert refused.code == 2
    assert 'Deleting the case "Harbor v. Quay" must be confirmed.' in refused.err
    gone = run("case", "delete", "Harbor v. Quay", "--yes")
    assert gone.out.endswith("Your original files are untouched.\n")
    assert letter.is_file()
    # What was in use is gone: the only one left is meant.
    assert run("case", "use").out.startswith("No case is in use")
    assert "Doe v. State" in run("case", "info").out


def test_a_case_as_json(run: Run) -> None:
    made = json.loads(run("case", "create", "Harbor v. Quay", "--number", "7", "--json").out)
    assert (made["name"], made["case_number"], made["case_type"]) == (
        "Harbor v. Quay",
        "7",
        "other",
    )
    assert made["is_used"] is True
    (listed,) = json.loads(run("case", "list", "--json").out)
    assert listed["id"] == made["id"]
    assert listed["document_count"] == 0
    info = json.loads(run("case", "info", "Harbor v. Quay", "--json").out)
    assert info["documents"] == []
    assert json.loads(run("case", "use", "--none", "--json").out) is None


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["case", "info", "Harbour"], 2, 'Case not found: "Harbour". Did you mean:\n  - Harbor ('),
        (["case", "use", "Nobody"], 2, 'Case not found: "Nobody".'),
        (["case", "use", "General"], 2, 'Case not found: "General".'),
        (["case", "delete", "General", "-y"], 2, 'Case not found: "General".'),
        (["case", "create", "harbor"], 2, 'A case named "Harbor" already exists (ID: '),
        (
            ["case", "create", "General"],
            2,
            'The name "General" is taken by a collection that is no',
        ),
        (["case", "create", "X", "--type", "poem"], 2, "Unknown case type 'poem'."),
        (["case", "create", " "], 2, "A collection name has 1 to 200 characters"),
        (["case", "list", "--status", "open"], 2, "'open' is not one of"),
        (
            ["collection", "describe", "Harbor", "--type", "report"],
            2,
            "Unknown case type 'report'.",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_wrong_is_told_in_words_of_cases(
    run: Run, words: list[str], code: int, said: str
) -> None:
    run("case", "create", "Harbor")
    run("collection", "create", "General")
    ended = run(*words)
    assert ended.code == code
    assert said in ended.err


@pytest.mark.usefixtures("free_tier")
def test_the_free_tier_has_three_cases_and_three_collections(run: Run) -> None:
    for n in range(3):
        assert run("case", "create", f"Case {n}").code == 0
        assert run("collection", "create", f"Collection {n}").code == 0
    ended = run("case", "create", "One too many")
    assert ended.code == 1
    assert "Free tier allows 3 cases (you have 3). Delete a case or upgrade to Pro" in ended.err


def test_kinds_of_documents_are_those_of_the_case(run: Run, tmp_path: Path) -> None:
    paper = tmp_path / "Motion.txt"
    paper.write_text("Defendant moves to dismiss.", encoding="utf-8")
    run("case", "create", "Harbor")
    wrong = run("ingest", str(paper), "--type", "sonnet")
    assert wrong.code == 2
    assert f"Use one of: {', '.join(edition(LEGAL).document_types)}." in wrong.err
    assert run("ingest", str(paper), "--type", "motion").code == 0
    (document,) = json.loads(run("documents", "--json").out)
    assert document["document_type"] == "motion"
