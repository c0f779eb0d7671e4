"""The only module that loads ONNX Runtime."""

from __future__ import annotations

import functools
import os
from typing import Any

ENV_NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"


@functools.cache
def onnx_runtime() -> Any:
    """Return the module ``onnxruntime`` with its telemetry disabled.

    Its builds for Windows and Linux send data on device, system and sessions to Microsoft from the
    import on, so ``disable_telemetry_events`` is too late.
    """
    os.environ[ENV_NO_TELEMETRY] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime
