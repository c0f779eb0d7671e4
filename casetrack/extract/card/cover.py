"""The first pages of a document as lines with their places."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from casetrack.base.provenance import HIDDEN_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.extract.papers.text import TextPage

COVER_CHARS: Final = 8000
"""Characters of the first pages that contain the facts of a document about itself."""
_HIDDEN: Final = re.compile(rf"^(?:{'|'.join(HIDDEN_KINDS.values())}):.*$", re.MULTILINE)
_MARKUP: Final = re.compile(
    r"^(?:</?[A-Z]+>(?:\s*\d+)?$|!\[.*|#+\s*|[=*~]{4,}$)|\*\*|``|(?<!_)__(?!_)|<PAGE>|\\$|\[(?=[^\]\n]*\]\()|\]\([^()\s]*\)",
    re.MULTILINE,
)


def visible(text: str, size: int, /) -> str:
    """Return the start of a page text with blanks for hidden text; leading one does not count.

    >>> visible("Hidden text: abc" + chr(10) + "FORM 10-K", 6)[-6:]
    'FORM 1'
    """
    lead = len(text) - len(text.lstrip())
    while match := _HIDDEN.match(text, lead):
        lead = match.end()
        while text.startswith("\n", lead):
            lead += 1
    return _HIDDEN.sub(lambda m: " " * len(m[0]), text[: lead + size])


@dataclass(frozen=True, slots=True)
class Line:
    """A line without surrounding blanks and marks, at its place in the joined text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Its end in the joined text."""
        return self.start + len(self.text)


class Cover:
    """The visible start of the first pages, joined, with the facts of the file."""

    def __init__(
        self,
        pages: Iterable[TextPage],
        /,
        *,
        format: str = "",  # noqa: A002 - the column's name
        name: str = "",
        title: str | None = None,
        author: str | None = None,
        properties: Mapping[str, str] | None = None,
        headings: Sequence[str] = (),
    ) -> None:
        self.format, self.name, self.title, self.author = format, name, title, author
        self.properties = properties or {}
        self.headings = headings
        parts: list[str] = []
        self._pages: list[tuple[int, int, int]] = []  # start in the text, page, start in its page
        length = 0
        for page in pages:
            shown = visible(page.text, COVER_CHARS)
            lead = len(shown) - len(shown.lstrip())
            shown = _MARKUP.sub(
                lambda m: " " * len(m[0]), shown[lead : lead + COVER_CHARS - length]
            )
            self._pages.append((length, page.number, lead))
            parts.append(shown + "\n\n")
            length += len(parts[-1])
            if length >= COVER_CHARS:
                break
        self.text = "".join(parts)
        self.lines = tuple(
            Line(m[0].rstrip(), m.start()) for m in re.finditer(r"\S[^\n]*", self.text)
        )

    def page(self, at: int, /) -> int:
        """Return the page of a position of the joined text."""
        return self.place(at, at)[0]

    def place(self, start: int, end: int, /) -> tuple[int, int, int]:
        """Return page, start and end in its text of a span of the joined text."""
        at = bisect_right(self._pages, start, key=lambda p: p[0]) - 1
        first, page, lead = self._pages[at]
        return page, start - first + lead, end - first + lead
