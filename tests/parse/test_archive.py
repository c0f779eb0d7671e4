"""Archives and Outlook data files: lists of files, each a document; hostile and damaged ones."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import io
import struct
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

import outlook_file as outlook
from casetrack.base.errors import FileEncrypted, ParseFailed, ReaderMissing, UnsupportedFormat
from casetrack.parse import detect
from casetrack.parse.base import Reading, ReadOptions
from outlook_file import OutlookFile

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

needs_outlook = pytest.mark.skipif(
    importlib.util.find_spec("pypff") is None, reason="pip install 'casetrack[archives]'"
)
SEALED = (
    "UEsDBBQAAQAAAIBSYVgVv7A9HQAAABEAAAAKAAAAc2VhbGVkLnR4dAsi0Y/eWe9qe5gbPDYW6/lNfYmGC2Mj5zg9Smkz"
    "UEsBAhQDFAABAAAAgFJhWBW/sD0dAAAAEQAAAAoAAAAAAAAAAAAAAIABAAAAAHNlYWxlZC50eHRQSwUGAAAAAAEAAQA4"
    "AAAARQAAAAAA"
)


def zipped(*files: tuple[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return target.getvalue()


def read(path: Path, data: bytes, *passwords: str) -> Reading:
    path.write_bytes(data)
    spool = path.with_suffix(".spool")
    spool.mkdir()
    return detect(path).read(path, ReadOptions(passwords, spool=spool))


def test_each_file_is_a_document_with_its_path(library: Library, tmp_path: Path) -> None:
    inner = zipped(("deep/note.txt", b"The deep words."))
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(("b/offer.txt", b"The offer is open."), ("inner.zip", inner)))
    collection = library.create("Case")
    assert collection.ingest([path]).counts["ingested"] == 4
    result = collection.search("deep words", limit=1).results[0]
    assert result.text == "The deep words."
    assert result.provenance.document_path == f"{path}/inner.zip/deep/note.txt"
    assert collection.admin.doctor().ok


def test_hostile_names_links_and_devices_are_listed_and_not_read(tmp_path: Path) -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        names = "r/one.txt ../x.txt /y.txt r/one.txt/z.txt .z link device".split()
        kinds = [tarfile.REGTYPE] * 5 + [tarfile.SYMTYPE, tarfile.CHRTYPE]
        for name, kind in zip(names, kinds, strict=True):
            entry = tarfile.TarInfo(name)
            entry.type, entry.size, entry.mtime = kind, 2 if kind == tarfile.REGTYPE else 0, 1e9
            archive.addfile(entry, io.BytesIO(b"ab"))
    reading = read(tmp_path / "a.tar.gz", target.getvalue())
    assert next(reading.pages).text.splitlines()[:2] == [
        "r/one.txt (2 bytes, 2001-09-09 01:46)",
        "../x.txt (2 bytes, 2001-09-09 01:46, unsafe path)",
    ]
    assert [a.name for a in reading.attachments] == ["r/one.txt"]
    assert reading.missing == ["Not read (unsafe path): ../x.txt, /y.txt, r/one.txt/z.txt."]
    assert len(reading.warnings) == 3


def test_encrypted_files_need_the_password(tmp_path: Path) -> None:
    data = base64.b64decode(SEALED)
    with pytest.raises(FileEncrypted):
        read(tmp_path / "a.zip", data)
    reading = read(tmp_path / "b.zip", data, "wrong", "key")
    assert reading.attachments[0].path.read_bytes() == b"The sealed words."


def test_limits_and_damage_concern_single_files(tmp_path: Path) -> None:
    data = zipped(("a.txt", b"words" * 9), ("bomb.txt", bytes(33 << 20)), ("ü/b.txt", b"more"))
    data = data.replace(zipped(("a.txt", b"words" * 9))[35:40], b"#####", 1)
    reading = read(tmp_path / "a.zip", data)
    assert [a.name for a in reading.attachments] == ["ü/b.txt"]
    assert len(reading.missing) == 2


def test_other_containers(tmp_path: Path) -> None:
    reading = read(tmp_path / "a.zip", zipped())
    assert next(reading.pages).text == "The archive contains no files."
    note = read(tmp_path / "note.txt.gz", gzip.compress(b"words"))
    assert [a.name for a in note.attachments] == ["note.txt"]
    with pytest.raises(UnsupportedFormat):
        read(tmp_path / "x.rar", b"Rar!\x1a\x07\0")
    with pytest.raises(ParseFailed):
        read(tmp_path / "torn.zip", b"PK\x03\x04 torn")


def seven(*files: tuple[str, bytes], **options: object) -> bytes:
    py7zr = pytest.importorskip("py7zr", reason="pip install 'casetrack[archives]'")
    target = io.BytesIO()
    with py7zr.SevenZipFile(target, "w", **options) as archive:
        for name, data in files:
            archive.writestr(data, name)
    return target.getvalue()


def test_7_zip(tmp_path: Path) -> None:
    files = ("a.txt", b"The offer."), ("ü/b.txt", b"words " * 99)
    reading = read(tmp_path / "a.7z", seven(*files))
    assert [(a.name, a.path.read_bytes()) for a in reading.attachments] == list(files)
    assert not reading.missing
    for hidden in (False, True):
        sealed = seven(*files, password="key", header_encryption=hidden)
        for keys in ((), ("wrong",)):
            with pytest.raises(FileEncrypted):
                read(tmp_path / f"{hidden}{len(keys)}.7z", sealed, *keys)
        opened = read(tmp_path / f"{hidden}.7z", sealed, "wrong", "key")
        assert [a.path.read_bytes() for a in opened.attachments] == [data for _, data in files]
    bomb = read(tmp_path / "bomb.7z", seven(("bomb.txt", bytes(33 << 20))))
    assert (len(bomb.attachments), len(bomb.missing)) == (0, 1)
    with pytest.raises(ParseFailed):
        read(tmp_path / "torn.7z", seven(*files)[:60])


def mailbox() -> bytes:
    file = OutlookFile()
    inbox = file.folder("Inbox", file.folder("Top of Outlook data file"))
    note = {(0x1A, outlook.UNICODE): outlook.text("IPM.Note")}
    sent = struct.pack("<Q", 132_500_000_000_000_000)
    file.message(
        inbox,
        note
        | {
            (0x37, outlook.UNICODE): outlook.text("\x01\x04RE: Offer a/b"),
            (0x39, outlook.TIME): sent,
            (0x1000, outlook.UNICODE): outlook.text("The offer is open."),
            (0x0C1A, outlook.UNICODE): outlook.text("Ann Lee"),
            (0x5D01, outlook.UNICODE): outlook.text("ann@x.org"),
        },
        recipients=(
            {
                (0x0C15, outlook.LONG): outlook.long(1),
                (0x3001, outlook.UNICODE): outlook.text("Bob"),
                (0x39FE, outlook.UNICODE): outlook.text("bob@y.org"),
            },
        ),
        files=(
            {
                (0x3701, outlook.BINARY): b"The annex.",
                (0x3705, outlook.LONG): outlook.long(1),
                (0x3707, outlook.UNICODE): outlook.text("annex.txt"),
            },
            {
                (0x3001, outlook.UNICODE): outlook.text("Inner"),
                (0x3705, outlook.LONG): outlook.long(5),
            },
        ),
    )
    file.message(
        file.folder("Calendar"),
        {
            (0x1A, outlook.UNICODE): outlook.text("IPM.Appointment"),
            (0x37, outlook.UNICODE): outlook.text("Talk"),
            (0x8000, outlook.UNICODE): outlook.text("Room 5"),
        },
    )
    file.message(inbox, {(0x1A, outlook.UNICODE): outlook.text("IPM.Configuration.X")})
    return file.build()


@needs_outlook
def test_messages_of_an_outlook_data_file_are_mails(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "box.pst"
    path.write_bytes(mailbox())
    collection = library.create("Case")
    counts = collection.ingest([path]).counts
    assert (counts["ingested"], counts["partial"]) == (3, 1)
    place = f"{path}/Inbox/RE_ Offer a_b.eml"
    result = collection.search("open offer", limit=1).results[0]
    assert result.provenance.document_path == place
    assert "From: Ann Lee <ann@x.org>" in result.text
    assert "To: Bob <bob@y.org>" in result.text
    annex = collection.search("annex", limit=1).results[0].provenance
    assert annex.document_path == f"{place}/annex.txt"
    assert "Location: Room 5" in collection.search("room of the talk", limit=1).results[0].text
    assert collection.admin.doctor().ok


@needs_outlook
def test_the_list_of_an_outlook_data_file(tmp_path: Path) -> None:
    reading = read(tmp_path / "box.pst", mailbox())
    assert next(reading.pages).text.splitlines() == [
        "Inbox/RE_ Offer a_b.eml (2020-11-16 11:33)",
        "Calendar/Talk.eml",
    ]
    (lost,) = reading.missing
    assert "Inner" in lost
    damaged = bytearray(mailbox())
    damaged[:600] = bytes(b ^ 1 for b in damaged[:600])
    damaged[:4] = b"!BDN"
    with pytest.raises(ParseFailed):
        read(tmp_path / "torn.ost", bytes(damaged))


@pytest.mark.parametrize("name", ["x.7z", "x.pst"])
def test_a_missing_package_fails_one_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("py7zr", "pypff"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ReaderMissing):
        read(tmp_path / name, {".7z": b"7z\xbc\xaf\x27\x1c", ".pst": b"!BDN"}[name[1:]])
