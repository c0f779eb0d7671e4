"""Vector recall: int8 against float32, exact under a filter, approximate only through cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.search.scores import cosine_at, dense_top
from casetrack.store.index import postings
from casetrack.store.index.arrays import save_arrays
from casetrack.store.index.cells_build import make_cells
from casetrack.store.index.postings import Asked, quantize
from store.index.made import DIMENSION, index_of, rows_of, saved, topics

SIZES = (3000, 1500, 200)
QUERIES = topics(25, 77)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Three segments; the two large ones have cells."""
    home = tmp_path_factory.mktemp("index")
    made = [saved(rows_of(n, s), home / str(s)) for s, n in enumerate(SIZES, start=1)]
    for part in made[:2]:
        cells = make_cells(part)
        save_arrays(
            part.folder / postings.FILE,
            {name: getattr(cells, name) for name in postings.Cells.__dataclass_fields__},
        )
    return made


def vectors(part) -> np.ndarray:
    return topics(part.size, int(part.revisions[0][:3]))


def every_cosine(index, query) -> list[np.ndarray]:
    """Return the cosine of every chunk, by segment."""
    sizes = [part.data.size for part in index.segments]
    return [cosine_at(index, query, [(n, r) for r in range(s)]) for n, s in enumerate(sizes)]


def best(index, query, depth, keep=None) -> list[str]:
    """Return the chunk ids of the best by float32 arithmetic over the stored vectors."""
    collected = []
    for number, part in enumerate(index.segments):
        scores = vectors(part.data) @ query
        ids = part.data.rows["chunk_id"].to_pylist()
        alive = np.ones(len(ids), bool) if part.mask is None else part.mask
        rows = np.flatnonzero(alive if keep is None else alive & keep(number))
        collected += [(-scores[row], ids[row]) for row in rows]
    return [chunk_id for _, chunk_id in sorted(collected)[:depth]]


@given(
    seed=st.integers(0, 2**32 - 1), width=st.sampled_from([1, 7, 384, 1536]), peaked=st.booleans()
)
@settings(max_examples=40, deadline=None)
def test_a_rough_cosine_is_never_further_off_than_is_stated(seed, width, peaked):
    """Also of a question whose largest value leaves few steps to all others."""
    random = np.random.default_rng(seed)
    drawn = random.standard_normal((30, width)).astype(np.float32)
    if peaked:
        drawn[:, 0] *= 1000
    drawn[:3] = 0.0
    rows = drawn / np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 1e-9)
    codes, scales = quantize(rows)
    asked = Asked.of(rows[random.integers(0, 30)])
    rough, cosines = asked.roughly(codes, scales), asked.cosines(codes, scales)
    assert np.abs(rough - cosines).max() <= asked.error
    assert len(asked.roughly(codes[:0], scales[:0])) == 0


@pytest.mark.slow
def test_cosines_are_those_of_the_stored_vectors(parts):
    index = index_of(*parts)
    for query in QUERIES[:3]:
        for part, scores in zip(index.segments, every_cosine(index, query), strict=True):
            expected = vectors(part.data) @ query
            assert np.abs(scores - expected).max() < 0.005
        places = [(2, 5), (0, 7), (2, 5), (1, 1499)]
        expected = [float(vectors(parts[n])[row] @ query) for n, row in places]
        assert cosine_at(index, query, places).tolist() == pytest.approx(expected, abs=0.005)


def test_recall_of_cells(parts):
    index = index_of(*parts)
    recall = []
    for query in QUERIES:
        exact, _ = dense_top(index, query, 20, approximate=False)
        near, scores = dense_top(index, query, 20)
        recall.append(len(set(near) & set(exact)) / 20)
        assert scores.tolist() == cosine_at(index, query, near).tolist()
        assert scores.tolist() == sorted(scores.tolist(), reverse=True)
    assert np.mean(recall) >= 0.95


def test_a_filter_is_exact_though_there_are_cells(parts):
    index = index_of(*parts)
    for query in QUERIES[:5]:
        for document in ("001-00100", "002-00007", "003-00000"):
            places, _ = dense_top(index, query, 25, index.rows((document,)))
            number, revision = int(document[2]) - 1, document
            span = index.segments[number].span_of(revision)
            assert {n for n, _ in places} == {number}
            assert sorted(row for _, row in places) == list(range(span.start, span.stop))
        masks = [np.arange(n) % 7 == 2 for n in SIZES]
        places, scores = dense_top(index, query, 30, masks)
        everything = every_cosine(index, query)
        wanted = np.concatenate([s[m] for s, m in zip(everything, masks, strict=True)])
        assert all(row % 7 == 2 for _, row in places)
        assert scores.tolist() == pytest.approx(np.sort(wanted)[::-1][:30].tolist(), abs=1e-6)


def test_dead_rows_are_never_found(parts):
    dead = frozenset(r for p in parts for r in p.revisions[::2])
    index = index_of(*parts, dead=dead)
    for query in QUERIES[:5]:
        for approximate in (True, False):
            places, _ = dense_top(index, query, 50, approximate=approximate)
            assert len(places) == 50
            assert all(index.segments[n].mask[row] for n, row in places)


def test_vectors_of_other_models_do_not_count(tmp_path):
    ours = saved(rows_of(50, 1, embedder="new"), tmp_path / "a")
    theirs = saved(rows_of(60, 2, embedder="old"), tmp_path / "b")
    index = index_of(ours, theirs, fingerprint="new")
    assert (index.chunk_count, index.embedded_count) == (110, 50)
    places, _ = dense_top(index, QUERIES[0], 100)
    assert {n for n, _ in places} == {0}
    assert len(places) == 50
    assert cosine_at(index, QUERIES[0], [(1, 3)]).tolist() == [0.0]


def test_rows_without_a_vector_are_not_found(tmp_path):
    table = rows_of(60, 1, vectors=np.where(np.arange(60)[:, None] % 3, topics(60, 1), 0))
    index = index_of(saved(table, tmp_path / "a"))
    places, _ = dense_top(index, QUERIES[0], 100)
    assert index.embedded_count == len(places) == 40
    assert all(row % 3 for _, row in places)


def test_equal_vectors_come_in_order_of_document_and_position(tmp_path):
    one = np.repeat(topics(1, 3), 90, axis=0)
    first = saved(rows_of(61, 1, vectors=one[:61]), tmp_path / "a")
    second = saved(rows_of(29, 2, vectors=one[:29]), tmp_path / "b")
    index = index_of(first, second)
    result = dense_top(index, QUERIES[0], 90)[0]
    assert result == [*((0, row) for row in range(61)), *((1, row) for row in range(29))]


def test_a_query_of_another_length_is_refused(parts):
    with pytest.raises(ValueError, match=rf"\b5\b.*\b{DIMENSION}\b"):
        dense_top(index_of(*parts), np.ones(5, np.float32), 3)
