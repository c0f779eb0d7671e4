"""``casetrack case``: create, list, use, describe, delete; and its effect on other commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from casetrack.base.editions import LEGAL, edition
from faces.cli.conftest import Run, error_of


def test_a_case_is_made_used_described_and_deleted(run: Run, tmp_path: Path) -> None:
    letter = tmp_path / "Letter.txt"
    letter.write_text("The crane was delivered to Pier 9 on 3 May 2024.", encoding="utf-8")
    made = run("case", "create", "Harbor v. Quay", "--number", "24-cv-1", "--type", "Contract")
    assert (made.code, "Harbor v. Quay" in made.out) == (0, True)
    assert "casetrack ingest" in made.out
    run("case", "create", "Doe v. State", "--type", "criminal")
    assert "Harbor v. Quay" in run("case", "use", "harbor v. quay").out
    # Two cases are there; the one in use is meant.
    assert run("ingest", str(letter)).code == 0
    assert "Letter.txt" in run("search", "crane").out
    info = run("case", "info")
    for fact in ("Harbor v. Quay", "24-cv-1", "contract", "active"):
        assert fact in info.out
    listed = run("case", "list").out.splitlines()
    (used,) = (line.split() for line in listed if line.startswith("*"))
    assert used[1] == "Harbor"
    # Another one can be named as ever.
    assert run("documents", "-c", "Doe v. State", "--json").out == "[]\n"
    refused = run("case", "delete", "Harbor v. Quay")
    assert (refused.code, "Harbor v. Quay" in refused.err, "--yes" in refused.err) == (
        2,
        True,
        True,
    )
    assert run("case", "delete", "General", "--yes").code == 2
    assert run("case", "delete", "Harbor v. Quay", "--yes").code == 0
    assert letter.is_file()
    # The case in use was deleted: the only remaining one is the default.
    assert json.loads(run("case", "use", "--json").out) is None
    assert "Doe v. State" in run("case", "info").out


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "code", "fact"),
    [
        (["case", "info", "Harbour"], "collection_not_found", "\n  - Harbor ("),
        (["case", "use", "Nobody"], "collection_not_found", '"Nobody"'),
        (["case", "use", "General"], "collection_not_found", '"General"'),
        (["case", "create", "harbor"], "collection_exists", '"Harbor"'),
        (["case", "create", "General"], "usage", '"General"'),
        (["case", "create", "X", "--type", "poem"], "usage", '"poem"'),
        (["case", "create", " "], "usage", "200"),
        (["case", "list", "--status", "open"], "usage", "'open'"),
        (["collection", "describe", "Harbor", "--type", "report"], "usage", '`--type` is "report"'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_wrong_is_told_of_the_case(
    run: Run, words: list[str], code: str, fact: str
) -> None:
    run("case", "create", "Harbor")
    run("collection", "create", "General")
    ended = run(*words, "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (2, code)
    assert fact in error["message"]


@pytest.mark.slow
def test_kinds_of_documents_are_those_of_the_case(run: Run, tmp_path: Path) -> None:
    paper = tmp_path / "Motion.txt"
    paper.write_text("Defendant moves to dismiss.", encoding="utf-8")
    run("case", "create", "Harbor")
    wrong = run("ingest", str(paper), "--type", "sonnet")
    assert wrong.code == 2
    assert ", ".join(edition(LEGAL).document_types) in wrong.err
    assert run("ingest", str(paper), "--type", "motion").code == 0
    (document,) = json.loads(run("documents", "--json").out)
    assert document["document_type"] == "motion"
