"""Errors of calls as clients receive them."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError

from casetrack.faces.mcp.catalogue import choose, declared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mcp.client import Client

    from casetrack.api.library import Library


def test_duplicate_names_the_document(filled: Library, call: Any, text: Any) -> None:
    document = filled.get("Acme").document("Notes.txt")
    result = call(filled, ("ingest_document", {"file_path": document.path, "collection": "Acme"}))
    assert result.is_error
    assert "Notes.txt" in text(result)
    assert document.document_id in text(result)
    assert "--force" not in text(result)


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "fact"),
    [
        ("get_document", {"document_name": "Nots"}, "document_not_found", "Notes.txt"),
        ("get_document", {"document_name": "zzz"}, "document_not_found", "list_documents"),
        ("get_chunk", {"chunk_id": "zzz"}, "chunk_not_found", "zzz"),
        ("get_document_chunks", {"document_name": "Notes.txt", "page_filter": 9}, "usage", "9"),
        ("search_documents", {"query": "  "}, "usage", ""),
        ("search_entity_relationships", {"entities": ["Acme"]}, "usage", "`entities`"),
        ("search_entity_relationships", {"entities": ["x"] * 6}, "usage", "`entities`"),
        ("search_documents", {"query": "x", "document_filter": "zz"}, "document_not_found", "zz"),
        ("ingest_document", {"file_path": "notes.txt"}, "usage", "file_path"),
        ("ingest_folder", {"folder_path": "../x"}, "usage", "folder_path"),
        ("ingest_folder", {"folder_path": "/not-there"}, "file_not_found", "/not-there"),
        ("ingest_document", {"file_path": "/\x00"}, "file_not_found", ""),
        ("ingest_document", {"file_path": "/" + "x" * 5000}, "file_not_found", ""),
        ("ingest_document", {"file_path": "~nobody-here/x"}, "file_not_found", "nobody-here"),
        ("ingest_document", {"file_path": "/"}, "wrong_path_kind", "ingest_folder"),
        ("ingest_folder", {"folder_path": __file__}, "wrong_path_kind", "ingest_document"),
        ("create_collection", {"name": ""}, "usage", "200"),
        ("create_collection", {"name": "acme"}, "collection_exists", "Acme"),
        ("create_collection", {"name": "B", "collection_type": "zoo"}, "usage", "archive"),
    ],
)
def test_library_errors_reach_the_client(
    filled: Library,
    call: Any,
    text: Any,
    codes: list[str],
    tool: str,
    arguments: dict[str, Any],
    code: str,
    fact: str,
) -> None:
    if tool != "create_collection":
        arguments = {**arguments, "collection": "Acme"}
    result = call(filled, (tool, arguments))
    assert result.is_error
    assert codes == [code]
    assert fact in text(result)


BAD: list[tuple[str, dict[str, Any]]] = [
    ("search_documents", {}),
    ("search_documents", {"query": 7}),
    ("search_documents", {"query": "x", "top_k": 51}),
    ("search_documents", {"query": "x", "limit": 3, "top": 1}),
    ("list_documents", {"sort_by": "size"}),
    ("list_documents", {"sort_by": "x" * 10_000}),
    ("get_document_chunks", {"document_name": "x", "page_filter": 0}),
    ("delete_document", {"document_name": "x", "confirm": "perhaps"}),
    ("ingest_folder", {"folder_path": "/x", "file_extensions": "pdf"}),
    ("search_similar_chunks", {"chunk_id": "c", "min_similarity": 2}),
]


def test_bad_arguments_name_the_field_and_what_is_allowed(
    library: Library, call: Any, text: Any, codes: list[str], messages: Any
) -> None:
    refused = call(library, *BAD)
    assert codes == ["usage"] * len(BAD)
    assert all(result.is_error for result in refused)
    messages("\n".join(map(text, refused)))


@pytest.mark.parametrize(
    ("name", "meant"), [("search_document", "search_documents"), ("Get_Status", "get_status")]
)
def test_unknown_tool(library: Library, connect: Any, name: str, meant: str) -> None:
    async def work(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name, {})
        return caught.value

    error = connect(library, work)
    assert error.code == -32602
    assert f'"{name}"' in error.message
    assert f'"{meant}"' in error.message
    assert all(known in error.message for known in choose(None).of(declared()))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_unknown_cursor(library: Library, connect: Any, mode: str) -> None:
    async def work(client: Client) -> list[int]:
        refused = []
        for what in ("tools", "resources", "resource_templates", "prompts"):
            with pytest.raises(MCPError) as caught:
                await getattr(client, f"list_{what}")(cursor="next")
            refused.append(caught.value.code)
        return refused

    assert connect(library, work, mode=mode) == [-32602] * 4


def test_unexpected_errors_are_masked_and_logged_with_a_reference(
    library: Library,
    call: Any,
    text: Any,
    codes: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    error = OSError(13, "quizzlefrax refused", "/etc/shadow")
    monkeypatch.setattr(library, "collections", _raiser(error))
    with caplog.at_level(logging.ERROR, "casetrack.mcp"):
        result = call(library, ("list_collections", {}))
    assert codes == ["internal"]
    for leak in ("quizzlefrax", "/etc/shadow", "Traceback", str(tmp_path), "Errno", "OSError"):
        assert leak not in result.model_dump_json()
    [record] = [r for r in caplog.records if r.name == "casetrack.mcp"]
    (reference,) = re.findall(r"\b[0-9a-f]{8}\b", text(result))
    assert reference in record.getMessage()
    assert "quizzlefrax" in str(record.exc_info[1] if record.exc_info else "")


def _raiser(error: Exception) -> Callable[..., Any]:
    def raise_it(*_: Any, **__: Any) -> Any:
        raise error

    return raise_it


def test_a_collection_deleted_by_another_program(
    library: Library, connect: Any, text: Any, codes: list[str]
) -> None:
    async def work(client: Any) -> list[Any]:
        await client.call_tool("create_collection", {"name": "A"})
        library.delete("A")
        return [await client.call_tool("list_documents", {}) for _ in range(2)]

    first, _ = connect(library, work)
    assert codes == ["active_collection_gone", "no_collection_active"]
    assert '"A"' in text(first)


def test_file_names_that_are_not_unicode_do_not_break_the_connection(
    library: Library, call: Any, text: Any
) -> None:
    result = call(library, ("switch_collection", {"collection_name": "caf\udce9"}), mode="legacy")
    assert result.is_error
    assert "caf" in text(result)


def test_what_is_quoted_is_short_and_drives_no_terminal(
    library: Library, call: Any, text: Any, codes: list[str], messages: Any
) -> None:
    library.create("A")
    long = "\x1b]0;owned\x07" + "x" * 1_000_000
    for tool, field in (("get_document", "document_name"), ("find_entity", "entity")):
        result = call(library, (tool, {field: long, "collection": "A"}))
        assert result.is_error
        assert len(text(result)) < 2500
        assert "\x1b" not in text(result)
        assert "\x07" not in text(result)
    gone = call(library, ("get_chunk", {"chunk_id": "\x1b[2J", "collection": "A"}))
    assert codes[-1] == "chunk_not_found"
    assert "\ufffd[2J" in text(gone)
    messages(text(gone))


def test_a_reference_is_taken_by_both_names_and_kept_as_it_is(library: Library, call: Any) -> None:
    odd, made, unclear = call(
        library,
        ("create_collection", {"name": "A", "reference": "caf\udce9"}),
        ("create_collection", {"name": "B", "collection_id": "2024-017"}),
        ("create_collection", {"name": "C", "reference": "1", "collection_id": "2"}),
    )
    assert not odd.is_error
    assert library.get("A").info.reference == "caf\udce9"
    assert made.structured_content["collection"]["reference"] == "2024-017"
    assert unclear.is_error  # two words for one thing, which differ
