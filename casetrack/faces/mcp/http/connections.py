"""What the server remembers of each connection."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from casetrack.faces.mcp.session import ConnectionState, serve_for

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.types import InitializeRequestParams

_SESSION_HEADER = "mcp-session-id"
_states: dict[int, ConnectionState] = {}
"""What is remembered, by what identifies a client while it is connected."""


async def remember(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Give every message the state of its connection; middleware of the SDK's server.

    A session of the handshake protocol has one that lasts until it ends, by its client or by
    being idle. A request of the stateless protocol is a connection of its own, and remembers
    nothing. Where there is no HTTP request the process serves one client, whose state the
    session keeps itself.
    """
    if ctx.request is not None:
        is_lasting = _SESSION_HEADER in ctx.request.headers
        client = ctx.session.client_params if is_lasting else None
        serve_for(ConnectionState(remembers=False) if client is None else _state_of(client))
    return await call_next(ctx)


def _state_of(client: InitializeRequestParams) -> ConnectionState:
    # What the client said of itself when it connected is one object as long as it is connected.
    state = _states.get(id(client))
    if state is None:
        state = _states[id(client)] = ConnectionState()
        weakref.finalize(client, _states.pop, id(client), None)
    return state
