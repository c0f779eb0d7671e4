"""One state of a collection after the other: what is committed, its index, its graph."""

from __future__ import annotations

import functools
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.errors import CollectionBusy, ModelError
from casetrack.license import Entitlements
from casetrack.store.info import read_info, require_active, update_info
from casetrack.store.rewrite import in_force

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from casetrack.collection.attending import Attendant
    from casetrack.config import Settings
    from casetrack.encoders import Encoders
    from casetrack.graph.graph import ContextGraph
    from casetrack.records import CollectionInfo, Document, Illustrate, Picture
    from casetrack.steps.embed import ContextText, Outputs
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index


class State:
    """What all parts of a collection's facade work on. May be used from several threads.

    Attributes
    ----------
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
        self.entitlements = entitlements or Entitlements(settings)
        self.folder = folder
        self._settings = settings
        self._encoders = encoders
        self._lock = threading.Lock()
        self._state: tuple[Snapshot, Index | None] | None = None
        self._graph: tuple[Snapshot, ContextGraph] | None = None
        self.attendant: Attendant | None = None
        self._is_attended = False

    @property
    def info(self) -> CollectionInfo:
        """The collection's facts, read anew each time."""
        return in_force(self.folder, read_info(self.folder))

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.info.name

    @property
    def settings(self) -> Settings:
        """The settings of its data folder."""
        return self._settings

    def require_active(self) -> None:
        """Refuse before any work what a closed or archived collection does not take.

        Raises
        ------
        CollectionReadOnly
            It is closed or archived.
        """
        require_active(self.info)

    def snapshot(self) -> Snapshot:
        """Return the newest committed state."""
        from casetrack.store.datasets import open_snapshot

        with self._lock:
            if self._state is None or not self._state[0].is_current():
                newest = open_snapshot(self.folder)
                # Compaction moves rows about, but leaves what the index says of them as it is.
                known = self._state[0] if self._state is not None else newest
                same = (known.version, known.generation) == (newest.version, newest.generation)
                self._state = (newest, self._state[1] if same and self._state else None)
            return self._state[0]

    def forget(self) -> None:
        """Let go of all that is in memory; the next call opens it anew."""
        with self._lock:
            self._state = self._graph = None

    def index(self) -> tuple[Snapshot, Index]:
        """Return the newest committed state with its search index, caught up."""
        from casetrack.views.index import open_index

        snapshot = self.snapshot()
        with self._lock:
            if self._state is not None and self._state[0] is snapshot and self._state[1]:
                return snapshot, self._state[1]
        index = open_index(self.folder, snapshot, fingerprint=self._fingerprint(snapshot))
        with self._lock:
            if self._state is not None and self._state[0] is snapshot:
                self._state = (snapshot, index)
        return snapshot, index

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
        from casetrack.graph.graph import ContextGraph

        if needs is not None:
            self.entitlements.require(needs)
        snapshot, index = self.index()
        with self._lock:
            if self._graph is None or self._graph[0] is not snapshot:
                info = self.info
                self._graph = (snapshot, ContextGraph(self.folder, info, snapshot, index))
            return self._graph[1]

    def _fingerprint(self, snapshot: Snapshot) -> str | None:
        """Return that of the models whose vectors count; ``None`` where they cannot be had."""
        try:
            models = self._encoders.get_installed(snapshot.profile, dimension=snapshot.dimension)
        except ModelError:
            # Words need no model; who asks for vectors is told what is wrong with it.
            return None
        return models.fingerprint if models else None

    def _documents_of(self, info: CollectionInfo) -> list[Document]:
        """Return all documents, unless other models were chosen since *info* was read."""
        snapshot = self.snapshot()
        if (snapshot.profile, snapshot.dimension) != (info.profile, info.dimension):
            raise CollectionBusy(
                f'Another process has meanwhile changed the profile of "{info.name}" from '
                f"{info.profile} to {snapshot.profile}. Nothing was taken in.",
                hint="Run the same command again.",
            )
        return list(snapshot.documents.values())

    def outputs_of(
        self, document: Document, models: str, pipeline: str, /
    ) -> dict[ContextText, Outputs]:
        """Return what models made of a document, by what they saw.

        Empty where they are not those of *models*, or the document did not come through
        *pipeline* (both are fingerprints): the models may then have seen other texts.
        """
        from casetrack.steps.context import CONTEXT_COLUMNS
        from casetrack.steps.embed import OUTPUTS, ContextText, Outputs

        if document.pipeline_fingerprint != pipeline:
            return {}
        columns = (*CONTEXT_COLUMNS, *OUTPUTS, "embedders")
        table = self.snapshot().scan(columns, revisions=[document.revision])
        return {
            ContextText.of(row): Outputs(*(row[name] for name in OUTPUTS))
            for row in table.to_pylist()
            if row["dense"] is not None and models in row["embedders"]
        }

    @property
    def _illustrate(self) -> Illustrate:
        """What draws passages; it holds no open file, so that results can be pickled."""
        return functools.partial(_pictures, self.folder, self._settings)

    def _catch_up(self) -> None:
        """Index what was added and note the change, so that the first search finds all done."""
        self.context_graph().catch_up()
        update_info(
            self.folder,
            lambda info: replace(in_force(self.folder, info), updated_at=datetime.now(UTC)),
        )


def _pictures(folder: Path, settings: Settings, chunk_ids: Sequence[str]) -> Mapping[str, Picture]:
    from casetrack.viewer.pictures import pictures

    return pictures(folder, settings, chunk_ids)
