"""Turn the weights of a BERT encoder into an ONNX graph for onnxruntime on a CPU.

Only numpy and ``onnx`` are needed. The graph has one input, ``input_ids`` int64
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

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from casetrack.errors import ModelCorrupt, ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

BUILDER_VERSION = 1
"""Raised whenever a change here changes the numbers that come out of a built graph."""

_MICROSOFT = "com.microsoft"
_OPSET = 20
_IR_VERSION = 9

_LEVELS = 64
_MIGRATION = 0.85
"""Share of a feature's spread that moves into the weights; 0.7 to 0.9 were alike, 1.0 worse."""

Array = NDArray[Any]


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
        wanted = {
            "model_type": "bert",
            "hidden_act": "gelu",
            "position_embedding_type": "absolute",
        }
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
    from onnx import TensorProto, helper

    graph = _Graph(weights, quantize=quantize)
    state = _embeddings(graph, config)
    outputs = []
    for layer in range(1, config.layers + 1):
        name = output_name(layer, config.layers)
        state = _layer(graph, state, layer - 1, config, name)
        outputs.append(name)
    shape: list[str | int | None] = ["batch", "tokens", config.width]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "encoder",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in outputs],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid(_MICROSOFT, 1)],
        ir_version=_IR_VERSION,
        producer_name="casetrack",
        producer_version=str(BUILDER_VERSION),
    )
    data: bytes = model.SerializeToString(deterministic=True)
    return data


@dataclass(slots=True)
class _Graph:
    """Nodes and constants in the making."""

    weights: Mapping[str, Array]
    quantize: bool
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def weight(self, name: str, shape: tuple[int | None, ...]) -> Array:
        """Return a tensor of the checkpoint; ``None`` in *shape* takes any length."""
        tensor = self.weights.get(name)
        hint = "Run `casetrack models pull` to fetch the model again."
        if tensor is None:
            raise ModelCorrupt(f"The model's weights have no tensor {name!r}.", hint=hint)
        fits = len(shape) == tensor.ndim and all(
            want is None or want == have for want, have in zip(shape, tensor.shape, strict=True)
        )
        if not fits:
            raise ModelCorrupt(
                f"Tensor {name!r} has the shape {tensor.shape}, expected {shape}.", hint=hint
            )
        return np.asarray(tensor, dtype=np.float32)

    def constant(self, value: Array | np.generic) -> str:
        """Add a constant and return its name."""
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def add(
        self,
        kind: str,
        *inputs: str,
        domain: str = "",
        outputs: tuple[str, ...] = (),
        **fields: Any,
    ) -> tuple[str, ...]:
        """Add a node; without names for its outputs it has one with a name of its own."""
        from onnx import helper

        index = len(self.nodes)
        names = outputs or (f"n{index}",)
        self.nodes.append(
            helper.make_node(
                kind, list(inputs), list(names), name=f"{kind}_{index}", domain=domain, **fields
            )
        )
        return names

    def one(self, kind: str, *inputs: str, domain: str = "", **fields: Any) -> str:
        """Add a node with one unnamed output and return that output's name."""
        return self.add(kind, *inputs, domain=domain, **fields)[0]


def _int8(matrix: Array, axis: int, levels: int) -> tuple[Array, Array]:
    """Quantise symmetrically to ±*levels* with one float32 scale per slice along *axis*."""
    scale = np.abs(matrix).max(axis=axis, keepdims=True) / levels
    scale[scale == 0.0] = 1.0
    values = np.clip(np.rint(matrix / scale), -levels, levels).astype(np.int8)
    return values, scale.astype(np.float32)


def _embeddings(graph: _Graph, config: BertConfig) -> str:
    width = config.width
    words = graph.weight("embeddings.word_embeddings.weight", (None, width))
    places = graph.weight("embeddings.position_embeddings.weight", (config.positions, width))
    # Every token has type 0 (one text per row), so that row of the type table joins the positions.
    places = places + graph.weight("embeddings.token_type_embeddings.weight", (None, width))[0]
    if graph.quantize:
        values, scale = _int8(words, axis=1, levels=127)
        rows = graph.one("Gather", graph.constant(values), "input_ids", axis=0)
        scales = graph.one("Gather", graph.constant(scale), "input_ids", axis=0)
        found = graph.one("Mul", graph.one("Cast", rows, to=1), scales)  # 1 = FLOAT
    else:
        found = graph.one("Gather", graph.constant(words), "input_ids", axis=0)
    first = graph.constant(np.array([0], dtype=np.int64))
    length = graph.one("Shape", "input_ids", start=1, end=2)
    position = graph.one("Slice", graph.constant(places), first, length, first)
    total = graph.one("Add", found, position)
    return _normalize(graph, total, "embeddings.LayerNorm", config)


def _normalize(
    graph: _Graph, state: str, name: str, config: BertConfig, output: str | None = None
) -> str:
    return graph.add(
        "LayerNormalization",
        state,
        graph.constant(graph.weight(f"{name}.weight", (config.width,))),
        graph.constant(graph.weight(f"{name}.bias", (config.width,))),
        outputs=(output,) if output else (),
        axis=-1,
        epsilon=config.epsilon,
    )[0]


def _smoothing(graph: _Graph, norm: str, matrices: list[Array]) -> Array:
    """Return the factor per input feature [in] that moves spread from activations to weights.

    *norm* is the layer normalisation that made the activations, *matrices* [in, out] read them.
    """
    width = matrices[0].shape[0]
    gain = np.abs(graph.weight(f"{norm}.weight", (width,)))
    shift = np.abs(graph.weight(f"{norm}.bias", (width,)))
    reach = np.maximum(shift + 3.0 * gain, 1e-6)
    largest = np.max([np.abs(matrix).max(axis=1) for matrix in matrices], axis=0)
    factor = reach**_MIGRATION / np.maximum(largest, 1e-6) ** (1.0 - _MIGRATION)
    factor /= np.exp(np.log(factor).mean())
    return np.asarray(factor, dtype=np.float32)


def _linear(graph: _Graph, state: str, name: str, width: int, *, norm: str | None = None) -> str:
    """Multiply by the transposed weight and add the bias, quantising *state* on the way.

    *norm* names the layer normalisation that made *state*, if one did.
    """
    weight = graph.weight(f"{name}.weight", (None, width)).T
    bias = graph.constant(graph.weight(f"{name}.bias", (weight.shape[1],)))
    if not graph.quantize:
        return graph.one("Add", graph.one("MatMul", state, graph.constant(weight)), bias)
    if norm is not None:
        factor = _smoothing(graph, norm, [weight])
        state = graph.one("Mul", state, graph.constant(1.0 / factor))
        weight = weight * factor[:, None]
    values, scale = _int8(weight, axis=0, levels=_LEVELS)
    return graph.one(
        "DynamicQuantizeMatMul",
        state,
        graph.constant(values),
        graph.constant(scale[0]),
        graph.constant(np.zeros(weight.shape[1], dtype=np.int8)),
        bias,
        domain=_MICROSOFT,
    )


def _query_key_value(graph: _Graph, state: str, prefix: str, width: int, norm: str) -> list[str]:
    """Return the names of query, key and value; *state* is quantised once for the three."""
    names = [f"{prefix}.{part}" for part in ("query", "key", "value")]
    if not graph.quantize:
        return [_linear(graph, state, name, width) for name in names]
    matrices = [graph.weight(f"{name}.weight", (width, width)).T for name in names]
    factor = _smoothing(graph, norm, matrices)
    state = graph.one("Mul", state, graph.constant(1.0 / factor))
    parts = tuple(f"n{len(graph.nodes)}_{part}" for part in ("values", "scale", "zero"))
    values, scale, zero = graph.add("DynamicQuantizeLinear", state, outputs=parts)
    found = []
    for name, matrix in zip(names, matrices, strict=True):
        weight, weight_scale = _int8(matrix * factor[:, None], axis=0, levels=_LEVELS)
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
                domain=_MICROSOFT,
            )
        )
    return found


def _layer(graph: _Graph, state: str, index: int, config: BertConfig, output: str) -> str:
    prefix = f"encoder.layer.{index}"
    before = f"encoder.layer.{index - 1}.output.LayerNorm" if index else "embeddings.LayerNorm"
    middle = f"{prefix}.attention.output.LayerNorm"
    query, key, value = _query_key_value(
        graph, state, f"{prefix}.attention.self", config.width, before
    )
    mixed = graph.one(
        "MultiHeadAttention", query, key, value, domain=_MICROSOFT, num_heads=config.heads
    )
    mixed = _linear(graph, mixed, f"{prefix}.attention.output.dense", config.width)
    state = _normalize(graph, graph.one("Add", mixed, state), middle, config)
    inner = graph.weight(f"{prefix}.intermediate.dense.bias", (None,)).shape[0]
    wide = _linear(graph, state, f"{prefix}.intermediate.dense", config.width, norm=middle)
    wide = graph.one("Gelu", wide, domain=_MICROSOFT)
    narrow = _linear(graph, wide, f"{prefix}.output.dense", inner)
    return _normalize(
        graph, graph.one("Add", narrow, state), f"{prefix}.output.LayerNorm", config, output
    )
