"""Encrypted exports: only their key opens them, and no unencrypted data is next to them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base import errors
from casetrack.base.config import load_settings
from casetrack.base.crypt import stream
from casetrack.base.crypt.secret import Cost, Secret
from casetrack.faces.cli.main import main
from tests.keep.transfer.conftest import fill
from tests.keep.transfer.test_kills import rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection

PHRASE = "correct horse battery staple"
KNOWN = b"harbour"


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "COST", Cost(1, 8192))


@pytest.mark.slow
def test_there_and_back(case: Collection, other: Library, tmp_path: Path) -> None:
    report = case.admin.export(tmp_path, passphrase=PHRASE)
    path = tmp_path / "Case_ Smith_Jones_.ctsealed"
    assert report.path == str(path)
    data = path.read_bytes()
    assert len(data) == report.bytes
    assert all(word not in data for word in (KNOWN, b"Smith", b"manifest"))
    with path.open("rb") as file:
        facts = stream.read_head(file, "x").facts
    assert set(facts) == {"what", "id", "made_at", "casetrack_version"}
    copy = other.get(other.import_archive(path, passphrase=Secret.of(PHRASE)).collection_id)
    assert rows(copy) == rows(case)
    plain = case.admin.export(tmp_path / "plain")
    assert abs(plain.bytes - report.bytes) < 4096 + plain.bytes // 50


def test_without_the_key_nothing_comes_in(case: Collection, other: Library, tmp_path: Path) -> None:
    path = tmp_path / "x.ctsealed"
    case.admin.export(path, passphrase=PHRASE)
    with pytest.raises(errors.PassphraseMissing):
        other.import_archive(path)
    with pytest.raises(errors.PassphraseWrong):
        other.import_archive(path, passphrase="correct horse")
    cut = tmp_path / "cut.ctsealed"
    cut.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(errors.EncryptedFileDamaged):
        other.import_archive(cut, passphrase=PHRASE)
    assert other.collections() == []
    assert [p for p in other.settings.collections_dir.rglob("*") if p.is_file()] == []


@pytest.mark.slow
def test_nothing_is_in_the_clear_next_to_the_file_at_any_moment(
    case: Collection, tmp_path: Path
) -> None:
    target = tmp_path / "stick" / "x.ctsealed"
    target.parent.mkdir()
    seen: set[str] = set()

    def look(what: str, _done: int, _total: int) -> None:
        seen.add(what)
        for path in target.parent.rglob("*"):
            if path.is_file():
                assert KNOWN not in path.read_bytes(), path
                assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0

    case.admin.export(target, passphrase=PHRASE, progress=look)
    assert seen == {"Copying passages", "Packing"}
    assert [p.name for p in target.parent.iterdir()] == ["x.ctsealed"]
    assert list(case.folder.glob(".spool-*")) == []


def test_a_snapshot_is_exported_the_same_way(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    whole = rows(case)
    case.admin.take_snapshot("full")
    case.delete_document("a.txt")
    case.delete_document("copied.txt")
    report = case.admin.export(tmp_path / "then", passphrase=PHRASE, snapshot="full")
    copy = other.get(other.import_archive(report.path, passphrase=PHRASE).collection_id)
    assert rows(copy) == whole
    assert len(copy.documents()) == 3
    plain = case.admin.export(tmp_path / "now")
    assert plain.documents == 1
    with pytest.raises(errors.SnapshotNotFound):
        case.admin.export(tmp_path / "none", snapshot="none")
    assert {c.name for c in case.admin.doctor().checks if not c.ok} <= {"source files"}


def test_a_sealed_collection_is_no_export(other: Library, tmp_path: Path) -> None:
    from casetrack.base.crypt.stream import EncryptingWriter

    path = tmp_path / "s.ctsealed"
    with path.open("wb") as file, EncryptingWriter(file, Secret.of(PHRASE), {"what": "collection"}):
        pass
    with pytest.raises(errors.WrongPathKind) as caught:
        other.import_archive(path, passphrase=PHRASE)
    assert "casetrack collection unseal" in caught.value.hint


# --- the commands ----------------------------------------------------------------------------


class Terminal:
    """A person at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    fill(Library(load_settings()).create("Case"))
    return tmp_path


def descriptor(text: bytes) -> int:
    read, write = os.pipe()
    os.write(write, text)
    os.close(write)
    return read


def test_commands_take_the_key_in_three_ways(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = home / "my.key"
    key.write_bytes(os.urandom(32))
    fd = str(descriptor(PHRASE.encode() + b"\r\nmore"))
    assert main(["export", str(home / "fd"), "--encrypt", "--passphrase-fd", fd]) == 0
    assert "fd.ctsealed" in capfd.readouterr().out
    assert main(["export", str(home / "key"), "--encrypt", "--key-file", str(key), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["path"].endswith("key.ctsealed")
    monkeypatch.setattr("sys.stdin", Terminal())
    asked: list[object] = []

    def prompt(_question: str, **options: object) -> str:
        asked.append(options["hide_input"])
        return "short"

    monkeypatch.setattr("typer.prompt", prompt)
    assert main(["export", str(home / "typed"), "--encrypt"]) == 0
    assert "5" in capfd.readouterr().err  # a warning: so few characters
    assert main(["import", str(home / "typed.ctsealed"), "--name", "Typed"]) == 0
    assert asked == [True, True]
    fd = str(descriptor(PHRASE.encode()))
    for number, way in enumerate((["--passphrase-fd", fd], ["--key-file", str(key)])):
        name = ("fd", "key")[number]
        assert main(["import", str(home / f"{name}.ctsealed"), "--name", name, *way]) == 0
    assert {i.name for i in Library(load_settings()).collections()} >= {"Typed", "fd", "key"}


def test_commands_say_how_a_key_is_given(
    home: Path, capfd: pytest.CaptureFixture[str], messages: Callable[..., None]
) -> None:
    lines = []
    for words in (
        [],
        ["--passphrase-fd", "987"],
        ["--key-file", "k"],
        ["--passphrase-fd", "0", "--key-file", "k"],
        ["--passphrase-fd", str(descriptor(b"\n"))],
    ):
        assert main(["export", str(home / "x"), "--encrypt", *words]) == 2
        lines.append(capfd.readouterr().err)
    assert main(["export", str(home / "x"), "--key-file", "k"]) == 2
    assert "--encrypt" in capfd.readouterr().err
    assert list(home.glob("*.ctsealed")) == []
    messages("\n".join(lines))


def test_the_keyring_of_the_system_may_keep_the_key(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import keyring

    kept: dict[tuple[str, str], str] = {}
    monkeypatch.setattr(keyring, "set_password", lambda s, a, v: kept.update({(s, a): v}))
    monkeypatch.setattr(keyring, "get_password", lambda s, a: kept.get((s, a)))
    assert main(["export", str(home / "x"), "--encrypt", "--keyring"]) == 0
    assert [service for service, _ in kept] == ["casetrack"]
    assert main(["import", str(home / "x.ctsealed"), "--name", "Back"]) == 0
    kept.clear()
    assert main(["import", str(home / "x.ctsealed")]) == 2

    def locked(*_: object) -> str:
        raise RuntimeError("the vault is locked")

    monkeypatch.setattr(keyring, "set_password", locked)
    assert main(["export", str(home / "y"), "-c", "Case", "--encrypt", "--keyring"]) == 2
    assert "the vault is locked" in capfd.readouterr().err
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert main(["export", str(home / "y"), "-c", "Case", "--encrypt", "--keyring"]) == 2
    assert "pip install keyring" in capfd.readouterr().err
