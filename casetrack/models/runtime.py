"""ONNX Runtime, the one place that loads it."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def onnx_runtime() -> Any:
    """Return the module ``onnxruntime``, with its reports to its maker turned off.

    The builds for Windows send events about sessions to Microsoft unless they are told not to, see
    ``docs/Privacy.md`` of ONNX Runtime.
    """
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime
