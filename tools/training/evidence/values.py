"""Fits the verdict on questions for a value (``values`` in ``evidence.json``), and measures it.

    CASETRACK_HOME=… python -m training.evidence.values COLLECTION=FILE.jsonl... [--write FILE]

The files are golden files; questions without ``answers`` have no answer. A collection is the group:
each is measured by a fit to the others. Each group and outcome has the same weight. The bound was
chosen so that no more of the held questions are denied than before.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from casetrack.api.evaluate.golden import open_golden
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.search import evidence
from casetrack.search.evidence import VALUES, Fit, evidence_of
from training.evidence.fit import logistic
from training.evidence.fit import scaled as common

FEATURES = ("logit", "agreement", "lead")
BOUND = -1.7
"""Logit below which an answer is absent."""
WRONGLY_SURE = 0.03
RIDGE = 3.0


@dataclass
class Case:
    """One question; without features if it asks for no value, or is denied before."""

    group: str
    is_present: bool
    features: dict[str, float]
    is_denied: bool


def cases_of(library: Library, name: str, path: Path) -> list[Case]:
    """Ask the questions of a golden file."""
    collection, cases = library.get(name), []
    rankings: list[dict[str, np.ndarray]] = []
    original = evidence.ranking_of

    def recorded(*values: object) -> dict[str, np.ndarray]:
        rankings.append(original(*values))  # type: ignore[arg-type]
        return {}  # The verdict without this fit

    evidence.ranking_of = recorded
    try:
        for question in open_golden(path, collection).questions:
            rankings.clear()
            results = collection.search(question.text, document=question.document_id, mode="full")
            ranking = rankings[-1] if rankings else {}
            features = {feature: float(value[0]) for feature, value in ranking.items()}
            is_denied = evidence_of(results.relevance) == "none"
            cases.append(Case(name, not question.absent, features, is_denied))
    finally:
        evidence.ranking_of = original
    return cases


def fitted(cases: list[Case]) -> np.ndarray:
    """Return weights and bias, of the questions for a value."""
    asked = [case for case in cases if case.features]
    x = np.array([[case.features[name] for name in FEATURES] for case in asked])
    y = np.array([case.is_present for case in asked], float)
    keys = [(case.group, case.is_present) for case in asked]
    weight = np.array([100 / keys.count(key) for key in keys])
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    b = logistic((x - mean) / spread, y, weight, np.zeros(len(x)), RIDGE)
    return np.r_[b[:-1] / spread, b[-1] - (mean / spread) @ b[:-1]]


def logits(cases: list[Case], b: np.ndarray) -> np.ndarray:
    """Return the logit of each question, not finite if it asks for no value."""
    return np.array(
        [
            sum(w * case.features[n] for n, w in zip(FEATURES, b, strict=False)) + b[-1]
            if case.features
            else np.inf
            for case in cases
        ]
    )


def measured(cases: list[Case]) -> None:
    """Print the shares of reported and denied questions by group, before and after."""
    print(f"{'group':12}{'absent':>8}{'reported':>18}{'present':>9}{'denied':>18}")
    for group in dict.fromkeys(case.group for case in cases):
        own = [case for case in cases if case.group == group]
        b = fitted([case for case in cases if case.group != group])
        before = np.array([case.is_denied for case in own])
        after = before | (logits(own, b) < BOUND)
        present = np.array([case.is_present for case in own])
        cells = [
            f"{len(before[mask]):>8}{before[mask].mean():>9.3f}{after[mask].mean():>9.3f}"
            for mask in (~present, present)
        ]
        print(f"{group:12}{' '.join(cells)}")


def scaled(cases: list[Case], b: np.ndarray) -> Fit:
    """Return the fit on the scale of relevance: the bounds of *none* and *strong* are common."""
    absent = sorted(logits([c for c in cases if c.features and not c.is_present], b))
    strong = max(absent[int(len(absent) * (1 - WRONGLY_SURE))], BOUND + 1)
    none_below, strong_from = (float(1 / (1 + np.exp(-x))) for x in (BOUND, strong))
    raw = Fit(FEATURES, tuple(map(float, b[:-1])), float(b[-1]))
    fit = common(raw, none_below, strong_from)
    return replace(fit, weights=tuple(round(w, 3) for w in fit.weights), bias=round(fit.bias, 3))


def main() -> None:
    """Measure, and write the fit to all questions."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="+", help="COLLECTION=FILE")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    library = Library(load_settings(None), tier=UNLIMITED)
    cases = [case for each in given.sets for case in cases_of(library, *_split(each))]
    measured(cases)
    fit = scaled(cases, fitted(cases))
    print(fit)
    if given.write:
        stored = json.loads(given.write.read_text("utf-8"))
        stored["fits"][VALUES] = [
            {"features": fit.features, "weights": fit.weights, "bias": fit.bias}
        ]
        given.write.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def _split(given: str) -> tuple[str, Path]:
    name, _, path = given.partition("=")
    return name, Path(path)


if __name__ == "__main__":
    main()
