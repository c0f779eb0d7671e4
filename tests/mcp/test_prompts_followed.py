"""A client that follows each prompt step by step, with nothing but the prompt and the tool list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.editions import ANY, edition

if TYPE_CHECKING:
    from mcp.client import Client

    from casetrack.library import Library

GIVEN = {
    "brief_collection": {},
    "compare_documents": {
        "document_a": "Vendor_Agreement.txt",
        "document_b": "Long.txt",
        "topic": "binds the parties",
    },
    "build_timeline": {"about": "the parties"},
    "brief_document": {"file": "Long.txt", "about": "clause"},
    "find_obligations": {"party": "the parties", "document": "Long.txt"},
    "check_claims": {"claims": "Clause 2 binds the parties. Clause 9 binds nobody."},
}
PRO = {"compare_documents", "find_entity"}


def arguments_of(tool: Any, given: dict[str, str], chunk_id: str | None) -> dict[str, Any]:
    """Return what a program would fill in from what the prompt gives."""
    document = given.get("document_a") or given.get("file") or given.get("document") or "Long.txt"
    asked = next((given[n] for n in ("about", "topic", "party", "claims") if n in given), "clause")
    known = {
        "query": asked,
        "document_name": document,
        "document_a": document,
        "document_b": given.get("document_b"),
        "topic": given.get("topic", "price"),
        "entity": asked,
        "entity_name": asked,
        "chunk_id": chunk_id,
        "start_page": 1,
        "end_page": 1,
    }
    if "document_filter" in tool.input_schema["properties"] and "document" in "".join(given):
        known["document_filter"] = document
    wanted = {*tool.input_schema.get("required", ()), "document_filter"}
    return {name: value for name, value in known.items() if name in wanted and value is not None}


@pytest.mark.parametrize("name", GIVEN)
def test_every_step_can_be_done(filled: Library, connect: Any, name: str) -> None:
    async def work(client: Client) -> list[tuple[str, Any]]:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        values = GIVEN[name] | {"collection": "Acme"}
        text = (await client.get_prompt(name, values)).messages[0].content.text
        steps = re.findall(r"^\d+\. (.*)$", text, re.MULTILINE)
        done, chunk_id = [], None
        for tool in (t for step in steps for t in re.findall(r"[a-z]+(?:_[a-z]+)+", step)):
            if tool not in tools:
                continue
            if tool in {"get_source_context", "search_similar_chunks"} and chunk_id is None:
                found = await client.call_tool(
                    "search_documents", {"query": "clause", "collection": "Acme"}
                )
                chunk_id = found.structured_content["results"][0]["source"]["chunk_id"]
            arguments = arguments_of(tools[tool], GIVEN[name], chunk_id)
            result = await client.call_tool(tool, arguments | {"collection": "Acme"})
            done.append((tool, result))
        return done

    done = connect(filled, work)
    request = next(r for r in edition(ANY).prompts if r.name == name)
    assert {tool for tool, _ in done} >= set(request.needs)
    assert len(done) >= 2
    for tool, result in done:
        said = result.content[0].text
        if "Entity not found" in said:
            # Nobody of that name: the answer says where to look on.
            assert "list_entities" in said
        elif "has no vector" in said:
            assert "casetrack models pull" in said
        elif result.is_error:
            assert tool in PRO, said
            assert "Pro" in said
        else:
            assert result.structured_content
