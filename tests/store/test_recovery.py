"""A torn ``collection.json``, copied folders, and folders that are no collection at all."""

from __future__ import annotations

import json
import logging
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import older_form
from casetrack.api.library import Library
from casetrack.base.errors import AmbiguousName, CollectionDamaged, FutureSchema, NotWritable
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.store import info
from casetrack.store.info import COPY, DAMAGED, FILE, read_info, repaired_info, update_info
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection


@pytest.fixture
def case(library: Library, store_text: Callable[..., object]) -> Collection:
    """The collection "Case" with one document."""
    collection = library.create("Case", description="Über Boote", tags=["harbour"])
    with write_session(collection.folder) as session:
        store_text(session, "ferry.txt", "The ferry leaves at noon.")
    return collection


def facts(**changes: Any) -> Callable[[bytes], bytes]:
    """Return the change of an editor: other values; ``...`` removes a key."""

    def change(data: bytes) -> bytes:
        raw = json.loads(data) | changes
        return json.dumps({k: v for k, v in raw.items() if v is not ...}).encode()

    return change


TORN: dict[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda _: None,
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "zeros": lambda data: bytes(len(data)),
    "no text": lambda _: b"\xff\xfe\x00",
    "a list": lambda _: b"[]",
    "two halves": lambda data: data[:100] + data,
    "name is no text": facts(name=7),
    "name is empty": facts(name=""),
    "tags are a text": facts(tags="harbour"),
    "tags are numbers": facts(tags=[1]),
    "status is unknown": facts(status="sleeping"),
    "version is a text": facts(schema_version="4"),
    "version is true": facts(schema_version=True),
    "dimension is zero": facts(dimension=0),
    "no time": facts(updated_at="yesterday"),
    "null time": facts(created_at=None),
    "no profile": facts(profile=...),
    "no id": facts(id=...),
}


def tear(folder: Path, how: str, *, file: str = FILE) -> None:
    path = folder / file
    data = TORN[how](path.read_bytes())
    path.unlink() if data is None else path.write_bytes(data)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("how", TORN)
def test_it_is_restored_from_the_copy(
    case: Collection, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    case.admin.close()
    before = case.info
    tear(case.folder, how)
    torn = (case.folder / FILE).read_bytes() if how != "missing" else None
    with pytest.raises(CollectionDamaged, match=r"collection\.json"):
        read_info(case.folder)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        library = Library(case.workspace.settings)
        assert library.collections() == [before]
        assert library.damaged() == []
    (record,) = caplog.records
    assert '"Case"' in record.getMessage()
    assert (DAMAGED in record.getMessage()) is (torn is not None)
    assert read_info(case.folder) == before
    kept = case.folder / DAMAGED
    assert (kept.read_bytes() if kept.exists() else None) == torn
    assert [d.name for d in library.get("Case").documents()] == ["ferry.txt"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("how", "copy"), [("missing", "missing"), ("empty", "cut"), ("cut", "tags are a text")]
)
def test_without_a_copy_it_is_made_from_the_documents(
    case: Collection, how: str, copy: str, caplog: pytest.LogCaptureFixture
) -> None:
    (document,) = case.documents()
    tear(case.folder, how)
    tear(case.folder, copy, file=COPY)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        opened = Library(case.workspace.settings).get(case.folder.name)
    info = opened.info
    assert case.folder.name[:8] in info.name
    assert (info.id, info.profile, info.dimension) == (case.folder.name, "mini", 384)
    assert (info.schema_version, info.pipeline) == (SCHEMA_VERSION, "standard")
    assert (info.type, info.status, info.tags) == ("other", "active", ())
    moments = (document.ingested_at, document.updated_at)
    assert (info.created_at, info.updated_at) == tuple(m.replace(microsecond=0) for m in moments)
    (record,) = caplog.records
    assert info.name in record.getMessage()
    assert len(opened.search("ferry", mode="keyword")) == 1
    assert [c.name for c in opened.admin.doctor().checks if not c.ok] == ["source files"]
    opened.admin.rename("Case")
    assert Library(case.workspace.settings).get("Case").info.id == case.folder.name


def test_an_empty_collection_of_other_models_is_rebuilt(library: Library) -> None:
    from casetrack.store import datasets

    folder = library.create("Case").folder
    for name in ("chunks.lance", "documents.lance"):
        shutil.rmtree(folder / name)
    datasets.create(folder, 16, profile="ollama")
    (folder / FILE).unlink()
    (folder / COPY).unlink()
    info = repaired_info(folder)
    assert (info.profile, info.dimension) == ("ollama", 16)


def test_an_earlier_version_is_rebuilt_and_migrated(case: Collection) -> None:
    folder = case.folder
    older_form.age(folder)
    (folder / FILE).unlink()
    (folder / COPY).unlink()
    with older_form.known():
        assert repaired_info(folder).schema_version == 0
        opened = Library(case.workspace.settings).get(folder.name[:8])
        assert opened.info.schema_version == SCHEMA_VERSION
        assert len(opened.documents()) == 1


def test_what_a_newer_version_wrote_is_left_as_it_is(case: Collection) -> None:
    """Its facts may be unlike those of today; an older copy of them must not take their place."""
    path = case.folder / FILE
    path.write_bytes(facts(schema_version=99, profile=..., models=["a"])(path.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(FutureSchema):
        repaired_info(case.folder)
    library = Library(case.workspace.settings)
    assert library.collections() == []
    ((_, reason),) = library.damaged()
    assert "99" in reason
    assert path.read_bytes() == before


def test_columns_that_nobody_knows_are_not_guessed_at(case: Collection) -> None:
    import lance

    lance.dataset(case.folder / "documents.lance").add_columns({"mood": "1"})
    for name in (FILE, COPY):
        (case.folder / name).unlink()
    with pytest.raises(CollectionDamaged):
        repaired_info(case.folder)
    assert not (case.folder / FILE).exists()


@pytest.mark.parametrize("what", ["nothing", "notes", "half a collection", "torn data"])
def test_a_folder_that_is_no_collection_stays_damaged(
    library: Library, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    library.create("Good")
    folder = library.settings.collections_dir / "11111111-2222-3333-4444-555555555555"
    folder.mkdir()
    if what == "notes":
        (folder / "notes.txt").write_text("mine")
    if what == "half a collection":
        (folder / "chunks.lance").mkdir()
    if what == "torn data":
        for name in ("chunks.lance", "documents.lance"):
            (folder / name / "_versions").mkdir(parents=True)
    before = sorted(p.name for p in folder.rglob("*"))
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        assert [i.name for i in library.collections()] == ["Good"]
    ((result, _),) = library.damaged()
    assert result == folder
    assert caplog.records == []
    after = sorted(p.name for p in folder.rglob("*") if p.name != ".info.lock")
    assert after == before
    with pytest.raises(CollectionDamaged):
        library.get("11111111")


def test_a_mark_that_an_editor_puts_in_front_does_no_harm(case: Collection) -> None:
    path = case.folder / FILE
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_info(case.folder).description == "Über Boote"


def test_the_copy_follows_every_change(case: Collection) -> None:
    case.admin.rename("Renamed")
    update_info(case.folder, lambda info: replace(info, reference="R-1"))
    assert (case.folder / COPY).read_bytes() == (case.folder / FILE).read_bytes()
    tear(case.folder, "cut")
    (info,) = Library(case.workspace.settings).collections()
    assert (info.name, info.reference) == ("Renamed", "R-1")


def test_what_could_not_be_stored_does_not_come_back(
    case: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is written after the file, never before it."""
    from casetrack.base.errors import DiskFull
    from casetrack.store import info as module

    def full(path: Path, _: object) -> None:
        raise DiskFull(path)

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_json", full)
        with pytest.raises(DiskFull):
            case.admin.rename("Never")
    tear(case.folder, "empty")
    assert [i.name for i in Library(case.workspace.settings).collections()] == ["Case"]


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no facts of a collection be written."""

    def refuse(folder: Path) -> None:
        raise NotWritable(folder)

    monkeypatch.setattr(info, "info_lock", refuse)


@pytest.mark.usefixtures("read_only")
def test_a_read_only_folder_is_reported(case: Collection) -> None:
    tear(case.folder, "cut")
    before = (case.folder / FILE).read_bytes()
    library = Library(case.workspace.settings)
    assert library.collections() == []
    ((_, reason),) = library.damaged()
    assert "collection.json" in reason
    assert (case.folder / FILE).read_bytes() == before


def test_several_mend_it_once(case: Collection, caplog: pytest.LogCaptureFixture) -> None:
    for name in (FILE, COPY):
        tear(case.folder, "empty", file=name)
    together = threading.Barrier(3, timeout=60)

    def mend(_: int) -> str:
        together.wait()
        (info,) = Library(case.workspace.settings).collections()
        return info.name

    with caplog.at_level(logging.WARNING, "casetrack.repairs"), ThreadPoolExecutor(3) as threads:
        assert len({*threads.map(mend, range(3))}) == 1
    assert len(caplog.records) == 1


# --- copied folders --------------------------------------------------------------------------


@pytest.fixture
def twin(case: Collection) -> Path:
    """A copy of the folder of "Case" next to it."""
    folder = case.folder.with_name("99999999-aaaa-bbbb-cccc-dddddddddddd")
    return shutil.copytree(case.folder, folder)


def test_a_copied_folder_is_a_collection_of_its_own(
    case: Collection, twin: Path, caplog: pytest.LogCaptureFixture
) -> None:
    library = Library(case.workspace.settings)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        infos = library.collections()
        assert library.collections() == infos
    assert {i.id for i in infos} == {case.folder.name, twin.name}
    assert [i.name for i in infos] == ["Case", "Case"]
    (record,) = caplog.records
    assert all(name in record.getMessage() for name in ("Case", twin.name))
    assert json.loads((twin / FILE).read_text("utf-8"))["id"] == twin.name
    with pytest.raises(AmbiguousName, match=r'2 .*"Case"'):
        library.get("Case")
    library.get("99999999").delete_document("ferry.txt")
    assert library.get("99999999").documents() == []
    assert len(library.get(case.folder.name).documents()) == 1
    library.get(twin.name).admin.rename("Twin")
    assert library.get("Case").folder == case.folder


def test_a_renamed_folder_keeps_its_new_name(case: Collection) -> None:
    remote = case.folder.with_name("Case, a copy of March")
    case.folder.rename(remote)
    opened = Library(case.workspace.settings).get("Case")
    assert (opened.folder, opened.info.id) == (remote, remote.name)
    assert [d.name for d in opened.documents()] == ["ferry.txt"]


@pytest.mark.usefixtures("read_only")
def test_a_copy_in_a_read_only_folder_is_listed_all_the_same(case: Collection, twin: Path) -> None:
    before = (twin / FILE).read_bytes()
    infos = Library(case.workspace.settings).collections()
    assert {i.id for i in infos} == {case.folder.name, twin.name}
    assert (twin / FILE).read_bytes() == before


def test_a_torn_copy_takes_its_folders_name(twin: Path) -> None:
    """The copy next to a copied file also names the first folder."""
    tear(twin, "cut")
    assert repaired_info(twin).id == twin.name
    assert read_info(twin).name == "Case"
