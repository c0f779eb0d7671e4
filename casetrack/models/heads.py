"""Graphs of models with a head on a BERT encoder: term weights, token vectors, labels of names.

The encoder under the head is that of `casetrack.models.bert_onnx`, and so are the rules: rows of a
batch have the same length, and weights are 8-bit integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack.models.bert_onnx import encoder_states, finish
from casetrack.models.graph import MICROSOFT, Array, Graph, linear, multiply, normalize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.models.bert_onnx import BertConfig

SPARSE_OUTPUT = "weights"
TOKENS_OUTPUT = "vectors"
LABELS_OUTPUT = "labels"
ATTENDED_INPUT = "attended"

_TRANSFORM = "cls.predictions.transform"
_WORDS = "embeddings.word_embeddings.weight"
_DECODER = "cls.predictions.decoder.weight"
_BIASES = ("cls.predictions.bias", "cls.predictions.decoder.bias")


def build_sparse(
    weights: Mapping[str, Array],
    config: BertConfig,
    /,
    *,
    pools_special: bool = False,
    quantize: bool = True,
) -> bytes:
    """Build the graph of a masked language model that weighs the terms of its vocabulary.

    The weight of a term is log(1 + max(0, x)) of its largest logit x over the tokens (Formal et al.
    2021, SPLADE v2). The logarithm grows with x, so the maximum comes first, and only one row per
    text ever passes through the rest.

    Parameters
    ----------
    weights
        Tensors under the names that BERT checkpoints use. The decoder is tied to the word
        embeddings: one of both may be missing.
    config
        The encoder's shape.
    pools_special
        Whether the first and the last token, [CLS] and [SEP], take part in the maximum. Without
        them, inputs need three tokens or more.
    quantize
        As for `casetrack.models.bert_onnx.build_encoder`.

    Returns
    -------
    bytes
        An ONNX model with the output ``weights``, float32 [batch, vocabulary].

    Raises
    ------
    ModelCorrupt
        A tensor is missing or has the wrong shape.
    """
    known = {**weights, _WORDS: weights[_DECODER]} if _tied(weights) else weights
    graph = Graph(known, quantize=quantize)
    state = encoder_states(graph, config)[-1]
    if not pools_special:
        bounds = [graph.constant(np.array([n], dtype=np.int64)) for n in (1, -1, 1)]
        state = graph.one("Slice", state, bounds[0], bounds[1], bounds[2])
    last = f"encoder.layer.{config.layers - 1}.output.LayerNorm"
    state = linear(graph, state, f"{_TRANSFORM}.dense", config.width, norm=last)
    state = graph.one("Gelu", state, domain=MICROSOFT)
    state = normalize(graph, state, f"{_TRANSFORM}.LayerNorm", config.norm)
    decoder = graph.weight(_DECODER if _DECODER in known else _WORDS, (None, config.width)).T
    logits = multiply(graph, state, decoder, None, norm=f"{_TRANSFORM}.LayerNorm")
    axis = graph.constant(np.array([1], dtype=np.int64))
    largest = graph.one("ReduceMax", logits, axis, keepdims=0)
    bias = next((name for name in _BIASES if name in known), _BIASES[0])
    shift = graph.constant(graph.weight(bias, (decoder.shape[1],)))
    positive = graph.one("Relu", graph.one("Add", largest, shift))
    one = graph.constant(np.float32(1.0))
    graph.add("Log", graph.one("Add", positive, one), outputs=(SPARSE_OUTPUT,))
    return finish(graph, {SPARSE_OUTPUT: ("batch", decoder.shape[1])})


def build_tokens(
    weights: Mapping[str, Array],
    config: BertConfig,
    /,
    *,
    head: str = "linear.weight",
    quantize: bool = True,
) -> bytes:
    """Build the graph of a model with a linear head, one vector of unit length per token.

    The second input, ``attended`` int32 [batch], says how many tokens from the start take part in
    attention: the [MASK] tokens that fill up queries look at the others, and none looks at them
    (Khattab and Zaharia 2020). The head stays in float32; it is a hundredth of the work.

    Parameters
    ----------
    weights
        Tensors under the names that BERT checkpoints use.
    config
        The encoder's shape.
    head
        Name of the head's tensor [out, in]; it has no bias.
    quantize
        As for `casetrack.models.bert_onnx.build_encoder`.

    Returns
    -------
    bytes
        An ONNX model with the output ``vectors``, float32 [batch, tokens, out].

    Raises
    ------
    ModelCorrupt
        A tensor is missing or has the wrong shape.
    """
    graph = Graph(weights, quantize=quantize)
    state = encoder_states(graph, config, attended=ATTENDED_INPUT)[-1]
    matrix = graph.weight(head, (None, config.width)).T
    found = graph.one("MatMul", state, graph.constant(matrix))
    graph.add("LpNormalization", found, outputs=(TOKENS_OUTPUT,), axis=-1, p=2)
    shape = ("batch", "tokens", matrix.shape[1])
    return finish(graph, {TOKENS_OUTPUT: shape}, attended=ATTENDED_INPUT)


def build_labels(
    weights: Mapping[str, Array], config: BertConfig, /, *, labels: int, quantize: bool = True
) -> bytes:
    """Build the graph of a model that labels every token (Devlin et al. 2019, section 5.3).

    Parameters
    ----------
    weights
        Tensors under the names that BERT checkpoints use; the head is ``classifier``.
    config
        The encoder's shape.
    labels
        Number of labels.
    quantize
        As for `casetrack.models.bert_onnx.build_encoder`; the head stays in float32.

    Returns
    -------
    bytes
        An ONNX model with the output ``labels``, float32 [batch, tokens, labels], probabilities.

    Raises
    ------
    ModelCorrupt
        A tensor is missing or has the wrong shape.
    """
    graph = Graph(weights, quantize=quantize)
    state = encoder_states(graph, config)[-1]
    matrix = graph.constant(graph.weight("classifier.weight", (labels, config.width)).T)
    bias = graph.constant(graph.weight("classifier.bias", (labels,)))
    logits = graph.one("Add", graph.one("MatMul", state, matrix), bias)
    graph.add("Softmax", logits, outputs=(LABELS_OUTPUT,), axis=-1)
    return finish(graph, {LABELS_OUTPUT: ("batch", "tokens", labels)})


def _tied(weights: Mapping[str, Array]) -> bool:
    """Whether the file has the shared matrix only under the decoder's name."""
    return _WORDS not in weights and _DECODER in weights
