"""Read RTF: paragraphs, headings, lists, tables, notes, page breaks; encapsulated HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title
from casetrack.parse.rtf.flow import Block, Break, Item, Note, Running
from casetrack.parse.rtf.parser import RtfContent, RtfParser
from casetrack.parse.rtf.scanner import Kind, Scanner

# Extracts HTML from RTF that encapsulates it, as mails of Outlook do ([MS-OXRTFEX]).

_MARK = re.compile(rb"\\fromhtml1?(?![0-9A-Za-z])")
_MARK_WITHIN = 4096
_BREAKS = {"par": "\r\n", "line": "\r\n", "tab": "\t"}
_SKIPPED = frozenset(
    "fonttbl colortbl stylesheet info pict object fldinst listtable pntext listtext".split()
)


def holds_html(data: bytes, /) -> bool:
    r"""Return whether RTF encapsulates HTML: ``\fromhtml1`` is at its beginning."""
    return _MARK.search(data, 0, _MARK_WITHIN) is not None


def encapsulated_html(data: bytes, /) -> str:
    r"""Return the HTML that RTF encapsulates, without text that ``\htmlrtf`` marks as RTF-only."""
    scanner = Scanner(data)
    parts: list[str] = []
    is_skipped = is_rtf_only = is_tag = star = False
    stack: list[tuple[bool, bool, bool]] = []
    for kind, text, number in scanner.events():
        if kind is Kind.OPEN:
            stack.append((is_skipped, is_rtf_only, is_tag))
        elif kind is Kind.CLOSE:
            is_skipped, is_rtf_only, is_tag = stack.pop()
        elif kind is Kind.TEXT:
            if not is_skipped and (is_tag or not is_rtf_only):
                parts.append(text)
        elif kind is Kind.WORD:
            if text == "htmlrtf":
                is_rtf_only = number != 0
            elif star:
                is_tag = text == "htmltag"
                is_skipped = is_skipped or not is_tag
            elif text in _SKIPPED:
                is_skipped = True
            elif text in _BREAKS and not is_skipped and (is_tag or not is_rtf_only):
                parts.append(_BREAKS[text])
        star = kind is Kind.STAR
    return "".join(parts)


# Pages from the paragraphs, notes and breaks of an RTF file.


class Pages:
    """The pages of one file, without empty ones at its end."""

    def __init__(self, items: Sequence[Item], /) -> None:
        self._items = items
        breaks = [i for i, item in enumerate(items) if isinstance(item, Break) and item.begins_page]
        edges = [-1, *breaks, len(items)]
        self._spans = [(a + 1, b) for a, b in pairwise(edges)]
        while len(self._spans) > 1 and not self._has_text(*self._spans[-1]):
            self._spans.pop()
        self.count = len(self._spans)
        self._shown: set[tuple[bool, tuple[str, ...]]] = set()
        self._running: dict[bool, tuple[str, ...]] = {}

    def _has_text(self, start: int, end: int) -> bool:
        return any(isinstance(self._items[i], Block | Note) for i in range(start, end))

    def __iter__(self) -> Iterator[Page]:
        for number, (start, end) in enumerate(self._spans, start=1):
            items = self._items[start:end]
            for item in items:
                if isinstance(item, Running):
                    self._running[item.is_footer] = item.lines
            yield self._page(number, items)

    def _page(self, number: int, items: Sequence[Item]) -> Page:
        header, header_again = self._running_lines(is_footer=False)
        footer, footer_again = self._running_lines(is_footer=True)
        builder = PageBuilder(
            number, is_estimated=self.count == 1, header=header_again, footer=footer_again
        )
        builder.paragraph(map(SourceLine, header))
        for item in items:
            if isinstance(item, Block):
                builder.paragraph(map(SourceLine, item.lines), kind=item.kind, level=item.level)
        for item in items:
            if isinstance(item, Note):
                builder.paragraph(map(SourceLine, item.lines), kind="footnote")
        builder.paragraph(map(SourceLine, footer))
        return builder.build()

    def _running_lines(self, *, is_footer: bool) -> tuple[tuple[str, ...], str | None]:
        """Return the new running lines of this page, or else their text."""
        lines = self._running.get(is_footer, ())
        if not lines:
            return (), None
        if (is_footer, lines) in self._shown:
            return (), " ".join(lines)
        self._shown.add((is_footer, lines))
        return lines, None


_MAGIC = b"{\\rtf"
_TRAILING_BYTES = 256
_BEFORE_MAGIC = b"\xef\xbb\xbf \t\r\n\x00"


class RtfReader:
    """Rich Text Format."""

    name = "RTF"
    extensions: tuple[str, ...] = (".rtf",)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept RTF, also after white space."""
        return is_rtf(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Parse the file; see :class:`casetrack.parse.base.Reader`."""
        return read_rtf(path)


def is_rtf(head: bytes, /) -> bool:
    """Return whether a file is RTF by its first bytes, regardless of its extension."""
    return head.lstrip(_BEFORE_MAGIC).startswith(_MAGIC)


def read_rtf(path: Path, /) -> Reading:
    """Read an RTF file; raise ``ParseFailed`` for other content."""
    data = path.read_bytes()
    if not is_rtf(data[:1024]):
        raise ParseFailed(path, "RTF", "it does not begin with the RTF signature")
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
    from casetrack.parse.web.reader import html_blocks

    document = html_blocks(encapsulated_html(data))
    builder = PageBuilder(1, is_estimated=True)
    for block in document.blocks:
        builder.paragraph(
            map(SourceLine, block.lines), kind=block.kind, level=block.level, header=block.header
        )
    info = DocumentInfo("rtf", 1, clean_title(document.title), clean_title(document.author))
    return Reading(info, iter([builder.build()]), document.targets.warnings())
