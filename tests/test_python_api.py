"""The Python API as an outsider uses it: names, types, mistakes, tables of everything."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import casetrack
from casetrack.api.collection import Collection
from casetrack.api.collection.admin import Admin
from casetrack.api.collection.map import Map
from casetrack.api.collection.marks import Marks
from casetrack.api.collection.read import Read
from casetrack.base.errors import ChunkNotFound, CollectionNotFound, DocumentNotFound, UsageError
from casetrack.base.records import Rows, Tabular
from casetrack.base.records.layouts import layout_of
from faces.notebook.test_api import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

CHECKOUT = Path(__file__).parents[1]
GUIDE = CHECKOUT / "docs" / "python.md"
PAGE = CHECKOUT / "docs" / "python-reference.md"
AGREEMENT = "Master Services Agreement.pdf"
AMENDMENT = "Amendment No 1.docx"
METHODS = re.compile(r"(?s)(?<=<!-- begin: methods -->\n).*?(?=<!-- end: methods -->)")

GROUPS = {
    "Add and remove documents": "ingest sync sync_source forget_source sources delete_document "
    "admin.excluded admin.brought_back_by admin.reindex "
    "admin.reindex_document",
    "Documents": "documents document map.documents_of_type read.structure map.related_documents "
    "map.related_in_short read.chunks read.chunk read.pages read.page_image read.table "
    "read.same_entry",
    "Search and reading": "search topic_matrix facets read.context read.browse read.traverse "
    "map.similar_chunks sql",
    "Entities, dates, amounts, references": "map.entities map.find_entity map.entity_mentions "
    "map.document_entities map.likely_same map.correspondence map.encounters map.graph "
    "map.timeline map.amounts map.references map.reference_citations",
    "Overview": "map.summary map.statistics stats map.topics map.clusters map.compare "
    "map.changes map.versions map.lacking map.prepare report",
    "Marks": "marks.all marks.undo marks.tag marks.untag marks.star marks.unstar "
    "marks.documents marks.id_of marks.merge marks.keep_apart marks.split marks.set_kind "
    "marks.rename marks.hide "
    "marks.set_role marks.unhide marks.undo_edit marks.add_event marks.change_event "
    "marks.hide_event marks.unhide_event marks.take_event marks.untake_event",
    "Quality": "admin.health admin.index_status admin.doctor",
    "Collection": "admin.facts admin.update admin.rename admin.describe admin.tag admin.close "
    "admin.archive admin.reopen",
    "Snapshots, export, upkeep": "admin.snapshots admin.take_snapshot admin.remove_snapshot "
    "admin.restore admin.export admin.upkeep admin.freeable_bytes",
}
"""All methods by purpose; the table in docs/python-reference.md is made of it."""
PARTS = {"read": Read, "map": Map, "marks": Marks, "admin": Admin}

NAMES = """documents chunks pages search entities entity_mentions encounters graph timeline amounts
references reference_citations related_documents topics clusters compare changes index_status
health""".split()
RESULTS: dict[str, Callable[[Collection], Tabular[Any]]] = {n: TABLES[n][0] for n in NAMES}
RESULTS["collections"] = lambda c: casetrack.collections(data_dir=c.workspace.settings.data_dir)


@pytest.fixture(scope="module")
def results(demo: Collection) -> dict[str, Tabular[Any]]:
    return {name: ask(demo) for name, ask in RESULTS.items()}


# --- names ------------------------------------------------------------------------------------


def test_package_offers_what_it_says() -> None:
    assert dir(casetrack) == sorted(casetrack.__all__)
    assert all(getattr(casetrack, name) for name in casetrack.__all__)
    assert casetrack.Collection is Collection
    with pytest.raises(AttributeError, match="opne"):
        _ = casetrack.opne  # type: ignore[attr-defined]
    # A name that type checkers know is one that Python imports.
    for stub in (CHECKOUT / "casetrack").rglob("*.pyi"):
        parts = stub.relative_to(CHECKOUT).with_suffix("").parts
        importlib.import_module(".".join(parts).removesuffix(".__init__"))


def test_completion_offers_what_the_page_describes(demo: Collection) -> None:
    own = {name for name in dir(demo) if not name.startswith("_")}
    offered = own - PARTS.keys()
    for part in PARTS:
        inner = {name for name in dir(getattr(demo, part)) if not name.startswith("_")}
        offered |= {f"{part}.{name}" for name in inner}
    described = {name for names in GROUPS.values() for name in names.split()}
    assert offered - described == {"folder", "info", "name", "workspace"}
    assert described <= offered


def method_of(name: str) -> Callable[..., Any]:
    part, _, own = name.rpartition(".")
    result: Callable[..., Any] = getattr(PARTS[part] if part else Collection, own)
    return inspect.unwrap(result)


def needs_pro(name: str) -> bool:
    """Return whether a method asks for a feature that the Free tier lacks."""
    return "feature=" in inspect.getsource(method_of(name))


def method_table() -> str:
    """Return the table of all methods, as the page has it."""
    lines = ["| method | what it does | gives |", "|---|---|---|"]
    for group, names in GROUPS.items():
        lines.append(f"| **{group}** | | |")
        for name in names.split():
            method = method_of(name)
            text = " ".join((inspect.getdoc(method) or "").split("\n\n")[0].split())
            text = re.sub(r":(?:meth|class|func|data):`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", text)
            text = text.replace("``", "`").removeprefix("Return ")
            text = re.split(r"(?<=\w)\. |; see ", text)[0].rstrip(".").replace("*", "`")
            gives = str(inspect.signature(method).return_annotation).replace("|", r"\|")
            mark = " *Pro*" if needs_pro(name) else ""
            lines.append(f"| `{name}`{mark} | {text[0].upper()}{text[1:]} | `{gives}` |")
    return "\n".join(lines) + "\n"


def test_table_of_methods_is_that_of_the_class(golden: Callable[[Path, str], None]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert METHODS.search(text)
    golden(PAGE, METHODS.sub(lambda _: method_table(), text))


@pytest.mark.slow
def test_page_is_typed(tmp_path: Path) -> None:
    """All examples as one program, checked as strictly as can be."""
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"))
    (tmp_path / "page.py").write_text("\n".join(blocks), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir"]
    done = subprocess.run(
        [*command, str(tmp_path / "cache"), "--follow-imports=silent", str(tmp_path / "page.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=CHECKOUT,
    )
    assert done.returncode == 0, done.stdout


# --- documents, passages, days: their names, or themselves ------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "ask",
    [
        lambda c, d: c.document(d),
        lambda c, d: c.read.chunks(d),
        lambda c, d: c.read.structure(d),
        lambda c, d: c.read.browse(d, 1, 1),
        lambda c, d: c.search("liability", document=d).results,
        lambda c, d: c.map.amounts(document=d),
        lambda c, d: c.map.related_documents(d),
        lambda c, d: c.map.changes(d, AMENDMENT).changes,
        lambda c, d: c.map.compare(d, AMENDMENT, "acceptance").as_dict(),
    ],
)
def test_document_is_named_or_given(demo: Collection, ask: Any) -> None:
    document = demo.document(AGREEMENT)
    wanted = ask(demo, AGREEMENT)
    assert wanted
    for given_as in (document, document.document_id, Path(document.path), Path(AGREEMENT)):
        assert ask(demo, given_as) == wanted


def test_passage_is_named_or_given(demo: Collection) -> None:
    hit, event = demo.search("acceptance tests")[0], demo.map.timeline()[0]
    for place, chunk_id in ((hit, hit.chunk_id), (event, event.quote.chunk_id)):
        assert demo.read.chunk(place) == demo.read.chunk(chunk_id)
        assert demo.read.context(place) == demo.read.context(chunk_id)
        assert demo.read.traverse(place, limit=2) == demo.read.traverse(chunk_id, limit=2)
        assert demo.map.similar_chunks(place) == demo.map.similar_chunks(chunk_id)


def test_page_of_a_document_itself(demo: Collection) -> None:
    document = next(d for d in demo.documents() if d.format == "txt")
    picture = demo.read.page_image(document, page=1)
    assert (picture.document, picture.page) == (document.name, 1)
    assert picture.png.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "start",
    [
        date(2024, 10, 1),
        datetime(2024, 10, 1),  # noqa: DTZ001 - what people write
        datetime(2024, 10, 1, 23, tzinfo=UTC),
    ],
)
def test_days_are_text_or_dates(demo: Collection, start: date) -> None:
    wanted = demo.map.timeline(start="2024-10-01", end="2024-10-31")
    assert wanted
    assert demo.map.timeline(start=start, end=date(2024, 10, 31)).events == wanted.events


def test_one_text_is_one(demo: Collection, library: Library) -> None:
    assert library.create("Tagged", tags="lease").info.tags == ("lease",)
    assert demo.search("rent", stages="bm25").stages_used == ("bm25",)


# --- mistakes ---------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[Callable[[Collection], object], type[Exception]]] = {
    "path for a name": (
        lambda c: casetrack.open(Path("Demo"), data_dir=c.workspace.settings.data_dir),
        UsageError,
    ),  # type: ignore[arg-type]
    "no document": (lambda c: c.read.pages("Ammendment No 1.docx"), DocumentNotFound),
    "list of documents": (lambda c: c.read.pages([AMENDMENT]), UsageError),  # type: ignore[arg-type]
    "no chunk": (lambda c: c.read.chunk("abc"), ChunkNotFound),
    "nothing": (lambda c: c.read.chunk(None), UsageError),  # type: ignore[arg-type]
    "document for a passage": (lambda c: c.read.page_image(AMENDMENT), UsageError),
    "an entity has no one place": (lambda c: c.read.page_image(c.map.entities()[0]), UsageError),  # type: ignore[arg-type]
    "no words": (lambda c: c.search(None), UsageError),  # type: ignore[arg-type]
    "half a result": (lambda c: c.search("rent", limit=2.5), UsageError),  # type: ignore[arg-type]
    "fusion": (lambda c: c.search("rent", fusion="sum"), UsageError),  # type: ignore[arg-type]
    "related": (lambda c: c.search("rent", related=-1), UsageError),
    "least": (lambda c: c.map.amounts(least="5"), UsageError),  # type: ignore[arg-type]
    "no paths": (lambda c: c.ingest(None), UsageError),  # type: ignore[arg-type]
    "bytes": (lambda c: c.ingest(b"a.pdf"), UsageError),  # type: ignore[arg-type]
    "number": (lambda c: c.ingest(["a.pdf", 3]), UsageError),  # type: ignore[list-item]
    "empty path": (lambda c: c.ingest(""), UsageError),
    "row": (lambda c: c.map.timeline(limit=3)[3], IndexError),
    "result": (lambda c: c.search("rent", limit=1)[-2], IndexError),
}


def test_mistakes_are_told(demo: Collection, messages: Callable[..., None]) -> None:
    lines = []
    for name, (call, error) in MISTAKES.items():
        with pytest.raises(error) as caught:
            call(demo)
        lines.append(f"{name}: {caught.value}")
    messages("\n".join(lines).replace("WindowsPath", "PosixPath"))


def test_missing_collection_says_where_it_was_looked_for(library: Library) -> None:
    with pytest.raises(CollectionNotFound) as caught:
        casetrack.open("Nowhere", data_dir=library.settings.data_dir)
    assert str(library.settings.data_dir) in caught.value.__notes__[0]


@pytest.mark.slow
def test_generator_of_paths_will_do(library: Library, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The rent is due on Monday.", encoding="utf-8")
    report = library.create("Case").ingest(p for p in tmp_path.glob("*.txt"))
    assert [outcome.status for outcome in report] == ["ingested"]


# --- collections ------------------------------------------------------------------------------


def test_collection_is_a_context_manager(demo: Collection) -> None:
    with demo as opened:
        assert opened is demo
        assert demo.search("rent")
    assert demo.search("rent"), "it goes on where it is used again"


@pytest.mark.slow
def test_several_threads_ask(demo: Collection) -> None:
    questions = ["rent", "delay", "crane", "acceptance"] * 3
    wanted = [demo.search(q, limit=3).results for q in questions]
    demo.workspace.forget()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda q: demo.search(q, limit=3).results, questions)) == wanted


# --- tables -----------------------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", RESULTS)
def test_rows_are_counted_gone_through_sliced_and_pickled(
    results: dict[str, Tabular[Any]], name: str
) -> None:
    rows = results[name]
    record, items = rows._table()
    assert len(rows) == len(items) == rows.to_arrow().num_rows > 0
    assert bool(rows)
    assert list(rows) == list(items)
    assert rows[0] == items[0]
    assert rows[-1] == items[-1]
    assert isinstance(rows[0], record)
    assert list(rows[1:3]) == list(items)[1:3]
    with pytest.raises(IndexError):
        rows[len(items)]
    again = pickle.loads(pickle.dumps(rows))
    assert again == rows
    assert again.to_arrow() == rows.to_arrow()


TYPES = {
    "text": pa.string(),
    "whole": pa.int64(),
    "number": pa.float64(),
    "flag": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
    "day": pa.date32(),
    "texts": pa.list_(pa.string()),
}
PYTHON = {
    datetime: "time", date: "day", str: "text", bool: "flag", int: "whole", float: "number",
    tuple: "texts", list: "texts",
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_columns_have_the_types_of_their_values(
    results: dict[str, Tabular[Any]], name: str
) -> None:
    rows = results[name]
    record, items = rows._table()
    layout = layout_of(record)
    table = rows.to_arrow()
    assert table.schema == pa.schema([(n, TYPES[kind]) for n, kind in layout.kinds.items()])
    for item in items:
        for column, value in layout.row(item).items():
            if value is not None and column in layout.kinds:
                kind = layout.kinds[column]
                assert PYTHON[type(value)] in {kind, "whole" if kind == "number" else kind}, column
    moments = [f for f in table.schema if f.name.endswith("_at")]
    assert all(f.type == TYPES["time"] for f in moments)
    if "citation" in table.column_names and "chunk_id" in table.column_names:
        assert None not in table["citation"].to_pylist()
    assert Rows((), of=record).to_arrow().schema == table.schema
    assert {f.name for f in fields(record)} & set(table.column_names) or "citation" in layout.kinds


@pytest.mark.slow
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.sampled_from(sorted(RESULTS)), part=st.slices(30))
def test_any_part_is_that_part_of_the_table(
    results: dict[str, Tabular[Any]], name: str, part: slice
) -> None:
    rows = results[name]
    table, cut = rows.to_arrow(), rows[part].to_arrow()
    assert cut == table.take(pa.array(range(len(rows))[part], pa.int64()))
    frame = rows[part].to_polars()
    assert frame.schema == rows.to_polars().schema
    assert frame.to_arrow().cast(table.schema) == cut
    assert frame.equals(pl.DataFrame(pl.from_arrow(cut)))


def test_pandas_keeps_types_whatever_the_values(results: dict[str, Tabular[Any]]) -> None:
    wanted = {"whole": "Int64", "flag": "boolean", "number": "float64"}
    for rows in results.values():
        table, frame = rows.to_arrow(), rows.to_pandas()
        kinds = layout_of(rows._table()[0]).kinds
        assert frame.shape == table.shape
        assert list(frame.dtypes) == list(rows[:0].to_pandas().dtypes)
        for column, kind in kinds.items():
            assert str(frame[column].dtype) == wanted.get(kind, str(frame[column].dtype))
            if kind == "texts":
                assert frame[column].tolist() == table[column].to_pylist()
