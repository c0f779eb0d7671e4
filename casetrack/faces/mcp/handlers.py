"""Type of a request handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

Caller = Callable[..., Awaitable[Any]]

Handler = Callable[[Any, Any], Awaitable[Any]]

STATELESS = "2026-07-28"
"""The first version of the protocol without a handshake."""
