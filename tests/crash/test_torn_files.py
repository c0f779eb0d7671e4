"""Small files cut off at every length: the next start restores and reports them."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.store.session import write_session
from tests.crash.world import NAME, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

steps = pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.slow)])


@pytest.fixture
def collection(library: Library, store_text: Callable[..., Document]) -> Collection:
    """Return a collection of three documents."""
    result = library.create(NAME, description="what it is about", tags=("a", "b"))
    with write_session(result.folder) as session:
        for number in range(3):
            store_text(session, f"{number}.txt", text_of(number))
    return result


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
