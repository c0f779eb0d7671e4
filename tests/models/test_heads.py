"""The built graphs compute the heads of a masked language model and of ColBERT."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from casetrack.base.errors import ModelCorrupt
from casetrack.models.bert_onnx import BertConfig, build_sparse, build_tokens
from casetrack.models.convert import plain_names

IDS = np.array([2, 4, 5, 6, 14, 7, 8, 3])


@pytest.fixture(scope="module")
def config(headed) -> BertConfig:
    return BertConfig.from_json(headed.config)


def run(model: bytes, ids: np.ndarray, **more: np.ndarray) -> np.ndarray:
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    (ended,) = session.run(None, {"input_ids": ids[None].astype(np.int64), **more})
    return ended[0]


def attended(count: int) -> dict[str, np.ndarray]:
    return {"attended": np.array([count], dtype=np.int32)}


def test_tokens_that_are_not_attended_to_change_nothing(headed, config):
    model = build_tokens(headed.weights, config, quantize=False)
    alone = run(model, IDS, **attended(len(IDS)))
    filled = np.concatenate([IDS, [11, 11, 11]])
    followed = run(model, filled, **attended(len(IDS)))
    np.testing.assert_allclose(followed[: len(IDS)], alone, atol=1e-6)
    seen = run(model, filled, **attended(len(filled)))
    assert np.abs(seen[: len(IDS)] - alone).max() > 0.01


@pytest.mark.parametrize("build", [build_sparse, build_tokens])
def test_build_is_valid_and_the_same_every_time(headed, config, build):
    first = build(headed.weights, config)
    onnx.checker.check_model(onnx.load_from_string(first))
    assert first == build(headed.weights, config)


def test_shared_matrix_may_have_either_name(headed, config):
    words, decoder = "embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"
    usual = build_sparse(headed.weights, config)
    moved = {n: t for n, t in headed.weights.items() if n != words}
    moved[decoder] = headed.weights[words]
    assert build_sparse(moved, config) == usual
    assert build_sparse({**headed.weights, decoder: headed.weights[words]}, config) == usual
    bias = {n: t for n, t in headed.weights.items() if n != "cls.predictions.bias"}
    bias["cls.predictions.decoder.bias"] = headed.weights["cls.predictions.bias"]
    assert build_sparse(bias, config) == usual


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (build_sparse, "cls.predictions.transform.dense.weight"),
        (build_sparse, "cls.predictions.bias"),
        (build_tokens, "linear.weight"),
    ],
)
def test_missing_head_is_named(headed, config, build, name):
    without = {key: tensor for key, tensor in headed.weights.items() if key != name}
    with pytest.raises(ModelCorrupt, match=f"'{name}'"):
        build(without, config)


def test_names_of_checkpoints_are_distinguished():
    names = {
        "bert.embeddings.LayerNorm.gamma": "embeddings.LayerNorm.weight",
        "bert.embeddings.LayerNorm.beta": "embeddings.LayerNorm.bias",
        "encoder.layer.0.output.dense.weight": "encoder.layer.0.output.dense.weight",
        "cls.predictions.transform.LayerNorm.gamma": "cls.predictions.transform.LayerNorm.weight",
        "linear.weight": "linear.weight",
    }
    tensor = np.zeros(1, np.float32)
    assert list(plain_names(dict.fromkeys(names, tensor))) == list(names.values())
