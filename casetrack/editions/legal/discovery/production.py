"""A production with its documents, families, files and numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.editions.legal.discovery.fields import field_value
from casetrack.editions.legal.records.load_files import LoadTrouble
from casetrack.extract.papers.places import BatesRange, read_bates

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from casetrack.editions.legal.discovery.fields import Role
    from casetrack.editions.legal.discovery.loadfile import ImageFile, ImageLine, LoadFile, Row


@dataclass(slots=True)
class Member:
    """A document of a production."""

    key: str  # Unique: the control number, with a suffix if two documents share it
    control_number: str  # The line if the load file has no number
    line: int | None  # ``None``: only in the image file
    row: Row | None
    fields: dict[str, str]  # Unchanged values by column
    begin: str = ""  # First Bates number; may be empty
    end: str = ""  # Last Bates number; may be empty
    family: str = ""  # Key of the first document of its family
    parent: str | None = None  # Key of the document with this attachment
    children: list[str] = field(default_factory=list)  # Keys of its attachments
    native: Path | None = None
    text: Path | None = None
    inline: str = ""  # Text in the load file itself
    images: tuple[ImageLine, ...] = ()
    pictures: tuple[Path, ...] = ()
    moment: datetime | None = None

    @property
    def bates(self) -> BatesRange | None:
        """Its Bates numbers; ``None`` if they are missing or inconsistent."""
        first, last = read_bates(self.begin), read_bates(self.end)
        if first is None or last is None or first.key != last.key or last.last < first.first:
            return None
        return BatesRange(first.prefix, first.first, last.last, first.width)


@dataclass(slots=True)
class Production:
    """A production."""

    load_file: LoadFile
    image_file: ImageFile | None
    roles: Mapping[Role, str]  # Columns by role
    members: list[Member]  # In the order of the load file, then those of the image file only
    ranges: list[BatesRange] = field(default_factory=list)
    gaps: list[BatesRange] = field(default_factory=list)  # Missing Bates numbers
    troubles: list[LoadTrouble] = field(default_factory=list)

    def value_of(self, member: Member, role: Role, /) -> str:
        """Return the value of a member for a role; empty if there is none."""
        return field_value(member.fields, self.roles, role)

    def note(
        self, line: int | None, key: str, kind: str, text: str, /, *, file: Path | None = None
    ) -> None:
        """Add an error in a line of *file* (default: the load file)."""
        self.troubles.append(LoadTrouble(kind, text, (file or self.load_file.path).name, line, key))
