"""A collection of the first schema version opens, answers, grows and shrinks like a new one."""

from __future__ import annotations

import hashlib
import shutil
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import lance
import pyarrow as pa
import pytest

from casetrack import schema
from casetrack.library import Library
from casetrack.resources import SCHEMA_VERSION
from casetrack.store import upgrade as module
from casetrack.store.info import read_info, write_info
from casetrack.store.lock import write_lock
from casetrack.store.upgrade import upgrade
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.records import Document

    Store = Callable[..., Document]

TEXTS = {
    "lease.txt": "The tenant pays the rent on the third day.\n\nThe roof is the landlord's care.",
    "note.txt": "The ferry leaves at noon.",
}


def as_first_version(folder: Path, table: str) -> None:
    """Write a dataset anew as the first version declared it."""
    path = folder / f"{table}.lance"
    declared = schema.table(table, version=1).arrow()
    rows = lance.dataset(path).to_table(columns=declared.names).to_pylist()
    columns = {
        field.name: pa.array([narrowed(row[field.name], field.type) for row in rows], field.type)
        for field in declared
    }
    old = pa.table(columns, schema=declared)
    lance.write_dataset(old, path, mode="overwrite", enable_stable_row_ids=True)


def narrowed(value: Any, kind: pa.DataType) -> Any:
    """Leave out the parts of nested values that *kind* does not know."""
    if value is None:
        return None
    if pa.types.is_list(kind):
        return [narrowed(item, kind.value_type) for item in value]
    if pa.types.is_struct(kind):
        return {field.name: narrowed(value[field.name], field.type) for field in kind}
    return value


@pytest.fixture
def old(library: Library, tmp_path: Path) -> Library:
    """A library that was closed, with the collection "Old" as the first version left it."""
    collection = library.create("Old")
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = collection.ingest([tmp_path / name for name in TEXTS])
    assert report.count("ingested") == len(TEXTS)
    folder = collection.folder
    for table in ("chunks", "documents"):
        as_first_version(folder, table)
    shutil.rmtree(folder / "views")
    write_info(folder, replace(collection.info, schema_version=1))
    return Library(library.settings)


def home(library: Library) -> Path:
    (info,) = library.collections()
    return library.settings.collections_dir / info.id


def stored_names(folder: Path, table: str) -> set[str]:
    return set(lance.dataset(folder / f"{table}.lance").schema.names)


def check_present(library: Library) -> None:
    folder = home(library)
    collection = library.get("Old")
    assert read_info(folder).schema_version == SCHEMA_VERSION
    for table in ("chunks", "documents"):
        assert stored_names(folder, table) == set(schema.table(table).names)
    assert {d.name for d in collection.documents()} == set(TEXTS)
    assert collection.doctor().ok


def test_the_fixture_lacks_what_later_versions_added(old: Library) -> None:
    folder = home(old)
    for table in ("chunks", "documents"):
        assert stored_names(folder, table) == set(schema.table(table, version=1).names)
        assert stored_names(folder, table) < set(schema.table(table).names)


def test_opening_brings_it_to_the_present(old: Library) -> None:
    collection = old.get("Old")
    check_present(old)
    (hit,) = collection.search("ferry", mode="keyword")
    assert hit.provenance.cite() == "note.txt, p. 1, para. 1, l. 1"
    assert collection.chunks("lease.txt")[0].text == TEXTS["lease.txt"]
    document = collection.document("lease.txt")
    # What the first version did not ask is unknown, not made up.
    assert (document.missing, document.properties, document.parent_id) == ((), (), None)
    assert document.read_with is None
    assert collection.structure("lease.txt").sections == ()
    rows = collection.sql("SELECT name, missing FROM documents ORDER BY name")
    assert rows["name"].to_pylist() == sorted(TEXTS)
    assert document.as_dict()["name"] == "lease.txt"
    assert hit.provenance.source()["page_kind"] == "page"


def test_it_grows_and_shrinks(old: Library, tmp_path: Path) -> None:
    collection = old.get("Old")
    known = collection.ingest([tmp_path / "note.txt"])
    assert known.outcomes[0].code == "duplicate"
    (tmp_path / "new.md").write_text("# Lantern\n\nA lantern hangs over the door.", "utf-8")
    (tmp_path / "note.txt").write_text("The ferry leaves at one.", "utf-8")
    report = collection.ingest([tmp_path / "new.md", tmp_path / "note.txt"])
    assert [(o.status, o.updated) for o in report.outcomes] == [
        ("ingested", False),
        ("ingested", True),
    ]
    assert len(collection.search("lantern door", mode="keyword")) == 1
    assert [s.title for s in collection.structure("new.md").sections] == ["Lantern"]
    assert "at one" in collection.chunks("note.txt")[0].text
    collection.delete_document("lease.txt")
    assert {d.name for d in collection.documents()} == {"new.md", "note.txt"}
    assert collection.doctor().ok
    again = Library(old.settings).get("Old")
    assert {d.name for d in again.documents()} == {"new.md", "note.txt"}


def test_a_reindex_gives_it_what_models_say_now(old: Library) -> None:
    old.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    collection = old.get("Old")
    snapshot = collection.snapshot()
    assert (snapshot.profile, snapshot.dimension) == ("mini", 384)
    assert snapshot.scan(["tokens"])["tokens"].null_count == len(TEXTS)
    report = collection.reindex()
    assert (report.documents, report.embedded) == (len(TEXTS), len(TEXTS))
    columns = collection.snapshot().scan(["dense", "tokens", "embedders"])
    assert columns["dense"].null_count == columns["tokens"].null_count == 0
    assert collection.search("ferry", mode="semantic").mode == "semantic"
    check_present(old)
    assert collection.reindex().documents == 0


def test_it_can_be_deleted_whole(old: Library) -> None:
    folder = home(old)
    old.delete("Old")
    assert not folder.exists()


@pytest.mark.parametrize("stopped_at", ["documents.lance", "collection.json"])
def test_killed_half_way_it_is_completed(
    old: Library, monkeypatch: pytest.MonkeyPatch, stopped_at: str
) -> None:
    folder = home(old)
    real = module.open_dataset

    class Killed(BaseException):
        pass

    def open_dataset(place: Path, name: str, /) -> Any:
        if name == stopped_at:
            raise Killed
        return real(place, name)

    def write(place: Path, info: object, /) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, "open_dataset", open_dataset)
        patch.setattr(module, "write_info", write)
        with pytest.raises(Killed):
            old.get("Old")
    assert read_info(folder).schema_version == 1
    assert stored_names(folder, "chunks") == set(schema.table("chunks").names)
    check_present(Library(old.settings))


def test_the_upgrade_runs_once(old: Library) -> None:
    folder = home(old)
    assert upgrade(folder)
    versions = [lance.dataset(folder / f"{t}.lance").version for t in ("chunks", "documents")]
    assert not upgrade(folder)
    assert versions == [
        lance.dataset(folder / f"{t}.lance").version for t in ("chunks", "documents")
    ]


def test_while_somebody_upgrades_the_other_waits(old: Library) -> None:
    folder = home(old)
    with write_lock(folder, timeout=1.0):
        # The writer that holds the lock brings it up before the other gets it.
        write_info(folder, replace(read_info(folder), schema_version=SCHEMA_VERSION))
    assert not upgrade(folder)


def test_an_empty_collection(library: Library) -> None:
    folder = library.create("Old").folder
    for table in ("chunks", "documents"):
        as_first_version(folder, table)
    write_info(folder, replace(read_info(folder), schema_version=1))
    collection = Library(library.settings).get("Old")
    assert collection.documents() == []
    assert collection.doctor().ok


def test_rows_that_an_earlier_program_wrote(library: Library) -> None:
    """No code of today made these rows: only the declaration of the first version did."""
    collection = library.create("Old")
    folder, now = collection.folder, datetime(2025, 1, 2, tzinfo=UTC)
    text = "The quarry closes in May."
    document_id, revision = str(uuid.uuid4()), "0123456789abcdef-000001"
    given: dict[str, Any] = {
        "document_id": document_id,
        "revision": revision,
        "chunk_id": str(uuid.uuid4()),
        "name": "quarry.pdf",
        "path": "/files/quarry.pdf",
        "document_name": "quarry.pdf",
        "document_path": "/files/quarry.pdf",
        "format": "pdf",
        "text": text,
        "char_end": len(text),
        "char_count": len(text),
        "char_start": 0,
        "chunk_index": 0,
        "extraction_method": "Native",
        "terms": ["close", "may", "quarri"],
        "term_counts": [1, 1, 1],
        "term_total": 3,
        "file_hash": hashlib.sha256(b"quarry").hexdigest(),
        "pages_without_text": 0,
        "pipeline": "standard",
    }
    for table in ("chunks", "documents"):
        declared = schema.table(table, version=1).arrow()
        row = {f.name: given.get(f.name, plain(f, now)) for f in declared}
        lance.write_dataset(
            pa.Table.from_pylist([row], schema=declared),
            folder / f"{table}.lance",
            mode="overwrite",
            enable_stable_row_ids=True,
        )
    shutil.rmtree(folder / "views", ignore_errors=True)
    write_info(folder, replace(read_info(folder), schema_version=1))
    collection = Library(library.settings).get("Old")
    (hit,) = collection.search("quarry", mode="keyword")
    assert hit.provenance.cite() == "quarry.pdf, p. 1, para. 1, l. 1"
    assert collection.chunks("quarry.pdf")[0].text == text
    failed = [c.name for c in collection.doctor().checks if not c.ok]
    assert failed == ["source files"]  # the file itself was never there
    collection.delete_document("quarry.pdf")
    assert collection.documents() == []
    assert collection.doctor().ok


def plain(field: pa.Field, now: datetime) -> Any:
    """Return a plausible value for a column that the test does not care for."""
    if field.nullable:
        return None
    if pa.types.is_timestamp(field.type):
        return now
    if pa.types.is_boolean(field.type):
        return False
    if pa.types.is_list(field.type):
        return []
    return 1 if pa.types.is_integer(field.type) else "x"
