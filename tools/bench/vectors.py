"""Generated vectors with the shape of real ones: topics, few dominant directions, a common mean.

Independent Gaussian numbers have no meaningful neighbours, so an approximate index would look
useless or perfect by chance. Here a vector is its topic, plus a step along some forty shared
directions of decreasing weight, plus a little noise: about the output of sentence encoders.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from casetrack.models.base import Floats

_TOPICS = 1024
_DIRECTIONS = 40
_COMMON, _TOPIC, _STEP, _NOISE = 0.45, 0.75, 0.65, 0.10
_WALK = 60_000
_PULL, _CHUNK_SHARE = 0.2, 0.6


class Space:
    """Dense vectors (*dimension*) and token states (*width*) of one generated language."""

    def __init__(self, dimension: int, width: int, seed: int, /) -> None:
        rng = np.random.default_rng(seed)
        self.dimension, self._seed = dimension, seed
        self._common = _COMMON * _unit(rng.standard_normal((1, dimension), dtype=np.float32))
        self._topics = _TOPIC * _unit(rng.standard_normal((_TOPICS, dimension), dtype=np.float32))
        weights = (1.0 / np.sqrt(np.arange(1, _DIRECTIONS + 1))).astype(np.float32)
        turned, _ = np.linalg.qr(rng.standard_normal((dimension, _DIRECTIONS)))
        scaled = turned.T.astype(np.float32) * weights[:, None]
        self._directions = _STEP * scaled / np.linalg.norm(weights)
        shares = 1.0 / (np.arange(_TOPICS) + 10.0)
        self._bounds = np.cumsum(shares / shares.sum())
        self._walk = _walk(rng, width)
        self._project = _unit(rng.standard_normal((dimension, width), dtype=np.float32))

    def topics(self, rng: np.random.Generator, count: int, /) -> np.ndarray:
        """Return *count* topics, some much more often than others."""
        return np.minimum(np.searchsorted(self._bounds, rng.random(count)), _TOPICS - 1)

    def vectors(self, rng: np.random.Generator, topics: np.ndarray, /) -> Floats:
        """Return one unit vector per topic in *topics*, float32 [n, dimension]."""
        steps = rng.standard_normal((len(topics), _DIRECTIONS), dtype=np.float32)
        noise = rng.standard_normal((len(topics), self.dimension), dtype=np.float32)
        noise *= _NOISE / np.sqrt(self.dimension)
        return _unit(self._common + self._topics[topics] + steps @ self._directions + noise)

    def states(self, rng: np.random.Generator, vector: Floats, count: int, /) -> Floats:
        """Return the states of *count* tokens of a text, float32 [count, width].

        They are a random walk around a point that depends on the *vector* of the text, because
        neighbouring tokens, and tokens of one text, are similar.
        """
        first = int(rng.integers(0, _WALK - count))
        states: Floats = self._walk[first : first + count] + _CHUNK_SHARE * (vector @ self._project)
        return states

    def query(self, text: str, /) -> Floats:
        """Return the vector of a question: always the same for the same *text*."""
        rng = self._rng(text)
        vector: Floats = self.vectors(rng, self.topics(rng, 1))[0]
        return vector

    def query_states(self, text: str, count: int, /) -> Floats:
        """Return the token states of a question."""
        return self.states(self._rng(text), self.query(text), count)

    def _rng(self, text: str) -> np.random.Generator:
        return np.random.default_rng([self._seed, zlib.crc32(text.encode())])


def _walk(rng: np.random.Generator, width: int) -> np.ndarray:
    """Return a long random walk that is pulled back to its middle, of rows of length about 1."""
    rows = rng.standard_normal((_WALK, width), dtype=np.float32)
    for row in range(1, _WALK):
        rows[row] = (1 - _PULL) * rows[row - 1] + _PULL * rows[row]
    return _unit(rows)


def _unit(rows: np.ndarray) -> np.ndarray:
    unit: np.ndarray = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return unit
