"""What answers a request of a client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

Caller = Callable[..., Awaitable[Any]]
"""Calls a tool: takes its name and its arguments, and returns what a client gets."""

Handler = Callable[[Any, Any], Awaitable[Any]]
"""Answers a request: takes its context and its parameters."""

STATELESS = "2026-07-28"
"""The first version of the protocol without a handshake."""
