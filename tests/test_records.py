"""One description of each record: every face uses the declarations of its fields."""

from __future__ import annotations

import io
import pkgutil
from contextlib import redirect_stdout
from importlib import import_module
from typing import Annotated, Any

import pyarrow as pa
import pytest

import casetrack.base.records
from casetrack.base.dataclass import dataclass, fields, is_dataclass, replace
from casetrack.base.provenance import HiddenSpan, Provenance
from casetrack.base.records import RowList, Rows
from casetrack.base.records.graph import Entity, KeyActor
from casetrack.base.records.layouts import layout_of
from casetrack.base.records.shape import SOURCE, FieldFormat, Record, View, members
from casetrack.faces.cli import asking
from casetrack.faces.mcp import graph_results
from graph_records import entity, event, quote


@dataclass(frozen=True, slots=True)
class Known(Entity):
    """An entity with one field more, declared in one line."""

    nickname: Annotated[str | None, FieldFormat(shown="Nickname")] = None


def known() -> Known:
    """Return an entity that has one."""
    plain = entity()
    return Known(**{f.name: getattr(plain, f.name) for f in fields(plain)}, nickname="Addy")


def test_a_new_field_is_one_line() -> None:
    item = known()
    assert item.as_dict() == entity().as_dict() | {"nickname": "Addy"}
    assert graph_results.entity_facts(item)["nickname"] == "Addy"

    table = Rows((item,), of=Known).to_arrow()
    assert table.schema.field("nickname").type == pa.string()
    assert table.column("nickname").to_pylist() == ["Addy"]
    assert "Addy" in repr(Rows((item,)))
    assert "nickname" in Rows((item,))._repr_html_()

    printed = io.StringIO()
    with redirect_stdout(printed):
        asking.show(Rows((item,), of=Known))
    assert printed.getvalue().endswith("Nickname: Addy\n")


def test_a_row_keeps_what_json_rounds() -> None:
    result = replace(event(1), weight=1 / 3)
    assert result.as_dict()["weight"] == 0.3333
    assert Rows((result,)).to_arrow().column("weight").to_pylist() == [1 / 3]


def test_views_rename_and_reach() -> None:
    view = View("name", "shortest=aliases", "kind")
    assert list(view.of(entity())) == ["name", "shortest", "kind"]
    deep = View("where=quote.citation", "page=quote.provenance.page")
    place = quote(1)
    assert deep.of(KeyActor(entity(), place)) == {
        "where": place.citation,
        "page": place.provenance.page,
    }
    assert deep.of(KeyActor(entity(), None)) == {"where": None, "page": None}


def test_the_source_is_reported_in_json_and_rows_under_the_same_names() -> None:
    whole = {"source": "git:a", "source_id": "b.md", "source_url": "https://example.org/b"}
    whole["printed_place"] = "24:11-20"
    hidden = (HiddenSpan("hidden", 0, 3),)
    place = replace(quote(1).provenance, hidden=hidden, **whole)
    message = SOURCE.of(place)
    assert list(message) == list(layout_of(KeyPlace).kinds)[1:]


@dataclass(frozen=True, slots=True)
class KeyPlace(Record):
    """A record that is nothing but a place."""

    provenance: Provenance


@pytest.mark.parametrize("empty", [Rows(()), Rows(), Rows((), of=Entity), RowList((), of=Entity)])
def test_no_rows_are_a_table_too(empty: Any) -> None:
    assert (empty.to_arrow().num_rows, len(empty)) == (0, 0)
    assert "0" in repr(empty)


def test_every_record_can_be_reported() -> None:
    for module in pkgutil.walk_packages(casetrack.base.records.__path__, "casetrack.base.records."):
        import_module(module.name)
    every = {
        each for each in _below(Record) if each.__module__.startswith("casetrack.base.records.")
    }
    every = {each for each in every if is_dataclass(each) and fields(each)}
    assert len(every) > 50
    for record in every:
        if "as_dict" not in vars(record):
            keys = [member.key for member in members(record)]
            assert keys, record.__qualname__
            assert len(set(keys)) == len(keys), f"{record.__qualname__} tells something twice"


def _below(record: type) -> set[type]:
    return {record, *(each for below in record.__subclasses__() for each in _below(below))}
