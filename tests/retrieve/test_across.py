"""One ranking over several collections: whose results come, in which order, and what is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from casetrack.config import Settings
from casetrack.errors import CollectionNotFound, StorageError, UsageError
from casetrack.library import Library

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "Mill": {
        "lease.txt": "The tenant pays a rent of 1,250 pounds a month for the mill.",
        "memo.txt": "The roof of the mill leaks over the north room.",
    },
    "Ships": {"charter.txt": "Demurrage is due when the ship waits. The rent of a crane is extra."},
    "Old": {"old.txt": "The rent of the old barn was never paid."},
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with three collections, one of them archived."""
    root: Path = tmp_path_factory.mktemp("across")
    library = Library(Settings(data_dir=root / "data", models_dir=root / "models"))
    for name, files in TEXTS.items():
        folder = root / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        library.create(name).ingest(folder)
    library.get("Old").admin.archive()
    return library


def test_every_result_names_its_collection_and_stands_where_its_relevance_says(
    library: Library,
) -> None:
    found = library.search("rent of the mill", limit=5)
    places = [(r.collection, r.provenance.document_name) for r in found]
    assert places[0] == ("Mill", "lease.txt")
    assert set(places) == {("Mill", "lease.txt"), ("Mill", "memo.txt"), ("Ships", "charter.txt")}
    assert [r.rank for r in found] == [1, 2, 3]
    assert set(found.collection.split(", ")) == {"Mill", "Ships"}
    assert found.searched == {"documents": 3, "chunks": 3}
    assert found.relevance == max(r.relevance for r in found)
    for name in ("Mill", "Ships"):
        alone = [r.chunk_id for r in library.get(name).search("rent of the mill", limit=5)]
        assert [r.chunk_id for r in found if r.collection == name] == alone
    assert json.loads(json.dumps(found.as_dict()))["results"][0]["collection"] == "Mill"
    assert len(library.search("rent of the mill", limit=1)) == 1


def test_named_collections_alone_are_searched(library: Library) -> None:
    found = library.search("rent", collections=["Old", "ships", "Ships"])
    assert {r.collection for r in found} == {"Old", "Ships"}
    assert "collection" not in library.get("Mill").search("rent").as_dict()["results"][0]
    with pytest.raises(CollectionNotFound, match="Barn"):
        library.search("rent", collections=["Mill", "Barn"])
    with pytest.raises(UsageError, match="query is empty"):
        library.search(" ")


def test_a_damaged_collection_hides_no_other(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    ships = library.get("Ships")

    def broken(*_: object, **__: object) -> None:
        raise StorageError("The disk is full of holes.")

    monkeypatch.setattr(ships, "search", broken)
    found = library.search("rent")
    assert {r.collection for r in found} == {"Mill"}
    assert "Ships was not searched: The disk is full of holes." in found.notes
    with pytest.raises(StorageError, match="full of holes"):
        library.search("rent", collections=["Mill", "Ships"])
    monkeypatch.setattr(library.get("Mill"), "search", broken)
    with pytest.raises(StorageError, match="No collection could be searched"):
        library.search("rent")


def test_a_question_in_another_language_is_told_to_ask_in_theirs(
    library: Library, tmp_path: Path
) -> None:
    text = "The tenant shall pay the rent of the mill on the first day of every month. " * 6
    (tmp_path / "terms.txt").write_text(text, encoding="utf-8")
    terms = library.create("Terms")
    terms.ingest(tmp_path)
    note = "The question is in German, what was found in English: ask in English, too"
    told = terms.search("Wie hoch ist die Miete, die der Mieter für die mill zahlt?").notes
    assert [n for n in told if n.startswith(note)]
    told = terms.search("What rent does the tenant pay for the mill?").notes
    assert not [n for n in told if n.startswith("The question is in")]
    library.delete("Terms")
