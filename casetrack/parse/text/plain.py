"""Reads plain text: form feeds part pages, blank lines part paragraphs.

A text without form feeds may have any length. One longer than :data:`PART_CHARS` is parted into
several pages, so that it is read in little memory, and what was read before a limit is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.encoding import NotText, file_encoding, looks_like_text
from casetrack.parse.page_builder import PageBuilder, SourceLine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import Page
    from casetrack.parse.encoding import Encoding

PART_CHARS = 1_000_000
"""Characters after which a page ends: at a blank line where one comes in the last tenth."""


class TextReader:
    """Plain text; line numbers are those of the file, counted anew after each form feed."""

    name = "Text"
    extensions: tuple[str, ...] = (".txt", ".text", ".log")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept whatever is text and carries no other format's mark."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Find the encoding; see :class:`casetrack.parse.base.Reader`."""
        try:
            encoding = file_encoding(path)
        except NotText as error:
            raise ParseFailed(path, self.name, str(error)) from error
        count = sum(1 for _ in _parts(path, encoding))
        warnings = [encoding.warning] if encoding.warning else []
        return Reading(DocumentInfo("txt", count), _pages(_parts(path, encoding)), warnings)


@dataclass(slots=True)
class _Part:
    """The lines of one page; *is_estimated* where form feeds alone do not give its number."""

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
    """Yield the lines of a text file with their ends; one longer than a page is cut at a word."""
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
    """Yield the pages; a blank one at the end is left out."""
    part, number, is_first = _Part(), 1, True
    for piece in pieces(path, encoding):
        for i, text in enumerate(piece.removesuffix("\n").split("\f")):
            room = PART_CHARS - part.length
            is_full = len(text) > room if text.strip() else room < PART_CHARS // 10
            if i or (is_full and not part.is_blank):
                yield part
                # Where no form feed parts them, the numbers of all that follow are ours.
                part, is_first = _Part(is_estimated=part.is_estimated or not i), False
                number = 1 if i else number
            part.add(text, number)
        number += piece.endswith("\n")
    if is_first or not part.is_blank:
        yield part


def _pages(parts: Iterator[_Part]) -> Iterator[Page]:
    for number, part in enumerate(parts, start=1):
        builder = PageBuilder(number, keep_indent=True, is_estimated=part.is_estimated)
        block: list[SourceLine] = []
        for line in part.lines:
            if line.text:
                block.append(line)
            elif block:
                builder.paragraph(block)
                block = []
        builder.paragraph(block)
        yield builder.build()
