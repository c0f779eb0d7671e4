"""The data folder: collections by name, by id, with near names, damaged and newer ones."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from casetrack.base.config import load_settings
from casetrack.base.errors import (
    AmbiguousName,
    ChunkNotFound,
    CollectionDamaged,
    CollectionExists,
    CollectionNotFound,
    DocumentNotFound,
    UsageError,
)
from casetrack.store.folders import building
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library


def test_create_get_list_delete(library: Library) -> None:
    made = library.create("Project Alpha", collection_type="Project", tags=["x"])
    assert made.info.type == "project"
    assert made.info.tags == ("x",)
    for asked in ("Project Alpha", "project alpha", made.info.id, made.info.id[:8]):
        assert library.get(asked).info.id == made.info.id
    assert [i.name for i in library.collections()] == ["Project Alpha"]
    assert library.collections(status="archived") == []
    library.delete("Project Alpha")
    assert library.collections() == []
    assert list(library.settings.collections_dir.iterdir()) == []


def test_folders_of_killed_work_are_swept(library: Library) -> None:
    library.create("Case")
    home = library.settings.collections_dir
    for name in (".deleted-1", ".new-dead"):
        (home / name / "chunks.lance").mkdir(parents=True)
    (home / ".new-gone.lock").touch()
    with building(home, "alive") as alive:
        assert [i.name for i in library.collections()] == ["Case"]
        library.create("Other")
        assert [p.name for p in home.glob(".*") if p.is_dir()] == [alive.name]
        alive.rename(home / "alive")
    library.create("Third")
    assert list(home.glob(".*")) == []


def test_the_lock_of_a_making_killed_at_its_end_goes_with_the_next_write(library: Library) -> None:
    folder = library.create("Case").folder
    lock = folder.with_name(f".new-{folder.name}.lock")
    lock.touch()
    assert [i.name for i in library.collections()] == ["Case"]
    with write_session(folder):
        pass
    assert not lock.exists()


def test_unknown_names_suggest_near_ones(library: Library, messages: Callable[..., None]) -> None:
    library.create("Acme Corp Partnership")
    with pytest.raises(CollectionNotFound) as caught:
        library.get("Acme")
    messages(str(caught.value))
    with pytest.raises(CollectionNotFound, match="casetrack collection list"):
        library.get("Zebra")


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb"])
def test_names_that_do_not_fit(library: Library, name: str) -> None:
    with pytest.raises(UsageError):
        library.create(name)
    with pytest.raises(UsageError, match="novel"):
        library.create("ok", collection_type="novel")
    assert library.collections() == []


@pytest.mark.parametrize("name", ["a/b", "..", "C:\\x", "'; DROP", "ünïcödé 😀", "x" * 200, "a.b"])
def test_any_printable_name_is_a_name(library: Library, name: str) -> None:
    library.create(name)
    assert library.get(name).info.name == name
    folders = [p.name for p in library.settings.collections_dir.iterdir()]
    assert folders == [library.get(name).info.id]


def test_a_taken_name_is_refused_whatever_its_case(library: Library) -> None:
    library.create("Case")
    with pytest.raises(CollectionExists):
        library.create("CASE")


def test_damaged_collections_are_named_and_do_not_hide_others(library: Library) -> None:
    library.create("Good")
    bad = library.create("Bad")
    shutil.rmtree(bad.folder / "chunks.lance")
    (bad.folder / "collection.json").write_text("{torn")
    assert [i.name for i in library.collections()] == ["Good"]
    (folder, reason), *_ = library.damaged()
    assert folder == bad.folder
    assert "collection.json" in reason
    with pytest.raises(CollectionDamaged, match=r"collection\.json"):
        library.get(bad.folder.name)


def test_documents_by_name_path_and_id(library: Library, store_text: Callable[..., object]) -> None:
    collection = library.create("Case")
    with write_session(collection.folder) as session:
        for name in ("b.txt", "a.txt", "same.txt", "same.txt"):
            store_text(session, name, f"Text of {name}.")
    assert [d.name for d in collection.documents(sort_by="name")][:2] == ["a.txt", "b.txt"]
    wanted = collection.document("a.txt")
    for asked in (wanted.document_id, wanted.document_id[:8], "/files/a.txt", "A.TXT"):
        assert collection.document(asked).document_id == wanted.document_id
    with pytest.raises(AmbiguousName, match=r"same\.txt"):
        collection.document("same.txt")
    with pytest.raises(DocumentNotFound, match=r"a\.txt"):
        collection.document("a.tx")
    with pytest.raises(UsageError):
        collection.documents(sort_by="size")
    with pytest.raises(UsageError, match=r"a\.txt"):
        collection.read.chunks("a.txt", page=2)
    with pytest.raises(ChunkNotFound, match="nope"):
        collection.read.chunk("nope")
    chunk = collection.read.chunks("a.txt")[0]
    assert collection.read.chunk(chunk.chunk_id) == chunk
    with pytest.raises(UsageError):
        collection.read.context(chunk.chunk_id, window=0)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("inference_threads = 'two'", "inference_threads"),
        ("inference_thread = 2", "'inference_thread'"),
        ("[parse]\ntimeout_seconds = true", r"parse\.timeout_seconds"),
        ("[parse]\nmemory = 5", "'memory'"),
        ("parse = 3", "parse"),
        ("not toml", r"config\.toml"),
    ],
)
def test_mistakes_in_the_settings_are_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(UsageError, match=named):
        load_settings(tmp_path)


def test_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.toml").write_text("copy_originals = true\n[parse]\nmemory_mb = 512\n")
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path))
    monkeypatch.setenv("CASETRACK_MODELS", "~/models")
    settings = load_settings()
    assert settings.data_dir == tmp_path
    assert (settings.copy_originals, settings.parse.memory_mb) == (True, 512)
    assert settings.models_dir.is_absolute()
    monkeypatch.delenv("CASETRACK_MODELS")
    assert load_settings(tmp_path / "x").models_dir == tmp_path / "x" / "models"


def test_files_are_taken_into_a_collection_that_is_made_where_there_is_none(
    library: Library, tmp_path: Path
) -> None:
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text(f"The tenant of house {number} pays the rent.")
    first = library.ingest(tmp_path / "0.txt", collection="Rents")
    assert [o.status for o in first.outcomes] == ["ingested"]
    made = library.get("Rents")
    library.ingest([tmp_path], collection=made.info.id, extensions="txt")
    assert sorted(d.name for d in made.documents()) == ["0.txt", "1.txt"]
    assert len(library.collections()) == 1
    with pytest.raises(UsageError, match="nowhere"):
        library.ingest(tmp_path, collection=f"{tmp_path.as_uri()}/nowhere")
    with pytest.raises(UsageError, match=r"2\.txt"):
        library.ingest([tmp_path / "2.txt"], collection="Mistyped")
    assert len(library.collections()) == 1
