"""Every format writes every type of DuckDB, or names the column that it cannot write."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from casetrack.base.errors import UsageError
from casetrack.faces.cli.query import formats
from casetrack.faces.cli.query.formats import FORMATS, Format

if TYPE_CHECKING:
    from pathlib import Path

    from faces.cli.conftest import Run

NO_PARQUET = ["bignum", "interval", "empty_struct", "union"]


def rows_of(sql: str) -> pa.Table:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.sql(sql).to_arrow_table()


def written(rows: pa.Table, wanted: Format) -> str:
    return "".join(formats.text_blocks(rows, wanted))


def strict(text: str) -> Any:
    def refuse(name: str) -> None:
        pytest.fail(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def from_json(sql: str) -> Any:
    (row,) = strict(written(rows_of(f"SELECT {sql} AS x"), "json"))
    return row["x"]


def from_csv(sql: str) -> str:
    text = "".join(formats.text_blocks(rows_of(f"SELECT {sql} AS x"), "csv", raw=True))
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    return row["x"]


@pytest.fixture(scope="module")
def everything() -> pa.Table:
    """A table with each type of DuckDB: its least value, its greatest, and none."""
    return rows_of("FROM test_all_types()")


# --- the whole of DuckDB --------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_line_writes_all_types_or_says_which_it_cannot(
    filled: Run, tmp_path: Path
) -> None:
    for wanted in FORMATS:
        target = tmp_path / wanted
        ended = filled("query", "FROM test_all_types()", "--format", wanted, "-o", target)
        if wanted == "parquet":
            assert (ended.code, target.exists()) == (2, False)
            assert ", ".join(NO_PARQUET) in ended.err
        else:
            assert (ended.code, target.stat().st_size > 2000) == (0, True), ended.err


def test_all_types_are_shown_on_a_terminal(
    everything: pa.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    formats.show(everything, width=80)
    shown = capsys.readouterr().out
    assert "+5881580-07-10" in shown
    assert "MonthDayNano" not in shown
    assert "\x00" not in shown


def test_all_types_go_into_arrow_unchanged(everything: pa.Table, tmp_path: Path) -> None:
    formats.write_file(everything, "arrow", tmp_path / "x.arrow")
    back = pa.ipc.open_file(tmp_path / "x.arrow").read_all()
    assert back.schema == everything.schema
    assert back.drop(["double_array"]).equals(everything.drop(["double_array"]))  # it holds NaN


def test_parquet_holds_what_it_can_and_names_what_it_cannot(
    everything: pa.Table, tmp_path: Path
) -> None:
    target = tmp_path / "x.parquet"
    with pytest.raises(UsageError, match=", ".join(NO_PARQUET)) as e:
        formats.write_file(everything, "parquet", target)
    assert e.value.hint is not None
    assert '"bignum"::VARCHAR' in e.value.hint
    assert list(tmp_path.iterdir()) == []
    formats.write_file(everything.drop(NO_PARQUET), "parquet", target)
    back = pq.read_table(target)
    assert back.column_names == everything.drop(NO_PARQUET).column_names
    for name in ("hugeint", "dec38_10", "timestamp", "uuid", "map", "int_array"):
        assert back[name].equals(everything[name].cast(back[name].type)), name


def test_a_value_that_parquet_cannot_hold_names_its_column(tmp_path: Path) -> None:
    rows = pa.table({"fine": [1], "far": pa.array([2**62], pa.timestamp("s"))})
    with pytest.raises(UsageError, match=r"\bfar\b"):
        formats.write_file(rows, "parquet", tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


# --- value by value -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("170141183460469231731687303715884105727::HUGEINT", 2**127 - 1),
        ("'-2560'::BIGNUM", -2560),
        (f"'-{'9' * 5000}'::BIGNUM", "-" + "9" * 5000),
        ("0.1234567890123456789::DECIMAL(38,19)", "0.1234567890123456789"),
        ("0.1::FLOAT", 0.1),
        ("'a'::ENUM('a', 'b')", "a"),
        ("'5b2f6f0e-0000-4000-8000-000000000001'::UUID", "5b2f6f0e-0000-4000-8000-000000000001"),
        ("'\\x00\\xFF'::BLOB", "00ff"),
        ("DATE '2024-02-29'", "2024-02-29"),
        ("DATE '0005-02-29 (BC)'", "-000004-02-29"),
        ("DATE '12024-02-29'", "+012024-02-29"),
        ("TIMESTAMP '2024-03-12 10:00:00.5'", "2024-03-12T10:00:00.500000"),
        ("TIMESTAMP '0044-03-15 (BC) 12:00:00'", "-000043-03-15T12:00:00"),
        ("'-infinity'::TIMESTAMP", "-infinity"),
        ("'-infinity'::TIMESTAMP_NS", "-infinity"),
        ("'2024-03-12 10:00:00.123456789'::TIMESTAMP_NS", "2024-03-12T10:00:00.123456789"),
        ("TIMESTAMPTZ '2024-03-12 10:00:00+02'", "2024-03-12T08:00:00Z"),
        ("TIMESTAMPTZ '12024-03-12 10:00:00.25+00'", "+012024-03-12T10:00:00.250000Z"),
        ("TIME '24:00:00'", "24:00:00"),
        ("'01:02:03.000000001'::TIME_NS", "01:02:03.000000001"),
        ("INTERVAL '14 months 3 days 01:00:05.5'", "P1Y2M3DT1H5.5S"),
        ("INTERVAL '0 days'", "PT0S"),
        ("[DATE '12024-01-01', DATE '2024-01-01', NULL]", ["+012024-01-01", "2024-01-01", None]),
        ("{'at': 'infinity'::TIMESTAMP, 'n': [TIME '24:00:00']}",
         {"at": "infinity", "n": ["24:00:00"]}),
        ("MAP {'infinity'::DATE: [1], DATE '2024-01-01': NULL}",
         {"infinity": [1], "2024-01-01": None}),
        ("MAP {1.5: 'a', 'nan'::DOUBLE: 'b'}", {"1.5": "a", "NaN": "b"}),
        ("union_value(days := [DATE '2024-01-01', NULL])", ["2024-01-01", None]),
        ("union_value(pair := {'a': 'nan'::DOUBLE, 'b': 1.5::DECIMAL(4,2)})",
         {"a": None, "b": 1.5}),
        ("['nan'::DOUBLE, 1]", [None, 1.0]),
        ("{'x': 'inf'::FLOAT}", {"x": None}),
        ("chr(0) || chr(27) || chr(13) || chr(10) || '\"|'", '\x00\x1b\r\n"|'),
    ],
)  # fmt: skip
def test_json_has_each_value_in_full(sql: str, value: Any) -> None:
    assert from_json(sql) == value


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("'nan'::DOUBLE", "NaN"),
        ("['-inf'::DOUBLE, NULL]", '["-Infinity", null]'),
        ("'a' || chr(10) || '\"b\", c'", 'a\n"b", c'),
        ("chr(13)", "\r"),
        ("{'k': DATE '2024-01-01'}", '{"k": "2024-01-01"}'),
        ("NULL", ""),
    ],
)
def test_csv_has_each_value_as_text(sql: str, text: str) -> None:
    assert from_csv(sql) == text


def test_the_edges_of_the_calendar_are_shown_in_any_zone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    edges = "TIMESTAMPTZ '0001-01-01 00:00:00+00', TIMESTAMPTZ '9999-12-31 23:59:59+00'"
    formats.show(rows_of(f"SELECT unnest([{edges}]) AS x"), width=60)
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 4
    assert all(year in "".join(shown) for year in ("1-01-01", "9999-12-31"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(A1:A9)", "'@SUM(A1:A9)"),
        ("+1 (415) 555-0100", "'+1 (415) 555-0100"),
        ("-2+3+cmd", "'-2+3+cmd"),
        ("\t=1+1", "'\t=1+1"),
        ("\r=1+1", "'\r=1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("-1,250.00", "-1,250.00"),
        ("+4.5 %", "+4.5 %"),
        ("Lease = contract", "Lease = contract"),
        ("", ""),
    ],
)
def test_no_text_of_csv_is_run_as_a_formula(text: str, shown: str) -> None:
    rows = pa.table({"x": [text], "n": pa.array([-5]), text or "y": ["z"]})
    for raw, (heading, cell) in ((False, (shown or "y", shown)), (True, (text or "y", text))):
        written = "".join(formats.text_blocks(rows, "csv", raw=raw))
        names, values = csv.reader(io.StringIO(written, newline=""))
        assert (names, values) == (["x", "n", heading], [cell, "-5", "z"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [("=a|b", "'=a\\|b"), ("@SUM(A1:A9)", "'@SUM(A1:A9)"), ("-1,250.00", "-1,250.00")],
)
def test_no_text_of_markdown_is_run_as_a_formula(text: str, shown: str) -> None:
    rows = pa.table({"x": [text], "n": pa.array([-5])})
    assert written(rows, "markdown").splitlines()[-1] == f"| {shown} | -5 |"


@pytest.mark.slow
def test_raw_is_an_option_of_the_command(filled: Run) -> None:
    sql = "SELECT '=1+1' AS x"
    assert filled("query", sql, "--format", "csv").out == "x\n'=1+1\n"
    assert filled("query", sql, "--format", "csv", "--raw").out == "x\n=1+1\n"
    for options, cell in (((), "'=1+1"), (("--raw",), "=1+1")):
        shown = filled("query", sql, "--format", "markdown", *options).out.splitlines()
        assert shown == ["| x |", "| --- |", f"| {cell} |"]
