"""A user's SQL reads the collection's views and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack import schema
from casetrack.errors import QueryError
from casetrack.provenance import column_letters
from casetrack.sql.query import run_query
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.collection import Collection
    from casetrack.library import Library


@pytest.fixture
def collection(library: Library, store_text: Callable[..., object]) -> Collection:
    collection = library.create("Case")
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", "The rent is due. " * 300, "Second page.")
        store_text(session, "b's.txt", "Delivery is late.")
    return collection


def test_views_show_live_rows_with_all_their_columns(collection: Collection) -> None:
    collection.delete_document("b's.txt")
    documents = collection.sql("SELECT * FROM documents")
    chunks = collection.sql("SELECT * FROM chunks")
    assert documents["name"].to_pylist() == ["a.txt"]
    assert set(schema.table("documents").names) == set(documents.column_names)
    assert set(schema.table("chunks").names) <= set(chunks.column_names)
    assert set(chunks["document_name"].to_pylist()) == {"a.txt"}


def test_citations_in_sql_are_those_of_the_library(collection: Collection) -> None:
    rows = collection.sql("SELECT chunk_id, citation FROM chunks").to_pylist()
    assert {r["chunk_id"]: r["citation"] for r in rows} == {
        c.chunk_id: c.citation for name in ("a.txt", "b's.txt") for c in collection.chunks(name)
    }


def test_sheet_citations_in_sql(collection: Collection) -> None:
    statement = "SELECT column_letters(n) AS l FROM (SELECT unnest($n) AS n)"
    numbers = [1, 26, 27, 52, 53, 702, 703, 704, 1378, 16384]
    letters = collection.sql(statement, params={"n": numbers})["l"].to_pylist()
    assert letters == [column_letters(n) for n in numbers]
    cite = "SELECT cite('B.xlsx', 'sheet', 2, 1, 3, 4, 9, false, 'Costs', 4, 9, 1, 28) AS c"
    assert collection.sql(cite)["c"].to_pylist() == [
        'B.xlsx, sheet "Costs", rows 4-9, columns A-AB'
    ]


@pytest.mark.parametrize("statement", ["EXPLAIN SELECT 1", "DESCRIBE chunks", "SHOW TABLES"])
def test_looking_around_is_reading(collection: Collection, statement: str) -> None:
    assert collection.sql(statement).num_rows > 0


def test_parameters_and_aggregates(collection: Collection) -> None:
    statement = "SELECT count(*) AS n FROM chunks WHERE document_name = $name AND page >= $page"
    params = {"name": "a.txt", "page": 2}
    assert collection.sql(statement, params=params)["n"].to_pylist() == [1]
    assert collection.sql("SELECT $q AS q", params={"q": "'; DROP"})["q"].to_pylist() == ["'; DROP"]


def test_an_empty_collection_has_its_views(library: Library) -> None:
    empty = library.create("Empty")
    assert empty.sql("SELECT count(*) AS n FROM chunks")["n"].to_pylist() == [0]
    assert empty.sql("SELECT * FROM bm25('rent')").num_rows == 0


HOSTILE = [
    ("CREATE TABLE x AS SELECT 1", "CREATE statement"),
    ("DROP VIEW chunks", "DROP statement"),
    ("INSERT INTO documents VALUES (1)", "INSERT statement|SQL error"),
    ("DELETE FROM chunks", "DELETE statement|SQL error"),
    ("UPDATE documents SET name = 'x'", "UPDATE statement|SQL error"),
    ("COPY (SELECT 1) TO '{path}'", "COPY statement"),
    ("COPY chunks TO '{path}' (FORMAT parquet)", "COPY statement"),
    ("EXPORT DATABASE '{path}'", "EXPORT statement"),
    ("ATTACH '{path}' AS other", "ATTACH statement"),
    ("INSTALL httpfs", "LOAD statement|INSTALL statement"),
    ("LOAD httpfs", "LOAD statement"),
    ("PRAGMA database_list", "PRAGMA statement"),
    ("SET memory_limit = '100GB'", "SET statement"),
    ("SET enable_external_access = true", "SET statement"),
    ("CALL pragma_version()", "CALL statement"),
    ("SELECT 1; SELECT 2", "One statement at a time"),
    ("", "One statement at a time"),
    ("-- nothing", "One statement at a time"),
    ("SELECT * FROM read_csv('{file}')", "outside the collection"),
    ("SELECT * FROM read_text('{file}')", "outside the collection"),
    ("SELECT * FROM read_blob('{file}')", "outside the collection"),
    ("SELECT * FROM read_parquet('{file}')", "outside the collection|SQL error"),
    ("SELECT * FROM read_json('{file}')", "outside the collection|SQL error"),
    ("SELECT * FROM '{file}'", "outside the collection|SQL error"),
    ("SELECT * FROM glob('/*')", "outside the collection"),
    ("SELECT * FROM sniff_csv('{file}')", "outside the collection"),
    ("SELECT * FROM read_csv('https://example.com/x.csv')", "outside the collection|SQL error"),
    ("SELECT getenv('HOME')", "SQL error"),
    ("SELECT * FROM _stored_chunks", "_stored_chunks is internal"),
]


@pytest.mark.parametrize(("statement", "message"), HOSTILE)
def test_nothing_but_reading_the_views(
    collection: Collection, tmp_path: Path, statement: str, message: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    target = tmp_path / "out"
    with pytest.raises(QueryError, match=message) as caught:
        collection.sql(statement.format(path=target, file=secret))
    assert caught.value.hint
    assert not target.exists()
    assert "chunks" in str(collection.sql("SELECT view_name FROM duckdb_views()").to_pylist())


def test_there_are_no_secrets_to_see(collection: Collection) -> None:
    assert collection.sql("SELECT * FROM duckdb_secrets()").num_rows == 0


def test_mistakes_are_explained(collection: Collection) -> None:
    with pytest.raises(QueryError, match=r"document_names.*(.|\n)*document_name"):
        collection.sql("SELECT document_names FROM chunks")
    with pytest.raises(QueryError, match="chunk") as unknown:
        collection.sql("SELECT * FROM chunk")
    assert "documents, chunks, entities, mentions" in unknown.value.hint
    with pytest.raises(QueryError, match="syntax error"):
        collection.sql("SELEC 1")


def test_a_query_that_never_ends_is_stopped(collection: Collection) -> None:
    endless = "SELECT count(*) FROM range(100000000) a, range(100000000) b"
    with pytest.raises(QueryError, match="stopped after"):
        run_query(endless, collection.sql_tables(), timeout=0.3)


def test_a_query_that_needs_too_much_memory_is_stopped(collection: Collection) -> None:
    greedy = "SELECT list(a.range) FROM range(200000000) a"
    with pytest.raises(QueryError, match="more than 1GB of memory"):
        collection.sql(greedy)
