"""Address, accepted host names and token of the server."""

from __future__ import annotations

import errno
import ipaddress
import re
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from casetrack.base.errors import CannotListen, UsageError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765
TOKEN_VARIABLE = "CASETRACK_HTTP_TOKEN"  # noqa: S105 - the name of a variable
MIN_TOKEN = 16
_BACKLOG = 128
_TOKEN = re.compile(r"[!-~]+")
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Address:
    """A bound socket, not yet listening, with its requested host and its port.

    *is_loopback* is true if only programs of this computer can reach it.
    """

    socket: socket.socket
    host: str
    port: int
    is_loopback: bool

    @property
    def is_any_address(self) -> bool:
        """Whether the host means every address of this computer."""
        return _ip(self.host) is not None and ipaddress.ip_address(self.host).is_unspecified

    @property
    def place(self) -> str:
        """Host and port."""
        return f"{_bracketed(self.host)}:{self.port}"

    @property
    def url(self) -> str:
        """The URL for clients, without a path."""
        host = socket.gethostname() if self.is_any_address else self.host
        return f"http://{_bracketed(host)}:{self.port}"


@dataclass(frozen=True, slots=True)
class Access:
    """Rules for accepting requests."""

    names: frozenset[str]  # accepted names in the `Host` header, in lower case, without a port
    port: int | None  # required port of the `Host` header; `None` behind a proxy or a port mapping
    any_ip: bool  # whether every IP address is accepted: DNS rebinding needs a name, not an address
    origins: frozenset[str]  # web pages that may send requests, such as `https://app.example`
    token: str | None = field(repr=False)  # required bearer token; `None` accepts all requests

    def knows_host(self, header: str, /) -> bool:
        """Return whether a ``Host`` header names this server."""
        name, port = _host_and_port(header)
        if name is None or (self.port is not None and port != self.port):
            return False
        return name in self.names or (self.any_ip and _ip(name) is not None)

    def knows_origin(self, header: str, /) -> bool:
        """Return whether an ``Origin`` header names a page that may send requests."""
        return header.lower() in self.origins

    def knows_token(self, header: str, /) -> bool:
        """Return whether an ``Authorization`` header carries the token, in constant time."""
        if self.token is None:
            return True
        scheme, _, given = header.partition(" ")
        same = secrets.compare_digest(given.strip().encode("latin-1"), self.token.encode("ascii"))
        return same and scheme.lower() == "bearer"


def access(address: Address, origins: Sequence[str], token: str | None, /) -> Access:
    """Return the rules for *address*; *origins* come from :func:`checked_origin`.

    On loopback, requests must name a loopback host and the port, which prevents DNS rebinding by
    web pages. Other addresses rely on the token and accept any IP address, the computer's name, the
    requested host, and the hosts of allowed origins.
    """
    allowed = frozenset(origins)
    named = frozenset(urlsplit(origin).hostname or "" for origin in allowed)
    if address.is_loopback:
        names = _LOOPBACK_NAMES | {address.host.lower()}
        own = {f"http://{_bracketed(name)}:{address.port}" for name in names}
        return Access(names, address.port, any_ip=False, origins=allowed | own, token=token)
    machine = socket.gethostname().lower()
    mine = {address.host.lower(), machine, f"{machine}.local", "localhost"}
    return Access(named | mine, None, any_ip=True, origins=allowed, token=token)


def checked_token(given: str | None, environment: Mapping[str, str], /) -> str | None:
    """Return the required token: the given one, that of the environment, or ``None``.

    Raises ``UsageError``: the token is too short, or not valid in a header.
    """
    where = "The token" if given is not None else f"The token in {TOKEN_VARIABLE}"
    token = given if given is not None else environment.get(TOKEN_VARIABLE) or None
    if token is None:
        return None
    if len(token) < MIN_TOKEN:
        raise UsageError(
            f"{where} has {len(token)} characters; it needs at least {MIN_TOKEN}.", hint=_hint()
        )
    if not _TOKEN.fullmatch(token):
        raise UsageError(
            f"{where} may contain only ASCII letters, digits and symbols, without spaces.",
            hint=_hint(),
        )
    return token


def checked_origin(text: str, /) -> str:
    """Return the origin of a web page in the form that browsers send.

    Raises ``UsageError``: the text is not an origin.
    """
    try:
        parts = urlsplit(text.strip().lower())
        fits = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if not fits or parts.path not in {"", "/"} or parts.query or parts.fragment or "@" in text:
        raise UsageError(
            f'"{text}" is not the origin of a web page.',
            hint="Give scheme and host, and the port if it is not the usual one, such as "
            "https://app.example or http://localhost:6274.",
        )
    return f"{parts.scheme}://{parts.netloc}"


def bind(host: str, port: int, /, *, token: str | None) -> Address:
    """Bind a host and port; port 0 selects a free one.

    Raises
    ------
    UsageError
        Other computers could reach the host, and there is no token.
    CannotListen
        The host is unknown or not of this computer, or the port is in use or not allowed.
    """
    host = host.strip().removeprefix("[").removesuffix("]")
    family, place = _resolved(host, port)
    is_loopback = ipaddress.ip_address(place[0].partition("%")[0]).is_loopback
    if not is_loopback and token is None:
        raise UsageError(
            f"Other computers can reach {host}, so a token is required.",
            hint=f"{_hint()}\nOr leave --host out to serve this computer only.",
        )
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Windows lets another program share a port unless it is asked not to.
        option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
        bound.setsockopt(socket.SOL_SOCKET, option, 1)
        bound.bind(place)
        # The system reports a conflict with another program only on listen.
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        raise CannotListen(f"{_bracketed(host)}:{port}", *_reason_and_hint(error, port)) from error
    return Address(bound, host, bound.getsockname()[1], is_loopback)


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM) if host else []
    except (OSError, UnicodeError):
        entries = []
    if not entries:
        raise CannotListen(
            f'"{host}"',
            "the host name is unknown",
            f"Leave --host out to serve this computer only ({DEFAULT_HOST}), or give one of its "
            "addresses; 0.0.0.0 means all of them.",
        )
    # One address only, so that port 0 means one port; most clients try IPv4 for a name.
    first = min(entries, key=lambda entry: entry[0] != socket.AF_INET)
    return first[0], first[4]  # type: ignore[return-value]  # an IPv6 place has four parts


def _reason_and_hint(error: OSError, port: int) -> tuple[str, str]:
    if error.errno == errno.EADDRINUSE:
        return "another program uses this port", (
            f"Choose another one, such as --port {port + 1 if port < 65535 else port - 1}, or "
            "--port 0 for any that is free. If it is another CaseTrack server, you can use that."
        )
    if error.errno in {errno.EACCES, errno.EPERM}:
        return "the system does not allow this port", "Choose one above 1023, or --port 0."
    if error.errno == errno.EADDRNOTAVAIL:
        return "this is not an address of this computer", (
            f"Leave --host out to serve this computer only ({DEFAULT_HOST}), or use 0.0.0.0 for "
            "all of its addresses."
        )
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:], "Choose another --host or --port."


def _hint() -> str:
    """Return the next step for a user without a token, with a new token."""
    return (
        "Here is a new token. Set it in the environment, which other users of this computer cannot "
        "see, and start again:\n"
        f"  {TOKEN_VARIABLE}={secrets.token_urlsafe(32)}\n"
        "Clients send it as the header `Authorization: Bearer TOKEN`."
    )


def _host_and_port(header: str) -> tuple[str | None, int | None]:
    """Return name and port of a ``Host`` header; ``(None, None)`` if it is malformed."""
    try:
        parts = urlsplit(f"http://{header}")
        name, port = parts.hostname, parts.port
    except ValueError:
        return None, None
    if parts.netloc != header or "@" in header:
        return None, None
    return name, 80 if port is None else port


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
