"""A conversation with a process, in both eras: ingest, watch, search, look, compare, delete."""

from __future__ import annotations

import itertools
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

if TYPE_CHECKING:
    from mcp.client import Client

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
"""How a client connects, and the protocol that both then speak."""
FIRST, LAST = "Invoice TS-2024-0187.pdf", "Invoice TS-2025-0042.pdf"
FIRST_COMPARISON_SECONDS = 120


async def ask(client: Client, tool: str, **arguments: Any) -> tuple[str, Any]:
    """Call a tool that must succeed and return its text and structure."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    assert not result.is_error, text
    return text, result.structured_content


async def converse(client: Client, folder: Path) -> None:
    """Take in real files, keep them in sync, find, look at and compare what they say."""
    await ask(client, "create_collection", name="Grünfeld & Söhne", collection_type="Contract")
    told: list[tuple[float, float | None]] = []

    async def hear(done: float, total: float | None, _: str | None) -> None:
        told.append((done, total))

    arguments = {"folder_path": str(folder)}
    result = await client.call_tool("ingest_folder", arguments, progress_callback=hear)
    assert result.structured_content["counts"]["ingested"] == 2
    assert told[-1] == (2.0, 2.0)
    assert all(a < b for (a, _), (b, _) in itertools.pairwise(told))

    _, begun = await ask(client, "watch_folder", folder_path=str(folder))
    assert begun["watch"]["status"]["health"] in {"starting", "watching"}

    _, found = await ask(
        client, "search_documents", query="days from receipt until payment is due", top_k=3
    )
    best = next(r for r in found["results"] if r["citation"].startswith(f"{FIRST}, p. "))
    assert found["collection"] == "Grünfeld & Söhne"
    assert found["sources"][best["source"]]["path"] == str(folder / FIRST)
    assert "30 days from receipt" in best["text"]
    result = await client.call_tool("get_page_image", {"chunk_id": best["chunk_id"]})
    assert [block.mime_type for block in result.content if block.type == "image"] == ["image/png"]

    _, compared = await ask(
        client, "compare_documents", document_a=FIRST, document_b=LAST, topic="payment due"
    )
    for side, name in (("document_a", FIRST), ("document_b", LAST)):
        passages = compared[side]["passages"]
        assert compared[side]["document"] == name
        assert passages
        assert all(p["citation"].startswith(f"{name}, p. ") for p in passages)

    watch = await compared_once(client)
    assert (watch["folder_path"], watch["status"]["last_error"]) == (str(folder), "")
    assert watch["status"]["counts"] == {}, "nothing has changed since it was taken in"
    await ask(client, "unwatch_folder", folder_path=str(folder))

    await ask(client, "delete_document", document_name=LAST, confirm=True)
    _, documents = await ask(client, "list_documents", sort_by="name")
    assert [d["name"] for d in documents["documents"]] == [FIRST]
    await ask(client, "delete_collection", collection_name="Grünfeld & Söhne", confirm=True)
    _, left = await ask(client, "list_collections", status_filter="all")
    assert left["collections"] == []


async def compared_once(client: Client) -> dict[str, Any]:
    """Return the watch once its folder has been compared for the first time."""
    with anyio.fail_after(FIRST_COMPARISON_SECONDS):
        while True:
            _, listed = await ask(client, "list_watches")
            [watch] = listed["watches"]
            if watch["status"]["last_sync_at"] and watch["status"]["health"] == "watching":
                return dict(watch)
            await anyio.sleep(0.2)


@pytest.mark.slow
def test_conversations_with_processes(
    samples: Path, tmp_path: Path, process_env: dict[str, str]
) -> None:
    """One process for each era, at the same time; each with a data folder of its own."""
    from mcp.client import Client

    from mcp import StdioServerParameters

    root = Path(__file__).parents[2]

    async def talk(mode: str) -> None:
        home = tmp_path / mode
        invoices = home / "Invoices"
        invoices.mkdir(parents=True)
        for name in (FIRST, LAST):
            shutil.copy2(samples / "Finance" / name, invoices)
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "casetrack"],
            env=process_env | {"CASETRACK_HOME": str(home / "data")},
            cwd=root,
        )
        async with Client(server, mode=mode) as client:
            assert client.protocol_version == ERAS[mode]
            await converse(client, invoices)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for mode in ERAS:
                group.start_soon(talk, mode)

    anyio.run(main)
