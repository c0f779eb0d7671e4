"""Selection of the reader of a file, and the error if there is none."""

from __future__ import annotations

import io
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from casetrack.base import errors
from casetrack.parse import detect

PDF = b"%PDF-1.7\n1 0 obj\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def ole(*streams: str) -> bytes:
    """Return a container that has directory entries of these names, and nothing else."""
    entries = b"".join((s.encode("utf-16-le") + b"\0\0").ljust(128, b"\0") for s in streams)
    return OLE.ljust(512, b"\0") + entries


def container(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            is_mime = name == "mimetype"
            archive.writestr(name, "application/vnd.oasis.opendocument.spreadsheet" * is_mime)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "reader"),
    [
        ("A.PDF", PDF, "PDF"),
        ("late.pdf", b"\0" * 900 + PDF, "PDF"),
        ("headless.pdf", b"\x01\x02 3 0 obj << >> endobj", "PDF"),
        ("a.text", "\ufeffü".encode("utf-16"), "Text"),
        ("a.markdown", "Grüße".encode("cp1252"), "Markdown"),
        ("about-pdf.txt", b"A PDF starts with %PDF-1.7", "Text"),
        ("mz.txt", b"MZ stands for Mark Zbikowski", "Text"),
        ("encrypted.docx", ole("EncryptedPackage"), "DOCX"),
        ("encrypted.xlsx", ole("EncryptedPackage"), "Spreadsheet"),
        ("a.xls", ole("Workbook"), "Spreadsheet"),
        ("a.docx", container("[Content_Types].xml", "word/document.xml"), "DOCX"),
        ("a.xlsx", container("[Content_Types].xml", "xl/workbook.xml"), "Spreadsheet"),
        ("truncated.docx", b"PK\x03\x04 half a file", "DOCX"),
    ],
)
def test_takes_what_fits(tmp_path: Path, name: str, content: bytes, reader: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert detect(path).name == reader


MISNAMED = (
    ("a.docx", PDF),
    ("a.pdf", b"just words"),
    ("a.xls", b"a;b;c"),
    ("a.pdf", b"\x89PNG\r\n\x1a\n...."),
    ("a.pdf", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff"),
    ("a.md", b"\xff\xd8\xff\xe0"),
    ("a.txt", b"{\\rtf1 text}"),
    ("a.docx", ole("WordDocument")),
    ("a.xlsx", ole("Workbook")),
    ("a.pdf", ole("EncryptedPackage")),
    ("a.txt", b"\0\1\2\3\4\5\6" * 99),
    ("a.docx", b"PK\x05\x06" + b"\0" * 18),
    ("a.xlsx", container("[Content_Types].xml", "word/document.xml")),
    ("a.xls", container("[Content_Types].xml", "xl/workbook.xml")),
    ("a.docx", container("[Content_Types].xml", "ppt/presentation.xml")),
    ("a.pdf", container("readme")),
    ("a.docx", container("mimetype", "content.xml")),
)


def test_a_misnamed_file_is_named_by_its_content(
    tmp_path: Path, messages: Callable[..., None]
) -> None:
    collected = []
    for name, content in MISNAMED:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(errors.FormatMismatch) as raised:
            detect(path)
        collected.append(raised.value.message)
    messages("\n".join(collected))


def test_there_is_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").touch()
    for missing in ("missing.pdf", "no-folder/missing.pdf", "empty.pdf/inside.pdf"):
        with pytest.raises(errors.FileNotFound):
            detect(tmp_path / missing)
    with pytest.raises(errors.EmptyFile):
        detect(tmp_path / "empty.pdf")
    (tmp_path / "folder.pdf").mkdir()
    with pytest.raises(errors.WrongPathKind):
        detect(tmp_path / "folder.pdf")
    for name in ("x" * 300 + ".pdf", "null\0byte.pdf"):
        with pytest.raises(errors.FileUnreadable):
            detect(tmp_path / name)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_special_files_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(errors.WrongPathKind):
        detect(tmp_path / "pipe.txt")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="the superuser may read everything"
)
def test_a_file_without_permission_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("text")
    path.chmod(0)
    with pytest.raises(errors.FileUnreadable):
        detect(path)
