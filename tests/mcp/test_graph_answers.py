"""The tools of the graph over real documents: every word they quote stands where they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.config import Settings
from casetrack.library import Library
from casetrack.mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.server import MCPServer

LEASE = """\
Lease Agreement

This Lease Agreement is made on 4 May 2021 between Orlan Mill Trust and Pellworth Bakery Ltd.

1. Rent
The rent of GBP 1,250.00 a month is due on the first working day. See section 3.

2. Standards
The ovens comply with ISO 9001:2015 and are inspected before 30 June 2022.

3. Notice
Either party may end this lease with {months} months' notice in writing.
"""
FILES = {
    "Lease v1.txt": LEASE.format(months="six"),
    "Lease v2.txt": LEASE.format(months="nine"),
    "Letter of 2 July 2022.txt": (
        "2 July 2022\n\nDear Ms Hale,\n\nUnder the Lease Agreement dated 4 May 2021 the rent of "
        "GBP 1,250.00 was due on 1 July 2022. The inspection against ISO 9001:2015 is overdue.\n"
    ),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> MCPServer[Any]:
    """A server over three small documents; no model is installed."""
    root = tmp_path_factory.mktemp("mill")
    library = Library(Settings(data_dir=root / "data", models_dir=root / "models"))
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    report = library.create("Mill").ingest([root / name for name in FILES])
    assert report.count("ingested") == len(FILES)
    library.create("Empty")
    return build_server(library)


@pytest.fixture
def ask(server: MCPServer[Any], text: Any) -> Any:
    """Return a function that calls a tool, which must succeed, and returns its structure."""

    def call(tool: str, **arguments: Any) -> Any:
        result: Any = anyio.run(server.call_tool, tool, {**arguments, "collection": "Mill"})
        assert not result.is_error, text(result)
        return result.structured_content

    return call


def quotes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the quotes of an answer."""
    if isinstance(value, dict):
        if "chunk_char_start" in value and "source" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from quotes(item)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_collection_summary", {}),
        ("get_collection_timeline", {}),
        ("find_entity", {"entity": "4 May 2021"}),
        ("get_entity_mentions", {"entity_name": "1,250 GBP", "entity_type": "amount"}),
        ("get_entity_graph", {}),
        ("get_reference_citations", {"reference": "ISO 9001"}),
        ("find_amounts", {"unit": "£"}),
        ("compare_versions", {"before": "Lease v1.txt", "after": "Lease v2.txt"}),
        ("find_related_documents", {"document_name": "Lease v1.txt"}),
        ("get_related_documents", {"document_name": "Letter of 2 July 2022.txt"}),
        ("find_document_clusters", {"strategy": "reference"}),
        (
            "compare_documents",
            {"document_a": "Lease v1.txt", "document_b": "Lease v2.txt", "topic": "notice"},
        ),
    ],
)
def test_every_quote_stands_where_its_source_says(
    ask: Any, tool: str, arguments: dict[str, Any]
) -> None:
    found = list(quotes(ask(tool, **arguments)))
    if tool != "get_entity_graph":  # three short letters may have nobody twice in one passage
        assert found
    for each in found:
        chunk = ask("get_chunk", chunk_id=each["source"]["chunk_id"])
        start, end = each["chunk_char_start"], each["chunk_char_end"]
        assert chunk["text"][start:end] == each["text"]
        page = FILES[each["source"]["document"]]
        place = each["source"]["char_start"], each["source"]["char_end"]
        assert each["text"] in page[slice(*place)]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        (
            "search_entity_relationships",
            {"entities": ["4 May 2021", "1 July 2022"]},
            ["4 May 2021", "1 July 2022"],
        ),
        (
            "compare_documents",
            {"document_a": "Lease v1.txt", "document_b": "Lease v2.txt", "topic": "notice"},
            ["notice"],
        ),
    ],
)
def test_a_concise_passage_is_the_part_that_matters(
    ask: Any, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    found = ask(tool, **arguments, response_format="concise")
    passages = found.get("chunks") or [*found["document_a"]["passages"]]
    assert passages
    for each in passages:
        page = FILES[each["citation"].partition(", p.")[0]]
        assert page[slice(*map(int, each["chars"].split("-")))] == each["text"]
        assert all(word in each["text"] for word in words)


def test_a_date_is_found_in_all_documents_that_name_it(ask: Any) -> None:
    found = ask("find_entity", entity="4 May 2021")
    assert found["entity"]["kind"] == "date"
    assert {d["document"] for d in found["documents"]} == set(FILES)
    assert {m["source"]["document"] for m in found["mentions"]} == set(FILES)


def test_a_timeline_is_in_order_and_keeps_to_its_span(ask: Any) -> None:
    dates = [e["date"] for e in ask("get_collection_timeline")["events"]]
    assert dates == sorted(dates)
    assert {"2021-05-04", "2022-06-30", "2022-07-01"} <= set(dates)
    late = ask("get_collection_timeline", start_date="2022-07-01")
    assert {e["date"] for e in late["events"]} == {d for d in dates if d >= "2022-07"}


def test_references_outside_and_inside(ask: Any) -> None:
    outside = ask("list_references")["references"]
    assert any("9001" in r["name"] for r in outside)
    assert not {"section", "exhibit"} & {r["type"] for r in outside}
    inside = ask("list_references", reference_type="section")["references"]
    assert {r["type"] for r in inside} == {"section"}
    cited = ask("get_reference_citations", reference="ISO 9001")
    assert {c["source"]["document"] for c in cited["citations"]} == set(FILES)


def test_entities_are_listed_by_kind(ask: Any) -> None:
    amounts = ask("list_entities", entity_type="amount")
    assert {e["kind"] for e in amounts["entities"]} == {"amount"}
    assert amounts["counts"] == {"amount": len(amounts["entities"])}
    assert max(e["document_count"] for e in amounts["entities"]) == len(FILES)


def test_versions_are_related_and_their_changes_compared(ask: Any) -> None:
    versions = ask(
        "find_related_documents", document_name="Lease v1.txt", relationship_type="version_chain"
    )
    assert [d["document"] for d in versions["related"]] == ["Lease v2.txt"]
    both = ask(
        "compare_documents", document_a="Lease v1.txt", document_b="Lease v2.txt", topic="notice"
    )
    words = [w for c in both["changes"]["changes"] for w in c["words"] if w["op"] != "same"]
    assert [(w["op"], w["text"].strip()) for w in words] == [("removed", "six"), ("added", "nine")]


def test_what_changed_between_versions_is_told_in_every_tier(ask: Any) -> None:
    found = ask("compare_versions", before="Lease v1.txt", after="Lease v2.txt")
    words = [w for c in found["changes"] for w in c["words"] if w["op"] != "same"]
    assert [(w["op"], w["text"].strip()) for w in words] == [("removed", "six"), ("added", "nine")]
    assert (found["total"], found["next_offset"], found["kept"] > 0.8) == (1, None, True)


@pytest.mark.parametrize(
    ("arguments", "values", "note"),
    [
        ({"min_value": 1_000, "unit": "gbp"}, [("GBP", 1250.0)] * 3, ""),
        ({"min_value": 1_000, "unit": "£"}, [("GBP", 1250.0)] * 3, ""),
        ({"unit": "pounds sterling", "document_name": "Lease v1.txt"}, [("GBP", 1250.0)], ""),
        ({"min_value": 7, "max_value": 12}, [("month", 9.0)], ""),
        ({"kind": "quantity", "sort_by": "lowest"}, [("month", 6.0), ("month", 9.0)], ""),
        ({"unit": "EUR"}, [], "GBP (3)"),
        ({"min_value": 1e9}, [], "GBP (3)"),
        ({}, [("GBP", 1250.0)] * 3 + [("month", 9.0), ("month", 6.0)], "not converted"),
    ],
)
def test_amounts_are_found_by_their_size(
    ask: Any, arguments: dict[str, Any], values: list[tuple[str, float]], note: str
) -> None:
    found = ask("find_amounts", **arguments)
    assert [(a["unit"], a["value"]) for a in found["amounts"]] == values
    assert found["total"] == len(values)
    assert note in " ".join(found["notes"])
    assert bool(found["notes"]) == bool(note)


def test_pages_and_chunks_are_read_in_order(ask: Any) -> None:
    pages = ask("browse_pages", document_name="Lease v1.txt", start_page=1, end_page=1)
    assert "".join(c["text"] for c in pages["chunks"]).startswith("Lease Agreement")
    more = ask("browse_pages", document_name="Lease v1.txt", start_page=1, end_page=20)
    assert (more["end_page"], more["chunks"]) == (more["page_count"], pages["chunks"])
    first = pages["chunks"][0]["source"]["chunk_id"]
    onward = ask("traverse_chunks", start_chunk_id=first)
    assert [c["source"]["chunk_id"] for c in onward["chunks"]] == [
        c["source"]["chunk_id"] for c in pages["chunks"]
    ]
    assert onward["more"] == "This is the end of the document."


def test_statistics_and_kinds_agree_with_the_documents(ask: Any) -> None:
    counts = ask("get_collection_statistics")
    assert counts["document_count"] == len(FILES)
    listed = [
        d["name"]
        for kind in counts["document_types"]
        for d in ask("list_documents_by_type", document_type=kind)["documents"]
    ]
    assert sorted(listed) == sorted(FILES)


def test_a_document_names_what_it_mentions_most(ask: Any) -> None:
    assert "entities" in ask("get_document_structure", document_name="Lease v1.txt")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("find_entity", {"entity": "Zzyzx'; DROP TABLE"}, "Entity not found"),
        ("find_entity", {"entity": " "}, "empty"),
        ("search_entity_relationships", {"entities": ["4 May 2021", "Qqq"]}, "Entity not found"),
        ("get_entity_graph", {"entity_name": "%_%"}, "holds no name"),
        ("get_reference_citations", {"reference": "ISO 31415"}, "ot found"),
        ("get_collection_timeline", {"start_date": "soon"}, "YYYY-MM-DD"),
        ("get_collection_timeline", {"start_date": "2022", "end_date": "2021"}, "later than"),
        (
            "browse_pages",
            {"document_name": "Lease v1.txt", "start_page": 2, "end_page": 1},
            "Its pages are 1 to 1",
        ),
        ("traverse_chunks", {"start_chunk_id": "x"}, "Chunk not found"),
        ("search_similar_chunks", {"chunk_id": "x"}, "Chunk not found"),
        ("find_related_documents", {"document_name": "Leese v1.txt"}, "Did you mean"),
        ("find_amounts", {"min_value": 5, "max_value": 2}, "Swap the two"),
        ("compare_versions", {"before": "Lease v1.txt", "after": "Lease v1.txt"}, "Both are"),
        (
            "compare_documents",
            {"document_a": "Lease v1.txt", "document_b": "Lease v2.txt", "topic": " "},
            "is empty",
        ),
    ],
)
def test_what_cannot_be_done_is_told_with_a_next_step(
    server: MCPServer[Any], text: Any, tool: str, arguments: dict[str, Any], said: str
) -> None:
    result: Any = anyio.run(server.call_tool, tool, {**arguments, "collection": "Mill"})
    assert result.is_error
    assert said in text(result)
    assert "internal error" not in text(result)
    assert "\n" in text(result)


def test_without_vectors_similar_passages_name_what_is_missing(
    server: MCPServer[Any], ask: Any, text: Any
) -> None:
    chunk = ask("get_document_chunks", document_name="Lease v1.txt")["chunks"][0]
    arguments = {"chunk_id": chunk["source"]["chunk_id"], "collection": "Mill"}
    result: Any = anyio.run(server.call_tool, "search_similar_chunks", arguments)
    assert result.is_error
    assert "casetrack models pull" in text(result)
    assert "internal error" not in text(result)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_collection_summary", {}),
        ("get_collection_timeline", {}),
        ("get_collection_statistics", {}),
        ("find_document_clusters", {}),
        ("find_document_clusters", {"strategy": "entity"}),
        ("list_entities", {}),
        ("get_entity_graph", {}),
        ("list_references", {}),
        ("list_documents_by_type", {"document_type": "memo"}),
    ],
)
def test_an_empty_collection_is_no_error(
    server: MCPServer[Any], text: Any, tool: str, arguments: dict[str, Any]
) -> None:
    result: Any = anyio.run(server.call_tool, tool, {**arguments, "collection": "Empty"})
    assert not result.is_error, text(result)
    assert text(result).strip()
    if tool != "get_collection_statistics":
        assert result.structured_content["more"] in text(result)
