"""The state of RTF groups, and which of them hold text that is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from casetrack.parse.rtf.flow import Flow

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.parse.rtf.facts import Style


class Place(Enum):
    """Where the text of a group goes."""

    SHOWN = "the flow"
    SKIPPED = "nowhere"
    LABEL = "the number of a list item"
    INFO = "a text of the info group"
    DATE = "a date of the info group"
    STYLES = "the style sheet"
    OBJECT = "nowhere, but the result inside is shown"
    SHAPE = "nowhere, but the text box inside is shown"
    BOTH = "nowhere, but the Unicode form inside is shown"
    AUTHOR = "the author of the next comment"
    CODE = "the code of a field"


STARRED = frozenset(
    """shppict shpinst nesttableprops ud mmath moMath moMathPara listtext pntext footnote
    shptxt annotation atnauthor fldinst""".split()
)
r"""Destinations behind ``\*`` that hold what is shown; all others are skipped."""
SKIPPED = frozenset(
    """fonttbl colortbl filetbl listtable listoverridetable revtbl rsidtbl generator
    datafield formfield xe tc tcn rxe txe bkmkstart bkmkend atnid atntime
    atnicn atnref atnparent nonshppict shprslt do template private comment ftnsep ftnsepc ftncn
    aftnsep aftnsepc aftncn nonesttables mmathPict themedata colorschememapping latentstyles
    datastore xmlnstbl background passwordhash userprops docvar objdata objclass objname objalias
    objsect pn pnseclvl pntxta pntxtb listname leveltext levelnumbers falt panose fname pgdsctbl
    htmltag mhtmltag mathPr sn sv""".split()
)
RUNNING = frozenset("header headerl headerr headerf footer footerl footerr footerf".split())
"""Running heads and feet, of all, left, right and first pages."""
NO_PAGE = frozenset({"sbknone", "sbkcol"})
NEW_PAGE = frozenset({"sbkpage", "sbkeven", "sbkodd"})


@dataclass(slots=True)
class Group:
    """The state of a group; the groups in it begin with a copy."""

    place: Place = Place.SHOWN
    flow: Flow = field(default_factory=Flow)
    name: str = ""
    style: Style | None = None
    note: int | None = None
    in_info: bool = False
    is_hidden: bool = False
    is_deleted: bool = False
    is_bold: bool = False
    in_table: bool = False
    table_depth: int = 0
    style_number: int | None = None
    outline: int | None = None
    begins_page: bool = False
    on_close: Callable[[], None] | None = None

    def inner(self) -> Group:
        """Return the state that a group inside this one begins with.

        Every field but the last, in order: ``copy`` takes ten times as long.
        """
        return Group(
            self.place,
            self.flow,
            self.name,
            self.style,
            self.note,
            self.in_info,
            self.is_hidden,
            self.is_deleted,
            self.is_bold,
            self.in_table,
            self.table_depth,
            self.style_number,
            self.outline,
            self.begins_page,
        )

    def reset_paragraph(self) -> None:
        r"""Forget what ``\pard`` ends."""
        self.in_table = self.begins_page = False
        self.table_depth = 0
        self.style_number = self.outline = None

    @property
    def depth(self) -> int:
        """How deep in tables the paragraph is."""
        return max(self.table_depth, 1) if self.in_table else 0
