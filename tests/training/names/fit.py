"""Trains the weights of `casetrack.extract.names` on all sources and writes them.

``PYTHONPATH=tests python -m training.names.fit DATA CACHE`` reads the collections from the folder
DATA, keeps the encoder's states in the folder CACHE, and writes
``casetrack/extract/names/data/names_mini.npz``. It needs torch besides the program's own
requirements. The calibration comes from names of every fifth block of sentences, found by a
network that was trained on the others.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from casetrack.extract.names.decode import spans_of
from casetrack.extract.names.words import words_of
from training.names.network import Network, Settings, scores_of, train
from training.names.sources import CLASSES, FILES
from training.names.states import LAYERS, Item, items_of

NETWORKS = ((("long", "tokenised", "short", "noisy"), 3), (("long",), 6), (("tokenised",), 6))
"""Of each network, the readings that it is trained on, and how often."""
DOCUMENTS = ("fin5", "wikigold", "pud", "ewt")
"""Sources that are like what the program reads; confidences are made to fit these."""
FOLDS = 5
BLOCK = 20
TARGET = Path(__file__).parents[3] / "casetrack" / "extract" / "names" / "data" / "names_mini.npz"


def load(folder: Path, cache: Path, sources: list[str], readings: tuple[str, ...]) -> list[Item]:
    """Return the passages of sources in some readings."""
    return [i for s in sources for r in readings for i in items_of(folder, s, r, cache)]


def exported(network: Network) -> dict[str, np.ndarray]:
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


def joined(parts: list[dict[str, np.ndarray]], calibration: tuple[float, float]):
    """Return the content of the file: the networks one above the other, and the calibration."""
    found = {name: np.stack([p[name] for p in parts]) for name in parts[0]}
    found["layers"] = np.array(LAYERS, dtype=np.int64)
    found["calibration"] = np.array(calibration, dtype=np.float64)
    return found


def calibration_of(networks: list[Network], folds: list[list[Item]]) -> tuple[float, float]:
    """Fit slope and offset from log odds of names to log odds of being exactly right."""
    odds, right = [], []
    for network, items in zip(networks, folds, strict=True):
        for item in items:
            words = words_of(item.passage.text)
            wanted = set(item.passage.names)
            for a, b, kind, sure in spans_of(scores_of(network, item)):
                if CLASSES[kind] in CLASSES[:3]:
                    name = (int(words.starts[a]), int(words.ends[b - 1]), CLASSES[kind])
                    odds.append(sure - np.log1p(-min(np.exp(sure), 1 - 1e-6)))
                    right.append(name in wanted)
    x, y = np.array(odds), np.array(right, dtype=float)
    theta = np.array([1.0, 0.0])
    design = np.stack([x, np.ones_like(x)], axis=1)
    for _ in range(50):  # Newton's method for logistic regression
        p = 1 / (1 + np.exp(-design @ theta))
        hessian = (design * (p * (1 - p))[:, None]).T @ design + 1e-6 * np.eye(2)
        theta += np.linalg.solve(hessian, design.T @ (y - p))
    return float(theta[0]), float(theta[1])


def blocks(items: list[Item]) -> list[int]:
    """Return a fold for every passage; neighbouring passages of a source share one."""
    return [i // BLOCK % FOLDS for i in range(len(items))]


def main() -> None:
    """Train, calibrate, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--out", type=Path, default=TARGET)
    chosen = parser.parse_args()
    files = list(FILES)
    long = load(chosen.data, chosen.cache, files, ("long",))
    fold = blocks(long)
    rest = [i for i, n in zip(long, fold, strict=True) if n]
    held = [i for i, n in zip(long, fold, strict=True) if not n and i.passage.source in DOCUMENTS]
    calibration = calibration_of([train(rest, Settings(epochs=3), say=print)], [held])
    print("calibration", calibration)
    parts = []
    for seed, (readings, epochs) in enumerate(NETWORKS):
        items = load(chosen.data, chosen.cache, files, readings)
        print(f"network {seed + 1}: {len(items)} passages")
        parts.append(exported(train(items, Settings(epochs=epochs, seed=seed), say=print)))
    np.savez(chosen.out, **joined(parts, calibration))
    print(f"{chosen.out} ({chosen.out.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
