"""Headers and footers of Word documents: which ones a page has, and what they say on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from casetrack.parse.drawn.text import Block
from casetrack.parse.list_labels import number_text
from casetrack.parse.printed.number_columns import LEAST, MOST
from casetrack.parse.word.story import SideStory
from casetrack.parse.word.styles import W, is_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.parse.word.parts import Parts

_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_NUMBER = "\x00"
"""Stands for the number of the page until it is known; XML holds no such character."""
_SEPARATOR = " | "

HeadKind = Literal["header", "footer"]


@dataclass(frozen=True, slots=True)
class Heads:
    """The header or the footer of one page.

    *is_new* tells that no page before had it; then it belongs into the page's text.
    """

    blocks: tuple[Block, ...] = ()
    is_new: bool = False

    @property
    def line(self) -> str | None:
        """All of it on one line."""
        lines = (line.strip() for block in self.blocks for line in block.lines)
        return _SEPARATOR.join(line for line in lines if line) or None


class RunningHeads:
    """Tells the headers and footers of pages, which are asked for in order.

    Parameters
    ----------
    sections
        The document's ``w:sectPr``, in order.

    Attributes
    ----------
    shown
        The number that the last page asked for shows in its header or footer; ``None`` where it
        shows none.
    """

    def __init__(self, parts: Parts, sections: list[Any]) -> None:
        self._parts, self._sections = parts, sections
        self._texts: dict[str, tuple[Block, ...]] = {}
        self._seen: set[tuple[tuple[str, ...], ...]] = set()
        self._number = 0
        self.shown: str | None = None

    def page(self, section: int, *, is_first: bool) -> tuple[Heads, Heads]:
        """Return header and footer of the next page.

        Parameters
        ----------
        section
            Index of the section that the page begins with.
        is_first
            Whether it is the first page of that section.
        """
        own = self._sections[section] if section < len(self._sections) else None
        self._number += 1
        form = "decimal"
        numbers = None if own is None else own.find(f"{W}pgNumType")
        if numbers is not None:
            start = numbers.get(f"{W}start", "")
            form = numbers.get(f"{W}fmt", form)
            if is_first and start.isdecimal() and len(start) <= 6:
                self._number = int(start)
        kind = "default"
        if is_first and is_on(own, "titlePg"):
            kind = "first"
        elif self._parts.has_even_heads and self._number % 2 == 0:
            kind = "even"
        shown = number_text(self._number, form)
        self.shown = None
        return (
            self._head("header", kind, section, shown),
            self._head("footer", kind, section, shown),
        )

    def _head(self, what: HeadKind, kind: str, section: int, number: str) -> Heads:
        blocks = self._blocks(self._relation(what, kind, section))
        key = tuple(block.lines for block in blocks)
        is_new = key not in self._seen
        if any(_NUMBER in line for block in blocks for line in block.lines):
            self.shown = number
        self._seen.add(key)
        numbered = tuple(
            Block(
                tuple(line.replace(_NUMBER, number) for line in block.lines),
                "body" if block.kind == "heading" else block.kind,
            )
            for block in blocks
        )
        return Heads(numbered, is_new)

    def _relation(self, what: HeadKind, kind: str, section: int) -> str | None:
        """Return the relation of a section's header; one without its own has the one before it."""
        for own in reversed(self._sections[: section + 1]):
            for reference in own.iterfind(f"{W}{what}Reference"):
                if reference.get(f"{W}type", "default") == kind:
                    return str(reference.get(_RELATION_ID, ""))
        return None

    def _blocks(self, relation: str | None) -> tuple[Block, ...]:
        root = None if relation is None else self._parts.heads.get(relation)
        if relation is None or root is None:
            return ()
        if relation not in self._texts:
            blocks = SideStory(self._parts, _NUMBER).blocks(root)
            self._texts[relation] = tuple(_without_line_numbers(blocks))
        return self._texts[relation]


def _without_line_numbers(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks without the numbers 1 to 28 that pleading paper has in the frame of its header.

    Beside which line of the text each of them is shown depends on fonts, and is not told.
    """
    lines = [line.strip() for block in blocks for line in block.lines]
    first = next((i for i, line in enumerate(lines) if line == "1"), len(lines))
    last = first
    while last < len(lines) and lines[last] == str(last - first + 1):
        last += 1
    if not LEAST <= last - first <= MOST:
        yield from blocks
        return
    at = 0
    for block in blocks:
        numbered = enumerate(block.lines, start=at)
        at += len(block.lines)
        kept = tuple(line for i, line in numbered if not first <= i < last)
        if kept:
            yield replace(block, lines=kept)
