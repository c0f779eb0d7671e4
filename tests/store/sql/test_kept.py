"""The database is kept from one statement to the next, and nothing else is."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import CaseTrackError, QueryError
from casetrack.store.session import write_session
from casetrack.store.sql.guard import CHANGES_ALL
from store.sql import hostile_statements as hostile

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

ROOT = Path(__file__).parents[3]
SEEN = {
    "settings": "SELECT name, value FROM duckdb_settings() ORDER BY name",
    "variables": "SELECT name FROM duckdb_variables()",
    "prepared": "SELECT name FROM duckdb_prepared_statements()",
    "tables": "SELECT table_name FROM duckdb_tables()",
    "schemas": "SELECT schema_name FROM duckdb_schemas() ORDER BY ALL",
    "sequences": "SELECT sequence_name FROM duckdb_sequences()",
    "types": "SELECT count(*) AS n FROM duckdb_types()",
    "logs": "SELECT count(*) AS n FROM duckdb_logs()",
    "resources": "SELECT * FROM duckdb_external_resources()",
    "kinds of resources": "SELECT * FROM duckdb_external_resource_types()",
    "databases": "SELECT database_name, type FROM duckdb_databases() ORDER BY ALL",
    "paths": "SELECT current_schemas(false) AS s, current_setting('TimeZone') AS z",
}
"""Possible leftovers of a statement."""


@pytest.fixture
def collection(library: Library, store_text: Callable[..., object]) -> Collection:
    collection = library.create("Case")
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", "The rent is due.")
        store_text(session, "b.txt", "Delivery is late.")
    return collection


def _rows(collection: Collection, statement: str, /, **params: Any) -> list[dict[str, Any]]:
    return collection.sql(statement, params=params or None).to_pylist()


@pytest.mark.slow
@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 12])
def test_no_statement_leaves_anything_to_the_next(collection: Collection, every: int) -> None:
    for statement in hostile.WARM_UP:
        collection.sql(statement)
    before = {name: _rows(collection, statement) for name, statement in SEEN.items()}
    groups = [*hostile.REFUSED.values(), *hostile.LOOKING.values()]
    hostile_ones = [s for group in groups for s in group[::every]]
    for statement in [*hostile_ones, "SELECT setseed(0.25)", "EXPLAIN SELECT 1"]:
        with contextlib.suppress(CaseTrackError):
            collection.sql(statement)
    assert {name: _rows(collection, statement) for name, statement in SEEN.items()} == before


def test_values_are_not_kept(collection: Collection) -> None:
    assert _rows(collection, "SELECT $v AS v", v=7) == [{"v": 7}]
    with pytest.raises(QueryError, match=r"\$v"):
        collection.sql("SELECT $v AS v")
    assert _rows(collection, "SELECT $v AS v", v="text") == [{"v": "text"}]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", sorted(CHANGES_ALL))
def test_functions_that_change_what_others_see_are_refused(
    collection: Collection, name: str
) -> None:
    for statement in (f"SELECT {name}('x')", f"FROM \"{name.upper()}\" /**/ ('a', 'b')"):
        with pytest.raises(QueryError):
            collection.sql(statement)


@pytest.mark.slow
def test_duckdb_has_no_more_functions_that_change_something(collection: Collection) -> None:
    """DuckDB marks scalar functions with side effects; table functions are known by name only."""
    of_its_connection = {"nextval", "setval", "setseed", "random", "error", "sleep_ms", "stats"}
    of_its_connection |= {"current_query", "current_query_id", "current_transaction_id"}
    of_its_connection |= {"current_connection_id", "currval", "vector_type"}
    of_its_connection |= {"uuid", "uuidv4", "uuidv7", "gen_random_uuid"}
    locked = {"enable_logging", "disable_logging", "enable_profiling", "disable_profiling"}
    verbs = "create|destroy|register|deregister|enable|disable|set|reset|write|truncate|checkpoint|"
    verbs += "force|add|remove|drop|load|install|attach|detach|update|delete|insert"
    result = {
        row["name"]
        for row in _rows(
            collection,
            "SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE "
            "function_type = 'scalar' AND has_side_effects OR "
            f"function_type = 'table' AND regexp_matches(function_name, '^({verbs})(_|$)')",
        )
    }
    assert result - of_its_connection - locked == CHANGES_ALL


def test_statements_at_once_do_not_mix(collection: Collection) -> None:
    both = threading.Barrier(2, timeout=30)
    reports: dict[str, Any] = {}

    def ask(word: str) -> None:
        both.wait()
        for _ in range(5):
            reports[word] = collection.sql(
                "SELECT $w AS w, s.document_name AS d FROM search($w, mode => 'keyword') AS s",
                params={"w": word},
                explain=True,
            )
            assert reports[word].table["w"].to_pylist() == [word]

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(ask, ("rent", "late")))
    by_name = {word: report.table["d"].to_pylist() for word, report in reports.items()}
    assert by_name == {"rent": ["a.txt"], "late": ["b.txt"]}
    for word, report in reports.items():
        assert {call.question for call in report.calls} == {word}


@pytest.mark.slow
def test_a_collection_that_is_let_go_takes_its_database_along(
    tmp_path: Path, store_text: Callable[..., object]
) -> None:
    collection = Library(load_settings(tmp_path)).create("Case")
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", "The rent is due.")
    for statement in hostile.WARM_UP:
        collection.sql(statement)
    gone = weakref.ref(collection)
    del collection
    gc.collect()
    assert gone() is None


@pytest.mark.slow
def test_a_program_ends_without_a_word_while_a_database_is_kept(collection: Collection) -> None:
    program = (
        "import sys, casetrack\n"
        "collection = casetrack.open(sys.argv[1])\n"
        "rows = collection.sql(\"SELECT citation FROM bm25('rent')\")\n"
        "print(rows.num_rows)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "Case"],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "CASETRACK_HOME": str(collection.workspace.settings.data_dir),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)
