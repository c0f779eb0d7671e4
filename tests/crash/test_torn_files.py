"""Small files cut off at every length: the next start restores them, and says so."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.api.watch.watch_list import WatchList
from casetrack.store.session import write_session
from tests.crash.world import NAME, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

steps = pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.slow)])


@pytest.fixture
def collection(library: Library, store_text: Callable[..., Document]) -> Collection:
    """Return a collection of three documents."""
    found = library.create(NAME, description="what it is about", tags=("a", "b"))
    with write_session(found.folder) as session:
        for number in range(3):
            store_text(session, f"{number}.txt", text_of(number))
    return found


def facts(content: bytes) -> dict[str, object]:
    """Return the facts of a collection without the count of its audit log, which repairs enter."""
    return {name: value for name, value in json.loads(content).items() if name != "audit"}


@steps
def test_facts_of_a_collection_cut_off(
    collection: Collection, caplog: pytest.LogCaptureFixture, step: int
) -> None:
    path, info = collection.folder / "collection.json", collection.info
    whole = path.read_bytes()
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        for length in range(0, len(whole.rstrip()), step):
            path.write_bytes(whole[:length])
            caplog.clear()
            opened = Library(collection.workspace.settings)
            assert opened.collections() == [info], length
            assert opened.damaged() == []
            assert any(r.name == "casetrack.repairs" for r in caplog.records), length
            assert facts(path.read_bytes()) == facts(whole)
    assert len(Library(collection.workspace.settings).get(NAME).documents()) == 3


def test_facts_of_a_collection_without_their_copy(collection: Collection) -> None:
    """The name is lost then, but no document is."""
    path, info = collection.folder / "collection.json", collection.info
    whole = path.read_bytes()
    for length in range(0, len(whole.rstrip()), 37):
        path.write_bytes(whole[:length])
        for copy in collection.folder.glob(".collection.json*"):
            copy.unlink()
        opened = Library(collection.workspace.settings)
        (found,) = opened.collections()
        assert (found.id, found.profile, found.dimension) == (info.id, info.profile, info.dimension)
        assert len(opened.get(found.id).documents()) == 3


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"\0" * 300, b"null", b"[]", b'{"id": 3}', b"\xff\xfe{"])
def test_facts_of_a_collection_that_are_none(collection: Collection, content: bytes) -> None:
    info = collection.info
    (collection.folder / "collection.json").write_bytes(content)
    assert Library(collection.workspace.settings).collections() == [info]


@steps
def test_watches_cut_off(
    collection: Collection, tmp_path: Path, caplog: pytest.LogCaptureFixture, step: int
) -> None:
    data_dir = collection.workspace.settings.data_dir
    folder = tmp_path / "letters"
    folder.mkdir()
    WatchList(data_dir).add(collection.info.id, folder)
    path = data_dir / "watches.json"
    whole, watches = path.read_bytes(), WatchList(data_dir).watches()
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        for length in range(0, len(whole.rstrip()), step):
            path.write_bytes(whole[:length])
            caplog.clear()
            assert WatchList(data_dir).watches() == watches, length
            assert any(r.name == "casetrack.repairs" for r in caplog.records), length
            for aside in data_dir.glob("watches.json.damaged*"):
                aside.unlink()
    assert path.read_bytes() == whole
