"""Checksums of rows: of the values alone, the same by column and by row, and of every value."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base import schema
from casetrack.store import checksums
from casetrack.store.passages import PLACE_COLUMNS

TABLES = ("chunks", "documents")
_MOMENTS = st.datetimes(timezones=st.just(UTC))
_SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=5),
    "binary": st.binary(max_size=5),
    "bool": st.booleans(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32, allow_nan=False),
    "double": st.floats(allow_nan=False),
    "timestamp[us, tz=UTC]": _MOMENTS,
}
LAYOUTS = {name: schema.table(name).arrow(dimension=3) for name in TABLES}


def values(kind: pa.DataType) -> st.SearchStrategy[Any]:
    """Return values of a type, including null at every permitted place."""
    if pa.types.is_fixed_size_list(kind):
        result = st.lists(_SCALARS["float"], min_size=kind.list_size, max_size=kind.list_size)
        return st.none() | result
    if pa.types.is_list(kind):
        return st.none() | st.lists(values(kind.value_type), max_size=3)
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({f.name: values(f.type) for f in kind})
    return st.none() | _SCALARS[str(kind)]


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, pa.Table]:
    """Some rows of a table in which some columns have values, with their checksums."""
    table = draw(st.sampled_from(TABLES))
    fields = [f for f in LAYOUTS[table] if f.name != checksums.COLUMN]
    chosen = draw(st.lists(st.sampled_from(fields), min_size=1, max_size=5, unique=True))
    row = st.fixed_dictionaries({f.name: values(f.type) for f in chosen})
    return table, made(draw(st.lists(row, min_size=1, max_size=4)), table)


def made(result: list[dict[str, Any]], table: str) -> pa.Table:
    layout = pa.schema([f.with_nullable(True) for f in LAYOUTS[table]])
    return checksums.stamped(pa.Table.from_pylist(result, schema=layout), table)


@settings(max_examples=15, deadline=None)
@given(tables())
def test_rows_have_the_same_checksums_however_they_are_packed(drawn: tuple[str, pa.Table]) -> None:
    table, result = drawn
    assert not checksums.damaged(result, table).any()
    assert not any(checksums.is_damaged(row, table) for row in result.to_pylist())
    many = pa.concat_tables([result, result.slice(1), *[result.slice(0, 1)] * 200])
    for packed in (many, many.combine_chunks(), many.combine_chunks().slice(3, 90)):
        assert not checksums.damaged(packed, table).any()
        assert checksums.stamped(packed, table).equals(packed)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(tables(), st.data())
def test_any_other_value_is_noticed(drawn: tuple[str, pa.Table], data: st.DataObject) -> None:
    table, result = drawn
    name = data.draw(st.sampled_from([n for n in result.column_names if n != checksums.COLUMN]))
    place = data.draw(st.integers(0, result.num_rows - 1))
    field = result.schema.field(name)
    column = result[name].to_pylist()
    other = pa.array([data.draw(values(field.type))], field.type)
    if other.equals(pa.array([column[place]], field.type)):
        return
    changed = [*column[:place], other[0].as_py(), *column[place + 1 :]]
    wrong = result.set_column(
        result.schema.get_field_index(name), field, pa.array(changed, field.type)
    )
    assert checksums.damaged(wrong, table).tolist() == [n == place for n in range(len(column))]
    assert checksums.is_damaged(wrong.to_pylist()[place], table)


ROW: dict[str, Any] = {
    "chunk_id": "a1",
    "text": "Die Fähre legt um zwölf ab.",
    "page": 3,
    "page_is_estimated": False,
    "heading_path": ["Plan", "Häfen"],
    "ocr_confidence": 0.75,
    "created_at": datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC),
    "revision": "r-000001",
    "line_boxes": [{"line": 1, "x0": 1.5, "y0": 2.0, "x1": 3.0, "y1": 4.25}],
    "dense": [0.6, 0.8, 0.0],
    "terms": ["fahr", "leg"],
    "tokens": b"\x01\x02",
    "dates": [{"start": 1, "end": 2, "text": "x", "readings": ["2026", None]}],
}


def test_the_numbers_stay_the_same_for_ever() -> None:
    """Another version of Arrow, of XXH3 or of this program sees no damage in stored data."""
    (rows,) = made([ROW], "chunks")[checksums.COLUMN].to_pylist()
    assert rows[:4] == [-1747969011765397304, -8438323165212714881, 6392436393272968667, 0]
    assert rows[4:6] == [-6597328162978222018, 5000028273078041145]
    assert rows[6:] == [-6874776605478713397, 3321918995023513974]


@pytest.mark.parametrize("other", [{"dense": None}, {"dense": [1.0, None, 0.0]}, {"terms": [None]}])
def test_a_row_does_not_depend_on_what_stands_next_to_it(other: dict[str, Any]) -> None:
    alone = made([ROW], "chunks")[checksums.COLUMN].to_pylist()
    assert made([ROW, ROW | other], "chunks")[checksums.COLUMN].to_pylist()[:1] == alone


def test_families_are_checked_by_themselves() -> None:
    result = made([ROW, ROW], "chunks")
    wrong = result.set_column(
        result.schema.get_field_index("dense"),
        result.schema.field("dense"),
        pa.array([[0.8, 0.6, 0.0], None], result.schema.field("dense").type),
    )
    assert checksums.damaged(wrong, "chunks").tolist() == [True, True]
    cited = wrong.select(checksums.columns_of("chunks", "text", "place"))
    assert checksums.damaged(cited, "chunks").tolist() == [False, False]
    assert not checksums.is_damaged(cited.to_pylist()[0], "chunks", "text", "place")
    assert set(PLACE_COLUMNS) == set(checksums.families("chunks")["place"])


@pytest.mark.parametrize("known", [None, []])
def test_rows_of_an_earlier_version_are_sound(known: list[int] | None) -> None:
    result = made([ROW], "chunks")
    place = result.schema.get_field_index(checksums.COLUMN)
    kind = result.schema.field(place).type
    older = result.set_column(place, checksums.COLUMN, pa.array([known], kind))
    assert not checksums.damaged(older, "chunks").any()
    assert not checksums.is_damaged(older.to_pylist()[0], "chunks")
    assert not checksums.damaged(result.drop_columns(checksums.COLUMN), "chunks").any()
    # A family that came later is not known of rows that were written before.
    fewer = result.set_column(
        place, checksums.COLUMN, pa.array([result[place][0].as_py()[:2]], kind)
    )
    assert not checksums.damaged(fewer, "chunks").any()


def test_columns_that_came_later_change_nothing() -> None:
    actual = made([{n: v for n, v in ROW.items() if n != "tokens"}], "chunks")
    without = actual.drop_columns(["printed_place", "mail_headers", "labels"])
    again = checksums.stamped(without, "chunks")
    assert again[checksums.COLUMN].equals(actual[checksums.COLUMN])
    lacking = {"printed_place", "mail_headers", "labels"}
    assert not checksums.damaged(without, "chunks", lacking=lacking).any()
    wrong = without.append_column("printed_place", pa.array(["p. 9"]))
    assert checksums.damaged(wrong, "chunks", lacking=lacking).tolist() == [True]
