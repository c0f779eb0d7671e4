"""The tools of the graph: what they ask, and that answers are whole, cited and bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.collection.map import Map
from casetrack.errors import EntityNotFound, ReferenceNotFound
from casetrack.mcp.outputs import QUOTED
from casetrack.mcp.server import build_server
from graph_records import Answers, key

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from casetrack.errors import CaseTrackError
    from casetrack.library import Library

DOCUMENT = {"document_name": "Lease.pdf"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_collection_summary", {}),
    ("get_collection_timeline", {"start_date": "2023-01-01"}),
    ("get_collection_statistics", {}),
    ("find_document_clusters", {"strategy": "entity", "max_clusters": 20}),
    ("find_entity", {"entity": "x"}),
    ("list_entities", {"entity_type": "organization", "top_k": 500}),
    ("get_entity_mentions", {"entity_name": "x", "entity_type": "person", "top_k": 100}),
    ("search_entity_relationships", {"entities": ["a", "b"], "top_k": 100}),
    ("get_entity_graph", {"top_k": 100}),
    ("get_entity_graph", {"entity_name": "x", "depth": 4}),
    ("list_references", {"reference_type": "standard", "top_k": 200}),
    ("get_reference_citations", {"reference": "ISO 9001", "top_k": 100}),
    *(
        ("find_related_documents", {**DOCUMENT, "relationship_type": kind})
        for kind in ("semantic_similar", "version_chain", "amends")
    ),
    ("get_related_documents", {**DOCUMENT, "top_k": 50}),
    ("list_documents_by_type", {"document_type": "contract"}),
    ("browse_pages", {**DOCUMENT, "start_page": 2, "end_page": 9}),
    ("traverse_chunks", {"start_chunk_id": "c", "count": 20}),
    ("traverse_chunks", {"start_chunk_id": "c", "direction": "backward"}),
    ("search_similar_chunks", {"chunk_id": "c", "top_k": 50, "min_similarity": 0}),
    (
        "compare_documents",
        {"document_a": "a", "document_b": "b", "topic": "rent", "top_k_per_document": 20},
    ),
]
WITHOUT_WORDS = {
    "get_collection_statistics",
    "list_entities",
    "list_references",
    "list_documents_by_type",
}


@pytest.fixture(scope="module")
def server(bare: Library) -> MCPServer[Any]:
    """One server for all calls: each names its collection, so none depends on another."""
    return build_server(bare)


@pytest.fixture
def asked(server: MCPServer[Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that calls a tool over *answers* and returns the result."""

    def ask(answers: Answers, tool: str, arguments: dict[str, Any]) -> Any:
        with monkeypatch.context() as patch:
            answers.install(patch)
            return anyio.run(server.call_tool, tool, {**arguments, "collection": "Acme"})

    return ask


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_a_tool_cites_all_it_shows(
    asked: Any, text: Any, cited: Any, tool: str, arguments: dict[str, Any]
) -> None:
    result = asked(Answers(3), tool, arguments)
    said, structured = text(result), result.structured_content
    found = cited(structured)
    if tool in WITHOUT_WORDS:
        assert found == []
        return
    assert found
    for each in found:
        assert each["citation"] in said
        assert each["source"]["chunk_id"] in said
        assert each["source"]["document_path"]
    assert said.endswith(QUOTED)
    assert structured["notice"] == QUOTED


def test_all_references_are_those_to_sources_outside(asked: Any, text: Any) -> None:
    outside = asked(Answers(4), "list_references", {"top_k": 3})
    assert [r["type"] for r in outside.structured_content["references"]] == ["standard"] * 3
    assert outside.structured_content["counts"] == {"standard": 9}
    assert outside.structured_content["total"] == 9
    assert outside.structured_content["next_offset"] == 3
    assert "3" in outside.structured_content["more"]
    inside = asked(Answers(4), "list_references", {"reference_type": "section"})
    assert inside.structured_content["counts"] == {"section": 7}


def test_a_timeline_keeps_the_weightiest_events_in_order(asked: Any) -> None:
    answer = asked(Answers(600), "get_collection_timeline", {}).structured_content
    weights = sorted(e["weight"] for e in answer["events"])
    assert weights[-1] == 0.599
    assert weights[0] == round(0.6 - len(weights) / 1000, 3)
    dates = [e["date"] for e in answer["events"]]
    assert dates == sorted(dates)
    assert answer["total"] == 600
    assert str(answer["next_offset"]) in answer["more"]


def test_reading_on_names_the_chunk_to_go_on_from(asked: Any, messages: Any) -> None:
    many = {"start_chunk_id": "c", "count": 20}
    forward = asked(Answers(20), "traverse_chunks", many).structured_content
    shown = len(forward["chunks"])
    assert 1 < shown < 20
    assert key(shown) in forward["more"]
    back = asked(Answers(20), "traverse_chunks", {**many, "direction": "backward"})
    kept = [c["source"]["chunk_index"] for c in back.structured_content["chunks"]]
    assert kept == list(range(20 - len(kept), 20))
    assert key(19 - len(kept)) in back.structured_content["more"]
    for few in (many, {**many, "direction": "backward"}):
        ending = asked(Answers(3), "traverse_chunks", few).structured_content["more"]
        assert ending
        messages(ending, few.get("direction", "forward"))


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (EntityNotFound("Acmee", [("Acme", "organization")]), ["- Acme (org"]),
        (EntityNotFound("Acmee"), ["list_entities", "search_documents"]),
        (ReferenceNotFound("ISO"), ["list_references", "search_documents"]),
    ],
)
def test_a_name_that_is_not_there(
    server: MCPServer[Any],
    text: Any,
    codes: list[str],
    monkeypatch: pytest.MonkeyPatch,
    error: CaseTrackError,
    named: list[str],
) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(Map, "find_entity", missing)
    arguments = {"entity": "Acmee", "collection": "Acme"}
    result: Any = anyio.run(server.call_tool, "find_entity", arguments)
    assert codes == [error.code]
    assert all(name in text(result) for name in named)
    assert "`" not in text(result)


def test_of_a_collection_that_is_not_there(server: MCPServer[Any], codes: list[str]) -> None:
    for tool, arguments in CALLS:
        anyio.run(server.call_tool, tool, {**arguments, "collection": "Nowhere"})
    assert codes == ["collection_not_found"] * len(CALLS)
