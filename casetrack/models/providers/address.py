"""Where a service is: its URL taken apart, and whether that is this machine."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from casetrack.base.errors import UsageError

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """A service's address.

    Attributes
    ----------
    scheme
        ``http`` or ``https``.
    host
        Name or IP address, without brackets.
    port
        Number of the port.
    path
        What stands before the paths of the protocol; empty, or with a leading ``/`` and without a
        trailing one.
    """

    scheme: str
    host: str
    port: int
    path: str = ""

    @classmethod
    def parse(cls, url: str, source: str, /, *, bare_port: int | None = None) -> Address:
        """Take a URL apart.

        Parameters
        ----------
        url
            Such as ``https://api.openai.com/v1``.
        source
            Where it was set, for errors.
        bare_port
            Allows ``host`` and ``host:port`` without ``http://``, with this port where none is
            given.

        Raises
        ------
        UsageError
            It is no such URL, or it holds a user name, a password, a query or a fragment.
        """
        text = url.strip().strip("\"'").strip()
        default = None
        if "://" not in text and bare_port is not None:
            bare = f"[{text}]" if _is_ip6(text) else text
            text, default = f"http://{bare}", bare_port
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError as error:
            raise _bad(source) from error
        # The text itself is not quoted: somebody may have put a password in it.
        if parts.username is not None or parts.password is not None:
            raise UsageError(
                f"The address in {source} holds a user name or password.",
                hint="Remove it; a key belongs into OPENAI_API_KEY.",
            )
        host = parts.hostname
        if parts.scheme not in _PORTS or not host or parts.query or parts.fragment:
            raise _bad(source)
        chosen = port if port is not None else default or _PORTS[parts.scheme]
        return cls(parts.scheme, _reachable(host), chosen, parts.path.rstrip("/"))

    @property
    def is_loopback(self) -> bool:
        """Whether the service runs on this machine, as far as its address tells."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def authority(self) -> str:
        """Host and port as they stand in a URL; the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def _bad(source: str) -> UsageError:
    return UsageError(
        f"The address in {source} is not a URL of a service.",
        hint="Write it as http://HOST:PORT or https://HOST/PATH.",
    )


def _is_ip6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False


def _reachable(host: str) -> str:
    """Return a host one can connect to: servers are told to listen on "any address" as 0.0.0.0."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "::1"
    return host
