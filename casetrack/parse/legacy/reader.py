"""Read DOC and PPT: LibreOffice converts them to DOCX or PPTX, which are then read.

A ``.doc`` file often has another format that Word opens (RTF, HTML or DOCX). Such files are read by
the readers of these formats.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from casetrack.base.errors import FileEncrypted, FileError, ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.detect import OLE_MAGIC, ZIP_MAGIC, read_head
from casetrack.parse.legacy.libreoffice import Conversion, converted
from casetrack.parse.package import Facts, ole_facts
from casetrack.parse.passwords import decrypted
from casetrack.parse.rtf.reader import RtfReader, is_rtf

_WORD_STREAM, _SLIDES_STREAM = "WordDocument", "PowerPoint Document"
_ENCRYPTED = "EncryptedPackage"
_HTML = (b"<html", b"<!doctype html")
_HTML_WITHIN = 1024
_WORD_97, _WORD_95, _WORD_6 = "MS Word 97", "MS Word 95", "MS WinWord 6.0"
_COMPUTED_FIELDS = frozenset(("DATE", "TIME", "FILENAME", "FILESIZE"))
"""Fields that LibreOffice recomputes, such as today's date or the name of its copy."""
_FIB_97, _FIB_95 = 105, 104
"""Versions in a document's first bytes ([MS-DOC] 2.5.2 nFib): 97 and later, 95; 6 below."""


class DocReader:
    """Word 97-2003 documents, and other formats with their extension."""

    name = "DOC"
    extensions: tuple[str, ...] = (".doc", ".dot")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept Word's OLE documents, RTF, HTML and DOCX; also damaged OLE containers."""
        if file.head.startswith(OLE_MAGIC):
            return not file.members or not file.members.isdisjoint({_WORD_STREAM, _ENCRYPTED})
        if file.head.startswith(ZIP_MAGIC):
            return any(member.startswith("word/") for member in file.members)
        return is_rtf(file.head) or _is_html(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Convert the document and read the result; see :class:`casetrack.parse.base.Reader`."""
        from casetrack.parse.word.reader import read_docx

        with decrypted(path, options, self.name) as content:
            head = _head(content)
            if is_rtf(head):
                return RtfReader().read(path, options)
            if _is_html(head):
                from casetrack.parse.web.reader import HtmlReader

                return HtmlReader().read(path, options)
            if head.startswith(ZIP_MAGIC):
                return read_docx(path, options, content)
            _check_container(path, content, self.name, _WORD_STREAM)
            conversion = Conversion(
                "a Word 97-2003 document (.doc)", ".doc", ".docx", _word_filter(content), "writer"
            )
            warnings: list[str] = []
            facts = ole_facts(content, warnings)
            with converted(path, content, conversion, options.limits, options.spool) as docx:
                reading = read_docx(
                    path, options, docx, file_format="doc", unstable_fields=_COMPUTED_FIELDS
                )
        return _with_facts(reading, facts, "doc", warnings)


class PptReader:
    """PowerPoint 97-2003 presentations."""

    name = "PPT"
    extensions: tuple[str, ...] = (".ppt", ".pps", ".pot")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept PowerPoint's OLE documents and PPTX; also damaged OLE containers."""
        if file.head.startswith(OLE_MAGIC):
            return not file.members or not file.members.isdisjoint({_SLIDES_STREAM, _ENCRYPTED})
        return file.head.startswith(ZIP_MAGIC) and any(m.startswith("ppt/") for m in file.members)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Convert the slides and read the result; see :class:`casetrack.parse.base.Reader`."""
        from casetrack.parse.slides.reader import PptxReader

        with decrypted(path, options, self.name) as content:
            if _head(content).startswith(ZIP_MAGIC):
                return PptxReader().read(path, options)
            _check_container(path, content, self.name, _SLIDES_STREAM)
            conversion = Conversion(
                "a PowerPoint 97-2003 presentation (.ppt)",
                ".ppt",
                ".pptx",
                "MS PowerPoint 97",
                "impress",
            )
            warnings: list[str] = []
            facts = ole_facts(content, warnings)
            with converted(path, content, conversion, options.limits, options.spool) as pptx:
                try:
                    reading = PptxReader().read(pptx, options)
                    # Read at once: the converted file is removed afterwards.
                    pages = list(reading.pages)
                except FileError as error:
                    reason = _with_file_name(error.message, pptx, path)
                    raise ParseFailed(
                        path, self.name, f"its conversion failed: {reason}"
                    ) from error
        for texts in (reading.warnings, reading.missing):
            texts[:] = [_with_file_name(text, pptx, path) for text in texts]
        return _with_facts(replace(reading, pages=iter(pages)), facts, "ppt", warnings)


def _with_file_name(text: str, copy: Path, path: Path) -> str:
    """Replace the name of the copy by the name of the original file."""
    return text.replace(str(copy), str(path))


def _head(content: Path) -> bytes:
    with content.open("rb") as file:
        return file.read(8192)


def _is_html(head: bytes) -> bool:
    return any(mark in head[:_HTML_WITHIN].lower() for mark in _HTML)


def _check_container(path: Path, content: Path, kind: str, stream: str) -> None:
    """Refuse a damaged container, or one with an unsupported protection."""
    members = read_head(content).members
    if stream in members:
        return
    if _ENCRYPTED in members:
        raise FileEncrypted(path)
    raise ParseFailed(path, kind, f"the container is damaged: its stream {stream!r} is missing")


def _word_filter(content: Path) -> str:
    """Return LibreOffice's filter for the version of Word that wrote the file."""
    import olefile  # type: ignore[import-untyped]

    try:
        with olefile.OleFileIO(content) as ole, ole.openstream(_WORD_STREAM) as stream:
            version = int.from_bytes(stream.read(4)[2:], "little")
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - damage makes olefile raise anything; LibreOffice may do more
        return _WORD_97
    if version >= _FIB_97:
        return _WORD_97
    return _WORD_95 if version == _FIB_95 else _WORD_6


def _with_facts(reading: Reading, facts: Facts, file_format: str, warnings: list[str]) -> Reading:
    """Return the reading with the facts that the old file states about the document."""
    info: DocumentInfo = replace(
        reading.info,
        format=file_format,
        title=facts.title,
        author=facts.author,
        created_at=facts.created_at,
        modified_at=facts.modified_at,
        properties=facts.properties,
    )
    reading.warnings.extend(warnings)
    return replace(reading, info=info)
