"""Passages of all sources with the encoder's states of their words, computed once and cached.

Four readings of every source: long passages, short ones, tokens separated by spaces as in the
collections themselves, and long ones with misread characters.
"""

from __future__ import annotations

import pickle
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.config import load_settings
from casetrack.extract.names.words import words_of
from casetrack.models.encoders import load_profile
from training.names.passages import Passage, join, noisy
from training.names.sources import read

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

LAYERS = (2, 3, 4, 5)
"""Earlier layers that are kept, before the last one."""
READINGS = {"long": (600, 2000), "short": (40, 700), "tokenised": (100, 1500), "noisy": (400, 1800)}


@dataclass(slots=True)
class Item:
    """A passage and, per word, the mean states of its tokens, float16 [n, width]."""

    passage: Passage
    states: NDArray[np.float16]


def passages_of(folder: Path, source: str, reading: str, seed: int = 5) -> list[Passage]:
    """Return a source's passages in one of the readings."""
    rng = random.Random(f"{source} {reading} {seed}")
    sentences = read(folder, source, tokenised=reading == "tokenised")
    if reading == "noisy":
        sentences = [noisy(s, rng) for s in sentences]
    low, high = READINGS[reading]
    return join(sentences, source, rng, low=low, high=high)


def items_of(folder: Path, source: str, reading: str, cache: Path) -> list[Item]:
    """Return passages with their states, from the cache where they are there."""
    path = cache / f"{source}-{reading}.pickle"
    if not path.is_file():
        passages = passages_of(folder, source, reading)
        path.parent.mkdir(parents=True, exist_ok=True)
        states = states_of([p.text for p in passages])
        path.write_bytes(pickle.dumps((passages, states), protocol=5))
        return [Item(p, s) for p, s in zip(passages, states, strict=True)]
    passages, states = pickle.loads(path.read_bytes())
    return [Item(p, s) for p, s in zip(passages, states, strict=True)]


def states_of(texts: list[str]) -> list[NDArray[np.float16]]:
    """Return the mean states per word of texts, all `LAYERS` and the last one side by side."""
    encoder = load_profile(load_settings().models_dir, "mini")
    states = []
    for text, encoding in zip(texts, encoder.encode_documents(texts, layers=LAYERS), strict=True):
        words, spans = words_of(text), encoding.token_spans
        at = np.minimum(np.searchsorted(spans[:, 0], words.starts), len(spans) - 1)
        rows = np.concatenate([*(encoding.layers[n] for n in LAYERS), encoding.tokens], axis=1)
        sizes = np.maximum(1, np.diff(np.append(at, len(spans))))
        pooled = np.add.reduceat(rows, at, axis=0) / sizes[:, None]
        states.append(pooled.astype(np.float16))
    return states
