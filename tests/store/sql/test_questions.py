"""Questions of analysts, each one statement: the answers are right and have citations."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from store.sql import questions_cuad, questions_samples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.api.collection import Collection


def test_each_question_is_a_single_statement_with_its_passage() -> None:
    for question in (*questions_cuad.QUESTIONS, *questions_samples.QUESTIONS):
        assert ";" not in question.sql
        assert question.asks.endswith("?")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "question", questions_samples.QUESTIONS, ids=[q.name for q in questions_samples.QUESTIONS]
)
def test_questions_to_the_sample_case_file(
    demo: Collection, question: questions_samples.Question
) -> None:
    rows = demo.sql(question.sql).to_pylist()
    answers = {tuple(row[name] for name in question.answer) for row in rows}
    assert question.facts <= answers
    if question.is_all:
        assert answers == question.facts
    _cited(demo, rows)


@pytest.fixture(scope="module")
def clauses(corpus: Callable[[str], Path]) -> dict[str, questions_cuad.Clauses]:
    """Return the annotated clauses of the contracts."""
    return questions_cuad.load_clauses(corpus("cuad/clauses.jsonl"))


@pytest.fixture(scope="module")
def contracts(
    corpus: Callable[[str], Path],
    clauses: dict[str, questions_cuad.Clauses],
    tmp_path_factory: pytest.TempPathFactory,
) -> Collection:
    """Return a collection of a dozen contracts; with the model where there is one at hand."""
    chosen = questions_cuad.quick_contracts(corpus("cuad/txt"), clauses)
    assert len(chosen) == questions_cuad.QUICK_CONTRACTS
    home = tmp_path_factory.mktemp("contracts")
    settings = replace(load_settings(home), models_dir=_models() or home / "no-models")
    collection = Library(settings).create("Contracts")
    collection.ingest(list(chosen))
    return collection


def test_a_dozen_contracts_are_answered(
    contracts: Collection, clauses: dict[str, questions_cuad.Clauses]
) -> None:
    names, answered, total = contracts.sql("SELECT name FROM documents")["name"].to_pylist(), 0, 0
    for question in questions_cuad.QUESTIONS:
        if not question.needs_model or _models():
            rows, wanted = contracts.sql(question.sql).to_pylist(), question.wanted(clauses, names)
            assert wanted, f"no contract has an annotated {question.category}"
            _cited(contracts, rows)
            answered, total = answered + len(question.answered(rows, wanted)), total + len(wanted)
    assert answered >= questions_cuad.QUICK_SHARE * total


def _cited(collection: Collection, rows: Sequence[dict[str, Any]]) -> None:
    """Compare every row's citation and passage with those that the library gives."""
    assert rows
    for name in {row["document_name"] for row in rows}:
        known = {c.chunk_id: (c.citation, c.text) for c in collection.read.chunks(name)}
        for row in rows:
            if row["document_name"] == name:
                assert (row["citation"], row["text"]) == known[row["chunk_id"]]


def _models() -> Path | None:
    named = os.environ.get("CASETRACK_MODELS")
    return Path(named) if named and Path(named).is_dir() else None
