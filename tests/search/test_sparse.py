"""Learned sparse vectors: the dot product, whole and by its best."""

from __future__ import annotations

import numpy as np
import pytest

from casetrack.search.scores import sparse_at, sparse_top
from casetrack.store.index import postings
from store.index.made import index_of, rows_of, saved

RNG = np.random.default_rng(4)
QUERIES = {
    "one": ([7], [1.5]),
    "many": (range(0, 300, 9), RNG.uniform(0.1, 2.0, 34)),
    "unknown": ([100_000, 3], [9.0, 0.5]),
    "nothing": ([], []),
}


@pytest.fixture(scope="module")
def tables():
    return [rows_of(400, 1), rows_of(130, 2), rows_of(20, 3, sparse=False)]


@pytest.fixture(scope="module")
def index(tables, tmp_path_factory):
    home = tmp_path_factory.mktemp("index")
    return index_of(*(saved(table, home / str(n)) for n, table in enumerate(tables)))


def arrays(query) -> tuple[np.ndarray, np.ndarray]:
    return np.array(query[0], dtype=np.int32), np.array(query[1], dtype=np.float32)


def products(tables, terms, weights) -> dict[str, float]:
    query = dict(zip(terms.tolist(), weights.tolist(), strict=True))
    return {
        row["chunk_id"]: sum(
            query.get(term, 0.0) * weight
            for term, weight in zip(
                row.get("sparse_terms") or [], row.get("sparse_weights") or [], strict=True
            )
        )
        for table in tables
        for row in table.to_pylist()
    }


@pytest.mark.parametrize("step", [8192, 8], ids=["read at once", "skipping"])
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_the_best(index, tables, query, step, monkeypatch):
    monkeypatch.setattr(postings, "_FIRST_STEP", step)
    terms, weights = arrays(query)
    every = [(n, row) for n, part in enumerate(index.segments) for row in range(part.data.size)]
    everything = dict(zip(every, sparse_at(index, terms, weights, every).tolist(), strict=True))
    expected = products(tables, terms, weights)
    dots = [expected[i] for i in index.chunk_ids(every)]
    assert list(everything.values()) == pytest.approx(dots, rel=1e-3)
    places, scores = sparse_top(index, terms, weights, 25)
    wanted = np.sort(list(everything.values()))[::-1][:25]
    assert scores.tolist() == wanted[wanted > 0].tolist() == [everything[p] for p in places]


def test_a_table_without_sparse_columns_has_none(index, tmp_path):
    assert index.has_sparse
    alone = index_of(saved(rows_of(10, 9, sparse=False), tmp_path / "s"))
    assert not alone.has_sparse
    assert sparse_top(alone, *arrays(QUERIES["one"]), 5)[0] == []
