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

from casetrack.base.errors import ModelCorrupt, ModelError
from casetrack.models import onnx_file
from casetrack.models.graph import (
    LEVELS,
    MICROSOFT,
    Array,
    Graph,
    linear,
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
                    hint="Choose a model of the catalogue (`casetrack models list`).",
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
                hint="Run `casetrack models pull` to fetch it again.",
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
    return "hidden" if layer == layers else f"hidden_{layer}"


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
