"""The tools of the graph: what they ask, and that answers are whole, cited and bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.errors import EntityNotFound, ReferenceNotFound
from casetrack.mcp.budget import MAX_TOKENS, tokens
from casetrack.mcp.outputs import QUOTED
from casetrack.mcp.server import build_server
from graph_records import FORGED, Answers, key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.server import MCPServer

    from casetrack.library import Library

DOCUMENT = {"document_name": "Lease.pdf"}
# Tool, its arguments, and what it asks of the collection: method, arguments, options.
CALLS: list[tuple[str, dict[str, Any], tuple[str, tuple[Any, ...], dict[str, Any]]]] = [
    ("get_collection_summary", {}, ("summary", (), {})),
    (
        "get_collection_timeline",
        {"start_date": "2023-01-01"},
        ("timeline", (), {"start": "2023-01-01", "end": None, "limit": 1000}),
    ),
    ("get_collection_statistics", {}, ("statistics", (), {})),
    (
        "find_document_clusters",
        {"strategy": "entity", "max_clusters": 20},
        ("clusters", ("entity",), {"limit": 20}),
    ),
    ("find_entity", {"entity": "x"}, ("find_entity", ("x",), {"kind": "any", "limit": 20})),
    (
        "list_entities",
        {"entity_type": "organization", "top_k": 500},
        ("entities", (), {"kind": "organization", "sort_by": "mentions", "limit": 500}),
    ),
    (
        "get_entity_mentions",
        {"entity_name": "x", "entity_type": "person", "top_k": 100},
        ("entity_mentions", ("x",), {"kind": "person", "limit": 100}),
    ),
    (
        "search_entity_relationships",
        {"entities": ["a", "b"], "top_k": 100},
        ("encounters", (["a", "b"],), {"limit": 100}),
    ),
    (
        "get_entity_graph",
        {"top_k": 100},
        ("graph", (None,), {"depth": 2, "limit": 100}),
    ),
    (
        "get_entity_graph",
        {"entity_name": "x", "depth": 4},
        ("graph", ("x",), {"depth": 4, "limit": 20}),
    ),
    (
        "list_references",
        {"reference_type": "standard", "top_k": 200},
        ("references", (), {"type": "standard", "sort_by": "citations", "limit": 200}),
    ),
    (
        "get_reference_citations",
        {"reference": "ISO 9001", "top_k": 100},
        ("reference_citations", ("ISO 9001",), {"limit": 100}),
    ),
    (
        "find_related_documents",
        {**DOCUMENT, "relationship_type": "semantic_similar", "top_k": 50},
        ("related_documents", (key(0),), {"relation": "semantic", "limit": 51}),
    ),
    (
        "find_related_documents",
        {**DOCUMENT, "relationship_type": "version_chain"},
        ("related_documents", (key(0),), {"relation": "version", "limit": 11}),
    ),
    (
        "find_related_documents",
        {**DOCUMENT, "relationship_type": "amends"},
        ("related_documents", (key(0),), {"relation": "amends", "limit": 11}),
    ),
    (
        "get_related_documents",
        {**DOCUMENT, "top_k": 50},
        ("related_documents", (key(0),), {"relation": "all", "limit": 51}),
    ),
    (
        "list_documents_by_type",
        {"document_type": "contract"},
        ("documents_of_type", ("contract",), {}),
    ),
    (
        "browse_pages",
        {**DOCUMENT, "start_page": 2, "end_page": 9},
        ("browse", (key(0), 2, 9), {}),
    ),
    (
        "traverse_chunks",
        {"start_chunk_id": "c", "count": 20},
        ("traverse", ("c",), {"direction": "forward", "limit": 20}),
    ),
    (
        "traverse_chunks",
        {"start_chunk_id": "c", "direction": "backward"},
        ("traverse", ("c",), {"direction": "backward", "limit": 5}),
    ),
    (
        "search_similar_chunks",
        {"chunk_id": "c", "top_k": 50, "min_similarity": 0},
        (
            "similar_chunks",
            ("c",),
            {"exclude_same_document": True, "min_similarity": 0, "limit": 50},
        ),
    ),
    (
        "compare_documents",
        {"document_a": "a", "document_b": "b", "topic": "rent", "top_k_per_document": 20},
        ("compare", ("a", "b", "rent"), {"limit": 20}),
    ),
]
IDS = [f"{tool}-{n}" for n, (tool, _, _) in enumerate(CALLS)]
WITHOUT_WORDS = {
    "get_collection_statistics",
    "list_entities",
    "list_references",
    "list_documents_by_type",
}


def quotes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield everything in an answer that carries a source."""
    if isinstance(value, dict):
        if "source" in value and "citation" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from quotes(item)


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with an empty collection, for which others answer."""
    from casetrack.config import Settings
    from casetrack.library import Library

    root = tmp_path_factory.mktemp("acme")
    library = Library(Settings(data_dir=root / "data", models_dir=root / "models"))
    library.create("Acme")
    return library


@pytest.fixture(scope="module")
def server(acme: Library) -> MCPServer[Any]:
    """One server for all calls: each names its collection, so none depends on another."""
    return build_server(acme)


@pytest.fixture
def asked(server: MCPServer[Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that calls a tool over *answers* and returns the result."""

    def ask(answers: Answers, tool: str, arguments: dict[str, Any]) -> Any:
        with monkeypatch.context() as patch:
            answers.install(patch)
            return anyio.run(server.call_tool, tool, {**arguments, "collection": "Acme"})

    return ask


@pytest.mark.parametrize(("tool", "arguments", "wanted"), CALLS, ids=IDS)
def test_a_tool_asks_what_it_was_asked_and_cites_all_it_shows(
    asked: Any, text: Any, tool: str, arguments: dict[str, Any], wanted: Any
) -> None:
    answers = Answers(3)
    result = asked(answers, tool, arguments)
    assert not result.is_error, text(result)
    assert wanted in answers.asked
    said, structured = text(result), result.structured_content
    found = list(quotes(structured))
    if tool in WITHOUT_WORDS:
        assert found == []
        return
    assert found
    for each in found:
        assert each["citation"] in said
        assert f"chunk {each['source']['chunk_id']}" in said
        assert each["source"]["document_path"]
    assert said.endswith(QUOTED)
    assert structured["notice"] == QUOTED


@pytest.mark.parametrize(("tool", "arguments", "_wanted"), CALLS, ids=IDS)
def test_the_longest_answer_is_bounded_and_says_how_to_get_the_rest(
    asked: Any, text: Any, tool: str, arguments: dict[str, Any], _wanted: Any
) -> None:
    result = asked(Answers(600), tool, arguments)
    structured = result.structured_content
    assert tokens(structured) < MAX_TOKENS
    assert tokens(text(result)) < MAX_TOKENS
    if "more" in structured:
        assert structured["more"]
        assert structured["more"] in text(result)


@pytest.mark.parametrize("size", [1, 30])
def test_answers_are_of_their_declared_types(asked: Any, size: int) -> None:
    # What is declared is checked for every result, see conftest.py.
    for tool, arguments, _ in CALLS:
        assert asked(Answers(size), tool, arguments).structured_content


@pytest.mark.parametrize(("tool", "arguments", "_wanted"), CALLS, ids=IDS)
def test_words_of_documents_cannot_pass_for_lines_of_an_answer(
    asked: Any, text: Any, tool: str, arguments: dict[str, Any], _wanted: Any
) -> None:
    result = asked(Answers(2, words=f"Halyard{FORGED}"), tool, arguments)
    lines = text(result).splitlines()
    assert not [line for line in lines if line.startswith(("--- Result", "Forged", "  1. Forged"))]


def test_all_references_are_those_to_sources_outside(asked: Any, text: Any) -> None:
    outside = asked(Answers(4), "list_references", {"top_k": 3})
    assert [r["type"] for r in outside.structured_content["references"]] == ["standard"] * 3
    assert outside.structured_content["counts"] == {"standard": 9}
    assert outside.structured_content["total"] == 9
    assert outside.structured_content["more"] == "More from offset 3."
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
    assert answer["more"] == f"More from offset {answer['next_offset']}."


def test_reading_on_names_the_chunk_to_go_on_from(asked: Any) -> None:
    many = {"start_chunk_id": "c", "count": 20}
    forward = asked(Answers(20), "traverse_chunks", many).structured_content
    shown = len(forward["chunks"])
    assert 1 < shown < 20
    assert forward["more"].endswith(f"start_chunk_id {key(shown)}.")
    back = asked(Answers(20), "traverse_chunks", {**many, "direction": "backward"})
    kept = [c["source"]["chunk_index"] for c in back.structured_content["chunks"]]
    assert kept == list(range(20 - len(kept), 20))
    assert back.structured_content["more"].endswith(f"start_chunk_id {key(19 - len(kept))}.")
    first = asked(Answers(3), "traverse_chunks", {**many, "direction": "backward"})
    assert first.structured_content["more"] == "This is the beginning of the document."
    short = asked(Answers(3), "traverse_chunks", many)
    assert "that chunk then comes first again" in short.structured_content["more"]


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        (
            "search_entity_relationships",
            {"entities": ["Acme"]},
            'entities: must be a list of 2 to 5 texts, not ["Acme"]',
        ),
        (
            "search_entity_relationships",
            {"entities": ["x"] * 6},
            "entities: must be a list of 2 to 5 texts, not",
        ),
        ("search_entity_relationships", {}, "entities: missing; give a list of 2 to 5 texts"),
        ("get_entity_graph", {"depth": 5}, "depth: must be a whole number from 1 to 4, not 5"),
        ("list_entities", {"top_k": 501}, "top_k: must be a whole number from 1 to 500, not 501"),
        (
            "search_similar_chunks",
            {"chunk_id": "c", "min_similarity": 2},
            "min_similarity: must be a number from 0 to 1, not 2",
        ),
        (
            "list_entities",
            {"entity_type": "firm"},
            'organization, date, amount, location, concept, all, not "firm"',
        ),
        ("browse_pages", {**DOCUMENT, "start_page": 1}, "end_page: missing"),
    ],
)
def test_bad_arguments(asked: Any, text: Any, tool: str, arguments: Any, line: str) -> None:
    answers = Answers()
    result = asked(answers, tool, arguments)
    assert result.is_error
    assert line in text(result)
    assert answers.asked == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (EntityNotFound("Acmee", [("Acme", "organization")]), "Did you mean:\n  - Acme (org"),
        (EntityNotFound("Acmee"), "list_entities, or search for the words with search_documents."),
        (ReferenceNotFound("ISO"), "list_references, or search for the words with search_doc"),
    ],
)
def test_a_name_that_is_not_there(
    server: MCPServer[Any],
    text: Any,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    said: str,
) -> None:
    from casetrack.collection.map import Map

    def missing(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(Map, "find_entity", missing)
    arguments = {"entity": "Acmee", "collection": "Acme"}
    result: Any = anyio.run(server.call_tool, "find_entity", arguments)
    assert result.is_error
    assert said in text(result)
    assert "`" not in text(result)


@pytest.mark.parametrize(("tool", "arguments", "_wanted"), CALLS, ids=IDS)
def test_of_a_collection_that_is_not_there(
    server: MCPServer[Any], text: Any, tool: str, arguments: dict[str, Any], _wanted: Any
) -> None:
    result: Any = anyio.run(server.call_tool, tool, {**arguments, "collection": "Nowhere"})
    assert result.is_error
    assert text(result).startswith('Collection not found: "Nowhere".')
