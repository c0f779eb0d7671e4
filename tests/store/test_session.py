"""Documents become visible whole, and nothing of a stopped writer is ever seen."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

import lance
import pytest

from casetrack.base.errors import CollectionBusy, DiskFull, NotWritable, SchemaError, StorageError
from casetrack.base.files import translate, write_json
from casetrack.store.lock import write_lock
from casetrack.store.session import WriteSession, leftovers, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

Store = "Callable[..., Document]"
TEXT = "The supplier delivers. " * 200


def rows(folder: Path) -> int:
    return lance.dataset(folder / "chunks.lance").count_rows()


def test_nothing_is_visible_before_the_commit(
    library: Library, store_text: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casetrack.store.session._COMMIT_SECONDS", 3600.0)
    collection = library.create("C")
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", TEXT)
        assert collection.documents() == []
        session.commit()
        assert [d.name for d in collection.documents()] == ["a.txt"]
    assert len(collection.read.chunks("a.txt")) == collection.documents()[0].chunk_count > 1


@pytest.mark.slow
def test_a_new_revision_replaces_the_old_one_whole(library: Library, store_text: Store) -> None:
    collection = library.create("C")
    with write_session(collection.folder) as session:
        old = store_text(session, "a.txt", "First version. " * 300)
    same = {"document_id": old.document_id, "replaces": old.revision}
    with write_session(collection.folder) as session:
        new = store_text(session, "a.txt", "Second version. " * 100, **same)
        assert all("First" in c.text for c in collection.read.chunks("a.txt"))
    assert all("Second" in c.text for c in collection.read.chunks("a.txt"))
    assert rows(collection.folder) == new.chunk_count


@pytest.mark.slow
def test_the_next_writer_sweeps_what_a_stopped_one_left(
    library: Library, store_text: Store
) -> None:
    collection = library.create("C")
    with write_session(collection.folder) as session:
        kept = store_text(session, "kept.txt", TEXT)
    stopped = WriteSession(collection.folder)
    stopped.begin()
    document = store_text(stopped, "half.txt", TEXT)
    stopped._finished.clear()  # as if killed between the chunks' commit and the ledger's
    stopped.commit()
    assert rows(collection.folder) == kept.chunk_count + document.chunk_count
    assert [d.name for d in collection.documents()] == ["kept.txt"]
    assert len(leftovers(collection.folder)) == 1
    collection.admin.take_snapshot("then")
    assert rows(collection.folder) == kept.chunk_count
    assert leftovers(collection.folder) == []


@pytest.mark.slow
def test_an_error_inside_leaves_only_what_was_committed(
    library: Library, store_text: Store
) -> None:
    collection = library.create("C")

    def fail() -> None:
        with write_session(collection.folder) as session:
            store_text(session, "done.txt", TEXT)
            session.commit()
            store_text(session, "undone.txt", TEXT)
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert [d.name for d in collection.documents()] == ["done.txt"]
    with write_session(collection.folder):
        pass
    assert rows(collection.folder) == collection.documents()[0].chunk_count


def test_tables_that_are_not_chunks_are_refused(library: Library) -> None:
    import pyarrow as pa

    collection = library.create("C")
    with (
        write_session(collection.folder) as session,
        pytest.raises(SchemaError, match=r"chunks\.chunk_id"),
    ):
        session.append(pa.table({"text": ["x"]}))


def _hold(folder: str, ready: object, release: object) -> None:
    from pathlib import Path

    with write_lock(Path(folder)):
        ready.set()  # type: ignore[attr-defined]
        release.wait(60)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_writers_wait_and_a_dead_one_holds_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, release = context.Event(), context.Event()
    process = context.Process(target=_hold, args=(str(tmp_path), ready, release))
    process.start()
    assert ready.wait(60)
    with pytest.raises(CollectionBusy, match=str(tmp_path)), write_lock(tmp_path, timeout=0.1):
        pass
    process.kill()
    process.join()
    with write_lock(tmp_path, timeout=5):
        pass


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(28, "No space left on device"), DiskFull),
        (OSError(30, "Read-only file system"), NotWritable),
        (RuntimeError("LanceError(IO): No space left on device (os error 28)"), DiskFull),
        (OSError(20, "Not a directory"), StorageError),
        (RuntimeError("strange"), StorageError),
    ],
)
def test_storage_errors_say_what_to_do(
    tmp_path: Path, error: Exception, kind: type[StorageError]
) -> None:
    result = translate(error, tmp_path)
    assert type(result) is kind
    assert str(tmp_path) in result.message
    assert result.hint


def test_json_files_are_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.json"
    write_json(path, {"a": 1})
    write_json(path, {"a": 2})
    assert path.read_text() == '{\n  "a": 2\n}\n'
    assert list(path.parent.iterdir()) == [path]
