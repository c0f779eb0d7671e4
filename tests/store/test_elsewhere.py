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
from casetrack.base import errors
from casetrack.base.config import load_settings
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
def local(address: str, computer: Callable[[str], Library]) -> Collection:
    """Return a new collection at the address, as the computer that made it sees it."""
    return computer("here").create("Harbour", at=address)


@pytest.fixture
def remote(local: Collection, address: str, computer: Callable[[str], Library]) -> Collection:
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
    local = computer("here").create("Harbour", at=address, description="of all ships")
    add(local, store_text, "a.txt", "b.txt")
    remote = computer("there").get(address)
    assert remote.info == local.info
    assert names(remote) == names(local) == ["a.txt", "b.txt"]
    assert found(remote) == found(local) != []
    add(remote, store_text, "c.txt")
    remote.delete_document("a.txt")
    remote.admin.rename("Hafen")
    remote.admin.take_snapshot("two letters")
    assert names(local) == ["b.txt", "c.txt"]
    assert found(local) == found(remote)
    assert local.info.name == "Hafen"
    assert [s.name for s in local.admin.snapshots(limit=0)] == ["two letters"]
    assert computer("here").collections() == [local.info]
    assert computer("here").stats(local.info) == local.stats()
    assert local.stats().storage_bytes == stored_bytes(local.folder)
    assert not leftovers(local.folder)
    assert local.admin.upkeep() is not None
    assert computer("there").delete("Hafen").name == "Hafen"
    with pytest.raises(errors.CollectionGone) as gone:
        local.documents()
    assert "harbour" in gone.value.message
    assert not list(place_of(local.folder).objects.list(""))


def test_what_a_folder_holds_is_a_copy_that_may_be_deleted(
    local: Collection, address: str, computer: Callable[[str], Library], store_text: Store
) -> None:
    add(local, store_text, "a.txt")
    before, own = found(local), local.info.id
    for path in local.folder.iterdir():
        if path.name != "place.json":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    again = computer("here").get(own)
    assert (names(again), found(again)) == (["a.txt"], before)
    assert computer("here").detach("Harbour").id == own
    assert computer("here").collections() == []
    for opened in (local, again):
        opened.workspace.forget()
    assert names(computer("here").attach(address)) == ["a.txt"]


def test_what_nobody_may_do_with_an_address(
    address: str, computer: Callable[[str], Library], tmp_path: Path
) -> None:
    library = computer("here")
    with pytest.raises(errors.UsageError, match=address) as caught:
        library.get(address)
    assert "--at" in caught.value.hint
    collection = library.create("Harbour", at=address)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear Sir")
    library.create("Own")
    for attempt, named in (
        (lambda: library.create("Other", at=address), address),
        (lambda: library.create("Other", at=(tmp_path / "full").as_uri()), "letter.txt"),
        (lambda: library.detach("Own"), "Own"),
    ):
        with pytest.raises(errors.UsageError, match=named):
            attempt()
    assert {c.name for c in library.collections()} == {"Harbour", "Own"}
    assert library.get("Own").folder.is_dir()
    assert library.get(address).info.id == collection.info.id


@pytest.mark.parametrize("content", [b"", b"[]", b'{"uri": 1}', b'{"uri": "s3://"}', b"\x00" * 9])
def test_a_torn_word_of_where_it_lies_is_reported(tmp_path: Path, content: bytes) -> None:
    assert place_of(tmp_path) == Place(tmp_path)
    (tmp_path / "place.json").write_bytes(content)
    with pytest.raises(errors.CollectionDamaged) as caught:
        place_of(tmp_path)
    assert "attach" in caught.value.hint


# --- one writer at a time ------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_lease")
@pytest.mark.parametrize("unaware", [False, True])
def test_a_writer_that_was_frozen_changes_nothing_when_it_wakes(
    local: Collection,
    remote: Collection,
    address: str,
    store_text: Store,
    monkeypatch: pytest.MonkeyPatch,
    unaware: bool,
) -> None:
    with contextlib.suppress(errors.WriterReplaced), write_session(local.folder) as frozen:
        store_text(frozen, "frozen.txt", TEXT)
        opened: list[tuple[Path, str]] = []
        real = commits.open_dataset

        def overtaken(folder: Path, name: str) -> Any:
            """Freeze between the read of the current state and the commit."""
            dataset = real(folder, name)
            if folder == local.folder and not opened:
                opened.append((folder, name))
                monkeypatch.setattr(commits, "open_dataset", real)
                add(remote, store_text, "there.txt")
            return dataset

        monkeypatch.setattr(commits, "open_dataset", overtaken)
        if unaware:
            monkeypatch.setattr(lock, "confirm", lambda _folder: None)
        with pytest.raises(errors.WriterReplaced, match=address) as caught:
            frozen.commit()
        assert caught.value.hint
        raise caught.value
    assert opened
    assert names(local) == names(remote) == ["there.txt"]
    monkeypatch.undo()
    monkeypatch.setattr(mirror, "FRESH_SECONDS", 0.0)
    add(local, store_text, "again.txt")
    assert names(remote) == ["again.txt", "there.txt"]
    rows = lance.dataset(place_of(local.folder).dataset("chunks.lance")).count_rows()
    assert rows == sum(d.chunk_count for d in local.documents())


@pytest.mark.slow
@pytest.mark.usefixtures("quick_lease")
def test_a_reindex_that_was_overtaken_replaces_nothing(
    local: Collection, address: str, computer: Callable[[str], Library], store_text: Store
) -> None:
    from lance.fragment import write_fragments

    add(local, store_text, "a.txt")
    remote = computer("there").get(address)
    with pytest.raises(errors.WriterReplaced), write_lock(local.folder):  # noqa: PT012
        dataset = lance.dataset(place_of(local.folder).dataset("chunks.lance"))
        made = write_fragments(dataset.to_table(), dataset.uri, mode="overwrite")
        add(remote, store_text, "b.txt")
        commits.replace(local.folder, made, dataset.schema, dataset.version)
    assert names(local) == ["a.txt", "b.txt"]
    assert len(remote.read.chunks("b.txt")) > 0


def test_writers_wait_for_one_another_and_say_for_whom(
    local: Collection, remote: Collection
) -> None:
    with (
        write_lock(local.folder),
        pytest.raises(errors.CollectionBusy, match=str(os.getpid())),
        write_lock(remote.folder, timeout=0.0),
    ):
        pass
    with write_lock(remote.folder, timeout=0.0):
        pass


@pytest.mark.slow
def test_a_writer_that_died_on_this_computer_holds_nobody_up(
    local: Collection, address: str, computer: Callable[[str], Library], store_text: Store
) -> None:
    place = place_of(local.folder)
    state = lock._State(number=7, holder="dead", home=lock._home(local.folder), who="me")
    place.objects.put(lock.FILE, state.content())
    (local.folder / "journal").mkdir(exist_ok=True)
    add(local, store_text, "a.txt")
    assert names(computer("there").get(address)) == ["a.txt"]
    assert published.published(place).fence == 8


def test_a_lease_that_is_renewed_is_kept(
    local: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "SECONDS", 0.05)
    place = place_of(local.folder)
    with write_lock(local.folder):
        held = lock._held[local.folder]
        while held._state.renewed < 3:
            held._ended.wait(0.01)
        held.confirm()
        assert json.loads(place.objects.get(lock.FILE).data)["holder"]  # type: ignore[union-attr]
    assert not json.loads(place.objects.get(lock.FILE).data)["holder"]  # type: ignore[union-attr]


# --- small files -------------------------------------------------------------------------------


def test_changes_at_the_same_moment_lose_neither(
    local: Collection, remote: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, raced = mirror.publish, list[str]()

    def late(folder: Path, *rest: Any, **message: Any) -> None:
        if folder == local.folder and not raced:
            raced.append("once")
            remote.admin.tag(add=["urgent"])
        real(folder, *rest, **message)

    monkeypatch.setattr(mirror, "publish", late)
    local.admin.rename("Hafen")
    assert raced
    assert (remote.info.name, remote.info.tags) == ("Hafen", ("urgent",))
    assert local.info == remote.info


def test_what_a_killed_program_has_not_published_is_taken_back(
    local: Collection, remote: Collection
) -> None:
    path = local.folder / "collection.json"
    path.write_bytes(path.read_bytes().replace(b"Harbour", b"Changed"))
    (local.folder / "journal").mkdir(exist_ok=True)
    (local.folder / "journal" / "0123").touch()
    local.admin.tag(add=["urgent"])
    assert (remote.info.name, remote.info.tags) == ("Harbour", ("urgent",))
    with write_lock(local.folder):
        assert not leftovers(local.folder)


def test_damaged_copies_are_fetched_again_and_damaged_objects_told(
    local: Collection,
    address: str,
    computer: Callable[[str], Library],
    store_text: Store,
    caplog: Any,
) -> None:
    add(local, store_text, "a.txt")
    before = found(local)
    place = place_of(local.folder)
    listing = published.published(place)
    for path, item in listing.files.items():
        if path.startswith("views/index/") and path.endswith("texts.bin"):
            place.objects.put(item.key, b"x" * item.size)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        remote = computer("there").get(address)
        assert found(remote) == before
    assert "texts.bin" in caplog.text
    place.objects.remove(listing.files["heads.json"].key)
    with pytest.raises(errors.CollectionDamaged, match=r"heads\.json@"):
        computer("third").get(address)
    place.objects.put(published.LISTING, b"{}")
    with pytest.raises(errors.CollectionDamaged, match=address):
        remote.documents()


def test_a_list_of_files_that_points_outside_is_refused(local: Collection) -> None:
    place = place_of(local.folder)
    listing = published.published(place)
    item = listing.files["collection.json"]
    for path in ("../evil", "/etc/evil", "a/../../evil", "place.json", "C:/evil", "originals/x"):
        place.objects.put(published.LISTING, published.Listing({path: item}).content())
        with pytest.raises(errors.CollectionDamaged):
            mirror.pull(local.folder, now=True)


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
    local: Collection, address: str, computer: Callable[[str], Library], store_text: Store
) -> None:
    add(local, store_text, "a.txt")
    remote = computer("there").get(address)
    with locked_snapshot(remote.folder) as snapshot:
        for number in range(3):
            add(local, store_text, f"{number}.txt")
        local.admin.upkeep(secure=True)
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
    local = computer("here").create("Harbour", at=address)
    add(local, store_text, "a.txt")
    proxy.fate = once(*broken.split())
    with contextlib.suppress(errors.ObjectStorageError):
        add(local, store_text, "b.txt")
    proxy.fate = lambda _method, _path: None
    if names(local) != ["a.txt", "b.txt"]:
        add(local, store_text, "b.txt")
    remote = computer("there").get(address)
    assert names(remote) == names(local) == ["a.txt", "b.txt"]
    assert found(remote) == found(local)
    with write_lock(remote.folder):
        counts = {d.name: d.chunk_count for d in remote.documents()}
    chunks = {name: len(remote.read.chunks(name)) for name in counts}
    assert chunks == counts
    place = place_of(remote.folder)
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
    local = computer("here").create("Harbour", at=address)
    proxy.fate = lambda _method, _path: status
    for attempt in (
        local.documents,
        lambda: computer("there").get(address),
        lambda: computer("there").create("New", at=f"{address}-new"),
        lambda: local.admin.rename("Hafen"),
    ):
        with pytest.raises(errors.ObjectStorageError) as caught:
            attempt()
        assert caught.value.hint
        assert object_service.SECRET not in str(caught.value)
    proxy.fate = lambda _method, _path: None
    assert local.info.name == "Harbour"
    assert computer("there").collections() == []


@pytest.mark.slow
def test_who_may_only_read_reads(
    proxy: object_service.Proxy, computer: Callable[[str], Library], store_text: Store
) -> None:
    address = f"s3://{object_service.new_bucket()}/cases/harbour"
    local = computer("here").create("Harbour", at=address)
    with write_session(local.folder) as session:
        store_text(session, "a.txt", TEXT * 20)
    proxy.fate = lambda method, _path: "403" if method not in {"GET", "HEAD"} else None
    remote = computer("there").get(address)
    assert names(remote) == ["a.txt"]
    assert found(remote) == found(local) != []
    for attempt in (lambda: remote.admin.rename("Hafen"), lambda: remote.delete_document("a.txt")):
        with pytest.raises(errors.ObjectStorageError):
            attempt()
    assert remote.info.name == local.info.name == "Harbour"


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
    with pytest.raises(errors.ObjectStorageError, match="AWS_ACCESS_KEY_ID"):
        computer("here").create("Harbour", at=f"s3://{bucket}/harbour")
    (tmp_path / "keys").write_text(
        f"[default]\naws_access_key_id = {object_service.KEY}\n"
        f"aws_secret_access_key = {object_service.SECRET}\n"
    )
    with caplog.at_level(logging.DEBUG):
        local = computer("here").create("Harbour", at=f"s3://{bucket}/harbour")
        add(local, store_text, "a.txt")
    place = place_of(local.folder)
    assert object_service.SECRET not in caplog.text + repr(place) + repr(place.options)
    kept = b"".join(p.read_bytes() for p in (tmp_path / "here").rglob("*") if p.is_file())
    assert object_service.SECRET.encode() not in kept
    assert object_service.KEY.encode() not in kept


def test_without_the_package_its_name_is_reported(
    computer: Callable[[str], Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = __import__("importlib.util").util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "obstore" else real(name)
    )
    object_service.use(monkeypatch, "http://127.0.0.1:9")
    from casetrack.base.objects.service import open_objects

    open_objects.cache_clear()
    with pytest.raises(errors.PackageMissing, match="obstore") as caught:
        computer("here").get("s3://bucket/harbour")
    assert "casetrack[s3]" in caught.value.hint
