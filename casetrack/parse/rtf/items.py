"""What a stream of RTF text is made of: paragraphs, breaks, notes, running heads and feet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.parse.base import ParagraphKind


@dataclass(slots=True)
class Block:
    """A paragraph with its lines; *is_bold* where all of its text is."""

    lines: list[str]
    kind: ParagraphKind = "body"
    level: int | None = None
    is_bold: bool = False

    @property
    def is_blank(self) -> bool:
        """Whether it shows nothing."""
        return not any(line.strip() for line in self.lines)


@dataclass(slots=True)
class Break:
    """The end of a page, or of a section, which need not begin a page."""

    begins_page: bool = True


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote that the text before refers to."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Running:
    """A running head or foot, in force from here on."""

    is_footer: bool
    lines: tuple[str, ...]


Item = Block | Break | Note | Running

PAGE = Break()
