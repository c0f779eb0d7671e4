"""Collections at an address in object storage, used by several computers."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
from typing import TYPE_CHECKING, Any

import lance
import pytest

import object_service
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import (
    CollectionBusy,
    CollectionDamaged,
    CollectionGone,
    ObjectStorageError,
    PackageMissing,
    UsageError,
    WriterReplaced,
)
from casetrack.base.license import UNLIMITED
from casetrack.store import commits, lock, mirror, published
from casetrack.store.lock import write_lock
from casetrack.store.place import Place, place_of, stored_bytes
from casetrack.store.reader_locks import locked_snapshot
from casetrack.store.session import leftovers, write_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from casetrack.api.collection import Collection

Store = "Callable[..., Document]"
TEXT = "The harbour authority pays the dredging company. "


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    pytest.importorskip("obstore")
    pytest.importorskip("moto.server")
    with object_service.s3() as url:
        yield url


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"{(tmp_path / 'shared').as_uri()}/harbour"


@pytest.fixture(autouse=True)
def ever_fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mirror, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr("casetrack.store.datasets._FRESH_NS", 0)
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))


@pytest.fixture
def computer(tmp_path: Path) -> Callable[[str], Library]:
    """Return the data folder of a computer, by the computer's name."""
    return lambda name: Library(load_settings(tmp_path / name), tier=UNLIMITED)


@pytest.fixture
def here(address: str, computer: Callable[[str], Library]) -> Collection:
    """Return a new collection at the address, as the computer that made it sees it."""
    return computer("here").create("Harbour", at=address)


@pytest.fixture
def there(here: Collection, address: str, computer: Callable[[str], Library]) -> Collection:
    """Return the same as another computer sees it."""
    return computer("there").get(address)


@pytest.fixture
def quick_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a lease expire soon without renewal, as for a frozen writer."""
    monkeypatch.setattr(lock, "SECONDS", 0.2)
    monkeypatch.setattr(lock.Lease, "_renew", lambda _self: None)


def add(collection: Collection, store_text: Store, *names: str) -> None:
    with write_session(collection.folder) as session:
        for name in names:
            store_text(session, name, TEXT * 20 + name)
        session.commit()
        collection.workspace.catch_up()


def names(collection: Collection) -> list[str]:
    return sorted(d.name for d in collection.documents())


def found(collection: Collection) -> list[tuple[str, float, str]]:
    hits = collection.search("dredging", mode="keyword").results
    return [(hit.chunk_id, hit.score, hit.text) for hit in hits]


@pytest.mark.parametrize("kind", ["folder", pytest.param("s3", marks=pytest.mark.slow)])
def test_two_computers_use_one_collection(
    kind: str,
    address: str,
    computer: Callable[[str], Library],
    store_text: Store,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if kind == "s3":
        object_service.use(monkeypatch, request.getfixturevalue("service"))
        address = f"s3://{object_service.new_bucket()}/cases/harbour"
    here = computer("here").create("Harbour", at=address, description="of all ships")
    add(here, store_text, "a.txt", "b.txt")
    there = computer("there").get(address)
    assert there.info == here.info
    assert names(there) == names(here) == ["a.txt", "b.txt"]
    assert found(there) == found(here) != []
    add(there, store_text, "c.txt")
    there.delete_document("a.txt")
    there.admin.rename("Hafen")
    there.admin.take_snapshot("two letters")
    assert names(here) == ["b.txt", "c.txt"]
    assert found(here) == found(there)
    assert here.info.name == "Hafen"
    assert [s.name for s in here.admin.snapshots(limit=0)] == ["two letters"]
    assert computer("here").collections() == [here.info]
    assert computer("here").stats(here.info) == here.stats()
    assert here.stats().storage_bytes == stored_bytes(here.folder)
    assert not leftovers(here.folder)
    assert here.admin.upkeep() is not None
    assert computer("there").delete("Hafen").name == "Hafen"
    with pytest.raises(CollectionGone) as gone:
        here.documents()
    assert "harbour" in gone.value.message
    assert not list(place_of(here.folder).objects.list(""))


def test_what_a_folder_holds_is_a_copy_that_may_be_deleted(
    here: Collection, address: str, computer: Callable[[str], Library], store_text: Store
) -> None:
    add(here, store_text, "a.txt")
    before, own = found(here), here.info.id
    for path in here.folder.iterdir():
        if path.name != "place.json":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    again = computer("here").get(own)
    assert (names(again), found(again)) == (["a.txt"], before)
    assert computer("here").detach("Harbour").id == own
    assert computer("here").collections() == []
    for opened in (here, again):
        opened.workspace.forget()
    assert names(computer("here").attach(address)) == ["a.txt"]


def test_what_nobody_may_do_with_an_address(
    address: str, computer: Callable[[str], Library], tmp_path: Path
) -> None:
    library = computer("here")
    with pytest.raises(UsageError, match=address) as told:
        library.get(address)
    assert "--at" in told.value.hint
    collection = library.create("Harbour", at=address)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear Sir")
    library.create("Own")
    for attempt, named in (
        (lambda: library.create("Other", at=address), address),
        (lambda: library.create("Other", at=(tmp_path / "full").as_uri()), "letter.txt"),
        (lambda: library.detach("Own"), "Own"),
    ):
        with pytest.raises(UsageError, match=named):
            attempt()
    assert {c.name for c in library.collections()} == {"Harbour", "Own"}
    assert library.get("Own").folder.is_dir()
    assert library.get(address).info.id == collection.info.id


@pytest.mark.parametrize("content", [b"", b"[]", b'{"uri": 1}', b'{"uri": "s3://"}', b"\x00" * 9])
def test_a_torn_word_of_where_it_lies_is_told(tmp_path: Path, content: bytes) -> None:
    assert place_of(tmp_path) == Place(tmp_path)
    (tmp_path / "place.json").write_bytes(content)
    with pytest.raises(CollectionDamaged) as told:
        place_of(tmp_path)
    assert "attach" in told.value.hint


# --- one writer at a time ------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_lease")
@pytest.mark.parametrize("unaware", [False, True])
def test_a_writer_that_was_frozen_changes_nothing_when_it_wakes(
    here: Collection,
    there: Collection,
    address: str,
    store_text: Store,
    monkeypatch: pytest.MonkeyPatch,
    unaware: bool,
) -> None:
    with contextlib.suppress(WriterReplaced), write_session(here.folder) as frozen:
        store_text(frozen, "frozen.txt", TEXT)
        opened: list[tuple[Path, str]] = []
        real = commits.open_dataset

        def overtaken(folder: Path, name: str) -> Any:
            """Freeze between the read of the current state and the commit."""
            dataset = real(folder, name)
            if folder == here.folder and not opened:
                opened.append((folder, name))
                monkeypatch.setattr(commits, "open_dataset", real)
                add(there, store_text, "there.txt")
            return dataset

        monkeypatch.setattr(commits, "open_dataset", overtaken)
        if unaware:
            monkeypatch.setattr(lock, "confirm", lambda _folder: None)
        with pytest.raises(WriterReplaced, match=address) as told:
            frozen.commit()
        assert told.value.hint
        raise told.value
    assert opened
    assert names(here) == names(there) == ["there.txt"]
    monkeypatch.undo()
    monkeypatch.setattr(mirror, "FRESH_SECONDS", 0.0)
    add(here, store_text, "again.txt")
    assert names(there) == ["again.txt", "there.txt"]
    rows = lance.dataset(place_of(here.folder).dataset("chunks.lance")).count_rows()
    assert rows == sum(d.chunk_count for d in here.documents())


@pytest.mark.slow
@pytest.mark.usefixtures("quick_lease")
def test_a_reindex_that_was_overtaken_replaces_nothing(
    here: Collection, address: str, computer: Callable[[str], Library], store_text: Store
) -> None:
    from lance.fragment import write_fragments

    add(here, store_text, "a.txt")
    there = computer("there").get(address)
    with pytest.raises(WriterReplaced), write_lock(here.folder):  # noqa: PT012
        dataset = lance.dataset(place_of(here.folder).dataset("chunks.lance"))
        made = write_fragments(dataset.to_table(), dataset.uri, mode="overwrite")
        add(there, store_text, "b.txt")
        commits.replace(here.folder, made, dataset.schema, dataset.version)
    assert names(here) == ["a.txt", "b.txt"]
    assert len(there.read.chunks("b.txt")) > 0


def test_writers_wait_for_one_another_and_say_for_whom(here: Collection, there: Collection) -> None:
    with (
        write_lock(here.folder),
        pytest.raises(CollectionBusy, match=str(os.getpid())),
        write_lock(there.folder, timeout=0.0),
    ):
        pass
    with write_lock(there.folder, timeout=0.0):
        pass


@pytest.mark.slow
def test_a_writer_that_died_on_this_computer_holds_nobody_up(
    here: Collection, address: str, computer: Callable[[str], Library], store_text: Store
) -> None:
    place = place_of(here.folder)
    state = lock._State(number=7, holder="dead", home=lock._home(here.folder), who="me")
    place.objects.put(lock.FILE, state.content())
    (here.folder / "journal").mkdir(exist_ok=True)
    add(here, store_text, "a.txt")
    assert names(computer("there").get(address)) == ["a.txt"]
    assert published.published(place).fence == 8


def test_a_lease_that_is_renewed_is_kept(here: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "SECONDS", 0.05)
    place = place_of(here.folder)
    with write_lock(here.folder):
        held = lock._held[here.folder]
        while held._state.renewed < 3:
            held._ended.wait(0.01)
        held.confirm()
        assert json.loads(place.objects.get(lock.FILE).data)["holder"]  # type: ignore[union-attr]
    assert not json.loads(place.objects.get(lock.FILE).data)["holder"]  # type: ignore[union-attr]


# --- small files -------------------------------------------------------------------------------


def test_changes_at_the_same_moment_lose_neither(
    here: Collection, there: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, raced = mirror.publish, list[str]()

    def late(folder: Path, *rest: Any, **told: Any) -> None:
        if folder == here.folder and not raced:
            raced.append("once")
            there.admin.tag(add=["urgent"])
        real(folder, *rest, **told)

    monkeypatch.setattr(mirror, "publish", late)
    here.admin.rename("Hafen")
    assert raced
    assert (there.info.name, there.info.tags) == ("Hafen", ("urgent",))
    assert here.info == there.info


def test_what_a_killed_program_has_not_published_is_taken_back(
    here: Collection, there: Collection
) -> None:
    path = here.folder / "collection.json"
    path.write_bytes(path.read_bytes().replace(b"Harbour", b"Changed"))
    (here.folder / "journal").mkdir(exist_ok=True)
    (here.folder / "journal" / "0123").touch()
    here.admin.tag(add=["urgent"])
    assert (there.info.name, there.info.tags) == ("Harbour", ("urgent",))
    with write_lock(here.folder):
        assert not leftovers(here.folder)


def test_damaged_copies_are_fetched_again_and_damaged_objects_told(
    here: Collection,
    address: str,
    computer: Callable[[str], Library],
    store_text: Store,
    caplog: Any,
) -> None:
    add(here, store_text, "a.txt")
    before = found(here)
    place = place_of(here.folder)
    listing = published.published(place)
    for path, item in listing.files.items():
        if path.startswith("views/index/") and path.endswith("texts.bin"):
            place.objects.put(item.key, b"x" * item.size)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        there = computer("there").get(address)
        assert found(there) == before
    assert "texts.bin" in caplog.text
    place.objects.remove(listing.files["heads.json"].key)
    with pytest.raises(CollectionDamaged, match=r"heads\.json@"):
        computer("third").get(address)
    place.objects.put(published.LISTING, b"{}")
    with pytest.raises(CollectionDamaged, match=address):
        there.documents()


def test_a_list_of_files_that_points_outside_is_refused(here: Collection) -> None:
    place = place_of(here.folder)
    listing = published.published(place)
    item = listing.files["collection.json"]
    for path in ("../evil", "/etc/evil", "a/../../evil", "place.json", "C:/evil", "originals/x"):
        place.objects.put(published.LISTING, published.Listing({path: item}).content())
        with pytest.raises(CollectionDamaged):
            mirror.pull(here.folder, now=True)


def test_the_cache_keeps_to_its_bound(
    address: str, computer: Callable[[str], Library], store_text: Store, tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "config.toml").write_text("cache_megabytes = 0\n")
    first = computer("here").create("Harbour", at=address)
    add(first, store_text, "a.txt")
    before = found(first)
    first.workspace.forget()
    second = computer("here").create("Mole", at=f"{address}-2")
    add(second, store_text, "b.txt")
    assert found(second)
    assert not (first.folder / "views").exists()
    assert (second.folder / "views" / "index").exists()
    assert found(computer("here").get("Harbour")) == before


def test_a_reader_elsewhere_keeps_its_state(
    here: Collection, address: str, computer: Callable[[str], Library], store_text: Store
) -> None:
    add(here, store_text, "a.txt")
    there = computer("there").get(address)
    with locked_snapshot(there.folder) as snapshot:
        for number in range(3):
            add(here, store_text, f"{number}.txt")
        here.admin.upkeep(secure=True)
        assert snapshot.scan(["text"]).num_rows == snapshot.chunks.count_rows()
        assert lance.dataset(snapshot.chunks.uri).tags.list()
    assert not lance.dataset(snapshot.chunks.uri).tags.list()


# --- a service with bad days -------------------------------------------------------------------


@pytest.fixture
def proxy(service: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[object_service.Proxy]:
    made = object_service.Proxy(service)
    object_service.use(monkeypatch, made.url)
    monkeypatch.setattr("casetrack.base.objects.service.RETRY_SECONDS", 2)
    monkeypatch.setattr(commits, "_FIRST_SECONDS", 0.01)
    yield made
    made.close()


def once(wanted: str, part: str, what: str) -> Callable[[str, str], str | None]:
    """Return a function that acts once, on the first request of a method for a matching path."""
    left = [what]

    def fate(method: str, path: str) -> str | None:
        return left.pop() if left and method == wanted and part in path else None

    return fate


BREAKS = """
PUT chunks.lance/_versions cut
PUT chunks.lance/_versions 503
PUT documents.lance/_versions lost
PUT documents.lance/_versions 500
PUT chunks.lance/data lost
PUT files.json lost
PUT files.json 503
PUT lease.json lost
GET files.json cut
GET lease.json 500
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "broken",
    [
        "PUT chunks.lance/_versions lost",
        *(pytest.param(line, marks=pytest.mark.slow) for line in BREAKS.strip().splitlines()),
    ],
)
def test_nothing_is_lost_or_doubled_by_a_connection_that_breaks(
    proxy: object_service.Proxy, computer: Callable[[str], Library], store_text: Store, broken: str
) -> None:
    address = f"s3://{object_service.new_bucket()}/cases/harbour"
    here = computer("here").create("Harbour", at=address)
    add(here, store_text, "a.txt")
    proxy.fate = once(*broken.split())
    with contextlib.suppress(ObjectStorageError):
        add(here, store_text, "b.txt")
    proxy.fate = lambda _method, _path: None
    if names(here) != ["a.txt", "b.txt"]:
        add(here, store_text, "b.txt")
    there = computer("there").get(address)
    assert names(there) == names(here) == ["a.txt", "b.txt"]
    assert found(there) == found(here)
    with write_lock(there.folder):
        counts = {d.name: d.chunk_count for d in there.documents()}
    chunks = {name: len(there.read.chunks(name)) for name in counts}
    assert chunks == counts
    place = place_of(there.folder)
    rows = lance.dataset(place.dataset("chunks.lance"), storage_options=place.options)
    assert rows.count_rows() == sum(counts.values())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("status", ["403", pytest.param("503", marks=pytest.mark.slow), "cut"])
def test_an_error_of_the_service_changes_nothing(
    proxy: object_service.Proxy,
    computer: Callable[[str], Library],
    monkeypatch: pytest.MonkeyPatch,
    status: str,
) -> None:
    monkeypatch.setattr("casetrack.base.objects.service.RETRIES", 1)
    address = f"s3://{object_service.new_bucket()}/cases/harbour"
    here = computer("here").create("Harbour", at=address)
    proxy.fate = lambda _method, _path: status
    for attempt in (
        here.documents,
        lambda: computer("there").get(address),
        lambda: computer("there").create("New", at=f"{address}-new"),
        lambda: here.admin.rename("Hafen"),
    ):
        with pytest.raises(ObjectStorageError) as told:
            attempt()
        assert told.value.hint
        assert object_service.SECRET not in str(told.value)
    proxy.fate = lambda _method, _path: None
    assert here.info.name == "Harbour"
    assert computer("there").collections() == []


@pytest.mark.slow
def test_who_may_only_read_reads(
    proxy: object_service.Proxy, computer: Callable[[str], Library], store_text: Store
) -> None:
    address = f"s3://{object_service.new_bucket()}/cases/harbour"
    here = computer("here").create("Harbour", at=address)
    with write_session(here.folder) as session:
        store_text(session, "a.txt", TEXT * 20)
    proxy.fate = lambda method, _path: "403" if method not in {"GET", "HEAD"} else None
    there = computer("there").get(address)
    assert names(there) == ["a.txt"]
    assert found(there) == found(here) != []
    for attempt in (lambda: there.admin.rename("Hafen"), lambda: there.delete_document("a.txt")):
        with pytest.raises(ObjectStorageError):
            attempt()
    assert there.info.name == here.info.name == "Harbour"


def test_no_secret_is_written_or_shown(
    service: str,
    computer: Callable[[str], Library],
    monkeypatch: pytest.MonkeyPatch,
    store_text: Store,
    tmp_path: Path,
    caplog: Any,
) -> None:
    object_service.use(monkeypatch, service)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "keys"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    bucket = object_service.new_bucket()
    with pytest.raises(ObjectStorageError, match="AWS_ACCESS_KEY_ID"):
        computer("here").create("Harbour", at=f"s3://{bucket}/harbour")
    (tmp_path / "keys").write_text(
        f"[default]\naws_access_key_id = {object_service.KEY}\n"
        f"aws_secret_access_key = {object_service.SECRET}\n"
    )
    with caplog.at_level(logging.DEBUG):
        here = computer("here").create("Harbour", at=f"s3://{bucket}/harbour")
        add(here, store_text, "a.txt")
    place = place_of(here.folder)
    assert object_service.SECRET not in caplog.text + repr(place) + repr(place.options)
    kept = b"".join(p.read_bytes() for p in (tmp_path / "here").rglob("*") if p.is_file())
    assert object_service.SECRET.encode() not in kept
    assert object_service.KEY.encode() not in kept


def test_without_the_package_its_name_is_told(
    computer: Callable[[str], Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = __import__("importlib.util").util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "obstore" else real(name)
    )
    object_service.use(monkeypatch, "http://127.0.0.1:9")
    from casetrack.base.objects.service import open_objects

    open_objects.cache_clear()
    with pytest.raises(PackageMissing, match="obstore") as told:
        computer("here").get("s3://bucket/harbour")
    assert "casetrack[s3]" in told.value.hint
