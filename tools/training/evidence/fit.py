"""Fits the model of evidence and measures it on sets that the fit has not seen.

    python -m training.evidence.fit CASES.pkl [--write casetrack/search/evidence.json]

Each fold leaves one family of sets out (all of XQuAD are one), and fits on the others. Features
come from ``training.evidence.cases``; a search is the best of its first three results, feature by
feature, and is classified by whether its answer exists. Weights are never negative.

Weights and bias are scaled so that every fit has the same bounds of *none* and *strong*. The bounds
of *none* that it chooses deny too many questions in other words: those of English were lowered by
hand (to 0.05 and 0.06 of the probability) until at most one in 25 of the held and golden questions
was denied.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from casetrack.extract.language import language_of, script_of
from casetrack.search.evidence import (
    LOOKED_AT,
    NONE_BELOW,
    OTHER,
    STRONG_FROM,
    WORDS_ALONE,
    Fit,
    few,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from training.evidence.case import Case

WORDS = ("coverage", "together", "pairs", "exact", "names", "few")
VECTORS = (*WORDS, "cosine")
TOKENS = (*VECTORS, "nearest", "lowest")
FITS: dict[str, list[tuple[tuple[str, ...], str]]] = {
    WORDS_ALONE: [(WORDS, "keyword")],
    OTHER: [(WORDS, "keyword")],
    "mini": [(VECTORS, "hybrid"), (TOKENS, "full")],
}
MEASURED = {"demo-all", "own-b", "own-b-all", "tquad", "tquad-all", "arcd", "arcd-all"}
"""Sets that are measured and not learned from."""
HALF = {"cnli-dev", "policy-dev"}
"""Sets with half of the weight: all documents are of one kind and use the words of all questions.
"""
WRONGLY_DENIED = {"keyword": 0.03, "hybrid": 0.04, "full": 0.04}
"""Limit of wrong denials among the questions that have an answer, as mean over the sets. A denial
needs weak evidence from both the words and the models, so it is wrong less often than either.
"""
WORDED = 0.1
"""Probability by words alone from which models deny nothing."""
WRONGLY_SURE = 0.03
"""Limit of strong evidence among the questions without an answer, as mean over the sets."""
GIVEN = {"exact": 4.0, "names": 2.0, "few": 0.3}
"""Deductions if no passage contains a reference or number, or a name, of the question, and for each
order of magnitude of the number of passages. The sets have too few references and large collections
to fit these, and their names are mostly abbreviations of genes.
"""


def values_of(case: Case, mode: str) -> dict[str, np.ndarray]:
    """Return the features of each result of a search, float64 [n] each."""
    values = dict(case.features.get(mode, {}))
    if values:
        values["few"] = few(case.size, len(values["coverage"]))
    return values


def best_of(case: Case, features: Sequence[str], mode: str) -> np.ndarray | None:
    """Return the evidence of a search, float64 [features]; ``None`` without results."""
    values = values_of(case, mode)
    if not set(features) <= values.keys():
        return None
    return np.array([values[name][:LOOKED_AT].max() for name in features])


def logistic(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, offset: np.ndarray, ridge: float = 10.0
) -> np.ndarray:
    """Return weights and bias of a logistic model, by Newton's method; no weight below zero.

    *offset* is added to the logit of each row.
    """
    active = list(range(x.shape[1]))
    while True:
        design = np.c_[x[:, active], np.ones(len(x))]
        penalty = np.eye(design.shape[1]) * ridge
        penalty[-1, -1] = 0.0
        b = np.zeros(design.shape[1])
        for _ in range(30):
            p = 1 / (1 + np.exp(-np.clip(design @ b + offset, -30, 30)))
            slope = design.T @ (weight * (p - y)) + penalty @ b
            curve = (design * (weight * p * (1 - p))[:, None]).T @ design + penalty
            b = b - np.linalg.solve(curve, slope)
        worst = min(range(len(active)), key=lambda i: b[i])
        if b[worst] >= 0:
            whole = np.zeros(x.shape[1] + 1)
            whole[[*active, -1]] = b
            return whole
        active.pop(worst)


def fitted(cases: Sequence[Case], features: tuple[str, ...], mode: str) -> Fit:
    """Return the fit to *cases*; each set and outcome counts the same."""
    rows = [
        (best, case.kind == "present", case)
        for case in cases
        if (best := best_of(case, features, mode)) is not None
    ]
    x, y = np.stack([row[0] for row in rows]), np.array([row[1] for row in rows], float)
    given = [features.index(name) for name in GIVEN]
    offset = x[:, [features.index("few")]] @ [GIVEN["few"]]
    x[:, given] = 0.0
    group = Counter((case.data, present) for _, present, case in rows)
    weight = np.array([100 / group[c.data, present] for _, present, c in rows])
    weight *= [0.5 if case.data in HALF else 1.0 for _, _, case in rows]
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    b = logistic((x - mean) / spread, y, weight, offset)
    weights = b[:-1] / spread
    bias = float(b[-1] - mean @ weights)
    for name, given in GIVEN.items():
        weights[features.index(name)] = given
    raw = Fit(features, tuple(map(float, weights)), bias)
    steps = np.linspace(0.0, 1.0, 401)
    present = _by_set(cases, raw, mode, present=True)
    absent = _by_set(cases, raw, mode, present=False)
    # Each set has the same weight: a threshold from one kind of question does not transfer to
    # another.
    few_denied = [s for s in steps if _mean(v < s for v in present) <= WRONGLY_DENIED[mode]]
    few_sure = [s for s in steps if _mean(v >= s for v in absent) <= WRONGLY_SURE]
    return scaled(raw, float(max(few_denied)), float(min(few_sure)))


def scaled(fit: Fit, none_below: float, strong_from: float, /) -> Fit:
    """Return a fit on the common scale, on which its bounds are those of all fits."""
    low, high = (np.log(p / (1 - p)) for p in (none_below, strong_from))
    least, most = (np.log(p / (1 - p)) for p in (NONE_BELOW, STRONG_FROM))
    scale = float((most - least) / (high - low))
    bias = scale * (fit.bias - low) + least
    worded = 1 / (1 + np.exp(-(scale * (np.log(WORDED / (1 - WORDED)) - low) + least)))
    is_words = fit.features == WORDS
    return replace(
        fit,
        weights=tuple(scale * w for w in fit.weights),
        bias=float(bias),
        worded_from=float(worded) if is_words else 1.0,
    )


def _mean(shares: Collection[np.ndarray] | object) -> float:
    return float(np.mean([np.mean(share) for share in shares]))  # type: ignore[attr-defined]


def _by_set(cases: Sequence[Case], fit: Fit, mode: str, *, present: bool) -> list[np.ndarray]:
    values: dict[str, list[float]] = {}
    for case in cases:
        if (case.kind == "present") == present and values_of(case, mode):
            values.setdefault(case.data, []).append(relevance(case, fit, mode))
    return [np.array(each) for each in values.values() if each]


def relevance(case: Case, fit: Fit, mode: str) -> float:
    """Return the relevance of a search: that of its best result, or of the first three together."""
    values = values_of(case, mode)
    if not set(fit.features) <= values.keys():
        return 0.0
    best = {name: values[name][:LOOKED_AT].max(keepdims=True) for name in fit.features}
    return max(float(fit.relevance(best)[0]), float(fit.relevance(values).max()))


def auc(present: np.ndarray, absent: np.ndarray) -> float:
    """Return how often a present answer is thought more relevant than an absent one."""
    if not len(present) or not len(absent):
        return float("nan")
    ordered = np.sort(absent)
    below = np.searchsorted(ordered, present, "left") + np.searchsorted(ordered, present, "right")
    return float(below.mean() / 2 / len(absent))


def is_english(case: Case) -> bool:
    """Return whether a question is in English, or in no certain language."""
    return language_of(case.question, script_of(case.question)) in {None, "en"}


def measured(name: str, cases: Sequence[Case], features: tuple[str, ...], mode: str) -> None:
    """Print the separation of each set by fits that have not seen it."""
    family = lambda data: data.split("-")[0]  # noqa: E731
    print(f"\n{name}, {mode}: {', '.join(features)}")
    print(
        f"{'set':16}{'absent':9}{'n':>10}{'AUC':>7}{'denied':>8}{'wrong':>7}{'strong':>8}{'sure':>7}"
    )
    for held in sorted({c.data for c in cases if values_of(c, mode)}):
        others = [c for c in cases if c.data not in MEASURED and family(c.data) != family(held)]
        fit, words = fitted(others, features, mode), fitted(others, WORDS, "keyword")
        mine = [c for c in cases if c.data == held]
        of: dict[str, np.ndarray] = {}
        for kind in {c.kind for c in mine}:
            pairs = [
                (relevance(c, fit, mode), relevance(c, words, mode)) for c in mine if c.kind == kind
            ]
            of[kind] = np.array(pairs)
        present = of.pop("present")
        denied = lambda v: np.mean((v[:, 0] < NONE_BELOW) & (v[:, 1] < words.worded_from))  # noqa: B023, E731
        sure = np.mean(present[:, 0] >= STRONG_FROM)
        for kind, gone in sorted(of.items()) or [("", present[:0])]:
            strong = np.mean(gone[:, 0] >= STRONG_FROM) if len(gone) else float("nan")
            told = denied(gone) if len(gone) else float("nan")
            print(
                f"{held:16}{kind:9}{len(present):>5}/{len(gone):<4}"
                f"{auc(present[:, 0], gone[:, 0]):7.3f}{told:8.2f}{denied(present):7.3f}"
                f"{strong:8.2f}{sure:7.2f}"
            )


def main() -> None:
    """Measure, and write the fits to all sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    cases: list[Case] = [c for path in given.cases for c in pickle.loads(path.read_bytes())]
    fits: dict[str, list[dict[str, object]]] = {}
    for name, members in FITS.items():
        mine = [case for case in cases if is_english(case) == (name != OTHER)]
        learned = [case for case in mine if case.data not in MEASURED]
        fits[name] = []
        for features, mode in members:
            measured(name, mine, features, mode)
            fits[name].append(asdict(_rounded(fitted(learned, features, mode))))
    print(json.dumps(fits))
    if given.write:
        stored = json.loads(given.write.read_text("utf-8"))["fits"]
        text = json.dumps({"fits": {**stored, **fits}}, indent=1)
        given.write.write_text(text + "\n", encoding="utf-8")


def _rounded(fit: Fit) -> Fit:
    return Fit(
        fit.features,
        tuple(round(w, 3) for w in fit.weights),
        round(fit.bias, 3),
        round(fit.worded_from, 3),
    )


if __name__ == "__main__":
    main()
