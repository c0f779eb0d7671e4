"""Convert files into pages: one module per format, the only importer of the format's parser.

:func:`detect` chooses a reader by extension and content. Other packages read through
:class:`casetrack.parse.workers.pool.ParsePool`, in worker processes.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from casetrack.parse.detect import choose, read_head

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.parse.base import Reader

    READERS: tuple[Reader, ...]


@functools.cache
def _readers() -> tuple[Reader, ...]:
    """Import and return the readers, in order of priority; a search imports none of them."""
    from casetrack.parse.archive import ArchiveReader
    from casetrack.parse.image.reader import ImageReader
    from casetrack.parse.legacy.reader import DocReader, PptReader
    from casetrack.parse.mail.chats import ChatReader
    from casetrack.parse.mail.eml import EmlReader
    from casetrack.parse.mail.msg import MsgReader
    from casetrack.parse.opendocument.reader import OdgReader, OdpReader, OdtReader
    from casetrack.parse.pdf.reader import PdfReader
    from casetrack.parse.rtf.reader import RtfReader
    from casetrack.parse.sheets.reader import SheetReader
    from casetrack.parse.slides.reader import PptxReader
    from casetrack.parse.text.code import CodeReader
    from casetrack.parse.text.delimited import DelimitedReader, ParquetReader
    from casetrack.parse.text.items import ItemReader
    from casetrack.parse.text.json_lines import JsonLinesReader
    from casetrack.parse.text.plain import MarkdownReader, TextReader
    from casetrack.parse.web.epub import EpubReader
    from casetrack.parse.web.notebook import NotebookReader
    from casetrack.parse.web.reader import HtmlReader, SvgReader
    from casetrack.parse.word.reader import DocxReader

    return (
        PdfReader(), DocxReader(), PptxReader(), SheetReader(), DocReader(), PptReader(),
        OdtReader(), OdpReader(), OdgReader(), RtfReader(), EmlReader(), MsgReader(),
        HtmlReader(), EpubReader(), SvgReader(), ImageReader(), DelimitedReader(), ParquetReader(),
        JsonLinesReader(), ChatReader(), NotebookReader(), ItemReader(), CodeReader(),
        MarkdownReader(), TextReader(), ArchiveReader(),
    )  # fmt: skip


def __getattr__(name: str) -> tuple[Reader, ...]:
    """Return the lazily imported ``READERS``."""
    if name == "READERS":
        return _readers()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def known_extensions() -> tuple[str, ...]:
    """Return the extensions of all readers: lower case, with dot, sorted."""
    return tuple(sorted(extension for reader in _readers() for extension in reader.extensions))


def detect(path: Path, /) -> Reader:
    """Return the reader for the file at *path*; raises as ``read_head`` and ``choose`` do."""
    return choose(read_head(path), _readers())


__all__ = ["READERS", "detect", "known_extensions"]
