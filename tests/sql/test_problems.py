"""Mistakes in SQL are told in our words: what, where, and what was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.errors import QueryError
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.collection import Collection
    from casetrack.library import Library


@pytest.fixture
def collection(library: Library, store_text: Callable[..., object]) -> Collection:
    collection = library.create("Case")
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", "The rent is due.")
    return collection


TELLS = [
    ("SELECT *\nFROM chunk", 'line 2, column 6: there is no view "chunk". Did you mean chunks?',
     "casetrack schema"),
    ("SELECT * FROM documnets", "Did you mean documents?", "Views: documents, chunks"),
    ("SELECT * FROM serch", "Did you mean search", "casetrack schema"),
    ("SELECT * FROM search", "search is a function", "FROM search(question, k := 20"),
    ("SELECT * FROM serch('x')", 'no function "serch". Did you mean search?', "search(question"),
    ("SELECT strlne('x')", 'no function "strlne". Did you mean strlen?', "cite(chunk_id)"),
    ("SELECT neighbors('x')", "Did you mean neighbours?", "casetrack schema"),
    ("SELECT search('x')", "search() gives rows, not a value", "after FROM"),
    ("SELECT * FROM cite('x')", "cite() gives a value, not rows", "after SELECT"),
    ("SELECT\n  pge FROM chunks", 'line 2, column 3: there is no column "pge" here. Did you mean',
     "casetrack schema"),
    ("SELECT c.documet_name FROM chunks c", "Did you mean document_name", "casetrack schema"),
    ("SELECT d.id FROM documents d", "Did you mean document_id", "id is a column of neighbours"),
    ("SELECT 'ü🚢', 1,\n\tbogus FROM chunks", 'line 2, column 2: there is no column "bogus"',
     "casetrack schema"),
    ("SELECT 'ü🚢', bogus FROM chunks", "line 1, column 14:", "casetrack schema"),
    ("SELECT 1 FROM references WHERE bogus", "line 1, column 32:", "casetrack schema"),
    ("SELECT citation FROM documents", 'no column "citation" here',
     "citation is a column of chunks"),
    ("SELECT search.rank FROM search('x')", 'nothing here is named "search"', "AS s"),
    ("SELECT * FROM search('a (b', kk => 1)",
     'line 1, column 30: search() has no argument "kk". Did you mean k?',
     "search(question, k := 20, mode := NULL, document := NULL, kind := NULL"),
    ("FROM search('a'), search('b', mod => 'c')", 'column 31: search() has no argument "mod"',
     "mode := NULL"),
    ("FROM search('a', limit => 1)", 'column 18: search() has no argument "limit"', "k := 20"),
    ("FROM search()", "line 1, column 6: search() does not take these", "search(question,"),
    ("FROM search('a',\n  mode => keyword)", 'line 2, column 11: there is no column "keyword"',
     "single quotation marks: 'keyword'"),
    ("FROM search(\"it's\")", 'column 13: there is no column "it\'s"', "marks: 'it''s'"),
    ("SELECT bogus FROM postings", 'no column "bogus" here', "postings has term, chunk_id, tf."),
    ("FROM search(chunks.text)", 'nothing here is named "chunks"', "FROM chunks, "),
    ("SELECT d.name FROM documents", 'nothing here is named "d"', "After FROM stands: documents."),
    ("SELECT * FROM neighbours()", "neighbours() does not take", "neighbours(start_id, depth"),
    ("SELEC 1", 'line 1, column 1: syntax error at or near "SELEC"', "just before it"),
    ("FROM documents JOIN chunks", "syntax error", "JOIN needs ON or USING"),
    ("FROM amounts WHERE value > 1,000", 'syntax error at or near ","', "without commas"),
    ("SELECT 'it's'", "unterminated string", "is written twice"),
    ("SELECT", "selection list", "SELECT name FROM documents"),
    ("SELECT CAST('x' AS INTEGER)", "Could not convert", "a whole number. TRY_CAST"),
    ("SELECT text::INTEGER FROM chunks", "column 12: Could not convert string 'The rent is due.'",
     "TRY_CAST"),
    ("FROM search('a', k => 'ten')", "line 1, column 23: Could not convert", "a whole number"),
    ("SELECT name, count(*) FROM documents", "must appear in the GROUP BY", "GROUP BY ALL"),
    ("SELECT name FROM documents d, entities", '"name" is a column of more than one',
     'd."name" or entities."name"'),
    ("SELECT (SELECT unnest([1, 2]))", "More than one row", "LIMIT 1"),
    ("SELECT 1 IN (FROM search('a'))", "returns 11 columns", "IN (SELECT chunk_id"),
    ("SELECT regexp_matches(text, 'a(') FROM chunks", "regular expression is not right: missing )",
     "contains(text"),
    ("SELECT year(first_day) FROM dates", "'year(VARCHAR)'", "first_day::DATE"),
    ("SELECT text::VARCHAR[] FROM chunks", "can't be cast", "['a']"),
    ("FROM bm25('rent', k => 0)", "k must be 1 or more, not 0", "k => 5"),
    ("FROM bm25('rent', k => NULL)", "k must be 1 or more, not NULL", "k => 5"),
    ("SELECT 1 WHERE '{' = 2", "Could not convert string '{'", "TRY_CAST"),
    ("SELECT * FROM other.chunks", '"other" is no schema', "-c A -c B"),
    ("SELECT $a + $b", "No value was given for $a, $b", "-p a=VALUE"),
    ("FROM documents WHERE pages > 3",
     'no column "pages" here. Did you mean page_count, ocr_pages or pages_without_text?',
     "casetrack schema"),
    ("SELECT chunks FROM documents", "Did you mean chunk_count?", "casetrack schema"),
    ("SELECT pages FROM chunks", "Did you mean page, page_", "casetrack schema"),
    ("SELECT kinds FROM entities", "Did you mean kind?", "casetrack schema"),
    ("SELECT lang FROM documents", "Did you mean language?", "casetrack schema"),
    ("SELECT bodies FROM documents", 'no column "bodies" here.', "documents has document_id"),
    ("ATTACH 'x' AS y", "this is an ATTACH statement", "Use SELECT"),
    ("INSTALL httpfs", "this is an INSTALL statement", "Use SELECT"),
    ("FORCE INSTALL httpfs", "this is an INSTALL statement", "Use SELECT"),
    ("LOAD httpfs", "this is a LOAD statement", "Use SELECT"),
    ("/* x */ UPDATE documents SET name = 'x'", "this is an UPDATE statement", "Use SELECT"),
    ("USE main", "this is a USE statement", "Use SELECT"),
    ("WITH a AS (SELECT 1) INSERT INTO documents FROM a", "this is an INSERT", "Use SELECT"),
    ("EXPLAIN INSERT INTO documents VALUES (1)", "explains an INSERT statement", "a SELECT"),
    ("PIVOT documents ON format USING count(*)", "takes two statements", "IN ('contract'"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "message", "hint"), TELLS)
def test_a_mistake_is_told_with_its_place_and_a_way_out(
    collection: Collection, statement: str, message: str, hint: str
) -> None:
    with pytest.raises(QueryError) as caught:
        collection.sql(statement)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "exception_message" not in str(caught.value)
    assert "_1" not in str(caught.value)


def test_the_line_of_a_mistake_is_shown_with_a_mark_below_it(collection: Collection) -> None:
    with pytest.raises(QueryError) as caught:
        collection.sql("SELECT 1,\n  bogus, 2\nFROM references")
    assert caught.value.message.endswith("\n\n      bogus, 2\n      ^^^^^")
    with pytest.raises(QueryError) as caught:
        collection.sql(f"SELECT {'1, ' * 100}bogus, {'1, ' * 100}1 FROM chunks")
    shown, mark = caught.value.message.splitlines()[-2:]
    assert len(shown) <= 104
    assert shown[mark.index("^") : mark.rindex("^") + 1] == "bogus"


def test_a_long_value_that_does_not_fit_is_cut(
    library: Library, store_text: Callable[..., object]
) -> None:
    collection = library.create("Long")
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", "rent " * 200)
    with pytest.raises(QueryError) as caught:
        collection.sql("SELECT text::INTEGER FROM chunks")
    assert "rent rent" in caught.value.message
    assert len(caught.value.message) < 300


def test_a_mistake_beside_a_value_has_its_place(collection: Collection) -> None:
    with pytest.raises(QueryError, match="line 1, column 8") as caught:
        collection.sql("SELECT nmae, $x FROM documents", params={"x": 1})
    assert "name" in caught.value.message + caught.value.hint


def test_a_value_for_no_parameter_is_refused(collection: Collection) -> None:
    with pytest.raises(QueryError, match=r"\$Name, and the statement has no such") as caught:
        collection.sql("SELECT $name", params={"name": 1, "Name": 2})
    assert "$name" in caught.value.hint


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM _search_1('x', 1, NULL, NULL)",
        "SELECT * FROM \"_Search_1\"('x', 1, NULL, NULL)",
        "SELECT _CITE('x')",
        "SELECT _cite_place('x')",
        'SELECT * FROM "_Ledger_1"',
        "SELECT * FROM '_ledger_1'",
        "SELECT * FROM temp._stored_chunks_1",
        "SELECT 1 /* documents */ FROM\n_terms_1",
        "SELECT * FROM documents, _ways",
    ],
)
def test_what_is_internal_cannot_be_named(collection: Collection, statement: str) -> None:
    with pytest.raises(QueryError, match="is internal") as caught:
        collection.sql(statement)
    assert caught.value.hint


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM query('SELECT * FROM _led' || 'ger_1')",
        "SELECT * FROM query_table('_led' || 'ger_1')",
        "SELECT * FROM \"Query_Table\" ('_led' || 'ger_1')",
        "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    ],
)
def test_no_statement_hides_in_a_text(collection: Collection, statement: str) -> None:
    with pytest.raises(QueryError, match="runs a statement that stands in a text"):
        collection.sql(statement)


def test_words_that_only_look_internal_are_free(collection: Collection) -> None:
    rows = collection.sql(
        "SELECT 1 AS query, '_search' AS _x, query_table AS y -- _ledger_1\n"
        "FROM (SELECT name AS query_table FROM documents WHERE name NOT LIKE '%_terms%')"
    ).to_pylist()
    assert rows == [{"query": 1, "_x": "_search", "y": "a.txt"}]
