"""Parts of an ONNX graph: constants, 8-bit matrix products, normalisation.

:mod:`casetrack.models.bert_onnx` explains their form.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from casetrack.base.errors import ModelCorrupt, See
from casetrack.models import onnx_file

if TYPE_CHECKING:
    from collections.abc import Mapping

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
