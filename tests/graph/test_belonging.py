"""Relations between documents of invented collections, compared with the notes of a reader."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.api.collection import Collection
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.graph.opened import graph_of
from graph.belonging import contracts, contracts_flat, contracts_more, letters, mails, papers
from graph.belonging.measure import Found, clauses, stated, write

if TYPE_CHECKING:
    from types import ModuleType

SETS: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module
    for module in (contracts, contracts_more, contracts_flat, letters, mails, papers)
}
LEAST_RECALL, LEAST_PRECISION = 0.9, 0.97


Taken = Callable[[str], tuple[Collection, Path]]


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Taken:
    """Return a function that takes a made-up collection in when it is first asked for."""
    base = tmp_path_factory.mktemp("belonging")
    library = Library(replace(load_settings(base / "data"), models_dir=models_dir))

    @functools.cache
    def take(name: str) -> tuple[Collection, Path]:
        folder = write(SETS[name].FILES, base / name)
        collection = library.create(name)
        collection.ingest([folder])
        return collection, folder

    return take


@pytest.mark.parametrize("name", SETS)
def test_relations_are_found_and_none_that_is_not_there(taken: Taken, name: str) -> None:
    made = SETS[name]
    result = stated(*taken(name), made.TYPES)
    score = Found(frozenset(made.EDGES), frozenset(result))
    assert score.recall >= LEAST_RECALL, str(score)
    assert score.precision >= LEAST_PRECISION, str(score)


def test_clauses_have_the_document_that_they_stand_in(taken: Taken) -> None:
    score = Found(frozenset(letters.CLAUSES), frozenset(clauses(*taken("letters"))))
    assert score.recall >= LEAST_RECALL, str(score)
    assert score.precision >= LEAST_PRECISION, str(score)


def test_an_edge_shows_its_words_and_says_what_it_rests_on(taken: Taken) -> None:
    collection, _ = taken("contracts")
    graph = graph_of(collection.workspace.state())
    names = {d.document_id: d.name for d in graph.documents}
    rows = {
        (names[r["source_id"]], names[r["target_id"]]): r
        for r in graph.edges("document").to_pylist()
        if r["type"] == "amends"
    }
    row = rows["first change.txt", "storage.txt"]
    assert row["words"] == "Cold Storage Agreement"
    assert {"title", "date", "parties"} <= set(row["basis"])
    assert row["position"] == 1
    for row in rows.values():
        text = graph.chunks(row["evidence"][:1])[0].text
        assert row["words"] is None or row["words"] == text[row["words_start"] : row["words_end"]]
    assert rows["IMG_0231.txt", "storage.txt"]["position"] == 2
