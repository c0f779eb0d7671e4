"""What a server remembers: its library, who is writing, and each connection's active collection."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from casetrack.base.editions import ANY, edition
from casetrack.base.errors import ActiveCollectionGone, CollectionNotFound, NoActiveCollection
from casetrack.faces.mcp.live_jobs import LiveJobs
from casetrack.faces.mcp.steps import offers

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo
    from casetrack.faces.mcp.fetching import Supply

T = TypeVar("T")

NOT_REMEMBERED = (
    "Nothing is remembered between calls on this connection. "
    "Pass `collection` with each call instead."
)
"""Said where a client chooses a collection on a connection without a memory."""


@dataclass(frozen=True, slots=True)
class Active:
    """The collection that calls use when they name none."""

    id: str
    name: str


@dataclass(slots=True)
class ConnectionState:
    """What is remembered for one client.

    Attributes
    ----------
    active
        Its active collection.
    remembers
        Whether the client's next call will find this state again. A request of the stateless
        protocol over HTTP belongs to no connection: what it leaves behind is gone with it.
    reads_all
        Whether an answer of any length is read: by a program, and no model.
    """

    active: Active | None = None
    remembers: bool = True
    reads_all: bool = False


_CONNECTION: ContextVar[ConnectionState | None] = ContextVar("casetrack_connection", default=None)


def serve_for(state: ConnectionState, /) -> None:
    """Make *state* the one that the rest of this task, and the threads it uses, work with."""
    _CONNECTION.set(state)


def current() -> ConnectionState | None:
    """Return what is remembered for the client whose call is served now, over HTTP."""
    return _CONNECTION.get()


class Session:
    """State of a server; what belongs to one client is looked up by the connection of the call.

    Over stdio, in either protocol era, a process serves one client, which has the state of the
    process. Over HTTP each session has its own. Nothing of it is saved.

    Parameters
    ----------
    library
        The data folder that all tools work on.

    Attributes
    ----------
    edition
        Whose collections the server is about; the general one is about all of them.
    running
        The stop event of every job that waits or runs now.
    jobs
        The jobs of this server.
    watching
        Whether this server keeps watched folders in sync.
    goes_on
        Whether it goes on with what servers before it left unfinished.
    supply
        Knows whether the search model is there, where results are to say so.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.edition = ANY
        self.running: set[threading.Event] = set()
        self.jobs = LiveJobs(library, self.running, self.writing)
        self.watching = False
        self.goes_on = False
        self.supply: Supply | None = None
        self._own = ConnectionState()
        self._writing: dict[str, anyio.Lock] = {}

    @property
    def connection(self) -> ConnectionState:
        """What is remembered for the client whose call is served now."""
        return current() or self._own

    @property
    def active(self) -> Active | None:
        """The active collection of the client whose call is served now."""
        return self.connection.active

    def activate(self, info: CollectionInfo, /) -> bool:
        """Make a collection the active one, and return whether the next call will find it so."""
        connection = self.connection
        if connection.remembers:
            connection.active = Active(info.id, info.name)
        return connection.remembers

    def forget(self, collection_id: str, /) -> None:
        """Drop what is remembered of a collection that was deleted.

        Other clients that had it active keep its name, so that their next call can say what became
        of it.
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

        Blocks on the disk: call it in a thread.

        Raises
        ------
        NoActiveCollection
            No name was given, no collection is active, or none can be on this connection, and
            there is not just one.
        ActiveCollectionGone
            The active collection was deleted by another program.
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
        """Return the only collection there is to work on."""
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
        """Return the lock that puts this server's own writers to a collection in a queue.

        The facade's lock between processes gives up after a while; an AI program that sends twenty
        ingest calls at once should see them done one after the other instead.
        """
        return self._writing.setdefault(collection_id, anyio.Lock())


class SessionTools:
    """Tools that work for one session.

    Parameters
    ----------
    session
        The session.
    """

    def __init__(self, session: Session, /) -> None:
        self._session = session


async def in_thread(work: Callable[[], T], /) -> T:
    """Run blocking *work* in a thread; a cancelled call stops waiting for it at once.

    For reading only: what the thread still does after that is thrown away.
    """
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


async def write_in_thread(session: Session, collection_id: str, work: Callable[[], T], /) -> T:
    """Run blocking *work* that writes to a collection in a thread, and wait for it to end.

    The empty id stands for the list of collections itself: its writers queue up as well.
    """
    async with session.writing(collection_id):
        return await anyio.to_thread.run_sync(work)


async def locate(session: Session, name: str | None, /) -> Collection:
    """Return :meth:`Session.collection` without blocking the connection."""
    return await in_thread(partial(session.collection, name))
