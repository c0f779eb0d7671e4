"""Talks to the license server: the License API of Lemon Squeezy, or one that speaks like it.

Used by ``casetrack license`` alone, when the user asks for it. What is sent is the key and a random
name for this installation, and later the id that the server gave it: nothing of the machine, its
user or the documents.

See https://docs.lemonsqueezy.com/api/license-api.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from casetrack.base.errors import LicenseRefused, LicenseServerUnreachable, UsageError
from casetrack.base.license.signature import is_development

if TYPE_CHECKING:
    import urllib.request

ENV_SERVER = "CASETRACK_LICENSE_SERVER"
DEFAULT_SERVER = "https://api.lemonsqueezy.com"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_MAX_BYTES = 1 << 16
_SHOWN = 200
_ANSWERS = {200, 400, 404, 422}
"""Statuses with which the server answers the question; all others say that it could not."""


@dataclass(frozen=True, slots=True)
class Instance:
    """What the server calls this installation, and what that gave as its name."""

    id: str
    name: str


class LicenseServer:
    """A license server.

    Parameters
    ----------
    url
        Its address without a path; by default Lemon Squeezy's or, in a build for development, that
        of ``CASETRACK_LICENSE_SERVER``.
    timeout
        Seconds of silence after which it counts as unreachable.

    Raises
    ------
    UsageError
        The address is none, or would send keys over an open connection.
    """

    def __init__(self, url: str | None = None, /, *, timeout: float = 10.0) -> None:
        from urllib.parse import urlsplit

        named = os.environ.get(ENV_SERVER, "").strip() if is_development() else ""
        chosen = url or named or DEFAULT_SERVER
        try:
            parts = urlsplit(chosen)
            host = parts.hostname or ""
        except ValueError:
            host = ""
        if not host or not (
            parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
        ):
            raise UsageError(
                f"{ENV_SERVER} is {chosen!r}, which is no https address.",
                hint=f"Correct it, or remove it: then {DEFAULT_SERVER} is asked.",
            )
        self._url = chosen.rstrip("/")
        self._host = host
        self._timeout = timeout

    def activate(self, key: str, /) -> Instance:
        """Tell the server that a key is used here.

        Raises
        ------
        LicenseRefused
            The key is unknown, disabled or expired, or in use on as many machines as it has seats.
        LicenseServerUnreachable
            There was no answer.
        """
        name = f"casetrack-{secrets.token_hex(4)}"
        answer = self._ask("activate", "activated", license_key=key, instance_name=name)
        instance = answer.get("instance")
        found = instance.get("id") if isinstance(instance, dict) else None
        if not isinstance(found, str) or not found:
            raise self._unclear("it names no instance")
        return Instance(found, name)

    def validate(self, key: str, instance_id: str, /) -> None:
        """Ask whether a key still counts here.

        Raises
        ------
        LicenseRefused, LicenseServerUnreachable
            As above.
        """
        self._ask("validate", "valid", license_key=key, instance_id=instance_id)

    def deactivate(self, key: str, instance_id: str, /) -> None:
        """Tell the server that a key is used here no more, so that its seat is free.

        Raises
        ------
        LicenseRefused, LicenseServerUnreachable
            As above.
        """
        self._ask("deactivate", "deactivated", license_key=key, instance_id=instance_id)

    def _ask(self, verb: str, verdict: str, /, **form: str) -> dict[str, Any]:
        answer = self._post(f"{self._url}/v1/licenses/{verb}", form)
        if answer.get(verdict) is True:
            return answer
        error = answer.get("error")
        if answer.get(verdict) is not False and not error:
            raise self._unclear("it is of another kind")
        stated = answer.get("license_key")
        status = stated.get("status") if isinstance(stated, dict) else None
        reason = error or (f"its status is {status}" if status else "without a reason")
        text = " ".join(str(reason).split())[:_SHOWN]
        raise LicenseRefused(
            f"The license server refused the key: {text.rstrip('.')}.",
            hint="See your keys and the machines that use them where you bought it.",
        )

    def _post(self, url: str, form: dict[str, str]) -> dict[str, Any]:
        import http.client
        import urllib.error
        import urllib.parse
        import urllib.request

        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            url,
            data=urllib.parse.urlencode(form).encode("ascii"),
            headers={"Accept": "application/json", "User-Agent": "casetrack"},
        )
        try:
            with _opener().open(request, timeout=self._timeout) as answer:
                data = answer.read(_MAX_BYTES)
        except urllib.error.HTTPError as error:
            with error:
                if error.code not in _ANSWERS:
                    raise self._unreachable(f"HTTP {error.code} {error.reason}") from error
                data = self._rest(error)
        except urllib.error.URLError as error:
            raise self._unreachable(str(error.reason)) from error
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(str(error) or type(error).__name__) from error
        return self._parsed(data)

    def _rest(self, error: IO[bytes]) -> bytes:
        import http.client

        try:
            return error.read(_MAX_BYTES)
        except (OSError, http.client.HTTPException) as problem:
            raise self._unreachable(str(problem) or type(problem).__name__) from problem

    def _parsed(self, data: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._unclear("it is no JSON") from error
        if not isinstance(answer, dict):
            raise self._unclear("it is of another kind")
        return answer

    def _unreachable(self, reason: str) -> LicenseServerUnreachable:
        return LicenseServerUnreachable(
            f"The license server {self._host} could not be reached: {reason.rstrip('.')}.",
            hint="Nothing was changed. Try again while online.",
        )

    def _unclear(self, what: str) -> LicenseServerUnreachable:
        return LicenseServerUnreachable(
            f"The answer of {self._host} cannot be understood: {what}.",
            hint=f"Nothing was changed. Check {ENV_SERVER}, or try again later.",
        )


def _opener() -> urllib.request.OpenerDirector:
    import urllib.request

    class StaysHere(urllib.request.HTTPRedirectHandler):
        """A key goes to the server that was named, and to no other."""

        def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
            return None

    return urllib.request.build_opener(StaysHere)
