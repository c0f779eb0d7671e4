"""What clients are told about the tools."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, get_args

import anyio
import pytest

from bench.vocabulary import count
from casetrack.config import Settings
from casetrack.errors import UsageError
from casetrack.library import Library
from casetrack.license.tiers import FREE, UNLIMITED, Tier
from casetrack.mcp.catalogue import ALIASES, choose, declared
from casetrack.mcp.server import build_server
from casetrack.mcp.specs import ToolSet
from casetrack.mcp.toolsets import SET_NAMES, ToolChoice
from casetrack.models.profiles import PROFILES
from casetrack.records import COLLECTION_TYPES, DOCUMENT_TYPES
from casetrack.records.graph import ENTITY_KINDS, RELATION_TYPES

GOLDEN = Path(__file__).parent / "golden"
REGEN = os.environ.get("CASETRACK_REGEN") == "1"

TOOLS = [
    "create_collection",
    "list_collections",
    "switch_collection",
    "delete_collection",
    "get_collection_info",
    "close_collection",
    "reopen_collection",
    "archive_collection",
    "update_collection",
    "ingest_document",
    "ingest_folder",
    "sync_folder",
    "watch_folder",
    "unwatch_folder",
    "list_watches",
    "set_sync_schedule",
    "reindex_document",
    "reindex_collection",
    "get_index_status",
    "export_collection",
    "get_job_status",
    "cancel_job",
    "list_documents",
    "get_document_structure",
    "get_document",
    "delete_document",
    "search_documents",
    "get_chunk",
    "get_document_chunks",
    "get_source_context",
    "get_page_image",
    "get_collection_summary",
    "get_collection_timeline",
    "get_collection_statistics",
    "find_document_clusters",
    "find_entity",
    "list_entities",
    "get_entity_mentions",
    "search_entity_relationships",
    "get_entity_graph",
    "list_references",
    "get_reference_citations",
    "find_related_documents",
    "get_related_documents",
    "list_documents_by_type",
    "compare_documents",
    "compare_versions",
    "find_amounts",
    "query",
    "mark",
    "list_marks",
    "browse_pages",
    "traverse_chunks",
    "search_similar_chunks",
    "get_status",
]

# The parameters of the requirement: name -> (type, default or None, required).
REQUIRED = {
    "create_collection": {
        "name": ("string", None, True),
        "reference": ("string", None, False),  # there "collection_id", which is taken, too
        "collection_type": ("string", None, False),
    },
    "list_collections": {"status_filter": ("string", "active", False)},
    "switch_collection": {"collection_name": ("string", None, True)},
    "delete_collection": {
        "collection_name": ("string", None, True),
        "confirm": ("boolean", False, True),
    },
    "get_collection_info": {},
    "ingest_document": {
        "file_path": ("string", None, True),
        "document_name": ("string", None, False),
        "document_type": ("string", None, False),
        "copy_original": ("boolean", False, False),
    },
    "ingest_folder": {
        "folder_path": ("string", None, True),
        "recursive": ("boolean", True, False),
        "skip_existing": ("boolean", True, False),
        "document_type": ("string", None, False),
        "file_extensions": ("array", None, False),
    },
    "sync_folder": {
        "folder_path": ("string", None, True),
        "remove_deleted": ("boolean", False, False),
        "document_type": ("string", None, False),
        "dry_run": ("boolean", False, False),
    },
    "watch_folder": {
        "folder_path": ("string", None, True),
        "schedule": ("string", "on_change", False),
        "auto_remove_deleted": ("boolean", False, False),
        "file_extensions": ("array", None, False),
    },
    "unwatch_folder": {"folder_path": ("string", None, True)},
    "list_watches": {"collection_filter": ("string", None, False)},
    "set_sync_schedule": {
        "folder_path": ("string", None, True),
        "schedule": ("string", None, True),
        "auto_remove_deleted": ("boolean", None, False),
    },
    "reindex_document": {
        "document_name": ("string", None, True),
        "force": ("boolean", False, False),
        "reparse": ("boolean", True, False),
    },
    "reindex_collection": {
        "confirm": ("boolean", False, True),
        "reparse": ("boolean", True, False),
        "skip_unchanged": ("boolean", False, False),
    },
    "export_collection": {},
    "get_index_status": {"document_filter": ("string", None, False)},
    "close_collection": {"collection_name": ("string", None, False)},
    "reopen_collection": {"collection_name": ("string", None, False)},
    "archive_collection": {"collection_name": ("string", None, False)},
    "update_collection": {
        "name": ("string", None, False),
        "description": ("string", None, False),
        "reference": ("string", None, False),
        "collection_type": ("string", None, False),
        "add_tags": ("array", None, False),
        "remove_tags": ("array", None, False),
    },
    "get_job_status": {
        "job_id": ("string", None, False),
        "wait_seconds": ("integer", 0, False),
    },
    "cancel_job": {"job_id": ("string", None, True)},
    "list_documents": {"sort_by": ("string", "date", False)},
    "get_document_structure": {"document_name": ("string", None, True)},
    "get_document": {"document_name": ("string", None, True)},
    "delete_document": {
        "document_name": ("string", None, True),
        "confirm": ("boolean", False, True),
    },
    "search_documents": {
        "query": ("string", None, True),
        "top_k": ("integer", 5, False),
        "document_filter": ("string", None, False),
    },
    "get_chunk": {"chunk_id": ("string", None, True)},
    "get_document_chunks": {
        "document_name": ("string", None, True),
        "page_filter": ("integer", None, False),
    },
    "get_source_context": {
        "chunk_id": ("string", None, True),
        "window": ("integer", 1, False),
    },
    "get_page_image": {
        "chunk_id": ("string", None, False),
        "document_name": ("string", None, False),
        "page": ("integer", None, False),
    },
    "get_collection_summary": {},
    "get_collection_timeline": {
        "start_date": ("string", None, False),
        "end_date": ("string", None, False),
    },
    "get_collection_statistics": {},
    "find_document_clusters": {
        "strategy": ("string", "topical", False),
        "max_clusters": ("integer", 10, False),
    },
    "find_entity": {
        "entity": ("string", None, True),
        "entity_type": ("string", "any", False),
        "top_k": ("integer", 20, False),
    },
    "list_entities": {
        "entity_type": ("string", "all", False),
        "sort_by": ("string", "mentions", False),
        "top_k": ("integer", 50, False),
    },
    "get_entity_mentions": {
        "entity_name": ("string", None, True),
        "entity_type": ("string", "any", False),
        "top_k": ("integer", 20, False),
    },
    "search_entity_relationships": {
        "entities": ("array", None, True),
        "top_k": ("integer", 20, False),
    },
    "get_entity_graph": {
        "entity_name": ("string", None, False),
        "depth": ("integer", 2, False),
        "top_k": ("integer", 20, False),
    },
    "list_references": {
        "reference_type": ("string", "all", False),
        "sort_by": ("string", "citations", False),
        "top_k": ("integer", 50, False),
    },
    "get_reference_citations": {
        "reference": ("string", None, True),
        "top_k": ("integer", 20, False),
    },
    "find_related_documents": {
        "document_name": ("string", None, True),
        "relationship_type": ("string", "all", False),
        "top_k": ("integer", 10, False),
    },
    "get_related_documents": {
        "document_name": ("string", None, True),
        "top_k": ("integer", 10, False),
    },
    "list_documents_by_type": {"document_type": ("string", None, True)},
    "compare_documents": {
        "document_a": ("string", None, True),
        "document_b": ("string", None, True),
        "topic": ("string", None, True),
        "top_k_per_document": ("integer", 5, False),
    },
    "compare_versions": {
        "before": ("string", None, True),
        "after": ("string", None, True),
    },
    "find_amounts": {
        "min_value": ("number", None, False),
        "max_value": ("number", None, False),
        "unit": ("string", None, False),
        "kind": ("string", "all", False),
        "sort_by": ("string", "value", False),
        "document_name": ("string", None, False),
    },
    "query": {"sql": ("string", None, True)},
    "mark": {
        "action": ("string", None, True),
        "target": ("string", None, True),
        "value": ("string", None, False),
        "page": ("integer", None, False),
        "date": ("string", None, False),
        "note": ("string", "", False),
        "document": ("string", None, False),
    },
    "list_marks": {},
    "browse_pages": {
        "document_name": ("string", None, True),
        "start_page": ("integer", None, True),
        "end_page": ("integer", None, True),
    },
    "traverse_chunks": {
        "start_chunk_id": ("string", None, True),
        "direction": ("string", "forward", False),
        "count": ("integer", 5, False),
    },
    "search_similar_chunks": {
        "chunk_id": ("string", None, True),
        "exclude_same_document": ("boolean", True, False),
        "min_similarity": ("number", 0.6, False),
        "top_k": ("integer", 10, False),
    },
    "get_status": {},
}

PLAIN = {
    "password",
    "ocr",
    "job_id",
    "name",
    "query",
    "sql",
    "collection",
    "collection_name",
    "offset",
    "limit",
    "top_k",
    "top_k_per_document",
    "max_clusters",
    "count",
    "page",
    "start_page",
    "end_page",
    "until",
    "end_date",
    "chunk_id",
    "start_chunk_id",
    "direction",
    "recursive",
    "entity",
    "entity_name",
    "entities",
    "reference",
    "entity_type",
    "reference_type",
    "relationship_type",
    "collection_type",
    "document_type",
    "strategy",
    "sort_by",
    "status_filter",
    "response_format",
}
"""Parameters whose name says what they are."""
READING = tuple("get_ list_ search_ find_ browse_ traverse_ compare_ switch_ query".split())
WITHOUT_COLLECTION = {
    "create_collection",
    "list_collections",
    "switch_collection",
    "delete_collection",
    "close_collection",
    "reopen_collection",
    "archive_collection",
    "list_watches",
    "get_job_status",
    "cancel_job",
    "get_status",
}


def _listed() -> dict[str, dict[str, Any]]:
    nowhere = Path("nowhere").absolute()
    server = build_server(Library(Settings(data_dir=nowhere, models_dir=nowhere)))
    tools = anyio.run(server.list_tools)
    return {t.name: t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools}


LISTED = _listed()


def test_the_tools_are_those_of_the_requirement() -> None:
    assert list(LISTED) == TOOLS


@pytest.mark.parametrize("name", TOOLS)
def test_tool_is_declared_as_recorded(name: str) -> None:
    path = GOLDEN / f"{name}.json"
    now = json.dumps(LISTED[name], indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    if REGEN:
        path.parent.mkdir(exist_ok=True)
        path.write_text(now, encoding="utf-8")
        pytest.fail("golden file written; run again without CASETRACK_REGEN")
    assert path.is_file(), f"no golden file for {name}: set CASETRACK_REGEN=1 once to write it"
    assert now == path.read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {p.stem for p in GOLDEN.glob("*.json")} <= set(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_parameters_are_those_of_the_requirement(name: str) -> None:
    schema = LISTED[name]["inputSchema"]
    properties, required = schema["properties"], schema.get("required", [])
    for parameter, (kind, default, needed) in REQUIRED[name].items():
        field = properties[parameter]
        kinds = [each["type"] for each in field.get("anyOf", [field])]
        assert kind in kinds
        assert (field.get("default"), parameter in required) == (default, needed)
    told = {name for name, field in properties.items() if field.get("description")}
    assert properties.keys() - told <= PLAIN
    extra = properties.keys() - REQUIRED[name].keys()
    assert extra <= {
        "collection",
        "offset",
        "limit",
        "response_format",
        "password",
        "ocr",
        "ocr_language",
        "profile",
        "mode",
        "explain",
        "related",
        "min_relevance",
        "kinds",
        "since",
        "until",
        "wait_seconds",
        "output_folder",
        "collections",
        "secure",
        "include",
        "exclude",
        "daily_time",
        "file_extensions",
    }
    assert not extra & set(required)
    assert ("collection" in extra) == (name not in WITHOUT_COLLECTION)


@pytest.mark.parametrize("name", TOOLS)
def test_everything_a_client_may_show_is_there(name: str) -> None:
    tool = LISTED[name]
    hints = tool["annotations"]
    expected = {"title", "readOnlyHint", "destructiveHint", "openWorldHint"}
    assert hints.keys() == (expected if hints["readOnlyHint"] else {*expected, "idempotentHint"})
    assert hints["title"]
    assert hints["openWorldHint"] is False
    removes = {"sync_folder", "watch_folder", "set_sync_schedule"}
    assert hints["destructiveHint"] == (name.startswith("delete_") or name in removes)
    assert hints["readOnlyHint"] == name.startswith(READING)
    assert ("Returns" in tool["description"]) != tool["description"].startswith("Only with Pro: ")
    assert len(tool["description"]) < 600
    assert "outputSchema" not in tool
    # What a model reads of a tool: well under a thousand tokens of about four characters.
    assert len(tool["description"]) + len(json.dumps(tool["inputSchema"])) < 2500


def test_enumerations_are_those_of_the_library() -> None:
    def enum(tool: str, parameter: str) -> list[str]:
        values: list[str] = LISTED[tool]["inputSchema"]["properties"][parameter]["enum"]
        return values

    assert enum("create_collection", "collection_type") == list(COLLECTION_TYPES)
    for tool in ("create_collection", "reindex_collection"):
        assert enum(tool, "profile") == [profile.name for profile in PROFILES]
    assert enum("ingest_document", "document_type") == list(DOCUMENT_TYPES)
    assert enum("ingest_folder", "document_type") == list(DOCUMENT_TYPES)
    assert enum("list_collections", "status_filter") == ["active", "closed", "archived", "all"]
    assert enum("list_documents", "sort_by") == ["name", "date", "pages", "type"]

    assert enum("list_documents_by_type", "document_type") == list(DOCUMENT_TYPES)
    assert set(enum("list_entities", "entity_type")) == {*ENTITY_KINDS, "all"}
    for tool in ("find_entity", "get_entity_mentions"):
        assert set(enum(tool, "entity_type")) == {*ENTITY_KINDS, "any"}
    renamed = {"semantic": "semantic_similar", "version": "version_chain"}
    relations = {"all", *(renamed.get(r, r) for r in RELATION_TYPES)}
    assert set(enum("find_related_documents", "relationship_type")) == relations


@pytest.mark.parametrize(
    ("tool", "parameter", "low", "high"),
    [
        ("search_documents", "top_k", 1, 50),
        ("get_source_context", "window", 1, 5),
        ("find_document_clusters", "max_clusters", 1, 20),
        ("find_entity", "top_k", 1, 100),
        ("list_entities", "top_k", 1, 500),
        ("get_entity_mentions", "top_k", 1, 100),
        ("search_entity_relationships", "top_k", 1, 100),
        ("get_entity_graph", "depth", 1, 4),
        ("get_entity_graph", "top_k", 1, 100),
        ("list_references", "top_k", 1, 200),
        ("get_reference_citations", "top_k", 1, 100),
        ("find_related_documents", "top_k", 1, 50),
        ("get_related_documents", "top_k", 1, 50),
        ("compare_documents", "top_k_per_document", 1, 20),
        ("browse_pages", "start_page", 1, None),
        ("browse_pages", "end_page", 1, None),
        ("traverse_chunks", "count", 1, 20),
        ("search_similar_chunks", "min_similarity", 0, 1),
        ("search_similar_chunks", "top_k", 1, 50),
    ],
)
def test_limits_are_in_the_schema(tool: str, parameter: str, low: int, high: int | None) -> None:
    field = LISTED[tool]["inputSchema"]["properties"][parameter]
    assert (field["minimum"], field.get("maximum")) == (low, high)


def test_two_to_five_names_are_asked_for() -> None:
    field = LISTED["search_entity_relationships"]["inputSchema"]["properties"]["entities"]
    assert (field["minItems"], field["maxItems"]) == (2, 5)
    assert field["items"] == {"type": "string"}


@pytest.mark.parametrize(("chosen", "tokens"), [("all", 9_000), ("daily", 2_800), ("core", 2_300)])
def test_lists_of_tools_are_cheap(chosen: str, tokens: int) -> None:
    names = choose(chosen).of(declared())
    result = {"tools": [LISTED[name] for name in names]}
    assert count(result) <= tokens


def test_a_day_needs_nothing_that_a_tier_lacks() -> None:
    everything = declared()
    daily = set(choose("daily").of(everything))
    assert set(choose("core").of(everything)) < daily
    wanted = {"get_page_image", "get_collection_timeline", "delete_document", "compare_versions"}
    wanted |= {"query"}
    assert wanted <= daily
    assert all(everything[name].feature is None for name in daily)


@pytest.mark.parametrize(
    ("tier", "told"),
    [
        (FREE, "Only with Pro: comparing what two documents say about a topic."),
        (UNLIMITED, declared()["compare_documents"].description),
    ],
)
def test_a_tool_that_the_tier_lacks_says_what_it_would_give(tier: Tier, told: str) -> None:
    nowhere = Path("nowhere").absolute()
    library = Library(Settings(data_dir=nowhere, models_dir=nowhere), tier=tier)
    listed = {t.name: t.description for t in anyio.run(build_server(library).list_tools)}
    assert listed["compare_documents"] == told


def test_sets_hold_what_their_work_needs() -> None:
    sizes = {name: len(choose(name).of(declared())) for name in get_args(ToolSet)}
    assert sizes == {"core": 11, "daily": 16, "search": 12, "map": 22, "legal": 22}
    assert {"search_documents", "get_source_context"} <= set(choose("core").of(declared()))
    assert "find_entity" not in choose("search").of(declared())


def _offered(text: str | None, *, read_only: bool = False) -> list[str]:
    nowhere = Path("nowhere").absolute()
    library = Library(Settings(data_dir=nowhere, models_dir=nowhere))
    server = build_server(library, choose(text, read_only=read_only))
    return [tool.name for tool in anyio.run(server.list_tools)]


@pytest.mark.parametrize(
    ("text", "read_only"), [("read-only", False), (None, True), ("READ_ONLY, all", False)]
)
def test_a_read_only_server_has_no_tool_that_changes_anything(
    text: str | None, read_only: bool
) -> None:
    offered = _offered(text, read_only=read_only)
    reading = [name for name in TOOLS if LISTED[name]["annotations"]["readOnlyHint"]]
    assert offered == reading
    assert {"search_documents", "switch_collection", "get_job_status"} <= set(offered)
    assert not {"ingest_folder", "delete_document", "create_collection"} & set(offered)


def test_sets_and_tools_are_combined_in_the_order_of_the_list() -> None:
    offered = _offered("core, compare_documents,delete_document")
    assert set(offered) == {*_offered("core"), "compare_documents", "delete_document"}
    assert offered == [name for name in TOOLS if name in offered]
    assert "delete_document" not in _offered("core,delete_document,read-only")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cor", 'No such tool or set of tools: "cor". Did you mean "core"?'),
        ("core,serch_documents", 'Did you mean "search_documents"?'),
        (" , ", "No tools were chosen."),
    ],
)
def test_an_unknown_set_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose(text)
    assert says in caught.value.message
    assert "all, read-only, core" in caught.value.hint


def test_other_names_reach_the_same_tool(filled: Library, call: Any) -> None:
    asked = [
        call(filled, (name, {"query": "payment", "collection": "Acme"}))
        for name in ("search_documents", *ALIASES)
    ]
    found = [[r["citation"] for r in each.structured_content["results"]] for each in asked]
    assert found[0]
    assert all(each == found[0] for each in found)
    assert not set(ALIASES) & set(LISTED)


def test_a_choice_without_names_is_everything() -> None:
    assert ToolChoice().of(declared()) == list(declared()) == TOOLS


def test_descriptions_name_formats_that_can_be_read() -> None:
    from casetrack.mcp.tools.ingest import FORMATS
    from casetrack.readers import known_extensions

    named = {f".{name.lower()}" for name in FORMATS.split(", ")}
    assert named <= set(known_extensions())
    assert FORMATS in LISTED["ingest_document"]["description"]


def test_the_page_on_ai_programs_names_every_tool_and_set() -> None:
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+)`", page.split("**Prompts**")[0]))
    assert set(TOOLS) <= named
    assert all(f"| `{name}` |" in page for name in SET_NAMES)
