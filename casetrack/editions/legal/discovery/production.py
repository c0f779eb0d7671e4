"""A production as its load files tell it: its documents, their families, files and numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.editions.legal.discovery.fields import Trouble, told
from casetrack.extract.papers.places import BatesRange, read_bates

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from casetrack.editions.legal.discovery.fields import Role
    from casetrack.editions.legal.discovery.loadfile import ImageFile, ImageLine, LoadFile, Row


@dataclass(slots=True)
class Member:
    """A document of a production.

    Attributes
    ----------
    key
        Unlike that of all others: its control number, with a number where two share one.
    control_number
        As the load file has it; its line where it has none.
    line
        Of the load file; ``None`` for a document that only the image file has.
    fields
        What stands in its columns, sign by sign; empty for one without a row.
    begin, end
        Its first and last Bates number; empty where it tells none.
    family
        Key of the document that its family begins with; its own where it stands alone.
    parent
        Key of the document that it is attached to; ``None`` for none.
    children
        Keys of those that are attached to it.
    native, text, pictures
        Its files, as far as they are there.
    inline
        Its text, where that stands in the load file itself.
    """

    key: str
    control_number: str
    line: int | None
    row: Row | None
    fields: dict[str, str]
    begin: str = ""
    end: str = ""
    family: str = ""
    parent: str | None = None
    children: list[str] = field(default_factory=list)
    native: Path | None = None
    text: Path | None = None
    inline: str = ""
    images: tuple[ImageLine, ...] = ()
    pictures: tuple[Path, ...] = ()
    moment: datetime | None = None

    @property
    def bates(self) -> BatesRange | None:
        """Its Bates numbers; ``None`` where they are none, or are in disorder."""
        first, last = read_bates(self.begin), read_bates(self.end)
        if first is None or last is None or first.key != last.key or last.last < first.first:
            return None
        return BatesRange(first.prefix, first.first, last.last, first.width)


@dataclass(slots=True)
class Production:
    """A production.

    Attributes
    ----------
    load_file, image_file
        As they were read.
    roles
        Which column says what.
    members
        Its documents in the order of the load file, then those that only the image file has.
    ranges, gaps
        The Bates numbers that it covers, joined where they follow each other, and what is missing
        between them.
    troubles
        What is wrong with it, in the order of the lines.
    """

    load_file: LoadFile
    image_file: ImageFile | None
    roles: Mapping[Role, str]
    members: list[Member]
    ranges: list[BatesRange] = field(default_factory=list)
    gaps: list[BatesRange] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)

    def told(self, member: Member, role: Role, /) -> str:
        """Return what a member's row says in a role; empty where it says nothing."""
        return told(member.fields, self.roles, role)

    def note(
        self, line: int | None, key: str, kind: str, text: str, /, *, file: Path | None = None
    ) -> None:
        """Add a trouble with a line of *file*, or else of the load file."""
        self.troubles.append(Trouble((file or self.load_file.path).name, line, key, kind, text))
