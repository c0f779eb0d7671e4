"""Protected Office files: opened with the right password, and nothing of them left behind."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docx
import openpyxl
import pytest
from msoffcrypto.format.ooxml import OOXMLFile

from casetrack.base.config import ParseLimits
from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse import passwords
from casetrack.parse.base import ReadOptions
from casetrack.parse.passwords import decrypted
from casetrack.parse.sheets.reader import SheetReader
from casetrack.parse.word.reader import DocxReader


def protect(path: Path, password: str) -> Path:
    """Encrypt a container in place (ECMA-376 agile)."""
    out = io.BytesIO()
    with path.open("rb") as file:
        OOXMLFile(file).encrypt(password, out)
    path.write_bytes(out.getvalue())
    return path


@pytest.fixture(scope="module")
def secret_docx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("secret") / "secret.docx"
    document = docx.Document()
    document.add_paragraph("The hidden clause.")
    document.save(str(path))
    return protect(path, "open sesame")


@pytest.fixture(scope="module")
def locked_xlsx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook that is protected against editing, in the way of Excel."""
    path = tmp_path_factory.mktemp("locked") / "locked.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["Item", "Price"])
    book.active.append(["Bolt", 1.5])
    book.save(path)
    return protect(path, "VelvetSweatshop")


@pytest.fixture(params=["unnamed", "named"])
def copies(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Give the folder of temporary files, for both ways to make a private one; empty at the end."""
    if request.param == "named":
        monkeypatch.setattr(passwords, "_OPEN_FILES", tmp_path / "none")
    elif not passwords._OPEN_FILES.is_dir():
        pytest.skip("this system gives no paths to open files")
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.mark.sampled(1)
def test_a_document_opens_with_its_password(secret_docx: Path, copies: Path) -> None:
    reading = DocxReader().read(secret_docx, ReadOptions(passwords=("wrong", "open sesame")))
    assert [page.text for page in reading.pages] == ["The hidden clause."]
    assert list(copies.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("given", [(), ("wrong",)], ids=["none", "wrong"])
def test_the_error_says_whether_a_password_was_tried(
    secret_docx: Path, messages: Callable[..., None], given: tuple[str, ...]
) -> None:
    with pytest.raises(FileEncrypted) as caught:
        DocxReader().read(secret_docx, ReadOptions(passwords=given))
    messages(str(caught.value), hide={str(secret_docx): "<file>"})


@pytest.mark.sampled(1)
def test_a_workbook_locked_by_excel_itself_needs_no_password(
    locked_xlsx: Path, copies: Path
) -> None:
    reading = SheetReader().read(locked_xlsx)
    assert reading.info.format == "xlsx"
    assert [page.text for page in reading.pages] == ["Item | Price\nItem: Bolt | Price: 1.5"]
    assert list(copies.iterdir()) == []


@pytest.mark.sampled(1)
def test_a_reading_that_nobody_finishes_leaves_nothing(locked_xlsx: Path, copies: Path) -> None:
    begun = SheetReader().read(locked_xlsx)
    next(begun.pages)
    never_begun = SheetReader().read(locked_xlsx)
    del begun, never_begun
    assert list(copies.iterdir()) == []


def test_the_copy_is_private_and_goes_with_an_error(secret_docx: Path, copies: Path) -> None:
    options = ReadOptions(passwords=("open sesame",))
    stop = RuntimeError("stop")

    def use() -> None:
        with decrypted(secret_docx, options, "X") as copy:
            assert copy.read_bytes().startswith(b"PK\x03\x04")
            assert copy.stat().st_mode & 0o777 == 0o600
            raise stop

    with pytest.raises(RuntimeError, match="stop"):
        use()
    assert list(copies.iterdir()) == []


def test_the_named_copy_is_in_the_spool_folder(
    secret_docx: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "_OPEN_FILES", tmp_path / "none")
    options = ReadOptions(passwords=("open sesame",), spool=tmp_path)
    with decrypted(secret_docx, options, "X") as copy:
        assert copy.parent == tmp_path
    assert not copy.exists()
    small = replace(options, limits=replace(ParseLimits(), unpacked_mb=0))
    with pytest.raises(ParseFailed, match="unpacked_mb"):
        DocxReader().read(secret_docx, small)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has files without a name")
def test_nothing_stays_where_the_process_is_killed(secret_docx: Path, tmp_path: Path) -> None:
    program = f"""
import os, signal, tempfile
from pathlib import Path
from casetrack.parse.base import ReadOptions
from casetrack.parse.passwords import decrypted
tempfile.tempdir = {str(tmp_path)!r}
with decrypted(Path({str(secret_docx)!r}), ReadOptions(passwords=("open sesame",)), "X") as copy:
    assert copy.stat().st_size > 0
    os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == -9
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_given_back_as_they_are(tmp_path: Path) -> None:
    for data in (b"plain", b"", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 no container at all"):
        path = tmp_path / "a.doc"
        path.write_bytes(data)
        with decrypted(path, ReadOptions(), "DOC") as content:
            assert content == path


@pytest.mark.slow
def test_damaged_protection_says_so(secret_docx: Path, tmp_path: Path) -> None:
    data = secret_docx.read_bytes()
    for cut in range(600, len(data), len(data) // 4):
        path = tmp_path / "cut.docx"
        path.write_bytes(data[:cut])
        with pytest.raises((FileEncrypted, ParseFailed), match=r"cut\.docx"):
            DocxReader().read(path, ReadOptions(passwords=("open sesame",)))


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [
        ("docx/bug53475-password-is-solrcell.docx", "solrcell", "password protected Word"),
        ("xlsx/extenxls_pwd123.xlsx", "pwd123", ""),
        ("xlsx/protect.xlsx", "", ""),
        ("xls/xor-encryption-abc.xls", "abc", ""),
        ("xls/50833.xls", "", ""),
    ],
)
def test_real_protected_files_open(
    corpus: Callable[[str], Path], name: str, password: str, words: str
) -> None:
    """Standard encryption, RC4 and XOR, with a chosen password or the default one."""
    path = corpus("office-suite") / name
    reader = DocxReader() if path.suffix == ".docx" else SheetReader()
    text = "\n".join(p.text for p in reader.read(path, ReadOptions(passwords=(password,))).pages)
    assert text
    assert words in text
