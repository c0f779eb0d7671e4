"""One HTTP request with a JSON body and retries.

Uses ``http.client``: no further package, separate limits for connecting and reading, and no
redirects, which would send texts and the key to another host.
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from casetrack.base.errors import Opt, ProviderError, ProviderUnreachable, UsageError

# Where a service is: its URL taken apart, and whether that is this machine.

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """A service's address."""

    scheme: str
    host: str  # name or IP address, without brackets
    port: int
    # Prefix of the protocol's paths; empty, or with a leading and without a trailing `/`.
    path: str = ""

    @classmethod
    def parse(cls, url: str, source: str, /, *, bare_port: int | None = None) -> Address:
        """Parse a URL such as ``https://api.openai.com/v1``.

        *source* is its setting, for errors; *bare_port* allows ``host`` and ``host:port``, with
        this default port. Raises ``UsageError``: it is not a valid URL, or has a user name, a
        password, a query or a fragment.
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
        # The text is not quoted, because it may contain a password.
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
        """Whether the address is on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def authority(self) -> str:
        """Host and port for a URL, without the default port."""
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
    """Return a connectable host: 0.0.0.0 means "any address" for servers only."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "::1"
    return host


logger = logging.getLogger("casetrack.models.providers")

RETRY_STATUS = frozenset({429, 500, 502, 503, 504})
"""Statuses of temporary failures."""
_TRIES_REFUSED = 2
_LIKE_KEY = re.compile(r"\bsk-[\w*.-]+")
_MOST_BYTES = 256 << 20
"""Maximum length of an answer."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Number and pauses of retries."""

    tries: int = 6  # maximum number of requests
    # first, most: seconds before the first retry, doubled for each further one, up to *most*.
    first: float = 0.5
    most: float = 30.0
    patience: float = 90.0  # longest pause in seconds that a server may request
    sleep: Callable[[float], None] = time.sleep  # waits that many seconds
    # Random number in [0, 1) for half of each pause, so that clients do not retry at the same time.
    chance: Callable[[], float] = random.random

    def pause(self, attempt: int, /) -> float:
        """Return the seconds to wait after the *attempt*-th try (1-based)."""
        longest = min(self.most, self.first * 2.0 ** (attempt - 1))
        return longest * (0.5 + 0.5 * self.chance())


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds for connecting, and for the longest pause while waiting or reading."""

    connect: float = 10.0
    read: float = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a server, with header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the parsed body; raise ``ValueError`` if it is not JSON."""
        return json.loads(self.body)

    @property
    def error(self) -> Mapping[str, Any]:
        """The ``error`` object of the body; a text becomes its ``message``."""
        try:
            raw = self.json()
        except ValueError:
            return {}
        error = raw.get("error") if isinstance(raw, dict) else None
        return error if isinstance(error, dict) else {"message": error} if error else {}

    @property
    def reason(self) -> str:
        """The message of the error on one line, with keys removed."""
        text = self.error.get("message")
        if not isinstance(text, str):
            return ""
        return _LIKE_KEY.sub("[key]", " ".join(text.split()))[:300]


@dataclass(frozen=True, slots=True)
class Client:
    """Posts JSON to one service; *provider* is for errors."""

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
        """Post until there is a final answer: a success or a permanent refusal.

        Parameters
        ----------
        path
            Relative to the address.
        headers
            In addition to ``Content-Type``.
        final
            Returns whether an answer with one of :data:`RETRY_STATUS` is permanent.

        Raises ``ProviderUnreachable``: the server did not answer, or was overloaded, at the last
        try.
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
        """Return a connection, direct or through the configured proxy, and the request target."""
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
            f"{self.provider} at {self.address} is not available: {failure} (tried {times}).",
            hint=hint + " Finished work is kept; keyword search works without it: "
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

    Supports ``Retry-After`` as seconds and as a date (RFC 9110, 10.2.3), and ``retry-after-ms``.
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
    """Return a description of a connection error."""
    if isinstance(error, ConnectionRefusedError):
        return "nothing answers there"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, http.client.HTTPException | ConnectionError):
        return "the connection broke off"
    return f"the connection failed ({error})"


def _without_key(body: bytes, headers: Mapping[str, str]) -> bytes:
    """Remove keys from an answer, so that no error or log shows them."""
    key = headers.get("Authorization", "").removeprefix("Bearer ")
    return body.replace(key.encode(), b"[key]") if key else body


# Common parts of the providers: settings of one service, and reading of its answers.

_TOO_LONG = re.compile(
    r"context (?:length|window|size)|too (?:long|large to process|many tokens)"
    r"|max(?:imum)? (?:\w+ ){0,3}tokens|max_tokens_per_request",
    re.IGNORECASE,
)


class TooLong(Exception):
    """The service refuses texts as too long; internal to this package."""


@dataclass(frozen=True, slots=True)
class Service(ABC):
    """One model at one service; a subclass implements the protocol."""

    address: Address
    model: str
    dimensions: int | None  # requested length of vectors, or `None` for the model's default
    max_tokens: int  # longest input in tokens

    name: ClassVar[str]
    path: ClassVar[str]
    most_texts: ClassVar[int]
    most_tokens: ClassVar[int]
    read_timeout: ClassVar[float]

    @property
    @abstractmethod
    def stays_here(self) -> bool:
        """Whether texts stay on this machine."""

    @property
    def native_dimension(self) -> int | None:
        """Default length of the model's vectors, if known without a request."""
        return None

    @property
    def prefixes(self) -> tuple[str, str]:
        """Required prefixes of a query and of a document."""
        return "", ""

    def headers(self) -> Mapping[str, str]:
        """Return new headers of a request; raise ``ProviderError`` if the key is missing."""
        return {}

    @abstractmethod
    def body(self, texts: Sequence[str], /) -> Mapping[str, Any]:
        """Return the body of a request."""

    @abstractmethod
    def listed(self, raw: Any, /) -> list[Any]:
        """Return the raw vectors of an answer in the order of the texts.

        Raises ``LookupError`` or ``TypeError`` if the answer does not follow the protocol.
        """

    @abstractmethod
    def refusal(self, answer: Answer, /) -> ProviderError:
        """Return the error for an unsuccessful answer."""

    def is_final(self, answer: Answer, /) -> bool:
        """Return whether an answer with a temporary status is permanent."""
        return self.too_long(answer)

    def too_long(self, answer: Answer, /) -> bool:
        """Return whether the texts were refused as too long."""
        return answer.status in {400, 413, 422, 500} and bool(
            answer.status == 413 or _TOO_LONG.search(answer.reason)
        )

    def read(self, answer: Answer, count: int, /) -> list[Any]:
        """Return *count* raw vectors of an answer, in the order of the texts.

        Raises ``TooLong``: the texts must be shorter; ``ProviderError``: the request was refused,
        or the answer is invalid.
        """
        if answer.status != 200:
            if self.too_long(answer):
                raise TooLong
            raise self.refusal(answer)
        try:
            vectors = self.listed(answer.json())
        except (ValueError, LookupError, TypeError) as error:
            raise ProviderError(
                f"The answer of {self.name} at {self.address} cannot be read: it is not what its "
                "protocol prescribes.",
                hint="Check that the address is that of the service and not of a web page before "
                "it, such as a sign-in.",
            ) from error
        if len(vectors) != count:
            raise ProviderError(
                f"{self.name} at {self.address} sent {len(vectors)} vectors for {count} texts.",
                hint="Nothing of it was stored. This is a fault of the service; update or "
                "restart it.",
            )
        return vectors

    def unclear(self, answer: Answer, /) -> ProviderError:
        """Return the error for an unexpected answer."""
        detail = f": {answer.reason}" if answer.reason else "."
        moved = 300 <= answer.status < 400
        hint = (
            "It points to another address; set that one. Nothing was sent there."
            if moved
            else "Check the provider's settings in config.toml and the environment."
        )
        return ProviderError(
            f"{self.name} at {self.address} refused the request ({answer.status}){detail}",
            hint=hint,
        )
