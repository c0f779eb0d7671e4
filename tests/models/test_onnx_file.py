"""ONNX files are written as the package ``onnx`` writes them, byte for byte."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from casetrack.models import onnx_file

VALUES = [
    np.arange(300, dtype=np.float32).reshape(20, 15) / 7,
    np.arange(-64, 65, dtype=np.int8),
    np.array([[0, 255]], dtype=np.uint8),
    np.array([-1, 1 << 40], dtype=np.int64),
    np.array([7, -7], dtype=np.int32),
    np.array(1.5, dtype=np.float32),
    np.zeros((0, 3), dtype=np.float32),
    np.arange(6, dtype=np.float32).reshape(2, 3).T,
    np.arange(4, dtype=">f4"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{v.dtype.name}{v.shape}")
def test_constants(value):
    little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    known = numpy_helper.from_array(little.reshape(value.shape), "c0")
    assert onnx_file.tensor(value, "c0") == known.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    ("domain", "fields"),
    [
        ("", {}),
        ("com.microsoft", {"num_heads": 12}),
        ("", {"axis": -1, "epsilon": 1e-12}),
        ("", {"to": 1, "start": 0, "end": 1 << 33}),
    ],
)
def test_nodes(domain, fields):
    names = (["in", "", "größe"], ["out", "more"])
    known = helper.make_node("Kind", *names, name="Kind_0", domain=domain, **fields)
    found = onnx_file.node("Kind", *names, name="Kind_0", domain=domain, fields=fields)
    assert found == known.SerializeToString(deterministic=True)


def test_a_whole_file_is_the_same_and_runs():
    shape = ("batch", 3)
    offset = np.array([1, 2, 3], dtype=np.float32)
    known = helper.make_model(
        helper.make_graph(
            [helper.make_node("Add", ["x", "c0"], ["y"], name="Add_0", domain="")],
            "small",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(shape))],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, list(shape))],
            [numpy_helper.from_array(offset, "c0")],
        ),
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
        producer_name="casetrack",
        producer_version="1",
    )
    found = onnx_file.model(
        [onnx_file.node("Add", ("x", "c0"), ("y",), name="Add_0", fields={})],
        [onnx_file.tensor(offset, "c0")],
        [onnx_file.port("x", onnx_file.FLOAT, shape)],
        [onnx_file.port("y", onnx_file.FLOAT, shape)],
        name="small",
        opsets={"": 20, "com.microsoft": 1},
        format_version=9,
        producer=("casetrack", "1"),
    )
    assert found == known.SerializeToString(deterministic=True)
    onnx.checker.check_model(onnx.load_from_string(found))
    session = ort.InferenceSession(found, providers=["CPUExecutionProvider"])
    (sums,) = session.run(None, {"x": np.zeros((2, 3), dtype=np.float32)})
    assert sums.tolist() == [[1, 2, 3], [1, 2, 3]]


def test_a_type_that_no_graph_here_has_is_refused():
    with pytest.raises(KeyError, match="complex64"):
        onnx_file.tensor(np.zeros(1, dtype=np.complex64), "c0")
