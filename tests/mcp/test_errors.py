"""What a program is told when a call cannot be done."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError

from casetrack.errors import (
    AmbiguousName,
    CollectionBusy,
    CollectionNotFound,
    DiskFull,
    DocumentNotFound,
    FutureSchema,
    ModelNotFound,
)
from casetrack.mcp.catalogue import declared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mcp.client import Client

    from casetrack.library import Library

NO_COLLECTION = (
    "No active collection. Create or switch to a collection first:\n"
    "  - create_collection: Create a new collection\n"
    "  - switch_collection: Switch to an existing collection\n"
    "  - list_collections: See all collections"
)

NEED_A_COLLECTION: dict[str, dict[str, Any]] = {
    "get_collection_info": {},
    "ingest_document": {"file_path": "/x"},
    "ingest_folder": {"folder_path": "/x"},
    "list_documents": {},
    "get_document": {"document_name": "x"},
    "delete_document": {"document_name": "x", "confirm": True},
    "search_documents": {"query": "x"},
    "get_chunk": {"chunk_id": "x"},
    "get_document_chunks": {"document_name": "x"},
    "get_source_context": {"chunk_id": "x"},
}


@pytest.mark.parametrize(("tool", "arguments"), NEED_A_COLLECTION.items())
def test_without_an_active_collection(
    library: Library, call: Any, text: Any, tool: str, arguments: dict[str, Any]
) -> None:
    # With just one that one is meant; with more it is for the user to say.
    for number in range(12):
        library.create(f"Case {number}")
    result = call(library, (tool, arguments))
    assert result.is_error
    head, _, names = text(result).partition("\n\nThere are:\n")
    assert head == NO_COLLECTION
    *named, last = names.splitlines()
    assert len(named) == len(set(named)) == 10
    assert all(name.startswith('  - "Case ') for name in named)
    assert last == "  - and 2 more"
    assert result.structured_content is None


def test_file_not_found(library: Library, call: Any, text: Any, tmp_path: Path) -> None:
    library.create("Acme")
    path = tmp_path / "Contract.pdf"
    for tool, field in (("ingest_document", "file_path"), ("ingest_folder", "folder_path")):
        result = call(library, (tool, {field: str(path), "collection": "Acme"}))
        assert result.is_error
        assert text(result) == (
            f"File not found: {path}\n\nCheck that the path is correct and the file exists."
        )


def test_collection_not_found_suggests_the_near_one(library: Library, call: Any, text: Any) -> None:
    info = library.create("Acme Corp Partnership").info
    result = call(library, ("switch_collection", {"collection_name": "Acme"}))
    assert result.is_error
    assert text(result) == (
        'Collection not found: "Acme". Did you mean:\n'
        f"  - Acme Corp Partnership (ID: {info.id})\n"
        "Use the full name or ID."
    )


def test_collection_not_found_names_tools(library: Library, call: Any, text: Any) -> None:
    result = call(library, ("list_documents", {"collection": "Zzz"}))
    assert text(result) == (
        'Collection not found: "Zzz".\n\n'
        "List what exists with list_collections, or create it with create_collection."
    )


def test_duplicate_names_the_document(filled: Library, call: Any, text: Any) -> None:
    document = filled.get("Acme").document("Notes.txt")
    result = call(filled, ("ingest_document", {"file_path": document.path, "collection": "Acme"}))
    assert result.is_error
    assert "Notes.txt is in the collection already and has not changed" in text(result)
    assert document.document_id in text(result)
    assert "--force" not in text(result)


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("get_document", {"document_name": "Note"}, 'Document not found: "Note". Did you mean'),
        ("get_document", {"document_name": "zzz"}, "List what is there with list_documents."),
        ("get_chunk", {"chunk_id": "zzz"}, "Chunk not found: zzz"),
        ("get_source_context", {"chunk_id": "zzz"}, "Chunk not found: zzz"),
        ("get_document_chunks", {"document_name": "Notes.txt", "page_filter": 9}, "no page 9"),
        ("search_documents", {"query": "  "}, "query"),
        ("search_documents", {"query": "x", "document_filter": "zz"}, "Document not found"),
        ("ingest_document", {"file_path": "notes.txt"}, "file_path must be an absolute path"),
        ("ingest_folder", {"folder_path": "../x"}, "folder_path must be an absolute path"),
        ("ingest_document", {"file_path": "/\x00"}, "File not found"),
        ("ingest_document", {"file_path": "/" + "x" * 5000}, "File not found"),
        ("ingest_document", {"file_path": "~nobody-here/x"}, "File not found"),
        ("create_collection", {"name": ""}, "1 to 200 characters"),
        ("create_collection", {"name": "acme"}, "Use that one, or choose another name"),
        ("create_collection", {"name": "B", "collection_type": "zoo"}, "archive, business"),
    ],
)
def test_library_errors_reach_the_client(
    filled: Library, call: Any, text: Any, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    if tool != "create_collection":
        arguments = {**arguments, "collection": "Acme"}
    result = call(filled, (tool, arguments))
    assert result.is_error
    assert expected in text(result)
    assert "internal error" not in text(result)


def test_a_folder_is_not_a_file_and_a_file_not_a_folder(
    library: Library, call: Any, text: Any, tmp_path: Path
) -> None:
    library.create("A")
    file = tmp_path / "a.txt"
    file.write_text("text")
    as_file = call(library, ("ingest_document", {"file_path": str(tmp_path), "collection": "A"}))
    as_folder = call(library, ("ingest_folder", {"folder_path": str(file), "collection": "A"}))
    assert "Use ingest_folder for it." in text(as_file)
    assert "Use ingest_document for it." in text(as_folder)


@pytest.mark.parametrize(
    ("tool", "arguments", "lines"),
    [
        ("search_documents", {}, ["query: missing; give a text"]),
        ("search_documents", {"query": 7}, ["query: must be a text, not 7"]),
        (
            "search_documents",
            {"query": "x", "top_k": 51},
            ["top_k: must be a whole number from 1 to 50, not 51"],
        ),
        (
            "search_documents",
            {"query": "x", "top_k": "many"},
            ['top_k: must be a whole number from 1 to 50, not "many"'],
        ),
        (
            "search_documents",
            {"query": "x", "limit": 3, "top": 1},
            [
                (
                    '"limit": no such argument (allowed: query, top_k, document_filter, kinds, '
                    "since, until, mode, explain, min_relevance, related, collection, collections, "
                    "offset, response_format)"
                ),
                (
                    '"top": no such argument. Did you mean "top_k"? (allowed: query, top_k, '
                    "document_filter, kinds, since, until, mode, explain, min_relevance, related, "
                    "collection, collections, offset, response_format)"
                ),
            ],
        ),
        (
            "list_documents",
            {"sort_by": "size"},
            ['sort_by: must be one of name, date, pages, type, not "size"'],
        ),
        (
            "get_document_chunks",
            {"document_name": "x", "page_filter": 0},
            ["page_filter: must be a whole number of at least 1, not 0"],
        ),
        (
            "delete_document",
            {"document_name": "x", "confirm": "perhaps"},
            ['confirm: must be true or false, not "perhaps"'],
        ),
        (
            "ingest_folder",
            {"folder_path": "/x", "file_extensions": "pdf"},
            ['file_extensions: must be a list of texts, not "pdf"'],
        ),
        (
            "ingest_document",
            {"file_path": "/x", "document_type": "novel"},
            [
                (
                    "document_type: must be one of contract, report, spreadsheet, presentation, "
                    'correspondence, memo, proposal, invoice, policy, other, not "novel"'
                )
            ],
        ),
        ("get_status", {"verbose": True}, ['"verbose": no such argument (this tool takes none)']),
    ],
)
def test_bad_arguments_name_the_field_and_what_is_allowed(
    library: Library, call: Any, text: Any, tool: str, arguments: dict[str, Any], lines: list[str]
) -> None:
    result = call(library, (tool, arguments))
    assert result.is_error
    head, *rest = text(result).splitlines()
    assert head == f"Invalid arguments for {tool}; nothing was done:"
    assert rest == [f"  - {line}" for line in lines]


def test_long_values_are_not_repeated_whole(library: Library, call: Any, text: Any) -> None:
    result = call(library, ("list_documents", {"sort_by": "x" * 10_000}))
    assert len(text(result)) < 300


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("search_document", "search_documents"),
        ("get_entity_mention", "get_entity_mentions"),
        ("Get_Status", "get_status"),
    ],
)
def test_unknown_tool(library: Library, connect: Any, name: str, meant: str) -> None:
    async def work(client: Client) -> MCPError:
        with pytest.raises(MCPError) as told:
            await client.call_tool(name, {})
        return told.value

    error = connect(library, work)
    assert error.code == -32602
    assert error.message.startswith(f'Unknown tool: "{name}". Did you mean "{meant}"')
    assert all(known in error.message for known in declared())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("what", ["tools", "resources", "resource_templates", "prompts"])
def test_unknown_cursor(library: Library, connect: Any, mode: str, what: str) -> None:
    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="comes whole, without one") as told:
            await getattr(client, f"list_{what}")(cursor="next")
        assert told.value.code == -32602

    connect(library, work, mode=mode)


@pytest.mark.parametrize(
    "error",
    [
        AmbiguousName("collection", "A", [("A", "1"), ("A", "2")]),
        CollectionBusy("Somebody writes.", hint="Wait."),
        DiskFull("/data"),
        DocumentNotFound("x", [("y", "1")]),
        CollectionNotFound("x", [("y", "1")]),
        FutureSchema(9, 1),
    ],
)
def test_every_error_of_the_library_keeps_its_text(
    library: Library, call: Any, text: Any, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(library, "collections", _raiser(error))
    result = call(library, ("list_collections", {}))
    assert result.is_error
    assert text(result) == str(error)


def test_hints_name_tools_not_options(
    library: Library, call: Any, text: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "collections", _raiser(ModelNotFound("mini", "/models")))
    result = call(library, ("list_collections", {}))
    assert "casetrack models pull" in text(result)
    assert "--mode" not in text(result)


def test_unexpected_errors_are_masked_and_logged_with_a_reference(
    library: Library,
    call: Any,
    text: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(library, "collections", _raiser(ValueError("secret of the document")))
    with caplog.at_level(logging.ERROR, "casetrack.mcp"):
        result = call(library, ("list_collections", {}))
    assert result.is_error
    assert "secret" not in text(result)
    [record] = [r for r in caplog.records if r.name == "casetrack.mcp"]
    reference = text(result).split("(reference ")[1].split(")")[0]
    assert reference in record.getMessage()
    assert "secret of the document" in str(record.exc_info[1] if record.exc_info else "")


def _raiser(error: Exception) -> Callable[..., Any]:
    def raise_it(*_: Any, **__: Any) -> Any:
        raise error

    return raise_it


def test_a_collection_deleted_by_another_program(library: Library, connect: Any, text: Any) -> None:
    async def work(client: Any) -> list[Any]:
        await client.call_tool("create_collection", {"name": "A"})
        library.delete("A")
        return [await client.call_tool("list_documents", {}) for _ in range(2)]

    first, second = connect(library, work)
    assert text(first).startswith('The active collection "A" no longer exists.')
    assert text(second) == NO_COLLECTION


def test_file_names_that_are_not_unicode_do_not_break_the_connection(
    library: Library, call: Any, text: Any
) -> None:
    result = call(library, ("switch_collection", {"collection_name": "caf\udce9"}), mode="legacy")
    assert result.is_error
    assert "caf" in text(result)


def test_a_free_tier_limit_is_told_word_for_word(
    library: Library, call: Any, text: Any, free_tier: None
) -> None:
    calls = [("create_collection", {"name": name}) for name in "ABCD"]
    *made, refused = call(library, *calls)
    assert not any(result.is_error for result in made)
    assert refused.is_error
    assert text(refused) == (
        "Free tier allows 3 collections (you have 3). Delete a collection or upgrade to Pro for "
        "unlimited collections: https://casetrack.dev/upgrade"
    )
    assert refused.structured_content is None


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library whose collection knows names and references; only for reading."""
    from casetrack.config import Settings
    from casetrack.library import Library

    root = tmp_path_factory.mktemp("described")
    (root / "Vendor Agreement.txt").write_text(
        "Vendor Agreement\n\nOn March 1, 2024 John Smith of Acme Corp paid Globex Inc. $5,000.00 "
        "under Section 4.2, as ISO 9001:2015 asks. Acme Corp accepted it.\n",
        encoding="utf-8",
    )
    library = Library(Settings(data_dir=root / "data", models_dir=root / "models"))
    library.create("Harbour Files").ingest([root / "Vendor Agreement.txt"])
    return library


@pytest.mark.parametrize(
    ("tool", "arguments", "meant"),
    [
        ("list_documents", {"collection": "Harbor Files"}, "Did you mean:\n  - Harbour Files (ID"),
        ("switch_collection", {"collection_name": "harbour"}, "Did you mean:\n  - Harbour Files"),
        ("get_document", {"document_name": "Vendor Agreemnt"}, "  - Vendor Agreement.txt (ID"),
        (
            "browse_pages",
            {"document_name": "agreement", "start_page": 1, "end_page": 1},
            "  - Vend",
        ),
        ("find_entity", {"entity": "John Schmid"}, "Did you mean:\n  - John Smith"),
        ("get_entity_mentions", {"entity_name": "John Peter Smith"}, "  - John Smith"),
        ("get_reference_citations", {"reference": "ISO 9002"}, "Did you mean:\n  - ISO 9001:2015"),
        ("get_chunk", {"chunkid": "x", "chunk_id": "x"}, 'Did you mean "chunk_id"?'),
        (
            "get_entity_mentions",
            {"entity": "x"},
            'Did you mean "entity_name"?',
        ),
        ("list_documents", {"sort_by": "nam"}, 'not "nam". Did you mean "name"?'),
        ("list_entities", {"entity_type": "persons"}, 'Did you mean "person"?'),
        ("list_collections", {"status_filter": "Archive"}, 'Did you mean "archived"?'),
        ("search_documents", {"query": "x", "mode": "semantics"}, 'Did you mean "semantic"?'),
    ],
)
def test_near_names_are_suggested(
    described: Library, call: Any, text: Any, tool: str, arguments: dict[str, Any], meant: str
) -> None:
    about = {"switch_collection", "list_collections"}
    more = {} if tool in about else {"collection": "Harbour Files"}
    result = call(described, (tool, more | arguments))
    assert result.is_error
    assert meant in text(result)


def test_what_is_quoted_is_short_and_drives_no_terminal(
    library: Library, call: Any, text: Any
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
    assert text(gone) == (
        "Chunk not found: \ufffd[2J\n\nTake a chunk_id from a result of search_documents or "
        "get_document_chunks; the document may have been changed or deleted since."
    )


def test_an_empty_collection_has_an_index_status(library: Library, call: Any, text: Any) -> None:
    library.create("A")
    result = call(library, ("get_index_status", {"collection": "A"}))
    assert not result.is_error
    assert "0 documents" in text(result)


def test_a_reference_that_is_not_unicode_is_kept(library: Library, call: Any) -> None:
    made = call(library, ("create_collection", {"name": "A", "reference": "caf\udce9"}))
    assert not made.is_error
    assert library.get("A").info.reference == "caf\udce9"


def test_a_reference_is_taken_by_the_name_of_the_requirement(library: Library, call: Any) -> None:
    both = {"name": "C", "reference": "1", "collection_id": "2"}
    made, unclear = call(
        library,
        ("create_collection", {"name": "B", "collection_id": "2024-017"}),
        ("create_collection", both),
    )
    assert made.structured_content["collection"]["reference"] == "2024-017"
    assert unclear.is_error  # two words for one thing, which differ
