"""What analysts ask, in one statement each: the answers are right and say where they stand."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.config import load_settings
from casetrack.library import Library
from sql import questions_cuad, questions_samples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.collection import Collection

CUAD = "cuad/txt"
_IDS = [q.name for q in questions_cuad.QUESTIONS]


def test_each_question_is_a_single_statement_with_its_passage() -> None:
    for question in (*questions_cuad.QUESTIONS, *questions_samples.QUESTIONS):
        assert ";" not in question.sql
        assert question.asks.endswith("?")
    assert len(set(_IDS)) == len(questions_samples.QUESTIONS) == 10


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
    chosen = questions_cuad.quick_contracts(corpus(CUAD), clauses)
    assert len(chosen) == questions_cuad.QUICK_CONTRACTS
    return _collect(chosen, tmp_path_factory.mktemp("contracts"))


@pytest.fixture(scope="module")
def all_contracts(
    corpus: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Collection:
    """Return a collection of all contracts."""
    return _collect([corpus(CUAD)], tmp_path_factory.mktemp("all-contracts"))


def test_a_dozen_contracts_are_answered(
    contracts: Collection, clauses: dict[str, questions_cuad.Clauses]
) -> None:
    answered, wanted = 0, 0
    for question in questions_cuad.QUESTIONS:
        if _least_share(question) is None:
            continue
        outcome = _ask(contracts, clauses, question)
        answered, wanted = answered + len(outcome.answered), wanted + len(outcome.wanted)
    print(f"\n{answered} of {wanted}")
    assert answered >= questions_cuad.QUICK_SHARE * wanted


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("question", questions_cuad.QUESTIONS, ids=_IDS)
def test_all_contracts_are_answered(
    all_contracts: Collection,
    clauses: dict[str, questions_cuad.Clauses],
    question: questions_cuad.Question,
) -> None:
    share = _least_share(question)
    if share is None:
        pytest.skip("this question needs the model: set CASETRACK_MODELS to a models folder")
    outcome = _ask(all_contracts, clauses, question)
    answered, wanted, named = outcome.answered, outcome.wanted, outcome.named
    print(f"\n{question.name}: {len(answered)} of {len(wanted)}; {len(named)} named")
    assert len(answered) >= share * len(wanted), sorted(set(wanted) - set(answered))
    assert len(named & set(wanted)) >= question.precision * len(named)


@dataclass(frozen=True)
class _Outcome:
    answered: tuple[str, ...]
    wanted: tuple[str, ...]
    named: frozenset[str]


def _ask(
    collection: Collection,
    clauses: dict[str, questions_cuad.Clauses],
    question: questions_cuad.Question,
) -> _Outcome:
    rows = collection.sql(question.sql).to_pylist()
    names = collection.sql("SELECT name FROM documents")["name"].to_pylist()
    wanted = question.wanted(clauses, names)
    assert wanted, f"no contract has an annotated {question.category}"
    _cited(collection, rows)
    named = frozenset(row["document_name"] for row in rows)
    return _Outcome(question.answered(rows, wanted), tuple(wanted), named)


def _least_share(question: questions_cuad.Question) -> float | None:
    return question.share[0 if _models() else 1]


def _cited(collection: Collection, rows: Sequence[dict[str, Any]]) -> None:
    """Compare every row's citation and passage with those that the library gives."""
    assert rows
    for name in {row["document_name"] for row in rows}:
        known = {c.chunk_id: (c.citation, c.text) for c in collection.read.chunks(name)}
        for row in rows:
            if row["document_name"] == name:
                assert (row["citation"], row["text"]) == known[row["chunk_id"]]


def _collect(sources: Sequence[Path], home: Path) -> Collection:
    models = _models()
    settings = replace(load_settings(home), models_dir=models or home / "no-models")
    collection = Library(settings).create("Contracts")
    collection.ingest(list(sources))
    return collection


def _models() -> Path | None:
    named = os.environ.get("CASETRACK_MODELS")
    return Path(named) if named and Path(named).is_dir() else None
