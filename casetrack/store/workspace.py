"""An open collection, and one committed state of it: what is live, its index, its passages."""

from __future__ import annotations

import functools
import threading
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from casetrack.base.arguments import ShortIds, document_name, passage_id
from casetrack.base.errors import CollectionDamaged, ModelError, QueryError
from casetrack.base.files import stamp_of
from casetrack.base.license import Entitlements
from casetrack.base.records import ChunkWindow
from casetrack.base.registry import registered
from casetrack.store import marks, mirror, passages
from casetrack.store.damage import damage_told
from casetrack.store.info import FILE, read_info, require_active, update_info
from casetrack.store.place import FILE as PLACE
from casetrack.store.rewrite import in_force
from casetrack.store.source_states import stale_sources
from casetrack.store.untaken import untaken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from casetrack.base.arguments import DocumentRef, PassageRef
    from casetrack.base.config import Settings
    from casetrack.base.records import Chunk, CollectionInfo, Document, UntakenFile
    from casetrack.models.encoders import Encoders
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import CandidateLists

    Searched = Callable[["State"], CandidateLists]
    """Makes the lists of one search of a state."""

# Damage that is met in a longer work on a collection is told as such.

_HELD, _SHOWN = "_workspace", "workspace"
"""What an object that works on a collection calls it."""
P = ParamSpec("P")
R = TypeVar("R")


S = TypeVar("S")


def tells_damage(method: Callable[Concatenate[S, P], R], /) -> Callable[Concatenate[S, P], R]:
    """Let a method raise ``CollectionDamaged`` for whatever Lance and Arrow say of damaged files.

    See :func:`casetrack.store.damage.damage_told`.
    """

    @functools.wraps(method)
    def told(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        workspace: Workspace = getattr(self, _HELD, None) or getattr(self, _SHOWN)
        with damage_told(workspace.folder):
            return method(self, *args, **kwargs)

    return told


# The one place that asks again where a state was cleaned away while it was read.


_STORED = "_stored_chunks"
"""What DuckDB names when it cannot read the rows that lie in Lance."""
_is_asking: ContextVar[bool] = ContextVar("casetrack_is_asking", default=False)


def twice(read: Callable[[], R], /) -> R:
    """Return what *read* returns, of the newest state if the one that it began with is gone.

    Real damage is there the second time as well, and is told then. A reading within another one is
    not repeated by itself: the outer one is.

    Parameters
    ----------
    read
        Opens the newest committed state itself, and changes nothing.

    Raises
    ------
    CollectionDamaged, QueryError
        The data cannot be read. Any other error of *read* is raised at once.
    """
    if _is_asking.get():
        return read()
    mark = _is_asking.set(True)
    try:
        return read()
    except CollectionDamaged:
        return read()
    except QueryError as error:
        # A wrong statement need not be run twice.
        if _STORED not in error.message:
            raise
        return read()
    finally:
        _is_asking.reset(mark)


class State:
    """One committed state, whatever is the newest by now. May be used from several threads.

    Made by :meth:`Workspace.state`. The index is opened when first asked for, and kept.

    Parameters
    ----------
    workspace
        The collection.
    snapshot
        What is live in this state.
    index
        Its search index, where that is known already.

    Attributes
    ----------
    stamp, marks
        What the user had marked by then, and what changes with it.
    """

    def __init__(
        self, workspace: Workspace, snapshot: Snapshot, index: Index | None = None, /
    ) -> None:
        self.workspace = workspace
        self.snapshot = snapshot
        self._index = index
        self._made: dict[Callable[[State], Any], Any] = {}
        self._lock = threading.RLock()
        # Before the marks themselves, so that one made between the two is not overlooked.
        self.stamp = marks.stamp(workspace.folder)
        self.marks = marks.read(workspace.folder)

    @property
    def index(self) -> Index:
        """The search index, caught up with this state.

        Raises
        ------
        CollectionDamaged
            What is stored cannot be read.
        """
        from casetrack.store.index.index import open_index

        with self._lock:
            if self._index is None:
                folder = self.workspace.folder
                self.workspace.bring("views/index")
                self._index = open_index(folder, self.snapshot, fingerprint=self._fingerprint())
            return self._index

    def once(self, make: Callable[[State], R], /) -> R:
        """Return what *make* makes of this state; it is made once, and kept with the state."""
        with self._lock:
            if make not in self._made:
                self._made[make] = make(self)
            found: R = self._made[make]
            return found

    def next(self, snapshot: Snapshot, /) -> State:
        """Return the state of a newer snapshot; what this one knows and is still true comes along.

        Compaction moves rows about, but leaves what the index says of them as it is.
        """
        mine = self.snapshot
        same = (mine.version, mine.generation) == (snapshot.version, snapshot.generation)
        return State(self.workspace, snapshot, self._index if same else None)

    def _fingerprint(self) -> str | None:
        """Return that of the models whose vectors count; ``None`` where they cannot be had."""
        encoders, snapshot = self.workspace.encoders, self.snapshot
        try:
            models = encoders.get_installed(snapshot.profile, dimension=snapshot.dimension)
        except ModelError:
            # Words need no model; who asks for vectors is told what is wrong with it.
            return None
        return models.fingerprint if models else None

    def stale_notes(self, sources: Iterable[str | None], /) -> list[str]:
        """Say of those of *sources* that the collection may be behind that they are stale, and why.

        A source is stale after a sync that failed or was not finished, by its own account at this
        moment, not at that of the state.
        """
        wanted = set(sources) - {None}
        stale = stale_sources(self.workspace.folder) if wanted else {}
        return [
            f"What comes from {name} may be stale. {problem}"
            for name, problem in sorted(stale.items())
            if name in wanted
        ]

    def untaken(self) -> tuple[UntakenFile, ...]:
        """Return the files that are not in the collection as they are now, and why."""
        return untaken(self.workspace.folder, self.snapshot.documents.values())

    # --- documents and passages ---------------------------------------------------------------

    def documents(self) -> list[Document]:
        """Return all documents, those that came in last first."""
        return sorted(
            self.snapshot.documents.values(),
            key=lambda d: (-d.ingested_at.timestamp(), d.name.casefold(), d.path),
        )

    def document(self, named: DocumentRef, /) -> Document:
        """Return the document that is meant, as it is in this state.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None fits (near names are suggested), or several do.
        UsageError
            It is neither a document nor the name of one.
        """
        return passages.find_document(self.snapshot, document_name(named))

    def attached_to(self, document: Document, /) -> list[Document]:
        """Return what is attached to a document, all levels down."""
        return passages.attached_to(self.snapshot, document)

    def chunk(self, place: PassageRef, /) -> Chunk:
        """Return the chunk in which a passage stands.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        AmbiguousName
            It is the beginning of several ids.
        UsageError
            It is no passage.
        """
        return passages.find_chunk(self.snapshot, passage_id(place))

    def chunk_id(self, place: PassageRef, /) -> str:
        """Return the whole id of the chunk in which a passage stands.

        Raises
        ------
        ChunkNotFound, AmbiguousName, UsageError
            See :meth:`chunk`.
        """
        return passages.whole_chunk_id(self.snapshot, passage_id(place))

    def short_chunk_ids(self) -> ShortIds:
        """Return how the ids of passages are told in short: see :class:`ShortIds`.

        Worked out once for a state: it looks through all of them.
        """
        return self.once(_short_chunk_ids)

    def short_document_ids(self) -> ShortIds:
        """Return how the ids of documents are told in short."""
        return self.once(_short_document_ids)

    def chunks_of(self, document: Document, /) -> list[Chunk]:
        """Return the chunks of a document in reading order."""
        return passages.chunks_of(self.snapshot, document)

    def siblings(self, place: PassageRef, /) -> tuple[list[Chunk], int]:
        """Return the chunks of a passage's document, and the position of the passage among them.

        Raises
        ------
        ChunkNotFound, AmbiguousName, UsageError
            See :meth:`chunk`.
        """
        chunk = self.chunk(place)
        found = self.chunks_of(self.snapshot.documents[chunk.provenance.document_id])
        return found, next(i for i, c in enumerate(found) if c.chunk_id == chunk.chunk_id)

    def around(self, place: PassageRef, window: int, /) -> ChunkWindow:
        """Return a passage with up to *window* chunks before and after it in its document.

        Raises
        ------
        ChunkNotFound, AmbiguousName, UsageError
            See :meth:`chunk`.
        """
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
        self._pull()
        return in_force(self.folder, read_info(self.folder))

    @property
    def name(self) -> str:
        """The collection's name, read anew where its file has changed."""
        stamp = stamp_of(self.folder / FILE)
        known = self._named
        if known is None or stamp is None or known[0] != stamp:
            known = self._named = (stamp, read_info(self.folder).name)
        return known[1]

    def _pull(self) -> None:
        """Copy what has changed elsewhere; the collection may have moved there since."""
        if (self.folder / PLACE).exists():
            mirror.pull(self.folder)

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
            self._pull()
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
