"""Sealed collections: one encrypted file, nothing in the clear, and all of it back."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.api.library import Library
from casetrack.base import errors
from casetrack.base.config import load_settings
from casetrack.base.crypt import stream
from casetrack.base.crypt.secret import Cost
from casetrack.base.license import FREE
from casetrack.faces.cli.main import main
from casetrack.faces.mcp.server import build_server
from casetrack.keep.transfer import seal as sealing
from casetrack.store.sealed import wipe
from tests.faces.window.conftest import visitor
from tests.keep.transfer.conftest import fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

PHRASE = "correct horse battery staple"
KNOWN = b"harbour master"


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "COST", Cost(1, 8192))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a closed collection: a snapshot, a mark, an index."""
    home = tmp_path_factory.mktemp("prepared") / "data"
    collection = Library(load_settings(home)).create("Mill")
    fill(collection)
    collection.admin.take_snapshot("full")
    collection.delete_document("a.txt")
    collection.marks.star("b.txt", note="the harbour master knows")
    collection.search("rents", mode="keyword")
    collection.admin.close()
    return home


@pytest.fixture
def closed(library: Library, prepared: Path) -> Collection:
    """The same collection, in a separate library."""
    shutil.copytree(prepared, library.settings.data_dir)
    return library.get("Mill")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and not p.name.endswith(".lock")
    }


def names(home: Path) -> list[str]:
    # On Windows the lock of a creation remains until the next look.
    return sorted(p.name for p in home.iterdir() if p.suffix != ".lock")


@pytest.mark.slow
def test_sealed_and_open_again_it_is_what_it_was(library: Library, closed: Collection) -> None:
    folder, home = closed.folder, closed.folder.parent
    before = contents(folder)
    report = library.seal("mill", PHRASE)
    assert names(home) == [f"{closed.folder.name}.ctsealed"]
    assert all(KNOWN not in p.read_bytes() for p in library.settings.data_dir.rglob("*.*"))
    assert report.plain_bytes == sum(map(len, before.values()))
    assert report.bytes < report.plain_bytes + 2000 * report.files + 4096
    assert (home / names(home)[0]).stat().st_mode & 0o777 == 0o600
    assert library.collections() == []
    [sealed] = library.sealed()
    assert (sealed.name, sealed.id, sealed.bytes) == ("Mill", closed.folder.name, report.bytes)
    opened = library.unseal("Mill", PHRASE)
    assert (opened.collection, opened.status) == ("Mill", "closed")
    assert contents(folder) == before
    assert names(home) == [closed.folder.name]
    again = library.get("Mill")
    assert again.search("rents", mode="keyword").results
    assert [s.name for s in again.admin.snapshots(limit=0)] == ["full"]
    assert [c.name for c in again.admin.doctor().checks if not c.ok] in ([], ["source files"])
    modes = {p.stat().st_mode & 0o777 for p in folder.rglob("*") if p.suffix != ".lock"}
    assert modes <= {0o600, 0o700}


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_folder_that_cannot_be_moved_is_sealed_where_it_lies(
    library: Library, closed: Collection, monkeypatch: pytest.MonkeyPatch, is_killed: bool
) -> None:
    folder, home, before = closed.folder, closed.folder.parent, contents(closed.folder)
    moved = Path.rename

    def refused(self: Path, target: Path) -> Path:  # Windows, while a file in it is open
        if self == folder:
            raise PermissionError(13, "in use")
        return moved(self, target)

    def killed(path: Path) -> None:
        remove_in_place(path)
        raise SystemExit(9)

    remove_in_place = sealing.remove_in_place
    monkeypatch.setattr(Path, "rename", refused)
    if is_killed:
        monkeypatch.setattr(sealing, "remove_in_place", killed)
        with pytest.raises(SystemExit):
            library.seal("Mill", PHRASE)
        assert library.collections() == []
    else:
        library.seal("Mill", PHRASE)
    assert [each.name for each in library.sealed()] == ["Mill"]
    assert names(home) == [f"{folder.name}.ctsealed"]
    library.unseal("Mill", PHRASE)
    assert (contents(folder), names(home)) == (before, [folder.name])


def test_another_user_of_it_is_reported(library: Library, closed: Collection) -> None:
    library.seal("Mill", PHRASE)
    for ask in (
        lambda: closed.search("rents", mode="keyword"),
        closed.admin.close,
        lambda: library.get("Mill"),
        lambda: library.get(closed.folder.name),
        lambda: library.seal("Mill", PHRASE),
        lambda: library.delete("Mill"),
    ):
        with pytest.raises(errors.CollectionSealed):
            ask()
    with pytest.raises(errors.CollectionExists):
        library.create("mill")
    assert Library(library.settings).sealed()[0].label == "Mill"


def test_only_a_closed_collection_is_sealed(library: Library, closed: Collection) -> None:
    closed.admin.reopen()
    with pytest.raises(errors.UsageError) as caught:
        library.seal("Mill", PHRASE)
    assert "casetrack collection close Mill" in caught.value.hint
    closed.admin.archive()
    library.seal("Mill", PHRASE)
    assert library.unseal("Mill", PHRASE).status == "archived"


def test_with_the_wrong_key_or_a_damaged_file_nothing_changes(
    library: Library, closed: Collection
) -> None:
    home = closed.folder.parent
    path = home / f"{closed.folder.name}.ctsealed"
    library.seal("Mill", PHRASE)
    data = path.read_bytes()
    with pytest.raises(errors.PassphraseWrong):
        library.unseal("Mill", "correct horse")
    dice = random.Random(5)
    for at in [0, 20, len(data) - 1, *(dice.randrange(len(data)) for _ in range(6))]:
        changed = bytearray(data)
        changed[at] ^= 1 << dice.randrange(8)
        path.write_bytes(changed)
        with pytest.raises((errors.EncryptedFileDamaged, errors.PassphraseWrong)):
            library.unseal(closed.folder.name, PHRASE)
        assert names(home) == [path.name]
        assert path.read_bytes() == changed
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(errors.EncryptedFileDamaged):
        library.unseal(closed.folder.name, PHRASE)
    path.write_bytes(data)
    assert library.unseal("Mill", PHRASE).collection == "Mill"


def test_the_name_may_be_hidden(library: Library, closed: Collection) -> None:
    library.seal("Mill", PHRASE, hide_name=True)
    [sealed] = library.sealed()
    assert (sealed.name, sealed.label) == (None, closed.folder.name[:8])
    assert b"Mill" not in (closed.folder.parent / f"{sealed.id}.ctsealed").read_bytes()
    library.create("Mill")
    report = library.unseal(sealed.label, PHRASE)
    assert (report.collection, report.original_name) == ("Mill (2)", "Mill")


def test_a_sealed_file_opens_in_another_data_folder(
    library: Library, closed: Collection, other: Library, tmp_path: Path
) -> None:
    path = library.seal("Mill", PHRASE).path
    copy = tmp_path / "stick.ctsealed"
    copy.write_bytes((closed.folder.parent / path).read_bytes())
    with pytest.raises(errors.WrongPathKind):
        other.import_archive(copy, passphrase=PHRASE)
    assert other.unseal(copy, PHRASE, name="Brought").collection == "Brought"
    assert copy.is_file()
    assert len(other.get("Brought").documents()) == 2
    with pytest.raises(errors.UsageError):
        other.unseal(copy, PHRASE)
    with pytest.raises(errors.UsageError):
        library.unseal(copy, PHRASE)
    with pytest.raises(errors.UsageError):
        library.unseal("None", PHRASE)


def test_stopped_or_failed_it_is_as_it_was(
    library: Library, closed: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, home = contents(closed.folder), closed.folder.parent

    def stopping(at: str) -> dict[str, object]:
        stop = threading.Event()
        return {"progress": lambda what, _done, _total: what == at and stop.set(), "cancel": stop}

    for moment in ("Encrypting", "Reading back"):
        with pytest.raises(errors.JobStopped):
            library.seal("Mill", PHRASE, **stopping(moment))
        assert (contents(closed.folder), names(home)) == (before, [closed.folder.name])

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(sealing.os, "fsync", full)
        with pytest.raises(errors.DiskFull):
            library.seal("Mill", PHRASE)
    assert (contents(closed.folder), names(home)) == (before, [closed.folder.name])

    def meddle(what: str, _done: int, _total: int) -> None:
        (closed.folder / "queries").mkdir(exist_ok=True)
        (closed.folder / "queries" / "late.sql").write_text("SELECT 1")

    with pytest.raises(errors.CollectionBusy):
        library.seal("Mill", PHRASE, progress=meddle)
    assert contents(closed.folder) == before | {"queries/late.sql": b"SELECT 1"}
    library.seal("Mill", PHRASE)
    with pytest.raises(errors.JobStopped):
        library.unseal("Mill", PHRASE, **stopping("Decrypting"))
    assert names(home) == [f"{closed.folder.name}.ctsealed"]


class Killed(BaseException):
    """Ends a program at once."""


@pytest.mark.parametrize("what", ["seal", "unseal"])
def test_killed_between_the_two_names_it_is_one_or_the_other(
    library: Library, closed: Collection, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    home, calls = closed.folder.parent, 0
    if what == "unseal":
        library.seal("Mill", PHRASE)
    for stop_at in range(6):
        with monkeypatch.context() as patch:
            for name in ("rename", "replace"):
                real = getattr(type(home), name)

                def dying(
                    path: Path, target: Path, real: Callable[..., Path] = real, last: int = stop_at
                ) -> Path:
                    nonlocal calls
                    calls += 1
                    if calls > last:
                        raise Killed
                    return real(path, target)

                patch.setattr(type(home), name, dying)
            calls = 0
            with contextlib.suppress(Killed, errors.CollectionGone, errors.UsageError):
                getattr(library, what)("Mill", PHRASE)
        library = Library(library.settings)
        is_open, is_sealed = bool(library.collections()), bool(library.sealed())
        assert is_open != is_sealed, stop_at
        assert not [n for n in names(home) if n.startswith((".sealed-", f".{closed.folder.name}"))]
        if is_sealed:
            assert not closed.folder.exists()


def test_deleting_needs_no_passphrase_and_the_tier_counts_it(
    library: Library, closed: Collection
) -> None:
    library.seal("Mill", PHRASE)
    library.create("One")
    library.create("Two")
    free = Library(library.settings, tier=FREE)
    with pytest.raises(errors.FreeTierLimit):
        free.create("Three")
    gone = library.delete_sealed("Mill")
    assert gone is not None
    assert library.sealed() == []
    assert library.delete_sealed("Mill") is None
    library.create("Three")


def test_wiping_spares_what_has_another_name(tmp_path: Path) -> None:
    own, folder = tmp_path / "own.txt", tmp_path / "doomed"
    (folder / "below").mkdir(parents=True)
    own.write_bytes(b"mine")
    os.link(own, folder / "below" / "linked.txt")
    (folder / "pointer").symlink_to(own)
    (folder / "away").symlink_to(tmp_path)
    (folder / "read-only").write_bytes(b"x" * 3_000_000)
    (folder / "read-only").chmod(0o400)
    held = (folder / "read-only").open("rb")
    assert wipe(folder)
    with held:
        assert held.read() == bytes(3_000_000)
    assert (folder.exists(), own.read_bytes()) == (False, b"mine")


def test_the_commands(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    messages: Callable[..., None],
) -> None:
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    fill(Library(load_settings()).create("Mill House"))
    key = tmp_path / "my.key"
    key.write_bytes(os.urandom(32))

    def run(*words: str) -> tuple[int, str]:
        code = main([*words])
        out, err = capfd.readouterr()
        return code, out + err

    with_key = ("Mill House", "--key-file", str(key))
    code, output = run("collection", "seal", *with_key)
    assert (code, "casetrack collection close 'Mill House'" in output) == (2, True)
    run("collection", "close", "Mill House")
    assert run("collection", "seal", "Mill House")[0] == 2  # no passphrase can be typed
    code, output = run("collection", "seal", *with_key)
    assert code == 0
    first, _, rest = output.partition("\n")
    messages(re.sub(r"\d[\d.]*", "<number>", first) + f"\n{rest}", "seal")
    listed = json.loads(run("collection", "list", "--status", "sealed", "--json")[1])
    assert [(s["name"], s["status"]) for s in listed] == [("Mill House", "sealed")]
    assert run("search", "rents", "-c", "Mill House")[0] == 2
    assert run("ingest", str(key), "--create", "-c", "Mill House")[0] == 2
    assert run("collection", "unseal", "Mill House", "--key-file", __file__)[0] == 1
    code, output = run("collection", "unseal", *with_key)
    messages(re.sub(r"\d[\d.]*", "<number>", output), "unseal")
    assert code == 0
    assert run("collection", "unseal", *with_key)[0] == 2  # it is not sealed
    run("collection", "seal", *with_key)
    assert "--yes" in run("collection", "delete", "Mill House")[1]
    assert run("collection", "delete", "Mill House", "-y")[0] == 0
    assert json.loads(run("collection", "list", "--json")[1]) == []


@pytest.mark.slow
def test_a_byte_flipped_at_a_thousand_places(library: Library, closed: Collection) -> None:
    path = library.seal("Mill", PHRASE).path
    file = closed.folder.parent / path
    data, dice = file.read_bytes(), random.Random(25)
    begin = stream.read_head(io.BytesIO(data), "x").size
    places = [*range(begin), *(dice.randrange(len(data)) for _ in range(1000))]
    for at in places:
        changed = bytearray(data)
        changed[at] ^= 1 << dice.randrange(8)
        file.write_bytes(changed)
        with pytest.raises((errors.EncryptedFileDamaged, errors.PassphraseWrong)):
            library.unseal(file, PHRASE)
        assert names(file.parent) == [file.name]


@pytest.mark.parametrize("at", [0, 3, 9, 14, 40, 200, -1])
def test_one_whose_head_is_damaged_is_listed_as_such(
    library: Library, closed: Collection, at: int
) -> None:
    file = closed.folder.parent / library.seal("Mill", PHRASE).path
    data = bytearray(file.read_bytes())
    data[at] ^= 4
    file.write_bytes(data[:50] if at < 0 else data)
    assert [path for path, _ in library.damaged()] == [file]
    assert not library.doctor().ok
    for called in (file.stem, file.stem[:8], *(["Mill"] if at >= 0 else [])):
        with pytest.raises(errors.CollectionDamaged):
            library.get(called)


def test_the_window_and_ai_programs_name_it_and_say_who_opens_it(
    library: Library, closed: Collection, messages: Callable[..., None]
) -> None:
    library.seal("Mill", PHRASE)
    page = visitor(library.settings).get("/").text
    assert "Mill" in page
    assert f"<code>{closed.folder.name[:8]}</code>" in page
    server = build_server(library)
    listed: Any = anyio.run(server.call_tool, "list_collections", {})
    assert "Mill" in listed.content[0].text
    assert listed.structured_content["sealed"] == ["Mill"]
    asked: Any = anyio.run(
        server.call_tool, "search_documents", {"query": "rents", "collection": "Mill"}
    )
    assert asked.is_error
    messages(asked.content[0].text)
