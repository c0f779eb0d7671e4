"""Several collections in one statement: each its own schema, nothing mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import ChunkNotFound, CollectionNotFound, QueryError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

ODD = 'Lease "2024", this. _this; B'


@pytest.fixture(scope="module")
def two(library_of: Callable[..., Library]) -> Library:
    alpha = ("The rent is due on Monday.", "Alpha alone has apples.")
    texts = {"Alpha": alpha, ODD: ("The rent was paid to Bert.",), "Gamma": (), "main": ()}
    return library_of({n: {"same.txt": pages} if pages else {} for n, pages in texts.items()})


BOTH = ("Alpha", ODD)
QUOTED = '"Lease ""2024"", this. _this; B"'


def test_one_statement_compares_them(two: Library) -> None:
    statement = (
        f"SELECT a.text AS a, b.text AS b FROM Alpha.search($q) a, {QUOTED}.search($q) b "
        f"WHERE a.document_name = b.document_name AND a.document_id <> b.document_id"
    )
    report = two.sql(statement, collections=BOTH, params={"q": "rent"}, explain=True)
    assert report.table.to_pylist() == [
        {"a": "The rent is due on Monday.", "b": "The rent was paid to Bert."}
    ]
    assert sorted((c.collection, c.question) for c in report.calls) == [
        ("Alpha", "rent"),
        (ODD, "rent"),
    ]


@pytest.mark.parametrize("call", ["SELECT {s}.cite({c})", "FROM {s}.context({c})"])
def test_a_chunk_of_one_is_unknown_in_the_other(two: Library, call: str) -> None:
    chunk = "(SELECT min(chunk_id) FROM Alpha.chunks)"
    assert two.sql(call.format(s="Alpha", c=chunk), collections=BOTH).num_rows
    with pytest.raises(ChunkNotFound):
        two.sql(call.format(s=QUOTED, c=chunk), collections=BOTH)


@pytest.mark.parametrize(
    "statement",
    ["FROM documents", "FROM pages", "FROM search('rent')", "SELECT cite('x')", "FROM bm25('x')"],
)
def test_a_name_without_its_schema_is_refused(two: Library, statement: str) -> None:
    with pytest.raises(QueryError, match=r"\b2\b") as caught:
        two.sql(statement, collections=BOTH)
    assert '"Alpha".' in caught.value.hint
    assert QUOTED + "." in caught.value.hint


def test_a_collection_that_was_not_named_is_out_of_reach(two: Library) -> None:
    with pytest.raises(QueryError, match='"Gamma"') as caught:
        two.sql("FROM Gamma.documents", collections=BOTH)
    assert '"Alpha"' in caught.value.hint
    with pytest.raises(QueryError, match='"Alpha"'):
        two.sql("FROM Alfa.documents", collections=BOTH)
    with pytest.raises(QueryError, match='"Gamma"'):
        two.get("Alpha").sql("FROM Gamma.documents")
    with pytest.raises(QueryError, match="_ledger_2"):
        two.sql("FROM _ledger_2", collections=BOTH)


def test_of_a_single_one_the_schema_may_be_left_out(two: Library) -> None:
    for name in ("documents", f"{QUOTED}.documents", "search('rent')", "bm25('rent')"):
        assert two.sql(f"SELECT * FROM {name}", collections=(ODD,)).num_rows == 1
    assert two.sql("FROM alpha.documents", collections=("Alpha", "alpha")).num_rows == 1
    assert two.sql("FROM chunks", collections="Alpha").num_rows == 2


def test_names_that_sql_keeps_for_itself(two: Library) -> None:
    with pytest.raises(QueryError, match='"main"') as caught:
        two.sql("SELECT 1", collections=("Alpha", "main"))
    assert caught.value.hint
    assert two.sql("SELECT count(*) AS n FROM documents", collections=("main",)).num_rows == 1


def test_which_collections_must_be_said(two: Library) -> None:
    with pytest.raises(UsageError):
        two.sql("SELECT 1", collections=())
    with pytest.raises(CollectionNotFound, match="Nope"):
        two.sql("SELECT 1", collections=("Alpha", "Nope"))
