"""Deleting for good over MCP: the answer says so, and no file holds the text any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

KEPT, SECRET = "The tenant pays the rent. ", "The password of the safe is quizzlefrax. "


def test_secure_leaves_nothing(
    library: Library, store_text: Any, call: Any, text: Callable[[Any], str], messages: Any
) -> None:
    from casetrack.store.session import write_session

    collection = library.create("Case")
    with write_session(collection.folder) as session:
        store_text(session, "kept.txt", KEPT * 20)
        store_text(session, "secret.txt", SECRET * 20)
    _ = collection.workspace.state().index

    def files_with(word: bytes) -> list[str]:
        files = [p for p in collection.folder.rglob("*") if p.is_file()]
        return [p.name for p in files if word in p.read_bytes()]

    assert files_with(b"quizzlefrax")
    given = {"document_name": "secret.txt", "confirm": True, "secure": True, "collection": "Case"}
    result = call(library, ("delete_document", given))
    assert result.structured_content["deleted"]["name"] == "secret.txt"
    messages(text(result))
    assert files_with(b"quizzlefrax") == []
    assert [d.name for d in collection.documents()] == ["kept.txt"]
