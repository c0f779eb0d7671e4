"""The data folder and its collections.

The list of collections is the list of folders below ``collections`` that hold a
``collection.json``; there is no second register that could disagree.
"""

from __future__ import annotations

import contextlib
import shutil
import time
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from casetrack import names
from casetrack.collection import Collection
from casetrack.config import load_settings
from casetrack.encoders import Encoders
from casetrack.errors import (
    CollectionDamaged,
    CollectionExists,
    CollectionNotFound,
    FutureSchema,
    UsageError,
)
from casetrack.records import (
    COLLECTION_TYPES,
    DEFAULT_PROFILE,
    CollectionInfo,
    HealthReport,
)
from casetrack.resources import SCHEMA_VERSION
from casetrack.store.files import storage_errors
from casetrack.store.info import read_info, write_info
from casetrack.store.rewrite import settle_if_idle

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from casetrack.config import Settings
    from casetrack.records import CollectionStatus

_MAX_NAME = 200
_ABANDONED_SECONDS = 3600.0
DEFAULT_PIPELINE = "standard"


class Library:
    """All collections of a data folder.

    Parameters
    ----------
    settings
        Where the data lies; see :func:`casetrack.config.load_settings`.
    """

    def __init__(self, settings: Settings, /) -> None:
        self.settings = settings
        self.encoders = Encoders.of(settings)
        self._open: dict[str, Collection] = {}

    @classmethod
    def open(cls, data_dir: str | Path | None = None, /) -> Library:
        """Open the data folder: the argument, else ``CASETRACK_HOME``, else the default one."""
        return cls(load_settings(data_dir))

    def collections(
        self, *, status: CollectionStatus | Literal["all"] = "all"
    ) -> list[CollectionInfo]:
        """Return the collections, the one changed last first.

        Folders whose ``collection.json`` cannot be read are left out; see :meth:`damaged`.
        """
        infos, _ = self._scan()
        chosen = [i for i in infos if status in {"all", i.status}]
        return sorted(chosen, key=lambda i: (-i.updated_at.timestamp(), i.name))

    def damaged(self) -> list[tuple[Path, str]]:
        """Return ``(folder, reason)`` of every collection folder that cannot be read."""
        return self._scan()[1]

    def create(
        self,
        name: str,
        /,
        *,
        collection_type: str = "other",
        description: str | None = None,
        reference: str | None = None,
        tags: Iterable[str] = (),
        profile: str = DEFAULT_PROFILE,
    ) -> Collection:
        """Make a new, empty collection.

        Parameters
        ----------
        name
            1 to 200 characters; unique, letter case aside.
        collection_type
            One of :data:`~casetrack.records.COLLECTION_TYPES`, in any letter case.
        description, reference, tags
            For people; ``reference`` is an identifier of their own.
        profile
            Which models make its vectors; they need not be installed yet. A service is asked once
            how long its vectors are. See also :meth:`profile_notice`, :meth:`missing_models`.

        Raises
        ------
        UsageError
            The name, the type or the profile does not fit.
        ProviderError
            The service of the profile cannot be used; no collection was made.
        CollectionExists
            The name is taken.
        NotWritable, DiskFull, StorageError
            The data folder cannot be written.
        """
        name = name.strip()
        kind = collection_type.strip().lower()
        _check_name(name)
        if kind not in COLLECTION_TYPES:
            raise UsageError(
                f"Unknown collection type {collection_type!r}.",
                hint=f"Use one of: {', '.join(COLLECTION_TYPES)}.",
            )
        for info in self.collections():
            if info.name.casefold() == name.casefold():
                raise CollectionExists(info.name, info.id)
        profile = profile.strip().lower()
        now = datetime.now(UTC)
        info = CollectionInfo(
            id=str(uuid.uuid4()),
            name=name,
            type=kind,
            status="active",
            description=description,
            reference=reference,
            tags=tuple(tags),
            edition="collections",
            schema_version=SCHEMA_VERSION,
            pipeline=DEFAULT_PIPELINE,
            profile=profile,
            dimension=self._dimension(profile),
            created_at=now,
            updated_at=now,
        )
        return self._make(info)

    def get(self, name_or_id: str, /) -> Collection:
        """Return the collection of a name or an id (its first 8 characters are enough).

        Raises
        ------
        CollectionNotFound, AmbiguousName
            None fits (near names are suggested), or several do.
        CollectionDamaged
            The folder of this id cannot be read.
        FutureSchema
            It was made by a newer version.
        """
        infos = self.collections()
        entries = [names.Entry(i.id, i.name) for i in infos]
        found = names.find(name_or_id, entries, kind="collection")
        if found is None:
            for folder, reason in self.damaged():
                if folder.name.startswith(name_or_id.strip()):
                    raise CollectionDamaged(reason, hint="Run `casetrack doctor` for details.")
            raise CollectionNotFound(name_or_id, names.near(name_or_id, entries))
        info = infos[found]
        if info.schema_version > SCHEMA_VERSION:
            raise FutureSchema(info.schema_version, SCHEMA_VERSION)
        if info.id not in self._open:
            folder = self.settings.collections_dir / info.id
            if info.schema_version < SCHEMA_VERSION:
                from casetrack.store.upgrade import upgrade

                upgrade(folder)
            settle_if_idle(folder)
            self._open[info.id] = Collection(folder, self.settings, self.encoders)
        return self._open[info.id]

    def delete(self, name_or_id: str, /) -> CollectionInfo:
        """Delete a collection with all its data; source files stay where they are.

        Raises
        ------
        CollectionNotFound, AmbiguousName
            See :meth:`get`.
        CollectionBusy
            Somebody is writing to it.
        """
        from casetrack.store.lock import write_lock

        collection = self.get(name_or_id)
        info = collection.info
        with write_lock(collection.folder, timeout=30.0):
            # One rename takes it out of sight whole; what follows is only cleaning.
            doomed = self.settings.collections_dir / f".deleted-{info.id}"
            with storage_errors(collection.folder):
                collection.folder.rename(doomed)
        self._sweep()
        self._open.pop(info.id, None)
        return info

    def doctor(self) -> HealthReport:
        """Check the data folder, the models and every collection."""
        from casetrack.health import check_data_dir, check_models, damaged_collection

        checks = [check_data_dir(self.settings.data_dir), *check_models(self.settings.models_dir)]
        checks += [damaged_collection(folder, reason) for folder, reason in self.damaged()]
        for info in self.collections():
            for check in self.get(info.id).doctor().checks:
                checks.append(replace(check, name=f"{info.name}: {check.name}"))
        return HealthReport(tuple(checks))

    def profile_notice(self, profile: str, /) -> str | None:
        """Return the line to show who chooses a profile whose texts leave this machine.

        Raises
        ------
        UsageError
            There is no such profile.
        """
        from casetrack.models import providers
        from casetrack.models.profiles import find_profile

        chosen = find_profile(profile.strip().lower())
        return providers.notice(chosen.name, self.settings) if chosen.provider else None

    def missing_models(self, profile: str, /) -> str | None:
        """Return what to do about models of a profile that are not installed, if there are any.

        Raises
        ------
        UsageError
            There is no such profile.
        """
        from casetrack.models import pull
        from casetrack.models.profiles import find_profile

        chosen = find_profile(profile.strip().lower())
        ready = {model.name for model in pull.installed(self.settings.models_dir)}
        missing = [name for name in chosen.model_names if name not in ready]
        if not missing:
            return None
        command = "casetrack models pull"
        command += "" if chosen.name == DEFAULT_PROFILE else f" {chosen.name}"
        return (
            f'The models of the profile "{chosen.name}" are not installed yet '
            f"({', '.join(missing)}): until then documents are found by their words only. "
            f"Run `{command}` once while online; what is taken in before that gets its vectors "
            "by `casetrack reindex`."
        )

    def _dimension(self, profile: str) -> int:
        from casetrack.models.profiles import find_profile

        known = find_profile(profile).dimension
        return self.encoders.get(profile).dimension if known is None else known

    def _make(self, info: CollectionInfo) -> Collection:
        from casetrack.store import datasets

        home = self.settings.collections_dir
        self._sweep()
        building = home / f".new-{info.id}"
        with storage_errors(home):
            building.mkdir(parents=True)
        try:
            datasets.create(building, info.dimension, profile=info.profile)
            write_info(building, info)
            with storage_errors(home):
                building.rename(home / info.id)
        except BaseException:
            shutil.rmtree(building, ignore_errors=True)
            raise
        return self.get(info.id)

    def _sweep(self) -> None:
        """Remove folders of collections whose making or deleting was cut short."""
        home = self.settings.collections_dir
        for folder in home.glob(".deleted-*"):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in home.glob(".new-*"):
            # A younger one may be another process at work, which may finish at this moment.
            with contextlib.suppress(FileNotFoundError):
                if time.time() - folder.stat().st_mtime > _ABANDONED_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)

    def _scan(self) -> tuple[list[CollectionInfo], list[tuple[Path, str]]]:
        infos, damaged = [], []
        home = self.settings.collections_dir
        if not home.is_dir():
            return [], []
        for folder in sorted(home.iterdir()):
            if folder.name.startswith(".") or not folder.is_dir():
                continue
            try:
                infos.append(read_info(folder))
            except CollectionDamaged as error:
                damaged.append((folder, error.message))
        return infos, damaged


def _check_name(name: str) -> None:
    if not name or len(name) > _MAX_NAME:
        raise UsageError(
            f"A collection name has 1 to {_MAX_NAME} characters, not {len(name)}.",
            hint="Choose a short name such as 'Project Alpha'.",
        )
    if not name.isprintable():
        raise UsageError(
            "A collection name cannot hold line breaks or control characters.",
            hint="Choose a short name such as 'Project Alpha'.",
        )
