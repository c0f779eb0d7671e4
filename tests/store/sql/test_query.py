"""A user's SQL reads the collection's views and nothing else."""

from __future__ import annotations

import _thread
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import QueryError, UsageError
from casetrack.base.provenance import column_letters
from casetrack.base.sql.catalog import VIEWS
from casetrack.base.sql.control import Control
from casetrack.faces.notebook.tables import table
from casetrack.search.query.reading import Reading
from casetrack.search.query.run import run_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

TEXTS = {"a.txt": ("The rent is due. " * 300, "Second page."), "b's.txt": ("Delivery is late.",)}
ENDLESS = "SELECT count(*) FROM range(100000000) a, range(100000000) b"


@pytest.fixture(scope="module")
def collection(library_of: Callable[..., Library]) -> Collection:
    return library_of({"Case": TEXTS}).get("Case")


def test_sheet_citations_in_sql(collection: Collection) -> None:
    statement = "SELECT column_letters(n) AS l FROM (SELECT unnest($n) AS n)"
    numbers = [1, 26, 27, 52, 53, 702, 703, 704, 1378, 16384]
    letters = collection.sql(statement, params={"n": numbers})["l"].to_pylist()
    assert letters == [column_letters(n) for n in numbers]
    cite = "SELECT cite('B.xlsx', 'sheet', 2, 1, 3, 4, 9, false, 'Costs', 4, 9, 1, 28) AS c"
    assert collection.sql(cite)["c"].to_pylist() == [
        'B.xlsx, sheet "Costs", rows 4-9, columns A-AB'
    ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("statement", ["SHOW TABLES", " show all tables ; "])
def test_the_views_are_listed_and_nothing_behind_them(
    library_of: Callable[..., Library], statement: str
) -> None:
    library = library_of({"Case": TEXTS, 'It\'s "other"': {}})
    views = [{"name": view} for view in sorted(VIEWS)]
    assert library.get("Case").sql(statement).to_pylist() == views
    both = library.sql(statement, collections=("Case", 'It\'s "other"')).to_pylist()
    assert both == [
        {"collection": name, "name": view}
        for name in ("Case", 'It\'s "other"')
        for view in sorted(VIEWS)
    ]


@pytest.mark.parametrize("statement", ["", "  ", "-- nothing", ";"])
def test_an_empty_statement_is_reported(collection: Collection, statement: str) -> None:
    with pytest.raises(QueryError):
        collection.sql(statement)


@pytest.mark.parametrize("statement", [None, 7, b"FROM documents"])
def test_what_is_no_text_is_no_statement(collection: Collection, statement: Any) -> None:
    with pytest.raises(QueryError, match=type(statement).__name__):
        collection.sql(statement)


def test_parameters_and_aggregates(collection: Collection) -> None:
    statement = "SELECT count(*) AS n FROM chunks WHERE document_name = $name AND page >= $page"
    params = {"name": "a.txt", "page": 2}
    assert collection.sql(statement, params=params)["n"].to_pylist() == [1]
    assert collection.sql("SELECT $q AS q", params={"q": "'; DROP"})["q"].to_pylist() == ["'; DROP"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("340282366920938463463374607431768211455::UHUGEINT", str(2**128 - 1)),
        ("'10101'::BIT", "10101"),
        ("'12:30:00+02:00'::TIMETZ", "12:30:00+02"),
        ("['1'::BIT, NULL, '0110'::BIT]", ["1", None, "0110"]),
        ("{'BIT': '01'::BIT, 'n': 3}", {"BIT": "01", "n": 3}),
        ("MAP {'a': 7::UHUGEINT}", [("a", "7")]),
        ("NULL::BIT", None),
    ],
)
def test_values_that_arrow_cannot_hold_come_as_text(
    collection: Collection, expression: str, expected: object
) -> None:
    rows = collection.sql(f'SELECT {expression} AS "the ""value", 1 AS other')
    assert rows.to_pylist() == [{'the "value': expected, "other": 1}]


@pytest.mark.slow
def test_order_and_double_names_stay_with_values_that_come_as_text(collection: Collection) -> None:
    rows = collection.sql(
        "SELECT n::UHUGEINT AS n, n AS n FROM range(130000) t(n) ORDER BY n % 7, n DESC"
    )
    assert rows.column_names == ["n", "n_1"]
    numbers = rows.column(1).to_pylist()
    assert numbers == sorted(range(130000), key=lambda n: (n % 7, -n))
    assert [int(text) for text in rows.column(0).to_pylist()] == numbers


def test_every_column_has_a_name_of_its_own(collection: Collection) -> None:
    rows = collection.sql("SELECT 1 AS n, 2 AS n, 3 AS n_1, 4 AS m, 5 AS n")
    assert rows.to_pylist() == [{"n": 1, "n_2": 2, "n_1": 3, "m": 4, "n_3": 5}]
    both = collection.sql("SELECT * FROM documents AS d JOIN chunks AS c USING (document_id)")
    assert pl.from_arrow(both).shape == both.shape
    assert len(set(both.column_names)) == both.num_columns


def test_sums_of_whole_numbers_are_whole_numbers(collection: Collection) -> None:
    rows = collection.sql("SELECT sum(page_count) AS pages, count(*) AS n FROM documents")
    assert rows.schema.field("pages").type == pa.int64()
    assert rows.to_pandas()["pages"].dtype == "int64"
    beyond = collection.sql("SELECT 170141183460469231731687303715884105727::HUGEINT AS n")
    assert beyond["n"].to_pylist() == [2**127 - 1]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.array([1, 2]), [1, 2]),
        (pd.Series(["a", "b"]), ["a", "b"]),
        (pl.Series([1.5]), [1.5]),
        (pa.array([1, None]), [1, None]),
        (pa.scalar("x"), "x"),
        ({"only"}, ["only"]),
        (Path("a") / "b", str(Path("a") / "b")),
        ({"k": np.float32(0.5)}, {"k": 0.5}),
    ],
)
def test_values_of_other_libraries_fit(
    collection: Collection, value: Any, expected: object
) -> None:
    assert collection.sql("SELECT $v AS v", params={"v": value})["v"].to_pylist() == [expected]


@pytest.mark.parametrize("frames", [pd, pl])
def test_a_frame_is_joined_as_the_list_of_its_rows(collection: Collection, frames: Any) -> None:
    own = frames.DataFrame({"name": ["a.txt", "other"], "owner": ["Ada", "Bo"]})
    rows = collection.sql(
        "SELECT name, owner FROM documents "
        "JOIN (SELECT unnest($rows, recursive := true)) AS own USING (name)",
        params={"rows": own},
    )
    assert rows.to_pylist() == [{"name": "a.txt", "owner": "Ada"}]


def test_a_value_that_sql_cannot_take_is_named(collection: Collection) -> None:
    with pytest.raises(QueryError, match=r"\$odd .*object"):
        collection.sql("SELECT $fine, $odd", params={"fine": 1, "odd": object()})


def test_an_interrupt_stops_a_statement_at_once(collection: Collection) -> None:
    timer, begun = threading.Timer(0.1, _thread.interrupt_main), time.monotonic()

    def ask() -> None:
        timer.start()
        collection.sql(ENDLESS)

    with pytest.raises(KeyboardInterrupt):
        ask()
    assert time.monotonic() - begun < 50  # the limit of a statement is a minute
    assert collection.sql("SELECT 7 AS n")["n"].to_pylist() == [7]


def test_an_empty_collection_has_its_views(library: Library) -> None:
    empty = library.create("Empty")
    assert empty.sql("SELECT count(*) AS n FROM chunks")["n"].to_pylist() == [0]
    assert empty.sql("SELECT * FROM bm25('rent')").num_rows == 0


def test_a_query_that_never_ends_is_stopped(collection: Collection) -> None:
    with pytest.raises(QueryError, match=r"0\.1"):
        run_query(ENDLESS, Reading(collection.workspace.state()), timeout=0.1)


def test_a_query_that_needs_too_much_memory_is_stopped(collection: Collection) -> None:
    tables = Reading(collection.workspace.state())
    for greedy in ("SELECT list(range) FROM range(200000000)", "FROM range(4000000)"):
        with pytest.raises(QueryError, match=r"(32|16)MB") as caught:
            run_query(greedy, tables, memory_mb=32)
        assert "LIMIT" in caught.value.hint


def test_another_thread_stops_a_query(collection: Collection) -> None:
    control = Control()
    timer = threading.Timer(0.1, control.stop)
    timer.start()
    with pytest.raises(QueryError) as caught:
        collection.sql(ENDLESS, control=control)
    timer.join()
    assert caught.value is control.error
    assert control.stopped.is_set()


def test_a_query_that_was_stopped_before_does_not_begin(collection: Collection) -> None:
    control = Control()
    control.stop(QueryError("stopped before"))
    with pytest.raises(QueryError, match="stopped before"):
        collection.sql("SELECT 1", control=control)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("written", "statement", "message"),
    [
        ("timeout_seconds = 0.1", ENDLESS, r"0\.1"),
        ("memory_mb = 32", "FROM range(4000000)", "16MB"),
    ],
)
def test_the_settings_limit_each_statement(
    tmp_path: Path, written: str, statement: str, message: str
) -> None:
    (tmp_path / "config.toml").write_text(f"[sql]\n{written}\n")
    limited = Library(load_settings(tmp_path)).create("Case")
    with pytest.raises(QueryError, match=message):
        limited.sql(statement)


@pytest.mark.parametrize("written", ["timeout_seconds = 0", "memory_mb = 1"])
def test_limits_that_leave_no_room_are_refused(tmp_path: Path, written: str) -> None:
    (tmp_path / "config.toml").write_text(f"[sql]\n{written}\n")
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path)
    assert written.partition(" ")[0] in caught.value.hint


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("FROM test_all_types()", "date, time, timestamp"),
        ("SELECT DATE 'infinity' AS due", "due"),
        ("SELECT [{'a': DATE '0001-01-01' - 1}] AS dues", "dues"),
        ("SELECT MAP {'a': TIMESTAMP '10000-01-01'} AS m", "m"),
        ("SELECT TIME '24:00:00' AS t", "t"),
    ],
)
def test_what_python_has_no_type_for_is_refused_with_its_column(
    collection: Collection, sql: str, named: str
) -> None:
    with pytest.raises(QueryError, match=rf"\b{named}\b") as refused:
        collection.sql(sql)
    assert "::VARCHAR" in refused.value.hint
    assert "exact=True" in refused.value.hint
    exact = collection.sql(sql, exact=True)
    assert exact.num_rows
    shown = table(exact)
    assert "infinity" in shown._repr_html_() if "infinity" in sql else shown._repr_html_()


def test_the_first_and_the_last_day_are_given(collection: Collection) -> None:
    days = "SELECT unnest([DATE '0001-01-01', DATE '9999-12-31', NULL]) AS d"
    actual = [str(d) for d in collection.sql(days)["d"].to_pylist()]
    assert actual == ["0001-01-01", "9999-12-31", "None"]
