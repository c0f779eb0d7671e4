"""Permissions of the license in force.

The first valid key counts, in this order: ``--license``, ``CASETRACK_LICENSE``, ``license_key`` in
``config.toml``, the key stored by ``casetrack license activate``. The module never uses the network
and raises only :class:`~casetrack.base.errors.FreeTierLimit`: with an invalid key the Free tier is
in force, and the reason is kept.
"""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, TypeGuard

from casetrack.base.dataclass import dataclass, field, fields, replace
from casetrack.base.errors import UPGRADE_URL, FreeTierLimit, See
from casetrack.base.files import replacement, stamp_of
from casetrack.base.license import signature, tiers
from casetrack.base.license.key import LicenseKey, MalformedKey, parse_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.base.config import Settings


# ``license.json`` in the data folder has the activated key and the times of use and confirmation.
# It lists keys by their signed part, which is useless alone; because the activated key is complete,
# only the owner may read the file.

NAME = "license.json"
_VERSION = 1
_MAX_BYTES = 1 << 20


class LicenseFileDamaged(Exception):
    """``license.json`` cannot be read; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Record:
    """Facts about one key on this computer; times are UTC."""

    first_seen: datetime
    confirmed_at: datetime | None = None  # last confirmation by the license server
    activated_at: datetime | None = None  # first activation at the server
    # instance_id, instance_name: the server's id of this installation, and the random name that the
    # installation sent.
    instance_id: str = ""
    instance_name: str = ""
    refused: str = ""  # the server's reason for a refusal; empty otherwise


@dataclass(frozen=True, slots=True)
class LicenseFile:
    """The activated key, or an empty text, and the records by the signed part of a key."""

    key: str = ""
    records: dict[str, Record] = field(default_factory=dict)

    def with_record(self, name: str, record: Record, /) -> LicenseFile:
        """Return the content with another record of one key."""
        return replace(self, records={**self.records, name: record})


def read_license_file(path: Path, /) -> LicenseFile:
    """Read the file; a missing file is empty.

    Raises ``LicenseFileDamaged``: the file is torn or unreadable.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return LicenseFile()
    except OSError as error:
        raise LicenseFileDamaged(error.strerror or type(error).__name__) from error
    try:
        return _parse(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise LicenseFileDamaged("it is damaged") from error


def write_license_file(path: Path, content: LicenseFile, /) -> None:
    """Replace the file atomically, readable only for its owner; raise ``OSError`` on failure."""
    raw: dict[str, Any] = {"version": _VERSION, "key": content.key, "keys": {}}
    for name, record in content.records.items():
        raw["keys"][name] = {
            f.name: value.isoformat() if isinstance(value, datetime) else value
            for f in fields(record)
            if (value := getattr(record, f.name))
        }
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacement(path) as part:
        part.write_text(f"{json.dumps(raw, indent=1)}\n", encoding="utf-8")


def _parse(raw: Any) -> LicenseFile:
    if raw["version"] != _VERSION or not isinstance(raw["key"], str):
        raise ValueError
    return LicenseFile(raw["key"], {name: _record(value) for name, value in raw["keys"].items()})


def _record(raw: Any) -> Record:
    return Record(
        first_seen=_moment(raw["first_seen"]),
        confirmed_at=_moment(raw["confirmed_at"]) if "confirmed_at" in raw else None,
        activated_at=_moment(raw["activated_at"]) if "activated_at" in raw else None,
        instance_id=_text(raw.get("instance_id", "")),
        instance_name=_text(raw.get("instance_name", "")),
        refused=_text(raw.get("refused", "")),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError
    return moment


CONFIRM_DAYS = 30
"""Days that a key counts after its first use or its last confirmation."""
REMIND_DAYS = 23
"""Days after which the user is reminded."""
_CLOCK_SLACK = timedelta(days=1)
REFRESH = "casetrack license status --refresh"


@dataclass(frozen=True, slots=True)
class LicenseStatus:
    """The tier in force and the key it comes from."""

    tier: tiers.Tier
    source: str = ""  # origin of the key; empty without a key
    key: str = ""  # the masked key
    # issued, expires: first and last day of validity (UTC).
    issued: date | None = None
    expires: date | None = None
    seats: int | None = None  # number of machines
    offline: bool = False  # whether it needs no confirmation
    # confirmed_at, confirm_by: last confirmation by the license server, and the deadline of the
    # next one (UTC).
    confirmed_at: datetime | None = None
    confirm_by: datetime | None = None
    reminds: bool = False
    reason: str = ""  # why the key does not count; empty if it does, and without a key
    others: tuple[str, ...] = ()  # why keys of other origins do not count

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings about a key that does not count, or soon will not."""
        if self.reason:
            return (f"{self.reason} The {self.tier.title} tier is in force.",)
        if self.reminds and self.confirm_by is not None:
            what = f"The license key {self.key} has to be confirmed by {self.confirm_by:%Y-%m-%d}"
            return (f"{what}: run `{REFRESH}` once while online.",)
        return ()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form; the key is masked in it."""
        tier = self.tier
        return {
            "tier": tier.name,
            "title": tier.title,
            "price": tier.price,
            "limits": {"collections": tier.collections, "documents": tier.documents},
            "features": sorted(tier.features),
            "key": self.key or None,
            "source": self.source or None,
            "seats": self.seats,
            "issued": self.issued.isoformat() if self.issued else None,
            "expires": self.expires.isoformat() if self.expires else None,
            "offline": self.offline,
            "confirmed_at": self.confirmed_at.isoformat() if self.confirmed_at else None,
            "confirm_by": self.confirm_by.isoformat() if self.confirm_by else None,
            "reason": self.reason or None,
            "notes": [*self.notes, *self.others],
        }


class UnusableKey(Exception):
    """A key does not count; the text is the reason and the next step."""

    def __init__(self, reason: str, key: LicenseKey | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.key = key


def usable_key(text: str, today: date, /) -> LicenseKey:
    """Return the key of a text if it is genuine and valid on this day.

    Raises ``UnusableKey``: the key does not count, independently of the license server.
    """
    try:
        key = parse_key(text)
    except MalformedKey as error:
        reason = f"cannot be read: {error}. Copy it again, whole"
        raise UnusableKey(reason) from error
    try:
        genuine = signature.is_genuine(key)
    except signature.CannotVerify as error:
        raise UnusableKey(f"cannot be checked: {error}", key) from error
    if not genuine:
        detail = f" ({unread})" if (unread := signature.unread_signers()) else ""
        reason = f"is not genuine: its signature does not fit{detail}. Copy it again, whole"
        raise UnusableKey(reason, key)
    claims = key.claims
    if claims.tier.lower() not in tiers.TIERS or claims.tier.lower() == tiers.FREE.name:
        reason = f'is for a tier "{claims.tier}" that this version does not know. Update CaseTrack'
        raise UnusableKey(reason, key)
    if today < claims.issued - _CLOCK_SLACK:
        raise UnusableKey(
            f"counts from {claims.issued} on, and the clock of this computer says {today}. "
            "Correct the clock",
            key,
        )
    if claims.expires is not None and today > claims.expires:
        raise UnusableKey(f"expired on {claims.expires}. Renew it: {UPGRADE_URL}", key)
    return key


def confirmed_until(key: LicenseKey, record: Record, now: datetime, /) -> datetime | None:
    """Return until when a key counts without a confirmation; ``None`` means always.

    Raises ``UnusableKey``: the server refused it, the confirmation is overdue, or the clock was set
    back.
    """
    if record.refused:
        raise UnusableKey(f"was refused by the license server: {record.refused.rstrip('.')}", key)
    if key.claims.offline:
        return None
    since = record.confirmed_at or record.first_seen
    if since > now + _CLOCK_SLACK:
        raise UnusableKey(
            f"was used on {since:%Y-%m-%d}, and the clock of this computer says {now:%Y-%m-%d}. "
            "Correct the clock",
            key,
        )
    until = since + timedelta(days=CONFIRM_DAYS)
    if now > until:
        raise UnusableKey(
            f"has not been confirmed for {CONFIRM_DAYS} days. Run `{REFRESH}` once while online",
            key,
        )
    return until


def valid_status(
    key: LicenseKey, source: str, record: Record, until: datetime | None, now: datetime, /
) -> LicenseStatus:
    """Return the status of a key that counts."""
    claims = key.claims
    remind_from = timedelta(days=CONFIRM_DAYS - REMIND_DAYS)
    return LicenseStatus(
        tier=tiers.TIERS[claims.tier.lower()],
        source=source,
        key=key.masked(),
        issued=claims.issued,
        expires=claims.expires,
        seats=claims.seats,
        offline=claims.offline,
        confirmed_at=record.confirmed_at,
        confirm_by=until,
        reminds=until is not None and now >= until - remind_from,
    )


def invalid_status(source: str, error: UnusableKey, /) -> LicenseStatus:
    """Return the status where a key does not count."""
    key = error.key
    masked = key.masked() if key else ""
    name = f"The license key {masked}" if masked else "The license key"
    return LicenseStatus(
        tier=tiers.FREE,
        source=source,
        key=masked,
        issued=key.claims.issued if key else None,
        expires=key.claims.expires if key else None,
        seats=key.claims.seats if key else None,
        offline=key.claims.offline if key else False,
        reason=f"{name} ({source}) {error.reason}.",
    )


def now_utc() -> datetime:
    """Return the present moment (UTC)."""
    return datetime.now(UTC)


ENV_LICENSE = "CASETRACK_LICENSE"
OPTION, ENVIRONMENT, CONFIG, ACTIVATED = (
    "given by --license",
    f"from {ENV_LICENSE}",
    "from config.toml",
    "activated on this computer",
)


class Entitlements:
    """Permissions of the license of a data folder; thread-safe.

    *tier* overrides all keys, for measurements (:data:`~casetrack.base.license.tiers.UNLIMITED`);
    *clock* returns the present time (UTC).
    """

    def __init__(
        self,
        settings: Settings,
        /,
        *,
        tier: tiers.Tier | None = None,
        clock: Callable[[], datetime] = now_utc,
    ) -> None:
        self._settings = settings
        self._path = settings.data_dir / NAME
        self._fixed = None if tier is None else LicenseStatus(tier)
        self._clock = clock
        self._lock = threading.Lock()
        self._known: tuple[object, LicenseStatus] | None = None

    def of_edition(self, edition: str, /) -> Entitlements:
        """Return the permissions for collections of an edition; some editions have no tiers."""
        if edition not in tiers.UNLIMITED_EDITIONS:
            return self
        return Entitlements(self._settings, tier=tiers.UNLIMITED)

    @property
    def tier(self) -> tiers.Tier:
        """The tier in force."""
        return self.status().tier

    def status(self) -> LicenseStatus:
        """Return the tier in force and its key.

        Cached until ``license.json``, the environment or the day changes, so a running server sees
        an activation.
        """
        if self._fixed is not None:
            return self._fixed
        now = self._clock()
        seen = (
            os.environ.get(ENV_LICENSE),
            os.environ.get(signature.ENV_PUBLIC_KEYS),
            stamp_of(self._path),
            now.date(),
        )
        with self._lock:
            if self._known is None or self._known[0] != seen:
                self._known = (seen, self._judge(now))
            return self._known[1]

    # --- permissions ---------------------------------------------------------------------

    def allow_collection(self, count: int, /) -> None:
        """Raise ``FreeTierLimit`` if *count* collections are the maximum."""
        self._allow("collection", self.tier.collections, count)

    def allow_document(self, count: int, /) -> None:
        """Raise ``FreeTierLimit`` if *count* documents are the maximum of a collection.

        Attachments are not counted, see :mod:`casetrack.base.license.tiers`.
        """
        self._allow("document", self.tier.documents, count)

    def _allow(self, noun: str, limit: int | None, count: int) -> None:
        if limit is not None and count >= limit:
            status = self.status()
            raise FreeTierLimit.of_count(noun, status.tier.title, limit, count, hint=status.reason)

    def allow_archive(self, count: int, /) -> None:
        """Raise ``FreeTierLimit`` if an imported collection has too many documents."""
        status = self.status()
        limit = status.tier.documents
        if limit is not None and count > limit:
            raise FreeTierLimit.of_archive(status.tier.title, limit, count, hint=status.reason)

    def allows(self, feature: str, /) -> bool:
        """Return whether the tier has one of :data:`~casetrack.base.license.tiers.FEATURES`."""
        return feature in self.tier.features

    def require(self, feature: str, /) -> None:
        """Raise ``FreeTierLimit`` if the tier lacks a feature; see :meth:`allows`."""
        title = tiers.FEATURES[feature]
        status = self.status()
        if feature not in status.tier.features:
            raise FreeTierLimit.of_feature(
                status.tier.title, title, instead=tiers.INSTEAD[feature], hint=status.reason
            )

    # --- which key counts ----------------------------------------------------------------

    def candidates(self) -> Iterator[tuple[str, str]]:
        """Yield ``(source, key)`` of every given key, in order of precedence.

        Raises ``LicenseFileDamaged``: ``license.json`` cannot be read; raised after the keys of
        other origins.
        """
        given: tuple[tuple[str, str | None], ...] = (
            (OPTION, self._settings.license_option),
            (ENVIRONMENT, os.environ.get(ENV_LICENSE)),
            (CONFIG, self._settings.license_key),
        )
        for source, key in given:
            if is_given(key):
                yield source, key
        stored = read_license_file(self._path).key
        if is_given(stored):
            yield ACTIVATED, stored

    def _judge(self, now: datetime) -> LicenseStatus:
        failed: list[LicenseStatus] = []
        try:
            for source, text in self.candidates():
                status = self._judge_key(source, text, now)
                if not status.reason:
                    return replace(status, others=tuple(s.reason for s in failed))
                failed.append(status)
        except LicenseFileDamaged as error:
            reason = (
                f"{self._path} cannot be read: {error}. Activate the key again with "
                f"{See('license activate', 'KEY')}."
            )
            failed.append(LicenseStatus(tiers.FREE, reason=reason))
        if not failed:
            return LicenseStatus(tiers.FREE)
        return replace(failed[0], others=tuple(s.reason for s in failed[1:]))

    def _judge_key(self, source: str, text: str, now: datetime) -> LicenseStatus:
        try:
            key = usable_key(text, now.date())
            record = self._record(key, now)
            return valid_status(key, source, record, confirmed_until(key, record, now), now)
        except UnusableKey as error:
            return invalid_status(source, error)

    def _record(self, key: LicenseKey, now: datetime) -> Record:
        """Return the record of a key; note the first use if the key needs confirmation."""
        name = key.signed_text()
        try:
            content = read_license_file(self._path)
        except LicenseFileDamaged as error:
            if key.claims.offline:
                return Record(now)
            raise UnusableKey(
                f"has to be confirmed, and {self._path} cannot be read: {error}. Activate the key "
                f"again with {See('license activate', 'KEY')}",
                key,
            ) from error
        record = content.records.get(name)
        if record is not None or key.claims.offline:
            return record or Record(now)
        return self._note_first_use(content, name, Record(now)) or issued_record(key)

    def _note_first_use(self, content: LicenseFile, name: str, record: Record) -> Record | None:
        try:
            write_license_file(self._path, content.with_record(name, record))
        except OSError:
            # A folder that cannot be written takes no document either; its owner may still search.
            return None
        return record


def issued_record(key: LicenseKey, /) -> Record:
    """Return the record of a key whose first use cannot be stored: it counts from its issue."""
    return Record(datetime.combine(key.claims.issued, time(), UTC))


def is_given(key: str | None, /) -> TypeGuard[str]:
    """Return whether a setting has a key; programs leave a placeholder for an omitted one."""
    return bool(key and key.strip() and not key.strip().startswith("${"))
