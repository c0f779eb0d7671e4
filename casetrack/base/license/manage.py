"""Activation, confirmation and deactivation of keys, for ``casetrack license``."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import (
    LicenseInvalid,
    LicenseRefused,
    LicenseServerUnreachable,
    NotWritable,
    Opt,
    See,
    StorageError,
    UsageError,
)
from casetrack.base.license.entitlements import (
    CONFIRM_DAYS,
    NAME,
    REFRESH,
    Entitlements,
    LicenseFile,
    LicenseFileDamaged,
    Record,
    UnusableKey,
    is_given,
    now_utc,
    read_license_file,
    usable_key,
    write_license_file,
)
from casetrack.base.license.signature import is_development

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.base.license.entitlements import LicenseStatus
    from casetrack.base.license.key import LicenseKey

# Client of the license server: the License API of Lemon Squeezy,
# https://docs.lemonsqueezy.com/api/license-api, or a compatible one. Only ``casetrack license``
# uses it. It sends the key, a random name of this installation and later the server's id of it;
# nothing about the machine, the user or the documents.

ENV_SERVER = "CASETRACK_LICENSE_SERVER"
DEFAULT_SERVER = "https://api.lemonsqueezy.com"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_MAX_BYTES = 1 << 16
_SHOWN = 200
_ANSWERS = {200, 400, 404, 422}
"""Statuses of answers; any other status is a failure of the server."""


@dataclass(frozen=True, slots=True)
class Instance:
    """The server's id of this installation, and the random name that the installation sent."""

    id: str
    name: str


class LicenseServer:
    """A license server.

    *url* has no path; default is Lemon Squeezy's, in a development build
    ``CASETRACK_LICENSE_SERVER``. *timeout* is in seconds. Raises ``UsageError``: the address is
    invalid, or would send keys without encryption.
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
        """Activate a key for this installation.

        Raises ``LicenseRefused``: the key is unknown, disabled or expired, or all its seats are in
        use; ``LicenseServerUnreachable``: there was no answer.
        """
        name = f"casetrack-{secrets.token_hex(4)}"
        answer = self._ask("activate", "activated", license_key=key, instance_name=name)
        instance = answer.get("instance")
        instance_id = instance.get("id") if isinstance(instance, dict) else None
        if not isinstance(instance_id, str) or not instance_id:
            raise self._unclear("it names no instance")
        return Instance(instance_id, name)

    def validate(self, key: str, instance_id: str, /) -> None:
        """Confirm an activated key; raises like :meth:`activate`."""
        self._ask("validate", "valid", license_key=key, instance_id=instance_id)

    def deactivate(self, key: str, instance_id: str, /) -> None:
        """Free the seat of a key; raises like :meth:`activate`."""
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
        import httpx2

        headers = {"Accept": "application/json", "User-Agent": "casetrack"}
        try:
            # It follows no redirect: the key goes to the named server only.
            with httpx2.stream(
                "POST", url, data=form, headers=headers, timeout=self._timeout
            ) as answer:
                if answer.status_code not in _ANSWERS:
                    raise self._unreachable(f"HTTP {answer.status_code} {answer.reason_phrase}")
                data = next(answer.iter_bytes(_MAX_BYTES), b"")
        except httpx2.HTTPError as error:
            raise self._unreachable(str(error) or type(error).__name__) from error
        return self._parsed(data)

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tier in force after a change, and notes for the user."""

    status: LicenseStatus
    notes: tuple[str, ...] = ()


class LicenseManager:
    """Changes the key of a data folder; *clock* returns the present time (UTC)."""

    def __init__(self, settings: Settings, /, *, clock: Callable[[], datetime] = now_utc) -> None:
        self._path: Path = settings.data_dir / NAME
        self._clock = clock
        self._entitlements = Entitlements(settings, clock=clock)

    def status(self) -> LicenseStatus:
        """Return the tier in force and its key, without asking the server."""
        return self._entitlements.status()

    def activate(self, text: str, /) -> Outcome:
        """Store a key for this data folder, and activate it at the license server if it needs that.

        A genuine key counts at once; if the server is unreachable, it must be confirmed within 30
        days. Raises ``LicenseInvalid``: the key does not count, independently of the server.
        Nothing was changed; ``LicenseRefused``: the server refused it. Nothing was changed;
        ``NotWritable`` or ``StorageError``: ``license.json`` cannot be written.
        """
        key = self._usable(text)
        content, notes = self._content()
        name, now = key.signed_text(), self._clock()
        record = replace(content.records.get(name) or Record(now), refused="")
        if not key.claims.offline:
            try:
                record = self._confirmed(key, record, now, take_seat=True)
            except LicenseServerUnreachable as error:
                later = f"Confirm it within {CONFIRM_DAYS} days: run `{REFRESH}` once while online."
                notes += (f"{error.message} The key counts all the same. {later}",)
        self._write(replace(content.with_record(name, record), key=key.text()))
        return Outcome(self.status(), notes)

    def refresh(self) -> Outcome:
        """Confirm the key in use at the license server.

        A refused key does not count until the server accepts it again. Raises ``LicenseInvalid``:
        there is no key, or it does not count, independently of the server;
        ``LicenseServerUnreachable``: there was no answer; nothing was changed; ``NotWritable`` or
        ``StorageError``: ``license.json`` cannot be written.
        """
        key = self._key_in_use()
        if key.claims.offline:
            return Outcome(self.status(), ("This key needs no confirmation.",))
        content, notes = self._content()
        name, now = key.signed_text(), self._clock()
        record = content.records.get(name) or Record(now)
        try:
            record = self._confirmed(key, record, now, take_seat=False)
        except LicenseRefused as error:
            record = replace(record, refused=error.message.partition(": ")[2] or error.message)
        self._write(content.with_record(name, record))
        return Outcome(self.status(), notes)

    def deactivate(self) -> Outcome:
        """Remove the activated key, and free its seat at the license server.

        Raises ``LicenseInvalid``: no key is activated; ``NotWritable`` or ``StorageError``:
        ``license.json`` cannot be written.
        """
        content, notes = self._content()
        if not is_given(content.key) and not notes:
            raise LicenseInvalid(
                "No license key is activated on this computer.",
                hint="One from CASETRACK_LICENSE or config.toml is removed there.",
            )
        try:
            key = usable_key(content.key, self._clock().date())
        except UnusableKey:
            key = None  # nothing that a server would know: it is forgotten all the same
        record = content.records.get(key.signed_text()) if key else None
        if key and record and record.instance_id:
            try:
                LicenseServer().deactivate(key.text(), record.instance_id)
            except (LicenseRefused, LicenseServerUnreachable) as error:
                notes += (
                    f"{error.message} The key is forgotten here; its seat is still taken there.",
                )
            record = replace(record, instance_id="", instance_name="", activated_at=None)
            content = content.with_record(key.signed_text(), record)
        self._write(replace(content, key=""))
        return Outcome(self.status(), notes)

    def _usable(self, text: str) -> LicenseKey:
        try:
            return usable_key(text, self._clock().date())
        except UnusableKey as error:
            raise LicenseInvalid(
                f"This license key {error.reason}.", hint="Nothing was changed."
            ) from error

    def _key_in_use(self) -> LicenseKey:
        """Return the first key that could count after a confirmation."""
        failed: LicenseInvalid | None = None
        try:
            for _source, text in self._entitlements.candidates():
                try:
                    return self._usable(text)
                except LicenseInvalid as error:
                    failed = failed or error
        except LicenseFileDamaged as error:
            failed = failed or LicenseInvalid(
                f"{self._path} cannot be read: {error}.",
                hint=f"Activate the key again with {See('license activate', 'KEY')}.",
            )
        raise failed or LicenseInvalid(
            "There is no license key to confirm; the Free tier is in force.",
            hint=f"Enter one with {See('license activate', 'KEY')}.",
        )

    @staticmethod
    def _confirmed(key: LicenseKey, record: Record, now: datetime, /, *, take_seat: bool) -> Record:
        """Return the record of a key after the server accepted it.

        *take_seat* takes a new seat if the server no longer knows the old one.
        """
        server = LicenseServer()
        if record.instance_id:
            try:
                server.validate(key.text(), record.instance_id)
            except LicenseRefused:
                if not take_seat:
                    raise
                record = replace(record, instance_id="")
        if not record.instance_id:
            instance = server.activate(key.text())
            record = replace(
                record, instance_id=instance.id, instance_name=instance.name, activated_at=now
            )
        return replace(record, confirmed_at=now, refused="")

    def _content(self) -> tuple[LicenseFile, tuple[str, ...]]:
        try:
            return read_license_file(self._path), ()
        except LicenseFileDamaged as error:
            return LicenseFile(), (f"{self._path} could not be read ({error}) and was replaced.",)

    def _write(self, content: LicenseFile) -> None:
        try:
            write_license_file(self._path, content)
        except PermissionError as error:
            raise NotWritable(self._path) from error
        except OSError as error:
            raise StorageError(
                f"Cannot write {self._path}: {error.strerror or error}.",
                hint=f"Free some space. Or choose another folder with {Opt(data_dir='FOLDER')}.",
            ) from error
