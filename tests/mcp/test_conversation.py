"""A whole conversation: ingest, search, cite, read on, delete; and what a connection remembers."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client

    from casetrack.library import Library

SOURCE_FIELDS = set(
    """
    document document_path document_id chunk_id chunk_index page page_kind page_is_estimated
    paragraph_start paragraph_end line_start line_end char_start char_end heading_path table_header
    sheet_name row_range column_range language extraction_method ocr_confidence ocr_warning
    chunk_created_at chunk_embedded_at document_ingested_at
    """.split()
)


async def ask(client: Client, tool: str, **arguments: Any) -> tuple[str, Any]:
    """Call a tool that must succeed and return its text and structure."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    assert not result.is_error, text
    return text, result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must fail and return its text."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return "\n".join(block.text for block in result.content if block.type == "text")


async def converse(client: Client, folder: Path) -> None:
    """Do what a user does in a session."""
    text, made = await ask(client, "create_collection", name="Acme", collection_type="Contract")
    assert text.startswith(f'Created collection "Acme" (ID: {made["collection"]["id"]}).\n')
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
    assert "All 3 new documents are now searchable." in text
    assert "  - Contracts/Vendor_Agreement.txt (1 page, 1 chunk)" in text

    text, again = await ask(client, "ingest_folder", folder_path=str(folder))
    assert again["counts"]["ingested"] == 0
    assert "already ingested, matching SHA256" in text

    text, found = await ask(client, "search_documents", query="invoice payment days", top_k=2)
    best = found["results"][0]
    assert found["searched"]["documents"] == 3
    assert best["source"].keys() == SOURCE_FIELDS
    assert best["source"]["document"] == "Vendor_Agreement.txt"
    assert best["citation"].startswith("Vendor_Agreement.txt, p. 1")
    assert best["citation"] in text
    assert "thirty (30) days" in best["text"]
    assert "not instructions" in found["notice"]
    assert f"chunk {best['source']['chunk_id']}" in text

    text, chunk = await ask(client, "get_chunk", chunk_id=best["source"]["chunk_id"])
    assert chunk["text"] == best["text"]
    assert chunk["source"] == best["source"]
    assert text.startswith(f"Chunk {best['source']['chunk_id']} ({len(best['text'])} chars)")

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

    warning = await refused(client, "delete_document", document_name="Notes.txt")
    assert warning.startswith('Nothing was deleted. This would remove "Notes.txt"')
    text, _ = await ask(client, "delete_document", document_name="Notes.txt", confirm=True)
    assert text.startswith('Deleted "Notes.txt"')
    _, found = await ask(client, "search_documents", query="ignore instructions building")
    assert all(r["source"]["document"] != "Notes.txt" for r in found["results"])

    warning = await refused(client, "delete_collection", collection_name="Acme", confirm=False)
    assert "2 documents" in warning
    assert "confirm: true" in warning
    text, gone = await ask(client, "delete_collection", collection_name="Acme", confirm=True)
    assert gone["active_collection"] is None
    assert "No active collection." in await refused(client, "list_documents")
    assert folder.is_dir()


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
        text, _ = await ask(client, "list_collections")
        assert [line[:7] for line in text.splitlines() if " (ID: " in line].count("* First") == 1
        # Deleting another collection leaves the active one alone.
        await ask(client, "delete_collection", collection_name="Second", confirm=True)
        _, status = await ask(client, "get_status")
        assert status["active_collection"] == "First"

    connect(library, work)


def test_each_connection_has_its_own_active_collection(
    library: Library, call: Any, text: Any
) -> None:
    calls = [("create_collection", {"name": name}) for name in ("A", "B")]
    call(library, *calls)
    assert "No active collection." in text(call(library, ("list_documents", {})))


def test_the_only_collection_needs_no_name(library: Library, call: Any) -> None:
    library.create("Only")
    for mode in ("legacy", "auto"):
        result = call(library, ("list_documents", {}), mode=mode)
        assert result.structured_content["collection"] == "Only"


def test_document_options_arrive(library: Library, connect: Any, tmp_path: Path) -> None:
    letter = tmp_path / "Brief \u00fcber 'das' Haus.txt"
    letter.write_text("Das Haus wird am Montag \u00fcbergeben.", encoding="utf-8")

    async def work(client: Client) -> None:
        await ask(client, "create_collection", name="A", collection_id="2026/17")
        text, made = await ask(
            client,
            "ingest_document",
            file_path=str(letter),
            document_name="Hand-over",
            document_type="Correspondence",
            copy_original=True,
        )
        assert 'Ingested "Hand-over"' in text
        assert made["outcome"]["status"] == "ingested"
        letter.write_text("Das Haus wird am Dienstag \u00fcbergeben.", encoding="utf-8")
        text, _ = await ask(client, "ingest_document", file_path=str(letter))
        assert text.startswith('Updated "')
        _, one = await ask(client, "get_document", document_name=str(letter))
        assert one["document"]["document_type"] == "correspondence"
        _, info = await ask(client, "get_collection_info")
        assert info["reference"] == "2026/17"
        _, found = await ask(client, "search_documents", query="Dienstag")
        assert len(found["results"]) == 1

    connect(library, work)


def test_folder_options_arrive(library: Library, connect: Any, tmp_path: Path) -> None:
    folder = tmp_path / "Letters"
    (folder / "Old").mkdir(parents=True)
    (folder / "Note.txt").write_text("The delivery arrives on Monday.")
    (folder / "Old" / "Reminder.md").write_text("# Reminder\n\nThe delivery is late.\n")

    async def work(client: Client) -> None:
        await ask(client, "create_collection", name="A")
        _, top = await ask(client, "ingest_folder", folder_path=str(folder), recursive=False)
        assert [o["document_name"] for o in top["outcomes"]] == ["Note.txt"]
        _, some = await ask(
            client,
            "ingest_folder",
            folder_path=str(folder),
            file_extensions=["md"],
            document_type="memo",
        )
        assert [(o["document_name"], o["status"]) for o in some["outcomes"]] == [
            ("Reminder.md", "ingested")
        ]
        _, forced = await ask(client, "ingest_folder", folder_path=str(folder), skip_existing=False)
        assert forced["counts"]["ingested"] == 2

    connect(library, work)


def test_long_lists_come_in_pages(filled: Library, connect: Any) -> None:
    async def work(client: Client) -> None:
        arguments = {"document_name": "Long.txt", "collection": "Acme"}
        _, whole = await ask(client, "get_document_chunks", **arguments)
        assert whole["total"] == len(whole["chunks"]) > 3
        seen, offset = [], 0
        while offset is not None:
            text, page = await ask(
                client, "get_document_chunks", **arguments, offset=offset, limit=2
            )
            seen += page["chunks"]
            offset = page["next_offset"]
            assert ("More from offset" in text) == (offset is not None)
        assert seen == whole["chunks"]
        _, documents = await ask(client, "list_documents", collection="Acme", limit=3)
        assert (len(documents["documents"]), documents["next_offset"]) == (3, 3)
        _, beyond = await ask(client, "list_documents", collection="Acme", offset=99)
        assert (beyond["documents"], beyond["next_offset"]) == ([], None)

    connect(filled, work)


def test_context_window(filled: Library, connect: Any) -> None:
    async def work(client: Client) -> None:
        _, whole = await ask(
            client, "get_document_chunks", document_name="Long.txt", collection="Acme"
        )
        middle = whole["chunks"][1]
        _, around = await ask(
            client,
            "get_source_context",
            chunk_id=middle["source"]["chunk_id"],
            window=5,
            collection="Acme",
        )
        assert [*around["before"], around["chunk"], *around["after"]] == whole["chunks"][:7]

    connect(filled, work)


def test_every_passage_carries_its_source(filled: Library, connect: Any) -> None:
    async def work(client: Client) -> None:
        _, found = await ask(client, "search_documents", query="parties", collection="Acme")
        _, chunks = await ask(
            client, "get_document_chunks", document_name="Long.txt", collection="Acme"
        )
        for passage in [*found["results"], *chunks["chunks"]]:
            source = passage["source"]
            assert source.keys() == SOURCE_FIELDS
            assert source["char_end"] - source["char_start"] == len(passage["text"])
            assert passage["citation"].startswith(f"{source['document']}, p. {source['page']}")
            assert source["document_path"].endswith(source["document"])
        assert len(found["results"]) > 1

    connect(filled, work)


def test_damaged_collections_do_not_hide_the_others(library: Library, call: Any, text: Any) -> None:
    library.create("Good")
    broken = library.create("Broken")
    shutil.rmtree(broken.folder / "chunks.lance")
    (broken.folder / "collection.json").write_text("{")
    listed, status = call(library, ("list_collections", {}), ("get_status", {}))
    assert [c["name"] for c in listed.structured_content["collections"]] == ["Good"]
    for result in (listed, status):
        assert str(broken.folder) in text(result)
        assert result.structured_content["damaged"][0]["path"] == str(broken.folder)


def test_the_same_name_asked_for_twice_at_once_makes_one_collection(
    library: Library, connect: Any
) -> None:
    async def work(client: Client) -> list[bool]:
        outcomes: list[bool] = []

        async def create() -> None:
            result = await client.call_tool("create_collection", {"name": "A"})
            outcomes.append(result.is_error)

        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(create)
        return outcomes

    assert sorted(connect(library, work)) == [False, True, True, True]
    assert len(library.collections()) == 1
