"""Measures the tagger: ``PYTHONPATH=tests python -m training.names.evaluate DATA CACHE``.

Prints a table of exact-match F1 over persons, organisations and places, per source: by
cross-validation over blocks of neighbouring passages; zero-shot, trained without that source (and
its sister: all tweets of one corpus go together); and beside them the plain baseline, trained like
the zero-shot network. The networks are trained on one of the four readings to save time, and what
is measured is what the program itself gives out, its rules included.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from casetrack.extract.names.decode import spans_of
from casetrack.extract.names.shape import Place, joined, shaped, with_companies
from casetrack.extract.names.words import words_of
from training.names.baseline import Baseline
from training.names.fit import FOLDS, load
from training.names.measure import Score, kept
from training.names.network import Network, Settings, scores_of, train
from training.names.sources import CLASSES, FILES

if TYPE_CHECKING:
    from training.names.states import Item

READINGS = ("long",)
SISTERS = {"btc-g": ("btc-g", "btc"), "btc": ("btc-g", "btc")}


def predict(network: Network, item: Item) -> list[tuple[int, int, str]]:
    """Return the names of a passage as the program would, roles and other names included."""
    words, places = words_of(item.passage.text), []
    for first, after, number, sure in spans_of(scores_of(network, item)):
        place: Place | None = Place(first, after, CLASSES[number], sure)
        if number < 3:
            place = shaped(words, Place(first, after, CLASSES[number], sure))
        if place is not None:
            places.append(place)
    starts, ends = words.starts.tolist(), words.ends.tolist()
    return [
        (starts[p.first], ends[p.after - 1], p.kind)
        for p in with_companies(words, joined(words, places))
    ]


def measured(network: Network, items: list[Item], *, roles: bool = False) -> Score:
    """Return the score over passages."""
    score = Score()
    for item in items:
        found = kept(predict(network, item), roles=roles)
        score.add(found, kept(item.passage.names, roles=roles))
    return score


def folds_of(folder: Path, cache: Path, source: str) -> dict[str, list[tuple[int, Item]]]:
    """Return the passages of a source by reading, each with its fold.

    A passage's fold follows from how far into the source it stands, so that the same sentences are
    in the same fold in all readings, but for the few passages at the folds' edges.
    """
    found = {}
    for reading in READINGS:
        items = load(folder, cache, [source], (reading,))
        ends = np.cumsum([len(i.passage.sentences) for i in items])
        starts = ends - [len(i.passage.sentences) for i in items]
        size = max(1, int(ends[-1]) // 50)
        found[reading] = [
            (int(a) // size % FOLDS if a // size == (b - 1) // size else -1, i)
            for a, b, i in zip(starts, ends, items, strict=True)
        ]
    return found


def cross_validated(folder: Path, cache: Path, settings: Settings) -> dict[str, list[Score]]:
    """Return per source the scores without and with role words, summed over the folds."""
    parts = {s: folds_of(folder, cache, s) for s in FILES}
    scores = {s: [Score(), Score()] for s in FILES}
    for fold in range(FOLDS):
        rest = [i for p in parts.values() for r in READINGS for n, i in p[r] if n not in {fold, -1}]
        network = train(rest, settings)
        for source, part in parts.items():
            held = [i for n, i in part["long"] if n == fold]
            for roles in (False, True):
                one = measured(network, held, roles=roles)
                total = scores[source][roles]
                for name in ("right", "found", "wanted"):
                    counts = getattr(total, name)
                    for kind, n in getattr(one, name).items():
                        counts[kind] = counts.get(kind, 0) + n
        print("fold", fold, {s: round(v[0].f1(), 3) for s, v in scores.items()}, flush=True)
    return scores


def zero_shot(folder: Path, cache: Path, source: str, settings: Settings) -> tuple[Score, Score]:
    """Return the score of the network and that of the baseline, both trained without a source."""
    others = [s for s in FILES if s not in SISTERS.get(source, (source,))]
    items = load(folder, cache, others, READINGS)
    tested = load(folder, cache, [source], ("long",))
    plain, score = Baseline(i.passage for i in items), Score()
    for item in tested:
        score.add(kept(plain.predict(item.passage.text)), kept(item.passage.names))
    return measured(train(items, settings), tested), score


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--part", choices=("zero", "cross"), required=True)
    parser.add_argument("--sources", nargs="*", default=list(FILES))
    chosen = parser.parse_args()
    settings = Settings(epochs=chosen.epochs)
    if chosen.part == "cross":
        print("| source | F1 | with role words | detail |\n|---|---|---|---|")
        for source, (plain, roles) in cross_validated(chosen.data, chosen.cache, settings).items():
            print(f"| {source} | {plain.f1():.3f} | {roles.f1():.3f} | {plain} |", flush=True)
        return
    print("| source | zero-shot F1 | capitalised runs F1 | detail |\n|---|---|---|---|")
    for source in chosen.sources:
        score, plain = zero_shot(chosen.data, chosen.cache, source, settings)
        print(f"| {source} | {score.f1():.3f} | {plain.f1():.3f} | {score} |", flush=True)


if __name__ == "__main__":
    main()
