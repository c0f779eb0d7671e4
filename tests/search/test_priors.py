"""Priors: questions for a figure bring tables forward, those for a head the first passage."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from casetrack.api.collection import Collection

PAGES = {
    "prose.txt": "We talk of the harvest of barley at every meeting, as everybody in the village "
    "knows who ever came to one; there is coffee, somebody plays the accordion, and old people "
    "tell how it was when horses pulled the carts and the church clock was always late.",
    "letter.txt": "The harvest was late this time, and the weather was to blame for it.",
    "notes.txt": "Barley grows where nothing else does, say those who know the fields.",
    "table.txt": "Harvest, in tons | 2018 | 2017\nBarley | 1,250 | 1,100\nOats | 900 | 870\n"
    "Rye | 310 | 295\nWheat | 2,480 | 2,333\nMaize | 120 | 118\nSpelt | 42 | 40",
}


@pytest.fixture(scope="module")
def collection(stored: Callable[..., Collection]) -> Collection:
    return stored(PAGES, one_by_one=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("How much barley did the harvest bring?", True),
        ("How many tons of barley?", True),
        ("What was the total barley harvest?", True),
        ("Who talks of the harvest of barley?", False),
        ("harvest of barley", False),
    ],
)
def test_a_question_for_a_figure_brings_tables_forward(
    collection: Collection, question: str, asks: bool
) -> None:
    for result in collection.search(question):
        is_table = result.provenance.document_name == "table.txt"
        assert ("figures" in result.signals) == asks
        assert not asks or (result.signals["figures"].contribution > 0) == is_table


def test_prose_gets_nothing_and_a_table_all_of_it(collection: Collection) -> None:
    results = collection.search("How much barley did the harvest bring?")
    messages = {r.provenance.document_name: r.signals["figures"].score for r in results}
    assert messages.pop("table.txt") == 1.0
    assert set(messages.values()) == {0.0}
    assert all("test" not in r.signals for r in results)  # that is for programs


@pytest.fixture(scope="module")
def contract(stored: Callable[..., Collection]) -> Collection:
    passages = [
        "Sea Freight Charter\n\nMade on 4 May 2021. Between Aldous Lines Ltd and Port Brede Inc.",
        "The parties keep the name of the agreement and its date from the press.",
        "Notices go to the parties of this agreement by letter, on the date of the event.",
    ]
    text = "\n\n".join(p + " The ship of this agreement sails." * 40 for p in passages)
    return stored({"charter.txt": text})


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What is the name of the agreement?", True),
        ("Between which companies was the agreement made?", True),
        ("On what date was this agreement signed?", True),
        ("Where do notices of this agreement go?", False),
        ("May the press hear of the agreement?", False),
    ],
)
def test_a_question_about_the_head_brings_the_first_passage_forward(
    contract: Collection, question: str, asks: bool
) -> None:
    results = contract.search(question).results
    assert len(results) > 1
    assert all(("head" in r.signals) == asks for r in results)
    if asks:
        by_place = sorted(results, key=lambda r: r.provenance.char_start)
        messages = [r.signals["head"].score or 0.0 for r in by_place]
        assert messages[0] == 3.0
        assert all(after == before / 2 for before, after in pairwise(messages))
        assert by_place[0].signals["head"].contribution > 0.0


def ingested(home: Path, files: Mapping[str, str]) -> Collection:
    """Return a collection of files in folders."""
    for name, text in files.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    settings = replace(load_settings(home / "data"), models_dir=home / "no-models")
    collection = Library(settings).create("Case")
    collection.ingest([home / name for name in files])
    return collection


STATEMENTS = {
    "position.md": "# Statement of financial position\n\nConsolidated figures of the fiscal year.",
    "earnings.md": "# Statement of earnings\n\nConsolidated figures of the fiscal year.",
    "prose.md": "# Of our year\n\nConsolidated figures of the fiscal year, inventory and more.",
}


@pytest.fixture(scope="module")
def statements(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return ingested(tmp_path_factory.mktemp("year"), STATEMENTS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("question", "titled"),
    [
        ("What does the balance sheet say?", "position.md"),
        ("Which inventory turnover do the figures give?", None),
        ("What was net income?", "earnings.md"),
        ("Consolidated figures", ""),
    ],
)
def test_a_page_comes_forward_by_its_title(
    statements: Collection, question: str, titled: str | None
) -> None:
    results = statements.search(question, mode="keyword")
    messages = {
        r.provenance.document_name: s.score for r in results if (s := r.signals.get("title"))
    }
    if titled == "":
        assert not messages
        return
    both = {"position.md", "earnings.md"}
    assert {name for name, score in messages.items() if score} == ({titled} if titled else both)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    files = {
        "src/cache.py": "def flush(cache):\n    # empties the cache\n    cache.clear()\n",
        "tests/test_cache.py": "def test_flush():\n    # empties the cache\n    flush(cache)\n",
        "docs/test_notes.txt": "How one empties the cache, and when it is flushed.",
    }
    return ingested(tmp_path_factory.mktemp("program"), files)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("question", "asks_for_tests"),
    [("flush empties the cache", False), ("tests of flush, which empties the cache", True)],
)
def test_tests_of_programs_stand_back_unless_they_are_asked_for(
    program: Collection, question: str, asks_for_tests: bool
) -> None:
    results = program.search(question, fold=False)
    assert len(results.results) == 3
    for result in results:
        signal = result.signals.get("test")
        if asks_for_tests:
            assert signal is None
        else:
            assert signal is not None
            is_test = result.provenance.document_name == "test_cache.py"
            assert signal.score == (-1.0 if is_test else 0.0)


@pytest.mark.parametrize(
    ("question", "asks_how"),
    [
        ("How do I empty the cache?", True),
        ("Where can I flush the cache?", True),
        ("flush empties the cache twice", False),
        ("How flush empties the cache has changed", False),
        ("What empties the cache?", True),
        ("Why is the cache empty?", False),
    ],
)
def test_who_asks_how_to_do_something_is_shown_the_manual(
    program: Collection, question: str, asks_how: bool
) -> None:
    results = program.search(question, fold=False)
    assert len(results.results) == 3
    for result in results:
        is_manual = result.provenance.document_name == "test_notes.txt"
        messages = {name: s.score for name, s in result.signals.items() if name == "manual"}
        assert messages == ({"manual": 1.5 * is_manual} if asks_how else {})
