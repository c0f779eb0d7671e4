"""What a paragraph shows: text in pieces, with breaks, notes, comments and shapes as marks.

White space counts as in the format: runs of it are one space, none at the start of a paragraph,
and elements stand for what is meant (OpenDocument 1.3, part 3, 6.1.2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from casetrack.parse.base import MAX_BLANK
from casetrack.parse.opendocument.styles import DRAW, OFFICE, PRESENTATION, TEXT, XLINK, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.parse.opendocument.styles import Styles

MAX_DEPTH = 60
"""Content nested deeper is left out."""

_SPACES = re.compile(r"[ \t\r\n]+")
_SKIPPED = frozenset(
    (
        *(f"{TEXT}{n}" for n in ("ruby-text", "script", "tracked-changes", "note-citation")),
        *(f"{OFFICE}{n}" for n in ("annotation-end", "event-listeners", "forms")),
        f"{DRAW}control",
    )
)
_THROUGH_DRAWN = frozenset({f"{DRAW}a"})


class Mark(Enum):
    """What may stand between the words of a paragraph."""

    LINE = "line break"
    PAGE = "page break where the page was full"


@dataclass(frozen=True, slots=True)
class Aside:
    """A note, a comment, or a drawn thing anchored in the text."""

    element: Any


@dataclass(frozen=True, slots=True)
class Hidden:
    """Text that the program doesn't show, or the target of a link."""

    kind: str
    text: str


Piece = str | Mark | Aside | Hidden


class Inline:
    """Reads paragraphs.

    Parameters
    ----------
    styles
        For text that is hidden.
    fields
        What fields show, by tag, instead of the text that the file keeps of them.
    """

    def __init__(self, styles: Styles, fields: Mapping[str, str]) -> None:
        self._styles, self._fields = styles, fields
        self._after_space = True
        self.is_cut = False

    def pieces(self, paragraph: Any, /) -> Iterator[Piece]:
        """Yield what a ``text:p`` or ``text:h`` shows, in order."""
        self._after_space = True
        yield from self._inside(paragraph, 0)

    def _inside(self, element: Any, depth: int) -> Iterator[Piece]:
        yield from self._characters(element.text)
        for child in element:
            if depth >= MAX_DEPTH:
                self.is_cut = True
            elif isinstance(child.tag, str):
                yield from self._child(child, depth + 1)
            yield from self._characters(child.tail)

    def _characters(self, text: str | None) -> Iterator[str]:
        shown = _SPACES.sub(" ", text or "")
        if self._after_space:
            shown = shown.removeprefix(" ")
        if shown:
            self._after_space = shown.endswith(" ")
            yield shown

    def _child(self, child: Any, depth: int) -> Iterator[Piece]:
        tag = child.tag
        if tag == f"{TEXT}s":
            self._after_space = False
            yield " " * count(child, f"{TEXT}c", most=MAX_BLANK)
        elif tag == f"{TEXT}tab":
            self._after_space = False
            yield "\t"
        elif tag == f"{TEXT}line-break":
            self._after_space = False
            yield Mark.LINE
        elif tag == f"{TEXT}soft-page-break":
            yield Mark.PAGE
        elif tag in self._fields:
            self._after_space = False
            yield self._fields[tag]
        elif tag in {f"{TEXT}note", f"{OFFICE}annotation"} or self._is_drawn(tag):
            yield Aside(child)
        elif tag == f"{TEXT}change":
            yield Hidden("deleted", child.get(f"{TEXT}change-id", ""))
        elif self._is_hidden(child):
            yield Hidden("hidden", child.get(f"{TEXT}string-value") or "".join(child.itertext()))
        elif tag not in _SKIPPED:
            yield from self._inside(child, depth)
            if tag == f"{TEXT}a" and (target := child.get(f"{XLINK}href", "")):
                yield Hidden("link", target)

    def _is_drawn(self, tag: str) -> bool:
        return tag.startswith(DRAW) and tag not in _THROUGH_DRAWN and tag not in _SKIPPED

    def _is_hidden(self, element: Any) -> bool:
        if element.get(f"{TEXT}display") == "none":
            return True
        if element.tag == f"{TEXT}hidden-text" and element.get(f"{TEXT}is-hidden") == "true":
            return True
        if element.tag.startswith(PRESENTATION):
            return False
        return element.tag == f"{TEXT}span" and self._styles.is_hidden(
            "text", element.get(f"{TEXT}style-name")
        )
