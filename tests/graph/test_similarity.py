"""The nearest chunks are exact, both after a build and after an update."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.graph.passages import Vectors
from casetrack.graph.relations import neighbours as similarity
from casetrack.graph.relations.neighbours import Nearest, Rows, build, load, nearest, save, update

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.graph.relations.neighbours import Neighbours

FIELDS = ("before", "keys", "near", "cosines")


def vectors_of(documents: list[list[tuple[str, int]]], dimension: int = 6) -> Vectors:
    """Documents as lists of (id of a chunk, number that its vector comes from; 0 for none)."""
    ids = tuple(chunk for document in documents for chunk, _ in document)
    owners = [i for i, document in enumerate(documents) for _ in document]
    seeds = [seed for document in documents for _, seed in document]
    codes = np.zeros((len(ids), dimension), np.int8)
    for row, seed in enumerate(seeds):
        # Few directions with small changes: many are alike, and some are equal.
        base = np.random.default_rng(seed % 3).integers(-100, 101, dimension)
        codes[row] = base + np.random.default_rng(seed).integers(-20, 21, dimension)
    scales = np.where(np.array(seeds, np.int64) != 0, 0.01, 0.0).astype(np.float32)
    return Vectors(ids, np.array(owners, np.int32), codes, scales)


def plain_neighbours(vectors: Vectors) -> dict[str, list[tuple[str, float]]]:
    """By the definition, one pair at a time, in whole numbers."""
    rows = [[int(v) for v in row] for row in vectors.codes]
    by_name = {}
    for i, chunk in enumerate(vectors.ids):
        near = []
        for j, other in enumerate(vectors.ids):
            beside = vectors.documents[i] == vectors.documents[j] and abs(i - j) <= 1
            if beside or not vectors.scales[i] or not vectors.scales[j]:
                continue
            product = sum(a * b for a, b in zip(rows[i], rows[j], strict=True))
            squares = sum(a * a for a in rows[i]) * sum(b * b for b in rows[j])
            cosine = product / np.sqrt(float(squares)) if squares else 0.0
            if cosine >= 0.8:
                near.append((other, float(cosine)))
        by_name[chunk] = sorted(near, key=lambda n: -n[1])[:10]
    return by_name


def as_lists(result: Neighbours) -> dict[str, list[tuple[str, float]]]:
    return {
        chunk: [
            (result.ids[j], float(cosine))
            for j, cosine in zip(result.near[i], result.cosines[i], strict=True)
            if j >= 0
        ]
        for i, chunk in enumerate(result.ids)
    }


def assert_equal(one: Neighbours, other: Neighbours) -> None:
    assert one.ids == other.ids
    for name in FIELDS:
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes(), name


@st.composite
def states(draw: st.DrawFn) -> tuple[Vectors, Vectors]:
    """Two states of a collection: chunks come, go, move, and get other vectors."""
    names = draw(st.permutations([f"c{i:02}" for i in range(40)]))
    made = []
    for _ in range(2):
        n = draw(st.integers(0, 40))
        kept = draw(st.permutations(names)) if draw(st.booleans()) else names
        seeds = draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))
        if made:
            # Most keep the vector that they had.
            was = dict(made[0])
            change = draw(st.lists(st.booleans(), min_size=n, max_size=n))
            seeds = [
                was.get(c, s) if not other else s
                for c, s, other in zip(kept, seeds, change, strict=False)
            ]
        made.append(list(zip(kept, seeds, strict=False)))
    size = draw(st.integers(1, 9))
    first, second = ([m[i : i + size] for i in range(0, len(m), size)] for m in made)
    return vectors_of(first), vectors_of(second)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(states())
def test_an_update_equals_a_new_build(pair: tuple[Vectors, Vectors]) -> None:
    before, now = pair
    assert_equal(update(build(before), now), build(now))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(states())
def test_a_build_finds_what_the_definition_says(pair: tuple[Vectors, Vectors]) -> None:
    assert as_lists(build(pair[0])) == plain_neighbours(pair[0])


def test_blocks_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = [(f"c{i:03}", 1 + i % 50) for i in range(300)]
    vectors = vectors_of([chunks[i : i + 7] for i in range(0, 300, 7)], dimension=384)
    whole = build(vectors)
    monkeypatch.setattr("casetrack.graph.relations.neighbours._BLOCK", 32)
    assert_equal(build(vectors), whole)
    assert_equal(update(build(vectors_of([chunks[:200]], 384)), vectors), whole)


def test_a_change_of_the_order_of_documents_is_built_again() -> None:
    documents = [[(f"d{d}c{i}", 1 + (d * 5 + i) % 11) for i in range(5)] for d in range(8)]
    other = vectors_of(documents[::-1])
    assert_equal(update(build(vectors_of(documents)), other), build(other))


def test_ties_go_to_the_earlier_chunk_and_lists_hold_ten() -> None:
    same = [[(f"c{i:02}", 5)] for i in range(14)]
    result = as_lists(build(vectors_of(same)))
    assert result["c00"] == [(f"c{i:02}", 1.0) for i in range(1, 11)]
    assert result["c13"] == [(f"c{i:02}", 1.0) for i in range(10)]


def test_chunks_next_to_each_other_are_no_neighbours() -> None:
    result = as_lists(build(vectors_of([[("a", 5), ("b", 5), ("c", 5)], [("d", 5)]])))
    assert [other for other, _ in result["a"]] == ["c", "d"]
    assert [other for other, _ in result["b"]] == ["d"]


def test_long_vectors_are_exact_too() -> None:
    # 2,000 products of 127 by 127 are more than float32 holds exactly.
    codes = np.full((3, 2001), 127, np.int8)
    codes[1, 0] = 126
    codes[2] = -127
    rows = Rows.of(codes)
    result = Nearest(rows, k=2, floor=0.5)
    result.compare_all(np.arange(3))
    product = 127 * 127 * 2000 + 127 * 126
    squares = 127 * 127 * 2001 * (127 * 127 * 2000 + 126 * 126)
    assert result.cosines[0].tolist() == [product / np.sqrt(float(squares)), -1.0]


def test_neighbours_survive_a_file_and_another_rule_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = build(vectors_of([[("a", 5), ("b", 5), ("c", 5)], [("d", 5)]]))
    path = tmp_path / "neighbours.bin"
    save(path, result)
    assert_equal(load(path), result)
    monkeypatch.setattr(similarity, "FLOOR", 0.7)
    with pytest.raises(ValueError, match=path.name):
        load(path)


def test_nothing_is_a_collection_too(tmp_path: Path) -> None:
    empty = build(vectors_of([]))
    assert empty.ids == ()
    save(tmp_path / "n", empty)
    vectors = vectors_of([[("a", 5)], [("b", 5)]])
    assert_equal(update(load(tmp_path / "n"), vectors), build(vectors))
    assert_equal(update(build(vectors), vectors_of([])), empty)


def test_too_many_chunks_keep_no_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = vectors_of([[("a", 5)], [("b", 5)]])
    known = build(vectors)
    monkeypatch.setattr(similarity, "MAX_CHUNKS", 1)
    assert build(vectors).ids == ()
    assert update(known, vectors).ids == ()
    assert nearest(vectors, "a") == [("b", 1.0)]


@settings(max_examples=25, deadline=None)
@given(states())
def test_one_chunk_asked_for_has_the_neighbours_of_the_build(pair: tuple[Vectors, Vectors]) -> None:
    vectors = pair[0]
    for chunk, expected in as_lists(build(vectors)).items():
        assert nearest(vectors, chunk) == expected


def test_one_chunk_asked_for_can_leave_out_its_document() -> None:
    vectors = vectors_of([[("a", 5), ("b", 5), ("c", 5)], [("d", 5)], [("e", 4)]])
    assert [i for i, _ in nearest(vectors, "a", exclude_document=True, floor=0.99)] == ["d"]
    assert [i for i, _ in nearest(vectors, "a", floor=0.99, k=1)] == ["c"]
    with pytest.raises(ValueError, match="not in"):
        nearest(vectors, "z")
