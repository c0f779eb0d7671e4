"""News: which collections have changed, whoever changed them, told to the clients that follow them.

Another program, a sync or a call of this very server writes to the data folder; nobody tells
anybody. So the folder is looked at every second while somebody listens: a few times of files for
each collection, and nothing is opened.

Clients of the handshake protocol subscribe to addresses, and hear without asking that the list of
resources is another one; those of the stateless one ask for both by ``subscriptions/listen``.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    EmptyResult,
    NotificationParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)

from casetrack.api.folders import change_stamps, fact_stamps
from casetrack.faces.mcp.session import in_thread
from casetrack.faces.mcp.uris import COLLECTIONS, collection_uri

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.server.connection import Connection
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession
    from mcp.types import SubscriptionsListenResult

    from casetrack.faces.mcp.session import Session

logger = logging.getLogger("casetrack.mcp")

LOOK_SECONDS = 1.0
MOST_FOLLOWED = 1_000
"""Addresses that one client may follow."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of the data folder at one moment.

    Attributes
    ----------
    facts
        When the facts of each collection were written, by the name of its folder.
    changed
        By the id of each collection what changes with it.
    listed
        What the list of resources says of them.
    """

    facts: dict[str, int]
    changed: dict[str, tuple[int, ...]]
    listed: frozenset[tuple[str, str, str]]


@dataclass(slots=True)
class _Follower:
    """A connected client of the handshake protocol, and the addresses that it follows."""

    session: ServerSession
    uris: set[str] = field(default_factory=set)


class News:
    """Tells the clients of one server what has changed.

    Parameters
    ----------
    session
        Whose data folder it is.
    """

    def __init__(self, session: Session, /) -> None:
        self._session = session
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._followers: dict[int, _Follower] = {}
        self._listened: list[frozenset[str]] = []
        self._seen: Look | None = None
        self._wanted = anyio.Event()

    def register(self, server: Server[Any], /) -> None:
        """Let *server* answer those who want to hear."""
        server.add_request_handler("resources/subscribe", SubscribeRequestParams, self._subscribe)
        server.add_request_handler(
            "resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe
        )
        server.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, self._listening
        )
        server.add_notification_handler(
            "notifications/initialized", NotificationParams, self._connected
        )

    async def tell(self) -> None:
        """Look again and again while somebody listens, and tell what is new."""
        while True:
            await self._wanted.wait()
            await anyio.sleep(LOOK_SECONDS)
            if not self._followers and not self._listened:
                self._wanted, self._seen = anyio.Event(), None
                continue
            try:
                await self._tell_news()
            except OSError as error:  # a disk that is away for a moment; the next look sees more
                logger.info("not looked at: %s", error)

    async def _tell_news(self) -> None:
        before, now = self._seen, await in_thread(self._look)
        self._seen = now
        if before is None or before == now:
            return
        every = before.changed.keys() | now.changed.keys()
        changed = {i for i in every if before.changed.get(i) != now.changed.get(i)}
        heads = tuple(map(collection_uri, changed))
        followed = set[str]().union(*self._listened, *(f.uris for f in self._followers.values()))
        # A document, a passage or a page may have changed with its collection.
        within = {uri for uri in followed if uri.startswith(tuple(f"{head}/" for head in heads))}
        await self._updated([COLLECTIONS, *heads, *sorted(within)])
        if before.listed != now.listed:
            await self._bus.publish(ResourcesListChanged())
            for follower in tuple(self._followers.values()):
                await follower.session.send_resource_list_changed()

    async def _updated(self, uris: list[str]) -> None:
        for uri in uris:
            await self._bus.publish(ResourceUpdated(uri))
            for follower in tuple(self._followers.values()):
                if uri in follower.uris:
                    await follower.session.send_resource_updated(uri)

    def _look(self) -> Look:
        home = self._session.library.settings.collections_dir
        facts = fact_stamps(home)
        before = self._seen
        if before is not None and before.facts == facts:
            listed = before.listed
        else:
            infos = self._session.infos()
            listed = frozenset((info.id, info.name, info.status) for info in infos)
        return Look(facts, change_stamps(home, facts, (each[0] for each in listed)), listed)

    async def _join(self) -> None:
        """Make sure that what changes from now on is told."""
        if self._seen is None:
            self._seen = await in_thread(self._look)
        self._wanted.set()

    async def _connected(self, ctx: ServerRequestContext[Any, Any], _params: Any) -> None:
        await self._follower(ctx)

    async def _follower(self, ctx: ServerRequestContext[Any, Any]) -> _Follower:
        await self._join()
        connection: Connection = ctx.session._connection
        key = id(connection)
        if key not in self._followers:
            self._followers[key] = _Follower(ctx.session)
            connection.exit_stack.callback(self._followers.pop, key, None)
        return self._followers[key]

    async def _subscribe(
        self, ctx: ServerRequestContext[Any, Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        follower = await self._follower(ctx)
        if len(follower.uris) >= MOST_FOLLOWED:
            told = f"More than {MOST_FOLLOWED:,} resources: unsubscribe from some first."
            raise MCPError(INVALID_PARAMS, told)
        # What is not there (yet) may be followed as well: it is never told of, or later.
        follower.uris.add(str(params.uri))
        return EmptyResult()

    async def _unsubscribe(
        self, ctx: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        (await self._follower(ctx)).uris.discard(str(params.uri))
        return EmptyResult()

    async def _listening(
        self, ctx: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        # Only what can happen is promised: the lists of tools and prompts stay what they are.
        never = {"tools_list_changed": None, "prompts_list_changed": None}
        wanted = params.notifications.model_copy(update=never)
        params = params.model_copy(update={"notifications": wanted})
        uris = frozenset((wanted.resource_subscriptions or ())[:MOST_FOLLOWED])
        await self._join()
        self._listened.append(uris)
        try:
            return await self._listen(ctx, params)
        finally:
            self._listened.remove(uris)
