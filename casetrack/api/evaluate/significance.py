"""Whether two runs over the same questions differ by more than chance.

A paired randomisation test (Fisher 1935; for retrieval: Smucker, Allan and Carterette 2007): were
both runs equally good, each question's difference could as well have the other sign. The p value
is the share of random signs whose mean difference is at least as far from 0 as the one observed.
The interval of the difference comes from drawing questions with replacement (Efron 1979).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

DRAWS = 10_000
SEED = 20_070_711
"""One seed for all, so that the same two runs always give the same figures."""
LEVEL = 0.05
"""Differences with a p value below it are called clear."""
_BLOCK = 500


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second run is than the first, in one measure.

    Attributes
    ----------
    questions
        How many questions both runs have.
    first, second
        Their means over these.
    difference
        ``second - first``.
    low, high
        The 95 % interval of the difference.
    p
        Two-sided p value.
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
    """Compare the scores of two runs, question by question.

    Parameters
    ----------
    first, second
        Question id to measure to score.
    measures
        Those to compare; one that is missing on either side is left out.

    Raises
    ------
    UsageError
        They have no question in common.
    """
    shared = sorted(first.keys() & second.keys())
    if not shared:
        raise UsageError(
            "The two runs have no question in common.",
            hint="Compare runs over the same data set. `casetrack eval --history` lists them.",
        )
    return [d for name in measures if (d := _compare(first, second, shared, name)) is not None]


def _compare(
    first: Mapping[str, Mapping[str, float]],
    second: Mapping[str, Mapping[str, float]],
    shared: Sequence[str],
    name: str,
) -> Difference | None:
    import numpy as np

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

    Parameters
    ----------
    differences
        One per question, shape ``[n]``.
    draws
        How many random sign vectors; the observed one counts as one more, so p is never 0.
    """
    import numpy as np

    # Questions on which both are equal add nothing, whatever their sign.
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
    import numpy as np

    random = np.random.default_rng(SEED)
    total, means = len(differences), []
    for start in range(0, draws, _BLOCK):
        chosen = random.integers(0, total, size=(min(_BLOCK, draws - start), total))
        means.append(differences[chosen].mean(axis=1))
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return float(low), float(high)
