"""Choosing other models through a tool: what the client is told, and what it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from mcp.client import Client

from casetrack.mcp.server import build_server
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.library import Library


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def test_a_conversation(library: Library, case_folder: Path) -> None:
    library.encoders = FakeEncoders(  # type: ignore[assignment]
        WordEncoder("openai", 8, token_width=None), WordEncoder("ollama", 12)
    )
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def talk() -> None:
        async with Client(build_server(library)) as client:
            made = await client.call_tool("create_collection", {"name": "A", "profile": "OpenAI"})
            assert made.structured_content is not None
            assert made.structured_content["collection"]["profile"] == "openai"
            assert "leaves this machine" in text_of(made)
            await client.call_tool("ingest_folder", {"folder_path": str(case_folder)})
            current = await client.call_tool("reindex_collection", {})
            assert '"A" is up to date; nothing had to be rebuilt.' in text_of(current)
            other = await client.call_tool(
                "reindex_collection", {"profile": "ollama"}, progress_callback=hear
            )
            assert not other.is_error, text_of(other)
            assert other.structured_content is not None
            assert other.structured_content["documents"] == 3
            assert other.structured_content["dimension"] == 12
            assert other.structured_content["counts"] is None
            assert "Profile: ollama (before: openai)" in text_of(other)
            again = await client.call_tool("reindex_collection", {"reparse": True, "force": True})
            assert "Files: 3 ingested" in text_of(again)
            missing = await client.call_tool("reindex_collection", {"profile": "legal"})
            assert missing.is_error
            assert "models pull" in text_of(missing)
            unknown = await client.call_tool("reindex_collection", {"profile": "huge"})
            assert unknown.is_error
            assert "ollama" in text_of(unknown)

    anyio.run(talk)
    assert library.get("A").info.profile == "ollama"
    assert heard
    assert heard[-1][2] == "Finished"
    assert [p for p, _, _ in heard] == sorted(p for p, _, _ in heard)
