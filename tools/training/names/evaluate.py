"""Measures the tagger: ``python -m training.names.evaluate DATA CACHE``.

Prints a table of exact-match F1 over persons, organisations and places, per source: by
cross-validation over blocks of neighbouring passages; zero-shot, trained without that source (and
its sister: all tweets of one corpus go together); and beside them the plain baseline, trained like
the zero-shot networks. Gate, networks and rules are those that `training.names.fit` makes, and what
is measured is what the program itself gives out. In cross-validation the gate's limit, one number,
comes from the held-out fold.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from casetrack.extract.names.tagger import load_tagger
from training.names.baseline import Baseline
from training.names.fit import (
    DOCUMENTS,
    FOLDS,
    GATE_READINGS,
    Arrays,
    by_source,
    gate_of,
    measured,
    networks_of,
    split,
)
from training.names.measure import Score, kept
from training.names.sources import FILES

if TYPE_CHECKING:
    from concurrent.futures import Executor

SISTERS = {"btc-g": ("btc-g", "btc"), "btc": ("btc-g", "btc")}


def cross_validated(
    folder: Path, cache: Path, folds: list[int], pool: Executor
) -> dict[str, list[Score]]:
    """Return per source the scores without and with words for parties, summed over the folds."""
    scores = {s: [Score(), Score()] for s in FILES}
    for fold in folds:
        waiting = networks_of(folder, cache, fold, tuple(FILES), pool)
        rest, held = split(folder, cache, fold, GATE_READINGS, tuple(FILES))
        networks = waiting()
        gate = gate_of(rest, [i for i in held if i.passage.source in DOCUMENTS], networks)
        tagger = load_tagger(Arrays(gate, networks).content())
        for source, both in by_source(tagger, held).items():
            for total, one in zip(scores[source], both, strict=True):
                total.include(one)
        print("fold", fold, {s: round(v[0].f1(), 3) for s, v in scores.items()}, flush=True)
    return scores


def zero_shot(folder: Path, cache: Path, source: str, pool: Executor) -> tuple[Score, ...]:
    """Return the scores of a tagger that was trained without a source, and the baseline's.

    Those of the tagger are without and with words for parties.
    """
    others = tuple(s for s in FILES if s not in SISTERS.get(source, (source,)))
    waiting = networks_of(folder, cache, None, others, pool)
    rest, held = split(folder, cache, 0, GATE_READINGS, others)
    everything, _ = split(folder, cache, None, ("long",), others)
    tested = split(folder, cache, None, ("long",), (source,))[0]["long"]
    plain, score = Baseline(i.passage for i in everything["long"]), Score()
    for item in tested:
        score.add(kept(plain.predict(item.passage.text)), kept(item.passage.names))
    networks = waiting()
    gate = gate_of(rest, [i for i in held if i.passage.source in DOCUMENTS], networks)
    tagger = load_tagger(Arrays(gate, networks).content())
    return measured(tagger, tested), measured(tagger, tested, roles=True), score


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--part", choices=("zero", "cross"), required=True)
    parser.add_argument("--sources", nargs="*", default=list(FILES))
    parser.add_argument("--folds", nargs="*", type=int, default=list(range(FOLDS)))
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    places = (chosen.data, chosen.cache)
    with ProcessPoolExecutor(max_workers=2) as pool:
        if chosen.part == "cross":
            print("| source | F1 | with words for parties | detail |\n|---|---|---|---|")
            for source, (one, two) in cross_validated(*places, chosen.folds, pool).items():
                print(f"| {source} | {one.f1():.3f} | {two.f1():.3f} | {one} |", flush=True)
            return
        print("| source | F1 | with words for parties | capitalised runs F1 | detail |")
        print("|---|---|---|---|---|")
        for source in chosen.sources:
            one, two, plain = zero_shot(*places, source, pool)
            figures = " | ".join(f"{s.f1():.3f}" for s in (one, two, plain))
            print(f"| {source} | {figures} | {one} |", flush=True)


if __name__ == "__main__":
    main()
