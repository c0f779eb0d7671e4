"""Descriptions of the tools for clients."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import anyio
import pytest

from casetrack.api.library import Library
from casetrack.api.operations import operations
from casetrack.base.config import Settings
from casetrack.base.license.tiers import FREE, UNLIMITED, Tier
from casetrack.base.models.profiles import PROFILES
from casetrack.base.records import COLLECTION_TYPES, DOCUMENT_TYPES
from casetrack.base.records.graph import ENTITY_KINDS, RELATION_TYPES
from casetrack.faces.mcp.catalogue import ALIASES, any_collection, choose, declared
from casetrack.faces.mcp.server import build_server
from casetrack.faces.mcp.specs import SET_NAMES, declared_in
from vocabulary import count

GOLDEN = Path(__file__).parent / "golden"
NOWHERE = Path("nowhere").absolute()

READING = tuple("get_ list_ search_ find_ browse_ traverse_ compare_ switch_ query".split())


def _listed(choice: Any = None) -> dict[str, dict[str, Any]]:
    tools = anyio.run(build_server(_library(tier=FREE), choice).list_tools)
    return {t.name: t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools}


def _library(**more: Any) -> Library:
    return Library(Settings(data_dir=NOWHERE, models_dir=NOWHERE), **more)


LISTED = _listed()
TOOLS = list(LISTED)


def test_the_tools_and_their_order_are_as_recorded(messages: Any) -> None:
    messages("\n".join(TOOLS))


@pytest.mark.parametrize("name", TOOLS)
def test_tool_is_declared_as_recorded(name: str, golden: Any) -> None:
    text = json.dumps(LISTED[name], indent=1, sort_keys=True, ensure_ascii=False)
    golden(GOLDEN / f"{name}.json", text + "\n")


BY_HAND = {
    "get_collection_info": "it lists the newest documents, too",
    "get_collection_summary": "its lists share the room of one answer",
    "get_collection_timeline": "it shows the weightiest events that fit, in order of date",
    "get_index_status": "it lists documents with their problems page by page",
    "get_job_status": "it shows the jobs of this server, which have a state that no file has",
    "list_collections": "it also counts the collections, and lists sealed ones",
    "search_documents": "it asks several collections, and shortens passages to fit",
}


def test_few_tools_read_by_hand_what_an_operation_answers() -> None:
    known, groups = operations(), any_collection().groups()
    own = [each for group in groups[:-1] for each in declared_in(group)]
    tools = {each.tool for each in known.values()}
    reading = {name: {*spec.of} & known.keys() for name, spec in own if spec.hints.read_only}
    assert {name for name, of in reading.items() if of or name in tools} == {*BY_HAND}
    assert len(BY_HAND) <= 8


def test_no_golden_file_is_left_over() -> None:
    assert {p.stem for p in GOLDEN.glob("*.json")} == set(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_everything_a_client_may_show_is_there(name: str) -> None:
    tool = LISTED[name]
    hints = tool["annotations"]
    expected = {"title", "readOnlyHint", "destructiveHint", "openWorldHint"}
    assert hints.keys() == (expected if hints["readOnlyHint"] else {*expected, "idempotentHint"})
    assert hints["openWorldHint"] is False
    removes = {"sync_folder", "watch_folder", "set_sync_schedule", "restore_snapshot"}
    assert hints["destructiveHint"] == (name.startswith("delete_") or name in removes)
    assert hints["readOnlyHint"] == name.startswith(READING)
    assert len(tool["description"]) < 600
    # The text of a tool for a model: well under a thousand tokens of about four characters.
    assert len(tool["description"]) + len(json.dumps(tool["inputSchema"])) < 2500


def test_enumerations_are_those_of_the_library() -> None:
    def enum(tool: str, parameter: str) -> list[str]:
        values: list[str] = LISTED[tool]["inputSchema"]["properties"][parameter]["enum"]
        return values

    assert enum("create_collection", "collection_type") == list(COLLECTION_TYPES)
    for tool in ("create_collection", "reindex_collection"):
        assert enum(tool, "profile") == [profile.name for profile in PROFILES]
    assert enum("list_collections", "status_filter") == ["active", "closed", "archived", "all"]
    assert enum("list_documents", "sort_by") == ["name", "date", "pages", "type"]

    assert enum("list_documents_by_type", "document_type") == list(DOCUMENT_TYPES)
    assert set(enum("list_entities", "entity_type")) == {*ENTITY_KINDS, "all"}
    for tool in ("find_entity", "get_entity_mentions"):
        assert set(enum(tool, "entity_type")) == {*ENTITY_KINDS, "any"}
    renamed = {"semantic": "semantic_similar", "version": "version_chain"}
    relations = {"all", *(renamed.get(r, r) for r in RELATION_TYPES)}
    assert set(enum("find_related_documents", "relationship_type")) == relations


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("chosen", "tokens"), [("all", 9_000), ("daily", 2_300), ("core", 2_000)])
def test_lists_of_tools_are_cheap(chosen: str, tokens: int) -> None:
    assert count({"tools": [*_listed(choose(chosen)).values()]}) <= tokens


def test_a_day_needs_nothing_that_a_tier_lacks() -> None:
    everything = declared()
    daily = set(choose("daily").of(everything))
    assert set(choose("core").of(everything)) < daily
    wanted = {"get_page_image", "get_collection_timeline", "delete_document", "more_tools", "query"}
    assert wanted <= daily
    assert all(everything[name].feature is None for name in daily)


@pytest.mark.slow
def test_a_tool_that_the_tier_lacks_says_what_it_would_give(messages: Any) -> None:
    def description_in(tier: Tier) -> str:
        tools = anyio.run(build_server(_library(tier=tier)).list_tools)
        return next(str(t.description) for t in tools if t.name == "compare_documents")

    assert description_in(UNLIMITED) == declared()["compare_documents"].description
    messages(description_in(FREE))


def _offered(text: str | None, *, read_only: bool = False) -> list[str]:
    server = build_server(_library(), choose(text, read_only=read_only))
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


@pytest.mark.slow
def test_other_names_reach_the_same_tool(filled: Library, call: Any) -> None:
    asked = [
        call(filled, (name, {"query": "payment", "collection": "Acme"}))
        for name in ("search_documents", *ALIASES)
    ]
    facts = [[r["citation"] for r in each.structured_content["results"]] for each in asked]
    assert facts[0]
    assert all(each == facts[0] for each in facts)
    assert not set(ALIASES) & set(LISTED)


def test_the_page_on_ai_programs_names_every_tool_and_set() -> None:
    page = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+)`", page.split("**Prompts**")[0]))
    assert set(TOOLS) <= named
    assert all(f"| `{name}` |" in page for name in SET_NAMES)
