"""Serving an application on a socket of this computer."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from socket import socket

    from starlette.types import ASGIApp

    from casetrack.base.http.address import Address

MAX_HEADERS = 16 * 1024
"""Maximum bytes of a request's headers."""
MAX_CONNECTIONS = 400
HEADER_SECONDS = 15.0
"""Deadline for the headers of a request."""
KEEP_ALIVE_SECONDS = 75


class _Protocol(H11Protocol):
    """HTTP with a deadline for the headers of a request.

    Without it, connections that send single bytes slowly would use up the connection limit.
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
        """Start the deadline while headers are awaited; stop it when they have arrived."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_watching()
        elif self._deadline is None and self.timeout_keep_alive_task is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _Server(uvicorn.Server):
    """A server that announces its start and installs no signal handlers."""

    def __init__(
        self, config: uvicorn.Config, announce: Callable[[], None], ends: Callable[[], bool]
    ) -> None:
        super().__init__(config)
        self._announce = announce
        self._ends = ends

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no handlers."""
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Start listening and call *announce*."""
        await super().startup(sockets)
        self._announce()

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop; called ten times a second."""
        return await super().on_tick(counter) or self._ends()


def listen(
    app: ASGIApp,
    address: Address,
    announce: Callable[[], None],
    /,
    *,
    ends: Callable[[], bool] = lambda: False,
) -> None:
    """Serve an application at *address*; call *announce* once it listens.

    It stops when *ends*, which must be fast, returns true.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    config = uvicorn.Config(
        app,
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
    _Server(config, announce, ends).run(sockets=[address.socket])
