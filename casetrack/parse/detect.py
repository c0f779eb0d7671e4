"""Chooses the reader of a file by its extension and checks that the content matches."""

from __future__ import annotations

import mmap
import re
import stat
import zipfile
from collections.abc import Sequence
from pathlib import Path

from casetrack.base import errors
from casetrack.parse.base import FileHead, Reader
from casetrack.parse.encoding import looks_like_text

SOURCE_CODE = "Source code"
"""Name of the reader that has an extension for every language."""
HEAD_BYTES = 8192
PDF_HEADER_WITHIN = 1024
"""A PDF's header may appear anywhere within its first bytes (ISO 32000-1, annex H)."""

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP_MAGIC = b"PK\x03\x04"
ZIP, EMPTY_ZIP, GZIP = "a ZIP archive", "an empty ZIP archive", "a gzip archive"
SEVEN_ZIP, OUTLOOK = "a 7-Zip archive", "an Outlook data file"
_UNPACK = "Unpack it and add its folder, or pack its files as a ZIP archive."
_ENTRY_BYTES, _SEARCHED_BYTES = 128, 1 << 24
_OLE_STREAMS = (
    "EncryptedPackage",
    "Workbook",
    "Book",
    "WordDocument",
    "PowerPoint Document",
    "__properties_version1.0",
)
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"II+\x00", "a TIFF image"),
    (b"MM\x00+", "a TIFF image"),
    (b"\x7fELF", "a program"),
    (b"{\\rtf", "an RTF document"),
    (b"PK\x05\x06", EMPTY_ZIP),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", SEVEN_ZIP),
    (b"!BDN", OUTLOOK),
    (b"\x1f\x8b", GZIP),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"PAR1", "a Parquet file"),
)
_MAIL = ".eml"
_NUMBERED = re.compile(r"[^.]+\.?|\d[\w.-]*:2,[A-Za-z]*|\d+(?:\.[\w=,-]+)+")
"""File names in mailbox folders, which have no extension for the format."""
_MAIL_FIELD = re.compile(
    rb"(?im)^(Received|Return-Path|Message-ID|From|To|Cc|Date|Subject|MIME-Version|X-From)[ \t]*:"
)
_MAIL_FIELDS = 3
# Two letters that a text may start with too; they count only where the rest is binary.
_SHORT_MAGIC = ((b"MZ", "a Windows program"), (b"BM", "a BMP image"))
_OLE_KINDS = (
    ("EncryptedPackage", "a password-protected Office document"),
    ("Workbook", "an Excel 97-2003 workbook (.xls)"),
    ("Book", "an Excel 97-2003 workbook (.xls)"),
    ("WordDocument", "a Word 97-2003 document (.doc)"),
    ("PowerPoint Document", "a PowerPoint 97-2003 presentation (.ppt)"),
    ("__properties_version1.0", "an Outlook message (.msg)"),
)


def read_head(path: Path, /) -> FileHead:
    """Return the start and the members of a file; raise a ``FileError`` if it is unreadable."""
    try:
        info = path.stat()
        if stat.S_ISDIR(info.st_mode):
            raise errors.WrongPathKind(
                f"{path} is a folder, not a file.",
                hint="Name a file in it, or ingest the whole folder.",
            )
        if not stat.S_ISREG(info.st_mode):
            raise errors.WrongPathKind(
                f"{path} is not a regular file (a device, a pipe or a socket).",
                hint="Copy its content into a file first.",
            )
        if info.st_size == 0:
            raise errors.EmptyFile(path)
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        members = _members(path, head)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise errors.FileNotFound(path) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise errors.FileUnreadable(path, reason) from error
    return FileHead(path, path.suffix.lower(), head, members, _mark(head, members))


def choose(file: FileHead, readers: Sequence[Reader], /) -> Reader:
    """Return the reader of the file; raise ``UnsupportedFormat`` or ``FormatMismatch``."""
    extension = _MAIL if _is_unnamed_mail(file) else file.extension
    named = [reader for reader in readers if extension in reader.extensions]
    if not named:
        # A hundred extensions of source code would hide the others.
        raise errors.UnsupportedFormat(
            file.path,
            [e for r in readers for e in r.extensions if r.name != SOURCE_CODE],
            hint=_UNPACK if (file.mark or "").endswith("archive") else "",
        )
    for reader in named:
        if reader.accepts(file):
            return reader
    raise errors.FormatMismatch(file.path, file.extension, describe(file))


def _is_unnamed_mail(file: FileHead) -> bool:
    """Return whether the file is one message of a mail folder: ``20.``, ``1354.M2P.host:2,S``."""
    if not _NUMBERED.fullmatch(file.path.name):
        return False
    head = file.head.lstrip()
    fields = {
        name.lower()
        for name in _MAIL_FIELD.findall(head.replace(b"\r\n", b"\n").partition(b"\n\n")[0])
    }
    return len(fields) >= _MAIL_FIELDS and _MAIL_FIELD.match(head) is not None


def describe(file: FileHead, /) -> str:
    """Return a description of the file's content for messages."""
    if file.mark:
        return file.mark
    if looks_like_text(file.head):
        return "plain text"
    if b"%PDF-" in file.head[:PDF_HEADER_WITHIN]:
        return "a PDF document"
    for magic, words in _SHORT_MAGIC:
        if file.head.startswith(magic):
            return words
    return "binary data of an unknown kind"


def _mark(head: bytes, members: frozenset[str]) -> str | None:
    if head.startswith(b"%PDF-"):
        return "a PDF document"
    if head.startswith(ZIP_MAGIC):
        return _zip_kind(head, members)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "a WebP image"
    if head.startswith(OLE_MAGIC):
        known = (words for name, words in _OLE_KINDS if name in members)
        return next(known, "an Office 97-2003 file of an unknown kind")
    return next((words for magic, words in _MAGIC if head.startswith(magic)), None)


def _zip_kind(head: bytes, members: frozenset[str]) -> str:
    folders = {name.partition("/")[0] for name in members}
    for folder, words in (
        ("word", "a Word document (.docx)"),
        ("xl", "an Excel workbook (.xlsx)"),
        ("ppt", "a PowerPoint presentation (.pptx)"),
    ):
        if folder in folders and "[content_types].xml" in members:
            return words
    for mark, words in (
        (b"opendocument.spreadsheet", "an OpenDocument spreadsheet (.ods)"),
        (b"opendocument.text", "an OpenDocument text (.odt)"),
        (b"opendocument.presentation", "an OpenDocument presentation (.odp)"),
        (b"opendocument.graphics", "an OpenDocument drawing (.odg)"),
        (b"epub+zip", "an EPUB book"),
    ):
        if mark in head[:256]:
            return words
    return ZIP


def _members(path: Path, head: bytes) -> frozenset[str]:
    """Return lower-case names in a ZIP, known stream names in an OLE container, if undamaged."""
    if head.startswith(ZIP_MAGIC):
        try:
            with zipfile.ZipFile(path) as archive:
                return frozenset(n.replace("\\", "/").lower() for n in archive.namelist())
        except (zipfile.BadZipFile, NotImplementedError, EOFError, UnicodeDecodeError):
            return frozenset()
    if head.startswith(OLE_MAGIC):
        return frozenset(_streams(path))
    return frozenset()


def _streams(path: Path) -> set[str]:
    """Return the known streams of an OLE container, compared without case ([MS-CFB] 2.6)."""
    # A directory entry is its name, zero-ended, at a multiple of 128 bytes.
    wanted = {n: n.lower().encode("utf-16-le") + b"\x00\x00" for n in _OLE_STREAMS}
    streams: set[str] = set()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for start in range(0, len(data), _SEARCHED_BYTES):
            part = data[start : start + _SEARCHED_BYTES + _ENTRY_BYTES].lower()
            streams |= {n for n, letters in wanted.items() if _begins_an_entry(part, letters)}
    return streams


def _begins_an_entry(data: bytes, name: bytes) -> bool:
    at = data.find(name)
    while at >= 0:
        if at % _ENTRY_BYTES == 0:
            return True
        at = data.find(name, at + 1)
    return False
