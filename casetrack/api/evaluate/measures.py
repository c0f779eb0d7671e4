"""Measures of one ranking, each between 0 (nothing found) and 1 (perfect).

They use the ranks of answers, so they apply to documents (BEIR) and passages (golden files).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.errors import See, UsageError
from casetrack.search.plan import RECALL, STAGES, problem_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.api.evaluate.questions import QuestionSet

DEPTH = 100
"""Passages fetched for each question."""
CUTOFF = 10
MAIN = "ndcg@10"
"""The measure for comparisons that show only one."""
MEASURES = ("ndcg@10", "recall@10", "recall@100", "mrr@10", "hit@1", "hit@5", "hit@10")
PAGE_MEASURES = ("page_hit@1", "page_hit@5", "page_hit@10")
POINT_MEASURES = ("pinpoint", "marked_chars", "value", "value@1", "wrong_value@1")
ABSENCE_MEASURES = ("absent_told", "present_told")
ALL_MEASURES = (*MEASURES, *PAGE_MEASURES, *POINT_MEASURES, *ABSENCE_MEASURES)
COUNTS = ("marked_chars",)
"""Measures that are means of counts, not shares."""
_TOPS = (1, 5, 10)


def measures_of(ranks: Mapping[str, int], relevant: Mapping[str, int], /) -> dict[str, float]:
    """Return all :data:`MEASURES` of one question.

    *ranks* are ranks (from 1) by unit; units can share a rank (a passage with two answers), and
    irrelevant units are ignored. *relevant* is the relevance by unit; 0 is judged irrelevant. nDCG
    has linear gains, discounted by ``log2(rank + 1)`` as in trec_eval (Järvelin and Kekäläinen
    2002). Answers with the same rank count as consecutive, so 1 is the best possible ranking.
    """
    good = {unit: grade for unit, grade in relevant.items() if grade > 0}
    hits_of = {unit: rank for unit, rank in ranks.items() if unit in good}
    first = min(hits_of.values(), default=0)
    ideal = _dcg(enumerate(sorted(good.values(), reverse=True)[:CUTOFF], start=1))
    return {
        "ndcg@10": _dcg(_places(hits_of, good)) / ideal if ideal else 0.0,
        "recall@10": _share_within(hits_of, CUTOFF, len(good)),
        "recall@100": _share_within(hits_of, DEPTH, len(good)),
        "mrr@10": 1.0 / first if 0 < first <= CUTOFF else 0.0,
        **hits(first or None, "hit"),
    }


def hits(first: int | None, name: str, /) -> dict[str, float]:
    """Return whether the first correct result is among the best 1, 5 and 10.

    >>> hits(3, "hit")
    {'hit@1': 0.0, 'hit@5': 1.0, 'hit@10': 1.0}
    """
    return {f"{name}@{top}": float(first is not None and first <= top) for top in _TOPS}


def mean_of(scores: Iterable[Mapping[str, float]], /) -> dict[str, float]:
    """Return the mean of every measure over the questions that have it."""
    columns: dict[str, list[float]] = {}
    for one in scores:
        for name, value in one.items():
            columns.setdefault(name, []).append(value)
    return {name: math.fsum(values) / len(values) for name, values in columns.items()}


def percentile(values: Sequence[float], share: float, /) -> float:
    """Return the percentile *share* (0..1) of *values*, by nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _share_within(ranks: Mapping[str, int], top: int, total: int) -> float:
    return sum(rank <= top for rank in ranks.values()) / total if total else 0.0


def _places(ranks: Mapping[str, int], good: Mapping[str, int]) -> Iterable[tuple[int, int]]:
    """Yield ``(rank, gain)``; units of equal rank, and all later ones, move back by one each."""
    pushed, last = 0, 0
    for rank, loss in sorted((rank, -good[unit]) for unit, rank in ranks.items()):
        pushed += rank == last
        last = rank
        if rank + pushed <= CUTOFF:
            yield rank + pushed, -loss


def _dcg(placed: Iterable[tuple[int, int]]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in placed)


# Signals of a search to add one by one, and to remove one by one.


def available_signals(asked: QuestionSet, /) -> tuple[str, ...]:
    """Return the signals of a full search of the collection.

    Raises ``ModelNotFound`` if the collection's model is not installed.
    """
    question = asked.questions[0]
    used = asked.collection.search(question.text, limit=CUTOFF, mode="full").stages_used
    return tuple(signal for signal in STAGES if signal in used)


def combinations(signals: Sequence[str], /) -> list[tuple[str, ...]]:
    """Return the sets of signals to measure: each retriever alone, cumulative, all, all but one.

    >>> for signals in combinations(["bm25", "semantic", "maxsim"]):
    ...     print(" + ".join(signals))
    bm25
    semantic
    bm25 + semantic
    semantic + maxsim
    bm25 + maxsim
    bm25 + semantic + maxsim
    """
    whole = tuple(signals)
    alone = [(s,) for s in whole if s in RECALL]
    growing = [whole[:count] for count in range(2, len(whole))]
    without = [tuple(s for s in whole if s != left) for left in whole]
    wanted = [*alone, *growing, *without]
    usable = [some for some in wanted if problem_with(some) is None and some != whole]
    return [*dict.fromkeys(usable), whole]


# Whether two runs over the same questions differ by more than chance.
#
# A paired randomisation test (Fisher 1935; for retrieval: Smucker, Allan and Carterette 2007): were
# both runs equally good, each question's difference could as well have the other sign. The p value
# is the share of random signs whose mean difference is at least as far from 0 as the one observed.
# The interval of the difference comes from drawing questions with replacement (Efron 1979).

DRAWS = 10_000
SEED = 20_070_711
"""One fixed seed, so that the same two runs always give the same figures."""
LEVEL = 0.05
"""Differences with a p value below it are called clear."""
_BLOCK = 500


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two runs in one measure over their common questions.

    *first* and *second* are means, *difference* is ``second - first``, *low* and *high* are its
    95 % interval, and *p* is the two-sided p value.
    """

    measure: str
    questions: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def is_clear(self) -> bool:
        """Whether chance is an unlikely reason (p < 0.05)."""
        return self.p < LEVEL

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, ``same`` (no question differs) or ``no clear difference``."""
        if self.is_clear:
            return "better" if self.difference > 0 else "worse"
        return "no clear difference" if self.low or self.high or self.difference else "same"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        raw = {k: round(v, 6) if isinstance(v, float) else v for k, v in asdict(self).items()}
        return raw | {"verdict": self.verdict}


def compare_scores(
    first: Mapping[str, Mapping[str, float]],
    second: Mapping[str, Mapping[str, float]],
    measures: Sequence[str],
    /,
) -> list[Difference]:
    """Compare the scores of two runs (question id to measure to score), question by question.

    A measure that is missing on one side is left out. Raises ``UsageError`` if they have no
    question in common.
    """
    shared = sorted(first.keys() & second.keys())
    if not shared:
        raise UsageError(
            "The two runs have no question in common.",
            hint=f"Compare runs of the same data set. {See('eval', history=True)} lists them.",
        )
    return [d for name in measures if (d := _compare(first, second, shared, name)) is not None]


def _compare(
    first: Mapping[str, Mapping[str, float]],
    second: Mapping[str, Mapping[str, float]],
    shared: Sequence[str],
    name: str,
) -> Difference | None:

    having = [q for q in shared if name in first[q] and name in second[q]]
    if not having:
        return None
    before = np.array([first[q][name] for q in having])
    after = np.array([second[q][name] for q in having])
    low, high = interval(after - before)
    return Difference(
        measure=name,
        questions=len(having),
        first=float(before.mean()),
        second=float(after.mean()),
        difference=float((after - before).mean()),
        low=low,
        high=high,
        p=sign_flip_p(after - before),
    )


def sign_flip_p(differences: NDArray[np.float64], /, *, draws: int = DRAWS) -> float:
    """Return the two-sided p value of the paired randomisation test.

    *differences* has the shape ``[n]``. *draws* is the number of random sign vectors; the
    observed one is added, so p is never 0.
    """
    # Questions with equal scores add nothing, with either sign.
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    random = np.random.default_rng(SEED)
    observed, extreme = abs(moved.sum()), 0
    for start in range(0, draws, _BLOCK):
        count = min(_BLOCK, draws - start)
        signs = random.integers(0, 2, size=(count, len(moved)), dtype=np.int8) * 2.0 - 1.0
        # Sums of the same numbers in another order differ in their last digits.
        extreme += int((np.abs(signs @ moved) >= observed - 1e-9).sum())
    return (extreme + 1) / (draws + 1)


def interval(differences: NDArray[np.float64], /, *, draws: int = DRAWS) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean of *differences*, shape ``[n]``."""
    random = np.random.default_rng(SEED)
    total, means = len(differences), []
    for start in range(0, draws, _BLOCK):
        chosen = random.integers(0, total, size=(min(_BLOCK, draws - start), total))
        means.append(differences[chosen].mean(axis=1))
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return float(low), float(high)
