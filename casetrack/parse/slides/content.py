"""Content of one slide: shapes, notes and comments as paragraphs, running feet separately."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.frame import frame_blocks
from casetrack.parse.drawn.text import (
    A,
    Block,
    ListStyle,
    R,
    Unseen,
    body_blocks,
    concealed,
    integer,
    is_true,
    link_blocks,
    paragraph_lines,
    picture_block,
)
from casetrack.parse.labels import number_list
from casetrack.parse.slides.shapes import (
    FEET,
    LINKS,
    MAX_DEPTH,
    Inheritance,
    P,
    Place,
    Presentation,
    Shape,
    Sheet,
    SlideParts,
    Transform,
    elements,
    in_reading_order,
    place_of,
    placeholder_of,
)
from casetrack.parse.unseen import WHITE, Look, hex_color

_FILLS = frozenset(f"{A}{name}Fill" for name in ("solid", "no", "grad", "blip", "patt", "grp"))
_FILLED = frozenset(f"{P}{name}" for name in ("pic", "graphicFrame", "grpSp"))
_CLEAR = "clear"


class Backgrounds:
    """Finds the colours behind the shapes of one slide."""

    def __init__(self, parts: SlideParts) -> None:
        self._sheets = [s for s in (parts.slide, parts.layout, parts.master) if s is not None]

    def kind(self, run: Any, shape: Shape, *, is_grouped: bool) -> str:
        """Return the kind of hidden text of an ``a:rPr`` in a shape."""
        size, fill = integer(run.get("sz")), run.find(f"{A}solidFill")
        is_drawn = run.find(f"{A}noFill") is None or run.find(f"{A}ln") is not None
        look = Look(None if size is None else size / 100, is_hidden=not is_drawn)
        if fill is None or look.kind():
            return look.kind()
        ground = self._fill(shape.element)
        if ground == _CLEAR:
            ground = None if is_grouped else self._below(shape)
        return Look(color=self._color(fill)).kind(ground)

    def _below(self, shape: Shape) -> str | None:
        """Return the colour of the slide, ``None`` if an object may be below a shape."""
        is_own = placeholder_of(shape.element) is None
        for number, sheet in enumerate(self._sheets):
            for other in elements(sheet.shapes):
                if other is shape.element:
                    break
                is_sample = number and is_own and placeholder_of(other) is not None
                if is_sample or self._fill(other) == _CLEAR:
                    continue
                place = place_of(other)
                if place is None or _meet(shape, place):
                    return None
        return self._paper

    def _fill(self, element: Any) -> str | None:
        properties = element.find(f"{P}spPr")
        if properties is None or element.tag in _FILLED:
            return None if element.tag in _FILLED else _CLEAR
        fill = next((e for e in properties if e.tag in _FILLS), None)
        if fill is not None:
            return _CLEAR if fill.tag == f"{A}noFill" else self._color(fill)
        styled = element.find(f"{P}style/{A}fillRef")
        return _CLEAR if styled is None or styled.get("idx") == "0" else None

    def _color(self, fill: Any) -> str | None:
        """Return the colour in an element, ``None`` if it is not certain."""
        color = next(iter(fill), None)
        if color is None or len(color):
            return None
        value = color.get("val", "")
        if color.tag != f"{A}schemeClr":
            return hex_color(value)
        return WHITE if value in {"bg1", "lt1"} and self._is_light else f"theme {value}"

    @cached_property
    def _paper(self) -> str | None:
        for sheet in self._sheets:
            for ground in sheet.root.iterfind(f"{P}cSld/{P}bg/*"):
                if ground.tag == f"{P}bgPr":
                    return self._color(next(iter(ground), ground))
                return self._color(ground) if ground.get("idx") == "1001" else None
        return WHITE

    @cached_property
    def _is_light(self) -> bool:
        """Whether the master gives its first background the light colour of the theme."""
        sheet = self._sheets[-1].root.find(f"{P}clrMap")
        return sheet is None or sheet.get("bg1") == "lt1"


def _meet(shape: Shape, other: Place) -> bool:
    return (
        shape.left < other.left + other.width
        and other.left < shape.left + shape.width
        and shape.top < other.top + other.height
        and other.top < shape.top + shape.height
    )


TOO_DEEP = f"Shapes nested more than {MAX_DEPTH} groups deep were left out."
"""Message of a reader that stops at nested groups."""
_NOTES_LEFT_OUT = FEET | {"sldImg", "hdr"}


@dataclass(slots=True)
class Feet:
    """Remembers the running feet of the slides before."""

    _seen: set[tuple[str, str]] = field(default_factory=set)

    def is_new(self, kind: str, text: str, /) -> bool:
        """Return whether a foot is new; all slide numbers count as one foot."""
        key = (kind, re.sub(r"\d+", "#", text) if kind == "sldNum" else text)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True


@dataclass(slots=True)
class SlideText:
    """A slide's paragraphs, and feet that an earlier slide already has."""

    blocks: list[Block] = field(default_factory=list)
    feet: list[str] = field(default_factory=list)
    is_hidden: bool = False


class SlideContent:
    """Reads the slides of one presentation in order; *missing* collects unreadable content."""

    def __init__(self, presentation: Presentation, missing: list[str]) -> None:
        self._presentation, self._missing = presentation, missing
        self._feet = Feet()
        self._number = 0
        self._targets: dict[str, str] = {}
        self._parts: SlideParts
        self._inheritance: Inheritance
        self._grounds: Backgrounds

    def read(self, number: int, parts: SlideParts, /) -> SlideText:
        """Return the content of a slide, without its notes and comments."""
        self._number, self._parts, self._inheritance = number, parts, Inheritance(parts)
        self._grounds = Backgrounds(parts)
        self._take_links(parts.slide)
        text = SlideText()
        late: list[tuple[str, Block]] = []
        for shape in self._ordered(parts.slide.shapes):
            blocks = self._shape(shape, 0)
            if shape.placeholder in FEET:
                late += [(shape.placeholder, block) for block in blocks]
            else:
                text.blocks += blocks
        late += [("fixed", block) for block in self._fixed()]
        for kind, block in late:
            if not block.text:
                continue
            if self._feet.is_new(kind, block.text):
                text.blocks.append(block)
            else:
                text.feet.append(block.text)
        return text

    def notes(self, parts: SlideParts, /) -> list[Block]:
        """Return the speaker's notes of a slide."""
        part = parts.slide.target("notesSlide")
        if part is None or part not in self._presentation.package:
            return []
        try:
            sheet = self._presentation.sheet(part)
        except ParseFailed as error:
            what = f"The notes of slide {self._number}"
            self._missing.append(f"{what} cannot be read: {error.message}")
            return []
        blocks = []
        self._take_links(sheet)
        for element in elements(sheet.shapes):
            mark = placeholder_of(element)
            body = element.find(f"{P}txBody")
            if body is not None and (mark is None or mark.get("type") not in _NOTES_LEFT_OUT):
                paragraphs = list(body_blocks(body, ListStyle()))
                blocks += [*paragraphs, *link_blocks(self._links_in(body), paragraphs)]
        return [Block(("Notes:",)), *blocks] if blocks else []

    def _ordered(self, tree: Any) -> list[Shape]:
        shapes = (self._inheritance.shape(element) for element in elements(tree))
        ordered = [shape for shape in shapes if shape is not None]
        return in_reading_order(ordered, paired=self._inheritance.is_paired)

    def _fixed(self) -> Iterator[Block]:
        for sheet in self._parts.sheets_shown():
            self._take_links(sheet)
            shapes = [e for e in elements(sheet.shapes) if placeholder_of(e) is None]
            for shape in self._ordered(shapes):
                if shape.element.tag in {f"{P}sp", f"{P}grpSp"}:
                    yield from self._shape(shape, 0)

    def _take_links(self, sheet: Sheet) -> None:
        self._targets = self._presentation.package.links(sheet.part) if sheet.has_links else {}

    def _links_in(self, element: Any) -> list[str]:
        links = element.iter(*LINKS) if self._targets else ()
        return [self._targets.get(link.get(f"{R}id", ""), "") for link in links]

    def _shape(self, shape: Shape, depth: int, way: Transform = Transform()) -> list[Block]:  # noqa: B008
        """Return the text of a shape, marked if hidden or off the slide, and targets of links."""
        element = shape.element
        facts = element.find(f"{element[0].tag}/{P}cNvPr") if len(element) else None
        is_hidden = facts is not None and is_true(facts.get("hidden"))
        if element.tag == f"{P}grpSp":
            blocks = self._group(element, depth, way.into(element))
            holder = element[0] if len(element) else element
        else:
            blocks, holder = self._own(shape, is_grouped=depth > 0), element
        blocks += link_blocks(self._links_in(holder), blocks)
        size = self._presentation.width, self._presentation.height
        if is_hidden or (element.tag != f"{P}grpSp" and way.is_outside(shape, *size)):
            return [concealed(block, "hidden" if is_hidden else "outside") for block in blocks]
        return blocks

    def _own(self, shape: Shape, *, is_grouped: bool) -> list[Block]:
        element = shape.element
        unseen = Unseen(lambda run: self._grounds.kind(run, shape, is_grouped=is_grouped))
        blocks = list(
            frame_blocks(element, self._related) if element.tag == f"{P}graphicFrame" else ()
        )
        body = element.find(f"{P}txBody")
        if body is not None:
            title = [_heading(body, unseen)] if shape.is_title else []
            blocks = title or list(body_blocks(body, shape.style, unseen))
            blocks += unseen.blocks()
        what = "Picture" if element.tag == f"{P}pic" else "Alternative text"
        for facts in islice(element.iter(f"{P}cNvPr"), 1):
            picture = picture_block(*map(facts.get, ("descr", "name", "title")), what=what)
            blocks += [picture] if picture else []
        return [block for block in blocks if block.text]

    def _group(self, element: Any, depth: int, way: Transform) -> list[Block]:
        if depth >= MAX_DEPTH:
            if TOO_DEEP not in self._missing:
                self._missing.append(TOO_DEEP)
            return []
        return [b for shape in self._ordered(element) for b in self._shape(shape, depth + 1, way)]

    def _related(self, identity: str | None, what: str) -> Any:
        relations = self._parts.slide.relations
        part = relations.get(identity or "", ("", ""))[1]
        try:
            if part:
                return self._presentation.package.xml(part)
            reason = "its part is missing"
        except ParseFailed as error:
            reason = error.message
        self._missing.append(f"A {what} on slide {self._number} cannot be read: {reason}")
        return None


def _heading(body: Any, unseen: Unseen) -> Block:
    lines = [line for p in body.iterfind(f"{A}p") for line in paragraph_lines(p, unseen)]
    return Block(tuple(lines), "heading", 1)


def hidden_warning(hidden: Sequence[int], /) -> str:
    """Return the warning that names hidden slides."""
    if len(hidden) == 1:
        return f"Slide {hidden[0]} is hidden in the show; it was read too."
    return f"Slides {number_list(hidden)} are hidden in the show; they were read too."
