"""The built graph computes a BERT encoder."""

from __future__ import annotations

import re

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from casetrack.base.errors import ModelCorrupt, ModelError
from casetrack.models.bert_onnx import BertConfig, build_encoder

IDS = np.array([[2, 4, 5, 6, 7, 8, 3], [2, 9, 10, 5, 4, 1, 3]], dtype=np.int64)


def run(model: bytes, ids: np.ndarray, *outputs: str) -> list[np.ndarray]:
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(list(outputs) or ["hidden"], {"input_ids": ids})


@pytest.fixture(scope="module")
def config(tiny) -> BertConfig:
    return BertConfig.from_json(tiny.config)


def test_batch_of_equal_lengths_equals_single_rows(tiny, config):
    model = build_encoder(tiny.weights, config, quantize=False)
    (both,) = run(model, IDS)
    for row, states in enumerate(both):
        np.testing.assert_allclose(run(model, IDS[row : row + 1])[0][0], states, atol=1e-4)


@pytest.mark.parametrize("length", [1, 2, 24])
def test_any_length_up_to_the_positions(tiny, config, length):
    ids = np.full((1, length), 4, dtype=np.int64)
    (states,) = run(build_encoder(tiny.weights, config), ids)
    assert states.shape == (1, length, config.width)
    assert np.isfinite(states).all()


@pytest.mark.parametrize("quantize", [True, False])
def test_build_is_valid_and_the_same_every_time(tiny, config, quantize):
    first = build_encoder(tiny.weights, config, quantize=quantize)
    onnx.checker.check_model(onnx.load_from_string(first))
    assert first == build_encoder(tiny.weights, config, quantize=quantize)


def test_int8_weights_leave_room_for_pairs_of_products_in_16_bits(tiny, config):
    graph = onnx.load_from_string(build_encoder(tiny.weights, config)).graph
    constants = {c.name: onnx.numpy_helper.to_array(c) for c in graph.initializer}
    matrices = [
        constants[node.input[1]]
        for node in graph.node
        if node.op_type in {"DynamicQuantizeMatMul", "MatMulIntegerToFloat"}
    ]
    assert len(matrices) == 6 * config.layers
    assert {matrix.dtype for matrix in matrices} == {np.dtype(np.int8)}
    assert max(np.abs(matrix.astype(int)).max() for matrix in matrices) * 255 * 2 < 1 << 15


def test_missing_and_misshapen_tensors_are_named(tiny, config):
    name = "encoder.layer.1.output.dense.bias"
    without = {key: value for key, value in tiny.weights.items() if key != name}
    with pytest.raises(ModelCorrupt, match=re.escape(name)):
        build_encoder(without, config)
    with pytest.raises(ModelCorrupt, match=r"\(3,\).*\(32,\)"):
        build_encoder({**tiny.weights, name: np.zeros(3, np.float32)}, config)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model_type", "roberta"),
        ("hidden_act", "relu"),
        ("position_embedding_type", "relative_key"),
    ],
)
def test_other_architectures_are_refused(tiny, name, value):
    with pytest.raises(ModelError, match=f"{name} .*'{value}'"):
        BertConfig.from_json({**tiny.config, name: value})


def test_config_without_a_field_is_corrupt(tiny):
    raw = {key: value for key, value in tiny.config.items() if key != "hidden_size"}
    with pytest.raises(ModelCorrupt, match="'hidden_size'"):
        BertConfig.from_json(raw)
