"""An open collection: its folder, its settings, and the newest committed state."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from casetrack.base.license import Entitlements
from casetrack.base.registry import registered
from casetrack.store import marks, mirror
from casetrack.store.damage import damage_told
from casetrack.store.info import info_stamp, read_info, require_active, update_info
from casetrack.store.rewrite import in_force
from casetrack.store.workspace.retry import twice
from casetrack.store.workspace.state import State

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.base.records import CollectionInfo
    from casetrack.models.encoders import Encoders
    from casetrack.store.index.recall import Lists

    Searched = Callable[[State], Lists]
    """Makes the lists of one search of a state."""

R = TypeVar("R")


class Workspace:
    """An open collection. May be used from several threads; nothing needs to be closed.

    Reading never waits for writing: :meth:`state` returns what is committed at that moment.

    Parameters
    ----------
    folder
        The collection's folder.
    settings
        The settings of its data folder.
    encoders
        The models of the data folder.
    entitlements
        What the license allows; by default what the settings say of it.
    searched_by
        Makes the lists of each search of a state where other processes hold the segments; by
        default this one does.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        encoders: Encoders,
        entitlements: Entitlements | None = None,
        searched_by: Searched | None = None,
        /,
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.encoders = encoders
        self.entitlements = entitlements or Entitlements(settings)
        self.searched_by = searched_by
        self._lock = threading.Lock()
        self._newest: State | None = None
        self._named: tuple[object, str] | None = None

    @property
    def info(self) -> CollectionInfo:
        """The collection's facts, read anew each time."""
        mirror.pull(self.folder)
        return in_force(self.folder, read_info(self.folder))

    @property
    def name(self) -> str:
        """The collection's name, read anew where its file has changed."""
        stamp = info_stamp(self.folder)
        known = self._named
        if known is None or stamp is None or known[0] != stamp:
            known = self._named = (stamp, read_info(self.folder).name)
        return known[1]

    def require_active(self) -> None:
        """Refuse before any work what a closed or archived collection does not take.

        Raises
        ------
        CollectionReadOnly
            It is closed or archived.
        """
        require_active(self.info)

    def state(self) -> State:
        """Return the newest committed state; the same one until something is committed or marked.

        Raises
        ------
        CollectionDamaged, CollectionGone
            It cannot be read, or was deleted meanwhile.
        """
        from casetrack.store.datasets import open_snapshot

        with self._lock:
            mirror.pull(self.folder)
            known = self._newest
            if known is None:
                known = State(self, open_snapshot(self.folder))
            elif not known.snapshot.is_current():
                known = known.next(open_snapshot(self.folder))
            elif known.stamp != marks.stamp(self.folder):
                known = known.next(known.snapshot)
            self._newest = known
            return known

    def ask(self, question: Callable[[State], R], /) -> R:
        """Return the answer that the newest committed state gives to *question*.

        A reader takes no lock, so the files of the state that it reads may be cleaned away
        meanwhile. That is no damage: the newest state is there, and is asked once more.

        Parameters
        ----------
        question
            Reads one state, and changes nothing.

        Raises
        ------
        Exception
            Whatever *question* raises; of real damage, what it raises the second time.
        """

        def read() -> R:
            with damage_told(self.folder):
                return question(self.state())

        return twice(read)

    def bring(self, home: str, /) -> None:
        """Copy the files of a view that lie elsewhere, and keep to the bound on such copies.

        Raises
        ------
        CollectionGone, CollectionDamaged, ObjectStorageError
            See :func:`casetrack.store.mirror.bring`.
        """
        from casetrack.store.room import make_room

        if mirror.bring(self.folder, home):
            make_room(self.folder, self.settings.cache_megabytes * 1_000_000)

    def forget(self) -> None:
        """Let go of all that is in memory; the next call opens it anew."""
        with self._lock:
            self._newest = None

    def catch_up(self, *, is_changed: bool = True) -> None:
        """Index what was added and note a change, so that the first search finds all done.

        Called while the write lock is held.
        """
        state = self.state()
        for bring_up in registered("after_commit").values():
            bring_up(state)

        def noted(info: CollectionInfo) -> CollectionInfo:
            moment = datetime.now(UTC) if is_changed else info.updated_at
            return replace(in_force(self.folder, info), updated_at=moment)

        update_info(self.folder, noted)
