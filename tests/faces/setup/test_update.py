"""An update from an index that may be broken, slow or hostile; killed at any step."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from casetrack.base import errors
from casetrack.faces.setup import installers, switching
from casetrack.faces.setup.installation import Installation
from casetrack.faces.setup.signature import NotSigned, check, public_keys
from casetrack.faces.setup.switching import NEW, STAGE, checked, switch, tidied
from casetrack.faces.setup.update import Place, signers, update
from casetrack.faces.setup.update import check as look
from faces.setup.wheels import content, write_wheel
from release.signing import Signer
from release.wheel import sums
from release.wheel import write_wheel as write

OURS, OTHER = Signer(b"1" * 32), Signer(b"2" * 32)
KEYS = (OURS.public,)
HERE = Installation("pip", "there", sys.executable)
SCRIPT = (
    "#!/usr/bin/python\nimport sys\nfrom casetrack.faces.cli.main import run\nsys.exit(run())\n"
)


def installed(root: Path, version: str = "1.0") -> Place:
    """A folder with an installed version and an unrelated package."""
    place = Place(root / "site", root / "bin")
    place.scripts.mkdir(parents=True)
    (place.scripts / "casetrack").write_text(SCRIPT)
    for name, data in content(version).items():
        (place.site / name).parent.mkdir(parents=True, exist_ok=True)
        (place.site / name).write_bytes(data)
    (place.site / "other").mkdir()
    (place.site / "other" / "mine.txt").write_text("mine")
    return place


def runs(place: Place) -> str:
    """Return the version that runs; everything else is where it was."""
    assert (place.site / "other" / "mine.txt").read_text() == "mine"
    remote = (place.site / "casetrack" / "version.py").read_text()
    return remote.split('"')[1]


def listed(place: Place) -> list[str]:
    return sorted(path.name for path in place.site.iterdir() if not path.name.endswith(".lock"))


def unpacked(place: Place, wheel: Path) -> Path:
    folder = place.site / STAGE / NEW
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


# --- signatures -----------------------------------------------------------------------------------


def test_what_its_maker_signed_is_taken(tmp_path: Path) -> None:
    place = installed(tmp_path)
    wheel = write_wheel(tmp_path / "w", "2.0", signer=OURS, requires=("packaging>=1",))
    folder = unpacked(place, wheel)
    (folder / "bin").mkdir()
    (folder / "bin" / "casetrack").write_text("made by an installer")
    (folder / "casetrack-2.0.dist-info" / "INSTALLER").write_text("pip")
    result = checked(folder, "2.0", (OTHER.public, *KEYS))
    assert (result.version, result.requires) == ("2.0", ("packaging>=1",))
    assert "casetrack/version.py" in result.files


def changed(name: str, data: bytes | None) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        if data is None:
            del files[name]
        else:
            files[name] = data

    return change


def listing_more(files: dict[str, bytes]) -> None:
    """Sign a list that names a file outside."""
    _sign(files, b"0" * 64 + b"  ../other/mine.txt\n")


def resigned(files: dict[str, bytes]) -> None:
    """Sign a changed file with another key."""
    files["casetrack/version.py"] = b"evil"
    _sign(files, sums({k: v for k, v in files.items() if "SUMS" not in k}), OTHER)


def without_code(files: dict[str, bytes]) -> None:
    _sign(files, sums({"casetrack/version.py": files["casetrack/version.py"]}))


def _sign(files: dict[str, bytes], listing: bytes, signer: Signer = OURS) -> None:
    files[f"{INFO}/SHA256SUMS"] = listing
    files[f"{INFO}/SHA256SUMS.minisig"] = signer.signed(listing, "casetrack 2.0").encode()


INFO = "casetrack-2.0.dist-info"
HOSTILE: dict[str, Callable[[dict[str, bytes]], None]] = {
    "not signed": changed(f"{INFO}/SHA256SUMS.minisig", None),
    "no list": changed(f"{INFO}/SHA256SUMS", None),
    "signature cut": changed(f"{INFO}/SHA256SUMS.minisig", b"RW"),
    "list changed": changed(f"{INFO}/SHA256SUMS", b""),
    "other signer": resigned,
    "code changed": changed("casetrack/version.py", b"evil"),
    "code missing": changed("casetrack/version.py", None),
    "code added": changed("casetrack/evil.py", b"evil"),
    "runs at start": changed("evil.pth", b"import evil"),
    "lists others": listing_more,
    "lists too few": without_code,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_not_signed_is_refused(
    tmp_path: Path, kind: str, messages: Callable[[str], None]
) -> None:
    folder = unpacked(installed(tmp_path), write_wheel(tmp_path / "w", "2.0", signer=OURS))
    remote = [path for path in folder.rglob("*") if path.is_file()]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in remote}
    HOSTILE[kind](files)
    for path in remote:
        path.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with pytest.raises(NotSigned) as caught:
        checked(folder, "2.0", KEYS)
    messages(str(caught.value))


def test_a_file_next_to_the_unpacked_ones_finishes_nothing(tmp_path: Path) -> None:
    """No unpacking leads out of its folder; should one do so, it does nothing."""
    place = installed(tmp_path)
    folder = unpacked(place, write_wheel(tmp_path / "w", "2.0", signer=OURS))
    (folder.parent / "ready").write_text("2.0")
    tidied(place.site, place.scripts)
    assert listed(place) == ["casetrack", "casetrack-1.0.dist-info", "other"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    place = installed(tmp_path)
    folder = unpacked(place, write_wheel(tmp_path / "w", "2.0", signer=OURS))
    target = tmp_path / "elsewhere.py"
    (folder / "casetrack" / "version.py").rename(target)
    (folder / "casetrack" / "version.py").symlink_to(target)
    with pytest.raises(NotSigned, match=r"version\.py"):
        checked(folder, "2.0", KEYS)


def test_an_old_version_under_a_new_name_is_refused(tmp_path: Path) -> None:
    place = installed(tmp_path)
    folder = unpacked(place, write_wheel(tmp_path / "w", "0.9", signer=OURS))
    (folder / "casetrack-0.9.dist-info").rename(folder / "casetrack-2.0.dist-info")
    with pytest.raises(NotSigned, match=r"casetrack-0\.9\.dist-info"):
        checked(folder, "2.0", KEYS)


def test_every_changed_byte_of_a_signature_is_seen() -> None:
    text = OURS.signed(b"data", "casetrack 2.0")
    assert check(b"data", text, KEYS) == OURS.public
    start = text.index("\n") + 1  # data before it is not part of it
    for place in range(start, len(text) - 1):
        other = "A" if text[place] != "A" else "B"
        with pytest.raises(NotSigned):
            check(b"data", text[:place] + other + text[place + 1 :], KEYS)
    with pytest.raises(NotSigned):
        check(b"date", text, KEYS)


def test_the_program_has_a_signer_and_takes_others(tmp_path: Path) -> None:
    assert len(signers()) >= 1
    file = tmp_path / "own.pub"
    file.write_text(f"untrusted comment: minisign public key\n{OURS.public.text()}\n")
    assert signers(file) == (*signers(), OURS.public)
    assert public_keys(OURS.public.text()) == (OURS.public,)
    for bad in ("RWQ", "not a key"):
        file.write_text(bad)
        with pytest.raises(errors.UsageError, match=r"own\.pub.*\b1\b"):
            signers(file)
    with pytest.raises(errors.UsageError, match="none"):
        signers(tmp_path / "none")


# --- taking the place -----------------------------------------------------------------------------


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("exchanges", [True, False], ids=["one step", "two steps"])
def test_killed_at_any_step_there_is_one_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanges: bool
) -> None:
    if not exchanges:
        monkeypatch.setattr(switching, "_EXCHANGE", 1 << 30)
    wheel = write_wheel(tmp_path / "w", "2.0", signer=OURS, scripts=("casetrack", "ctx"))
    rename = Path.rename
    seen: set[tuple[str | None, str]] = set()
    for allowed in range(12):
        place = installed(tmp_path / str(allowed))
        new = checked(unpacked(place, wheel), "2.0", KEYS)
        left = [allowed]

        def step(path: Path, target: Path, left: list[int] = left) -> Path:
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            return rename(path, target)

        monkeypatch.setattr(Path, "rename", step)
        try:
            switch(new, place.site, place.scripts, "pip")
            killed = False
        except Killed:
            killed = True
        monkeypatch.setattr(Path, "rename", rename)
        before = runs(place) if (place.site / "casetrack").exists() else None
        tidied(place.site, place.scripts)
        after = runs(place)
        seen.add((before, after))
        assert listed(place) == ["casetrack", f"casetrack-{after}.dist-info", "other"]
        assert (place.scripts / "ctx").exists() is (after == "2.0")
        if not killed:
            break
    assert not killed
    assert ("2.0", "2.0") in seen
    # Where the file system cannot exchange two folders there is one moment without the package.
    assert ((None, "1.0") in seen) is not exchanges


def test_a_new_script_is_like_those_that_are_there(tmp_path: Path) -> None:
    place = installed(tmp_path)
    wheel = write_wheel(tmp_path / "w", "2.0", signer=OURS, scripts=("casetrack", "ctx"))
    switch(checked(unpacked(place, wheel), "2.0", KEYS), place.site, place.scripts, "uv")
    made = (place.scripts / "ctx").read_text()
    assert made == SCRIPT.replace("casetrack.faces.cli.main", "casetrack.version")
    facts = place.site / "casetrack-2.0.dist-info"
    assert (facts / "INSTALLER").read_text() == "uv\n"
    rows = (facts / "RECORD").read_text().splitlines()
    named = {row.split(",")[0] for row in rows}
    remote = {p.relative_to(place.site).as_posix() for p in facts.iterdir()}
    assert named >= remote | {"casetrack/version.py", "../bin/casetrack", "../bin/ctx"}


# --- an index -------------------------------------------------------------------------------------


@dataclass
class Index:
    """A package index with the simple API that may misbehave."""

    wheels: dict[str, bytes] = field(default_factory=dict)
    mood: str = "good"
    asked: list[str] = field(default_factory=list)
    url: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    def add(self, wheel: Path) -> None:
        self.wheels[wheel.name] = wheel.read_bytes()

    def page(self) -> bytes:
        rows = [
            f'<a href="/files/{name}#sha256={hashlib.sha256(data).hexdigest()}">{name}</a><br>'
            for name, data in self.wheels.items()
        ]
        return f"<!DOCTYPE html><html><body>{''.join(rows)}</body></html>".encode()


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    result = Index()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            result.asked.append(self.path)
            name = self.path.rpartition("/")[2]
            data = result.wheels.get(name, b"") if name else result.page()
            if result.mood == "broken":
                self.send_error(500)
                return
            self.send_response(200)
            kind = "application/octet-stream" if name else "text/html"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if result.mood == "cut" and name:
                self.wfile.write(data[: len(data) // 2])
                self.close_connection = True
                return
            if result.mood == "slow":
                result.ended.wait(60)
                return
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    result.url = f"http://127.0.0.1:{server.server_port}"
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{result.url}/simple")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setattr(Installation, "by_hand", None)
    yield result
    result.ended.set()
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_forward_and_back_by_pip(tmp_path: Path, index: Index) -> None:
    for version in ("1.0", "2.0"):
        index.add(write_wheel(tmp_path / "w", version, signer=OURS, requires=("packaging",)))
    place, messages = installed(tmp_path), list[str]()
    result = look(HERE, current="1.0")
    assert result.newest == "2.0"
    update(HERE, "2.0", KEYS, messages.append, place=place)
    assert (len(messages), "2.0" in messages[0]) == (2, True)
    assert runs(place) == "2.0"
    assert listed(place) == ["casetrack", "casetrack-2.0.dist-info", "other"]
    assert look(HERE, to="1.0", current="2.0").newest == "1.0"
    update(HERE, "1.0", KEYS, messages.append, place=place)
    assert runs(place) == "1.0"


def test_a_hostile_index(tmp_path: Path, index: Index, messages: Callable[[str], None]) -> None:
    files = content("9.0") | {"casetrack/version.py": b'__version__ = "9.0"; evil()\n'}
    wheel = tmp_path / "casetrack-9.0-py3-none-any.whl"
    write(wheel, files, OTHER)
    index.add(wheel)
    place = installed(tmp_path)
    with pytest.raises(errors.UpdateUntrusted) as caught:
        update(HERE, "9.0", KEYS, lambda _: None, place=place)
    messages(str(caught.value))
    assert runs(place) == "1.0"
    assert listed(place) == ["casetrack", "casetrack-1.0.dist-info", "other"]


@pytest.mark.slow
def test_what_would_have_to_be_built_is_not_even_looked_at(tmp_path: Path, index: Index) -> None:
    """Building runs code of the package, before any signature is looked at."""
    index.wheels["casetrack-9.0.tar.gz"] = b"a setup.py that does harm"
    with pytest.raises(errors.UpdateUnknown, match="casetrack"):
        look(HERE, current="1.0")
    with pytest.raises(errors.InstallerFailed, match=r"casetrack==9\.0"):
        update(HERE, "9.0", KEYS, lambda _: None, place=installed(tmp_path))
    assert [path for path in index.asked if path.endswith(".gz")] == []


@pytest.mark.slow
@pytest.mark.parametrize("mood", ["broken", "cut"])
def test_a_broken_index(tmp_path: Path, index: Index, mood: str) -> None:
    index.add(write_wheel(tmp_path / "w", "2.0", signer=OURS))
    index.mood = mood
    place = installed(tmp_path)
    with pytest.raises(errors.InstallerFailed, match=r"\b1\b") as caught:
        update(HERE, "2.0", KEYS, lambda _: None, place=place)
    assert caught.value.hint
    assert listed(place) == ["casetrack", "casetrack-1.0.dist-info", "other"]


def test_a_slow_index(tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.add(write_wheel(tmp_path / "w", "2.0", signer=OURS))
    index.mood = "slow"
    monkeypatch.setattr(installers, "_ASK_SECONDS", 1.0)
    monkeypatch.setattr(installers, "_SECONDS", 1.0)
    with pytest.raises(errors.UpdateUnknown, match=r"\b1\b"):
        look(HERE, current="1.0")
    place = installed(tmp_path)
    with pytest.raises(errors.InstallerFailed, match=r"\b1\b"):
        update(HERE, "2.0", KEYS, lambda _: None, place=place)
    assert listed(place) == ["casetrack", "casetrack-1.0.dist-info", "other"]


def test_two_updates_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import FileLock

    monkeypatch.setattr(Installation, "by_hand", None)
    place = installed(tmp_path)
    with FileLock(place.site / f"{STAGE}.lock"), pytest.raises(errors.UpdateFailed):
        update(HERE, "2.0", KEYS, lambda _: None, place=place)


@pytest.mark.parametrize("word", ["latest", "1", "1.0; rm", "../1.0", ""])
def test_what_is_no_version(word: str) -> None:
    with pytest.raises(errors.UsageError, match=re.escape(repr(word))):
        look(HERE, to=word)


def test_what_a_version_needs_is_installed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Any] = []
    monkeypatch.setattr(installers, "run_installer", ran.append)
    requires = ("packaging>=1", "no-such-thing>=2; python_version >= '3'", "filelock<0.1")
    more = ('other; extra == "bench"', "unwanted; python_version < '3'")
    missing = installers.install_missing(HERE, requires + more)
    assert missing == requires[1:]
    assert ran[0][-2:] == requires[1:]
    uv = Installation("uv-tool", "there", "/tools/python")
    assert installers.install_missing(uv, requires[:1]) == ()
    installers.install_missing(uv, requires)
    assert ran[1][:5] == ("uv", "pip", "install", "--python", "/tools/python")
