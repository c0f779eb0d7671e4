"""Reads plain text: form feeds part pages, blank lines part paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.errors import ParseFailed
from casetrack.readers.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.readers.encoding import NotText, decode, looks_like_text
from casetrack.readers.page_builder import PageBuilder, SourceLine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.readers.base import Page


class TextReader:
    """Plain text; line numbers are those of the file, counted anew on each page."""

    name = "Text"
    extensions: tuple[str, ...] = (".txt", ".text", ".log")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept whatever is text and carries no other format's mark."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode the file; see :class:`casetrack.readers.base.Reader`."""
        text, warnings = read_text(path, self.name)
        pages = text.split("\f")
        if len(pages) > 1 and not pages[-1].strip():
            pages.pop()
        return Reading(DocumentInfo("txt", len(pages)), _pages(pages), warnings)


def read_text(path: Path, kind: str, /) -> tuple[str, list[str]]:
    """Return a text file's content with newlines as line ends, and warnings.

    Raises
    ------
    ParseFailed
        The file holds binary data.
    """
    try:
        decoded = decode(path.read_bytes())
    except NotText as error:
        raise ParseFailed(path, kind, str(error)) from error
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    return text, [decoded.warning] if decoded.warning else []


def _pages(texts: list[str]) -> Iterator[Page]:
    for number, text in enumerate(texts, start=1):
        builder = PageBuilder(number, keep_indent=True)
        block: list[SourceLine] = []
        for line_number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                block.append(SourceLine(line, line_number))
            elif block:
                builder.paragraph(block)
                block = []
        builder.paragraph(block)
        yield builder.build()
