"""Reads the plain markup in which the documents of the case file are written.

A block ends at an empty line; its lines are joined by single spaces. What it is shows at its
beginning:

========================  =======================================================
``# ``, ``## ``, ``###``  heading of level 1, 2, 3
``: ``                    one line of an address or a signature, kept as a line
``- ``                    list item
``(a) ``, ``(A) ``        lettered item
``1.1 ``, ``1. ``         numbered clause
``| a | b |``             table; the first row holds the headers
``<<<page>>>``            page break
``<<<columns 2>>>``       the rest of this section is set in two columns
``<<<rule>>>``            horizontal rule
========================  =======================================================

Inside a block, ``**bold**`` and ``*italic*`` are understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "heading", "line", "bullet", "letter", "clause", "text", "table", "page", "columns", "rule"
]

_DIRECTIVE = re.compile(r"<<<(page|rule|columns)(?: \d)?>>>")
_HEADING = re.compile(r"(#{1,3}) ")
_CLAUSE = re.compile(r"\d+(?:\.\d+|\.) ")
_LETTER = re.compile(r"\([A-Za-z]\) ")


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, table or layout mark.

    Attributes
    ----------
    kind
        What the block is.
    text
        Its text on one line; empty for tables and layout marks.
    level
        Heading level 1 to 3; 1 for the last of a group of lines, after which a gap belongs; else 0.
    rows
        Cells of a table, row by row, else empty.
    """

    kind: Kind
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()


def parse(source: str, /) -> list[Block]:
    """Split a source text into blocks, in order."""
    blocks: list[Block] = []
    for part in re.split(r"\n[ \t]*\n", source.strip("\n")):
        lines = part.split("\n")
        if lines[0].startswith("|"):
            blocks.append(Block("table", rows=tuple(_cells(line) for line in lines)))
        elif lines[0].startswith(": "):
            last = len(lines) - 1
            blocks.extend(
                Block("line", line.removeprefix(": "), level=int(number == last))
                for number, line in enumerate(lines)
            )
        elif lines[0].startswith("- "):
            items = re.split(r"\n(?=- )", part)
            blocks.extend(Block("bullet", _join(item.removeprefix("- "))) for item in items)
        else:
            blocks.append(_single(_join(part)))
    return blocks


def _single(text: str, /) -> Block:
    if found := _DIRECTIVE.fullmatch(text):
        kind = found.group(1)
        return Block("page" if kind == "page" else "rule" if kind == "rule" else "columns")
    if found := _HEADING.match(text):
        return Block("heading", text[found.end() :], level=len(found.group(1)))
    if _CLAUSE.match(text):
        return Block("clause", text)
    if _LETTER.match(text):
        return Block("letter", text)
    return Block("text", text)


def _cells(line: str, /) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _join(part: str, /) -> str:
    return " ".join(line.strip() for line in part.split("\n"))


def inline(text: str, /) -> list[tuple[str, str]]:
    """Split text into runs: pairs of text and ``""``, ``"bold"`` or ``"italic"``."""
    runs: list[tuple[str, str]] = []
    for piece in re.split(r"(\*\*.+?\*\*|\*[^* ][^*]*\*)", text):
        if piece.startswith("**"):
            runs.append((piece.strip("*"), "bold"))
        elif piece.startswith("*"):
            runs.append((piece.strip("*"), "italic"))
        elif piece:
            runs.append((piece, ""))
    return runs
