"""The ledger of files that are not in a collection as they are: one record for every face."""

from __future__ import annotations

import os
import shutil
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import StorageError
from casetrack.keep.sources.filesystem import FilesystemSource
from casetrack.store.untaken import FILE

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

PDF = b"%PDF-1.4 damaged"
RUN, LOOK = "casetrack.ingest.batch.IngestRun.ingest", "casetrack.keep.sync.scan.Scanner.scan"


def listed(collection: Collection) -> set[tuple[str, str, str]]:
    files = [f for f in collection.workspace.state().untaken() if f.code != "usage"]
    assert all(file.message and file.since.tzinfo for file in files)
    return {(file.status, os.path.basename(file.path), file.code) for file in files}  # noqa: PTH119


def mail_with(name: str, content: bytes) -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Lease", "ann@example.com"
    mail.set_content("The lease ends in May.")
    mail.add_attachment(content, maintype="application", subtype="pdf", filename=name)
    return mail.as_bytes()


@pytest.fixture
def collection(library: Library) -> Collection:
    return library.create("Case")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "files"
    home.mkdir()
    files = {
        "good.txt": b"The lease ends in May.",
        "same.txt": b"The lease ends in May.",
        "empty.txt": b"",
        "damaged.pdf": PDF,
        "odd.xyz": b"x",
        "mail.eml": mail_with("inside.pdf", PDF),
    }
    for name, content in files.items():
        (home / name).write_bytes(content)
    (tmp_path / "outside.txt").write_text("Elsewhere.")
    (home / "link.txt").symlink_to(tmp_path / "outside.txt")
    (tmp_path / "others").mkdir()
    (home / "links").symlink_to(tmp_path / "others")
    return home


ALL = {
    ("failed", "damaged.pdf", "parse_failed"),
    ("failed", "inside.pdf", "parse_failed"),
    ("skipped", "same.txt", "duplicate"),
    ("skipped", "empty.txt", "empty_file"),
    ("skipped", "odd.xyz", "unsupported_format"),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ingest", "sync"])
def test_every_file_is_listed_until_it_is_read_or_deleted(
    collection: Collection, library: Library, folder: Path, how: str
) -> None:
    def take() -> None:
        collection.ingest(folder) if how == "ingest" else collection.sync(folder)

    take()
    assert listed(collection) >= ALL
    since = {file.path: file.since for file in collection.workspace.state().untaken()}
    take()
    again = library.get(collection.name)
    assert listed(again) >= ALL
    assert {file.path: file.since for file in again.workspace.state().untaken()} == since
    (folder / "damaged.pdf").unlink()
    (folder / "empty.txt").write_text("It has a text now.")
    (folder / "mail.eml").write_bytes(mail_with("inside.txt", b"A text."))
    assert "damaged.pdf" not in {name for _, name, _ in listed(collection)}
    take()
    assert {name for _, name, _ in listed(collection)} == {"same.txt", "odd.xyz"}
    links = {f.path for f in collection.workspace.state().untaken() if f.code == "usage"}
    assert links == {str(folder / "link.txt"), str(folder / "links")}


def test_no_face_calls_a_collection_with_failed_files_whole(
    collection: Collection, folder: Path
) -> None:
    collection.ingest([folder / "good.txt", folder / "damaged.pdf"])
    health, status = collection.admin.health(), collection.admin.index_status()
    for files in (health.untaken, status.untaken):
        assert [file.path for file in files] == [str(folder / "damaged.pdf")]
    assert not status.ok
    assert status.as_dict()["untaken"][0]["hint"]
    for figures in (collection.map.statistics(), collection.map.summary().statistics):
        assert "damaged.pdf" in figures.notes[-1]
    assert "damaged.pdf" in collection.report(pictures=False, progress=False)


@pytest.mark.slow
@pytest.mark.parametrize(("adding", "part"), [("ingest", RUN), ("sync", RUN), ("sync", LOOK)])
def test_interrupted_adding_stays_listed(
    collection: Collection, folder: Path, adding: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(part, die)
        with pytest.raises(SystemExit):
            getattr(collection, adding)(folder)
    assert listed(collection) == {("failed", "files", "unfinished")}
    getattr(collection, adding)(folder)
    assert "unfinished" not in {code for _, _, code in listed(collection)}


@pytest.mark.parametrize("error", [StorageError("No room."), ValueError("odd")])
def test_a_sync_that_fails_is_listed_until_one_succeeds(
    collection: Collection, folder: Path, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    collection.sync(folder)
    (folder / "new.txt").write_text("A new file.")
    with monkeypatch.context() as patched:
        patched.setattr("casetrack.ingest.batch.IngestRun.ingest", fail)
        with pytest.raises(type(error)):
            collection.sync(folder)
    assert listed(collection) >= {("failed", "files", getattr(error, "code", "unexpected"))} | ALL
    collection.sync(folder)
    assert "files" not in {name for _, name, _ in listed(collection)}


def test_a_source_lists_what_is_too_large_and_that_it_failed(
    collection: Collection, folder: Path
) -> None:
    def sync(most: int, root: Path = folder) -> set[tuple[str, str, str]]:
        collection.sync_source(FilesystemSource("case", root=root, max_extract_bytes=most))
        return listed(collection)

    assert ("skipped", "good.txt", "source_skipped") in sync(10)
    assert "good.txt" not in {name for _, name, _ in sync(10_000)}
    gone = {entry for entry in sync(10_000, folder / "gone") if entry[1] == "filesystem:case"}
    assert gone == {("failed", "filesystem:case", "source_failed")}
    assert "filesystem:case" not in {name for _, name, _ in sync(10_000)}


def test_an_export_carries_the_ledger(
    collection: Collection, library: Library, folder: Path, tmp_path: Path
) -> None:
    collection.ingest([folder])
    before = listed(collection)
    collection.admin.export(tmp_path / "case.ctcollection")
    shutil.rmtree(folder)
    library.import_archive(tmp_path / "case.ctcollection", name="Other")
    other = library.get("Other")
    assert listed(other) >= ALL
    assert listed(other) <= before
    (tmp_path / "damaged.pdf").write_bytes(PDF)
    (tmp_path / "odd.xyz").write_bytes(b"x")
    other.ingest([tmp_path / "damaged.pdf"])
    files = {f.path for f in other.workspace.state().untaken() if f.path.endswith("damaged.pdf")}
    assert files == {str(tmp_path / "damaged.pdf")}


def test_a_deleted_document_takes_its_entry_along(collection: Collection, folder: Path) -> None:
    collection.sync(folder)
    (folder / "good.txt").write_bytes(b"")
    collection.sync(folder)
    assert ("failed", "good.txt", "empty_file") in listed(collection)
    collection.delete_document("good.txt")
    assert "good.txt" not in {name for _, name, _ in listed(collection)}
    (copy,) = (f for f in collection.workspace.state().untaken() if f.code == "duplicate")
    assert copy.document_id is None


def test_a_damaged_ledger_is_reported_until_it_is_written_again(
    collection: Collection, folder: Path
) -> None:
    collection.ingest([folder])
    before = {entry for entry in listed(collection) if entry[0] == "failed"}
    ledger = collection.folder / FILE
    ledger.write_bytes(ledger.read_bytes()[:-40])
    assert listed(collection) == {("failed", FILE, "ledger_damaged")}
    collection.ingest([folder], force=True)
    assert {entry for entry in listed(collection) if entry[0] == "failed"} == before
