"""Pages from the paragraphs, notes and breaks of an RTF file."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.parse.page_builder import PageBuilder, SourceLine
from casetrack.parse.rtf.items import Block, Break, Note, Running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.parse.base import Page
    from casetrack.parse.rtf.items import Item


class Pages:
    """The pages of one file.

    Running heads and feet stand in the text of the first page that has them; on later ones they
    are :attr:`Page.header` and :attr:`Page.footer`.

    Parameters
    ----------
    items
        What the parser found, in order.

    Attributes
    ----------
    count
        How many there are; empty ones at the end do not count.
    """

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
        """Yield the pages, once."""
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
        """Return the lines that this page shows first, or else the text that an earlier one has."""
        lines = self._running.get(is_footer, ())
        if not lines:
            return (), None
        if (is_footer, lines) in self._shown:
            return (), " ".join(lines)
        self._shown.add((is_footer, lines))
        return lines, None
