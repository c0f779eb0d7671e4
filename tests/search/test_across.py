"""One ranking over several collections: selection, order, and notes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.base.errors import CollectionNotFound, StorageError, UsageError
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection

TEXTS = {
    "Mill": {
        "lease.txt": "The tenant pays a rent of 1,250 pounds a month for the mill.",
        "memo.txt": "The roof of the mill leaks over the north room.",
    },
    "Ships": {"charter.txt": "Demurrage is due when the ship waits. The rent of a crane is extra."},
    "Old": {"old.txt": "The rent of the old barn was never paid."},
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, store_text: Callable[..., object]) -> Library:
    """A library with three collections, one of them archived."""
    root: Path = tmp_path_factory.mktemp("across")
    library = Library(Settings(data_dir=root / "data", models_dir=root / "models"))
    for name, texts in TEXTS.items():
        with write_session(library.create(name).folder) as session:
            for document, text in texts.items():
                store_text(session, document, text)
    library.get("Old").admin.archive()
    return library


def test_every_result_names_its_collection_and_is_where_its_relevance_says(
    library: Library,
) -> None:
    answer = library.search("rent of the mill", limit=5)
    places = [(r.collection, r.provenance.document_name) for r in answer]
    assert places[0] == ("Mill", "lease.txt")
    assert set(places) == {("Mill", "lease.txt"), ("Mill", "memo.txt"), ("Ships", "charter.txt")}
    assert [r.rank for r in answer] == [1, 2, 3]
    assert set(answer.collection.split(", ")) == {"Mill", "Ships"}
    assert answer.searched == {"documents": 3, "chunks": 3}
    assert answer.relevance == max(r.relevance for r in answer)
    for name in ("Mill", "Ships"):
        alone = [r.chunk_id for r in library.get(name).search("rent of the mill", limit=5)]
        assert [r.chunk_id for r in answer if r.collection == name] == alone
    assert json.loads(json.dumps(answer.as_dict()))["results"][0]["collection"] == "Mill"
    assert len(library.search("rent of the mill", limit=1)) == 1


def test_named_collections_alone_are_searched(library: Library) -> None:
    answer = library.search("rent", collections=["Old", "ships", "Ships"])
    assert {r.collection for r in answer} == {"Old", "Ships"}
    assert "collection" not in library.get("Mill").search("rent").as_dict()["results"][0]
    with pytest.raises(CollectionNotFound, match="Barn"):
        library.search("rent", collections=["Mill", "Barn"])
    with pytest.raises(UsageError):
        library.search(" ")


def test_a_damaged_collection_hides_no_other(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    ships = library.get("Ships")

    def broken(*_: object, **__: object) -> None:
        raise StorageError("It has holes.")

    monkeypatch.setattr(ships, "search", broken)
    answer = library.search("rent")
    assert {r.collection for r in answer} == {"Mill"}
    assert any("Ships" in note and "holes" in note for note in answer.notes)
    with pytest.raises(StorageError, match="holes"):
        library.search("rent", collections=["Mill", "Ships"])
    monkeypatch.setattr(library.get("Mill"), "search", broken)
    with pytest.raises(StorageError) as caught:
        library.search("rent")
    assert all(name in str(caught.value) for name in ("Mill", "Ships", "holes"))


def test_a_question_in_another_language_is_told_to_ask_in_theirs(
    stored: Callable[..., Collection],
) -> None:
    text = "The tenant shall pay the rent of the mill on the first day of every month. " * 6
    terms = stored({"terms.txt": text})
    message = terms.search("Wie hoch ist die Miete, die der Mieter für die mill zahlt?").notes
    assert [n for n in message if "German" in n and "English" in n]
    message = terms.search("What rent does the tenant pay for the mill?").notes
    assert not [n for n in message if "English" in n]
