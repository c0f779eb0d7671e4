"""Access to the window: checks of the address, the visitor's key, and the origin of changes.

- The ``Host`` header must name this server, so that no foreign page reaches it through its own
  name (DNS rebinding).
- The address that ``casetrack browse`` opens contains the key of the data folder; then a cookie
  contains it, and the address loses it at once.
- Changes are a ``POST`` from a page of this origin: requests of other sites have no cookie
  (``SameSite=Lax``), and a foreign ``Origin`` is refused.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from casetrack.base.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from casetrack.base.http.address import Access

KEY = "key"
"""Query parameter of the key."""
TICKET = "ticket"
"""Query parameter of the ticket, which is valid once. Other users of this computer can see a
browser's arguments, so these never contain the key.
"""
KEY_FILE, _TICKET_FILE = "window.key", "window.ticket"
MAX_BODY = 4 * 2**20
"""Bytes of a form without files, see :mod:`casetrack.faces.window.pages.adding`."""
_YEAR = 365 * 24 * 3600
_CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_SAFE = {
    # Nothing is loaded from anywhere else, nothing runs that is not a file of ours.
    "content-security-policy": (
        "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_NO_KEY = (
    "This window requires its key.\n\nOpen it again from the desktop menu of this computer, or "
    "with the address that the program printed.\n"
)


def window_key(data_dir: Path, /) -> str:
    """Return the key of a data folder's window, created on first use.

    It never changes, so that bookmarks and links keep working.
    """
    path = data_dir / KEY_FILE
    try:
        known = path.read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        known = ""
    if len(known) < 32:
        known = secrets.token_urlsafe(32)
        write_atomic(path, known.encode("ascii"))
    return known


def issue_ticket(data_dir: Path, /) -> str:
    """Return a ticket that opens the window of a data folder once; an older one is void."""
    ticket = secrets.token_urlsafe(24)
    write_atomic(data_dir / _TICKET_FILE, ticket.encode("ascii"), durable=False)
    return ticket


def take_ticket(data_dir: Path, text: str, /) -> bool:
    """Return whether *text* is the ticket that was issued last; then it is void."""
    path = data_dir / _TICKET_FILE
    try:
        known = path.read_bytes()
    except FileNotFoundError:
        return False
    if not known or not secrets.compare_digest(known, text.encode("utf-8")):
        return False
    path.unlink(missing_ok=True)
    return True


@dataclass(frozen=True, slots=True)
class Entry:
    """An ASGI application that checks access before another one.

    Attributes
    ----------
    app
        The window.
    door
        The addresses of the window.
    key
        The key of visitors.
    takes
        Uses a ticket, and returns whether it was valid; see :func:`take_ticket`.
    read_only
        Whether changes are forbidden.
    """

    app: ASGIApp
    door: Access
    key: str
    takes: Callable[[str], bool]
    read_only: bool = False

    @property
    def cookie(self) -> str:
        """The name of the cookie; cookies ignore the port: two windows need two names."""
        return f"casetrack_{self.door.port or 0}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = self._refusal(scope, Headers(scope=scope))
        if refused is not None:
            await refused(scope, receive, _with_headers(send))
        else:
            await self.app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if not self.door.knows_host(headers.get("host", "")):
            return PlainTextResponse(
                "The Host header names another server. Use the address that the program printed.\n",
                421,
            )
        origin = headers.get("origin")
        if origin is not None and not self.door.knows_origin(origin):
            return PlainTextResponse("Pages of other sites may not use this window.\n", 403)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] == "GET" and self._is_invited(dict(query)):
            rest = [pair for pair in query if pair[0] not in {KEY, TICKET}]
            return self._welcomed(scope["path"], rest)
        if not self._is_key(cookie_parser(headers.get("cookie", "")).get(self.cookie, "")):
            return PlainTextResponse(_NO_KEY, 401)
        if scope["method"] in _CHANGES:
            return self._change_refused(headers)
        return None

    def _is_invited(self, query: dict[str, str]) -> bool:
        if KEY in query and self._is_key(query[KEY]):
            return True
        return TICKET in query and self.takes(query[TICKET])

    def _is_key(self, text: str) -> bool:
        return secrets.compare_digest(text.encode("utf-8"), self.key.encode("ascii"))

    def _welcomed(self, path: str, query: list[tuple[str, str]]) -> Response:
        """Set the cookie, and remove the key from the address."""
        # A path of two slashes would name another host.
        place = "/" + path.lstrip("/") + (f"?{urlencode(query)}" if query else "")
        answer = RedirectResponse(place, 303)
        answer.set_cookie(
            self.cookie, self.key, max_age=_YEAR, path="/", httponly=True, samesite="lax"
        )
        return answer

    def _change_refused(self, headers: Headers) -> Response | None:
        if self.read_only:
            text = "This window is read-only.\n"
            return PlainTextResponse(text, 403)
        # Browsers send an origin with every change; other programs do not, and have the key. A site
        # in the header must be this one.
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return PlainTextResponse("Pages of other sites may not use this window.\n", 403)
        return None


def _with_headers(send: Send) -> Send:
    async def safe(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            more: list[tuple[bytes, bytes]] = [
                (name.encode(), value.encode())
                for name, value in _SAFE.items()
                if name.encode() not in given
            ]
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return safe
