"""An import restores the content of the export."""

from __future__ import annotations

import json
import os
import tempfile
import threading
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lance
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import older_form
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import (
    CollectionDamaged,
    CollectionExists,
    DiskFull,
    JobStopped,
    SourceError,
    StorageError,
    UsageError,
)
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.ingest.pipeline import Tools
from casetrack.keep.transfer.manifest import is_safe_name, safe_name
from casetrack.store import datasets
from casetrack.store.info import read_info, update_info
from casetrack.store.session import write_session
from conftest import store_text
from fakes import FakeEncoders, WordEncoder
from stub_source import StubSource
from tests.keep.transfer.conftest import TOOLS, Archive, with_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.collection import Collection


def rows(collection: Collection) -> tuple[Any, ...]:
    """Return every stored row, copies' places aside."""
    snapshot = datasets.open_snapshot(collection.folder)
    ledger = snapshot.documents.table.drop_columns("original_copy")
    chunks = snapshot.scan(snapshot.chunks.schema.names).to_pylist()
    order = list(snapshot.revisions)
    chunks.sort(key=lambda r: (order.index(r["revision"]), r["chunk_index"]))
    return ledger.to_pylist(), chunks, snapshot.profile, snapshot.generation


def leftovers(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.name.startswith("."))


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(["rent", "harbour", "lease", "notice", "storm"]), min_size=1),
        max_size=6,
    ),
    gone=st.sets(st.integers(0, 5)),
    has_tokens=st.booleans(),
)
def test_any_collection_comes_back(
    texts: list[list[str]], gone: set[int], has_tokens: bool
) -> None:
    encoder = WordEncoder("legal", 768, token_width=16 if has_tokens else None)
    with tempfile.TemporaryDirectory() as home:
        local, remote = (Library(load_settings(Path(home) / n)) for n in ("here", "there"))
        local.encoders = remote.encoders = FakeEncoders(encoder)  # type: ignore[assignment]
        case = local.create("Case", profile="legal")
        for number, words in enumerate(texts):
            with write_session(case.folder) as session:
                tools = Tools(encoder=encoder, dimension=768)
                store_text(session, f"{number}.txt", " ".join(words) + ". ", tools=tools)
        for number in gone & set(range(len(texts))):
            case.delete_document(f"{number}.txt")
        remote.import_archive(case.admin.export(Path(home) / "x").path)
        copy = remote.get("Case")
        assert rows(case) == rows(copy)
        for word in ("rent", "storm harbour"):
            result, again = (c.search(word, limit=9) for c in (case, copy))
            assert [h.as_dict() for h in result] == [h.as_dict() for h in again]


def test_the_state_of_sources_travels(case: Collection, other: Library, tmp_path: Path) -> None:
    stub = StubSource({"a.txt": "All about goods.", "b.txt": "All about rent."})
    stub.errors["b.txt"] = [SourceError("git:stub", "the line is dead.", hint="Mend it.")]
    case.sync_source(stub)
    (before,) = case.sources()
    other.import_archive(case.admin.export(tmp_path / "x").path)
    (after,) = other.get(case.info.name).sources()
    assert after == before
    assert (after.documents, bool(after.problem), after.last_synced_at is None) == (1, True, False)


@pytest.mark.slow
def test_nothing_deleted_or_replaced_travels(case: Collection, tmp_path: Path) -> None:
    old = case.document("copied.txt")
    facts: dict[str, str] = {"document_id": old.document_id}
    for text in ("Unspeakable zanzibarium.", "Something quite harmless."):
        facts["replaces"] = case.document("copied.txt").revision
        with write_session(case.folder) as session:
            made = store_text(session, "copied.txt", text, tools=TOOLS, **facts)
            session.finish(with_copy(case, made, text.encode()))
    case.admin.take_snapshot("keeps the old rows")
    case.delete_document("a.txt")
    report = case.admin.export(tmp_path / "out")
    with zipfile.ZipFile(report.path) as archive:
        content = b"".join(archive.read(n) for n in archive.namelist())
        names = archive.namelist()
        archive.extractall(tmp_path / "raw")
    assert b"zanzibarium" not in content
    assert not [n for n in names if "snapshots" in n or "views" in n or "journal" in n]
    raw = lance.dataset(tmp_path / "raw" / "chunks.lance")
    assert raw.count_rows() == report.chunks == sum(d.chunk_count for d in case.documents())
    assert len(raw.versions()) == 1
    keys = raw.to_table(columns=["document_id", "chunk_index"]).to_pylist()
    order = [d.document_id for d in datasets.open_snapshot(case.folder).documents.values()]
    assert keys == sorted(keys, key=lambda r: (order.index(r["document_id"]), r["chunk_index"]))
    manifest = json.loads((tmp_path / "raw" / "manifest.json").read_text())
    assert manifest["counts"]["originals"] == 1
    assert manifest["models"] == [TOOLS.encoder.fingerprint]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("status", ["active", "closed", "archived"])
def test_facts_travel_and_names_give_way(
    case: Collection, other: Library, tmp_path: Path, status: str
) -> None:
    update_info(case.folder, lambda info: replace(info, status=status))  # type: ignore[arg-type]
    path = case.admin.export(tmp_path).path
    assert Path(path).name == "Case_ Smith_Jones_.ctcollection"
    for name in (None, None, "Third"):
        report = other.import_archive(path, name=name)
        info = other.get(report.collection_id).info
        assert info == replace(case.info, id=info.id, name=report.collection)
        assert report.original_name == case.name
    assert {i.name for i in other.collections()} == {case.name, f"{case.name} (2)", "Third"}
    assert len({i.id for i in other.collections()} | {case.info.id}) == 4
    with pytest.raises(CollectionExists):
        other.import_archive(path, name="THIRD")
    with pytest.raises(UsageError):
        other.import_archive(path, name="")
    assert leftovers(other.settings.collections_dir) == []


@pytest.mark.slow
def test_copies_travel_and_can_still_be_shown(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    report = other.import_archive(case.admin.export(tmp_path / "x").path)
    copy = other.get(report.collection)
    document = copy.document("copied.txt")
    assert (copy.folder / str(document.original_copy)).read_text() == "The harbour master signed."
    assert report.originals == 1
    with write_session(copy.folder) as session:  # it takes changes like any other
        store_text(session, "new.txt", "One more.")
    copy.delete_document("a.txt")
    assert copy.stats().document_count == 3


def test_copies_that_are_gone_or_changed_stay_behind_with_a_note(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    copy = case.folder / str(case.document("copied.txt").original_copy)
    changed = copy.read_bytes().upper()
    for content in (changed, changed[1:], None):
        copy.unlink() if content is None else copy.write_bytes(content)
        report = case.admin.export(tmp_path / "x", overwrite=True)
        assert report.originals == 0
        assert "copied.txt" in report.notes[0]
        assert other.import_archive(report.path).originals == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("out", "out.ctcollection"),
        ("out.ctcollection", "out.ctcollection"),
        ("v1.2", "v1.2.ctcollection"),
        ("new/deep/x", "new/deep/x.ctcollection"),
    ],
)
def test_where_it_is_written(case: Collection, tmp_path: Path, name: str, expected: str) -> None:
    report = case.admin.export(tmp_path / name)
    assert Path(report.path) == tmp_path / expected
    assert report.bytes == (tmp_path / expected).stat().st_size
    with pytest.raises(UsageError):
        case.admin.export(tmp_path / name)
    assert case.admin.export(str(tmp_path / name), overwrite=True).path == report.path
    assert leftovers((tmp_path / expected).parent) == []


def test_never_into_its_own_folder(case: Collection, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(case.folder)
    for place in (case.folder, case.folder / "x", tmp_path / "link" / "views" / "x"):
        with pytest.raises(UsageError):
            case.admin.export(place)


@pytest.mark.slow
def test_a_stopped_export_leaves_nothing(case: Collection, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    seen: list[tuple[str, int]] = []
    case.admin.export(out / "whole", progress=lambda what, done, _: seen.append((what, done)))
    assert [d for _, d in seen] == sorted(d for _, d in seen)
    assert seen[-1] == ("Packing", 100)
    (out / "whole.ctcollection").unlink()
    for limit in range(1, len(seen)):  # with the last step it comes too late
        stop, left = threading.Event(), iter(range(limit - 1))

        def tell(*_: object, stop: threading.Event = stop, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                stop.set()

        with pytest.raises(JobStopped):
            case.admin.export(out / "x", progress=tell, cancel=stop)
        assert list(out.iterdir()) == []
    assert list((case.folder / "reader-locks").iterdir()) == []


def test_a_full_disk_leaves_nothing(
    case: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    for place in ("zipfile.ZipFile.writestr", "zipfile._ZipWriteFile.write", "lance.write_dataset",
                  "pathlib.Path.replace"):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(place, full)
            with pytest.raises(DiskFull):
                case.admin.export(out / "x")
        assert list(out.iterdir()) == []
    assert case.admin.export(out / "x").documents == 3


@pytest.mark.slow
def test_what_a_killed_export_left_is_removed_by_the_next_one(
    case: Collection, tmp_path: Path
) -> None:
    left = tmp_path / ".casetrack-export-0123"
    (left / "content" / "chunks.lance").mkdir(parents=True)
    (left / ".lock").touch()
    case.admin.export(tmp_path / "x")
    assert leftovers(tmp_path) == []


@pytest.mark.slow
def test_changes_meanwhile_do_not_get_into_it(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    before = [r["document_id"] for r in rows(case)[0]]
    changed = threading.Event()

    def change(_what: str, _done: int, _total: int) -> None:
        if not changed.is_set():
            changed.set()
            case.delete_document("a.txt")
            with write_session(case.folder) as session:
                store_text(session, "late.txt", "Too late. " * 500)
            for name in ("chunks.lance", "documents.lance"):
                dataset = lance.dataset(case.folder / name)
                dataset.cleanup_old_versions(timedelta(0), error_if_tagged_old_versions=False)

    path = case.admin.export(tmp_path / "x", progress=change).path
    copy = other.get(other.import_archive(path).collection)
    assert [r["document_id"] for r in rows(copy)[0]] == before


@pytest.mark.slow
def test_a_write_that_takes_long_does_not_hold_it_up(case: Collection, tmp_path: Path) -> None:
    with write_session(case.folder) as session:
        store_text(session, "late.txt", "Not yet. " * 500)
        assert case.admin.export(tmp_path / "x").documents == 3
    assert case.admin.export(tmp_path / "y").documents == 4


def test_a_damaged_collection_is_not_exported(case: Collection, tmp_path: Path) -> None:
    revision = case.document("a.txt").revision
    chunks = lance.dataset(case.folder / "chunks.lance")
    chunks.delete(f"revision = '{revision}' AND chunk_index = 0")
    with pytest.raises(CollectionDamaged):
        case.admin.export(tmp_path / "x")
    assert not (tmp_path / "x.ctcollection").exists()


@pytest.mark.slow
@pytest.mark.parametrize("failing", ["unpack", "names", "write_info", "rename", "get"])
def test_an_import_that_fails_anywhere_shows_nothing(
    case: Collection, other: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = case.admin.export(tmp_path / "x").path
    places = {
        "unpack": "casetrack.keep.transfer.import_archive.sync_folder",
        "names": "casetrack.keep.transfer.import_archive.names_lock",
        "write_info": "casetrack.keep.transfer.import_archive.write_info",
        "rename": "pathlib.Path.rename",
        "get": "casetrack.keep.transfer.import_archive.check_copy",
    }

    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(places[failing], full)
        with pytest.raises((StorageError, OSError)):
            other.import_archive(path)
    assert other.collections() == []
    assert leftovers(other.settings.collections_dir) == []
    assert other.import_archive(path).documents == 3


def test_a_stopped_import_shows_nothing(case: Collection, other: Library, tmp_path: Path) -> None:
    path = case.admin.export(tmp_path / "x").path
    stop = threading.Event()
    with pytest.raises(JobStopped):
        other.import_archive(path, progress=lambda *_: stop.set(), cancel=stop)
    assert other.collections() == []
    assert leftovers(other.settings.collections_dir) == []


@pytest.mark.slow
def test_an_earlier_version_is_migrated(case: Collection, other: Library, tmp_path: Path) -> None:
    archive = Archive.read(Path(case.admin.export(tmp_path / "x").path))
    folder = tmp_path / "raw"
    with zipfile.ZipFile(archive.write(tmp_path / "old.zip")) as packed:
        packed.extractall(folder)
    older_form.age(folder)
    raw = json.loads((folder / "collection.json").read_text("utf-8"))
    archive.manifest |= {"schema_version": 0, "collection": raw}
    archive.files = {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.name != "manifest.json" and not p.name.startswith(".")
    }
    with older_form.known():
        report = other.import_archive(archive.write(tmp_path / "old.zip"))
        copy = other.get(report.collection_id)
    assert read_info(copy.folder).schema_version == SCHEMA_VERSION
    assert [c.text for c in copy.read.chunks("a.txt")] == [
        c.text for c in case.read.chunks("a.txt")
    ]


@pytest.mark.slow
@given(name=st.text(max_size=300))
def test_any_name_becomes_a_safe_one(name: str) -> None:
    assert is_safe_name(safe_name(name))
    assert safe_name(name) == name or not is_safe_name(name)
