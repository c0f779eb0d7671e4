"""Walks over the edges in SQL."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

from casetrack.base import schema
from casetrack.store.sql.connection import sql_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Connection = duckdb.DuckDBPyConnection


def define(edges: Sequence[tuple[Any, ...]]) -> Connection:
    """A connection with the macros over edges given as source, target, type and weight."""
    rows = []
    for source, target, type_, weight in edges:
        ends = {"source_id": source, "source_kind": "entity", "target_id": target, "type": type_}
        ends |= {"target_kind": "document" if target.startswith("d") else "entity"}
        message = {"weight": weight, "count": 1, "evidence": [f"{source}-{target}"]}
        rows.append(ends | message | {"directed": type_ == "version"})
    connection = duckdb.connect(config={"threads": 2, "memory_limit": "1GB"})
    connection.register("_edges", pa.Table.from_pylist(rows, schema=schema.table("edges").arrow()))
    ids = sorted({end for edge in edges for end in edge[:2]})
    nodes = pa.table({"id": pa.array(ids, pa.string()), "place": range(len(ids))})
    connection.register("_nodes_1", nodes)
    connection.execute("CREATE TEMP VIEW edges AS SELECT * FROM _edges")
    connection.execute(sql_text("graph"))
    return connection


@pytest.fixture(scope="module")
def small() -> Iterator[Connection]:
    connection = define(
        [
            ("a", "b", "co_occurrence", 0.9),
            ("b", "c", "co_occurrence", 0.5),
            ("a", "x", "co_occurrence", 0.2),
            ("c", "x", "co_occurrence", 0.3),
            ("c", "d", "version", 1.0),
            ("a", "b", "semantic", 0.95),
            ("p", "q", "similar", 0.8),
            ("s", "s", "similar", 0.8),
        ]
    )
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("neighbours('a')", [("b", 1), ("x", 1)]),
        ("neighbours('a', depth := 2)", [("b", 1), ("x", 1), ("c", 2)]),
        ("neighbours('d', depth := 3)", [("c", 1), ("b", 2), ("x", 2), ("a", 3)]),
        ("neighbours('a', depth := 0)", []),
        ("neighbours('nobody', depth := 3)", []),
        ("neighbours('s')", []),
    ],
)
def test_neighbours(small: Connection, call: str, expected: list[tuple[str, int]]) -> None:
    assert small.sql(f"SELECT id, distance FROM {call}").fetchall() == expected


def test_neighbours_say_what_they_are(small: Connection) -> None:
    assert small.sql("SELECT kind FROM neighbours('c') WHERE id = 'd'").fetchall() == [
        ("document",)
    ]
    assert small.sql("SELECT kind FROM neighbours('d') WHERE id = 'c'").fetchall() == [("entity",)]


def test_a_path_is_short_strong_and_has_its_evidence(small: Connection) -> None:
    path = small.sql("FROM shortest_path('a', 'd')")
    assert path.columns[:5] == ["step", "from_id", "to_id", "type", "directed"]
    rows = path.fetchall()
    # Over b, since 0.5 at the last step before c is more than 0.3; semantic is the stronger edge.
    assert [row[:5] for row in rows] == [
        (1, "a", "b", "semantic", False),
        (2, "b", "c", "co_occurrence", False),
        (3, "c", "d", "version", True),
    ]
    assert [row[-1] for row in rows] == [["a-b"], ["b-c"], ["c-d"]]


def test_a_path_goes_against_the_direction_too(small: Connection) -> None:
    rows = small.sql("SELECT from_id, to_id, source_id FROM shortest_path('d', 'b')").fetchall()
    assert rows == [("d", "c", "c"), ("c", "b", "b")]


@pytest.mark.parametrize(
    "ends", ["'a', 'p'", "'a', 'a'", "'a', 'nobody'", "'nobody', 'a'", "'a', 'd', max_steps := 2"]
)
def test_no_path_is_no_row(small: Connection, ends: str) -> None:
    assert small.sql(f"FROM shortest_path({ends})").fetchall() == []


def test_a_path_has_six_steps_at_most_unless_more_are_asked_for() -> None:
    line = define([(f"n{i}", f"n{i + 1}", "co_occurrence", 0.5) for i in range(9)])
    count = "SELECT count(*) FROM shortest_path('n0', {})"
    assert line.sql(count.format("'n6'")).fetchall() == [(6,)]
    assert line.sql(count.format("'n7'")).fetchall() == [(0,)]
    assert line.sql(count.format("'n9', max_steps := 9")).fetchall() == [(9,)]


def test_no_edges_are_no_components() -> None:
    empty = define([])
    for call in ("components()", "neighbours('a')", "shortest_path('a', 'b')"):
        assert empty.sql(f"FROM {call}").fetchall() == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_components_are_those_of_a_union_find(seed: int) -> None:
    chance = random.Random(seed)
    pairs = [(chance.randrange(300), chance.randrange(300)) for _ in range(40 + 40 * seed)]
    edges = [(f"{min(p):03}", f"{max(p):03}", "similar", 0.5) for p in pairs]
    parent = {end: end for edge in edges for end in edge[:2]}

    def root(end: str) -> str:
        while parent[end] != end:
            end = parent[end]
        return end

    for a, b, _, _ in edges:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    rows = dict(define(edges).sql("FROM components()").fetchall())
    assert rows == {end: root(end) for end in parent}
