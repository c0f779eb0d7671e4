"""Choosing other models through a tool: messages and results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.client import Client

from casetrack.faces.mcp.server import build_server
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def test_a_conversation(library: Library, case_folder: Path, messages: Any) -> None:
    library.encoders = FakeEncoders(  # type: ignore[assignment]
        WordEncoder("openai", 8, token_width=None), WordEncoder("ollama", 12)
    )
    texts: list[str] = []
    received: list[float] = []

    async def update(progress: float, _total: float | None, _message: str | None) -> None:
        received.append(progress)

    async def talk() -> None:
        async with Client(build_server(library)) as client:
            made = await client.call_tool("create_collection", {"name": "A", "profile": "OpenAI"})
            assert made.structured_content is not None
            assert made.structured_content["collection"]["profile"] == "openai"
            assert made.structured_content["notes"]
            await client.call_tool("ingest_folder", {"folder_path": str(case_folder)})
            asked = await client.call_tool("reindex_collection", {})
            assert asked.is_error
            assert "confirm: true" in text_of(asked)
            same = {"confirm": True, "reparse": False, "skip_unchanged": True}
            few = await client.call_tool("reindex_collection", same | {"confirm": False})
            current = await client.call_tool("reindex_collection", same)
            other = await client.call_tool(
                "reindex_collection", same | {"profile": "ollama"}, progress_callback=update
            )
            assert not other.is_error, text_of(other)
            assert other.structured_content is not None
            assert other.structured_content["documents"] == 3
            assert other.structured_content["dimension"] == 12
            assert other.structured_content["counts"] is None
            again = await client.call_tool("reindex_collection", {"confirm": True})
            assert again.structured_content["counts"]["ingested"] == 3
            shown = (made, asked, few, current, again)
            texts.extend(re.sub(r"\d+\.\d s", "<time>", text_of(each)) for each in shown)
            missing = await client.call_tool("reindex_collection", same | {"profile": "legal"})
            assert missing.is_error
            assert "casetrack models pull" in text_of(missing)
            unknown = await client.call_tool("reindex_collection", same | {"profile": "huge"})
            assert unknown.is_error
            assert "ollama" in text_of(unknown)

    anyio.run(talk)
    messages("\n\n".join(texts))
    assert library.get("A").info.profile == "ollama"
    assert received
    assert received == sorted(received)


def with_models(library: Library) -> Library:
    library.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=None))  # type: ignore[assignment]
    return library


@pytest.mark.slow
def test_one_document(library: Library, case_folder: Path, call: Any) -> None:
    collection = with_models(library).create("A")
    collection.ingest([case_folder])
    named = {"document_name": "Notes.txt", "collection": "A"}
    fresh = call(library, ("reindex_document", named)).structured_content
    assert fresh["documents"] == 0
    (case_folder / "Notes.txt").write_text("He stayed after all.")
    changed = call(library, ("reindex_document", named)).structured_content
    assert changed["counts"]["ingested"] == 1
    assert (changed["document"], changed["missing_files"]) == ("Notes.txt", [])
    assert collection.read.chunks("Notes.txt")[0].text == "He stayed after all."
    kept = call(library, ("reindex_document", named | {"force": True, "reparse": False}))
    assert kept.structured_content["documents"] == 1
    assert kept.structured_content["counts"] is None
    (case_folder / "Notes.txt").unlink()
    gone = call(library, ("reindex_document", named | {"force": True}))
    assert gone.structured_content["missing_files"] == [str(case_folder / "Notes.txt")]
    assert gone.structured_content["documents"] == 1
    unknown = call(library, ("reindex_document", named | {"document_name": "Notez.txt"}))
    assert unknown.is_error
    assert "Notes.txt" in text_of(unknown)
