"""Titles over the table that a page begins with, such as those of statements and schedules.

Statements are laid out as tables, and what stands over them is often set like any other line: the
name of the firm, the title, the period, the unit. The title is the page's heading; periods, units
and heads of columns are none, however bold they are.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.parse.layout.blocks import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.layout.lines import TextLine

_OPENING_LINES, _TITLE_LINES = 8, 4
_TITLE_CHARS, _BLOCK_CHARS = 110, 220
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = rf"{_MONTH} \d{{1,2}},?(?: \d{{4}})?"
_LENGTH = r"(?:(?:fiscal |calendar )?(?:years?|quarters?|periods?)|\w+ (?:months|weeks))"
# Units, periods, days: what tells how a table is to be read.
_ASIDE = re.compile(
    r"\W*(?:[\w ,&$-]{0,40}\b(?:thousands?|millions?|billions?)\b.*|unaudited|audited|continued|"
    rf"(?:for |as of |as at |at |of )?(?:the |or )*(?:{_LENGTH} )?(?:ended|ending)?:?(?: {_DAY})?"
    rf"(?:(?:,| and|;)? ?(?:{_DAY}|\d{{4}}))*|(?:years?|months|quarters?) ended.*|[\W\d]*)\W*",
    re.IGNORECASE,
)
_FIRM = re.compile(
    r"(?:\b(?:inc|co|corp|corporation|company|companies|ltd|limited|plc|llc|l\.p|n\.v|s\.a|ag|se)\.?"
    r"|\bsubsidiar(?:y|ies)(?: compan(?:y|ies))?)\W*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_EMPTY = re.compile(r"^[\s|]+|[\s|]+$")
_CAPITALS = 0.6


def name_titles(blocks: Sequence[Block], level: int, /) -> list[Block]:
    """Return the paragraphs of a page with its title as a heading.

    Parameters
    ----------
    blocks
        In reading order; their kinds may change.
    level
        Of a heading that no larger type tells.
    """
    for block, after in pairwise(blocks):
        if block.kind == "heading" and after.kind == "table" and _is_of_columns(block, after):
            block.kind, block.level = "body", None
    title: Block | None = None
    lines = 0
    for place, block in enumerate(blocks):
        lines += len(block.lines)
        if block.kind == "table":
            if title is not None:
                if not _is_of_columns(title, block):
                    title.kind, title.level = "heading", level
            else:
                return [*blocks[:place], *_parted(block, level), *blocks[place + 1 :]]
            break
        if block.kind == "heading" or lines > _OPENING_LINES:
            break
        if title is None and _is_title(block):
            title = block
        elif not all(_is_beside(line.text) for line in block.lines):
            break
    return list(blocks)


def _is_of_columns(block: Block, table: Block) -> bool:
    """Tell units, periods and the heads of columns, which stand over a part of the table only."""
    if all(_ASIDE.fullmatch(line.text) for line in block.lines):
        return True
    everything = [*block.lines, *table.lines]
    left, right = min(n.u0 for n in everything), max(n.u1 for n in everything)
    return not any(_leads(line, left, right) for line in block.lines)


def _leads(line: TextLine, left: float, right: float) -> bool:
    """Tell whether a line begins at the left edge, or stands in the middle."""
    width = max(right - left, 1.0)
    off_centre = abs((line.u0 + line.u1) / 2 - (left + right) / 2)
    return line.u0 - left < 0.12 * width or off_centre < 0.06 * width


def _is_beside(text: str) -> bool:
    return bool(_ASIDE.fullmatch(text) or _FIRM.search(text))


def _is_title(block: Block) -> bool:
    texts = [line.text for line in block.lines]
    if block.kind != "body" or len(texts) > _TITLE_LINES or sum(map(len, texts)) > _BLOCK_CHARS:
        return False
    own = [text for text in texts if not _is_beside(text)]
    return bool(own) and all(_reads_as_title(text) for text in own)


def _reads_as_title(text: str) -> bool:
    words = _WORD.findall(text)
    if len(words) < 2 or len(text) > _TITLE_CHARS or text[-1] in ".,;:" or "|" in text:
        return False
    return sum(1 for word in words if word[0].isupper()) >= _CAPITALS * len(words)


def _parted(table: Block, level: int) -> list[Block]:
    """Return a table whose first rows are its title as title and table; else as it is."""
    left, right = min(n.u0 for n in table.lines), max(n.u1 for n in table.lines)
    for count, row in enumerate(table.lines[: _TITLE_LINES - 1], start=1):
        text = _EMPTY.sub("", row.text)
        if "|" in text or not _leads(row, left, right):
            break
        if _is_beside(text):
            continue
        words = _WORD.findall(text)
        if (
            len(words) < 2
            or not text[0].isupper()
            or len(text) > _TITLE_CHARS
            or text[-1] in ".,;:"
        ):
            break
        if count == len(table.lines):
            break
        for line in table.lines[:count]:
            line.text = _EMPTY.sub("", line.text)
        firm = [Block(table.lines[: count - 1])] if count > 1 else []
        title = Block(table.lines[count - 1 : count], "heading", level)
        return [*firm, title, Block(table.lines[count:], "table", header=table.header)]
    return [table]
