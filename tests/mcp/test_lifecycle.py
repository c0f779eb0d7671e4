"""Closing, reopening, archiving and updating collections over MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.store.session import write_session
from casetrack.watch.watch_list import WatchList

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
    acme: Library, call: Call, text: Text, case_folder: Path
) -> None:
    _, closed, found, refused, listed, everything, reopened = call(
        acme,
        SWITCH,
        ("close_collection", {}),
        ("search_documents", {"query": "building", "mode": "keyword"}),
        ("ingest_document", {"file_path": str(case_folder / "Letters" / "Reminder.md")}),
        ("list_collections", {}),
        ("list_collections", {"status_filter": "all"}),
        ("reopen_collection", {}),
    )
    structured = closed.structured_content
    assert structured["collection"]["status"] == "closed"
    assert (structured["previous_status"], structured["changed"], structured["is_active"]) == (
        "active",
        True,
        True,
    )
    assert text(closed).endswith(
        "takes no changes until reopen_collection.\n"
        "It stays the collection that your calls use: read-only."
    )
    assert found.structured_content["results"]
    assert refused.is_error
    assert 'The collection "Acme" is closed, so nothing in it can be changed' in text(refused)
    assert [c["name"] for c in listed.structured_content["collections"]] == ["Other"]
    assert "1 with another status: status_filter all" in text(listed)
    names = {c["name"]: c["status"] for c in everything.structured_content["collections"]}
    assert names == {"Acme": "closed", "Other": "active"}
    assert "with another status" not in text(everything)
    assert reopened.structured_content["collection"]["status"] == "active"
    assert "Documents can be added and removed again." in text(reopened)


def test_archived_by_name(acme: Library, call: Call, text: Text) -> None:
    archived, again, listed, by_name = call(
        acme,
        ("archive_collection", {"collection_name": "Acme"}),
        ("archive_collection", {"collection_name": "acme"}),
        ("list_collections", {}),
        ("get_collection_info", {"collection": "Acme"}),
    )
    assert archived.structured_content["is_active"] is False
    assert "read-only" not in text(archived)
    assert again.structured_content["changed"] is False
    assert text(again).endswith("is archived already. Nothing was changed.")
    assert [c["name"] for c in listed.structured_content["collections"]] == ["Other"]
    assert by_name.structured_content["status"] == "archived"
    assert "archived" in text(by_name)


def test_without_an_active_one_a_name_is_needed(acme: Library, call: Call, text: Text) -> None:
    for name in ("close_collection", "reopen_collection", "archive_collection"):
        result = call(acme, (name, {}))
        assert result.is_error
        assert "No active collection" in text(result)


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
    assert (found["name"], found["description"], found["reference"], found["type"]) == (
        "Acme 2024",
        "Supply contracts",
        "A-1",
        "contract",
    )
    assert found["tags"] == ["urgent", "draft"]
    assert updated.structured_content["is_active"] is True
    assert "Acme 2024" in text(status)
    assert less.structured_content["collection"]["tags"] == ["urgent"]
    assert less.structured_content["collection"]["reference"] is None
    assert "| tags: urgent | Supply contracts" in text(listed)
    for word in ("Supply contracts", "urgent", "active"):
        assert word in text(shown)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"collection": "Acme"}, "Nothing was said that should change"),
        ({"collection": "Acme", "name": "OTHER"}, 'named "Other" already exists'),
        ({"collection": "Acme", "remove_tags": ["x"]}, 'no tag "x"'),
        ({"collection": "Acme", "name": " "}, "1 to 200 characters"),
        ({"collection": "Acme", "collection_type": "novel"}, "Unknown collection type 'novel'"),
    ],
)
def test_what_cannot_be_updated(
    acme: Library, call: Call, text: Text, arguments: dict[str, Any], message: str
) -> None:
    before = acme.get("Acme").info
    result = call(acme, ("update_collection", arguments))
    assert result.is_error
    assert message in text(result)
    assert acme.get("Acme").info == before


def test_what_is_deleted_is_watched_no_more(acme: Library, call: Call, case_folder: Path) -> None:
    watch_list, home = WatchList(acme.settings.data_dir), acme.settings.collections_dir
    for name in ("Acme", "Other"):
        watch_list.add(acme.get(name).info.id, case_folder)
    call(acme, ("delete_collection", {"collection_name": "Acme", "confirm": True}))
    assert [w.collection_id for w in watch_list.watches()] == [acme.get("Other").info.id]
    assert [p.name for p in home.iterdir()] == [acme.get("Other").info.id]


def test_a_closed_one_is_not_updated(acme: Library, call: Call, text: Text) -> None:
    acme.get("Acme").admin.close()
    result = call(acme, ("update_collection", {"collection": "Acme", "name": "New"}))
    assert result.is_error
    assert 'The collection "Acme" is closed' in text(result)
