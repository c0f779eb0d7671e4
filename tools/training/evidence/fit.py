"""Fits the model of evidence and measures it on sets that the fit has not seen.

    python -m training.evidence.fit CASES.pkl [--write casetrack/search/evidence.json]

Each fold leaves one set out (all languages of XQuAD are one), and fits on the others. Features come
from ``training.evidence.cases``; a search is the best of its first three results, feature by
feature, and is classified by whether its answer exists. Weights are never negative.
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

from casetrack.search.evidence import LOOKED_AT, Fit, few

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.evidence.case import Case

WORDS = ("coverage", "exact", "names", "few")
VECTORS = (*WORDS, "cosine")
TOKENS = (*VECTORS, "nearest")
BY_WORDS = [(WORDS, "keyword")]
BY_MODELS = [(VECTORS, "hybrid"), (TOKENS, "full")]
# Kinds of clauses are asked as headings of a contract that is about them, and the questions about
# reports may be measured with and not learned from.
LEARNED = {"xquad-en", "xquad-de", "scifact", "own-trade"}
LEARNED |= {"own-reports", "own-clauses", "own-two-ideas"}
READS = {"words": {"xquad-ru", "xquad-zh"}, "multilingual": {"xquad-ru", "xquad-zh"}}
"""Further training data: mini reads no other script."""
WRONGLY_TOLD = {"keyword": 0.02, "hybrid": 0.04, "full": 0.04}
"""Limit of wrong denials among the questions that have an answer, as mean over the sets. A denial
needs weak evidence from both the words and the models, so it is wrong far less often than
either.
"""
SURE = 0.9
FAMILIES = {
    "own-trade": "cuad",
    "own-reports": "reports",
    "own-clauses": "cuad",
    "own-two-ideas": "cuad",
}
"""Sets over the same files are left out together."""
GIVEN = {"exact": 4.0, "names": 2.0}
"""Deductions if no passage contains a reference or number, or a name, of the question. The sets
have too few references to fit this, and their names are mostly abbreviations of genes.
"""


def best_of(case: Case, features: Sequence[str], mode: str) -> np.ndarray | None:
    """Return the evidence of a search, float64 [features]; ``None`` without results."""
    best = dict(case.features[mode])
    if best:
        best["few"] = few(case.size, len(best["coverage"]))
    if not set(features) <= best.keys():
        return None
    return np.array([best[name][:LOOKED_AT].max() for name in features])


def logistic(x: np.ndarray, y: np.ndarray, weight: np.ndarray, ridge: float = 30.0) -> np.ndarray:
    """Return weights and bias of a logistic model, by Newton's method; no weight below zero."""
    active = list(range(x.shape[1]))
    while True:
        design = np.c_[x[:, active], np.ones(len(x))]
        penalty = np.eye(design.shape[1]) * ridge
        penalty[-1, -1] = 0.0
        b = np.zeros(design.shape[1])
        for _ in range(30):
            p = 1 / (1 + np.exp(-np.clip(design @ b, -30, 30)))
            slope = design.T @ (weight * (p - y)) + penalty @ b
            curve = (design * (weight * p * (1 - p))[:, None]).T @ design + penalty
            b = b - np.linalg.solve(curve, slope)
        worst = min(range(len(active)), key=lambda i: b[i])
        if b[worst] >= 0:
            whole = np.zeros(x.shape[1] + 1)
            whole[[*active, -1]] = b
            return whole
        active.pop(worst)


def fitted(cases: Sequence[Case], features: tuple[str, ...], mode: str, learned: set[str]) -> Fit:
    """Return the fit to the cases of the sets *learned*; each set and outcome counts the same."""
    rows = [
        (best, case.kind == "present", case)
        for case in cases
        if case.data in learned and (best := best_of(case, features, mode)) is not None
    ]
    x, y = np.stack([row[0] for row in rows]), np.array([row[1] for row in rows], float)
    x[:, [features.index(name) for name in GIVEN]] = 0.0
    group = Counter((case.data, present) for _, present, case in rows)
    weight = np.array([500 / group[case.data, present] for _, present, case in rows])
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    b = logistic((x - mean) / spread, y, weight)
    weights = b[:-1] / spread
    bias = float(b[-1] - mean @ weights)
    for name, given in GIVEN.items():
        weights[features.index(name)] = given
    raw = Fit(features, tuple(map(float, weights)), bias, 0.0, 1.0)
    threshold = _told(cases, raw, mode, learned)
    return replace(raw, none_below=threshold, strong_from=_sure(cases, raw, mode, learned))


def relevance(case: Case, fit: Fit, mode: str) -> float:
    """Return the relevance of a search."""
    best = best_of(case, fit.features, mode)
    if best is None:
        return 0.0
    values = {name: best[i : i + 1] for i, name in enumerate(fit.features)}
    return float(fit.relevance(values)[0])


def _told(cases: Sequence[Case], fit: Fit, mode: str, learned: set[str]) -> float:
    """Return the threshold below which few of the questions with an answer fall.

    Each set has the same weight: a threshold from one kind of question does not transfer to
    another.
    """
    sets = [
        np.array([relevance(c, fit, mode) for c in cases if c.data == d and c.kind == "present"])
        for d in sorted(learned)
    ]
    steps = np.linspace(0.0, 1.0, 401)
    few_lost = [s for s in steps if np.mean([np.mean(v < s) for v in sets]) <= WRONGLY_TOLD[mode]]
    return float(max(few_lost))


def _sure(cases: Sequence[Case], fit: Fit, mode: str, learned: set[str]) -> float:
    """Return the threshold from which nine of ten searches have their answer, half being absent."""
    values, present, weight = [], [], []
    group = Counter((c.data, c.kind == "present") for c in cases)
    for case in cases:
        if case.data in learned:
            values.append(relevance(case, fit, mode))
            present.append(case.kind == "present")
            weight.append(1 / group[case.data, case.kind == "present"])
    v, t, w = np.array(values), np.array(present), np.array(weight)
    steps = np.linspace(0.3, 0.98, 69)
    right = [np.sum(w[(v >= s) & t]) / max(np.sum(w[v >= s]), 1e-9) for s in steps]
    return float(steps[next((i for i, r in enumerate(right) if r >= SURE), len(steps) - 1)])


def auc(present: np.ndarray, absent: np.ndarray) -> float:
    """Return how often a present answer is thought more relevant than an absent one."""
    if not len(present) or not len(absent):
        return float("nan")
    ordered = np.sort(absent)
    below = np.searchsorted(ordered, present, "left") + np.searchsorted(ordered, present, "right")
    return float(below.mean() / 2 / len(absent))


def error(values: np.ndarray, present: np.ndarray) -> float:
    """Return the expected calibration error over ten equal steps of relevance."""
    bins = np.minimum((values * 10).astype(int), 9)
    gaps = [
        abs(values[bins == b].mean() - present[bins == b].mean()) * np.mean(bins == b)
        for b in np.unique(bins)
    ]
    return float(sum(gaps))


def measured(cases: Sequence[Case], name: str, features: tuple[str, ...], mode: str) -> None:
    """Print the separation of each set by a fit that has not seen it."""
    learned = LEARNED | READS.get(name, set())
    family = lambda data: FAMILIES.get(data, data.split("-")[0])  # noqa: E731
    print(f"\n{name}, {mode}: {', '.join(features)}")
    print(
        f"{'set':14}{'absent':9}{'passages':>10}{'n':>10}{'AUC':>7}{'told':>7}{'wrong':>7}{'weak':>7}{'ECE':>7}"
    )
    for held in sorted({c.data for c in cases}):
        others = {d for d in learned if family(d) != family(held)}
        fit = fitted(cases, features, mode, others & {c.data for c in cases})
        for low, high in ((0, 600), (600, 10**6)):
            mine = [c for c in cases if c.data == held and low <= c.size < high]
            present = np.array([relevance(c, fit, mode) for c in mine if c.kind == "present"])
            for kind in sorted({c.kind for c in mine} - {"present"}):
                gone = np.array([relevance(c, fit, mode) for c in mine if c.kind == kind])
                both = np.concatenate([present[: len(gone)], gone[: len(present)]])
                truth = np.r_[
                    np.ones(min(len(present), len(gone))), np.zeros(min(len(present), len(gone)))
                ]
                denied, wrong = np.mean(gone < fit.none_below), np.mean(present < fit.none_below)
                weak = np.mean(gone < fit.strong_from)
                size = f"{low}-{high}" if high < 10**6 else f"{low}+"
                print(
                    f"{held:14}{kind:9}{size:>10}{len(present):>5}/{len(gone):<4}"
                    f"{auc(present, gone):7.3f}"
                    f"{denied:7.2f}{wrong:7.2f}{weak:7.2f}{error(both, truth):7.3f}"
                )


def main() -> None:
    """Measure, and write the fits to all sets: of a profile, and with mini those of words alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    parser.add_argument("--profile", default="mini")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    cases: list[Case] = pickle.loads(given.cases.read_bytes())
    fits: dict[str, list[dict[str, object]]] = {}
    by_words = {"words": BY_WORDS} if given.profile == "mini" else {}
    for name, members in {**by_words, given.profile: BY_MODELS}.items():
        learned = (LEARNED | READS.get(name, set())) & {case.data for case in cases}
        fits[name] = []
        for features, mode in members:
            measured(cases, name, features, mode)
            fits[name].append(asdict(_rounded(fitted(cases, features, mode, learned))))
    print(json.dumps(fits, indent=1))
    if given.write:
        stored = json.loads(given.write.read_text("utf-8"))["fits"]
        text = json.dumps({"fits": {**stored, **fits}}, indent=1)
        given.write.write_text(text + "\n", encoding="utf-8")


def _rounded(fit: Fit) -> Fit:
    return Fit(
        fit.features,
        tuple(round(w, 3) for w in fit.weights),
        round(fit.bias, 3),
        round(fit.none_below, 3),
        round(fit.strong_from, 3),
    )


if __name__ == "__main__":
    main()
