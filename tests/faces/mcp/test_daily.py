"""The set of tools for daily work: no dead ends, and short answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.client import Client

from casetrack.faces.mcp.app import server_for
from casetrack.faces.mcp.catalogue import choose
from casetrack.faces.mcp.session import Session
from vocabulary import count

if TYPE_CHECKING:
    from casetrack.api.library import Library


@pytest.fixture
def daily(filled: Library, as_models_see: None) -> Any:
    """Return a function that calls tools as ``casetrack serve --tools daily`` does."""

    def call(*calls: tuple[str, dict[str, Any]]) -> list[Any]:
        async def main() -> list[Any]:
            session = Session(filled)
            session.texts_only = True
            async with Client(server_for(session, choose("daily"))) as client:
                return [await client.call_tool(name, given) for name, given in calls]

        return anyio.run(main)

    return call


def test_unlisted_tools_are_called_by_name(daily: Any, text: Any) -> None:
    listed, entities, wrong, deleting = daily(
        ("more_tools", {}),
        ("more_tools", {"name": "list_entities", "arguments": {"top_k": 3}}),
        ("more_tools", {"name": "list_entities", "arguments": {"most": 3}}),
        ("more_tools", {"name": "delete_collection", "arguments": {"collection_name": "Acme"}}),
    )
    assert {"find_amounts", "export_collection"} <= {*listed.structured_content["tools"]}
    assert not entities.is_error
    assert wrong.is_error
    assert "top_k" in text(wrong)
    assert deleting.is_error


def test_a_concise_answer_is_sent_once(daily: Any, text: Any) -> None:
    question = {"query": "payment within thirty days"}
    concise, detailed = daily(
        ("search_documents", question),
        ("search_documents", {**question, "response_format": "detailed"}),
    )
    assert concise.structured_content is None
    first = detailed.structured_content["results"][0]
    assert first["citation"] in text(concise)
    assert count(concise.model_dump(mode="json", by_alias=True, exclude_none=True)) <= 1_200


def test_documents_are_named_by_a_part_of_their_name(daily: Any, text: Any) -> None:
    reading = {"start_page": 1, "end_page": 1}
    part, slip, deleting = daily(
        ("browse_pages", {"document_name": "vendor", **reading}),
        ("browse_pages", {"document_name": "Vendr", **reading}),
        ("delete_document", {"document_name": "vendor", "confirm": True}),
    )
    assert not part.is_error
    assert slip.is_error
    assert deleting.is_error
    assert all("Vendor_Agreement.txt" in text(each) for each in (part, slip, deleting))


def test_a_wrong_column_gets_the_existing_ones(daily: Any, text: Any) -> None:
    (refused,) = daily(("query", {"sql": "SELECT currency FROM amounts"}))
    assert refused.is_error
    assert "line 1, column 8" in text(refused)
    assert all(f" {name}," in text(refused) for name in ("value", "unit", "document_name"))


def test_topics_are_found_in_each_document(daily: Any, text: Any) -> None:
    topics = {"topics": ["late payments", "helicopter maintenance"]}
    concise, detailed = daily(
        ("find_in_documents", {**topics, "limit": 2}),
        ("find_in_documents", {**topics, "response_format": "detailed"}),
    )
    matrix = detailed.structured_content
    rows = {r["document"]: {f["topic"]: f for f in r["findings"]} for r in matrix["documents"]}
    late = rows["Vendor_Agreement.txt"]["late payments"]
    assert late["presence"] != "absent"
    assert "ate payments" in late["quote"]["text"]
    assert late["quote"]["source"]["document"] == "Vendor_Agreement.txt"
    assert {row["helicopter maintenance"]["presence"] for row in rows.values()} == {"absent"}
    assert matrix["total"] == len(rows)
    assert "offset 2" in text(concise)
