"""What one connection remembers: its library, its active collection, who is writing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from casetrack.errors import CollectionNotFound, NoActiveCollection, UsageError
from casetrack.mcp.jobs import JobDesk

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from casetrack.collection import Collection
    from casetrack.library import Library
    from casetrack.records import CollectionInfo

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Active:
    """The collection that calls use when they name none."""

    id: str
    name: str


class Session:
    """State of one connection.

    Over stdio a process serves one connection, so a server holds one session. It lives as long as
    the process and is not saved.

    Parameters
    ----------
    library
        The data folder that all tools work on.

    Attributes
    ----------
    active
        The active collection.
    running
        The stop event of every job that waits or runs now.
    jobs
        The jobs of this server.
    watching
        Whether this server keeps watched folders in sync.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.active: Active | None = None
        self.running: set[threading.Event] = set()
        self.jobs = JobDesk()
        self.watching = False
        self._writing: dict[str, anyio.Lock] = {}

    def activate(self, info: CollectionInfo, /) -> None:
        """Make a collection the active one."""
        self.active = Active(info.id, info.name)

    def forget(self, collection_id: str, /) -> None:
        """Drop what is remembered of a collection that was deleted."""
        if self.active is not None and self.active.id == collection_id:
            self.active = None
        self._writing.pop(collection_id, None)

    def collection(self, name: str | None, /) -> Collection:
        """Return the collection called *name*, or the active one where *name* is ``None``.

        Blocks on the disk: call it in a thread.

        Raises
        ------
        NoActiveCollection
            No name was given and no collection is active.
        UsageError
            The active collection was deleted by another program.
        CollectionNotFound, AmbiguousName
            See :meth:`casetrack.library.Library.get`.
        """
        if name is not None:
            return self.library.get(name)
        active = self.active
        if active is None:
            raise NoActiveCollection
        try:
            return self.library.get(active.id)
        except CollectionNotFound as error:
            self.forget(active.id)
            raise UsageError(
                f'The active collection "{active.name}" no longer exists.',
                hint="See what is there with list_collections, then use switch_collection "
                "or create_collection.",
            ) from error

    def writing(self, collection_id: str, /) -> anyio.Lock:
        """Return the lock that puts this connection's own writers to a collection in a queue.

        The facade's lock between processes gives up after a while; an AI program that sends twenty
        ingest calls at once should see them done one after the other instead.
        """
        return self._writing.setdefault(collection_id, anyio.Lock())


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
