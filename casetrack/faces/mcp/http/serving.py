"""The web server: the protocol at one path, behind the gate."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import weakref
from typing import TYPE_CHECKING, Any

from mcp.server.transport_security import TransportSecuritySettings

from casetrack.base.http.listening import MAX_HEADERS, listen
from casetrack.faces.mcp.session import ConnectionState, serve_for

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping, Sequence

    from mcp.server import Server
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.types import InitializeRequestParams
    from starlette.routing import Route

    from casetrack.base.http.address import Access, Address

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[Message, Receive, Send], Awaitable[None]]

# The gate checks a request before the protocol reads it. The SDK has its own checks, but they read
# the body before the token is known to be valid, need a list of all host names of the server, and
# do not describe the next step.

logger = logging.getLogger("casetrack.mcp")

PATH = "/mcp"
MAX_BODY = 4 * 1024 * 1024
"""Bytes of a request."""
BODY_SECONDS = 30.0
_DISCARDED_BYTES = 4 * MAX_BODY
"""Bytes of a too large request that are read and discarded: a client that is still sending would
not read the answer.
"""
_ABOUT = (
    "This is a server of the Model Context Protocol. Connect an MCP client (Streamable HTTP) to "
    f"{PATH} at this address.\n"
)

_LISTEN = "subscriptions/listen"
"""The method of the stateless protocol that returns a stream of notifications."""

_ALLOWED = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "*, Authorization, Content-Type, Accept, Last-Event-ID, "
    "Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name",
    "access-control-allow-private-network": "true",
    "access-control-max-age": "600",
}
"""Headers of the answer to a preflight request from an allowed page."""


_CODES = {401: "unauthorized", 403: "forbidden", 408: "timeout", 503: "unavailable"}
"""Codes of refused plain requests by status; all others are ``bad_request``."""


class Refusal(Exception):
    """A refused request: HTTP status, message with the next step, and further headers."""

    def __init__(self, status: int, message: str, /, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


class Gate:
    """An ASGI application that checks requests before another application.

    Attributes
    ----------
    app
        Receives the accepted requests.
    door
        Decides which requests are accepted.
    plain
        Paths of plain requests, each with one answer.
    serving
        Number of requests in progress, without open streams for notifications.
    """

    def __init__(self, app: App, door: Access, plain: Collection[str] = (), /) -> None:
        self._app = app
        self._door = door
        self._plain = plain
        self.serving = 0
        self._closed = False

    @property
    def needs_token(self) -> bool:
        """Whether clients must send a token."""
        return self._door.token is not None

    def close(self) -> bool:
        """Refuse new requests, and return whether requests are still in progress."""
        self._closed = True
        return self.serving > 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            headers = _single(scope["headers"])
            self._check_addresses(headers)
            send = _readable(headers.get("origin"), send)
            if _is_preflight(scope, headers):
                await _send(send, 204, b"", _ALLOWED)
                return
            self._check_the_rest(scope, headers)
            if scope["path"] == "/":
                await _send(send, 200, self._about().encode(), {"content-type": "text/plain"})
                return
            posted = scope["method"] == "POST"
            body = await _body(headers.get("content-length", ""), receive) if posted else None
        except Refusal as refusal:
            await _refuse(refusal, send, is_plain=self._is_plain(scope["path"]))
            return
        listens = scope["method"] == "GET" or headers.get("mcp-method") == _LISTEN
        counts = not listens or self._is_plain(scope["path"])
        self.serving += counts
        try:
            await self._app(scope, receive if body is None else _again(body, receive), send)
        finally:
            self.serving -= counts

    def _is_plain(self, path: str) -> bool:
        """Return whether plain requests are answered at a path or below it."""
        return path in self._plain or f"{path.rpartition('/')[0]}/{{tool}}" in self._plain

    def _about(self) -> str:
        return _ABOUT + (
            f"Plain requests: {', '.join(sorted(self._plain))}\n" if self._plain else ""
        )

    def _check_addresses(self, headers: dict[str, str]) -> None:
        if not self._door.knows_host(headers.get("host", "")):
            raise Refusal(
                421,
                "The Host header names another server. Use the address that the server printed "
                "when it started.",
            )
        origin = headers.get("origin")
        if origin is not None and not self._door.knows_origin(origin):
            raise Refusal(
                403,
                "Web pages of this origin are not allowed. To allow one, start the server with "
                "--allow-origin and its origin.",
            )

    def _check_the_rest(self, scope: Message, headers: dict[str, str]) -> None:
        if scope["path"] not in {"/", PATH} and not self._is_plain(scope["path"]):
            raise Refusal(404, f"Not found. The protocol is at {PATH}.")
        if not self._door.knows_token(headers.get("authorization", "")):
            raise Refusal(
                401,
                "A token is required. Send the server's token in the header `Authorization: "
                "Bearer TOKEN`.",
                www_authenticate='Bearer realm="casetrack"',
            )
        if scope["path"] == "/" and scope["method"] != "GET":
            raise Refusal(405, f"The protocol is at {PATH}.", allow="GET")
        if self._closed:
            raise Refusal(503, "The server is stopping. Connect again after its next start.")


def _is_preflight(scope: Message, headers: dict[str, str]) -> bool:
    """Return whether the request is a browser's preflight request."""
    asks = "access-control-request-method" in headers and "origin" in headers
    return bool(scope["method"] == "OPTIONS" and asks)


def _readable(origin: str | None, send: Send) -> Send:
    """Return a channel with the headers that allow the page to read the answer."""
    if origin is None:
        return send

    async def send_part(message: Message) -> None:
        if message["type"] == "http.response.start":
            more = {
                "access-control-allow-origin": origin,
                "access-control-expose-headers": "mcp-session-id, www-authenticate",
                "vary": "Origin",
            }
            message["headers"] = [*message["headers"], *_pairs(more)]
        await send(message)

    return send_part


def _single(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by name."""
    if sum(len(name) + len(value) for name, value in raw) > MAX_HEADERS:
        raise Refusal(431, f"The headers are longer than {MAX_HEADERS // 2**10} KiB.")
    headers: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1")
        if key in headers and key in {"host", "origin", "authorization", "content-length"}:
            raise Refusal(400, f"The header {key} is there twice. Send it once.")
        headers[key] = value.decode("latin-1")
    return headers


async def _body(declared: str, receive: Receive) -> bytes:
    """Return the whole body, which has *declared* bytes."""
    parts = bytearray()
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            more = not (declared.isdecimal() and int(declared) > _DISCARDED_BYTES)
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refusal(400, "The request ended early.")
                size += len(message.get("body", b""))
                if size <= MAX_BODY:
                    parts += message.get("body", b"")
                more = message.get("more_body", False) and size <= _DISCARDED_BYTES
    except TimeoutError as error:
        raise Refusal(
            408,
            f"The request did not arrive within {BODY_SECONDS:.0f} seconds.",
            connection="close",
        ) from error
    if size > MAX_BODY or (declared.isdecimal() and int(declared) > MAX_BODY):
        raise Refusal(
            413,
            f"The request is larger than {MAX_BODY // 2**20} MiB. Give the path of a file instead "
            "of its content.",
            connection="close",
        )
    return bytes(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a channel that repeats a body, then continues with *receive*."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


async def _refuse(refusal: Refusal, send: Send, *, is_plain: bool) -> None:
    logger.info("refused a request: %s", refusal.status)
    error: dict[str, Any] = {"code": -32600, "message": refusal.message}
    content: dict[str, Any] = {"jsonrpc": "2.0", "id": None, "error": error}
    if is_plain:
        error["code"] = _CODES.get(refusal.status, "bad_request")
        content = {"error": error}
    body = json.dumps(content).encode()
    headers = {name.replace("_", "-"): value for name, value in refusal.headers.items()}
    await _send(send, refusal.status, body, {"content-type": "application/json", **headers})


async def _send(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    fixed = {"cache-control": "no-store"} | (
        {} if status == 204 else {"content-length": str(len(body))}
    )
    start = {"type": "http.response.start", "status": status, "headers": _pairs(headers | fixed)}
    await send(start)
    await send({"type": "http.response.body", "body": body})


def _pairs(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


# State of each connection.

_SESSION_HEADER = "mcp-session-id"
_states: dict[int, ConnectionState] = {}
"""State by the object that identifies a connected client."""


async def remember(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Attach the state of its connection to every message (middleware of the SDK's server).

    A session of the handshake protocol keeps its state until the client ends it or it is idle too
    long. A request of the stateless protocol is a separate connection without state. Without an
    HTTP request, the process serves one client, and the session keeps its state.
    """
    if ctx.request is not None:
        is_lasting = _SESSION_HEADER in ctx.request.headers
        client = ctx.session.client_params if is_lasting else None
        serve_for(ConnectionState(remembers=False) if client is None else _state_of(client))
    return await call_next(ctx)


def _state_of(client: InitializeRequestParams) -> ConnectionState:
    # The client's description is one object for the whole connection.
    state = _states.get(id(client))
    if state is None:
        state = _states[id(client)] = ConnectionState()
        weakref.finalize(client, _states.pop, id(client), None)
    return state


MAX_SESSIONS = 200
"""Open sessions of the handshake protocol, at about 42 KB each; further ones are refused."""
IDLE_SECONDS = 30 * 60.0
"""A session without requests ends after this time, and its client starts a new one."""


def gated(server: Server[Any], door: Access, routes: Sequence[Route] = (), /) -> Gate:
    """Return the ASGI application of both protocol eras at :data:`PATH` and of *routes*."""
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
    line = (
        f"Listening on {address.place}. Connect to {address.url}{PATH}{token}. Ctrl-C stops "
        "the server.\n"
    )
    sys.stderr.write(line)
    if not address.is_loopback:
        sys.stderr.write(
            "The connection is not encrypted: use a trusted network, or a proxy with TLS.\n"
        )
    sys.stderr.flush()
