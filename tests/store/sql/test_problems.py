"""Mistakes in SQL have our messages: problem, position, and the probable intention."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library


@pytest.fixture(scope="module")
def library(library_of: Callable[..., Library]) -> Library:
    return library_of({"Case": {"a.txt": ["The rent is due."]}, "Long": {"a.txt": ["rent " * 200]}})


@pytest.fixture(scope="module")
def collection(library: Library) -> Collection:
    return library.get("Case")


MISTAKES = [
    "SELECT *\nFROM chunk",
    "SELECT * FROM serch",
    "SELECT * FROM search",
    "SELECT * FROM serch('x')",
    "SELECT search('x')",
    "SELECT * FROM cite('x')",
    "SELECT\n  pge FROM chunks",
    "SELECT d.id FROM documents d",
    "SELECT 'ü🚢', 1,\n\tbogus FROM chunks",
    "SELECT citation FROM documents",
    "SELECT search.rank FROM search('x')",
    "SELECT * FROM search('a (b', kk => 1)",
    "FROM search('a'), search('b', mod => 'c')",
    "FROM search()",
    "FROM search('a',\n  mode => keyword)",
    'FROM search("it\'s")',
    "SELECT bogus FROM postings",
    "FROM search(chunks.text)",
    "SELECT d.name FROM documents",
    "SELECT * FROM neighbours()",
    "SELEC 1",
    "FROM documents JOIN chunks",
    "FROM amounts WHERE value > 1,000",
    "SELECT 'it's'",
    "SELECT",
    "SELECT CAST('x' AS INTEGER)",
    "SELECT text::INTEGER FROM chunks",
    "FROM search('a', k => 'ten')",
    "SELECT name, count(*) FROM documents",
    "SELECT name FROM documents d, entities",
    "SELECT (SELECT unnest([1, 2]))",
    "SELECT 1 IN (FROM search('a'))",
    "SELECT regexp_matches(text, 'a(') FROM chunks",
    "SELECT year(first_day) FROM dates",
    "SELECT text::VARCHAR[] FROM chunks",
    "FROM bm25('rent', k => 0)",
    "SELECT * FROM other.chunks",
    "SELECT $a + $b",
    "FROM documents WHERE pages > 3",
    "SELECT chunks FROM documents",
    "SELECT bodies FROM documents",
    "FORCE INSTALL httpfs",
    "/* x */ UPDATE documents SET name = 'x'",
    "WITH a AS (SELECT 1) INSERT INTO documents FROM a",
    "EXPLAIN INSERT INTO documents VALUES (1)",
    "PIVOT documents ON format USING count(*)",
]


def test_mistakes_are_told_with_their_place_and_a_way_out(
    collection: Collection, messages: Callable[[str], None]
) -> None:
    lines = []
    for statement in MISTAKES:
        with pytest.raises(QueryError) as caught:
            collection.sql(statement)
        assert caught.value.hint
        assert "exception_message" not in str(caught.value)
        assert "_1" not in str(caught.value)
        lines.append(f"{statement}\n->\n{caught.value}")
    messages("\n\n\n".join(lines))


def test_the_line_of_a_mistake_is_shown_with_a_mark_below_it(collection: Collection) -> None:
    with pytest.raises(QueryError) as caught:
        collection.sql("SELECT 1,\n  bogus, 2\nFROM references")
    assert caught.value.message.endswith("\n\n      bogus, 2\n      ^^^^^")
    with pytest.raises(QueryError) as caught:
        collection.sql(f"SELECT {'1, ' * 100}bogus, {'1, ' * 100}1 FROM chunks")
    shown, mark = caught.value.message.splitlines()[-2:]
    assert len(shown) <= 104
    assert shown[mark.index("^") : mark.rindex("^") + 1] == "bogus"


def test_a_long_value_that_does_not_fit_is_cut(library: Library) -> None:
    with pytest.raises(QueryError) as caught:
        library.get("Long").sql("SELECT text::INTEGER FROM chunks")
    assert "rent rent" in caught.value.message
    assert len(caught.value.message) < 300


def test_a_mistake_next_to_a_value_has_its_place(collection: Collection) -> None:
    with pytest.raises(QueryError, match=r"\b1\b.*\b8\b.*nmae") as caught:
        collection.sql("SELECT nmae, $x FROM documents", params={"x": 1})
    assert "name" in caught.value.message + caught.value.hint


def test_a_value_for_no_parameter_is_refused(collection: Collection) -> None:
    with pytest.raises(QueryError, match=r"\$Name") as caught:
        collection.sql("SELECT $name", params={"name": 1, "Name": 2})
    assert "$name" in caught.value.hint


def test_words_that_only_look_internal_are_free(collection: Collection) -> None:
    rows = collection.sql(
        "SELECT 1 AS query, '_search' AS _x, query_table AS y -- _ledger_1\n"
        "FROM (SELECT name AS query_table FROM documents WHERE name NOT LIKE '%_terms%')"
    ).to_pylist()
    assert rows == [{"query": 1, "_x": "_search", "y": "a.txt"}]
