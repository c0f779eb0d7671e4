"""Size of the default answer to a model, and its complete facts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.api.library import Library
from casetrack.base.arguments import ShortIds
from casetrack.base.config import Settings
from casetrack.faces.mcp.server import build_server
from vocabulary import count

pytestmark = pytest.mark.usefixtures("as_models_see")

# Tool, its arguments, and the tokens that its structure may cost over the samples.
BUDGETS: list[tuple[str, dict[str, Any], int]] = [
    ("search_documents", {"query": "When was the firmware changed?"}, 1_800),
    ("search_documents", {"query": "What did the adjuster find?"}, 1_800),
    ("get_collection_timeline", {}, 2_500),
    ("get_collection_summary", {}, 3_500),
    ("list_documents", {}, 2_500),
    ("list_entities", {}, 2_000),
    ("list_references", {}, 2_000),
    ("find_amounts", {}, 2_500),
    ("get_collection_info", {}, 1_500),
]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Any:
    """Return a function that asks a tool over some of the samples; no model is installed."""
    root = tmp_path_factory.mktemp("cheap")
    (root / "files").mkdir()
    for path in sorted(samples.rglob("*.txt")):
        shutil.copy(path, root / "files")
    library = Library(Settings(data_dir=root / "data", models_dir=root / "models"))
    library.create("Samples").ingest([root / "files"])
    server = build_server(library)

    def call(tool: str, **arguments: Any) -> Any:
        result: Any = anyio.run(server.call_tool, tool, arguments)
        assert not result.is_error, result.content[0].text
        return result

    return call


def entries(value: Any) -> Iterator[dict[str, Any]]:
    """Yield everything in a concise answer that points to its source."""
    if isinstance(value, dict):
        if "chars" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from entries(item)


def keys(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every key of an answer with its value."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield key, held
            yield from keys(held)
    if isinstance(value, list):
        for item in value:
            yield from keys(item)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("tool", "arguments", "most"), BUDGETS)
def test_an_answer_costs_little_and_has_no_nulls_times_or_offsets(
    ask: Any, tool: str, arguments: dict[str, Any], most: int
) -> None:
    result = ask(tool, **arguments)
    text = "\n".join(content.text for content in result.content)
    structure, facts = count(result.structured_content), count(text)
    assert structure <= most
    assert max(structure, facts) <= 2 * min(structure, facts)
    detailed = ask(tool, **arguments, response_format="detailed").structured_content
    assert structure < count(detailed)
    assert [key for key, held in keys(result.structured_content) if held is None] == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_documents", {"query": "firmware findings", "top_k": 10}),
        ("get_collection_summary", {}),
        ("find_amounts", {}),
        ("get_entity_mentions", {}),
        ("get_document_chunks", {}),
        ("browse_pages", {"start_page": 1, "end_page": 1}),
        ("traverse_chunks", {"count": 3}),
        ("get_source_context", {"window": 2}),
    ],
)
def test_every_word_is_where_its_short_source_says(
    ask: Any, tool: str, arguments: dict[str, Any]
) -> None:
    """P1 and P4 of the short form: its id, citation, characters and source name one place."""
    if tool == "get_entity_mentions":
        names = ask("list_entities", entity_type="organization").structured_content["entities"]
        arguments = {"entity_name": names[0]["name"]}
    if tool in {"get_document_chunks", "browse_pages"}:
        documents = ask("list_documents").structured_content["documents"]
        arguments = {**arguments, "document_name": documents[0]["document_id"]}
    if tool in {"traverse_chunks", "get_source_context"}:
        first = ask("search_documents", query="firmware").structured_content["results"][0]
        name = "start_chunk_id" if tool == "traverse_chunks" else "chunk_id"
        arguments = {**arguments, name: first["chunk_id"]}
    structure = ask(tool, **arguments).structured_content
    result = list(entries(structure))
    assert result
    for each in result:
        assert re.fullmatch(r"[0-9a-f]{8}", each["chunk_id"])
        whole = ask("get_chunk", chunk_id=each["chunk_id"], response_format="detailed")
        chunk = whole.structured_content
        source, start = chunk["source"], chunk["source"]["char_start"]
        assert source["chunk_id"].startswith(each["chunk_id"])
        assert source["document_id"].startswith(each["source"])
        assert structure["sources"][each["source"]]["path"] == source["document_path"]
        assert each["citation"].startswith(f"{source['document']}, ")
        begin, end = map(int, each["chars"].split("-"))
        text = each.get("text") or each.get("snippet")
        assert text is None or chunk["text"][begin - start : end - start] == text
    pointed = {each["source"] for each in result}
    assert pointed == structure["sources"].keys()


def test_a_result_quotes_the_part_that_answers(ask: Any) -> None:
    (result, *_) = ask("search_documents", query="firmware of the network").structured_content[
        "results"
    ]
    whole = ask("get_chunk", chunk_id=result["chunk_id"]).structured_content
    assert result["text"] in whole["text"]
    assert len(result["text"]) <= 900
    assert "firmware" in result["text"].lower()


# --- ids ------------------------------------------------------------------------------------


@given(st.lists(st.text("0123", min_size=12, max_size=12), unique=True, max_size=30))
def test_a_short_id_is_the_beginning_of_one_id_alone(ids: list[str]) -> None:
    ids = [f"00000{each}" for each in ids]
    short = ShortIds.among(ids)
    for each in ids:
        message = short.of(each)
        assert len(message) >= 8
        assert [other for other in ids if other.startswith(message)] == [each]
        assert len(message) == 8 or len([o for o in ids if o.startswith(message[:-1])]) > 1
        assert short.of(message) == message


def test_an_id_whose_beginning_is_a_name_is_reported_in_full() -> None:
    ids = ["0123456789", "abcdefabcd"]
    short = ShortIds.among(ids, taken=["01234567", "Lease.pdf"])
    assert [short.of(each) for each in ids] == ["0123456789", "abcdefab"]
