"""Which reader takes a file, and what is said where none does."""

from __future__ import annotations

import os
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from casetrack import errors
from casetrack.readers import READERS, detect, known_extensions
from casetrack.readers.detect import SOURCE_CODE

if TYPE_CHECKING:
    from pathlib import Path

PDF = b"%PDF-1.7\n1 0 obj\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def ole(*streams: str) -> bytes:
    """Return a container that has directory entries of these names, and nothing else."""
    entries = b"".join((s.encode("utf-16-le") + b"\0\0").ljust(128, b"\0") for s in streams)
    return OLE.ljust(512, b"\0") + entries


def container(path: Path, *names: str) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            is_mime = name == "mimetype"
            archive.writestr(name, "application/vnd.oasis.opendocument.spreadsheet" * is_mime)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "reader"),
    [
        ("a.pdf", PDF, "PDF"),
        ("A.PDF", PDF, "PDF"),
        ("late.pdf", b"\0" * 900 + PDF, "PDF"),
        ("headless.pdf", b"\x01\x02 3 0 obj << >> endobj", "PDF"),
        ("a.txt", b"text", "Text"),
        ("a.log", b"\x1b[31mred\x1b[0m", "Text"),
        ("a.text", "\ufeffü".encode("utf-16"), "Text"),
        ("a.md", b"# Title", "Markdown"),
        ("a.markdown", "Grüße".encode("cp1252"), "Markdown"),
        ("about-pdf.txt", b"A PDF starts with %PDF-1.7", "Text"),
        ("mz.txt", b"MZ stands for Mark Zbikowski", "Text"),
        ("encrypted.docx", ole("EncryptedPackage"), "DOCX"),
        ("encrypted.xlsx", ole("EncryptedPackage"), "Spreadsheet"),
        ("a.xls", ole("Workbook"), "Spreadsheet"),
        ("truncated.docx", b"PK\x03\x04 half a file", "DOCX"),
        ("truncated.xlsx", b"PK\x03\x04 half a file", "Spreadsheet"),
    ],
)
def test_takes_what_fits(tmp_path: Path, name: str, content: bytes, reader: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert detect(path).name == reader


@pytest.mark.parametrize(
    ("names", "extension", "reader"),
    [
        (("[Content_Types].xml", "word/document.xml"), ".docx", "DOCX"),
        (("[Content_Types].xml", "word\\document.xml"), ".docm", "DOCX"),
        (("[Content_Types].xml", "xl/workbook.xml"), ".xlsx", "Spreadsheet"),
        (("mimetype", "content.xml"), ".ods", "Spreadsheet"),
    ],
)
def test_looks_into_containers(
    tmp_path: Path, names: tuple[str, ...], extension: str, reader: str
) -> None:
    path = tmp_path / f"file{extension}"
    container(path, *names)
    assert detect(path).name == reader


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.docx", PDF, "a PDF document"),
        ("a.txt", PDF, "a PDF document"),
        ("a.pdf", b"just words", "plain text"),
        ("a.docx", b"just words", "plain text"),
        ("a.xls", b"a;b;c", "plain text"),
        ("a.pdf", b"\x89PNG\r\n\x1a\n....", "a PNG image"),
        ("a.pdf", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff", "a Windows program"),
        ("a.md", b"\xff\xd8\xff\xe0", "a JPEG image"),
        ("a.txt", b"{\\rtf1 text}", "an RTF document"),
        ("a.docx", ole("WordDocument"), "a Word 97-2003 document (.doc)"),
        ("a.xlsx", ole("Workbook"), "an Excel 97-2003 workbook (.xls)"),
        ("a.pdf", ole("EncryptedPackage"), "a password-protected Office document"),
        ("a.txt", b"\0\1\2\3\4\5\6" * 99, "binary data of an unknown kind"),
        ("a.docx", b"PK\x05\x06" + b"\0" * 18, "an empty ZIP archive"),
    ],
)
def test_names_what_a_misnamed_file_is(
    tmp_path: Path, name: str, content: bytes, found: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(errors.FormatMismatch) as raised:
        detect(path)
    assert raised.value.message == f"{path} is named {path.suffix} but its content is {found}."


@pytest.mark.parametrize(
    ("names", "extension", "found"),
    [
        (("[Content_Types].xml", "word/document.xml"), ".xlsx", "a Word document (.docx)"),
        (("[Content_Types].xml", "xl/workbook.xml"), ".docx", "an Excel workbook (.xlsx)"),
        (("[Content_Types].xml", "ppt/presentation.xml"), ".docx", "a PowerPoint presentation"),
        (("readme",), ".pdf", "a ZIP archive"),
        (("readme",), ".txt", "a ZIP archive"),
        (("mimetype", "content.xml"), ".docx", "an OpenDocument spreadsheet (.ods)"),
    ],
)
def test_names_what_a_misnamed_container_is(
    tmp_path: Path, names: tuple[str, ...], extension: str, found: str
) -> None:
    path = tmp_path / f"file{extension}"
    container(path, *names)
    with pytest.raises(errors.FormatMismatch, match=found.replace("(", r"\(").replace(")", r"\)")):
        detect(path)


def test_there_is_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(errors.FileNotFound):
        detect(tmp_path / "missing.pdf")
    with pytest.raises(errors.FileNotFound):
        detect(tmp_path / "no-folder" / "missing.pdf")
    (tmp_path / "empty.pdf").touch()
    with pytest.raises(errors.FileNotFound):
        detect(tmp_path / "empty.pdf" / "inside.pdf")
    with pytest.raises(errors.EmptyFile, match="0 bytes"):
        detect(tmp_path / "empty.pdf")
    (tmp_path / "folder.pdf").mkdir()
    with pytest.raises(errors.WrongPathKind, match="is a folder"):
        detect(tmp_path / "folder.pdf")
    with pytest.raises(errors.FileUnreadable, match="too long"):
        detect(tmp_path / ("x" * 300 + ".pdf"))
    with pytest.raises(errors.FileUnreadable):
        detect(tmp_path / "null\0byte.pdf")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_special_files_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(errors.WrongPathKind, match="not a regular file"):
        detect(tmp_path / "pipe.txt")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="the superuser may read everything"
)
def test_a_file_without_permission_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("text")
    path.chmod(0)
    with pytest.raises(errors.FileUnreadable, match="Permission denied"):
        detect(path)


@pytest.mark.parametrize("name", ["a.exe", "a.pages", "a", "a.pdf.zip"])
def test_unknown_formats_list_the_known_ones(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(PDF)
    with pytest.raises(errors.UnsupportedFormat) as raised:
        detect(path)
    code = {extension for r in READERS if r.name == SOURCE_CODE for extension in r.extensions}
    listed = raised.value.hint
    assert all(f"{extension}," in listed for extension in set(known_extensions()) - code)
    assert listed.endswith("and source code.")


@pytest.mark.parametrize(
    "name",
    ["with space.txt", 'quote\'s "x".txt', "Übung 中文 ✓.txt", "n" * 196 + ".txt", "-rf.txt"],
)
def test_unusual_names_are_fine(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("text")
    pages = list(detect(path).read(path).pages)
    assert [page.text for page in pages] == ["text"]
