"""What a library can do with exported collections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from casetrack.errors import UsageError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from casetrack.config import Settings
    from casetrack.license import Entitlements
    from casetrack.records import CollectionInfo
    from casetrack.records.transfer import ImportReport


class _Opened(Protocol):
    @property
    def info(self) -> CollectionInfo: ...


class Importing(ABC):
    """Part of :class:`casetrack.library.Library`."""

    settings: Settings
    entitlements: Entitlements

    @abstractmethod
    def get(self, name_or_id: str, /) -> _Opened:
        """Open a collection."""

    @abstractmethod
    def missing_models(self, profile: str, /) -> str | None:
        """Tell which models of a profile are not installed."""

    @abstractmethod
    def _allow_collection(self) -> None:
        """Refuse one more collection where the tier does not allow it."""

    @abstractmethod
    def _sweep(self) -> None:
        """Remove what killed programs left."""

    def import_archive(
        self,
        path: str | Path,
        /,
        *,
        name: str | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> ImportReport:
        """Make a new collection of a file that ``Collection.export`` wrote.

        Everything in the file is checked before anything can be seen. The collection gets a new
        id; the status, the tags and all other facts come along.

        Parameters
        ----------
        path
            The ``.ctcollection`` file.
        name
            What to call it; without it, as it was called, or ``Name (2)`` where that is taken.
        progress
            Called from this thread with what is being done, how much is done, and of how much.
        cancel
            Set it to stop.

        Raises
        ------
        FileNotFound, WrongPathKind
            There is no such file.
        CollectionExists, UsageError
            *name* is taken, or cannot be a name.
        ArchiveDamaged
            The file is damaged or no exported collection; nothing was imported.
        FutureSchema
            It was written by a newer version.
        FreeTierLimit
            There are as many collections as the tier allows, or more documents in the file.
        JobStopped
            *cancel* was set; nothing was imported.
        DiskFull, NotWritable, StorageError
            The data folder cannot be written.
        """
        from casetrack.transfer.bring import Admission, bring_in

        self._sweep()
        report = bring_in(
            self.settings,
            Path(path).expanduser(),
            name=name,
            admit=Admission(self._allow_collection, self.entitlements.allow_archive),
            tell=progress,
            cancel=cancel,
        )
        info = self.get(report.collection_id).info  # migrates what an earlier version wrote
        try:
            missing = self.missing_models(info.profile)
        except UsageError:
            missing = (
                f'This CaseTrack does not know the profile "{info.profile}" of its vectors, so '
                "passages are found by their words only. Choose other models with `casetrack "
                "reindex --profile`."
            )
        return replace(report, notes=(missing,) if missing else ())
