"""How documents belong together, over made-up collections with what a reader would note of them."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from casetrack.config import load_settings
from casetrack.library import Library
from graph.belonging import contracts, contracts_flat, contracts_more, letters, mails, papers
from graph.belonging.measure import Found, clauses, stated, write

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from casetrack.collection import Collection

SETS: dict[str, ModuleType] = {
    "contracts": contracts,
    "more contracts": contracts_more,
    "contracts without lines": contracts_flat,
    "letters": letters,
    "mails": mails,
    "papers": papers,
}
LEAST_RECALL, LEAST_PRECISION = 0.9, 0.97


class Taken:
    """The made-up collections, each taken in when it is first asked for."""

    def __init__(self, folder: Path, models: Path) -> None:
        self._folder = folder
        self._library = Library(replace(load_settings(folder / "data"), models_dir=models))
        self._known: dict[str, tuple[Collection, Path]] = {}

    def get(self, name: str) -> tuple[Collection, Path]:
        if name not in self._known:
            folder = write(SETS[name].FILES, self._folder / name)
            collection = self._library.create(name)
            collection.ingest([folder])
            self._known[name] = collection, folder
        return self._known[name]


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Taken:
    return Taken(tmp_path_factory.mktemp("belonging"), models_dir)


@pytest.mark.parametrize("name", SETS)
def test_relations_are_found_and_none_that_is_not_there(taken: Taken, name: str) -> None:
    made = SETS[name]
    found = stated(*taken.get(name), made.TYPES)
    score = Found(frozenset(made.EDGES), frozenset(found))
    assert score.recall >= LEAST_RECALL, str(score)
    assert score.precision >= LEAST_PRECISION, str(score)


def test_clauses_have_the_document_that_they_stand_in(taken: Taken) -> None:
    score = Found(frozenset(letters.CLAUSES), frozenset(clauses(*taken.get("letters"))))
    assert score.recall >= LEAST_RECALL, str(score)
    assert score.precision >= LEAST_PRECISION, str(score)


def test_an_edge_shows_its_words_and_says_what_it_rests_on(taken: Taken) -> None:
    collection, _ = taken.get("contracts")
    graph = collection.workspace.state().graph
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


def test_the_user_reads_which_amendment_it_is_and_why(taken: Taken) -> None:
    collection, _ = taken.get("contracts")
    found = collection.map.related_documents("storage.txt", relation="amends")
    said = {r.document.name: r.relations[0].description for r in found}
    assert said.keys() == {"first change.txt", "IMG_0231.txt"}
    assert said["IMG_0231.txt"].startswith("storage.txt is amended by it as no. 2 (by ")
    assert all(r.relations[0].quotes for r in found)


def test_the_summary_says_how_many_mails_are_copies(taken: Taken) -> None:
    collection, _ = taken.get("mails")
    notes = collection.map.summary().statistics.notes
    assert any(note == "2 mails are copies of others and count once." for note in notes)


@pytest.mark.parametrize("seed", range(2))
def test_the_order_in_which_documents_come_is_no_matter(
    tmp_path: Path, models_dir: Path, seed: int
) -> None:
    files = {**mails.FILES, **papers.FILES}
    folder = write(files, tmp_path / "in")
    library = Library(replace(load_settings(tmp_path / "data"), models_dir=models_dir))
    collection = library.create("x")
    paths = sorted(files)
    random.Random(seed).shuffle(paths)
    types = {*mails.TYPES, *papers.TYPES}
    cut = len(paths) // 2
    collection.ingest([folder / p for p in paths[:cut]])
    stated(collection, folder, types)
    collection.ingest([folder / p for p in paths[cut:]])
    kept_up = stated(collection, folder, types)
    assert kept_up == set(mails.EDGES) | set(papers.EDGES)
    shutil.rmtree(collection.folder / "views")
    assert stated(library.get("x"), folder, types) == kept_up
