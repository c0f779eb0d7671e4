"""An open collection, and its committed states: live documents, search index, passages."""

from __future__ import annotations

import functools
import threading
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from casetrack.base.arguments import DocumentRef, PassageRef, ShortIds, document_name, passage_id
from casetrack.base.errors import CollectionDamaged, ModelError, QueryError
from casetrack.base.files import stamp_of
from casetrack.base.license import Entitlements
from casetrack.base.records import Chunk, ChunkWindow, CollectionInfo, Document, UntakenFile
from casetrack.base.registry import registered
from casetrack.store import marks, mirror, passages
from casetrack.store.damage import damage_errors
from casetrack.store.info import FILE, read_info, require_active, update_info
from casetrack.store.place import FILE as PLACE
from casetrack.store.rewrite import in_force
from casetrack.store.source_states import stale_sources
from casetrack.store.untaken import untaken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from casetrack.base.config import Settings
    from casetrack.models.encoders import Encoders
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import CandidateLists

    Searched = Callable[["State"], CandidateLists]
    """Makes the candidate lists of one search of a state."""

# Damage met by a method of a collection object is reported as such.

_HELD, _SHOWN = "_workspace", "workspace"
"""Attributes that refer to the workspace."""
P = ParamSpec("P")
R = TypeVar("R")


S = TypeVar("S")


def raises_damage(method: Callable[Concatenate[S, P], R], /) -> Callable[Concatenate[S, P], R]:
    """Let a method raise ``CollectionDamaged`` for errors of Lance and Arrow in damaged files."""

    @functools.wraps(method)
    def wrapped(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        workspace: Workspace = getattr(self, _HELD, None) or getattr(self, _SHOWN)
        with damage_errors(workspace.folder):
            return method(self, *args, **kwargs)

    return wrapped


# The only place that retries after a state was cleaned away during a read.


_STORED = "_stored_chunks"
"""Name in DuckDB's errors when it cannot read rows of Lance."""
_is_asking: ContextVar[bool] = ContextVar("casetrack_is_asking", default=False)


def retry_once(read: Callable[[], R], /) -> R:
    """Call *read*; on an error call it once more, in case its state was cleaned away.

    *read* opens the newest state itself and changes nothing. Real damage fails again and is raised.
    Of nested calls only the outermost one is repeated.
    """
    if _is_asking.get():
        return read()
    mark = _is_asking.set(True)
    try:
        return read()
    except CollectionDamaged:
        return read()
    except QueryError as error:
        # A wrong statement is not run again.
        if _STORED not in error.message:
            raise
        return read()
    finally:
        _is_asking.reset(mark)


class State:
    """One committed state, even if a newer one exists. Safe for use from several threads.

    Created by :meth:`Workspace.state`. The index is opened on first use and kept.

    Attributes
    ----------
    stamp, marks
        A value that changes with the user's marks, and the marks.
    """

    def __init__(
        self, workspace: Workspace, snapshot: Snapshot, index: Index | None = None, /
    ) -> None:
        self.workspace = workspace
        self.snapshot = snapshot
        self._index = index
        self._before: Index | None = None
        self._made: dict[Callable[[State], Any], Any] = {}
        self._lock = threading.RLock()
        # Read before the marks, so that a mark added in between is not missed.
        self.stamp = marks.stamp(workspace.folder)
        self.marks = marks.read(workspace.folder)

    @property
    def index(self) -> Index:
        """The search index of this state."""
        from casetrack.store.index.index import open_index

        with self._lock:
            if self._index is None:
                folder = self.workspace.folder
                self.workspace.pull_view("views/index")
                self._index = open_index(folder, self.snapshot, fingerprint=self._fingerprint())
                self._before = None
            return self._index

    def once(self, make: Callable[[State], R], /) -> R:
        """Return *make* of this state; it is called once, and the result is kept with the state."""
        with self._lock:
            if make not in self._made:
                self._made[make] = make(self)
            value: R = self._made[make]
            return value

    def next(self, snapshot: Snapshot, /) -> State:
        """Return the state of a newer snapshot, with the index of this one if it is still valid."""
        mine = self.snapshot
        same = (mine.version, mine.generation) == (snapshot.version, snapshot.generation)
        state = State(self.workspace, snapshot, self._index if same else None)
        # Its mapped segments are mostly also those of the next index.
        state._before = self._index or self._before
        return state

    def _fingerprint(self) -> str | None:
        """Return the fingerprint of the vector models; ``None`` if they are not available."""
        encoders, snapshot = self.workspace.encoders, self.snapshot
        try:
            models = encoders.get_installed(snapshot.profile, dimension=snapshot.dimension)
        except ModelError:
            # Keyword search needs no model; vector search reports this error itself.
            return None
        return models.fingerprint if models else None

    def stale_notes(self, sources: Iterable[str | None], /) -> list[str]:
        """Return a warning for each of *sources* whose documents may be outdated.

        A source is stale after its last sync failed or did not finish. This reads its present
        status, not the one at the time of the state.
        """
        wanted = set(sources) - {None}
        stale = stale_sources(self.workspace.folder) if wanted else {}
        return [
            f"Documents from {name} may be outdated. {problem}"
            for name, problem in sorted(stale.items())
            if name in wanted
        ]

    def untaken(self) -> tuple[UntakenFile, ...]:
        """Return the files that are missing or outdated in the collection, with reasons."""
        return untaken(self.workspace.folder, self.snapshot.documents.values())

    # --- documents and passages ---------------------------------------------------------------

    def documents(self) -> list[Document]:
        """Return all documents, the last added ones first."""
        return sorted(
            self.snapshot.documents.values(),
            key=lambda d: (-d.ingested_at.timestamp(), d.name.casefold(), d.path),
        )

    def document(self, named: DocumentRef, whole: bool = False, /) -> Document:
        """Return a document by record, id or name; a part of a name only if not *whole*."""
        return passages.find_document(self.snapshot, document_name(named), whole=whole)

    def attached_to(self, document: Document, /) -> list[Document]:
        """Return the attachments of a document, of all levels."""
        return passages.attached_to(self.snapshot, document)

    def chunk(self, place: PassageRef, /) -> Chunk:
        """Return the chunk that contains a passage."""
        chunk_id = passage_id(place)
        if self._index is not None and (at := self._index.places([chunk_id])):
            # A row is read in a fifth of the time that a search for the id takes.
            rows = self.snapshot.take(self._index.row_ids([at[chunk_id]]), passages.COLUMNS)
            return passages.make_chunks(rows, self.snapshot)[0]
        return passages.find_chunk(self.snapshot, chunk_id)

    def chunk_id(self, place: PassageRef, /) -> str:
        """Return the whole id of the chunk that contains a passage."""
        return passages.whole_chunk_id(self.snapshot, passage_id(place))

    def short_chunk_ids(self) -> ShortIds:
        """Return the abbreviations of all passage ids: see :class:`ShortIds`.

        Computed once per state, because it reads all ids.
        """
        return self.once(_short_chunk_ids)

    def short_document_ids(self) -> ShortIds:
        """Return the abbreviations of all document ids."""
        return self.once(_short_document_ids)

    def chunks_of(self, document: Document, /) -> list[Chunk]:
        """Return the chunks of a document in reading order."""
        return passages.chunks_of(self.snapshot, document)

    def siblings(self, place: PassageRef, /) -> tuple[list[Chunk], int]:
        """Return the chunks of a passage's document, and the position of the passage among them."""
        chunk = self.chunk(place)
        chunks = self.chunks_of(self.snapshot.documents[chunk.provenance.document_id])
        return chunks, next(i for i, c in enumerate(chunks) if c.chunk_id == chunk.chunk_id)

    def around(self, place: PassageRef, window: int, /) -> ChunkWindow:
        """Return a passage with up to *window* chunks before and after it in its document."""
        if not window:
            return ChunkWindow((), self.chunk(place), ())
        own = self.chunk(place)
        near = passages.chunks_near(self.snapshot, own, window)
        at = next(i for i, chunk in enumerate(near) if chunk.chunk_id == own.chunk_id)
        return ChunkWindow(tuple(near[:at]), near[at], tuple(near[at + 1 :]))


def _short_chunk_ids(state: State) -> ShortIds:
    return passages.short_chunk_ids(state.snapshot)


def _short_document_ids(state: State) -> ShortIds:
    documents = state.snapshot.documents
    return ShortIds.among(documents, taken=(d.name for d in documents.values()))


class Workspace:
    """An open collection. Safe for use from several threads; it needs no closing.

    Readers never wait for writers: :meth:`state` returns the newest commit.

    Parameters
    ----------
    entitlements
        The rights of the license; by default those in the settings.
    searched_by
        Makes the candidate lists of a search if other processes have the segments; by default this
        process does.
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
        """The collection's facts, read again each time."""
        self._pull()
        return in_force(self.folder, read_info(self.folder))

    @property
    def name(self) -> str:
        """The collection's name, read again when its file changes."""
        stamp = stamp_of(self.folder / FILE)
        known = self._named
        if known is None or stamp is None or known[0] != stamp:
            known = self._named = (stamp, read_info(self.folder).name)
        return known[1]

    def _pull(self) -> None:
        """Copy remote changes; the collection may have moved to object storage since."""
        if (self.folder / PLACE).exists():
            mirror.pull(self.folder)

    def require_active(self) -> None:
        """Refuse a change of a closed or archived collection before any work."""
        require_active(self.info)

    def state(self) -> State:
        """Return the newest committed state; the same object until the next commit or mark."""
        from casetrack.store.datasets import open_snapshot
        from casetrack.store.state_view import open_kept

        with self._lock:
            self._pull()
            known = self._newest
            if known is None:
                known = State(self, open_kept(self.folder))
            elif not known.snapshot.is_current():
                known = known.next(open_snapshot(self.folder))
            elif known.stamp != marks.stamp(self.folder):
                known = known.next(known.snapshot)
            self._newest = known
            return known

    def ask(self, question: Callable[[State], R], /) -> R:
        """Return the answer of the newest committed state to *question*.

        A reader takes no lock, so the files of its state may be cleaned away during the read. Then
        the question is asked once more, of the newest state. *question* reads one state and changes
        nothing.
        """

        def read() -> R:
            with damage_errors(self.folder):
                return question(self.state())

        return retry_once(read)

    def pull_view(self, home: str, /) -> None:
        """Copy the remote files of a view, and limit the disk space of such copies."""
        from casetrack.store.copy_limit import limit_copies

        if mirror.pull_view(self.folder, home):
            limit_copies(self.folder, self.settings.cache_megabytes * 1_000_000)

    def forget(self) -> None:
        """Release everything in memory; the next call opens it again."""
        with self._lock:
            self._newest = None

    def catch_up(self, *, is_changed: bool = True) -> None:
        """Index the added documents and record a change; called under the write lock.

        The first search then needs no indexing.
        """
        state = self.state()
        for bring_up in registered("after_commit").values():
            bring_up(state)

        def noted(info: CollectionInfo) -> CollectionInfo:
            moment = datetime.now(UTC) if is_changed else info.updated_at
            return replace(in_force(self.folder, info), updated_at=moment)

        update_info(self.folder, noted)
