"""Keyword recall skips documents that cannot win and returns exactly the best with scores."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from casetrack.search.scores import lexical_at, lexical_top
from casetrack.store.index import postings
from casetrack.store.index.scope import scope_of
from store.index.made import WORDS, index_of, rows_of, saved

QUERIES = {
    "one frequent": [WORDS[0]],
    "one rare": [WORDS[199]],
    "frequent ones": WORDS[:4],
    "rare to frequent": [WORDS[n] for n in (150, 60, 20, 5, 1, 0)],
    "repeated": [WORDS[3], WORDS[90], WORDS[3]],
    "half unknown": ["nowhere", WORDS[40]],
    "unknown": ["nowhere"],
    "nothing": [],
}


@pytest.fixture(scope="module")
def tables():
    return [rows_of(1000, 1), rows_of(300, 2), rows_of(40, 3)]


@pytest.fixture(scope="module")
def index(tables, tmp_path_factory):
    home = tmp_path_factory.mktemp("index")
    parts = [saved(table, home / str(n)) for n, table in enumerate(tables)]
    return index_of(*parts, dead=frozenset({"001-00003", "001-00030", "002-00000"}))


@pytest.fixture(scope="module")
def rows(tables, index) -> list[dict]:
    """Return the live rows with the columns that count."""
    columns = ["chunk_id", "revision", "terms", "term_counts", "term_total"]
    live = {d for part in index.segments for d in part.documents if d}
    return [r for t in tables for r in t.select(columns).to_pylist() if r["revision"] in live]


def by_definition(rows, query) -> dict[str, float]:
    """Return BM25 by chunk id, from the rows themselves."""
    average = sum(r["term_total"] for r in rows) / len(rows)
    counts = [dict(zip(r["terms"], r["term_counts"], strict=True)) for r in rows]
    by_name: Counter[str] = Counter()
    for term in query:
        frequency = sum(term in c for c in counts)
        idf = math.log(1 + (len(rows) - frequency + 0.5) / (frequency + 0.5))
        for row, count in zip(rows, counts, strict=True):
            if tf := count.get(term, 0):
                norm = 1.2 * (0.25 + 0.75 * row["term_total"] / average)
                by_name[row["chunk_id"]] += idf * 2.2 * tf / (tf + norm)
    return by_name


@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", [8192, 16], ids=["read at once", "skipping"])
@pytest.mark.parametrize("depth", [1, 100, 5000])
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_the_best_are_those_of_the_definition(index, rows, query, depth, step, monkeypatch):
    monkeypatch.setattr(postings, "_FIRST_STEP", step)
    expected = by_definition(rows, query)
    places, scores = lexical_top(scope_of(index), Counter(query), depth)
    ids = index.chunk_ids(places)
    assert len(ids) == min(depth, len(expected)) == len(set(ids))
    assert scores.tolist() == pytest.approx([expected[i] for i in ids], rel=1e-5)
    wanted = sorted(expected.values(), reverse=True)[:depth]
    assert scores.tolist() == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_every_way_to_a_score_gives_the_same_bits(index, query, monkeypatch):
    monkeypatch.setattr(postings, "_FIRST_STEP", 16)
    query = Counter(query)
    every = [(n, row) for n, part in enumerate(index.segments) for row in range(part.data.size)]
    everything = dict(zip(every, lexical_at(scope_of(index), query, every), strict=True))
    places, scores = lexical_top(scope_of(index), query, 200)
    assert scores.tolist() == [everything[place] for place in places]
    assert lexical_at(scope_of(index), query, places[::-1]).tolist() == scores[::-1].tolist()


@pytest.mark.parametrize("step", [8192, 16], ids=["read at once", "skipping"])
@pytest.mark.parametrize(
    "documents",
    [("001-00005",), ("003-00001",), ("001-00005", "001-00006", "002-00003"), ("003-00000", "x")],
    ids=["long", "short", "several", "one unknown"],
)
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_words_are_as_rare_as_in_the_documents_searched(
    index, rows, query, documents, step, monkeypatch
):
    monkeypatch.setattr(postings, "_FIRST_STEP", step)
    inside = [r for r in rows if r["revision"] in documents]
    expected = by_definition(inside, query)
    scope = scope_of(index, documents)
    assert scope.chunk_count == len(inside)
    places, scores = lexical_top(scope, Counter(query), 7)
    ids = index.chunk_ids(places)
    assert len(ids) == min(7, len(expected))
    assert scores.tolist() == pytest.approx([expected[i] for i in ids], rel=1e-5)
    assert scores.tolist() == pytest.approx(sorted(expected.values(), reverse=True)[:7], rel=1e-5)
    assert lexical_at(scope, Counter(query), places).tolist() == scores.tolist()


@pytest.mark.parametrize("gone", ["001-00003", "never"])
def test_a_document_that_is_gone_holds_nothing(index, gone):
    assert lexical_top(scope_of(index, (gone,)), Counter(WORDS), 7)[0] == []


def test_equal_scores_come_in_order_of_document_and_position(tmp_path):
    one = rows_of(30, 5)
    same = {"terms": [["x", "y"]] * 30, "term_counts": [[1, 2]] * 30, "term_total": [3] * 30}
    for name, values in same.items():
        place = one.schema.get_field_index(name)
        one = one.set_column(place, name, [values]).cast(one.schema)
    parts = [saved(one, tmp_path / "a"), saved(rows_of(80, 6), tmp_path / "b")]
    index = index_of(*parts)
    by_name = lexical_top(scope_of(index), Counter("xy"), 10)[0]
    assert index.chunk_ids(by_name) == one["chunk_id"].to_pylist()[:10]
