"""A whole conversation: ingest, search, cite, read on, delete; and the state of a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.faces.mcp.outputs import QUOTED

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client

    from casetrack.api.library import Library


async def ask(client: Client, tool: str, **arguments: Any) -> tuple[str, Any]:
    """Call a tool that must succeed and return its text and structure."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    assert not result.is_error, text
    return text, result.structured_content


async def previewed(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool without its confirmation and return the preview."""
    text, facts = await ask(client, tool, **arguments)
    assert facts == {"preview": text}
    return str(text)


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must fail and return its text."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return "\n".join(block.text for block in result.content if block.type == "text")


async def converse(client: Client, folder: Path) -> None:
    """Make the calls of a user's session."""
    text, made = await ask(client, "create_collection", name="Acme", collection_type="Contract")
    assert made["collection"]["id"] in text
    assert made["collection"]["type"] == "contract"

    text, report = await ask(client, "ingest_folder", folder_path=str(folder))
    assert report["counts"] == {
        "ingested": 3,
        "partial": 0,
        "skipped": report["counts"]["skipped"],
        "failed": report["counts"]["failed"],
    }
    assert report["files"] == 5
    assert {o["code"] for o in report["outcomes"]} == {"", "empty_file", "unsupported_format"}
    assert "Contracts/Vendor_Agreement.txt" in text

    _, again = await ask(client, "ingest_folder", folder_path=str(folder))
    assert (again["counts"]["ingested"], again["counts"]["skipped"]) == (0, 5)

    text, result = await ask(client, "search_documents", query="invoice payment days", top_k=2)
    best = result["results"][0]
    assert result["searched"]["documents"] == 3
    assert best["source"]["document"] == "Vendor_Agreement.txt"
    assert best["citation"].startswith("Vendor_Agreement.txt, p. 1")
    assert best["citation"] in text
    assert "thirty (30) days" in best["text"]
    assert result["notice"] == QUOTED
    assert best["source"]["chunk_id"] in text

    text, chunk = await ask(client, "get_chunk", chunk_id=best["source"]["chunk_id"])
    assert chunk["text"] == best["text"]
    assert chunk["source"] == best["source"]
    assert best["source"]["chunk_id"] in text.splitlines()[0]

    _, around = await ask(client, "get_source_context", chunk_id=best["source"]["chunk_id"])
    assert around["chunk"]["text"] == best["text"]
    assert around["before"] == around["after"] == []

    _, chunks = await ask(client, "get_document_chunks", document_name="Vendor_Agreement.txt")
    assert [c["text"] for c in chunks["chunks"]] == [best["text"]]
    assert chunks["next_offset"] is None

    text, documents = await ask(client, "list_documents", sort_by="name")
    names = [d["name"] for d in documents["documents"]]
    assert names == ["Notes.txt", "Reminder.md", "Vendor_Agreement.txt"]
    assert all(name in text for name in names)

    _, one = await ask(client, "get_document", document_name="reminder.md")
    assert one["document"]["page_count"] == 1
    assert len(one["document"]["file_hash"]) == 64

    _, info = await ask(client, "get_collection_info")
    assert (info["document_count"], len(info["documents"]), info["is_active"]) == (3, 3, True)

    _, listed = await ask(client, "list_collections")
    assert [(c["name"], c["document_count"]) for c in listed["collections"]] == [("Acme", 3)]

    _, status = await ask(client, "get_status")
    assert (status["active_collection"], status["collections"]) == ("Acme", 1)
    profiles = {p["name"]: p for p in status["profiles"]}
    assert {"mini", "standard", "legal", "multilingual"} <= set(profiles)
    assert profiles["mini"]["dimension"] == 384

    warning = await previewed(client, "delete_document", document_name="Notes.txt")
    assert '"Notes.txt"' in warning
    _, gone = await ask(client, "delete_document", document_name="Notes.txt", confirm=True)
    assert gone["deleted"]["name"] == "Notes.txt"
    _, result = await ask(client, "search_documents", query="ignore instructions building")
    assert all(r["source"]["document"] != "Notes.txt" for r in result["results"])

    warning = await previewed(client, "delete_collection", collection_name="Acme", confirm=False)
    assert "2" in warning
    assert "confirm: true" in warning
    text, gone = await ask(client, "delete_collection", collection_name="Acme", confirm=True)
    assert gone["active_collection"] is None
    assert "switch_collection" in await refused(client, "list_documents")
    assert folder.is_dir()


@pytest.mark.slow
def test_conversation(library: Library, connect: Any, case_folder: Path) -> None:
    async def work(client: Client) -> None:
        await converse(client, case_folder)

    connect(library, work, mode="auto")


def test_named_collection_wins_over_the_active_one(
    library: Library, connect: Any, tmp_path: Path
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("The delivery arrives on Monday.")

    async def work(client: Client) -> None:
        await ask(client, "create_collection", name="First")
        await ask(client, "create_collection", name="Second")
        await ask(client, "ingest_document", file_path=str(letter), collection="first")
        _, second = await ask(client, "list_documents")
        _, first = await ask(client, "list_documents", collection="First")
        assert (first["total"], second["total"]) == (1, 0)
        await ask(client, "switch_collection", collection_name="First")
        _, now = await ask(client, "list_documents")
        assert now["collection"] == "First"
        _, listed = await ask(client, "list_collections")
        assert [c["is_active"] for c in listed["collections"] if c["name"] == "First"] == [True]
        # Deleting another collection leaves the active one alone.
        await ask(client, "delete_collection", collection_name="Second", confirm=True)
        _, status = await ask(client, "get_status")
        assert status["active_collection"] == "First"

    connect(library, work)
