"""Retrieval measures and the test between two runs, against values worked out by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from casetrack.api.evaluate.answers import contains_answer, same_value
from casetrack.api.evaluate.measures import (
    combinations,
    compare_scores,
    interval,
    mean_of,
    measures_of,
    percentile,
    sign_flip_p,
)
from casetrack.base.errors import UsageError


@pytest.mark.parametrize(
    ("ranks", "relevant", "expected"),
    [
        ({"a": 1}, {"a": 1}, {"ndcg@10": 1, "recall@10": 1, "mrr@10": 1, "hit@1": 1}),
        (
            {"b": 1, "a": 2},
            {"a": 1},
            {"ndcg@10": 1 / math.log2(3), "mrr@10": 0.5, "hit@1": 0, "hit@5": 1},
        ),
        ({"b": 1}, {"a": 1}, {"ndcg@10": 0, "recall@100": 0, "mrr@10": 0, "hit@10": 0}),
        ({}, {"a": 1}, {"ndcg@10": 0, "recall@100": 0, "mrr@10": 0, "hit@10": 0}),
        ({"a": 1}, {"a": 0}, {"ndcg@10": 0, "recall@10": 0, "mrr@10": 0, "hit@1": 0}),
        (
            {"b": 1, "a": 2},
            {"a": 2, "b": 1},
            {"ndcg@10": (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)), "recall@10": 1},
        ),
        ({"a": 11}, {"a": 1}, {"ndcg@10": 0, "recall@10": 0, "recall@100": 1, "mrr@10": 0}),
        ({"a": 6, "b": 101}, {"a": 1, "b": 1}, {"hit@5": 0, "hit@10": 1, "recall@100": 0.5}),
        # Two answers in one passage are as good as two passages in a row.
        ({"a": 1, "b": 1}, {"a": 1, "b": 1}, {"ndcg@10": 1, "mrr@10": 1}),
        (
            {"a": 2, "b": 2, "c": 3},
            {"a": 1, "b": 1, "c": 1},
            {
                "ndcg@10": sum(1 / math.log2(p + 1) for p in (2, 3, 4))
                / sum(1 / math.log2(p + 1) for p in (1, 2, 3))
            },
        ),
    ],
)
def test_measures_by_hand(
    ranks: dict[str, int], relevant: dict[str, int], expected: dict[str, float]
) -> None:
    measures = measures_of(ranks, relevant)
    assert {name: measures[name] for name in expected} == pytest.approx(expected)


def test_means_skip_questions_without_the_measure() -> None:
    assert mean_of([{"a": 1.0, "b": 0.5}, {"a": 0.0}]) == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize(("share", "value"), [(0.5, 3), (0.95, 5), (0.2, 1), (0.21, 2)])
def test_percentiles_by_nearest_rank(share: float, value: float) -> None:
    assert percentile([5, 1, 4, 2, 3], share) == value


@pytest.mark.parametrize(
    ("text", "wanted", "exact", "most"),
    [
        ("The  tenant\npays MONTHLY.", "tenant pays monthly", True, True),
        ("The tenant does not pay.", "tenant pays", False, False),
        ("Rents are due.", "rent", True, False),  # a part of a word is no word
        ("a b c d x e f g h i j", "a b c d e f g h i j", False, True),
        ("a b c d e f g h", "a b c d e f g h i j", False, True),
        ("a b c d e f g", "a b c d e f g h i j", False, False),
        ("j i h g f e d c b a", "a b c d e f g h i j", False, False),
        ("the rent: 1,250.00", "$", False, False),
        ("the rent: $ 1,250.00", "$", True, True),
    ],
)
def test_what_holds_an_answer(text: str, wanted: str, exact: bool, most: bool) -> None:
    assert (contains_answer(text, wanted, "exact"), contains_answer(text, wanted, "most")) == (
        exact,
        most,
    )


def test_the_p_value_is_that_of_all_sign_patterns() -> None:
    differences = np.array([0.3, -0.1, 0.2, 0.4, 0.05, -0.15, 0.25, 0.1, 0.3, 0.0])
    moved = differences[differences != 0]
    sums = [abs(np.dot(s, moved)) for s in itertools.product((-1, 1), repeat=len(moved))]
    exact = np.mean(np.array(sums) >= abs(moved.sum()) - 1e-9)
    assert sign_flip_p(differences) == pytest.approx(exact, abs=0.01)
    assert sign_flip_p(differences) == sign_flip_p(differences)
    assert sign_flip_p(-differences) == sign_flip_p(differences)


def test_runs_that_do_not_differ() -> None:
    assert sign_flip_p(np.zeros(20)) == 1.0
    same = {"q1": {"ndcg@10": 0.4}, "q2": {"ndcg@10": 0.8}}
    (score,) = compare_scores(same, same, ["ndcg@10", "page_hit@1"])
    assert (score.difference, score.p, score.verdict) == (0.0, 1.0, "same")


def test_chance_alone_is_called_clear_as_rarely_as_it_should_be() -> None:
    random = np.random.default_rng(7)
    called = [sign_flip_p(random.normal(size=30), draws=500) < 0.05 for _ in range(300)]
    assert 0.02 < np.mean(called) < 0.09


def test_the_interval_is_that_of_the_mean() -> None:
    differences = np.random.default_rng(3).normal(0.1, 0.2, size=400)
    low, high = interval(differences)
    error = 1.96 * differences.std() / math.sqrt(400)
    assert (low, high) == pytest.approx(
        (differences.mean() - error, differences.mean() + error), abs=0.004
    )


def test_only_shared_questions_are_compared() -> None:
    first = {f"q{n}": {"hit@1": 0.0} for n in range(20)}
    second = {f"q{n}": {"hit@1": 1.0} for n in range(5, 30)}
    (score,) = compare_scores(first, second, ["hit@1"])
    assert (score.questions, score.first, score.second, score.verdict) == (15, 0.0, 1.0, "better")
    assert score.p < 0.001
    with pytest.raises(UsageError):
        compare_scores({"a": {}}, {"b": {}}, ["hit@1"])


def test_signals_to_combine() -> None:
    four = ["bm25", "semantic", "sparse", "maxsim"]
    result = combinations(four)
    assert result[-1] == tuple(four)
    assert len(result) == len(set(result))
    for left in four:
        assert tuple(s for s in four if s != left) in result
    assert ("maxsim",) not in result
    assert combinations(["bm25", "semantic"]) == [("bm25",), ("semantic",), ("bm25", "semantic")]


@pytest.mark.parametrize(
    ("result", "wanted", "same"),
    [
        ("24 June 2026", "June 24, 2026", True),
        ("24 June 2026", "24 July 2026", False),
        ("24 June 2026", "2026", False),
        ("£158m", "158", True),
        ("(158)", "158", True),
        ("158 million", "£158m", True),
        ("158 million", "158 thousand", False),
        ("$5 million", "€5 million", False),
        ("5,930", "5930", True),
        ("21.60 %", "21.6 per cent", True),
        ("US$1,250,000", "$1,250,000", True),
        ("1,250", "1,25", False),
        ("Mr. Jan Smit", "jan smit", True),
        ("Jan", "Jan Smit", False),
        ("Ada Smit", "Jan Smit", False),
        ("fifteen years", "fifteen years", True),
        ("", "4", False),
    ],
)
def test_same_values(result: str, wanted: str, same: bool) -> None:
    assert same_value(result, wanted) is same
