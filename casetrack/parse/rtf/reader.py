"""Reads RTF: paragraphs, headings, lists, tables, notes, page breaks; HTML that RTF wraps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title
from casetrack.parse.rtf.html import encapsulated_html, holds_html
from casetrack.parse.rtf.pages import Pages
from casetrack.parse.rtf.parser import RtfParser

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.parse.rtf.parser import RtfContent

_MAGIC = b"{\\rtf"
_TRAILING_BYTES = 256
_BEFORE_MAGIC = b"\xef\xbb\xbf \t\r\n\x00"


class RtfReader:
    """Rich Text Format."""

    name = "RTF"
    extensions: tuple[str, ...] = (".rtf",)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept RTF, also with white space before its mark."""
        return is_rtf(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Parse the file; see :class:`casetrack.parse.base.Reader`."""
        return read_rtf(path)


def is_rtf(head: bytes, /) -> bool:
    """Tell from a file's first bytes whether it is RTF, whatever its extension says."""
    return head.lstrip(_BEFORE_MAGIC).startswith(_MAGIC)


def read_rtf(path: Path, /) -> Reading:
    """Read a file that is RTF.

    Raises
    ------
    ParseFailed
        It is something else.
    """
    data = path.read_bytes()
    if not is_rtf(data[:1024]):
        raise ParseFailed(path, "RTF", "it does not begin with the mark of RTF")
    if holds_html(data):
        return _html(data)
    content = RtfParser(data).parse()
    pages = Pages(content.items)
    info = content.info
    return Reading(
        DocumentInfo(
            "rtf",
            pages.count,
            title=clean_title(info.texts.get("title")),
            author=clean_title(info.texts.get("author")),
            created_at=info.date("creatim"),
            modified_at=info.date("revtim"),
            properties=info.properties(),
        ),
        iter(pages),
        _warnings(content),
    )


def _warnings(content: RtfContent) -> list[str]:
    warnings = []
    if content.is_cut:
        warnings.append("The file ends before all of its groups are closed; it may be cut off.")
    if content.rest > _TRAILING_BYTES:
        warnings.append(f"{content.rest:,} bytes after the end of the document were left out.")
    for count, name in ((content.pictures, "picture"), (content.objects, "embedded object")):
        if count:
            warnings.append(f"{count:,} {name}{'s' if count > 1 else ''} left out: not text.")
    return warnings


def _html(data: bytes) -> Reading:
    """Read a page of HTML that RTF wraps."""
    from casetrack.parse.web.html_blocks import html_blocks

    found = html_blocks(encapsulated_html(data))
    builder = PageBuilder(1, is_estimated=True)
    for block in found.blocks:
        builder.paragraph(
            map(SourceLine, block.lines), kind=block.kind, level=block.level, header=block.header
        )
    info = DocumentInfo("rtf", 1, clean_title(found.title), clean_title(found.author))
    return Reading(info, iter([builder.build()]))
