"""The one place that is asked what may be done.

A key is taken from ``--license``, then ``CASETRACK_LICENSE``, then ``license_key`` in
``config.toml``, then what ``casetrack license activate`` has stored: the first one that counts.
Nothing here uses the network, and nothing raises but :class:`~casetrack.base.errors.FreeTierLimit`:
whatever is wrong with a key, the Free tier is in force and the reason is kept.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, TypeGuard

from casetrack.base.errors import FreeTierLimit, See
from casetrack.base.license.signature import ENV_PUBLIC_KEYS
from casetrack.base.license.status import (
    NAME,
    LicenseFile,
    LicenseFileDamaged,
    LicenseStatus,
    Record,
    Unusable,
    confirmed_until,
    counting,
    not_counting,
    now_utc,
    read_license_file,
    usable_key,
    write_license_file,
)
from casetrack.base.license.tiers import (
    FEATURES,
    FREE,
    INSTEAD,
    UNLIMITED,
    UNLIMITED_EDITIONS,
    Tier,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.base.license.key import LicenseKey

ENV_LICENSE = "CASETRACK_LICENSE"
OPTION, ENVIRONMENT, CONFIG, ACTIVATED = (
    "given by --license",
    f"from {ENV_LICENSE}",
    "from config.toml",
    "activated on this computer",
)


class Entitlements:
    """What the license of a data folder allows. May be used from several threads.

    Parameters
    ----------
    settings
        Of the data folder.
    tier
        A tier that holds whatever keys there are; for measuring, see
        :data:`~casetrack.base.license.tiers.UNLIMITED`.
    clock
        Returns the present moment (UTC).
    """

    def __init__(
        self,
        settings: Settings,
        /,
        *,
        tier: Tier | None = None,
        clock: Callable[[], datetime] = now_utc,
    ) -> None:
        self._settings = settings
        self._path = settings.data_dir / NAME
        self._fixed = None if tier is None else LicenseStatus(tier)
        self._clock = clock
        self._lock = threading.Lock()
        self._known: tuple[object, LicenseStatus] | None = None

    def of_edition(self, edition: str, /) -> Entitlements:
        """Return what may be done with collections of an edition: not every edition has tiers."""
        if edition not in UNLIMITED_EDITIONS:
            return self
        return Entitlements(self._settings, tier=UNLIMITED)

    @property
    def tier(self) -> Tier:
        """The tier in force."""
        return self.status().tier

    def status(self) -> LicenseStatus:
        """Return the tier in force and what it rests on.

        Worked out anew only when ``license.json``, the environment or the day has changed, so that
        a running server sees an activation.
        """
        if self._fixed is not None:
            return self._fixed
        now = self._clock()
        seen = (
            os.environ.get(ENV_LICENSE),
            os.environ.get(ENV_PUBLIC_KEYS),
            _stamp(self._path),
            now.date(),
        )
        with self._lock:
            if self._known is None or self._known[0] != seen:
                self._known = (seen, self._judge(now))
            return self._known[1]

    # --- what may be done ----------------------------------------------------------------

    def allow_collection(self, count: int, /) -> None:
        """Refuse one more collection where there are *count* and that is the most.

        Raises
        ------
        FreeTierLimit
        """
        status = self.status()
        limit = status.tier.collections
        if limit is not None and count >= limit:
            raise FreeTierLimit.of_collections(status.tier.title, limit, count, hint=status.reason)

    def allow_document(self, count: int, /) -> None:
        """Refuse one more document where a collection holds *count* and that is the most.

        Documents that came inside others are not counted, see :mod:`casetrack.base.license.tiers`.

        Raises
        ------
        FreeTierLimit
        """
        status = self.status()
        limit = status.tier.documents
        if limit is not None and count >= limit:
            raise FreeTierLimit.of_documents(status.tier.title, limit, count, hint=status.reason)

    def allow_archive(self, count: int, /) -> None:
        """Refuse a collection of *count* documents, brought in as a whole, where that is too many.

        Raises
        ------
        FreeTierLimit
        """
        status = self.status()
        limit = status.tier.documents
        if limit is not None and count > limit:
            raise FreeTierLimit.of_archive(status.tier.title, limit, count, hint=status.reason)

    def allows(self, feature: str, /) -> bool:
        """Return whether the tier has one of :data:`~casetrack.base.license.tiers.FEATURES`."""
        return feature in self.tier.features

    def require(self, feature: str, /) -> None:
        """Refuse what the tier does not have.

        Parameters
        ----------
        feature
            One of :data:`~casetrack.base.license.tiers.FEATURES`.

        Raises
        ------
        FreeTierLimit
        """
        title = FEATURES[feature]
        status = self.status()
        if feature not in status.tier.features:
            raise FreeTierLimit.of_feature(
                status.tier.title, title, instead=INSTEAD[feature], hint=status.reason
            )

    # --- which key counts ----------------------------------------------------------------

    def candidates(self) -> Iterator[tuple[str, str]]:
        """Yield ``(source, key)`` of every key that is there, the first to count first.

        Raises
        ------
        LicenseFileDamaged
            ``license.json`` cannot be read; raised after the keys of other places.
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
            failed.append(LicenseStatus(FREE, reason=reason))
        if not failed:
            return LicenseStatus(FREE)
        return replace(failed[0], others=tuple(s.reason for s in failed[1:]))

    def _judge_key(self, source: str, text: str, now: datetime) -> LicenseStatus:
        try:
            key = usable_key(text, now.date())
            record = self._record(key, now)
            return counting(key, source, record, confirmed_until(key, record, now), now)
        except Unusable as error:
            return not_counting(source, error)

    def _record(self, key: LicenseKey, now: datetime) -> Record:
        """Return what is known of a key; its first use is noted where it has to be confirmed."""
        name = key.signed_text()
        try:
            content = read_license_file(self._path)
        except LicenseFileDamaged as error:
            if key.claims.offline:
                return Record(now)
            raise Unusable(
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
    """Return the record of a key whose first use cannot be noted: it counts from its issue."""
    return Record(datetime.combine(key.claims.issued, time(), UTC))


def is_given(key: str | None, /) -> TypeGuard[str]:
    """Return whether a setting holds a key; programs leave a place holder where it was left out."""
    return bool(key and key.strip() and not key.strip().startswith("${"))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        # Not there, or not to be read: the reason comes from reading it.
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
