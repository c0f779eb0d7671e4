"""Activating a key, confirming it, and giving it back: what ``casetrack license`` does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.errors import (
    LicenseInvalid,
    LicenseRefused,
    LicenseServerUnreachable,
    NotWritable,
    StorageError,
)
from casetrack.base.license.activation import LicenseServer
from casetrack.base.license.entitlements import Entitlements, is_given
from casetrack.base.license.status import (
    CONFIRM_DAYS,
    NAME,
    REFRESH,
    LicenseFile,
    LicenseFileDamaged,
    Record,
    Unusable,
    now_utc,
    read_license_file,
    usable_key,
    write_license_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.base.license.key import LicenseKey
    from casetrack.base.license.status import LicenseStatus


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: the tier in force now, and what the user should know."""

    status: LicenseStatus
    notes: tuple[str, ...] = ()


class LicenseManager:
    """Changes which key a data folder uses.

    Parameters
    ----------
    settings
        Of the data folder.
    clock
        Returns the present moment (UTC).
    """

    def __init__(self, settings: Settings, /, *, clock: Callable[[], datetime] = now_utc) -> None:
        self._path: Path = settings.data_dir / NAME
        self._clock = clock
        self._entitlements = Entitlements(settings, clock=clock)

    def status(self) -> LicenseStatus:
        """Return the tier in force and what it rests on; nothing is asked of a server."""
        return self._entitlements.status()

    def activate(self, text: str, /) -> Outcome:
        """Store a key for this data folder, and tell the license server, if it has to know.

        A genuine key counts at once; where the server cannot be reached, it has to be confirmed
        within 30 days.

        Raises
        ------
        LicenseInvalid
            The key does not count, whatever the server says. Nothing was changed.
        LicenseRefused
            The server does not accept it. Nothing was changed.
        NotWritable, StorageError
            ``license.json`` cannot be written.
        """
        key = self._usable(text)
        content, notes = self._content()
        name, now = key.signed_text(), self._clock()
        record = replace(content.records.get(name) or Record(now), refused="")
        if not key.claims.offline:
            try:
                record = self._confirmed(key, record, now, anew=True)
            except LicenseServerUnreachable as error:
                later = f"Confirm it within {CONFIRM_DAYS} days: run `{REFRESH}` once while online."
                notes += (f"{error.message} The key counts all the same. {later}",)
        self._write(replace(content.with_record(name, record), key=key.text()))
        return Outcome(self.status(), notes)

    def refresh(self) -> Outcome:
        """Ask the license server whether the key in use still counts.

        A key that it refuses stays known as refused, and does not count any more until it accepts
        it.

        Raises
        ------
        LicenseInvalid
            There is no key, or it does not count, whatever the server says.
        LicenseServerUnreachable
            There was no answer; nothing was changed.
        NotWritable, StorageError
            ``license.json`` cannot be written.
        """
        key = self._key_in_use()
        if key.claims.offline:
            return Outcome(self.status(), ("This key needs no confirmation.",))
        content, notes = self._content()
        name, now = key.signed_text(), self._clock()
        record = content.records.get(name) or Record(now)
        try:
            record = self._confirmed(key, record, now, anew=False)
        except LicenseRefused as error:
            record = replace(record, refused=error.message.partition(": ")[2] or error.message)
        self._write(content.with_record(name, record))
        return Outcome(self.status(), notes)

    def deactivate(self) -> Outcome:
        """Forget the activated key, and give its seat back to the license server.

        Raises
        ------
        LicenseInvalid
            No key is activated here.
        NotWritable, StorageError
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
        except Unusable:
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
        except Unusable as error:
            raise LicenseInvalid(
                f"This license key {error.reason}.", hint="Nothing was changed."
            ) from error

    def _key_in_use(self) -> LicenseKey:
        """Return the first key that could count if the server confirms it."""
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
                hint="Activate the key again with `casetrack license activate KEY`.",
            )
        raise failed or LicenseInvalid(
            "There is no license key to confirm; the Free tier is in force.",
            hint="Enter one with `casetrack license activate KEY`.",
        )

    @staticmethod
    def _confirmed(key: LicenseKey, record: Record, now: datetime, /, *, anew: bool) -> Record:
        """Return the record of a key that the server has accepted now.

        Parameters
        ----------
        key, record, now
            The key, what is known of it, and the present moment.
        anew
            Whether to take a new seat where the server knows the old one no more.
        """
        server = LicenseServer()
        if record.instance_id:
            try:
                server.validate(key.text(), record.instance_id)
            except LicenseRefused:
                if not anew:
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
                hint="Free some space. Or choose another folder with `--data-dir FOLDER`.",
            ) from error
