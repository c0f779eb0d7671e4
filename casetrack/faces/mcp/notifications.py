"""Notifications about changed collections for the clients that follow them.

Other programs, syncs and calls change the data folder without a signal. While a client listens,
the folder is checked every second: a few file times for each collection, without opening it.

Clients of the handshake protocol subscribe to addresses and always learn about a changed resource
list; clients of the stateless one request both by ``subscriptions/listen``.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import anyio
from mcp import types
from mcp.server import subscriptions
from mcp.shared.exceptions import MCPError

from casetrack.api.folders import change_stamps, fact_stamps
from casetrack.base.dataclass import dataclass, field
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.uris import COLLECTIONS, collection_uri

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.server.connection import Connection
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession


logger = logging.getLogger("casetrack.mcp")

CHECK_SECONDS = 1.0
MOST_FOLLOWED = 1_000
"""Addresses that one client may follow."""


@dataclass(frozen=True, slots=True)
class FolderState:
    """State of the data folder at one moment.

    Attributes
    ----------
    facts
        Write time of the properties of each collection, by its folder name.
    changed
        Stamps that change with a collection, by its id.
    listed
        Entries of the resource list.
    """

    facts: dict[str, int]
    changed: dict[str, tuple[int, ...]]
    listed: frozenset[tuple[str, str, str]]


@dataclass(slots=True)
class _Follower:
    """A connected client of the handshake protocol, and the addresses that it follows."""

    session: ServerSession
    uris: set[str] = field(default_factory=set)


class ChangeNotifier:
    """Notifies the clients of one server about changes in its data folder."""

    def __init__(self, session: Session, /) -> None:
        self._session = session
        self._bus = subscriptions.InMemorySubscriptionBus()
        self._listen = subscriptions.ListenHandler(self._bus)
        self._followers: dict[int, _Follower] = {}
        self._listened: list[frozenset[str]] = []
        self._last_state: FolderState | None = None
        self._has_clients = anyio.Event()

    def register(self, server: Server[Any], /) -> None:
        """Register the handlers of subscriptions at *server*."""
        server.add_request_handler(
            "resources/subscribe", types.SubscribeRequestParams, self._subscribe
        )
        server.add_request_handler(
            "resources/unsubscribe", types.UnsubscribeRequestParams, self._unsubscribe
        )
        server.add_request_handler(
            "subscriptions/listen", types.SubscriptionsListenRequestParams, self._listening
        )
        server.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._connected
        )

    async def run(self) -> None:
        """Check for changes every second while a client listens, and send them."""
        while True:
            await self._has_clients.wait()
            await anyio.sleep(CHECK_SECONDS)
            if not self._followers and not self._listened:
                self._has_clients, self._last_state = anyio.Event(), None
                continue
            try:
                await self._notify()
            except OSError as error:  # a disk that is away for a moment; the next look sees more
                logger.info("not looked at: %s", error)

    async def _notify(self) -> None:
        before, now = self._last_state, await in_thread(self._read_state)
        self._last_state = now
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
            await self._bus.publish(subscriptions.ResourcesListChanged())
            for follower in tuple(self._followers.values()):
                await follower.session.send_resource_list_changed()

    async def _updated(self, uris: list[str]) -> None:
        for uri in uris:
            await self._bus.publish(subscriptions.ResourceUpdated(uri))
            for follower in tuple(self._followers.values()):
                if uri in follower.uris:
                    await follower.session.send_resource_updated(uri)

    def _read_state(self) -> FolderState:
        home = self._session.library.settings.collections_dir
        facts = fact_stamps(home)
        before = self._last_state
        if before is not None and before.facts == facts:
            listed = before.listed
        else:
            infos = self._session.infos()
            listed = frozenset((info.id, info.name, info.status) for info in infos)
        return FolderState(facts, change_stamps(home, facts, (each[0] for each in listed)), listed)

    async def _start(self) -> None:
        """Record the current state, as the start of the comparison."""
        if self._last_state is None:
            self._last_state = await in_thread(self._read_state)
        self._has_clients.set()

    async def _connected(self, ctx: ServerRequestContext[Any, Any], _params: Any) -> None:
        await self._follower(ctx)

    async def _follower(self, ctx: ServerRequestContext[Any, Any]) -> _Follower:
        await self._start()
        connection: Connection = ctx.session._connection
        key = id(connection)
        if key not in self._followers:
            self._followers[key] = _Follower(ctx.session)
            connection.exit_stack.callback(self._followers.pop, key, None)
        return self._followers[key]

    async def _subscribe(
        self, ctx: ServerRequestContext[Any, Any], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        follower = await self._follower(ctx)
        if len(follower.uris) >= MOST_FOLLOWED:
            message = f"More than {MOST_FOLLOWED:,} resources: unsubscribe from some first."
            raise MCPError(types.INVALID_PARAMS, message)
        # A client may also follow a missing resource; it then gets no notification, or a later one.
        follower.uris.add(str(params.uri))
        return types.EmptyResult()

    async def _unsubscribe(
        self, ctx: ServerRequestContext[Any, Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        (await self._follower(ctx)).uris.discard(str(params.uri))
        return types.EmptyResult()

    async def _listening(
        self, ctx: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        # The lists of tools and prompts never change, so their notifications are not confirmed.
        never = {"tools_list_changed": None, "prompts_list_changed": None}
        wanted = params.notifications.model_copy(update=never)
        params = params.model_copy(update={"notifications": wanted})
        uris = frozenset((wanted.resource_subscriptions or ())[:MOST_FOLLOWED])
        await self._start()
        self._listened.append(uris)
        try:
            return await self._listen(ctx, params)
        finally:
            self._listened.remove(uris)
