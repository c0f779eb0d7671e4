"""Extract embedded files from Office documents: workbooks on a slide, a PDF in a letter.

Office stores them in a folder ``embeddings``, directly or in an OLE container that names their
program ([MS-OLEDS] 2.3). Workbooks of charts are skipped, since the chart itself is read.
"""

from __future__ import annotations

import io
import posixpath
import re
import struct
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import Attachment, Reading, ReadOptions
from casetrack.parse.detect import OLE_MAGIC, PDF_HEADER_WITHIN
from casetrack.parse.page_builder import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.package import Package

# Copies embedded files, so that they are read as separate documents.

_UNSAFE = re.compile(r'[\x00-\x1f<>:"|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_MAX_STEM, _MAX_SUFFIX = 100, 16


def attach(reading: Reading, options: ReadOptions, name: str | None, data: bytes, /) -> None:
    """Copy an attachment into the spool folder, if any; report those over the limit as missing."""
    if data and (path := place(reading, options, name)):
        path.write_bytes(data)


def place(
    reading: Reading, options: ReadOptions, name: str | None, folder: str = "", /
) -> Path | None:
    """Add an attachment; return the path for its copy, ``None`` without one."""
    if options.spool is None:
        return None
    number = len(reading.attachments) + 1
    if number > options.limits.max_attachments:
        text = (
            f"Only the first {options.limits.max_attachments:,} attachments were read "
            "(max_attachments)."
        )
        if text not in reading.missing:
            reading.missing.append(text)
        return None
    spool = options.spool / f"{number:04d}"
    spool.mkdir(exist_ok=True)
    safe = file_name(name, number)
    path = spool / safe
    reading.attachments.append(Attachment(f"{folder}{safe}", path))
    return path


def file_name(name: str | None, number: int, /) -> str:
    """Return a file name that is valid on every system; *number* is used if *name* is empty."""
    last = PurePosixPath((name or "").replace("\\", "/")).name
    text = _UNSAFE.sub("_", clean_text(last)).strip(" .")
    if not text:
        return f"attachment-{number}.bin"
    path = PurePosixPath(text)
    suffix = path.suffix if 1 < len(path.suffix) <= _MAX_SUFFIX else ""
    stem = text[: len(text) - len(suffix)] if suffix else text
    stem = stem.encode("utf-8")[:_MAX_STEM].decode("utf-8", "ignore").strip(" .") or "attachment"
    return f"_{stem}{suffix}" if _RESERVED.match(stem) else f"{stem}{suffix}"


_FOLDER = "/embeddings/"
_NATIVE = "\x01Ole10Native"
_WHOLE = (("WordDocument", ".doc"), ("Workbook", ".xls"), ("Book", ".xls"))
_SLIDES = ("PowerPoint Document", ".ppt")
_ZIPPED = ("Package", "EmbeddedOdf")
_KINDS = (
    (b"word/", ".docx"),
    (b"ppt/", ".pptx"),
    (b"xl/", ".xlsx"),
    (b"opendocument.text", ".odt"),
    (b"opendocument.spreadsheet", ".ods"),
    (b"opendocument.presentation", ".odp"),
)


def take_embedded(package: Package, reading: Reading, options: ReadOptions, /) -> None:
    """Copy the files embedded in an Office document; report unreadable ones as missing."""
    parts = [name for name in package.names if _FOLDER in f"/{name}"]
    if options.spool is None or not parts:
        return
    behind_charts = {target.lower() for target in _chart_data(package)}
    for part in parts:
        if part in behind_charts:
            continue
        name = posixpath.basename(part)
        try:
            data = package.read(part)
            if data.startswith(OLE_MAGIC) and name.endswith(".bin"):
                name, data = _unwrapped(name, data)
        except (ParseFailed, _Unknown) as error:
            reason = error.message if isinstance(error, ParseFailed) else str(error)
            reading.missing.append(f"The embedded object {name} was not read: {reason}")
            continue
        attach(reading, options, name, data)


def _chart_data(package: Package) -> Iterator[str]:
    for name in package.names:
        if "/charts/" in name and "/_rels/" not in name:
            try:
                yield from (target for _, target in package.relations(name).values())
            except ParseFailed:
                # The workbook of this chart is then read as a separate file, so no content is lost.
                continue


class _Unknown(Exception):
    """An object of an unknown program."""


def _unwrapped(name: str, data: bytes) -> tuple[str, bytes]:
    """Return name and content of the file inside an OLE container."""
    import olefile  # type: ignore[import-untyped]

    stem = posixpath.splitext(name)[0]
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            if ole.exists(_NATIVE):
                return _native(stem, ole.openstream(_NATIVE).read())
            for stream, extension in (*_WHOLE, _SLIDES):
                if ole.exists(stream):
                    return f"{stem}{extension}", data
            for stream in (*_ZIPPED, "CONTENTS"):
                if ole.exists(stream):
                    inner = ole.openstream(stream).read()
                    return f"{stem}{_extension(inner)}", inner
            raise _Unknown("its program has an unknown file format.")
    except (MemoryError, _Unknown):
        raise
    except Exception as error:
        # Damage makes olefile raise anything.
        raise _Unknown(f"it is damaged ({type(error).__name__}).") from error


def _native(stem: str, data: bytes) -> tuple[str, bytes]:
    """Read the file of an OLE Package stream: label, path, path of a copy, content."""
    at = 6
    texts = []
    for _ in range(2):
        end = data.index(b"\0", at)
        texts.append(data[at:end].decode("utf-8", "replace"))
        at = end + 1
    (length,) = struct.unpack_from("<I", data, at + 4)
    at += 8 + length
    (size,) = struct.unpack_from("<I", data, at)
    content = data[at + 4 : at + 4 + size]
    if len(content) < size:
        raise _Unknown("it ends too early.")
    return next((text for text in texts if text.strip()), f"{stem}.bin"), content


def _extension(data: bytes) -> str:
    if b"%PDF-" in data[:PDF_HEADER_WITHIN]:
        return ".pdf"
    known = (extension for mark, extension in _KINDS if mark in data[:8192] or mark in data[-8192:])
    extension = next(known, None)
    if extension is None:
        raise _Unknown("its program has an unknown file format.")
    return extension
