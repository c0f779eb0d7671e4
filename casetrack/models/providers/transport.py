"""One HTTP request with a JSON body, tried again where that can help.

Built on ``http.client``: it needs no further package, has separate limits for connecting and
reading, and does not follow redirects, which would carry texts and the key to another host.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import logging
import random
import re
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from casetrack.base.errors import ProviderError, ProviderUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from casetrack.models.providers.address import Address

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
            "`--mode keyword`.",
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
