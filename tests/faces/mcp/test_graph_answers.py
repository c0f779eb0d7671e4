"""The tools of the graph over real documents: every quoted text is at its cited place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.faces.mcp.server import build_server

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


@pytest.mark.sampled(7)
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
def test_every_quote_is_where_its_source_says(
    ask: Any, tool: str, arguments: dict[str, Any]
) -> None:
    result = list(quotes(ask(tool, **arguments)))
    if tool != "get_entity_graph":  # a passage of three short letters may have no repeated name
        assert result
    for each in result:
        chunk = ask("get_chunk", chunk_id=each["source"]["chunk_id"])
        start, end = each["chunk_char_start"], each["chunk_char_end"]
        assert chunk["text"][start:end] == each["text"]
        page = FILES[each["source"]["document"]]
        place = each["source"]["char_start"], each["source"]["char_end"]
        assert each["text"] in page[slice(*place)]


def test_what_changed_between_versions_is_reported_in_every_tier(ask: Any) -> None:
    result = ask("compare_versions", before="Lease v1.txt", after="Lease v2.txt")
    words = [w for c in result["changes"] for w in c["words"] if w["op"] != "same"]
    assert [(w["op"], w["text"].strip()) for w in words] == [("removed", "six"), ("added", "nine")]
    assert (result["total"], result["next_offset"], result["kept"] > 0.8) == (1, None, True)


@pytest.mark.parametrize(
    ("arguments", "values", "note"),
    [
        ({"min_value": 1_000, "unit": "gbp"}, [("GBP", 1250.0)] * 3, ""),
        ({"unit": "pounds sterling", "document_name": "Lease v1.txt"}, [("GBP", 1250.0)], ""),
        ({"kind": "quantity", "sort_by": "lowest"}, [("month", 6.0), ("month", 9.0)], ""),
        ({"unit": "EUR"}, [], "GBP (3)"),
        ({}, [("GBP", 1250.0)] * 3 + [("month", 9.0), ("month", 6.0)], " "),
    ],
)
def test_amounts_are_found_by_their_size(
    ask: Any, arguments: dict[str, Any], values: list[tuple[str, float]], note: str
) -> None:
    spans = ask("find_amounts", **arguments)
    assert [(a["unit"], a["value"]) for a in spans["amounts"]] == values
    assert spans["total"] == len(values)
    assert note in " ".join(spans["notes"])
    assert bool(spans["notes"]) == bool(note)


BOTH = {"document_a": "Lease v1.txt", "document_b": "Lease v2.txt"}


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "fact"),
    [
        ("find_entity", {"entity": "Zzyzx'; DROP TABLE"}, "entity_not_found", "Zzyzx"),
        ("find_entity", {"entity": " "}, "usage", ""),
        (
            "search_entity_relationships",
            {"entities": ["4 May 2021", "Qqq"]},
            "entity_not_found",
            "Qqq",
        ),
        ("get_entity_graph", {"entity_name": "%_%"}, "usage", "%_%"),
        ("get_reference_citations", {"reference": "ISO 31415"}, "reference_not_found", "31415"),
        ("get_collection_timeline", {"start_date": "soon"}, "usage", "YYYY-MM-DD"),
        ("get_collection_timeline", {"start_date": "2022", "end_date": "2021"}, "usage", "2021"),
        (
            "browse_pages",
            {"document_name": "Lease v1.txt", "start_page": 2, "end_page": 1},
            "usage",
            "1",
        ),
        ("traverse_chunks", {"start_chunk_id": "x"}, "chunk_not_found", "x"),
        (
            "find_related_documents",
            {"document_name": "Leese v1.txt"},
            "document_not_found",
            "Lease v1.txt",
        ),
        ("find_amounts", {"min_value": 5, "max_value": 2}, "usage", "5"),
        ("compare_versions", {"before": "Lease v1.txt", "after": "Lease v1.txt"}, "usage", "v1"),
        ("compare_documents", BOTH | {"topic": " "}, "usage", ""),
    ],
)
def test_what_cannot_be_done_is_reported_with_a_next_step(
    server: MCPServer[Any],
    text: Any,
    codes: list[str],
    tool: str,
    arguments: dict[str, Any],
    code: str,
    fact: str,
) -> None:
    result: Any = anyio.run(server.call_tool, tool, {**arguments, "collection": "Mill"})
    assert codes == [code]
    assert fact in text(result)
    assert "\n" in text(result)


EMPTY: list[tuple[str, dict[str, Any]]] = [
    *((f"get_collection_{what}", {}) for what in ("summary", "timeline")),
    *(("find_document_clusters", {"strategy": by}) for by in ("topical", "entity")),
    *((tool, {}) for tool in ("list_entities", "get_entity_graph", "list_references")),
    ("list_documents_by_type", {"document_type": "memo"}),
]


def test_an_empty_collection_is_no_error(server: MCPServer[Any], text: Any) -> None:
    for tool, arguments in EMPTY:
        result: Any = anyio.run(server.call_tool, tool, {**arguments, "collection": "Empty"})
        assert not result.is_error, text(result)
        assert result.structured_content["more"] in text(result)
