"""Convert the weights of a BERT encoder to an ONNX graph for onnxruntime on a CPU, with numpy only.

Its input is ``input_ids`` int64 [batch, tokens], without an attention mask: all rows of a batch
have the same length. Activations are quantised with one scale per tensor, so padding would change
the output of a row, and it costs more than it saves.

Milliseconds per 2,000 characters (421 tokens), two cores with AVX-512 VNNI, two parallel runs: this
form 25.5; one matrix product for query, key and value with Split 26.8; separate quantisation for Q,
K, V 26.1; SkipLayerNormalization 30.0 (so load the graph with basic optimisations only; extended
ones insert it); attention from MatMul and Softmax 31.0, with 8-bit Q·K 28.4; QAttention and
Attention 10 to 20 % slower; FastGelu and BiasGelu no gain; plain MatMulInteger 13 % slower; 8-bit
blocks of 32 (MatMulNBits) twice as slow; float32 56.

Weights use the int8 levels -64 to 64, because processors without VNNI add pairs of 8-bit products
in 16 bits (maximum 255 · 64 · 2), so all processors compute the same sums. The error comes mainly
from the activations, whose few large features make the others coarse. SmoothQuant (Xiao et al.
2023) therefore moves a factor per feature into the weights, estimated from the layer normalisation
without sample data. It costs 1 % of the time and reduces the mean error of a token state (1 -
cosine to float32) from 0.0109 to 0.0085 (dense vector: 0.0055). For the product after the
activation function it increased the error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import ModelCorrupt, ModelError, See
from casetrack.models import onnx_file

MICROSOFT = "com.microsoft"

LEVELS = 64
"""Largest level of an 8-bit weight, either way."""
_SLAB = 8192
"""Rows of a table per quantisation step."""
_MIGRATION = 0.85
"""Share of a feature's range that moves into the weights; 0.7 to 0.9 were equal, 1.0 worse."""

Array = NDArray[Any]


@dataclass(slots=True)
class Graph:
    """Nodes and constants of a graph under construction."""

    weights: Mapping[str, Array]
    quantize: bool
    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)

    def weight(self, name: str, shape: tuple[int | None, ...]) -> Array:
        """Return a tensor of the checkpoint; ``None`` in *shape* allows any length."""
        tensor = self.weights.get(name)
        hint = f"Run {See('models pull')} to fetch the model again."
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
        name = f"c{len(self.constants)}"
        self.constants.append(onnx_file.tensor(np.asarray(value), name))
        return name

    def add(
        self,
        kind: str,
        *inputs: str,
        domain: str = "",
        outputs: tuple[str, ...] = (),
        **fields: Any,
    ) -> tuple[str, ...]:
        """Add a node; an output without a name gets a unique one."""
        index = len(self.nodes)
        names = outputs or (f"n{index}",)
        self.nodes.append(
            onnx_file.node(
                kind, inputs, names, name=f"{kind}_{index}", domain=domain, fields=fields
            )
        )
        return names

    def one(self, kind: str, *inputs: str, domain: str = "", **fields: Any) -> str:
        """Add a node with one unnamed output and return that output's name."""
        return self.add(kind, *inputs, domain=domain, **fields)[0]


def to_int8(matrix: Array, axis: int, levels: int) -> tuple[Array, Array]:
    """Quantise symmetrically to ±*levels* with one float32 scale per slice along *axis*."""
    scale = np.abs(matrix).max(axis=axis, keepdims=True) / levels
    scale[scale == 0.0] = 1.0
    values = np.clip(np.rint(matrix / scale), -levels, levels).astype(np.int8)
    return values, scale.astype(np.float32)


def rows_to_int8(table: Array, levels: int, /) -> tuple[Array, Array]:
    """Quantise as `to_int8` with one scale per row, in slabs, because word tables are long."""
    slabs = [
        to_int8(table[at : at + _SLAB], axis=1, levels=levels) for at in range(0, len(table), _SLAB)
    ]
    return np.concatenate([v for v, _ in slabs]), np.concatenate([s for _, s in slabs])


def normalize(
    graph: Graph, state: str, name: str, shape: tuple[int, float], output: str | None = None
) -> str:
    """Add the layer normalisation *name*; *shape* is the width and the epsilon."""
    width, epsilon = shape
    return graph.add(
        "LayerNormalization",
        state,
        graph.constant(graph.weight(f"{name}.weight", (width,))),
        graph.constant(graph.weight(f"{name}.bias", (width,))),
        outputs=(output,) if output else (),
        axis=-1,
        epsilon=epsilon,
    )[0]


def smoothing(graph: Graph, norm: str, matrices: list[Array]) -> Array:
    """Return the factor per input feature [in] that moves range from activations to weights.

    *norm* is the preceding layer normalisation, *matrices* [in, out] are the following weights.
    """
    width = matrices[0].shape[0]
    gain = np.abs(graph.weight(f"{norm}.weight", (width,)))
    shift = np.abs(graph.weight(f"{norm}.bias", (width,)))
    reach = np.maximum(shift + 3.0 * gain, 1e-6)
    largest = np.max([np.abs(matrix).max(axis=1) for matrix in matrices], axis=0)
    factor = reach**_MIGRATION / np.maximum(largest, 1e-6) ** (1.0 - _MIGRATION)
    factor /= np.exp(np.log(factor).mean())
    return np.asarray(factor, dtype=np.float32)


def linear(graph: Graph, state: str, name: str, width: int, *, norm: str | None = None) -> str:
    """Multiply by the transposed weight *name* and add its bias; see `multiply`."""
    weight = graph.weight(f"{name}.weight", (None, width)).T
    bias = graph.weight(f"{name}.bias", (weight.shape[1],))
    return multiply(graph, state, weight, bias, norm=norm)


def multiply(
    graph: Graph, state: str, weight: Array, bias: Array | None, *, norm: str | None = None
) -> str:
    """Multiply by *weight* [in, out] and add *bias*; quantises *state*, the output of *norm*."""
    shift = "" if bias is None else graph.constant(bias)
    if not graph.quantize:
        product = graph.one("MatMul", state, graph.constant(weight))
        return graph.one("Add", product, shift) if shift else product
    if norm is not None:
        factor = smoothing(graph, norm, [weight])
        state = graph.one("Mul", state, graph.constant(1.0 / factor))
        weight = weight * factor[:, None]
    values, scale = to_int8(weight, axis=0, levels=LEVELS)
    return graph.one(
        "DynamicQuantizeMatMul",
        state,
        graph.constant(values),
        graph.constant(scale[0]),
        graph.constant(np.zeros(weight.shape[1], dtype=np.int8)),
        shift,
        domain=MICROSOFT,
    )


BUILDER_VERSION = 1
"""Increase with every change that affects the output of a built graph."""

_OPSET = 20
_IR_VERSION = 9


@dataclass(frozen=True, slots=True)
class BertConfig:
    """Shape of a BERT encoder; *positions* is its longest input in tokens."""

    layers: int
    heads: int
    width: int
    epsilon: float
    positions: int

    @property
    def norm(self) -> tuple[int, float]:
        """Width and epsilon of a layer normalisation."""
        return self.width, self.epsilon

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], /) -> BertConfig:
        """Read a published ``config.json``.

        Raises ``ModelError``: the architecture, activation function or position type is not
        supported; ``ModelCorrupt``: a field is missing.
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
    """Return the output name of *layer* (1-based) of *layers*.

    It is ``hidden`` for the last layer, ``hidden_1`` for the first. Raises ``ValueError``.
    """
    if not 1 <= layer <= layers:
        raise ValueError(f"layer {layer} does not exist; the model has layers 1 to {layers}")
    return LAST_OUTPUT if layer == layers else f"{LAST_OUTPUT}_{layer}"


def build_encoder(
    weights: Mapping[str, Array], config: BertConfig, /, *, quantize: bool = True
) -> bytes:
    """Build the graph of an encoder and return it serialised.

    Its outputs, float32 [batch, tokens, width], are ``hidden`` (last layer) and ``hidden_N`` (layer
    N).

    Parameters
    ----------
    weights
        float32 tensors by BERT's checkpoint names; linear weights [out, in].
    quantize
        int8 weights per output channel, int8 embeddings per row, and quantised activations;
        ``False`` keeps float32 as a reference.

    Raises ``ModelCorrupt``: a tensor is missing or has the wrong shape.
    """
    graph = Graph(weights, quantize=quantize)
    states = encoder_states(graph, config)
    return finish(graph, dict.fromkeys(states, ("batch", "tokens", config.width)))


def encoder_states(
    graph: Graph, config: BertConfig, *, attended: str = "", types: str = ""
) -> list[str]:
    """Add an encoder to *graph*; return the names of the states after each layer.

    *attended* is an input, int32 [batch]: the number of leading tokens that receive attention.
    *types* is an input, int64 [batch, tokens]: the type of each token; without it all are 0.
    Raises ``ModelCorrupt``: a tensor is missing or has the wrong shape.
    """
    state = _embeddings(graph, config, types)
    names = []
    for layer in range(1, config.layers + 1):
        state = _layer(graph, state, layer - 1, config, output_name(layer, config.layers), attended)
        names.append(state)
    return names


def finish(
    graph: Graph,
    outputs: Mapping[str, Sequence[str | int]],
    /,
    *,
    attended: str = "",
    types: str = "",
) -> bytes:
    """Serialise a graph with float32 *outputs*, and the inputs ``input_ids`` and those named."""
    names = ("input_ids", types) if types else ("input_ids",)
    inputs = [onnx_file.port(name, onnx_file.INT64, ("batch", "tokens")) for name in names]
    if attended:
        inputs.append(onnx_file.port(attended, onnx_file.INT32, ("batch",)))
    ports = [onnx_file.port(name, onnx_file.FLOAT, shape) for name, shape in outputs.items()]
    return onnx_file.model(
        graph.nodes,
        graph.constants,
        inputs,
        ports,
        name="encoder",
        opsets={"": _OPSET, MICROSOFT: 1},
        format_version=_IR_VERSION,
        producer=("casetrack", str(BUILDER_VERSION)),
    )


def _embeddings(graph: Graph, config: BertConfig, types: str) -> str:
    width = config.width
    words = graph.weight("embeddings.word_embeddings.weight", (None, width))
    places = graph.weight("embeddings.position_embeddings.weight", (config.positions, width))
    table = graph.weight("embeddings.token_type_embeddings.weight", (None, width))
    # A row of one text has tokens of type 0 only, so the positions include that type.
    places = places + table[0]
    if graph.quantize:
        values, scale = rows_to_int8(words, 127)
        rows = graph.one("Gather", graph.constant(values), "input_ids", axis=0)
        scales = graph.one("Gather", graph.constant(scale), "input_ids", axis=0)
        embedded = graph.one("Mul", graph.one("Cast", rows, to=1), scales)  # 1 = FLOAT
    else:
        embedded = graph.one("Gather", graph.constant(words), "input_ids", axis=0)
    first = graph.constant(np.array([0], dtype=np.int64))
    length = graph.one("Shape", "input_ids", start=1, end=2)
    position = graph.one("Slice", graph.constant(places), first, length, first)
    total = graph.one("Add", embedded, position)
    if types:
        more = graph.one("Gather", graph.constant(table - table[0]), types, axis=0)
        total = graph.one("Add", total, more)
    return normalize(graph, total, "embeddings.LayerNorm", config.norm)


def _query_key_value(graph: Graph, state: str, prefix: str, width: int, norm: str) -> list[str]:
    """Return the names of query, key and value; *state* is quantised once for all three."""
    names = [f"{prefix}.{part}" for part in ("query", "key", "value")]
    if not graph.quantize:
        return [linear(graph, state, name, width) for name in names]
    matrices = [graph.weight(f"{name}.weight", (width, width)).T for name in names]
    factor = smoothing(graph, norm, matrices)
    state = graph.one("Mul", state, graph.constant(1.0 / factor))
    parts = tuple(f"n{len(graph.nodes)}_{part}" for part in ("values", "scale", "zero"))
    values, scale, zero = graph.add("DynamicQuantizeLinear", state, outputs=parts)
    projections = []
    for name, matrix in zip(names, matrices, strict=True):
        weight, weight_scale = to_int8(matrix * factor[:, None], axis=0, levels=LEVELS)
        projections.append(
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
    return projections


def _layer(
    graph: Graph, state: str, index: int, config: BertConfig, output: str, attended: str
) -> str:
    prefix = f"encoder.layer.{index}"
    before = f"encoder.layer.{index - 1}.output.LayerNorm" if index else "embeddings.LayerNorm"
    middle = f"{prefix}.attention.output.LayerNorm"
    query, key, value = _query_key_value(
        graph, state, f"{prefix}.attention.self", config.width, before
    )
    masked = ("", attended) if attended else ()  # an empty name means no bias
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
PAIRS_OUTPUT = "scores"
TYPES_INPUT = "token_type_ids"
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
    """Build the graph of a masked language model that weights the terms of its vocabulary.

    A term's weight is log(1 + max(0, x)) of its largest logit x over the tokens (Formal et al.
    2021, SPLADE v2). The maximum precedes the logarithm, which grows with x, to process one row per
    text. Output: ``weights``, float32 [batch, vocabulary].

    Parameters
    ----------
    weights
        By BERT's checkpoint names. The decoder shares the word embeddings; one of both may be
        missing.
    pools_special
        Whether [CLS] and [SEP] take part in the maximum; if not, inputs need three tokens or more.
    quantize
        As for :func:`build_encoder`.

    Raises ``ModelCorrupt``: a tensor is missing or has the wrong shape.
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
    """Build the graph of a model with a linear head: one unit vector per token.

    The input ``attended``, int32 [batch], is the number of leading tokens that receive attention:
    the [MASK] tokens of queries attend to the others, not to each other (Khattab and Zaharia 2020).
    The head stays float32. Output: ``vectors``, float32 [batch, tokens, out].

    Parameters
    ----------
    head
        Name of the head's tensor [out, in], which has no bias.
    quantize
        As for :func:`build_encoder`.

    Raises ``ModelCorrupt``: a tensor is missing or has the wrong shape.
    """
    graph = Graph(weights, quantize=quantize)
    state = encoder_states(graph, config, attended=ATTENDED_INPUT)[-1]
    matrix = graph.weight(head, (None, config.width)).T
    projected = graph.one("MatMul", state, graph.constant(matrix))
    graph.add("LpNormalization", projected, outputs=(TOKENS_OUTPUT,), axis=-1, p=2)
    shape = ("batch", "tokens", matrix.shape[1])
    return finish(graph, {TOKENS_OUTPUT: shape}, attended=ATTENDED_INPUT)


def build_labels(
    weights: Mapping[str, Array], config: BertConfig, /, *, labels: int, quantize: bool = True
) -> bytes:
    """Build the graph of a model that labels every token (Devlin et al. 2019, section 5.3).

    The head is ``classifier``, in float32. Output: ``labels``, float32 [batch, tokens, labels],
    probabilities. *quantize* as for :func:`build_encoder`. Raises ``ModelCorrupt``: a tensor is
    missing or has the wrong shape.
    """
    graph = Graph(weights, quantize=quantize)
    state = encoder_states(graph, config)[-1]
    matrix = graph.constant(graph.weight("classifier.weight", (labels, config.width)).T)
    bias = graph.constant(graph.weight("classifier.bias", (labels,)))
    logits = graph.one("Add", graph.one("MatMul", state, matrix), bias)
    graph.add("Softmax", logits, outputs=(LABELS_OUTPUT,), axis=-1)
    return finish(graph, {LABELS_OUTPUT: ("batch", "tokens", labels)})


def build_pairs(
    weights: Mapping[str, Array], config: BertConfig, /, *, quantize: bool = True
) -> bytes:
    """Build the graph of a cross-encoder, which reads a query and a text in one row.

    The heads ``pooler.dense`` and ``classifier``, on the state of [CLS], stay float32. The input
    ``token_type_ids`` is 1 for tokens of the text. Output: ``scores``, float32 [batch, 1].
    *quantize* as for :func:`build_encoder`. Raises ``ModelCorrupt``: a tensor is missing or has the
    wrong shape.
    """
    graph = Graph(weights, quantize=quantize)
    state = encoder_states(graph, config, types=TYPES_INPUT)[-1]
    first = graph.one("Gather", state, graph.constant(np.int64(0)), axis=1)
    for name, outputs in (("pooler.dense", config.width), ("classifier", 1)):
        matrix = graph.constant(graph.weight(f"{name}.weight", (outputs, config.width)).T)
        bias = graph.constant(graph.weight(f"{name}.bias", (outputs,)))
        product = graph.one("MatMul", first, matrix)
        if name == "classifier":
            graph.add("Add", product, bias, outputs=(PAIRS_OUTPUT,))
        else:
            first = graph.one("Tanh", graph.one("Add", product, bias))
    return finish(graph, {PAIRS_OUTPUT: ("batch", 1)}, types=TYPES_INPUT)


def _tied(weights: Mapping[str, Array]) -> bool:
    """Return whether the file has the shared matrix only under the decoder's name."""
    return _WORDS not in weights and _DECODER in weights
