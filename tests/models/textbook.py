"""A BERT encoder and its heads by the textbook, in float64 numpy, one row of ids."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from casetrack.models.bert_onnx import BertConfig

Weights = dict[str, np.ndarray]
gelu = np.vectorize(lambda v: 0.5 * v * (1.0 + math.erf(v / math.sqrt(2.0))))


def _linear(w: Weights, x: np.ndarray, name: str) -> np.ndarray:
    return x @ w[f"{name}.weight"].T.astype(np.float64) + w[f"{name}.bias"]


def _norm(w: Weights, x: np.ndarray, name: str) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def states(
    w: Weights, config: BertConfig, ids: np.ndarray, attended: int | None = None
) -> list[np.ndarray]:
    """States after every layer; only the first *attended* tokens are attended to."""
    x = w["embeddings.word_embeddings.weight"][ids].astype(np.float64)
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = _norm(w, x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    collected = []
    size = config.width // config.heads
    for layer in range(config.layers):
        prefix = f"encoder.layer.{layer}"
        parts = ("query", "key", "value")
        q, k, v = (_linear(w, x, f"{prefix}.attention.self.{part}") for part in parts)
        heads = []
        for head in range(config.heads):
            part = slice(head * size, (head + 1) * size)
            scores = np.exp(q[:, part] @ k[:attended, part].T / math.sqrt(size))
            heads.append(scores / scores.sum(-1, keepdims=True) @ v[:attended, part])
        mixed = _linear(w, np.concatenate(heads, axis=1), f"{prefix}.attention.output.dense")
        x = _norm(w, x + mixed, f"{prefix}.attention.output.LayerNorm")
        wide = gelu(_linear(w, x, f"{prefix}.intermediate.dense"))
        x = _norm(w, x + _linear(w, wide, f"{prefix}.output.dense"), f"{prefix}.output.LayerNorm")
        collected.append(x)
    return collected


def term_weights(
    w: Weights, config: BertConfig, ids: np.ndarray, *, pools_special: bool = False
) -> np.ndarray:
    """SPLADE: log(1 + relu(logit)), the largest over the tokens, per vocabulary entry."""
    x = gelu(_linear(w, states(w, config, ids)[-1], "cls.predictions.transform.dense"))
    x = _norm(w, x, "cls.predictions.transform.LayerNorm")
    logits = x @ w["embeddings.word_embeddings.weight"].T + w["cls.predictions.bias"]
    result = np.log1p(np.maximum(logits, 0.0))
    return (result if pools_special else result[1:-1]).max(axis=0)


def token_vectors(
    w: Weights, config: BertConfig, ids: np.ndarray, attended: int | None = None
) -> np.ndarray:
    """ColBERT: the linear head's output, rows of unit length."""
    x = states(w, config, ids, attended)[-1] @ w["linear.weight"].T
    return x / np.linalg.norm(x, axis=-1, keepdims=True)
