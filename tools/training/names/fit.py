"""Trains the weights of `casetrack.extract.names` on all sources and writes them.

``python -m training.names.fit DATA CACHE`` reads the collections from the folder
DATA, keeps the encoder's states in the folder CACHE, and writes
``casetrack/extract/names/data/names_mini.npz``. It needs torch besides the program's own
requirements. One fold of all sources is held out first: what a tagger trained on the others finds
there fits the confidences and is counted. The gate is trained without that fold, which gives its
limit; the networks that are written are then trained on all passages.
"""

from __future__ import annotations

import argparse
import io
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from casetrack.extract.names.tagger import load_tagger
from casetrack.extract.names.words import words_of
from casetrack.models.base import Encoding
from training.names import gate as gates
from training.names.measure import Score, kept
from training.names.network import Network, Settings, train
from training.names.sources import FILES
from training.names.states import LAYERS, Item, items_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor

    from casetrack.extract.names import StateTagger
    from casetrack.extract.spans import NameSpan

NETWORKS = ((("long", "tokenised", "short"), 4), (("long", "noisy"), 5))
"""Of each network, the readings that it is trained on, and how often; its seed is its number."""
GATE_READINGS = ("long", "tokenised")
GATE_SEED = 10
DOCUMENTS = ("fin5", "wikigold", "pud", "ewt")
"""Sources that are like what the program reads; confidences are made to fit these."""
FOLDS = 5
TARGET = Path(__file__).parents[3] / "casetrack" / "extract" / "names" / "data" / "names_mini.npz"


@dataclass(frozen=True, slots=True)
class Arrays:
    """What the file holds, but for the calibration."""

    gate: dict[str, np.ndarray]
    networks: dict[str, np.ndarray]

    def content(self, calibration: tuple[float, float] = (1.0, 0.0)) -> bytes:
        """Return the file."""
        found = {**self.gate, **self.networks}
        found["layers"] = np.array(LAYERS, dtype=np.int64)
        found["calibration"] = np.array(calibration, dtype=np.float64)
        file = io.BytesIO()
        np.savez(file, **found)
        return file.getvalue()


def fold_of(items: list[Item]) -> list[int]:
    """Return a fold per passage of one source and reading; -1 where it is in two.

    It follows from how far into the source a passage stands, so that the same sentences are in the
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
    folder: Path,
    cache: Path,
    fold: int | None,
    readings: tuple[str, ...],
    sources: tuple[str, ...],
) -> tuple[dict[str, list[Item]], list[Item]]:
    """Return by reading what is outside a fold, and the long passages inside it.

    Without a fold that is everything, and nothing.
    """
    rest: dict[str, list[Item]] = {r: [] for r in readings}
    held = []
    for source in sources:
        for reading in readings:
            items = items_of(folder, source, reading, cache)
            if fold is None:
                rest[reading] += items
                continue
            numbers = fold_of(items)
            chosen = zip(items, numbers, strict=True)
            rest[reading] += [i for i, n in chosen if n not in {fold, -1}]
            if reading == "long":
                held += [i for i, n in zip(items, numbers, strict=True) if n == fold]
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
    found = {name: value.astype(np.float16) for name, value in half.items()}
    found["bias"] = bias.astype(np.float32)
    return found


def network_of(
    folder: Path, cache: Path, number: int, fold: int | None, sources: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Train one of `NETWORKS` on what is outside a fold, or on everything; return its arrays."""
    torch.set_num_threads(1)
    readings, epochs = NETWORKS[number]
    rest, _ = split(folder, cache, fold, readings, sources)
    items = [i for r in readings for i in rest[r]]
    label = f"network {number + 1}, {'everything' if fold is None else f'without fold {fold}'}"
    settings = Settings(epochs=epochs, seed=number)
    return network_arrays(train(items, settings, say=lambda t: print(label, t, flush=True)))


def networks_of(
    folder: Path, cache: Path, fold: int | None, sources: tuple[str, ...], pool: Executor
) -> Callable[[], dict[str, np.ndarray]]:
    """Begin to train all networks; the result waits and gives their arrays, stacked."""
    jobs = [pool.submit(network_of, folder, cache, n, fold, sources) for n in range(len(NETWORKS))]

    def wait() -> dict[str, np.ndarray]:
        parts = [job.result() for job in jobs]
        return {name: np.stack([p[name] for p in parts]) for name in parts[0]}

    return wait


def tagged(tagger: StateTagger, item: Item) -> tuple[NameSpan, ...]:
    """Return what the program gives out for a passage; every word counts as one token."""
    words = words_of(item.passage.text)
    *early, last = np.split(item.states.astype(np.float32), len(LAYERS) + 1, axis=1)
    layers = dict(zip(LAYERS, early, strict=True))
    spans = np.stack([words.starts, words.ends], axis=1).astype(np.int32)
    return tagger.tag(item.passage.text, Encoding(last[0], last, spans, layers))


def right_in(tagger: StateTagger, item: Item) -> set[tuple[int, int, str]]:
    """Return the names of a passage that are found as marked."""
    found = {(s.start, s.end, s.kind) for s in tagged(tagger, item)}
    return found & kept(item.passage.names, roles=True)


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
        found = {(s.start, s.end, s.kind) for s in spans}
        score.add(found, kept(item.passage.names, roles=roles))
    return score


def by_source(tagger: StateTagger, items: list[Item]) -> dict[str, tuple[Score, Score]]:
    """Return per source the scores without and with the words for parties."""
    parts: dict[str, list[Item]] = {}
    for item in items:
        parts.setdefault(item.passage.source, []).append(item)
    return {
        s: (measured(tagger, part), measured(tagger, part, roles=True)) for s, part in parts.items()
    }


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
        theta += np.linalg.solve(hessian, design.T @ (y - p))
    return float(theta[0]), float(theta[1])


def main() -> None:
    """Train, calibrate, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--out", type=Path, default=TARGET)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    files, places = tuple(FILES), (chosen.data, chosen.cache)
    with ProcessPoolExecutor(max_workers=2) as pool:
        part = networks_of(*places, 0, files, pool)
        whole = networks_of(*places, None, files, pool)
        rest, held = split(*places, 0, GATE_READINGS, files)
        like = [i for i in held if i.passage.source in DOCUMENTS]
        networks = part()
        gate = gate_of(rest, like, networks)
        print("gate", gate["gate_limit"], flush=True)
        del rest
        first = load_tagger(Arrays(gate, networks).content())
        calibration = calibration_of(first, like)
        print("calibration", calibration, flush=True)
        for source, (plain, roles) in by_source(first, held).items():
            print(f"held out: {source} {plain}, with words for parties {roles.f1():.3f}")
        content = Arrays(gate, whole()).content(calibration)
    chosen.out.write_bytes(content)
    print(f"{chosen.out.name} ({len(content)} bytes)", flush=True)


if __name__ == "__main__":
    main()
