"""Read plain text and Markdown: paragraphs, headings, lists, quotes, tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import TYPE_CHECKING

from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, Reading, ReadOptions
from casetrack.parse.encoding import TextFormat
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import Page, ParagraphKind
    from casetrack.parse.encoding import Encoding

    Lines = list[SourceLine]

PART_CHARS = 1_000_000
"""Characters after which a page ends, at a blank line if there is one in the last tenth."""


class TextReader(TextFormat):
    """Plain text; line numbers are those of the file and restart after each form feed."""

    name = "Text"
    extensions: tuple[str, ...] = (".txt", ".text", ".log", ".srt", ".vtt")

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find the encoding; see :class:`casetrack.parse.base.Reader`."""
        encoding = self.encoding_of(path)
        count = sum(1 for _ in _parts(path, encoding))
        warnings = [encoding.warning] if encoding.warning else []
        return Reading(DocumentInfo("txt", count), _pages(_parts(path, encoding)), warnings)


@dataclass(slots=True)
class _Part:
    """The lines of one page; *is_estimated*: its number does not come from form feeds only."""

    is_estimated: bool = False
    lines: list[SourceLine] = field(default_factory=list)
    length: int = 0

    @property
    def is_blank(self) -> bool:
        return not any(line.text for line in self.lines)

    def add(self, text: str, number: int) -> None:
        self.lines.append(SourceLine(text if text.strip() else "", number))
        self.length += len(text) + 1


def pieces(path: Path, encoding: Encoding, /) -> Iterator[str]:
    """Yield the lines of a text file with their ends; very long ones are cut at a word."""
    with path.open(encoding=encoding.name, errors=encoding.errors, newline=None) as file:
        rest = ""
        while piece := rest + file.readline(PART_CHARS - len(rest)):
            rest = ""
            if len(piece) >= PART_CHARS and not piece.endswith("\n"):
                place = piece.rfind(" ", PART_CHARS // 2) + 1
                if place:
                    piece, rest = piece[:place], piece[place:]
            yield piece


def _parts(path: Path, encoding: Encoding) -> Iterator[_Part]:
    """Yield the pages, except a blank last one."""
    part, number, is_first = _Part(), 1, True
    for piece in pieces(path, encoding):
        for i, text in enumerate(piece.removesuffix("\n").split("\f")):
            room = PART_CHARS - part.length
            is_full = len(text) > room if text.strip() else room < PART_CHARS // 10
            if i or (is_full and not part.is_blank):
                yield part
                # Without a form feed, the page numbers from here on are guesses.
                part, is_first = _Part(is_estimated=part.is_estimated or not i), False
                number = 1 if i else number
            part.add(text, number)
        number += piece.endswith("\n")
    if is_first or not part.is_blank:
        yield part


def _pages(parts: Iterator[_Part]) -> Iterator[Page]:
    for number, part in enumerate(parts, start=1):
        builder = PageBuilder(number, keep_indent=True, is_estimated=part.is_estimated)
        _add(builder, part.lines, "body")
        yield builder.build()


# Reads Markdown as its source text, with headings, lists, quotes and tables. A text longer than
# :data:`casetrack.parse.text.plain.PART_CHARS` is divided into several pages at blank lines, which
# limits memory and preserves pages read before a limit.

_ATX = re.compile(r" {0,3}(#{1,6})(?:\s|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)\s*$")
_RULE = re.compile(r" {0,3}([-*_])(?:\s*\1){2,}\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LIST = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\S")
_QUOTE = re.compile(r" {0,3}>")
_TABLE = re.compile(r"\s*\|.*\||.*\S\s*\|\s*\S")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$|\s*\|\s*:?-+:?\s*\|\s*$")
_TITLE = re.compile(r"title\s*[:=]\s*(.+)", re.IGNORECASE)


class MarkdownReader(TextFormat):
    """Markdown: one page, or several for a long text, with line numbers of the file."""

    name = "Markdown"
    extensions: tuple[str, ...] = (".md", ".markdown")

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find the encoding; see :class:`casetrack.parse.base.Reader`."""
        encoding = self.encoding_of(path)
        parts = _markdown_parts(path, encoding)
        title = _front_title([line.text for line in next(parts)])
        info = DocumentInfo("markdown", 1 + sum(1 for _ in parts), title=title)
        warnings = [encoding.warning] if encoding.warning else []
        return Reading(info, _markdown_pages(_markdown_parts(path, encoding)), warnings)


def _markdown_parts(path: Path, encoding: Encoding) -> Iterator[Lines]:
    """Yield the lines of each page, up to a blank line outside of code if possible."""
    part, length, number = list[SourceLine](), 0, 1
    fence: re.Pattern[str] | None = None
    for piece in pieces(path, encoding):
        text = piece.removesuffix("\n").replace("\f", " ")
        is_gap = not text.strip() and fence is None and length > PART_CHARS * 9 // 10
        if part and (is_gap or length + len(text) > PART_CHARS):
            yield part
            part, length = [], 0
        part.append(SourceLine(text, number))
        length += len(text) + 1
        number += piece.endswith("\n")
        if fence is None:
            opened = _FENCE.match(text)
            fence = _closing(opened[1]) if opened else None
        elif fence.match(text):
            fence = None
    yield part or [SourceLine("", 1)]


def _markdown_pages(parts: Iterator[Lines]) -> Iterator[Page]:
    for number, part in enumerate(parts, start=1):
        # The division of long texts into pages is a guess.
        builder = PageBuilder(number, keep_indent=True, is_estimated=number > 1)
        front = _front_matter_end([line.text for line in part]) if number == 1 else 0
        _add(builder, part[:front], "body")
        add_markdown(builder, part[front:])
        yield builder.build()


def add_markdown(builder: PageBuilder, part: Lines, /) -> None:
    """Add lines of Markdown to a page."""
    lines = [line.text for line in part]
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        end, kind, level = _block(lines, at)
        _add(builder, part[at:end], kind, level)
        at = end


def _front_matter_end(lines: list[str]) -> int:
    """Return the number of lines of the front matter, 0 without one."""
    fence = lines[0].rstrip()
    if fence not in {"---", "+++"}:
        return 0
    for i, line in enumerate(lines[1:], start=1):
        if line.rstrip() in {fence, "..."}:
            return i + 1
    return 0


def _front_title(lines: list[str]) -> str | None:
    for line in lines[: _front_matter_end(lines)]:
        match = _TITLE.match(line)
        if match:
            return clean_title(match[1].strip().strip("\"'"))
    return None


def _add(builder: PageBuilder, lines: Lines, kind: ParagraphKind, level: int | None = None) -> None:
    """Add lines; blank ones, even in code, separate paragraphs."""
    for has_text, block in groupby(lines, lambda line: bool(line.text.strip())):
        if has_text:
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
    """Return whether line *at* begins another block without a blank line before it."""
    line = lines[at]
    if _ATX.match(line) or _FENCE.match(line):
        return True
    if kind == "table":
        return not _TABLE.match(line) and not _TABLE_RULE.match(line)
    other = _kind(lines, at)
    return other not in {kind, "body"}


def _fence_end(lines: list[str], at: int, fence: str) -> int:
    closing = _closing(fence)
    following = enumerate(islice(lines, at + 1, None), start=at + 2)
    return next((end for end, line in following if closing.match(line)), len(lines))


def _closing(fence: str) -> re.Pattern[str]:
    """Return the pattern of the end of a code block that began with *fence*."""
    return re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}\s*$")
