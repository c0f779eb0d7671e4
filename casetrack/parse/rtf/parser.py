"""Interpret RTF: visible text, and its paragraphs, rows, notes and running heads.

Hidden and deleted text and comments follow their paragraph. Field codes are omitted, except targets
of links. Pictures and embedded objects are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from casetrack.parse.drawn.text import picture_block
from casetrack.parse.rtf.facts import DATES, TEXTS, Info, Style, Styles
from casetrack.parse.rtf.flow import Block, Break, Flow, Item, Note, ParagraphState, Running
from casetrack.parse.rtf.scanner import Kind, Scanner
from casetrack.parse.unseen import WHITE, Look

# The state of RTF groups, and the visibility of their text.


class Place(Enum):
    """Destination of a group's text."""

    SHOWN = "the flow"
    SKIPPED = "nowhere"
    LABEL = "the number of a list item"
    INFO = "a text of the info group"
    DATE = "a date of the info group"
    STYLES = "the style sheet"
    OBJECT = "nowhere, but the result inside is shown"
    SHAPE = "nowhere, but the text box inside and descriptions are shown"
    PICTURE = "nowhere, but the description is shown"
    PROPERTY = "the name and the value of a property of a shape"
    COLORS = "the table of colours"
    BOTH = "nowhere, but the Unicode form inside is shown"
    AUTHOR = "the author of the next comment"
    CODE = "the code of a field"


STARRED = frozenset(
    """shppict shpinst nesttableprops ud mmath moMath moMathPara listtext pntext footnote
    shptxt annotation atnauthor fldinst picprop""".split()
)
r"""Destinations after ``\*`` with visible content; all others are skipped."""
SKIPPED = frozenset(
    """fonttbl filetbl listtable listoverridetable revtbl rsidtbl generator
    datafield formfield xe tc tcn rxe txe bkmkstart bkmkend atnid atntime
    atnicn atnref atnparent nonshppict shprslt do template private comment ftnsep ftnsepc ftncn
    aftnsep aftnsepc aftncn nonesttables mmathPict themedata colorschememapping latentstyles
    datastore xmlnstbl background passwordhash userprops docvar objdata objclass objname objalias
    objsect pn pnseclvl pntxta pntxtb listname leveltext levelnumbers falt panose fname pgdsctbl
    htmltag mhtmltag mathPr""".split()
)
RUNNING = frozenset("header headerl headerr headerf footer footerl footerr footerf".split())
"""Running heads and feet, of all, left, right and first pages."""
NO_PAGE = frozenset({"sbknone", "sbkcol"})
NEW_PAGE = frozenset({"sbkpage", "sbkeven", "sbkodd"})


@dataclass(slots=True)
class Group:
    """The state of a group; nested groups begin with a copy."""

    place: Place = Place.SHOWN
    flow: Flow = field(default_factory=Flow)
    name: str = ""
    style: Style | None = None
    note: int | None = None
    in_info: bool = False
    is_hidden: bool = False
    removed: str = ""
    is_bold: bool = False
    size: int = 24
    color: int = 0
    ground: int = 0
    shade: int = 0
    paper: str | None = WHITE
    in_table: bool = False
    table_depth: int = 0
    style_number: int | None = None
    outline: int | None = None
    begins_page: bool = False
    on_close: Callable[[], None] | None = None

    def inner(self) -> Group:
        """Return the initial state of a nested group; ``copy`` takes ten times as long."""
        return Group(
            self.place,
            self.flow,
            self.name,
            self.style,
            self.note,
            self.in_info,
            self.is_hidden,
            self.removed,
            self.is_bold,
            self.size,
            self.color,
            self.ground,
            self.shade,
            self.paper,
            self.in_table,
            self.table_depth,
            self.style_number,
            self.outline,
            self.begins_page,
        )

    def reset_paragraph(self) -> None:
        r"""Reset the state that ``\pard`` ends."""
        self.in_table = self.begins_page = False
        self.table_depth = self.shade = 0
        self.style_number = self.outline = None

    @property
    def depth(self) -> int:
        """Nesting depth of the paragraph in tables."""
        return max(self.table_depth, 1) if self.in_table else 0


_GONE = {"deleted": "deleted", "mvf": "moved"}
_COLOR_PARTS = frozenset({"red", "green", "blue"})
_SMALL = 2
"""Half points of text that is too small to read."""
_DESCRIBED = frozenset({Place.SHAPE, Place.PICTURE})
_LINK = re.compile(r'\s*HYPERLINK\s+"?((?:https?|ftp|mailto|file):[^"\s]+)', re.IGNORECASE)


@dataclass(slots=True)
class RtfContent:
    """Content of an RTF file; *rest* are unread bytes, *is_cut* means unclosed groups."""

    items: list[Item]
    info: Info
    pictures: int = 0
    objects: int = 0
    is_cut: bool = False
    rest: int = 0


class RtfParser:
    """Parses one RTF file; *data* is the whole file."""

    def __init__(self, data: bytes, /) -> None:
        self._scanner = Scanner(data)
        self._body = Flow()
        self._group = Group(flow=self._body)
        self._stack: list[Group] = []
        self._info = Info()
        self._styles = Styles()
        self._star = False
        self._opened = False
        self._section: Break | None = None
        self._notes = 0
        self._pictures = self._objects = 0
        self._label = self._author = self._code = self._property = ""
        self._colors: list[str] = []
        self._rgb: list[int] = []

    def parse(self) -> RtfContent:
        """Return the content of the file."""
        for kind, text, number in self._scanner.events():
            if kind is Kind.WORD:
                self._word(text, number)
            elif kind is Kind.TEXT:
                self._text(text)
            elif kind is Kind.OPEN:
                self._stack.append(self._group)
                self._group = self._group.inner()
            elif kind is Kind.CLOSE:
                self._close()
            # A star after the beginning of a group does not make it a destination.
            self._star = kind is Kind.STAR and self._opened
            self._opened = kind is Kind.OPEN
        depth = len(self._stack)
        while self._stack:
            self._close()
        return RtfContent(
            self._body.finish(),
            self._info,
            self._pictures,
            self._objects,
            is_cut=depth > 0,
            rest=self._scanner.rest,
        )

    def _close(self) -> None:
        if self._group.on_close:
            self._group.on_close()
        if self._stack:
            self._group = self._stack.pop()

    # --- text ------------------------------------------------------------------------------

    def _text(self, text: str) -> None:
        group = self._group
        if group.place is Place.SHOWN:
            kind = group.removed or self._unseen()
            if kind:
                group.flow.hide(kind, text)
            else:
                group.flow.text(text, is_bold=group.is_bold)
        elif group.place is Place.COLORS:
            for _ in range(text.count(";")):
                self._colors.append(bytes(self._rgb).hex())
                self._rgb = []
        elif group.place is Place.PROPERTY:
            self._property += text
        elif group.place is Place.AUTHOR:
            self._author += text
        elif group.place is Place.CODE:
            self._code += text
        elif group.place is Place.LABEL:
            self._label += text
        elif group.place is Place.INFO:
            self._info.text(group.name, text)
        elif group.place is Place.STYLES and group.style is not None:
            group.style.name += text[:200]

    def _unseen(self) -> str:
        """Return the kind of the group's hidden text."""
        group = self._group
        if group.is_hidden or not (group.color or group.size <= _SMALL):
            return "hidden" if group.is_hidden else ""
        own = group.ground or group.shade
        ground = self._color(own) if own else None if group.in_table else group.paper
        return Look(group.size / 2, color=self._color(group.color)).kind(ground)

    def _color(self, number: int) -> str:
        return self._colors[number] if 0 < number < len(self._colors) else ""

    def _state(self) -> ParagraphState:
        group = self._group
        kind, level = self._styles.place(group.style_number, group.outline)
        return ParagraphState(kind, level, group.depth, group.begins_page)

    # --- words -----------------------------------------------------------------------------

    def _word(self, word: str, number: int | None) -> None:
        group = self._group
        is_known = word in STARRED or (group.place is Place.INFO and word in TEXTS)
        if word in SKIPPED or (self._star and not is_known):
            group.place = Place.SKIPPED
        elif group.place is Place.SHOWN:
            if not self._destination(word):
                self._shown(word, number)
        elif group.place is Place.STYLES:
            self._style_word(word, number)
        elif group.place is Place.DATE:
            self._info.date_part(group.name, word, number)
        elif group.place is Place.COLORS:
            self._rgb += [min(number or 0, 255)] if word in _COLOR_PARTS else []
        elif group.place in {Place.LABEL, Place.INFO}:
            self._texts_word(word)
        else:
            self._show_inner(word)

    def _destination(self, word: str) -> bool:  # noqa: PLR0912
        """Change the destination of the group; return whether *word* is a destination."""
        group = self._group
        if word == "pict":
            self._pictures += 1
            group.place = Place.PICTURE
        elif word == "sp":
            group.place = Place.SKIPPED
        elif word == "colortbl":
            group.place = Place.COLORS
        elif word == "object":
            self._objects += 1
            group.place = Place.OBJECT
        elif word in {"shp", "shpinst"}:
            group.place = Place.SHAPE
        elif word == "upr":
            group.place = Place.BOTH
        elif word == "stylesheet":
            group.place = Place.STYLES
        elif word == "info":
            group.place, group.name, group.in_info = Place.INFO, "", True
        elif word in {"listtext", "pntext"}:
            self._open_label()
        elif word in RUNNING:
            self._open_running(is_footer=word.startswith("footer"))
        elif word == "footnote":
            self._open_note()
        elif word == "atnauthor":
            group.place, self._author = Place.AUTHOR, ""
        elif word == "annotation":
            self._open_comment()
        elif word == "fldinst":
            group.place, self._code = Place.CODE, ""
            group.on_close = self._link
        elif word.startswith("m") and word.endswith("Pr") and word != "mdPr":
            group.place = Place.SKIPPED
        else:
            return False
        return True

    def _show_inner(self, word: str) -> None:
        """Show visible content inside a group that is not visible itself."""
        group = self._group
        if group.place is Place.OBJECT and word == "result":
            group.place = Place.SHOWN
        elif group.place is Place.BOTH and word == "ud":
            group.place = Place.INFO if group.in_info else Place.SHOWN
        elif group.place is Place.SHAPE and word == "shptxt":
            self._open_box()
        elif group.place in _DESCRIBED and word in {"sn", "sv"}:
            self._open_property(group.place, word)
        elif group.place is Place.SHAPE and word == "pict":
            self._pictures += 1
            group.place = Place.PICTURE

    def _texts_word(self, word: str) -> None:
        group = self._group
        if group.place is Place.LABEL:
            if word == "tab":
                self._label += " "
        elif word in TEXTS and word not in self._info.texts:
            group.name = word
        elif word == "upr":
            group.place = Place.BOTH
        elif word in DATES:
            group.place, group.name = Place.DATE, word
        elif not group.name:
            group.place = Place.SKIPPED

    def _style_word(self, word: str, number: int | None) -> None:
        group = self._group
        if group.style is None:
            group.style = Style()
        if word == "s":
            self._styles.styles[number or 0] = group.style
        elif word in {"cs", "ds", "ts"}:
            group.place = Place.SKIPPED
        elif word == "outlinelevel":
            group.style.outline = number
        elif word == "sbasedon":
            group.style.parent = number

    # --- groups that go elsewhere ----------------------------------------------------------

    def _open_label(self) -> None:
        group, self._label = self._group, ""
        flow = group.flow
        group.place = Place.LABEL

        def done() -> None:
            flow.label(self._label)

        group.on_close = done

    def _open_flow(self) -> tuple[Flow, Flow]:
        """Give the group a separate flow; return the outer flow and the new one."""
        group = self._group
        outer, group.flow = group.flow, Flow()
        group.place = Place.SHOWN
        group.reset_paragraph()
        return outer, group.flow

    def _open_running(self, *, is_footer: bool) -> None:
        _, flow = self._open_flow()

        def done() -> None:
            self._body.items.append(Running(is_footer, _lines(flow.finish())))

        self._group.on_close = done

    def _open_note(self) -> None:
        outer, flow = self._open_flow()
        self._notes += 1
        self._group.note = self._notes

        def done() -> None:
            lines = _lines(flow.finish())
            if lines:
                outer.after([Note(lines)])

        self._group.on_close = done

    def _open_comment(self) -> None:
        outer, flow = self._open_flow()
        author = f" by {' '.join(self._author.split())}" if self._author.strip() else ""
        self._author = ""

        def done() -> None:
            lines = _lines(flow.finish())
            if lines:
                outer.after([Block([f"Comment{author}: {lines[0]}", *lines[1:]], "quote")])

        self._group.on_close = done

    def _link(self) -> None:
        match = _LINK.match(self._code)
        if match:
            self._group.flow.after([Block([f"Link: {match[1]}"], "quote")])

    def _open_box(self) -> None:
        outer, flow = self._open_flow()
        self._group.paper = None
        self._group.on_close = lambda: outer.after(flow.finish())

    def _open_property(self, place: Place, part: str) -> None:
        """Read the name or the value of a property; descriptions follow the paragraph."""
        group, name = self._group, self._property.strip()
        what = "Picture" if place is Place.PICTURE else "Alternative text"
        group.place, self._property = Place.PROPERTY, ""

        def done() -> None:
            block = picture_block(self._property, None, what=what)
            if name == "wzDescription" and block is not None:
                group.flow.after([Block(list(block.lines), "quote")])
            elif name == "gtextUNICODE":
                # Words drawn as a picture, such as a watermark.
                group.flow.after([Block([self._property])])

        if part == "sv":
            group.on_close = done

    # --- shown text ------------------------------------------------------------------------

    def _shown(self, word: str, number: int | None) -> None:
        if not (self._character_word(word, number) or self._paragraph_word(word, number)):
            self._table_word(word, number)

    def _character_word(self, word: str, number: int | None) -> bool:
        group, is_on = self._group, number != 0
        if word == "b":
            group.is_bold = is_on
        elif word == "v":
            group.is_hidden = is_on
        elif word in _GONE:
            group.removed = _GONE[word] if is_on else ""
        elif word == "fs":
            group.size = 24 if number is None else number
        elif word == "cf":
            group.color = number or 0
        elif word in {"highlight", "chcbpat"}:
            group.ground = number or 0
        elif word == "plain":
            group.is_bold = group.is_hidden = False
            group.removed, group.size, group.color, group.ground = "", 24, 0, 0
        elif word == "tab":
            self._text("\t")
        elif word == "line":
            group.flow.line()
        elif word == "chftn":
            self._text(f"[{self._notes + 1}]" if group.note is None else f"[{group.note}] ")
        else:
            return False
        return True

    def _paragraph_word(self, word: str, number: int | None) -> bool:
        group = self._group
        if word == "par":
            group.flow.paragraph(self._state())
        elif word == "pard":
            group.reset_paragraph()
        elif word == "s":
            group.style_number = number or 0
        elif word == "outlinelevel":
            group.outline = number
        elif word == "cbpat":
            group.shade = number or 0
        elif word == "pagebb":
            group.begins_page = number != 0
        elif word in {"page", "softpage"}:
            if group.flow is self._body:
                group.flow.page_break(self._state())
        elif word == "sect":
            self._end_section()
        elif word == "sectd" or word in NEW_PAGE or word in NO_PAGE:
            if self._section is not None:
                self._section.begins_page = word not in NO_PAGE
        else:
            return False
        return True

    def _end_section(self) -> None:
        """End a section; properties of the next one decide whether it begins a page."""
        if self._group.flow is self._body:
            begins_page = self._section is None or self._section.begins_page
            self._section = Break(begins_page)
            self._body.page_break(self._state(), self._section)

    def _table_word(self, word: str, number: int | None) -> None:
        group = self._group
        flow = group.flow
        depth = max(group.table_depth, 2) if group.name == "nesttableprops" else 1
        if word == "intbl":
            group.in_table = number != 0
        elif word == "itap":
            group.table_depth = max(0, number or 0)
            group.in_table = group.in_table or group.table_depth > 0
        elif word == "nesttableprops":
            group.name = word
        elif word == "trowd":
            flow.row_shape(depth, is_new=True)
        elif word == "cellx":
            flow.row_shape(depth).close_cell(number or 0)
        elif word == "trhdr":
            flow.row_shape(depth).is_header = True
        elif word in {"clmrg", "clvmrg"}:
            shape = flow.row_shape(depth)
            shape.joins_left = shape.joins_left or word == "clmrg"
            shape.joins_above = shape.joins_above or word == "clvmrg"
        elif word == "cell":
            flow.end_cell(1, self._state())
        elif word == "nestcell":
            flow.end_cell(max(group.table_depth, 2), self._state())
        elif word == "row":
            flow.end_row(1)
        elif word == "nestrow":
            flow.end_row(max(group.table_depth, 2))


def _lines(items: list[Item]) -> tuple[str, ...]:
    blocks = (item for item in items if isinstance(item, Block))
    return tuple(line.strip() for block in blocks for line in block.lines if line.strip())
