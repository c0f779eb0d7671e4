"""The server for lawyers as a process, over the sample case."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

ROOT = Path(__file__).parents[3]
OPINION = next((ROOT / "data-samples" / "case" / "Opinions").glob("Teasdale*.txt"))


@pytest.mark.slow
def test_a_lawyer_s_conversation(process_env: dict[str, str]) -> None:
    from mcp import StdioServerParameters
    from mcp.client import Client

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "casetrack", "serve", "--edition", "legal"],
        env=process_env,
        cwd=ROOT,
    )

    async def main() -> None:
        async with Client(server, mode="auto") as client:
            assert client.server_info.name == "casetrack-legal"
            await _converse(client)
            bare = await client.call_tool("search_case", {"query": "duty"})
            assert bare.is_error
            assert "switch_case" in bare.content[0].text

    anyio.run(main)


async def _ask(client: Any, tool: str, **given: Any) -> tuple[str, dict[str, Any]]:
    result = await client.call_tool(tool, given)
    text: str = result.content[0].text
    assert not result.is_error, text
    return text, result.structured_content


async def _converse(client: Any) -> None:
    assert "switch_case" in client.instructions
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert names[:3] == ["create_case", "list_cases", "switch_case"]
    listed = {prompt.name for prompt in (await client.list_prompts()).prompts}
    assert {"brief_case", "check_claim", "cite_check", "find_support"} <= listed
    prompt = await client.get_prompt("find_support", {"point": "Carmack preempts state claims"})
    assert '"Carmack preempts state claims"' in prompt.messages[0].content.text

    await _ask(client, "create_case", name="Sample v. Case", case_type="civil")
    messages: list[float] = []

    async def update(done: float, _total: float | None, _message: str | None) -> None:
        messages.append(done)

    opinion = {"file_path": str(OPINION), "document_type": "case_law"}
    result = await client.call_tool("ingest_document", opinion, progress_callback=update)
    assert "ingested" in result.content[0].text.lower()
    assert all(a < b for a, b in itertools.pairwise(messages))
    _, listing = await _ask(client, "list_documents", sort_by="name", response_format="detailed")
    names = [document["name"] for document in listing["documents"]]
    given = {"query": "duty of the carrier", "response_format": "detailed"}
    text, actual = await _ask(client, "search_case", top_k=3, **given)
    best = actual["results"][0]
    assert best["citation"].partition(", p. ")[0] in names
    assert best["citation"] in text
    _, whole = await _ask(client, "search_case", **given)
    uri = whole["results"][0]["uri"]
    (content,) = (await client.read_resource(uri)).contents
    assert best["text"][:60] in content.text
    # Collections of other editions are not cases.
    refused = await client.call_tool("switch_case", {"case_name": "Mill"})
    assert refused.is_error
    assert '"Mill"' in refused.content[0].text
    await _ask(client, "delete_case", case_name="Sample v. Case", confirm=True)
