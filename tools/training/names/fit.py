"""Trains the weights of `casetrack.extract.names` on all sources and writes them.

``python -m training.names.fit DATA CACHE HOME`` reads the collections from the folder DATA, keeps
the encoder's states and all trained networks in the folder CACHE, and writes
``casetrack/extract/names/data/names_mini.npz``; see `training.names.silver` for HOME. It needs
torch in addition to the program's requirements. Networks trained without `HELD` mark unlabelled
texts. Networks of the shipped size are trained with these passages, first without `HELD` for the
gate's limit and the confidences, then on everything; the latter are written.
"""

from __future__ import annotations

import argparse
import io
import pickle
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from casetrack.extract.names.network import Networks, all_rows
from casetrack.extract.names.tagger import load_tagger
from casetrack.extract.names.words import words_of
from casetrack.models.base import Encoding
from training.names import gate as gates
from training.names.measure import Score, kept
from training.names.network import Network, Settings, train
from training.names.silver import chosen, documents, marked
from training.names.sources import FILES
from training.names.states import LAYERS, Item, items_of, states_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.extract.names import StateTagger
    from casetrack.extract.spans import NameSpan

NETWORKS = ((("long", "tokenised"), 4), (("long", "noisy"), 4))
"""Of each network, the readings that it is trained on, and how often; its seed is its number."""
TEACHERS = ((("long",), 4), (("long",), 4))
"""The same of the networks that mark the silver passages."""
WIDTH, TEACHERS_WIDTH = 64, 96
GATE_READINGS = ("long", "tokenised")
GATE_SEED = 10
TWEETS = frozenset({"btc", "wnut"})
"""Sources of which only the long passages are read: they are large and unlike documents."""
HELD: dict[str, int | None] = {"pud": None, "ewt": None, "fin5": 0}
"""Left out first, to measure and to fit the gate's limit and the confidences: all news and web
text, and one fold of the loan agreements.
"""
FOLDS = 5
TARGET = Path(__file__).parents[3] / "casetrack" / "extract" / "names" / "data" / "names_mini.npz"


@dataclass(frozen=True, slots=True)
class Arrays:
    """Content of the file, except the calibration."""

    gate: dict[str, np.ndarray]
    networks: dict[str, np.ndarray]

    def content(self, calibration: tuple[float, float] = (1.0, 0.0)) -> bytes:
        """Return the file."""
        arrays = {**self.gate, **self.networks}
        arrays["layers"] = np.array(LAYERS, dtype=np.int64)
        arrays["calibration"] = np.array(calibration, dtype=np.float64)
        file = io.BytesIO()
        np.savez(file, **arrays)
        return file.getvalue()


def fold_of(items: list[Item]) -> list[int]:
    """Return a fold per passage of one source and reading; -1 if it is in two.

    It follows from the position of a passage in the source, so that the same sentences are in the
    same fold in all readings.
    """
    ends = np.cumsum([len(i.passage.sentences) for i in items])
    starts = ends - [len(i.passage.sentences) for i in items]
    size = max(1, int(ends[-1]) // 50)
    return [
        int(a) // size % FOLDS if a // size == (b - 1) // size else -1
        for a, b in zip(starts, ends, strict=True)
    ]


def split(
    folder: Path, cache: Path, readings: tuple[str, ...], *, whole: bool
) -> tuple[dict[str, list[Item]], list[Item]]:
    """Return the training passages by reading, and the long held-out passages.

    With *whole* the first is everything and the second is empty.
    """
    rest: dict[str, list[Item]] = {r: [] for r in readings}
    held = []
    for source in FILES:
        for reading in readings:
            if reading != "long" and source in TWEETS:
                continue
            items = items_of(folder, source, reading, cache)
            if whole or source not in HELD:
                rest[reading] += items
                continue
            fold = HELD[source]
            numbers = [fold] * len(items) if fold is None else fold_of(items)
            chosen = list(zip(items, numbers, strict=True))
            rest[reading] += [i for i, n in chosen if n not in {fold, -1}]
            if reading == "long":
                held += [i for i, n in chosen if n == fold]
    return rest, held


def network_arrays(network: Network) -> dict[str, np.ndarray]:
    """Return the weights with the standardisation of the states taken into the projection."""
    state = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    scaled = state["project.weight"] * state["scale"]
    bias = state["project.bias"] - scaled @ state["mean"]
    parts = scaled.T.reshape(len(LAYERS) + 1, -1, scaled.shape[0])
    half = {
        "project": parts, "table": state["table.weight"],
        "near": state["near.weight"].T, "near_bias": state["near.bias"],
        "far": state["far.weight"].T, "far_bias": state["far.bias"],
        "out": state["out.weight"].T, "out_bias": state["out.bias"],
    }  # fmt: skip
    arrays = {name: value.astype(np.float16) for name, value in half.items()}
    arrays["bias"] = bias.astype(np.float32)
    return arrays


def network_of(
    folder: Path, cache: Path, number: int, *, whole: bool, teaches: bool = False
) -> dict[str, np.ndarray]:
    """Train one network, or read it from the cache; return its arrays.

    All networks except the teachers are also trained on the silver passages of the cache.
    """
    name = "teacher" if teaches else "whole" if whole else "held"
    path = cache / f"{name}-{number}.npz"
    if path.is_file():
        with np.load(path) as file:
            return dict(file)
    readings, epochs = (TEACHERS if teaches else NETWORKS)[number]
    rest, _ = split(folder, cache, readings, whole=whole)
    items = [i for r in readings for i in rest[r]]
    if not teaches:
        items += silver_of(cache)
    width = TEACHERS_WIDTH if teaches else WIDTH
    settings = Settings(width=width, epochs=epochs, seed=number)
    label = f"{name} {number + 1}"
    arrays = network_arrays(train(items, settings, say=lambda t: print(label, t, flush=True)))
    np.savez(path, **arrays)
    return arrays


def networks_of(
    folder: Path, cache: Path, *, whole: bool, teaches: bool = False
) -> dict[str, np.ndarray]:
    """Train all networks, one after the other; return their arrays, stacked."""
    count = len(TEACHERS if teaches else NETWORKS)
    parts = [network_of(folder, cache, n, whole=whole, teaches=teaches) for n in range(count)]
    return {name: np.stack([p[name] for p in parts]) for name in parts[0]}


def silver_of(cache: Path) -> list[Item]:
    """Return the passages that the teachers marked."""
    passages = pickle.loads((cache / "silver.pickle").read_bytes())
    _, states = pickle.loads((cache / "silver-states.pickle").read_bytes())
    return [Item(p, s) for p, s in zip(passages, states, strict=True)]


def mark_silver(folder: Path, cache: Path, home: Path) -> None:
    """Mark passages with networks trained without `HELD`, and store them in the cache."""
    if (cache / "silver.pickle").is_file():
        return
    path = cache / "silver-states.pickle"
    if not path.is_file():
        texts = [(k, t) for k, p in documents(home, folder.parent) if (t := chosen(k, p))]
        states = states_of([text for _, part in texts for text in part])
        path.write_bytes(pickle.dumps((texts, states), protocol=5))
    texts, states = pickle.loads(path.read_bytes())
    networks = Networks.of(networks_of(folder, cache, whole=False, teaches=True))
    passages, at = [], 0
    for _, part in texts:
        scores = [
            scored(networks, text, rows)
            for text, rows in zip(part, states[at : at + len(part)], strict=True)
        ]
        passages += marked(part, scores)
        at += len(part)
    counts = Counter(kind for p in passages for *_, kind in p.names)
    print("silver", len(passages), dict(counts), flush=True)
    (cache / "silver.pickle").write_bytes(pickle.dumps(passages, protocol=5))


def scored(networks: Networks, text: str, states: np.ndarray) -> np.ndarray:
    """Return the log probabilities of the labels of all words of a text."""
    words = words_of(text)
    rows = all_rows(words, words.starts.astype(np.int32))
    parts = np.split(states.astype(np.float32), len(LAYERS) + 1, axis=1)
    return networks.scores(rows, parts)


def tagged(tagger: StateTagger, item: Item) -> tuple[NameSpan, ...]:
    """Return the program's output for a passage; every word counts as one token."""
    words = words_of(item.passage.text)
    *early, last = np.split(item.states.astype(np.float32), len(LAYERS) + 1, axis=1)
    layers = dict(zip(LAYERS, early, strict=True))
    spans = np.stack([words.starts, words.ends], axis=1).astype(np.int32)
    return tagger.tag(item.passage.text, Encoding(last[0], last, spans, layers))


def right_in(tagger: StateTagger, item: Item) -> set[tuple[int, int, str]]:
    """Return the names of a passage that are found as marked."""
    spans = {(s.start, s.end, s.kind) for s in tagged(tagger, item)}
    return spans & kept(item.passage.names, roles=True)


def gate_of(
    items: Mapping[str, list[Item]], held: list[Item], networks: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Train the gate on passages by reading; its limit comes from others, and their networks."""
    size = held[0].states.shape[1] // (len(LAYERS) + 1)
    gate = gates.train_gate([i for r in GATE_READINGS for i in items[r]], size, GATE_SEED)
    open_ = load_tagger(Arrays(gates.exported(gate, -np.inf), networks).content())
    right = [right_in(open_, item) for item in held]
    return gates.exported(gate, gates.limit_of(gate, held, right))


def measured(tagger: StateTagger, items: list[Item], *, roles: bool = False) -> Score:
    """Return the score over passages; with *roles* the words for parties count as names."""
    score = Score()
    for item in items:
        spans = [s for s in tagged(tagger, item) if roles or not s.is_role]
        tagged_spans = {(s.start, s.end, s.kind) for s in spans}
        score.add(tagged_spans, kept(item.passage.names, roles=roles))
    return score


def calibration_of(tagger: StateTagger, items: list[Item]) -> tuple[float, float]:
    """Fit slope and offset from log odds of names to log odds of being exactly right."""
    odds, right = [], []
    for item in items:
        wanted = set(item.passage.names)
        for span in tagged(tagger, item):
            if not span.is_role:
                sure = min(max(span.confidence, 1e-4), 1 - 1e-4)
                odds.append(np.log(sure / (1 - sure)))
                right.append((span.start, span.end, span.kind) in wanted)
    x, y = np.array(odds), np.array(right, dtype=float)
    theta = np.array([1.0, 0.0])
    design = np.stack([x, np.ones_like(x)], axis=1)
    for _ in range(50):  # Newton's method for logistic regression
        p = 1 / (1 + np.exp(-design @ theta))
        hessian = (design * (p * (1 - p))[:, None]).T @ design + 1e-6 * np.eye(2)
        step = np.linalg.solve(hessian, design.T @ (y - p))
        theta += step * min(1.0, 0.5 / np.abs(step).max())  # a full step may overshoot for good
    return float(theta[0]), float(theta[1])


def main() -> None:
    """Train, calibrate, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder ner-open of the shared data")
    parser.add_argument("cache", type=Path)
    parser.add_argument("home", type=Path, help="data folder with Contracts, Filings, Mail")
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    torch.set_num_threads(1)
    places = (options.data, options.cache)
    mark_silver(*places, options.home)
    networks, whole = networks_of(*places, whole=False), networks_of(*places, whole=True)
    rest, held = split(*places, GATE_READINGS, whole=False)
    gate = gate_of(rest, held, networks)
    print("gate", gate["gate_limit"], flush=True)
    first = load_tagger(Arrays(gate, networks).content())
    calibration = calibration_of(first, held)
    print("calibration", calibration, flush=True)
    (options.cache / "held.npz").write_bytes(Arrays(gate, networks).content(calibration))
    content = Arrays(gate, whole).content(calibration)
    options.out.write_bytes(content)
    print(f"{options.out.name} ({len(content)} bytes)", flush=True)


if __name__ == "__main__":
    main()
