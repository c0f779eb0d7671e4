"""Closing, reopening, archiving and updating collections over MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.library import Library

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


def test_the_active_one_is_closed_and_stays_active(
    acme: Library, call: Call, text: Text, codes: list[str], case_folder: Path
) -> None:
    _, closed, found, refused, listed, everything, reopened, archived, again = call(
        acme,
        SWITCH,
        ("close_collection", {}),
        ("search_documents", {"query": "building", "mode": "keyword"}),
        ("ingest_document", {"file_path": str(case_folder / "Letters" / "Reminder.md")}),
        ("list_collections", {}),
        ("list_collections", {"status_filter": "all"}),
        ("reopen_collection", {}),
        ("archive_collection", {}),
        ("archive_collection", {"collection_name": "acme"}),
    )
    structured = closed.structured_content
    assert structured["collection"]["status"] == "closed"
    told = [structured[fact] for fact in ("previous_status", "changed", "is_active")]
    assert told == ["active", True, True]
    assert "reopen_collection" in text(closed)
    assert found.structured_content["results"]
    assert refused.is_error
    assert codes == ["collection_read_only"]
    assert '"Acme"' in text(refused)
    assert [c["name"] for c in listed.structured_content["collections"]] == ["Other"]
    assert "status_filter" in text(listed)
    names = {c["name"]: c["status"] for c in everything.structured_content["collections"]}
    assert names == {"Acme": "closed", "Other": "active"}
    assert "status_filter" not in text(everything)
    assert reopened.structured_content["collection"]["status"] == "active"
    assert archived.structured_content["collection"]["status"] == "archived"
    assert again.structured_content["changed"] is False


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
    found = updated.structured_content["collection"]
    told = [found[fact] for fact in ("name", "description", "reference", "type")]
    assert told == ["Acme 2024", "Supply contracts", "A-1", "contract"]
    assert found["tags"] == ["urgent", "draft"]
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
