"""Fits the weights of the values that answer questions, and prints them.

    python -m training.values.fit HOME FILE.json...

The files have the form of SQuAD: XQuAD in English (CC BY-SA 4.0) and the Wikipedia part of
SQuADShifts (CC BY 4.0). Each article becomes a document of a collection in the folder HOME; each
question is asked in its document, and the values of the first results are learned from.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.api.evaluate.answers import same_value
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.search.pinpoint.scoring import Sought
from casetrack.search.pinpoint.values import READ, candidates
from casetrack.search.question.wanted import wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.collection import Collection
    from casetrack.search.pinpoint.find import Finder

STRENGTH = 3.0
"""Strength of the penalty on squared weights of standardised features."""
STEPS = 60


def rows_of(collection: Collection, name: str, paragraphs: list[Any]) -> Iterator[list[float]]:
    """Yield the features of each value, and at the end 1 if it is an expected answer."""
    document = next(d.document_id for d in collection.documents() if d.name == name)
    for question in (question for paragraph in paragraphs for question in paragraph["qas"]):
        asked = wanted(question["question"])
        results = collection.search(question["question"], limit=READ, document=document)
        if asked is None or not asked.kinds or not results:
            continue
        finder: Finder = results[0].locate.finder
        passages, sought = finder.scored(), Sought.of(finder.reading, finder.index)
        answers = {answer["text"] for answer in question["answers"]}
        for each in candidates(passages, sought, asked):
            is_right = any(same_value(each.value.text, answer) for answer in answers)
            yield [*each.features, float(is_right)]


def fitted(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the weights and the bias of the logistic model, by Newton's method."""
    features, right = rows[:, :-1], rows[:, -1]
    mean, spread = features.mean(0), features.std(0) + 1e-6
    inputs = np.c_[(features - mean) / spread, np.ones(len(rows))]
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        likely = 1.0 / (1.0 + np.exp(-inputs @ weights))
        slope = inputs.T @ (likely - right) + STRENGTH * np.r_[weights[:-1], 0.0]
        curve = (inputs.T * (likely * (1.0 - likely))) @ inputs + STRENGTH * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    own = weights[:-1] / spread
    return own, float(weights[-1] - own @ mean)


def main() -> None:
    """Ingest the articles, ask the questions, and print the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    texts = given.home / "texts"
    texts.mkdir(parents=True, exist_ok=True)
    articles = {}
    for file in given.files:
        for number, article in enumerate(json.loads(file.read_text())["data"]):
            name = f"{file.stem}-{number}.txt"
            contexts = (paragraph["context"] for paragraph in article["paragraphs"])
            (texts / name).write_text("\n\n".join(contexts))
            articles[name] = article["paragraphs"]
    library = Library(replace(load_settings(given.home)), tier=UNLIMITED)
    collection = library.create("values")
    collection.ingest([texts])
    rows = [row for name, article in articles.items() for row in rows_of(collection, name, article)]
    weights, bias = fitted(np.array(rows))
    for number, weight in enumerate(weights):
        sys.stdout.write(f"feature {number:2}{weight:7.2f}\n")
    sys.stdout.write(f"{'bias':10}{bias:7.2f}\n")


if __name__ == "__main__":
    main()
