"""Search over shards equals that of one process, and reports the parts that it could not search."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import ShardsUnreachable
from casetrack.base.metrics import UNSEARCHED
from casetrack.cluster.search.coordinator import Coordinator, shared
from casetrack.cluster.search.shard import Part, Query, Shard
from casetrack.search.scores import LOCAL
from casetrack.store.index.scope import CandidateLists, Question, Scope, scope_of, scope_of_rows
from casetrack.store.index.stored_segments import index_home
from cluster.in_process import InProcess
from store.index.made import DIMENSION, WORDS, index_of, rows_of, saved, topics

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchMode, SearchResults
    from casetrack.store.index.index import Index

SIZES = (400, 150, 260, 40, 90)
DEAD = frozenset({"001-00003", "001-00010", "003-00000"})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("collections")


@pytest.fixture(scope="module")
def index(home: Path) -> Index:
    folder = home / "one" / "views" / "index"
    return index_of(
        *(saved(rows_of(size, n), folder / f"part-{n}") for n, size in enumerate(SIZES)), dead=DEAD
    )


def over(home: Path, shards: int, aggregators: int = 0) -> CandidateLists:
    state = SimpleNamespace(workspace=SimpleNamespace(folder=home / "one"))
    return Coordinator(InProcess(home, shards, aggregators)).lists(state)  # type: ignore[arg-type]


def scopes(index: Index) -> Iterator[tuple[str, Scope]]:
    documents = [d for part in index.segments for d in part.documents if d]
    yield "all", scope_of(index)
    yield "one document", scope_of(index, documents[7:8])
    yield "a few of one segment", scope_of(index, documents[:3])
    yield "half", scope_of(index, documents[::2])
    yield "none", scope_of(index, ())
    rng = np.random.default_rng(5)
    rows = [
        (rng.random(part.data.size) < 0.3) & (True if part.mask is None else part.mask)
        for part in index.segments
    ]
    yield "any rows", scope_of_rows(index, rows)


def told(lists: CandidateLists, scope: Scope, question: Question, depth: int) -> list[tuple]:
    return [
        (name, scope.index.chunk_ids(places), scores.tobytes())
        for name, places, scores in lists.top(scope, question, depth)
    ]


@pytest.mark.slow
@settings(max_examples=60)
@given(
    terms=st.dictionaries(
        st.sampled_from([*WORDS[:6], *WORDS[150:], "nowhere"]),
        st.sampled_from([1.0, 2.5]),
        max_size=5,
    ),
    seed=st.integers(0, 50),
    depth=st.sampled_from([1, 7, 60, 2000]),
    shards=st.integers(1, 7),
    aggregators=st.integers(0, 4),
    which=st.integers(0, 5),
)
def test_the_lists_are_those_of_one_process(
    home: Path,
    index: Index,
    terms: dict[str, float],
    seed: int,
    depth: int,
    shards: int,
    aggregators: int,
    which: int,
) -> None:
    sparse = np.array([3, 40, 77, 120], np.int32), np.array([1.5, 0.3, 0.9, 2.0], np.float32)
    question = Question(terms, topics(1, seed, DIMENSION)[0], sparse)
    _, scope = list(scopes(index))[which]
    expected = told(LOCAL, scope, question, depth)
    assert told(over(home, shards, aggregators), scope, question, depth) == expected


def test_words_weigh_what_they_weigh_elsewhere(home: Path, index: Index) -> None:
    documents = [d for part in index.segments for d in part.documents if d]
    scope = replace(scope_of(index), weighed_as=scope_of(index, documents[:4]))
    question = Question({WORDS[2]: 1.0, WORDS[160]: 1.0})
    assert told(over(home, 3), scope, question, 30) == told(LOCAL, scope, question, 30)


@given(
    sizes=st.dictionaries(
        st.text("abcdef", min_size=3, max_size=6), st.integers(1, 70_000), max_size=40
    ),
    shards=st.integers(1, 9),
)
def test_segments_are_shared_evenly_and_by_all_alike(sizes: dict[str, int], shards: int) -> None:
    result = shared(sizes, shards)
    assert result.keys() == sizes.keys()
    assert result == shared(dict(reversed(sizes.items())), shards)
    loads = [sum(sizes[n] for n in sizes if result[n] == shard) for shard in range(shards)]
    assert max(loads) <= 1.1 * sum(loads) / shards + max(sizes.values(), default=0)


def test_a_new_segment_moves_few_of_the_others() -> None:
    sizes = dict.fromkeys((f"segment-{n}" for n in range(64)), 60_000)
    before, after = shared(sizes, 8), shared({**sizes, "new": 4_000}, 8)
    assert sum(before[name] != after[name] for name in sizes) <= 8


@pytest.mark.parametrize("rows", [None, slice(3, 9), np.arange(21) % 3 == 0])
def test_rows_arrive_as_they_were(rows: slice | np.ndarray | None) -> None:
    result = Part.of("a", 21, rows, is_filtered=True).unpacked()
    assert np.array_equal(result, rows) if isinstance(rows, np.ndarray) else result == rows


# --- over a collection ---------------------------------------------------------------------------

QUESTIONS = (
    "Who may terminate the agreement for convenience?",
    "rent",
    "invoice INV-2024-001 payment terms",
    "What is the penalty for late delivery in 2024?",
    "HCS-99999",
)


@pytest.fixture(params=[0, 2], ids=["without aggregators", "with aggregators"])
def shards(data_dir: Path, request: pytest.FixtureRequest) -> InProcess:
    return InProcess(data_dir / "collections", 4, request.param)


@pytest.fixture
def front(data_dir: Path, models_dir: Path, shards: InProcess) -> Collection:
    chosen = replace(load_settings(data_dir), models_dir=models_dir)
    return Library(chosen, searched_by=Coordinator(shards).lists).get("Demo")


@pytest.fixture
def alone(data_dir: Path, models_dir: Path) -> Collection:
    return Library(replace(load_settings(data_dir), models_dir=models_dir)).get("Demo")


def seen(result: SearchResults) -> tuple:
    """Return all of a search but its times."""
    each = [(r.chunk_id, r.score, r.signals, r.also, r.relevance, r.text) for r in result]
    return result.notes, result.evidence, result.searched_chunks, result.stages_used, each


@pytest.mark.parametrize("mode", ["keyword", "full"])
def test_answers_are_those_of_one_process(
    front: Collection, alone: Collection, shards: InProcess, mode: SearchMode
) -> None:
    some = [d.name for d in alone.documents()[::3]]
    for question, inside in (*((each, None) for each in QUESTIONS), (QUESTIONS[0], some)):
        result, whole = (c.search(question, mode=mode, documents=inside) for c in (front, alone))
        assert seen(result) == seen(whole)
    assert shards.asked


def test_a_shard_that_is_down_is_named_and_the_others_answer(
    front: Collection, alone: Collection, shards: InProcess
) -> None:
    down, before = shards.aggregators[1:] or shards.names[1:2], UNSEARCHED.lines()
    shards.silent.update(dict.fromkeys(down, "ran out of memory"))
    result, whole = front.search("payment", mode="keyword"), alone.search("payment", mode="keyword")
    missing = whole.searched_chunks - result.searched_chunks
    (note,) = (n for n in result.notes if n not in whole.notes)
    assert 0 < missing < whole.searched_chunks
    assert note.startswith(f"{missing:,} of {whole.searched_chunks:,} passages (in ")
    numbers = {"2", "4"} if shards.aggregators else {"2"}
    assert set(re.findall("shard (.) of 4", note)) == numbers
    grown = "".join(line for line in UNSEARCHED.lines() if line not in before)
    assert set(re.findall('shard="(.)"', grown)) == numbers
    # Results have the weights of the whole collection.
    scores = {r.chunk_id: r.score for r in alone.search("payment", mode="keyword", limit=100)}
    assert all(scores[r.chunk_id] == r.score for r in result)
    assert result.results
    # Without any shard there is no answer.
    shards.silent.update(dict.fromkeys(shards.names, "ran out of memory"))
    with pytest.raises(ShardsUnreachable) as caught:
        front.search("payment")
    assert "ran out of memory" in caught.value.message
    assert "are restarted" in caught.value.hint


def test_what_a_shard_cannot_read_is_searched_by_who_asks(
    data_dir: Path, models_dir: Path, alone: Collection, tmp_path: Path
) -> None:
    lacking = InProcess(tmp_path / "another data folder", 3)
    chosen = replace(load_settings(data_dir), models_dir=models_dir)
    front = Library(chosen, searched_by=Coordinator(lacking).lists).get("Demo")
    assert seen(front.search("payment")) == seen(alone.search("payment"))


@pytest.mark.slow
def test_segments_of_a_collection_in_object_storage_are_copied_from_there(
    library: Library, tmp_path: Path
) -> None:
    made = library.create("Far", at=f"file://{tmp_path}/bucket/far")
    (tmp_path / "lease.txt").write_text("The tenant pays the rent monthly.", encoding="utf-8")
    made.ingest([tmp_path / "lease.txt"])
    machine = InProcess(tmp_path / "another machine" / "collections", 2)
    machine.collections.mkdir(parents=True)
    front = Library(library.settings, searched_by=Coordinator(machine).lists).get("Far")
    assert seen(front.search("rent")) == seen(made.search("rent"))
    copied = index_home(machine.collections / made.info.id)
    assert [path.name for path in copied.glob("*/terms.arrow")] == ["terms.arrow"]


@pytest.mark.parametrize("name", ["..", "a/b", "", "a\\b"])
def test_a_shard_reads_nothing_next_to_the_collections(shards: InProcess, name: str) -> None:
    part = Part.of(name, 3, None, is_filtered=False)
    message = Shard(shards.collections).top(
        Query("one", (part,), 3, {}, None, None, 3, 1.0, 3, None)
    )
    assert repr(name) in message.lacking[0]
