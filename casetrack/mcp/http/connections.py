"""What the server remembers of each connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.mcp.session import ConnectionState, serve_for

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

_KEY = "casetrack"


async def remember(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Give every message the state of its connection; middleware of the SDK's server.

    A session of the handshake protocol has one that lasts until it ends, by its client or by
    being idle. A request of the stateless protocol is a connection of its own, and remembers
    nothing. Where there is no HTTP request the process serves one client, whose state the
    session keeps itself.
    """
    if ctx.request is not None:
        # The request's context has no public way to its connection yet.
        connection = ctx.session._connection
        state = connection.state.setdefault(
            _KEY, ConnectionState(remembers=connection.session_id is not None)
        )
        serve_for(state)
    return await call_next(ctx)
