"""The web server: the protocol at one path, behind the gate."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from casetrack.mcp.http.address import PATH
from casetrack.mcp.http.connections import remember
from casetrack.mcp.http.gate import MAX_BODY, MAX_HEADERS, Gate

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Sequence
    from socket import socket

    from mcp.server import Server
    from starlette.routing import Route

    from casetrack.mcp.http.address import Address, Door

MAX_SESSIONS = 200
"""Open sessions of the handshake protocol, at about 42 KB each; another one is refused until one of
them ends."""
IDLE_SECONDS = 30 * 60.0
"""After so long without a request a session ends, and its client begins a new one."""
MAX_CONNECTIONS = 400
HEADER_SECONDS = 15.0
"""How long the head of a request may take to arrive."""
KEEP_ALIVE_SECONDS = 75


class _Protocol(H11Protocol):
    """HTTP with a deadline for the head of a request.

    Without one, connections that send a byte now and then would keep everybody else out.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.trailing_data[0]:  # the next head has begun to arrive, and must go on
            self._unset_keepalive_if_required()
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_watching()

    def _watch(self) -> None:
        """Begin to count when a head is awaited, and end when it is there."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_watching()
        elif self._deadline is None and self.timeout_keep_alive_task is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _Server(uvicorn.Server):
    """A server that says when it listens and leaves the signals to whoever starts it."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the handlers as they are."""
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        self._announce()


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
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    config = uvicorn.Config(
        gate,
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        h11_max_incomplete_event_size=2 * MAX_HEADERS,
    )
    _Server(config, lambda: _announce(gate, address)).run(sockets=[address.socket])


def _announce(gate: Gate, address: Address) -> None:
    token = ", with the token" if gate.needs_token else ""
    line = f"Listening on {address.place}. Connect to {address.url}{token}. Ctrl-C ends it.\n"
    sys.stderr.write(line)
    if not address.is_loopback:
        sys.stderr.write(
            "What is sent is not encrypted: use it in a network that you trust, or put a proxy "
            "with TLS before it.\n"
        )
    sys.stderr.flush()
