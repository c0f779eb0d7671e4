"""Archives: a list of the files, each a document; hostile and damaged ones."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import FileEncrypted, ParseFailed, UnsupportedFormat
from casetrack.parse import detect
from casetrack.parse.base import Reading, ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

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
        read(tmp_path / "x.7z", b"7z\xbc\xaf\x27\x1c\0")
    with pytest.raises(ParseFailed):
        read(tmp_path / "torn.zip", b"PK\x03\x04 torn")
