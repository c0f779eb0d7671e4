"""A collection of an older form opens, answers, grows and shrinks like a new one.

No schema version was released before the present one, so the older form is invented, see
``tests/older_form.py``. The collection "Boat house" of that form is made by code: a folder with
three small texts is ingested with a draft of ``lantern.md`` and a fourth file, ``lantern.md`` is
replaced and the folder ingested again, the fourth file is deleted; then the columns that version 0
lacks are dropped. Vectors come from fake models.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import lance
import pytest

import older_form
from casetrack.api.library import Library
from casetrack.base import errors, schema
from casetrack.base.config import load_settings
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.store import migrations
from casetrack.store.datasets import open_snapshot
from casetrack.store.info import read_info, update_info
from casetrack.store.lock import write_lock
from casetrack.store.migrations import backup as backup_module
from casetrack.store.migrations import backups, migrate, remove_backups
from casetrack.store.session import write_session
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.base.records import Document

    Store = Callable[..., Document]

NAMES = {"Fährplan für Müßiggänger.txt", "lantern.md", "lease.txt"}
TEXTS = {
    "Fährplan für Müßiggänger.txt": "Die Fähre legt um zwölf Uhr ab. Wer trödelt, wartet.",
    "lantern.md": "# Lantern\n\nA draft of what is said of the lantern.",
    "lease.txt": "The landlord lets the boat house from 1 May 2024 for 120 euros.",
    "oars.txt": "The oars were sold.",
}
TABLES = ("chunks", "documents")


class Killed(BaseException):
    """The end of a process."""


@pytest.fixture(scope="module")
def boat_house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the collection of version 0; do not change it."""
    base = tmp_path_factory.mktemp("boat-house")
    files = base / "files"
    files.mkdir()
    for name, text in TEXTS.items():
        (files / name).write_text(text, "utf-8")
    library = Library(load_settings(base / "data"))
    library.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    collection = library.create("Boat house")
    collection.ingest([files])
    (files / "lantern.md").write_text("# Lantern\n\nThe lantern hangs by the door.", "utf-8")
    collection.ingest([files])
    collection.delete_document("oars.txt")
    older_form.age(collection.folder)
    for leftover in collection.folder.glob(".*"):
        leftover.unlink()
    return collection.folder


@pytest.fixture
def old(library: Library, boat_house: Path) -> Iterator[Library]:
    """A library with the collection "Boat house" of version 0, which the program knows."""
    shutil.copytree(boat_house, library.settings.collections_dir / boat_house.name)
    with older_form.known():
        yield library


def home(library: Library) -> Path:
    (folder,) = (p for p in library.settings.collections_dir.iterdir() if p.name[0] != ".")
    return folder


def columns_of(folder: Path, table: str) -> set[str]:
    return set(lance.dataset(folder / f"{table}.lance").schema.names)


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows in the columns of version 0, in a stable order."""
    names = list(schema.table(table, version=0).names)
    rows = lance.dataset(folder / f"{table}.lance").to_table(columns=names).to_pylist()
    return sorted(rows, key=lambda row: row["chunk_id" if table == "chunks" else "document_id"])


def failing_checks(library: Library) -> list[str]:
    checks = library.get("Boat house").admin.doctor().checks
    return [f"{c.name}: {c.detail}" for c in checks if not c.ok and c.name != "source files"]


def test_the_present_version_is_the_first(library: Library) -> None:
    assert schema.versions() == (SCHEMA_VERSION,) == (1,)
    assert migrations.MIGRATIONS == {}
    folder = library.create("From nowhere").folder
    older_form.age(folder)
    with pytest.raises(errors.MigrationFailed, match="From nowhere"):
        Library(library.settings).get("From nowhere")
    assert backups(folder) == ()


@pytest.mark.slow
def test_it_opens_with_all_that_was_there(old: Library) -> None:
    folder = home(old)
    before = {table: rows_of(folder, table) for table in TABLES}
    facts = json.loads((folder / "collection.json").read_text("utf-8"))
    collection = old.get("Boat house")
    info = collection.info
    assert (info.schema_version, info.profile, info.dimension) == (SCHEMA_VERSION, "mini", 384)
    kept = ("id", "name", "type", "status", "description", "reference", "tags", "pipeline")
    assert {name: info.as_dict()[name] for name in kept} == {name: facts[name] for name in kept}
    for table in TABLES:
        assert columns_of(folder, table) == set(schema.table(table).names)
        assert rows_of(folder, table) == before[table]
    assert {d.name for d in collection.documents()} == NAMES
    (hit, *_) = collection.search("Müßiggänger Fähre zwölf", mode="keyword")
    assert hit.provenance.document_name == "Fährplan für Müßiggänger.txt"
    assert hit.text.startswith("Die Fähre legt um zwölf Uhr ab.")
    assert collection.workspace.state().snapshot.scan(["dense"])["dense"].null_count == 0
    assert failing_checks(old) == []


@pytest.mark.slow
def test_it_grows_and_shrinks(old: Library, tmp_path: Path) -> None:
    collection = old.get("Boat house")
    (tmp_path / "oar.txt").write_text("Two oars lie under the landing stage.", "utf-8")
    assert collection.ingest([tmp_path / "oar.txt"]).count("ingested") == 1
    collection.delete_document("lease.txt")
    again = Library(old.settings).get("Boat house")
    assert {d.name for d in again.documents()} == NAMES - {"lease.txt"} | {"oar.txt"}
    assert len(again.search("oars", mode="keyword")) == 1
    assert not again.search("landlord", mode="keyword")
    assert failing_checks(Library(old.settings)) == []


def test_a_reindex_gives_it_what_models_say_now(old: Library) -> None:
    old.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    collection = old.get("Boat house")
    assert collection.admin.reindex().documents == len(NAMES)
    columns = collection.workspace.state().snapshot.scan(
        ["dense", "tokens", "dates", "embedded_at"]
    )
    assert [columns[n].null_count for n in columns.column_names] == [0] * 4
    assert {d.reference_count for d in collection.documents()} == {0}
    assert collection.search("lantern", mode="semantic").mode == "semantic"
    assert failing_checks(old) == []


def test_it_says_once_what_it_did_and_does_nothing_more(
    old: Library, caplog: pytest.LogCaptureFixture, messages: Callable[[str], None]
) -> None:
    folder = home(old)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        old.get("Boat house")
    versions = [lance.dataset(folder / f"{t}.lance").version for t in TABLES]
    written = (folder / "collection.json").stat().st_mtime_ns
    assert not migrate(folder)
    Library(old.settings).get("Boat house")
    assert versions == [lance.dataset(folder / f"{t}.lance").version for t in TABLES]
    assert (folder / "collection.json").stat().st_mtime_ns == written
    (record,) = caplog.records
    messages(record.getMessage())


# --- the backup ------------------------------------------------------------------------------


@pytest.mark.parametrize("has_links", [True, False])
def test_the_backup_is_the_collection_as_it_was(
    old: Library, boat_house: Path, has_links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home(old)
    if not has_links:

        def refuse(*_: object) -> None:
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", refuse)
    old.get("Boat house")
    (made,) = backups(folder)
    assert (made.path, made.version) == (folder / "backup" / "v0", 0)
    files = {p.relative_to(boat_house) for p in boat_house.rglob("*") if p.is_file()}
    files = {p for p in files if p.parts[0] != "views"}
    assert files == {p.relative_to(made.path) for p in made.path.rglob("*") if p.is_file()}
    for file in files:
        assert (made.path / file).read_bytes() == (boat_house / file).read_bytes()
        is_data = "data" in file.parts
        assert ((made.path / file).stat().st_nlink > 1) == (is_data and has_links), file
    # Later changes of the collection do not affect it.
    collection = old.get("Boat house")
    with write_session(folder) as session:
        session.delete(collection.documents())
    for table in TABLES:
        assert rows_of(made.path, table) == rows_of(boat_house, table)


def test_doctor_tells_of_the_backup_until_it_is_removed(old: Library) -> None:
    folder = home(old)
    before = old.get("Boat house").stats().storage_bytes
    (check,) = (c for c in old.doctor().checks if c.name == "Boat house: backup")
    (made,) = backups(folder)
    assert check.ok
    assert str(made.path) in check.detail
    with write_lock(folder):
        assert remove_backups(folder, older_than=timedelta(days=30)) == ()
        stale = (datetime.now(UTC) - timedelta(days=31)).timestamp()
        os.utime(made.path / "collection.json", (stale, stale))
        assert [b.version for b in remove_backups(folder, older_than=timedelta(days=30))] == [0]
    assert not (folder / "backup").exists()
    assert backups(folder) == ()
    # Shared files counted once, so they are still there and count the same.
    after = old.get("Boat house").stats().storage_bytes
    data = sum(p.stat().st_size for p in folder.glob("*.lance/data/*"))
    assert before - made.size_bytes < after < before
    assert after > data
    assert failing_checks(old) == []


def test_without_room_for_the_backup_nothing_is_changed(
    old: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home(old)
    with monkeypatch.context() as patch:
        usage = shutil.disk_usage(folder)._replace(free=1000)
        patch.setattr(backup_module.shutil, "disk_usage", lambda _: usage)
        with pytest.raises(errors.DiskFull):
            old.get("Boat house")
    assert not list((folder / "backup").iterdir())
    for table in TABLES:
        assert columns_of(folder, table) == set(schema.table(table, version=0).names)
    assert {d.name for d in old.get("Boat house").documents()} == NAMES


def test_what_the_earlier_program_did_since_is_in_a_new_backup(
    old: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first attempt made a backup and failed; the collection was then used by its program."""
    folder = home(old)
    with monkeypatch.context() as patch:
        patch.setitem(migrations.MIGRATIONS, 0, fail)
        with pytest.raises(errors.MigrationFailed):
            old.get("Boat house")
    ledger = lance.dataset(folder / "documents.lance")
    ledger.delete("name = 'lease.txt'")
    old.get("Boat house")
    names = {row["name"] for row in rows_of(folder / "backup" / "v0", "documents")}
    assert names == NAMES - {"lease.txt"}


# --- killed, failed, refused -----------------------------------------------------------------


def fail(*_: object) -> None:
    raise OSError(errno.EIO, "the disk does not answer")


@pytest.mark.parametrize("what", ["backed up", "within", "noted"])
def test_killed_anywhere_it_is_completed(
    old: Library, boat_house: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home(old)
    with monkeypatch.context() as patch:
        kill_at(patch, what)
        with pytest.raises(Killed):
            old.get("Boat house")
    assert read_info(folder).schema_version == (1 if what == "noted" else 0)
    library = Library(old.settings)
    collection = library.get("Boat house")
    assert collection.info.schema_version == SCHEMA_VERSION
    assert {d.name for d in collection.documents()} == NAMES
    assert failing_checks(library) == []
    for table in TABLES:
        assert columns_of(folder, table) == set(schema.table(table).names)
        assert rows_of(folder / "backup" / "v0", table) == rows_of(boat_house, table)
    assert read_info(folder / "backup" / "v0").schema_version == 0


def test_what_a_killed_attempt_left_is_cleared_away(old: Library) -> None:
    """Both kinds: a half-made backup, and the files that ask whether there are hard links."""
    folder = home(old)
    half = folder / "backup" / ".v0-0badcafe"

    def leave() -> None:
        half.mkdir(parents=True)
        (half / "lantern.md").write_text("half", "utf-8")
        for name in (".probe", ".link"):
            (folder / "backup" / name).touch()

    leave()
    assert old.get("Boat house").info.schema_version == SCHEMA_VERSION
    assert [path.name for path in (folder / "backup").iterdir()] == ["v0"]
    leave()
    with write_lock(folder):
        remove_backups(folder)
    assert not (folder / "backup").exists()


def kill_at(patch: pytest.MonkeyPatch, what: str) -> None:
    """Let the process end at a moment of a migration."""

    def kill(*_: object, **__: object) -> Any:
        raise Killed

    step = migrations.MIGRATIONS[0]

    def within(folder: Path, info: Any) -> None:
        """Do half of the work: the columns of one dataset of two."""
        real, calls = lance.LanceDataset.add_columns, []

        def add_columns(self: Any, *arguments: Any, **options: Any) -> Any:
            if calls:
                raise Killed
            calls.append(1)
            real(self, *arguments, **options)

        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(lance.LanceDataset, "add_columns", add_columns)
            step(folder, info)
        raise Killed

    real_update = migrations.update_info

    def noted(folder: Path, change: Any) -> Any:
        info = real_update(folder, change)
        if info.schema_version > 0:
            raise Killed
        return info

    if what == "backed up":
        patch.setattr(migrations, "make_backup", lambda *a: (backup_module.make_backup(*a), kill()))
    elif what == "noted":
        patch.setattr(migrations, "update_info", noted)
    else:
        patch.setitem(migrations.MIGRATIONS, 0, within)


def test_one_that_fails_leaves_the_others_alone(
    old: Library, monkeypatch: pytest.MonkeyPatch, messages: Callable[[str], None]
) -> None:
    old.create("Other")
    with monkeypatch.context() as patch:
        patch.setitem(migrations.MIGRATIONS, 0, fail)
        with pytest.raises(errors.MigrationFailed) as caught:
            old.get("Boat house")
        messages(str(caught.value))
        assert old.get("Other").documents() == []
        assert {i.name for i in old.collections()} == {"Boat house", "Other"}
        problems = [c.name for c in old.doctor().checks if not c.ok and "models" not in c.name]
        assert "Boat house: opening" in problems
        assert not any(name.startswith("Other") for name in problems)
    assert {d.name for d in old.get("Boat house").documents()} == NAMES
    assert failing_checks(old) == []


def test_a_newer_version_is_refused(old: Library) -> None:
    folder = home(old)
    update_info(folder, lambda info: replace(info, schema_version=SCHEMA_VERSION + 1))
    with pytest.raises(errors.FutureSchema, match=r"\b2\b.*\b1\b"):
        old.get("Boat house")
    assert not migrate(folder)
    assert not (folder / "backup").exists()


def test_while_another_program_migrates_the_other_waits(old: Library) -> None:
    folder = home(old)
    with write_lock(folder), pytest.raises(errors.CollectionBusy):
        migrate(folder, timeout=0.1)
    assert read_info(folder).schema_version == 0
    assert not (folder / "backup").exists()


def test_a_read_only_folder_is_reported_as_such(
    old: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home(old)

    def refuse(path: Path, *_: object) -> None:
        raise errors.NotWritable(path)

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "make_backup", refuse)
        with pytest.raises(errors.NotWritable):
            old.get("Boat house")
    assert read_info(folder).schema_version == 0
    assert {d.name for d in old.get("Boat house").documents()} == NAMES


def test_it_can_be_deleted_without_being_migrated(old: Library) -> None:
    old.delete("Boat house")
    assert list(old.settings.collections_dir.iterdir()) == []


def test_an_empty_collection(library: Library) -> None:
    older_form.age(library.create("Old").folder)
    with older_form.known():
        collection = Library(library.settings).get("Old")
        assert collection.documents() == []
        assert open_snapshot(collection.folder).profile == "mini"
        assert collection.admin.doctor().ok
