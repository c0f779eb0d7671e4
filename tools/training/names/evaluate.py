"""Measures the tagger on what it was not trained on: ``training.names.evaluate DATA CACHE``.

`training.names.fit` leaves in CACHE a tagger that saw nothing of `training.names.fit.HELD`: no
news, no web text, and only four fifths of the loan agreements. It prints a table of exact-match F1
of what the program gives out with that tagger, rules included, by kind, and beside it the F1 of the
plain baseline, trained on the same passages. Filings (``ner-eval``) are measured where their file
is given; nothing is ever trained on them.
"""

from __future__ import annotations

import argparse
import random
from itertools import chain
from pathlib import Path

from casetrack.extract.names.tagger import load_tagger
from training.names.baseline import Baseline
from training.names.fit import measured, split
from training.names.measure import KINDS, Score, kept
from training.names.passages import join
from training.names.sources import read_filings
from training.names.states import Item, states_of

NAMES = {"pud": "news", "ewt": "web", "fin5": "loan agreements, a fifth", "filings": "filings"}


def filings(path: Path, /) -> list[Item]:
    """Return the passages of the filings, none over two of them."""
    rng = random.Random("filings")
    parts = (join(s, "filings", rng, low=600, high=2000) for s in read_filings(path))
    passages = list(chain.from_iterable(parts))
    states = states_of([p.text for p in passages])
    return [Item(p, s) for p, s in zip(passages, states, strict=True)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder ner-open of the shared data")
    parser.add_argument("cache", type=Path, help="where training.names.fit keeps what it trains")
    parser.add_argument("--filings", type=Path, help="edgar-dev.tsv of the shared data")
    parser.add_argument("--weights", type=Path, help="others than those of the cache")
    options = parser.parse_args()
    tagger = load_tagger((options.weights or options.cache / "held.npz").read_bytes())
    rest, held = split(options.data, options.cache, ("long",), whole=False)
    plain = Baseline(i.passage for i in rest["long"])
    sets: dict[str, list[Item]] = {}
    for item in held:
        sets.setdefault(item.passage.source, []).append(item)
    if options.filings:
        sets["filings"] = filings(options.filings)
    heads = ("text", "names", "all", *(f"{k}s" for k in KINDS), "with words for parties", "runs")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for source, items in sets.items():
        score, roles, runs = measured(tagger, items), measured(tagger, items, roles=True), Score()
        for item in items:
            runs.add(kept(plain.predict(item.passage.text)), kept(item.passage.names))
        figures = [score.f1(), *(score.f1(k) for k in KINDS), roles.f1(), runs.f1()]
        wanted = sum(score.wanted.values())
        cells = [NAMES[source], f"{wanted:,}", *(f"{f:.3f}" for f in figures)]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
