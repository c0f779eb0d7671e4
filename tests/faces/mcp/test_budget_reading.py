"""Search, reading, lists, facts: bounded at any size, with offsets to continue."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from big_records import CJK, FORGED, NAME, TEXTS, Big, Crafted, Plain
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.results import MAX_TOKENS, tokens
from casetrack.faces.mcp.server import build_server
from casetrack.faces.mcp.uris import Kind, parse_uri
from graph_records import WHEN, key

if TYPE_CHECKING:
    from casetrack.api.library import Library

DOCUMENT = {"document_name": NAME}
CHUNK = {"chunk_id": key(0)}
PAGED: list[tuple[str, dict[str, Any], str]] = [
    ("search_documents", {"query": "payment", "top_k": 50}, "results"),
    ("get_document_chunks", {**DOCUMENT, "limit": 200}, "chunks"),
    ("browse_pages", {**DOCUMENT, "start_page": 1, "end_page": 200}, "chunks"),
    ("search_similar_chunks", {**CHUNK, "top_k": 50, "min_similarity": 0}, "chunks"),
    ("list_documents", {"limit": 1000}, "documents"),
    ("get_document_structure", DOCUMENT, "sections"),
]
ONCE: list[tuple[str, dict[str, Any], str]] = [
    ("search_documents", {"query": CJK * 600, "top_k": 50, "related": 20, "explain": True}, ""),
    ("get_chunk", CHUNK, ""),
    ("get_source_context", {**CHUNK, "window": 5}, ""),
    ("traverse_chunks", {"start_chunk_id": key(0), "count": 20}, ""),
    ("traverse_chunks", {"start_chunk_id": key(0), "count": 20, "direction": "backward"}, ""),
    ("get_document", DOCUMENT, ""),
    ("get_collection_info", {}, ""),
]
CALLS = [(tool, arguments) for tool, arguments, _ in PAGED + ONCE]
SHORT = {
    "search_documents",
    "get_document_chunks",
    "browse_pages",
    "traverse_chunks",
    "get_source_context",
    "search_similar_chunks",
    "list_documents",
}


@pytest.fixture
def ask(bare: Library, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that calls a tool over a :class:`Big` collection."""
    server = build_server(bare)

    def asked(big: Big, tool: str, arguments: dict[str, Any]) -> Any:
        with monkeypatch.context() as patch:
            big.install(patch)
            result: Any = anyio.run(server.call_tool, tool, {**arguments, "collection": "Acme"})
        assert not result.is_error, result.content[0].text
        return result

    return asked


def cost(result: Any) -> int:
    """Return the tokens of the costlier form of a result."""
    content = json.loads(result.model_dump_json(by_alias=True, exclude_none=True))["content"]
    return max(
        tokens(result.content[0].text) + tokens(content[1:]), tokens(result.structured_content)
    )


def forms(tool: str) -> list[dict[str, Any]]:
    return [{"response_format": "concise"}, {}] if tool in SHORT else [{}]


# --- bounded --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[t for t, _ in CALLS])
def test_a_result_is_bounded_however_large_the_collection(
    ask: Any, tool: str, arguments: dict[str, Any]
) -> None:
    for form in forms(tool):
        for text in TEXTS.values():
            result = ask(Big(text, 60), tool, {**arguments, **form})
            assert 300 < cost(result) < MAX_TOKENS
            if "text" not in json.dumps(result.structured_content):
                break


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("tool", "arguments", "name"), PAGED, ids=[t for t, _, _ in PAGED])
@pytest.mark.parametrize("form", ["concise", "detailed"])
def test_a_cut_list_goes_on_without_gap_or_repetition(
    ask: Any, text: Any, tool: str, arguments: dict[str, Any], name: str, form: str
) -> None:
    big, seen = Big(TEXTS["cjk"], 120), list[Any]()
    extra = {"response_format": form} if tool in SHORT else {}
    offset: int | None = 0
    for _ in range(2):
        assert offset is not None
        result = ask(big, tool, {**arguments, **extra, "offset": offset})
        shown = result.structured_content[name]
        assert shown
        assert result.structured_content.get("offset", offset) == offset
        seen += [json.dumps(item, sort_keys=True) for item in shown]
        offset = result.structured_content["next_offset"]
        assert offset == len(seen)
        ours = [line for line in text(result).splitlines() if not line.startswith("> ")]
        assert re.search(rf"\b{offset}\b", "\n".join(ours))
    assert len(set(seen)) == len(seen)


def test_ranks_go_on_and_the_last_page_says_what_to_do(ask: Any, text: Any) -> None:
    big, arguments = Plain("Rent is due.", 500), {"query": "rent"}
    arguments["top_k"] = 10
    second = ask(big, "search_documents", {**arguments, "offset": 10})
    assert [r["rank"] for r in second.structured_content["results"]] == list(range(11, 21))
    assert re.search(r"^--- \w+ 11 ", text(second), re.MULTILINE)
    last = ask(big, "search_documents", {**arguments, "offset": 90})
    assert last.structured_content["next_offset"] is None
    assert last.structured_content["next_step"]
    assert last.structured_content["next_step"] in text(last)
    beyond = ask(big, "search_documents", {**arguments, "offset": 4000})
    assert beyond.structured_content["results"] == []
    assert beyond.structured_content["next_step"] in text(beyond)
    few = ask(Plain("Rent is due.", 3), "search_documents", arguments)
    assert few.structured_content["next_offset"] is None
    assert few.structured_content["next_step"] is None


def test_ten_results_fit_and_the_text_beside_them_gives_way(ask: Any) -> None:
    big = Plain(TEXTS["words"])
    ten = ask(big, "search_documents", {"query": "payment", "top_k": 10}).structured_content
    assert len(ten["results"]) == 10
    assert {r["text"] for r in ten["results"]} == {big.text}
    three = ask(big, "search_documents", {"query": "payment", "top_k": 3}).structured_content
    for short, full in zip(ten["results"], three["results"], strict=False):
        before, after = full["context"]["before"], full["context"]["after"]
        assert before == after == big.text[::-1]
        assert before.endswith(short["context"]["before"].removeprefix("\u2026 "))
        assert after.strip().startswith(short["context"]["after"].removesuffix(" \u2026"))
        assert 100 < len(short["context"]["before"]) < 310


def test_the_outline_ends_with_the_attachments(ask: Any, text: Any) -> None:
    big = Big("x")
    arguments = {**DOCUMENT, "offset": 2_999}
    result = ask(big, "get_document_structure", arguments)
    facts = result.structured_content
    assert (facts["total"], facts["attachment_count"]) == (3_000, 500)
    assert len(facts["sections"]) == 1
    assert facts["attachments"]
    assert facts["next_offset"] == 3_000 + len(facts["attachments"])
    assert facts["attachments"][0]["name"] in text(result)


def test_neighbours_that_do_not_fit_are_the_farthest_and_can_be_read(ask: Any, text: Any) -> None:
    result = ask(Big(TEXTS["cjk"]), "get_source_context", {**CHUNK, "window": 5})
    facts = result.structured_content
    kept = [c["source"]["chunk_index"] for c in (*facts["before"], facts["chunk"], *facts["after"])]
    assert facts["chunk"]["source"]["chunk_index"] == 5
    assert kept == list(range(kept[0], kept[-1] + 1))
    assert abs((5 - kept[0]) - (kept[-1] - 5)) <= 1
    assert len(kept) < 11
    assert str(11 - len(kept)) in facts["more"]
    assert key(kept[0]) in facts["more"]
    assert facts["more"] in text(result)


def test_related_passages_that_do_not_fit_are_named(ask: Any, text: Any) -> None:
    arguments = {"query": "payment", "top_k": 50, "related": 20}
    result = ask(Big(TEXTS["words"]), "search_documents", arguments)
    facts = result.structured_content
    assert facts["related"]
    assert facts["related_further"]
    assert len(facts["related"]) + len(facts["related_further"]) == 20
    assert facts["related_further"][-1]["chunk_id"] in text(result)


@pytest.mark.parametrize("status", ["active", "all"])
def test_hundreds_of_collections_come_in_parts(
    bare: Library, monkeypatch: pytest.MonkeyPatch, text: Any, status: str
) -> None:
    base = bare.find("Acme")
    infos = [
        replace(
            base,
            id=key(n),
            name=f"{n} {CJK * 12}",
            description=CJK * 500,
            reference=CJK * 100,
            tags=tuple(f"{n}{CJK * 5}" for n in range(200)),
            status="closed" if n % 2 else "active",
            updated_at=WHEN,
        )
        for n in range(300)
    ]
    broken = [(bare.settings.data_dir / str(n), CJK * 200) for n in range(200)]
    monkeypatch.setattr(type(bare), "collections", lambda *_, **__: infos)
    monkeypatch.setattr(type(bare), "damaged", lambda _: broken)
    server = build_server(bare)
    wanted = [i.id for i in infos if status == "all" or i.status == status]
    seen, damaged, offset = list[str](), list[str](), 0
    while offset is not None:
        arguments = {"status_filter": status, "offset": offset}
        result: Any = anyio.run(server.call_tool, "list_collections", arguments)
        assert cost(result) < MAX_TOKENS
        facts = result.structured_content
        assert (facts["total"], facts["damaged_count"]) == (len(wanted), 200)
        seen += [c["id"] for c in facts["collections"]]
        damaged += [d["path"] for d in facts["damaged"]]
        offset = facts["next_offset"]
        assert offset is None or re.search(rf"\b{offset}\b", text(result).splitlines()[-1])
    assert seen == wanted
    assert damaged == [str(path) for path, _ in broken]
    state: Any = anyio.run(server.call_tool, "get_status", {})
    assert cost(state) < MAX_TOKENS
    assert state.structured_content["damaged_count"] == 500
    assert re.search(r"\b490\b.* list_collections", text(state))


# --- concise --------------------------------------------------------------------------------


# --- set apart ------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[t for t, _ in CALLS])
def test_no_line_of_a_document_can_pass_for_one_of_ours(
    ask: Any, text: Any, tool: str, arguments: dict[str, Any]
) -> None:
    def ours(words: str) -> list[str]:
        lines = text(ask(Crafted(words, 2), tool, arguments)).splitlines()
        return [line.split(" ")[0] for line in lines if not line.startswith("> ")]

    assert ours(FORGED) == ours("x")


# --- the structure is enough ----------------------------------------------------------------


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[t for t, _ in CALLS])
def test_passages_are_said_to_be_quoted_and_have_addresses_that_can_be_read(
    ask: Any, text: Any, bare: Library, cited: Any, tool: str, arguments: dict[str, Any]
) -> None:
    result = ask(Big("Rent is due.", 3), tool, arguments)
    facts = cited(result.structured_content)
    if tool not in {"list_documents", "get_collection_info"}:
        assert result.structured_content["notice"] == QUOTED
        assert text(result).endswith(QUOTED)
    assert bool(facts) == (tool in (SHORT | {"get_chunk"}) - {"list_documents"})
    for each in facts:
        address = parse_uri(each["uri"])
        assert (address.kind, address.chunk_id) == (Kind.CHUNK, each["source"]["chunk_id"])
        assert address.collection_id == bare.find("Acme").id
        assert parse_uri(each["page_image_uri"]).kind is Kind.HIGHLIGHT


def test_search_links_three_pictures_and_each_document_once(ask: Any) -> None:
    big = Big("Rent is due.")
    blocks = ask(big, "search_documents", {"query": "rent", "top_k": 20}).content
    links = [parse_uri(block.uri) for block in blocks if block.type == "resource_link"]
    assert [a.chunk_id for a in links if a.kind is Kind.HIGHLIGHT] == [key(0), key(1), key(2)]
    documents = [a.document_id for a in links if a.kind is Kind.DOCUMENT]
    assert len(set(documents)) == len(documents) == 2
    assert len(links) == 5
    one = ask(big, "get_chunk", CHUNK).content
    assert [b.mime_type for b in one[1:]] == ["image/png", "text/markdown"]


def test_a_format_without_a_layout_has_no_picture(filled: Library, call: Any) -> None:
    result = call(filled, ("search_documents", {"query": "payment", "collection": "Acme"}))
    facts = result.structured_content["results"]
    assert facts
    assert all("uri" in each and "page_image_uri" not in each for each in facts)
    assert {b.mime_type for b in result.content[1:]} == {"text/markdown"}
