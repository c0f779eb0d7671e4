"""Only the owner can read a collection, and a document's files are removed with it."""

from __future__ import annotations

import os
import subprocess
import sys
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from casetrack.keep.health.folder import check_folder
from casetrack.store.scratch import spool_folder
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Lease", "ann@x.org", "bob@x.org"
    message.set_content("The lease is attached.")
    message.add_attachment("The rent is 1,250.00 a month.", filename="lease.txt")
    path = tmp_path / "mail.eml"
    path.write_bytes(bytes(message))
    path.chmod(0o644)
    return path


def open_to_others(folder: Path) -> list[str]:
    return [
        f"{path.relative_to(folder)} {path.stat().st_mode & 0o777:o}"
        for path in (folder, *folder.rglob("*"))
        if path.stat().st_mode & 0o077
    ]


@pytest.mark.slow
def test_the_program_writes_for_its_user_alone(tmp_path: Path, mail: Path) -> None:
    home = tmp_path / "new" / "home"
    words = ["-m", "casetrack", "ingest", str(mail), "--create", "-c", "Mill"]
    subprocess.run(
        [sys.executable, *words, "--data-dir", str(home)],
        check=True,
        capture_output=True,
        umask=0,
        env=os.environ | {"CASETRACK_MODELS": str(tmp_path / "none")},
    )
    assert [p.name for p in home.glob("collections/*/originals/*/*")] == ["lease.txt"]
    assert open_to_others(home) == []


@pytest.mark.slow
def test_a_library_keeps_others_out_whatever_the_umask(library: Library, mail: Path) -> None:
    before = os.umask(0)
    try:
        collection = library.create("Mill")
        collection.ingest(mail)
    finally:
        os.umask(before)
    folder = collection.folder
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "collection.json").stat().st_mode & 0o777 == 0o600
    assert open_to_others(folder / "originals") == []


def test_copies_of_attachments_are_in_the_collection_and_are_swept(
    library: Library, mail: Path
) -> None:
    collection = library.create("Mill")
    folder = collection.folder
    with spool_folder(folder) as at_work:
        (at_work / "0001").mkdir()
        killed = folder / ".spool-0123456789ab"
        (killed / "0001").mkdir(parents=True)
        (killed / ".lock").touch()
        (killed / "0001" / "lease.txt").write_text("The rent")
        assert check_folder(folder).ok
        collection.ingest(mail)
        assert not killed.exists()
        assert (at_work / "0001").is_dir()  # the holder of its lock is alive
        assert at_work.stat().st_mode & 0o777 == 0o700
    (killed / "0001").mkdir(parents=True)
    (killed / ".lock").touch()
    collection.admin.upkeep(secure=True, wait=True)
    assert list(folder.glob(".spool-*")) == []


def test_a_copy_goes_with_its_document_also_after_a_kill(
    library: Library, mail: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = library.create("Mill")
    collection.ingest(mail)
    copies = collection.folder / "originals"
    assert len(list(copies.rglob("*.txt"))) == 1

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("casetrack.keep.upkeep.drop_copies", die)
        with pytest.raises(Killed):
            collection.delete_document("mail.eml")
    with write_session(collection.folder):
        pass
    assert collection.documents() == []
    assert list(copies.rglob("*.txt")) == []


def test_doctor_tells_who_may_look_in_and_takes_it_away(library: Library) -> None:
    home = library.settings.data_dir
    library.create("Mill")
    (home / "models").mkdir()
    (home / "models").chmod(0o755)

    def privacy(*, repair: bool = False) -> tuple[bool, str]:
        report = library.doctor(repair=repair)
        [check] = [c for c in report.checks if c.name == "privacy"]
        return check.ok, check.detail

    assert privacy()[0]
    home.chmod(0o755)
    assert privacy()[0], "each thing in it keeps others out by itself"
    (home / "collections").chmod(0o750)
    (home / "config.toml").touch(0o644)
    ok, text = privacy()
    assert not ok
    assert str(home / "collections") in text
    assert str(home / "config.toml") in text
    assert privacy(repair=True)[0]
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "config.toml").stat().st_mode & 0o777 == 0o600
    assert (home / "models").stat().st_mode & 0o777 == 0o755
