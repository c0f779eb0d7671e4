"""State of a server: its library, its writers, and the active collection of each connection."""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from casetrack.base.dataclass import dataclass
from casetrack.base.editions import ANY, edition
from casetrack.base.errors import ActiveCollectionGone, CollectionNotFound, NoActiveCollection
from casetrack.faces.mcp.live_jobs import LiveJobs
from casetrack.faces.mcp.steps import offers

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo
    from casetrack.faces.mcp.fetching import MissingModels
    from casetrack.faces.mcp.specs import ToolSpec

T = TypeVar("T")

NO_STATE = "This connection has no state between calls. Pass `collection` with each call instead."


@dataclass(frozen=True, slots=True)
class Active:
    """The default collection of calls."""

    id: str
    name: str


@dataclass(slots=True)
class ConnectionState:
    """State of one client.

    Attributes
    ----------
    remembers
        Whether the next call of the client gets this state, too. A request of the stateless
        protocol over HTTP belongs to no connection, so its state ends with it.
    reads_all
        Whether a program, not a model, reads the answer: its length is not limited.
    """

    active: Active | None = None
    remembers: bool = True
    reads_all: bool = False


_CONNECTION: ContextVar[ConnectionState | None] = ContextVar("casetrack_connection", default=None)


def serve_for(state: ConnectionState, /) -> None:
    """Make *state* the one that the rest of this task, and the threads it uses, work with."""
    _CONNECTION.set(state)


def current() -> ConnectionState | None:
    """Return the state of the client whose call over HTTP is running."""
    return _CONNECTION.get()


class Session:
    """State of a server; the state of a client depends on the connection of the call.

    Over stdio, a process serves one client, whose state is that of the process. Over HTTP each
    session has its own state. Nothing is saved.

    Attributes
    ----------
    edition
        The edition whose collections the server lists; the general one lists all.
    running
        Stop events of all waiting or running jobs.
    watching
        Whether this server syncs watched folders.
    resumes_jobs
        Whether it resumes unfinished work of earlier servers.
    missing_models
        Reports a missing search model in results.
    texts_only
        Whether concise answers are sent only as text. A program gets structured content with
        ``response_format: detailed``, and a client that shows pages always.
    more_tools
        Returns the tools that the server does not list, but calls.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.edition = ANY
        self.running: set[threading.Event] = set()
        self.jobs = LiveJobs(library, self.running, self.writing)
        self.watching = False
        self.resumes_jobs = False
        self.missing_models: MissingModels | None = None
        self.texts_only = False
        self.more_tools: Callable[[], Mapping[str, ToolSpec]] = dict
        self._own = ConnectionState()
        self._writing: dict[str, anyio.Lock] = {}

    @property
    def connection(self) -> ConnectionState:
        """State of the client whose call is running."""
        return current() or self._own

    @property
    def active(self) -> Active | None:
        """The active collection of the client whose call is running."""
        return self.connection.active

    def activate(self, info: CollectionInfo, /) -> bool:
        """Make a collection the active one, and return whether the next call will find it so."""
        connection = self.connection
        if connection.remembers:
            connection.active = Active(info.id, info.name)
        return connection.remembers

    def forget(self, collection_id: str, /) -> None:
        """Delete a deleted collection from the state of this client.

        Other clients keep its name, so that the error of their next call can name it.
        """
        connection = self.connection
        if connection.active is not None and connection.active.id == collection_id:
            connection.active = None
        self._writing.pop(collection_id, None)

    def infos(self) -> list[CollectionInfo]:
        """Return the collections that the server is about, the one changed last first."""
        return [i for i in self.library.collections() if self.edition in {ANY, i.edition}]

    def collection(self, name: str | None, /) -> Collection:
        """Return the collection called *name*; without a name the active one, or the only one.

        Reads the disk, so call it in a thread.

        Raises
        ------
        NoActiveCollection
            No name, no active collection (or a connection without state), and not exactly one
            collection.
        ActiveCollectionGone
            Another program has deleted the active collection.
        CollectionNotFound, AmbiguousName
            See :meth:`casetrack.api.library.Library.get`.
        """
        if name is not None:
            return self.library.get(name)
        active = self.active
        if active is None:
            return self._only()
        try:
            return self.library.get(active.id)
        except CollectionNotFound as error:
            self.forget(active.id)
            raise ActiveCollectionGone(active.name) from error

    def _only(self) -> Collection:
        """Return the only collection."""
        infos = self.infos()
        if len(infos) == 1 and self.edition == ANY:
            return self.library.get(infos[0].id)
        noun = edition(self.edition).noun
        ways = {
            f"create_{noun}": f"Create a new {noun}",
            f"switch_{noun}": f"Switch to an existing {noun}",
            f"list_{noun}s": f"See all {noun}s",
        }
        choosable = self.connection.remembers and offers(f"switch_{noun}")
        raise NoActiveCollection(
            [info.name for info in infos],
            [f"{tool}: {what}" for tool, what in ways.items() if choosable and offers(tool)],
        )

    def writing(self, collection_id: str, /) -> anyio.Lock:
        """Return the lock that queues the writers of this server to a collection.

        The lock between processes has a timeout, but twenty ingest calls of an AI program at once
        must all run, one after the other.
        """
        return self._writing.setdefault(collection_id, anyio.Lock())


class SessionTools:
    """Tools of one session."""

    def __init__(self, session: Session, /) -> None:
        self._session = session


async def in_thread(work: Callable[[], T], /) -> T:
    """Run blocking *work* in a thread; a cancelled call stops waiting at once.

    Only for reading: a result after the cancellation is discarded.
    """
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


async def write_in_thread(session: Session, collection_id: str, work: Callable[[], T], /) -> T:
    """Run blocking *work* that writes to a collection in a thread, and wait for its end.

    The empty id queues writers of the list of collections.
    """
    async with session.writing(collection_id):
        return await anyio.to_thread.run_sync(work)


async def locate(session: Session, name: str | None, /) -> Collection:
    """Return :meth:`Session.collection` without blocking the connection."""
    return await in_thread(partial(session.collection, name))
