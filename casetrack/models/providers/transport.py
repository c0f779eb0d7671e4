"""One HTTP request with a JSON body, tried again where that can help.

Built on ``http.client``: it needs no further package, has separate limits for connecting and
reading, and does not follow redirects, which would carry texts and the key to another host.
"""

from __future__ import annotations

import email.utils
import http.client
import ipaddress
import json
import logging
import random
import re
import ssl
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from casetrack.base.errors import Opt, ProviderError, ProviderUnreachable, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Where a service is: its URL taken apart, and whether that is this machine.

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


logger = logging.getLogger("casetrack.models.providers")

RETRY_STATUS = frozenset({429, 500, 502, 503, 504})
"""Answers after which the same request may succeed later."""
_TRIES_REFUSED = 2
_LIKE_KEY = re.compile(r"\bsk-[\w*.-]+")
_MOST_BYTES = 256 << 20
"""No answer is longer; what is comes from something else than the service."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How often and after what pauses a request is tried again.

    Attributes
    ----------
    tries
        Requests at most, the first included.
    first, most
        Pause in seconds before the second try, doubled before each further one, up to *most*.
    patience
        Longest pause in seconds that a server may ask for; if it asks for more, the request fails.
    sleep
        Waits that many seconds.
    chance
        Number in [0, 1): a half of each pause is left to it, so that clients do not come back all
        at once.
    """

    tries: int = 6
    first: float = 0.5
    most: float = 30.0
    patience: float = 90.0
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def pause(self, attempt: int, /) -> float:
        """Return the seconds to wait after the *attempt*-th try, counted from 1."""
        longest = min(self.most, self.first * 2.0 ** (attempt - 1))
        return longest * (0.5 + 0.5 * self.chance())


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds.

    Attributes
    ----------
    connect
        Until the connection stands.
    read
        Longest silence while an answer is awaited or read.
    """

    connect: float = 10.0
    read: float = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said.

    Attributes
    ----------
    status
        HTTP status.
    headers
        Names in lower case.
    body
        The bytes.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the parsed body.

        Raises
        ------
        ValueError
            It is not JSON.
        """
        return json.loads(self.body)

    @property
    def error(self) -> Mapping[str, Any]:
        """The ``error`` object of the body; a mere text becomes its ``message``."""
        try:
            raw = self.json()
        except ValueError:
            return {}
        found = raw.get("error") if isinstance(raw, dict) else None
        return found if isinstance(found, dict) else {"message": found} if found else {}

    @property
    def reason(self) -> str:
        """The message of the error, cut to a line's length, without what looks like a key."""
        text = self.error.get("message")
        if not isinstance(text, str):
            return ""
        return _LIKE_KEY.sub("[key]", " ".join(text.split()))[:300]


@dataclass(frozen=True, slots=True)
class Client:
    """Posts JSON to one service.

    Attributes
    ----------
    provider
        Name of the provider, for errors.
    address
        Where the service is.
    timeouts, backoff
        Limits, and what happens after a failure.
    """

    provider: str
    address: Address
    timeouts: Timeouts
    backoff: Backoff

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        headers: Mapping[str, str],
        final: Callable[[Answer], bool],
        /,
    ) -> Answer:
        """Post until an answer stands.

        Parameters
        ----------
        path
            Appended to the address.
        body
            Sent as JSON.
        headers
            Sent beside ``Content-Type``.
        final
            Whether an answer with one of :data:`RETRY_STATUS` will not change if asked again.

        Returns
        -------
        Answer
            A success, or a refusal that trying again would not change.

        Raises
        ------
        ProviderUnreachable
            After the last try the server still did not answer, or was overloaded or broken.
        """
        data = json.dumps(body, ensure_ascii=False).encode()
        attempt, tries = 0, self.backoff.tries
        while True:
            attempt += 1
            try:
                answer = self._once(path, data, headers)
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, ssl.SSLCertVerificationError):
                    raise self._untrusted(error) from error
                failure, asked = _words(error), None
                # Nothing listens on this machine: waiting long would not start it.
                if isinstance(error, ConnectionRefusedError) and self.address.is_loopback:
                    tries = min(tries, _TRIES_REFUSED)
            else:
                if answer.status not in RETRY_STATUS or final(answer):
                    return answer
                failure = f"it answered {answer.status}"
                failure += f" ({answer.reason})" if answer.reason else ""
                asked = retry_after(answer.headers)
            if attempt >= tries:
                raise self._given_up(failure, attempt)
            if asked is not None and asked > self.backoff.patience:
                raise self._given_up(f"{failure} and asks to wait {asked:.0f} seconds", attempt)
            pause = max(asked or 0.0, self.backoff.pause(attempt))
            logger.info("%s: %s; again in %.1f s", self.provider, failure, pause)
            self.backoff.sleep(pause)

    def _once(self, path: str, data: bytes, headers: Mapping[str, str]) -> Answer:
        connection, target = self._connection(f"{self.address.path}{path}")
        try:
            connection.connect()
            connection.sock.settimeout(self.timeouts.read)
            fields = {"Content-Type": "application/json", "Accept": "application/json", **headers}
            connection.request("POST", target, body=data, headers=fields)
            response = connection.getresponse()
            body = response.read(_MOST_BYTES + 1)
            if len(body) > _MOST_BYTES:
                raise ProviderError(
                    f"The answer of {self.address} is longer than any answer of {self.provider}.",
                    hint="Check that the address is that of the service.",
                )
            # read(n) does not complain about a body that ends before its announced length.
            if response.length:
                raise http.client.IncompleteRead(body, response.length)
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, names, _without_key(body, headers))
        finally:
            connection.close()

    def _connection(self, path: str) -> tuple[http.client.HTTPConnection, str]:
        """Return a connection and what to ask it for; a proxy of the environment is used."""
        at, limit = self.address, self.timeouts.connect
        secure = at.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        proxy = self._proxy()
        if proxy is None:
            return kind(at.host, at.port, timeout=limit), path
        connection = kind(proxy[0], proxy[1], timeout=limit)
        if secure:
            connection.set_tunnel(at.host, at.port)
            return connection, path
        return connection, f"{at.scheme}://{at.authority}{path}"

    def _proxy(self) -> tuple[str, int] | None:
        if self.address.is_loopback or proxy_bypass(self.address.authority):
            return None
        url = getproxies().get(self.address.scheme)
        parts = urlsplit(url if "://" in url else f"http://{url}") if url else None
        if parts is None or not parts.hostname:
            return None
        return parts.hostname, parts.port or 80

    def _given_up(self, failure: str, tries: int) -> ProviderUnreachable:
        times = "once" if tries == 1 else f"{tries} times"
        hint = "Check the network, and try again later."
        if self.provider == "ollama":
            hint = (
                "Check that Ollama is running (start it, or run `ollama serve`) and that "
                "OLLAMA_HOST, or host under [providers.ollama] in config.toml, is its address."
            )
        return ProviderUnreachable(
            f"{self.provider} at {self.address} cannot be used now: {failure} (tried {times}).",
            hint=hint + " What was finished is kept; keyword search works without it: "
            f"{Opt(mode='keyword')}.",
        )

    def _untrusted(self, error: ssl.SSLCertVerificationError) -> ProviderError:
        return ProviderError(
            f"The certificate of {self.address} is not trusted: {error.verify_message}.",
            hint="Nothing was sent. Check the address, and the certificates and clock of this "
            "machine.",
        )


def retry_after(headers: Mapping[str, str], /) -> float | None:
    """Return the seconds that a server asks to wait, or ``None``.

    Understands ``Retry-After`` as seconds and as a date (RFC 9110, 10.2.3), and ``retry-after-ms``.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if value.replace(".", "", 1).isdecimal():
            return float(value) / unit
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


def _words(error: Exception) -> str:
    """Say what went wrong with the connection."""
    if isinstance(error, ConnectionRefusedError):
        return "nothing answers there"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, http.client.HTTPException | ConnectionError):
        return "the connection broke off"
    return f"the connection failed ({error})"


def _without_key(body: bytes, headers: Mapping[str, str]) -> bytes:
    """Strike the key out of an answer, so that no error or log can show it."""
    key = headers.get("Authorization", "").removeprefix("Bearer ")
    return body.replace(key.encode(), b"[key]") if key else body


# What the providers have in common: settings of one service, and how its answers are read.

_TOO_LONG = re.compile(
    r"context (?:length|window|size)|too (?:long|large to process|many tokens)"
    r"|max(?:imum)? (?:\w+ ){0,3}tokens|max_tokens_per_request",
    re.IGNORECASE,
)


class TooLong(Exception):
    """The service refuses the texts of a request for their length; never leaves this package."""


@dataclass(frozen=True, slots=True)
class Service(ABC):
    """One model at one service; a subclass speaks the protocol.

    Attributes
    ----------
    address
        Where the service is.
    model
        The model's name there.
    dimensions
        Length of vectors that is asked for, or ``None`` for the model's own.
    max_tokens
        Longest input in tokens.
    """

    address: Address
    model: str
    dimensions: int | None
    max_tokens: int

    name: ClassVar[str]
    path: ClassVar[str]
    most_texts: ClassVar[int]
    most_tokens: ClassVar[int]
    read_timeout: ClassVar[float]

    @property
    @abstractmethod
    def stays_here(self) -> bool:
        """Whether texts do not leave this machine."""

    @property
    def native_dimension(self) -> int | None:
        """Length of the model's own vectors, where it is known without asking."""
        return None

    @property
    def prefixes(self) -> tuple[str, str]:
        """What the model wants in front of a query and of a document."""
        return "", ""

    def headers(self) -> Mapping[str, str]:
        """Return the headers of a request, made anew for each.

        Raises
        ------
        ProviderError
            The key is missing.
        """
        return {}

    @abstractmethod
    def body(self, texts: Sequence[str], /) -> Mapping[str, Any]:
        """Return the body of a request."""

    @abstractmethod
    def listed(self, raw: Any, /) -> list[Any]:
        """Return the raw vectors of an answer in the order of the texts.

        Raises
        ------
        LookupError, TypeError
            It has not the form that the protocol prescribes.
        """

    @abstractmethod
    def refusal(self, answer: Answer, /) -> ProviderError:
        """Return the error for an answer that is no success."""

    def is_final(self, answer: Answer, /) -> bool:
        """Whether asking again cannot change an answer that looks passing."""
        return self.too_long(answer)

    def too_long(self, answer: Answer, /) -> bool:
        """Whether the request was refused for the length of its texts."""
        return answer.status in {400, 413, 422, 500} and bool(
            answer.status == 413 or _TOO_LONG.search(answer.reason)
        )

    def read(self, answer: Answer, count: int, /) -> list[Any]:
        """Return the raw vectors of an answer, *count* of them, in the order of the texts.

        Raises
        ------
        TooLong
            The texts have to be shorter.
        ProviderError
            The request was refused, or the answer has another form.
        """
        if answer.status != 200:
            if self.too_long(answer):
                raise TooLong
            raise self.refusal(answer)
        try:
            found = self.listed(answer.json())
        except (ValueError, LookupError, TypeError) as error:
            raise ProviderError(
                f"The answer of {self.name} at {self.address} cannot be read: it is not what its "
                "protocol prescribes.",
                hint="Check that the address is that of the service and not of a web page before "
                "it, such as a sign-in.",
            ) from error
        if len(found) != count:
            raise ProviderError(
                f"{self.name} at {self.address} sent {len(found)} vectors for {count} texts.",
                hint="Nothing of it was stored. This is a fault of the service; update or "
                "restart it.",
            )
        return found

    def unclear(self, answer: Answer, /) -> ProviderError:
        """Return the error for a refusal that no protocol explains."""
        said = f": {answer.reason}" if answer.reason else "."
        moved = 300 <= answer.status < 400
        hint = (
            "It points to another address; set that one. Nothing was sent there."
            if moved
            else "Check the provider's settings in config.toml and the environment."
        )
        return ProviderError(
            f"{self.name} at {self.address} refused the request ({answer.status}){said}", hint=hint
        )
