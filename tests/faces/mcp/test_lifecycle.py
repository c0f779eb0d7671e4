"""Closing, reopening, archiving and updating collections over MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

    Call = Callable[..., Any]
    Text = Callable[[Any], str]


@pytest.fixture
def acme(library: Library, store_text: Callable[..., object]) -> Library:
    """A library with the collections "Acme", which holds one document, and "Other"."""
    with write_session(library.create("Acme").folder) as session:
        store_text(session, "Notes.txt", "He left the building.")
    library.create("Other")
    return library


SWITCH = ("switch_collection", {"collection_name": "Acme"})


def test_updating(acme: Library, call: Call, text: Text) -> None:
    facts = {
        "name": "Acme 2024",
        "description": "Supply contracts",
        "reference": "A-1",
        "collection_type": "Contract",
        "add_tags": ["urgent", "draft"],
    }
    _, updated, status, less, listed, shown = call(
        acme,
        SWITCH,
        ("update_collection", facts),
        ("get_status", {}),
        ("update_collection", {"remove_tags": ["DRAFT"], "reference": ""}),
        ("list_collections", {}),
        ("get_collection_info", {}),
    )
    content = updated.structured_content["collection"]
    messages = [content[fact] for fact in ("name", "description", "reference", "type")]
    assert messages == ["Acme 2024", "Supply contracts", "A-1", "contract"]
    assert content["tags"] == ["urgent", "draft"]
    assert updated.structured_content["is_active"] is True
    assert "Acme 2024" in text(status)
    assert less.structured_content["collection"]["tags"] == ["urgent"]
    assert less.structured_content["collection"]["reference"] is None
    assert all(word in text(listed) for word in ("urgent", "Supply contracts"))
    for word in ("Supply contracts", "urgent", "active"):
        assert word in text(shown)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "usage"),
        ({"name": "OTHER"}, "collection_exists"),
        ({"remove_tags": ["x"]}, "usage"),
        ({"name": " "}, "usage"),
        ({"collection_type": "novel"}, "usage"),
    ],
)
def test_what_cannot_be_updated(
    acme: Library, call: Call, codes: list[str], arguments: dict[str, Any], code: str
) -> None:
    before = acme.get("Acme").info
    call(acme, ("update_collection", {"collection": "Acme", **arguments}))
    assert codes == [code]
    assert acme.get("Acme").info == before
