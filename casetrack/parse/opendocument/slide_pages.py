"""Pages of a presentation: each slide with its text in reading order, notes and running feet."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from casetrack.parse.drawn.text import Block, ListStyle, concealed, link_blocks
from casetrack.parse.opendocument.flow import Flow
from casetrack.parse.opendocument.styles import (
    DRAW,
    MOVED,
    OFFICE,
    PRESENTATION,
    SVG,
    TEXT,
    XLINK,
    Foot,
    points,
)
from casetrack.parse.page_builder import PageBuilder, SourceLine, whole_hidden
from casetrack.parse.slides.content import TOO_DEEP, Feet, hidden_warning
from casetrack.parse.slides.shapes import (
    EMU_PER_POINT,
    MAX_DEPTH,
    Shape,
    in_reading_order,
    lies_outside,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.parse.base import Page, PageKind
    from casetrack.parse.opendocument.document import OpenDocument
    from casetrack.parse.opendocument.styles import Item

_FEET = {"footer": "ftr", "header": "hdr", "date-time": "dt", "page-number": "sldNum"}
_NOTES_LEFT_OUT = frozenset((*_FEET, "page"))


class SlidePages:
    """Reads the slides of a presentation, or the pages of a drawing, which are built alike."""

    def __init__(self, document: OpenDocument, kind: PageKind = "slide") -> None:
        self._document, self._kind = document, kind
        self._slides = list(document.body.iterfind(f"{DRAW}page"))
        self._feet = Feet()
        self._size: tuple[float | None, float | None] = (None, None)
        self._declared = {
            (e.tag, e.get(f"{PRESENTATION}name")): " ".join("".join(e.itertext()).split())
            for e in document.body
            if str(e.tag).endswith("-decl")
        }

    @property
    def count(self) -> int:
        """How many slides there are."""
        return len(self._slides)

    def pages(self) -> Iterator[Page]:
        """Yield the slides one by one."""
        hidden = []
        for number, slide in enumerate(self._slides, start=1):
            style = slide.get(f"{DRAW}style-name")
            is_hidden = self._document.styles.page_property(style, "visibility") == "hidden"
            hidden += [number] if is_hidden else []
            if number == len(self._slides) and hidden:
                self._document.warn(hidden_warning(hidden))
            page = self._page(number, slide)
            yield replace(page, hidden=whole_hidden(page.text)) if is_hidden else page

    def _page(self, number: int, slide: Any) -> Page:
        master = self._document.masters.get(slide.get(f"{DRAW}master-page-name", ""))
        width, height = self._size = self._document.page_size(master)
        fields = self._fields(number, slide)
        blocks: list[Block] = []
        late: list[tuple[str, Block]] = []
        for shape in _ordered(slide):
            found = self._shape(shape, Flow(self._document.styles, self._document, fields))
            foot = _FEET.get(_class(shape.element))
            if foot is None:
                blocks += found
            else:
                late += [(foot, block) for block in found]
        late += self._fixed(slide, master, fields)
        feet = []
        for kind, block in late:
            if self._feet.is_new(kind, block.text):
                blocks.append(block)
            else:
                feet.append(block.text)
        builder = PageBuilder(
            number, width=width, height=height, kind=self._kind, footer=" | ".join(feet)
        )
        for block in (*blocks, *self._notes(slide, fields), *self._comments(slide)):
            lines = [SourceLine(line) for line in block.lines]
            builder.paragraph(lines, kind=block.kind, level=block.level)
        return builder.build()

    def _fields(self, number: int, slide: Any) -> dict[str, str]:
        """Return what fields show on a slide: its number, and texts that the file declares."""
        shown = {f"{TEXT}page-number": str(number)}
        for name in ("footer", "header", "date-time"):
            used = slide.get(f"{PRESENTATION}use-{name}-name")
            declared = self._declared.get((f"{PRESENTATION}{name}-decl", used), "")
            shown[f"{PRESENTATION}{name}"] = declared
        return shown

    def _shape(self, shape: Shape, flow: Flow, depth: int = 0) -> list[Block]:
        element = shape.element
        if element.tag in {f"{DRAW}g", f"{DRAW}a"}:
            if depth >= MAX_DEPTH:
                self._document.miss(TOO_DEEP)
                return []
            blocks = [b for inner in _ordered(element) for b in self._shape(inner, flow, depth + 1)]
            return [*blocks, *link_blocks([element.get(f"{XLINK}href", "")], blocks)]
        blocks = list(_blocks(flow.shape(element)))
        if shape.is_title and blocks:
            lines = tuple(line for block in blocks for line in block.lines)
            blocks = [Block(lines, "heading", 1)]
        is_off = element.get(f"{DRAW}layer") in self._document.layers_off
        if is_off or _is_outside(element, *self._size):
            return [concealed(block, "layer" if is_off else "outside") for block in blocks]
        return blocks

    def _fixed(
        self, slide: Any, master: Any, fields: dict[str, str]
    ) -> Iterator[tuple[str, Block]]:
        """Yield what the master page puts on the slide, as far as the slide lets it."""
        style = slide.get(f"{DRAW}style-name")
        styles = self._document.styles
        if master is None or styles.page_property(style, "background-objects-visible") == "false":
            return
        flow = Flow(self._document.master_styles, self._document, fields)
        for shape in _ordered(master):
            name = _class(shape.element)
            if name and name not in _FEET:
                continue
            if name and styles.page_property(style, f"display-{name}") == "false":
                continue
            for block in self._shape(shape, flow):
                yield _FEET.get(name, "fixed"), block

    def _notes(self, slide: Any, fields: dict[str, str]) -> list[Block]:
        blocks: list[Block] = []
        self._size = None, None  # pages of notes have another size
        for notes in slide.iterfind(f"{PRESENTATION}notes"):
            for shape in _ordered(notes):
                if _class(shape.element) not in _NOTES_LEFT_OUT:
                    flow = Flow(self._document.styles, self._document, fields)
                    blocks += self._shape(shape, flow)
        return [Block(("Notes:",)), *blocks] if blocks else []

    def _comments(self, slide: Any) -> Iterator[Block]:
        flow = Flow(self._document.styles, self._document)
        comments = [e for e in slide if e.tag == f"{OFFICE}annotation"]
        yield from _blocks(flow.walk(comments))


def _is_outside(element: Any, width: float | None, height: float | None) -> bool:
    """Return whether nothing of a shape is on a slide of that size in points."""
    left, top = (points(element.get(f"{SVG}{name}")) for name in "xy")
    sizes = (points(element.get(f"{SVG}{name}")) or 0.0 for name in ("width", "height"))
    wide, high = (size * EMU_PER_POINT for size in sizes)
    around = 0.0
    if moved := MOVED.search(element.get(f"{DRAW}transform", "")):
        left, top, around = points(moved[1]), points(moved[2]), math.hypot(wide, high)
    if left is None or top is None:
        return False
    x, y = left * EMU_PER_POINT, top * EMU_PER_POINT
    return lies_outside(x, y, wide, high, around, width, height)


def _blocks(items: Iterable[Item]) -> Iterator[Block]:
    """Yield paragraphs with text; a slide is one page whatever breaks its text boxes hold."""
    for item in items:
        if isinstance(item, Block):
            if item.text:
                yield item
        elif isinstance(item, Foot):
            yield from item.blocks


def _class(element: Any) -> str:
    return str(element.get(f"{PRESENTATION}class", ""))


def _ordered(holder: Any) -> list[Shape]:
    shapes = []
    for element in holder:
        if not isinstance(element.tag, str) or not element.tag.startswith(DRAW):
            continue
        top, left, height = _place(element)
        kind = "title" if _class(element) == "title" else None
        shapes.append(Shape(element, kind, top, left, height, ListStyle()))
    return in_reading_order(shapes)


def _place(element: Any) -> tuple[int, int, int]:
    """Return top, left and height; a group stands where the first of its shapes does."""
    for one in element.iter():
        y, x = points(one.get(f"{SVG}y")), points(one.get(f"{SVG}x"))
        if y is not None and x is not None:
            height = points(one.get(f"{SVG}height")) or 0.0
            return int(y * EMU_PER_POINT), int(x * EMU_PER_POINT), int(height * EMU_PER_POINT)
    return 0, 0, 0
