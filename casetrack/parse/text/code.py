"""Reads source code, markup and settings as text: blank lines and definitions part paragraphs.

Lines keep their indent and their number in the file, also where a long file is parted into pages.
Each paragraph says which functions and classes it stands in; titles of reStructuredText are
headings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.extract.code_languages import LANGUAGES, PROSE
from casetrack.parse.base import (
    DEFAULT_OPTIONS,
    WITHIN,
    DocumentInfo,
    FileHead,
    Reading,
    ReadOptions,
)
from casetrack.parse.detect import SOURCE_CODE
from casetrack.parse.encoding import NotText, decode, looks_like_text
from casetrack.parse.page_builder import PageBuilder, SourceLine
from casetrack.parse.text.definitions import paths_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from casetrack.parse.base import Page

# Titles of reStructuredText: a line with a line of signs below it, and perhaps one above it.

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
"""Any sign but letters and digits (Docutils, "Sections"); of one or two nobody makes a title."""


class Titles:
    """The titles of a text.

    Their levels are those of its own signs, in the order in which it first uses them.

    Parameters
    ----------
    lines
        The text.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._levels: dict[int, int] = {}
        styles: list[tuple[str, bool]] = []
        for at in range(1, len(lines)):
            title, below = lines[at - 1].rstrip(), _RULE.fullmatch(lines[at])
            if below is None or not title.strip() or _RULE.fullmatch(title):
                continue
            over = _RULE.fullmatch(lines[at - 2]) if at > 1 else None
            is_over = over is not None and over[1] == below[1]
            # Without a line above, a title stands at the margin after an empty line, and its own
            # line is as long as it is.
            alone = at == 1 or not lines[at - 2].strip()
            if not is_over and (not alone or title[0].isspace()):
                continue
            if len(lines[at].rstrip()) < len(title.strip()):
                continue
            style = below[1], is_over
            if style not in styles:
                styles.append(style)
            level = styles.index(style) + 1
            self._levels |= dict.fromkeys(range(at - is_over, at + 2), level)

    def level(self, number: int, /) -> int | None:
        """Return the level of the title that a line (from 1) belongs to, else ``None``."""
        return self._levels.get(number)


PAGE_LINES = 10_000
"""Lines on a page, but that none is cut within a paragraph."""
_PAGE_CHARS = 2_000_000
_SEARCHED = 1024
# PEP 263, and what editors understand in other languages.
_CODING = re.compile(rb"(?:en)?coding[:=][ \t]*([-\w.]+)")
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']")
_CHARSET = re.compile(rb"@charset \"([-\w.]+)\"")
_OBJECTIVE_C = re.compile(
    r"^\s*(?:#import|#include|@interface|@implementation|@end)\b", re.MULTILINE
)


class CodeReader:
    """Source code and other texts for machines."""

    name = SOURCE_CODE
    extensions: tuple[str, ...] = tuple(LANGUAGES)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept whatever is text."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode the file; see :class:`casetrack.parse.base.Reader`."""
        data = path.read_bytes()
        try:
            decoded = decode(data, declared=_declared(data))
        except NotText as error:
            raise ParseFailed(path, self.name, str(error)) from error
        del data
        text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
        language = _language(path, text)
        lines = text.split("\n")
        parts = _parts(lines)
        info = DocumentInfo("code", len(parts), properties=(("language", language),))
        warnings = [decoded.warning] if decoded.warning else []
        if path.suffix.lower() in PROSE:
            titles = Titles(lines) if language == "reStructuredText" else None
            return Reading(info, _prose(parts, titles), warnings)
        return Reading(info, _pages(parts, paths_of(lines, language)), warnings)


def _declared(data: bytes) -> str | None:
    """Return the encoding that the first lines name."""
    found = _XML.match(data[:_SEARCHED]) or _CHARSET.match(data[:_SEARCHED])
    if found is None:
        found = _CODING.search(b"\n".join(data[:_SEARCHED].splitlines()[:2]))
    return found[1].decode("ascii", "ignore") if found else None


def _language(path: Path, text: str) -> str:
    language = LANGUAGES[path.suffix.lower()]
    if path.suffix.lower() == ".m" and _OBJECTIVE_C.search(text[: 64 * _SEARCHED]):
        return "Objective-C"
    return language


def _parts(lines: list[str]) -> list[list[SourceLine]]:
    """Part lines into pages, at blank lines where there are any."""
    parts: list[list[SourceLine]] = [[]]
    length = 0
    for number, line in enumerate(lines, start=1):
        part = parts[-1]
        is_full = len(part) >= PAGE_LINES or length >= _PAGE_CHARS
        if is_full and (
            not line.strip() or len(part) >= 2 * PAGE_LINES or length >= 2 * _PAGE_CHARS
        ):
            parts.append([])
            length = 0
        parts[-1].append(SourceLine(line, number))
        length += len(line)
    return [part for part in parts if any(line.text.strip() for line in part)] or [[]]


def _pages(parts: list[list[SourceLine]], paths: list[tuple[str, ...]]) -> Iterator[Page]:
    for number, part in enumerate(parts, start=1):
        builder = PageBuilder(number, keep_indent=True)
        for block in _blocks(part, paths):
            # Within a paragraph one only goes deeper: its last line tells where it stands.
            inside = paths[_number(block[-1]) - 1]
            builder.paragraph(block, kind="code", header=WITHIN.join(inside) or None)
        yield builder.build()


def _blocks(part: list[SourceLine], paths: list[tuple[str, ...]]) -> Iterator[list[SourceLine]]:
    """Part lines at blank ones, and where a definition ends without one."""
    block: list[SourceLine] = []
    above: tuple[str, ...] = ()
    for line in part:
        here = paths[_number(line) - 1]
        if block and (not line.text.strip() or here[: len(above)] != above):
            yield block
            block = []
        if line.text.strip():
            block.append(line)
        above = here
    if block:
        yield block


def _prose(parts: list[list[SourceLine]], titles: Titles | None) -> Iterator[Page]:
    for number, part in enumerate(parts, start=1):
        builder = PageBuilder(number, keep_indent=True)
        block: list[SourceLine] = []
        level = None
        for line in part:
            here = titles.level(_number(line)) if titles else None
            if block and (not line.text.strip() or here != level):
                builder.paragraph(block, kind="heading" if level else "body", level=level)
                block = []
            if line.text.strip():
                block.append(line)
            level = here
        builder.paragraph(block, kind="heading" if level else "body", level=level)
        yield builder.build()


def _number(line: SourceLine) -> int:
    """Return the number that a line of a file has; each has one here."""
    return line.number or 1
