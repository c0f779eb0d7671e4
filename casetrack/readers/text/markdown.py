"""Reads Markdown as its source text, with headings, lists, quotes and tables told apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.readers.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.readers.encoding import looks_like_text
from casetrack.readers.page_builder import PageBuilder, SourceLine, clean_title
from casetrack.readers.text.plain import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.readers.base import Page, ParagraphKind

_ATX = re.compile(r" {0,3}(#{1,6})(?:\s|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)\s*$")
_RULE = re.compile(r" {0,3}([-*_])(?:\s*\1){2,}\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LIST = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\S")
_QUOTE = re.compile(r" {0,3}>")
_TABLE = re.compile(r"\s*\|.*\||.*\S\s*\|\s*\S")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$|\s*\|\s*:?-+:?\s*\|\s*$")
_TITLE = re.compile(r"title:\s*(.+)", re.IGNORECASE)


class MarkdownReader:
    """Markdown; one page, whose lines are those of the file."""

    name = "Markdown"
    extensions: tuple[str, ...] = (".md", ".markdown")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept whatever is text."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode the file and find its blocks; see :class:`casetrack.readers.base.Reader`."""
        text, warnings = read_text(path, self.name)
        lines = text.replace("\f", " ").split("\n")
        info = DocumentInfo("markdown", 1, title=_front_title(lines))
        return Reading(info, _page(lines), warnings)


def _front_matter_end(lines: list[str]) -> int:
    """Return the number of lines of the front matter, 0 where there is none."""
    if lines[0].rstrip() != "---":
        return 0
    for i, line in enumerate(lines[1:], start=1):
        if line.rstrip() in {"---", "..."}:
            return i + 1
    return 0


def _front_title(lines: list[str]) -> str | None:
    for line in lines[: _front_matter_end(lines)]:
        found = _TITLE.match(line)
        if found:
            return clean_title(found[1].strip().strip("\"'"))
    return None


def _page(lines: list[str]) -> Iterator[Page]:
    builder = PageBuilder(1, keep_indent=True)
    front = _front_matter_end(lines)
    _add(builder, lines, 0, front, "body")
    at = front
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        end, kind, level = _block(lines, at)
        _add(builder, lines, at, end, kind, level)
        at = end
    yield builder.build()


def _add(
    builder: PageBuilder,
    lines: list[str],
    start: int,
    end: int,
    kind: ParagraphKind,
    level: int | None = None,
) -> None:
    """Add lines ``start:end``; blank ones within (code) part paragraphs, as everywhere."""
    block: list[SourceLine] = []
    for i in range(start, end):
        if lines[i].strip():
            block.append(SourceLine(lines[i], i + 1))
        elif block:
            builder.paragraph(block, kind=kind, level=level)
            block = []
    builder.paragraph(block, kind=kind, level=level)


def _block(lines: list[str], at: int) -> tuple[int, ParagraphKind, int | None]:
    """Return the end, kind and heading level of the block that starts at line *at*."""
    line = lines[at]
    heading = _ATX.match(line)
    if heading:
        return at + 1, "heading", len(heading[1])
    fence = _FENCE.match(line)
    if fence:
        return _fence_end(lines, at, fence[1]), "body", None
    if _RULE.match(line):
        return at + 1, "body", None
    kind = _kind(lines, at)
    end = at + 1
    while end < len(lines) and lines[end].strip():
        underline = _SETEXT.match(lines[end])
        if kind == "body" and underline:
            return end + 1, "heading", 1 if underline[1][0] == "=" else 2
        if _interrupts(lines, end, kind):
            break
        end += 1
    return end, kind, None


def _kind(lines: list[str], at: int) -> ParagraphKind:
    line = lines[at]
    if _QUOTE.match(line):
        return "quote"
    if _LIST.match(line):
        return "list"
    ruled = at + 1 < len(lines) and _TABLE_RULE.match(lines[at + 1])
    if _TABLE.match(line) and ruled:
        return "table"
    return "body"


def _interrupts(lines: list[str], at: int, kind: ParagraphKind) -> bool:
    """Tell whether line *at* begins another block although no blank line stands before it."""
    line = lines[at]
    if _ATX.match(line) or _FENCE.match(line):
        return True
    if kind == "table":
        return not _TABLE.match(line) and not _TABLE_RULE.match(line)
    other = _kind(lines, at)
    return other not in {kind, "body"}


def _fence_end(lines: list[str], at: int, fence: str) -> int:
    closing = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}\s*$")
    for i in range(at + 1, len(lines)):
        if closing.match(lines[i]):
            return i + 1
    return len(lines)
