"""Notifications about changed collections, by any program, in both eras."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, ResourceListChangedNotification, ResourceUpdatedNotification

from casetrack.api.library import Library
from casetrack.faces.mcp import notifications
from casetrack.faces.mcp.server import build_server

ALL = "casetrack://collections"
# The client of this SDK warns about methods that the newest protocol removed; older ones have them.
pytestmark = pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed")


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "CHECK_SECONDS", 0.02)


@pytest.fixture
def elsewhere(library: Library) -> Library:
    """The same data folder, as another program has it open."""
    return Library(library.settings)


async def until(received: list[str], *wanted: str) -> None:
    """Wait until all of it was heard."""
    with anyio.fail_after(30):
        while not set(wanted) <= set(received):
            await anyio.sleep(0.01)


async def in_thread(work: Any, *arguments: Any, **named: Any) -> Any:
    return await anyio.to_thread.run_sync(partial(work, *arguments, **named))


def test_a_client_of_the_handshake_protocol_follows_a_collection(
    library: Library, elsewhere: Library, case_folder: Path
) -> None:
    acme, other = library.create("Acme").info, library.create("Other").info
    received: list[str] = []

    async def update(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            received.append(str(message.params.uri))
        elif isinstance(message, ResourceListChangedNotification):
            received.append("list")

    async def main() -> None:
        server = build_server(library)
        async with Client(server, mode="legacy", message_handler=update) as client:
            text = client.server_capabilities.resources
            assert text is not None
            assert (text.subscribe, text.list_changed) == (True, True)
            mine, document = f"{ALL}/{acme.id}", f"{ALL}/{acme.id}/documents/x"
            for uri in (mine, document, "casetrack://nobody/knows"):
                await client.subscribe_resource(uri)
            # Another program adds a file; collections that are not followed send nothing.
            await in_thread(elsewhere.get("Acme").ingest, [case_folder / "Notes.txt"])
            await until(received, mine, document)
            assert set(received) == {mine, document}
            # This very server does, into a collection that is not followed.
            arguments = {"file_path": str(case_folder / "Notes.txt"), "collection": "Other"}
            await client.call_tool("ingest_document", arguments)
            await client.unsubscribe_resource(mine)
            await client.subscribe_resource(ALL)
            received.clear()
            await in_thread(elsewhere.delete, other.id)
            await until(received, "list", ALL)
            assert mine not in received
            received.clear()
            await in_thread(elsewhere.get("Acme").admin.update, name="Acme Ltd")
            await until(received, "list", ALL, document)

    anyio.run(main)


def test_a_client_of_the_stateless_protocol_listens(
    library: Library, elsewhere: Library, case_folder: Path
) -> None:
    acme = library.create("Acme").info
    mine = f"{ALL}/{acme.id}"

    async def main() -> None:
        async with Client(build_server(library), mode="2026-07-28") as client:
            received: list[str] = []

            async def update(listening: Any) -> None:
                async for event in listening:
                    received.append(getattr(event, "uri", "list"))  # noqa: PERF401

            async with (
                client.listen(resources_list_changed=True, resource_subscriptions=[mine]) as stream,
                anyio.create_task_group() as group,
            ):
                group.start_soon(update, stream)
                await in_thread(elsewhere.get("Acme").ingest, [case_folder / "Notes.txt"])
                await until(received, mine)
                assert set(received) == {mine}
                await in_thread(elsewhere.create, "New")
                await until(received, "list")
                group.cancel_scope.cancel()

    anyio.run(main)


def test_nobody_follows_without_end(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "MOST_FOLLOWED", 2)

    async def main() -> MCPError:
        async with Client(build_server(library), mode="legacy") as client:
            for name in ("a", "b"):
                await client.subscribe_resource(f"casetrack://{name}")
            with pytest.raises(MCPError) as refused:
                await client.subscribe_resource("casetrack://c")
        return refused.value

    assert anyio.run(main).error.code == INVALID_PARAMS
