"""Turn the weights of a BERT encoder into an ONNX graph for onnxruntime on a CPU.

Only numpy is needed. The graph has one input, ``input_ids`` int64
[batch, tokens], and no attention mask: the rows of a batch have the same length. That is on
purpose. Activations are quantised with a scale taken from the whole tensor, so a row padded or
batched with others would get other numbers than alone, and padding costs more than it saves.

The form below is the quickest of those measured on two cores with AVX-512 VNNI, milliseconds per
2,000 characters (421 tokens), two runs side by side: this form 25.5; one matrix product for
query, key and value and a Split 26.8; Q, K, V each quantising for themselves 26.1; the same with
SkipLayerNormalization in place of Add and LayerNormalization 30.0 (so the graph must be loaded
with basic optimisations only: the extended ones put it back); attention from MatMul and
Softmax 31.0, with 8-bit Q·K 28.4; QAttention and the standard Attention operator slower by 10 to
20 %; FastGelu and BiasGelu no gain; plain MatMulInteger 13 % slower; 8-bit blocks of 32
(MatMulNBits) twice as slow; float32 56.

Weights use the levels -64 to 64 of int8, not all 255: processors without VNNI add products of
8-bit numbers in pairs in 16 bits, and 255 · 64 · 2 is the most that fits, so every processor gets
the same sums. Nearly all of the error comes from the activations, whose few large features leave
the others coarse. Before a matrix product each feature is therefore divided by a factor that its
weights take up (Xiao et al. 2023, SmoothQuant); how large a feature gets is read off the layer
normalisation in front, so no sample data is needed. It costs 1 % of the time and takes the mean
error of a token state, as 1 - cosine to float32, from 0.0109 to 0.0085 (dense vector: 0.0055).
The same for the product after the activation function made it worse, and is not done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.errors import ModelCorrupt, ModelError, See
from casetrack.models import onnx_file
from casetrack.models.graph import (
    LEVELS,
    MICROSOFT,
    Array,
    Graph,
    linear,
    multiply,
    normalize,
    rows_to_int8,
    smoothing,
    to_int8,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BUILDER_VERSION = 1
"""Raised whenever a change here changes the numbers that come out of a built graph."""

_OPSET = 20
_IR_VERSION = 9


@dataclass(frozen=True, slots=True)
class BertConfig:
    """Shape of a BERT encoder.

    Attributes
    ----------
    layers, heads, width
        Number of layers, attention heads per layer, and features per token.
    epsilon
        Added to the variance in every layer normalisation.
    positions
        Longest input in tokens.
    """

    layers: int
    heads: int
    width: int
    epsilon: float
    positions: int

    @property
    def norm(self) -> tuple[int, float]:
        """What a layer normalisation needs to know: width and epsilon."""
        return self.width, self.epsilon

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], /) -> BertConfig:
        """Read the fields of a published ``config.json``.

        Raises
        ------
        ModelError
            It is not a plain BERT encoder: another architecture, activation function or kind of
            positions.
        ModelCorrupt
            A field is missing.
        """
        wanted = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
        for key, value in wanted.items():
            if raw.get(key, value) != value:
                raise ModelError(
                    f"Cannot build this model: {key} is {raw[key]!r}, only {value!r} is supported.",
                    hint=f"Choose a model of the catalogue ({See('models list')}).",
                )
        try:
            return cls(
                layers=int(raw["num_hidden_layers"]),
                heads=int(raw["num_attention_heads"]),
                width=int(raw["hidden_size"]),
                epsilon=float(raw["layer_norm_eps"]),
                positions=int(raw["max_position_embeddings"]),
            )
        except KeyError as missing:
            raise ModelCorrupt(
                f"The model's config.json has no {missing}.",
                hint=f"Run {See('models pull')} to fetch it again.",
            ) from missing


def output_name(layer: int, layers: int, /) -> str:
    """Return the name of the output that holds the states after *layer* (1-based) of *layers*.

    The last layer is ``hidden``, those before it ``hidden_1``, ``hidden_2`` and so on.

    Raises
    ------
    ValueError
        There is no such layer.
    """
    if not 1 <= layer <= layers:
        raise ValueError(f"layer {layer} does not exist; the model has layers 1 to {layers}")
    return LAST_OUTPUT if layer == layers else f"{LAST_OUTPUT}_{layer}"


def build_encoder(
    weights: Mapping[str, Array], config: BertConfig, /, *, quantize: bool = True
) -> bytes:
    """Build the graph of an encoder and return it serialised.

    Parameters
    ----------
    weights
        Tensors under the names that BERT checkpoints use, float32; linear weights [out, in].
    config
        The encoder's shape.
    quantize
        Store weights as int8 per output channel and embeddings as int8 per row, and quantise
        activations when the graph runs; ``False`` keeps float32 throughout, which is slower and
        serves as a reference.

    Returns
    -------
    bytes
        An ONNX model. Outputs, all float32 [batch, tokens, width]: ``hidden`` after the last
        layer and ``hidden_N`` after every layer N before it. The layers before the last are on
        the way to it, so offering them costs nothing; fetching one costs its copy.

    Raises
    ------
    ModelCorrupt
        A tensor is missing or has the wrong shape.
    """
    graph = Graph(weights, quantize=quantize)
    states = encoder_states(graph, config)
    return finish(graph, dict.fromkeys(states, ("batch", "tokens", config.width)))


def encoder_states(graph: Graph, config: BertConfig, *, attended: str = "") -> list[str]:
    """Add an encoder; return the names of the states after each layer, the last one last.

    Parameters
    ----------
    graph
        What it is added to.
    config
        The encoder's shape.
    attended
        Name of an input, int32 [batch]: how many tokens from the start others attend to. Without
        it, all.

    Raises
    ------
    ModelCorrupt
        A tensor is missing or has the wrong shape.
    """
    state = _embeddings(graph, config)
    names = []
    for layer in range(1, config.layers + 1):
        state = _layer(graph, state, layer - 1, config, output_name(layer, config.layers), attended)
        names.append(state)
    return names


def finish(
    graph: Graph, outputs: Mapping[str, Sequence[str | int]], /, *, attended: str = ""
) -> bytes:
    """Serialise a graph with the input ``input_ids`` and, if named, *attended*.

    *outputs* are the float32 outputs with their shapes.
    """
    inputs = [onnx_file.port("input_ids", onnx_file.INT64, ("batch", "tokens"))]
    if attended:
        inputs.append(onnx_file.port(attended, onnx_file.INT32, ("batch",)))
    found = [onnx_file.port(name, onnx_file.FLOAT, shape) for name, shape in outputs.items()]
    return onnx_file.model(
        graph.nodes,
        graph.constants,
        inputs,
        found,
        name="encoder",
        opsets={"": _OPSET, MICROSOFT: 1},
        format_version=_IR_VERSION,
        producer=("casetrack", str(BUILDER_VERSION)),
    )


def _embeddings(graph: Graph, config: BertConfig) -> str:
    width = config.width
    words = graph.weight("embeddings.word_embeddings.weight", (None, width))
    places = graph.weight("embeddings.position_embeddings.weight", (config.positions, width))
    # Every token has type 0 (one text per row), so that row of the type table joins the positions.
    places = places + graph.weight("embeddings.token_type_embeddings.weight", (None, width))[0]
    if graph.quantize:
        values, scale = rows_to_int8(words, 127)
        rows = graph.one("Gather", graph.constant(values), "input_ids", axis=0)
        scales = graph.one("Gather", graph.constant(scale), "input_ids", axis=0)
        found = graph.one("Mul", graph.one("Cast", rows, to=1), scales)  # 1 = FLOAT
    else:
        found = graph.one("Gather", graph.constant(words), "input_ids", axis=0)
    first = graph.constant(np.array([0], dtype=np.int64))
    length = graph.one("Shape", "input_ids", start=1, end=2)
    position = graph.one("Slice", graph.constant(places), first, length, first)
    total = graph.one("Add", found, position)
    return normalize(graph, total, "embeddings.LayerNorm", config.norm)


def _query_key_value(graph: Graph, state: str, prefix: str, width: int, norm: str) -> list[str]:
    """Return the names of query, key and value; *state* is quantised once for the three."""
    names = [f"{prefix}.{part}" for part in ("query", "key", "value")]
    if not graph.quantize:
        return [linear(graph, state, name, width) for name in names]
    matrices = [graph.weight(f"{name}.weight", (width, width)).T for name in names]
    factor = smoothing(graph, norm, matrices)
    state = graph.one("Mul", state, graph.constant(1.0 / factor))
    parts = tuple(f"n{len(graph.nodes)}_{part}" for part in ("values", "scale", "zero"))
    values, scale, zero = graph.add("DynamicQuantizeLinear", state, outputs=parts)
    found = []
    for name, matrix in zip(names, matrices, strict=True):
        weight, weight_scale = to_int8(matrix * factor[:, None], axis=0, levels=LEVELS)
        found.append(
            graph.one(
                "MatMulIntegerToFloat",
                values,
                graph.constant(weight),
                scale,
                graph.constant(weight_scale[0]),
                zero,
                graph.constant(np.zeros(width, dtype=np.int8)),
                graph.constant(graph.weight(f"{name}.bias", (width,))),
                domain=MICROSOFT,
            )
        )
    return found


def _layer(
    graph: Graph, state: str, index: int, config: BertConfig, output: str, attended: str
) -> str:
    prefix = f"encoder.layer.{index}"
    before = f"encoder.layer.{index - 1}.output.LayerNorm" if index else "embeddings.LayerNorm"
    middle = f"{prefix}.attention.output.LayerNorm"
    query, key, value = _query_key_value(
        graph, state, f"{prefix}.attention.self", config.width, before
    )
    masked = ("", attended) if attended else ()  # the empty one stands for no bias
    mixed = graph.one(
        "MultiHeadAttention", query, key, value, *masked, domain=MICROSOFT, num_heads=config.heads
    )
    mixed = linear(graph, mixed, f"{prefix}.attention.output.dense", config.width)
    state = normalize(graph, graph.one("Add", mixed, state), middle, config.norm)
    inner = graph.weight(f"{prefix}.intermediate.dense.bias", (None,)).shape[0]
    wide = linear(graph, state, f"{prefix}.intermediate.dense", config.width, norm=middle)
    wide = graph.one("Gelu", wide, domain=MICROSOFT)
    narrow = linear(graph, wide, f"{prefix}.output.dense", inner)
    return normalize(
        graph, graph.one("Add", narrow, state), f"{prefix}.output.LayerNorm", config.norm, output
    )


# Graphs of models with a head on a BERT encoder: term weights, token vectors, labels of names.
#
# The encoder under the head is that of `casetrack.models.bert_onnx`, and so are the rules: rows of
# a batch have the same length, and weights are 8-bit integers.

LAST_OUTPUT = "hidden"
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
