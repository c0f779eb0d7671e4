"""ONNX Runtime, the one place that loads it."""

from __future__ import annotations

import functools
import os
from typing import Any

ENV_NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"


@functools.cache
def onnx_runtime() -> Any:
    """Return the module ``onnxruntime``, which then reports nothing to its maker.

    Its builds for Windows and Linux note device, system and sessions in the user's folder and send
    them to Microsoft. They begin when the module is loaded, so it must be told before; telling
    them afterwards, by ``disable_telemetry_events``, comes too late.
    """
    os.environ[ENV_NO_TELEMETRY] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime
