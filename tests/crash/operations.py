"""The table of operations that change a data folder. Add a new operation here to test it.

Each operation has a preparation, the operation itself, and the steps that are repeated after a
kill. It acknowledges every step when the call has returned. All files are in a data folder and a
folder of sources, so that they can be copied and the operation run any number of times.
"""

from __future__ import annotations

import contextlib
import zipfile
from dataclasses import dataclass
from email.message import EmailMessage
from typing import TYPE_CHECKING, Protocol
from unittest import mock

import older_form
from casetrack.api.watch.watch_list import WatchList
from casetrack.base.crypt import stream
from casetrack.base.crypt.secret import Cost, Secret
from casetrack.base.crypt.stream import DecryptingReader
from casetrack.base.errors import (
    CollectionExists,
    CollectionNotFound,
    CollectionSealed,
    DocumentNotFound,
    UsageError,
)
from stub_source import StubSource
from tests.crash.world import LONG, NAME, PHRASE, SHORT, open_library, text_of, write_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from casetrack.api.collection import Collection

SIX = range(6)


class Step(Protocol):
    """Something done to a data folder."""

    def __call__(self, data_dir: Path, files: Path, done: Callable[[str], None], /) -> None:
        """Do it, and call *done* after each part of it that is acknowledged."""


@dataclass(frozen=True)
class Operation:
    """An entry of the table.

    Attributes
    ----------
    prepare
        Makes the data folder and the files.
    is_one_commit
        Documents are all as before, or all as after.
    run
        The operation. After an interruption, a second run must end in the same state.
    """

    prepare: Step
    run: Step
    is_one_commit: bool = False


def _nothing(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    write_files(files, SIX)


def _empty(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    write_files(files, SIX)
    open_library(data_dir).create(NAME, profile=SHORT)


def _filled(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _empty(data_dir, files, done)
    report = open_library(data_dir).get(NAME).ingest([files])
    assert report.count("ingested") == len(SIX)


def _changed(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _filled(data_dir, files, done)
    write_files(files, (1, 3, 5), version=2)
    write_files(files, (6,))


def _without_views(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    import shutil

    _filled(data_dir, files, done)
    shutil.rmtree(open_library(data_dir).get(NAME).folder / "views")


def _many_pieces(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    """One fragment per document, so that the next writer merges them."""
    _store(open_library(data_dir).create(NAME, profile="mini"), range(15))


def _store(collection: Collection, numbers: Iterable[int]) -> None:
    """Store texts without files, each in a separate commit."""
    from casetrack.store.session import write_session
    from conftest import store_text

    stored = {d.name for d in collection.documents()}
    with write_session(collection.folder) as session:
        for number in numbers:
            if f"p{number}.txt" not in stored:
                store_text(session, f"p{number}.txt", text_of(number))
                session.commit()


def _rearranged(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _filled(data_dir, files, done)
    write_files(files, (1, 5), version=2)
    write_files(files, (6,))
    (files / "further").mkdir()
    (files / "02.txt").rename(files / "further" / "moved.txt")
    (files / "04.txt").unlink()


def _sourced(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    """A source was synced, and lists other things now: new, changed, renamed, gone."""
    _empty(data_dir, files, done)
    collection = open_library(data_dir).get(NAME)
    before = StubSource({f"{n:02d}.txt": text_of(n) for n in SIX})
    assert collection.sync_source(before).count("new") == len(SIX)


def _with_snapshot(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _filled(data_dir, files, done)
    collection = open_library(data_dir).get(NAME)
    collection.admin.take_snapshot("full")
    collection.delete_document("03.txt")


def _mail_with_snapshot(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    """A mail lost one attachment and has got two others since."""
    _empty(data_dir, files, done)
    collection = open_library(data_dir).get(NAME)
    for version, numbers in ((1, (0, 1)), (2, (1, 2, 4))):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "a@example.org", "b@example.org", "Terms"
        mail.set_content(text_of(3, version))
        for number in numbers:
            mail.add_attachment(text_of(number, version), filename=f"{number}.txt")
        (files / "mail.eml").write_bytes(mail.as_bytes())
        assert collection.ingest([files / "mail.eml"]).count("failed") == 0
        if version == 1:
            collection.admin.take_snapshot("full")


def _exported(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _filled(data_dir, files, done)
    open_library(data_dir).get(NAME).admin.export(files / "case.ctcollection")


def _closed(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _with_snapshot(data_dir, files, done)
    open_library(data_dir).get(NAME).admin.close()


def _sealed(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _closed(data_dir, files, done)
    seal(data_dir, files, done)


def _cheap() -> contextlib.AbstractContextManager[object]:
    """Make key derivation cheap, because these tests need no protection against guessing."""
    return mock.patch.object(stream, "COST", Cost(1, 8192))


def _in_pieces(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _many_pieces(data_dir, files, done)
    collection = open_library(data_dir).get(NAME)
    for number in range(4):
        collection.delete_document(f"p{number}.txt")


def _of_version_0(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    _filled(data_dir, files, done)
    older_form.age(open_library(data_dir).get(NAME).folder)


# --- operations ------------------------------------------------------------------------------


def create(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    with contextlib.suppress(CollectionExists):
        open_library(data_dir).create("New", profile=SHORT)
    done("created")


def ingest(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    report = open_library(data_dir).get(NAME).ingest([files])
    assert report.count("failed") == 0
    done("ingested")


def ingest_twice(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    """Ingest, then ingest the failed files again: a killed reader loses its current file."""
    collection = open_library(data_dir).get(NAME)
    failed = [f for f in collection.ingest([files]).outcomes if f.status == "failed"]
    assert all(f.message for f in failed)
    assert collection.ingest([files]).count("failed") == 0
    done("ingested")


def store_and_merge(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    collection = open_library(data_dir).get(NAME)
    _store(collection, range(15, 18))
    done("stored")


def delete_documents(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    collection = open_library(data_dir).get(NAME)
    for name in ("00.txt", "03.txt", "05.txt"):
        with contextlib.suppress(DocumentNotFound):
            collection.delete_document(name)
        done(name)


def reindex(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    open_library(data_dir).get(NAME).admin.reindex(force=True)
    done("reindexed")


def reindex_to_another(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    open_library(data_dir).get(NAME).admin.reindex(LONG)
    done("reindexed")


def delete_collection(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    library = open_library(data_dir)
    with contextlib.suppress(CollectionNotFound):
        library.delete(NAME)
    done("deleted")
    with contextlib.suppress(CollectionExists):
        library.create("Other", profile=SHORT)
    done("made")


def search(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    collection = open_library(data_dir).get(NAME)
    assert list(collection.search("marker", related=3))
    done("searched")


def synchronise(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    report = open_library(data_dir).get(NAME).sync(files, remove_deleted=True)
    assert report.count("failed") == 0
    done("synchronised")


def sync_source(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    now = StubSource({f"{n:02d}.txt": text_of(n) for n in (0, 3, 6)})
    now.texts |= {f"{n:02d}.txt": text_of(n, 2) for n in (1, 5)}
    now.texts["further/moved.txt"] = text_of(2)
    report = open_library(data_dir).get(NAME).sync_source(now)
    assert report.count("failed") == 0
    done("synchronised")


def delete_securely(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    collection = open_library(data_dir).get(NAME)
    with contextlib.suppress(DocumentNotFound):
        collection.delete_document("03.txt", secure=True)
    done("deleted")


def take_snapshot(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    collection = open_library(data_dir).get(NAME)
    names = {s.name for s in collection.admin.snapshots(limit=0)}
    if "one" not in names:
        collection.admin.take_snapshot("one")
    done("taken")
    if "two" not in names:
        collection.admin.take_snapshot("two")
    done("taken")


def restore(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    open_library(data_dir).get(NAME).admin.restore("full")
    done("restored")


def export(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    """Export; a file with the name of the archive is always complete."""
    archive = data_dir / "case.ctcollection"
    library = open_library(data_dir)
    if archive.exists():
        with zipfile.ZipFile(archive) as stored:
            assert stored.testzip() is None
    library.get(NAME).admin.export(archive, overwrite=True)
    done("exported")


def export_encrypted(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    """Export; a file with the name of the encrypted archive always decrypts to its end."""
    archive = data_dir / "case.ctsealed"
    library = open_library(data_dir)
    if archive.exists():
        with archive.open("rb") as stored:
            for _ in DecryptingReader(stored, Secret.of(PHRASE), archive.name).blocks():
                pass
    with _cheap():
        library.get(NAME).admin.export(archive, overwrite=True, passphrase=PHRASE)
    done("exported")


def seal(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    with contextlib.suppress(CollectionSealed), _cheap():
        open_library(data_dir).seal(NAME, PHRASE)
    done("sealed")


def unseal(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    library = open_library(data_dir)
    if library.sealed():
        library.unseal(NAME, PHRASE)
    assert library.get(NAME).documents()
    done("opened")


def import_archive(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    with contextlib.suppress(CollectionExists):
        open_library(data_dir).import_archive(files / "case.ctcollection", name="Imported")
    done("imported")


def change_facts(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    library = open_library(data_dir)
    collection = library.get(library.collections()[0].id)
    if collection.info.status != "active":
        collection.admin.reopen()
    with contextlib.suppress(UsageError):
        collection.admin.update(name="Renamed", description="in other words")
    done("changed")
    collection.admin.close()
    done("closed")


def keep_up(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    assert open_library(data_dir).get(NAME).admin.upkeep(wait=True) is not None
    done("kept up")


def migrate(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    library = open_library(data_dir)
    library.get(library.collections()[0].id)
    done("migrated")


def watch(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    library = open_library(data_dir)
    collection_id = library.get(NAME).info.id
    watch_list = WatchList(data_dir)
    for watched in (files, files.parent):
        if str(watched) not in {w.folder for w in watch_list.watches()}:
            watch_list.add(collection_id, watched)
        done("watched")


def run_job(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    library = open_library(data_dir)
    info = library.get(NAME).info
    library.run_job("ingest", lambda _tell, _cancel: None, title="Nothing", collection=info)
    done("done")


def pull_model(data_dir: Path, files: Path, done: Callable[[str], None]) -> None:
    """Pull the model of *files* into a models folder."""
    import pickle

    from casetrack.models.downloads import HubSource
    from casetrack.models.pull import pull

    spec = pickle.loads((files / "spec").read_bytes())
    source = HubSource((files / "address").read_text())
    pull(spec, data_dir, sources=[source])
    done("pulled")


PULL = Operation(_nothing, pull_model)
"""It needs a hub, so it has separate tests."""
OPERATIONS: dict[str, Operation] = {
    "create": Operation(_nothing, create),
    "ingest": Operation(_empty, ingest),
    "ingest what failed again": Operation(_empty, ingest_twice),
    "ingest changed files": Operation(_changed, ingest),
    "store and merge": Operation(_many_pieces, store_and_merge),
    "delete documents": Operation(_filled, delete_documents),
    "reindex": Operation(_filled, reindex),
    "reindex to another profile": Operation(_filled, reindex_to_another),
    "delete a collection": Operation(_filled, delete_collection),
    "sync": Operation(_rearranged, synchronise),
    "sync a source": Operation(_sourced, sync_source),
    "delete securely": Operation(_filled, delete_securely),
    "take snapshots": Operation(_filled, take_snapshot),
    "restore": Operation(_with_snapshot, restore, is_one_commit=True),
    "restore a mail": Operation(_mail_with_snapshot, restore, is_one_commit=True),
    "export": Operation(_filled, export),
    "export encrypted": Operation(_filled, export_encrypted),
    "seal": Operation(_closed, seal),
    "unseal": Operation(_sealed, unseal),
    "import": Operation(_exported, import_archive),
    "rename and close": Operation(_filled, change_facts),
    "upkeep": Operation(_in_pieces, keep_up),
    "migrate": Operation(_of_version_0, migrate),
    "watch": Operation(_empty, watch),
    "job": Operation(_empty, run_job),
    "search without views": Operation(_without_views, search),
}
