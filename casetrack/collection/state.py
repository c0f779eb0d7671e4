"""What all parts of a collection's facade stand on."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from casetrack.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from casetrack.collection.attending import Attendant
    from casetrack.config import Settings
    from casetrack.encoders import Encoders
    from casetrack.graph.graph import ContextGraph
    from casetrack.license import Entitlements
    from casetrack.records import CollectionInfo, Illustrate, Picture
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index


class Opened:
    """An open collection. May be used from several threads.

    Attributes
    ----------
    workspace
        The collection, as everything below the facade takes it.
    attendant
        Shows long work to a person; set by :func:`casetrack.open`, ``None`` elsewhere.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        encoders: Encoders,
        entitlements: Entitlements | None = None,
        /,
    ) -> None:
        self.workspace = Workspace(folder, settings, encoders, entitlements)
        self.attendant: Attendant | None = None

    @property
    def folder(self) -> Path:
        """The collection's folder."""
        return self.workspace.folder

    @property
    def info(self) -> CollectionInfo:
        """The collection's facts, read anew each time."""
        return self.workspace.info

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.workspace.name

    @property
    def settings(self) -> Settings:
        """The settings of its data folder."""
        return self.workspace.settings

    @property
    def entitlements(self) -> Entitlements:
        """What the license allows."""
        return self.workspace.entitlements

    def require_active(self) -> None:
        """Refuse what a closed or archived collection does not take."""
        self.workspace.require_active()

    def snapshot(self) -> Snapshot:
        """Return the newest committed state."""
        return self.workspace.state().snapshot

    def forget(self) -> None:
        """Let go of all that is in memory; the next call opens it anew."""
        self.workspace.forget()

    def index(self) -> tuple[Snapshot, Index]:
        """Return the newest committed state with its search index, caught up."""
        state = self.workspace.state()
        return state.snapshot, state.index

    def context_graph(self, *, needs: str | None = None) -> ContextGraph:
        """Return the graph of the newest committed state.

        Parameters
        ----------
        needs
            What it is for, one of :data:`casetrack.license.tiers.FEATURES`; ``None`` is for all.

        Raises
        ------
        FreeTierLimit
            The tier does not have what it is for.
        """
        if needs is not None:
            self.entitlements.require(needs)
        return self.workspace.state().graph

    @property
    def _illustrate(self) -> Illustrate:
        """What draws passages; it holds no open file, so that results can be pickled."""
        return functools.partial(_pictures, self.folder, self.settings)


def _pictures(folder: Path, settings: Settings, chunk_ids: Sequence[str]) -> Mapping[str, Picture]:
    from casetrack.viewer.pictures import pictures

    return pictures(folder, settings, chunk_ids)
