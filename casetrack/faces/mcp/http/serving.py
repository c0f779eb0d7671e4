"""The web server: the protocol at one path, behind the gate."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mcp.server.transport_security import TransportSecuritySettings

from casetrack.base.http.listening import listen
from casetrack.faces.mcp.http.connections import remember
from casetrack.faces.mcp.http.gate import MAX_BODY, PATH, Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp.server import Server
    from starlette.routing import Route

    from casetrack.base.http.address import Address, Door

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
