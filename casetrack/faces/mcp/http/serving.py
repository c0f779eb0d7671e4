"""The web server: the protocol at one path, behind the gate."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

from mcp.server.transport_security import TransportSecuritySettings

from casetrack.base.http.listening import listen
from casetrack.faces.mcp.http.gate import MAX_BODY, PATH, Gate
from casetrack.faces.mcp.session import ConnectionState, serve_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp.server import Server
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.types import InitializeRequestParams
    from starlette.routing import Route

    from casetrack.base.http.address import Address, Door

# What the server remembers of each connection.

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


MAX_SESSIONS = 200
"""Open sessions of the handshake protocol, at about 42 KB each; another one is refused until one of
them ends."""
IDLE_SECONDS = 30 * 60.0
"""After so long without a request a session ends, and its client begins a new one."""


def gated(server: Server[Any], door: Door, routes: Sequence[Route] = (), /) -> Gate:
    """Return the ASGI application that serves both protocol eras at :data:`PATH`.

    Parameters
    ----------
    routes
        What else is answered, to programs that send plain requests.
    """
    server.middleware.append(remember)
    app: Any = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MAX_SESSIONS,
        custom_starlette_routes=list(routes),
        # The gate has looked at Host and Origin already.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Gate(app, door, frozenset(route.path for route in routes))


def run(gate: Gate, address: Address, /) -> None:
    """Serve at *address* until the process ends."""
    listen(gate, address, lambda: _announce(gate, address))


def _announce(gate: Gate, address: Address) -> None:
    token = ", with the token" if gate.needs_token else ""
    line = f"Listening on {address.place}. Connect to {address.url}{PATH}{token}. Ctrl-C ends it.\n"
    sys.stderr.write(line)
    if not address.is_loopback:
        sys.stderr.write(
            "What is sent is not encrypted: use it in a network that you trust, or put a proxy "
            "with TLS before it.\n"
        )
    sys.stderr.flush()
