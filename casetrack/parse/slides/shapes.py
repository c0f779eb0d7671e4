"""Shapes of a slide in reading order, with properties inherited from layout and master.

The file stores shapes in drawing order, but people read from top to bottom and from left to right.
The orders differ: a slide number drawn before the text, answers A to D drawn as A, C, B, D, boxes
copied over each other. Shapes are therefore sorted by rows of upper edges, titles first.
"""

from __future__ import annotations

import math
import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.text import MC, A, ListStyle, R, branch, integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.parse.package import Package

# Parts of a presentation: slides in order, their layouts and masters, shared names.

KIND = "PPTX"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
EMU_PER_POINT = 12700
LINKS = (f"{A}hlinkClick", f"{A}hlinkHover", f"{A}hlinkMouseOver")
_NUMBERED_SLIDE = re.compile(r"ppt/slides/slide(\d{1,6})\.xml$")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A slide, layout, master or notes page: its part, root element and relations."""

    part: str
    root: Any
    relations: dict[str, tuple[str, str]]

    def target(self, kind: str, /) -> str | None:
        """Return the first related part of a kind."""
        return next((t for k, t in self.relations.values() if k == kind), None)

    @property
    def has_links(self) -> bool:
        """Whether a shape or its text is a link."""
        return next(self.root.iter(*LINKS), None) is not None

    def targets(self, kind: str, /) -> list[str]:
        """Return all related parts of a kind."""
        return [t for k, t in self.relations.values() if k == kind]

    @property
    def shapes(self) -> Any:
        """The tree of its shapes, possibly empty."""
        tree = self.root.find(f"{P}cSld/{P}spTree")
        return () if tree is None else tree


@dataclass(frozen=True, slots=True)
class SlideParts:
    """A slide with its layout and master."""

    slide: Sheet
    layout: Sheet | None
    master: Sheet | None
    defaults: Any
    """The ``p:defaultTextStyle`` of the presentation."""

    @property
    def is_hidden(self) -> bool:
        """Whether the slide is hidden."""
        return self.slide.root.get("show") in {"0", "false", "off"}

    def sheets_shown(self) -> Iterator[Sheet]:
        """Yield master and layout if the slide shows their shapes."""
        if self.slide.root.get("showMasterSp") in {"0", "false"} or self.layout is None:
            return
        if self.master is not None and self.layout.root.get("showMasterSp") not in {"0", "false"}:
            yield self.master
        yield self.layout


@dataclass(slots=True)
class Presentation:
    """An open presentation; *width* and *height* of a slide are in points."""

    package: Package
    main: Sheet
    slide_parts: list[str | None]
    width: float | None
    height: float | None
    _sheets: dict[str, Sheet | None] = field(default_factory=dict)

    @classmethod
    def of(cls, package: Package, /) -> Presentation:
        """Read the main part."""
        main = next((t for k, t in package.relations("").values() if k == "officeDocument"), None)
        if main is None or main not in package:
            main = "ppt/presentation.xml"
        root = package.xml(main)
        if root.tag != f"{P}presentation":
            raise package.failed("it contains no presentation")
        sheet = Sheet(main, root, package.relations(main))
        size = root.find(f"{P}sldSz")
        order = _slide_order(package, sheet)
        return cls(package, sheet, order, _points(size, "cx"), _points(size, "cy"))

    def slide(self, part: str, /) -> SlideParts:
        """Parse a slide with layout and master, unless broken; may raise ``ParseFailed``."""
        slide = self.sheet(part)
        layout = self._shared(slide.target("slideLayout"))
        master = self._shared(None if layout is None else layout.target("slideMaster"))
        return SlideParts(slide, layout, master, self.main.root.find(f"{P}defaultTextStyle"))

    def sheet(self, part: str, /) -> Sheet:
        """Parse a part and its relations."""
        root = self.package.xml(part)
        return Sheet(part, root, self.package.relations(part))

    def _shared(self, part: str | None) -> Sheet | None:
        if part is None or part not in self.package:
            return None
        if part not in self._sheets:
            try:
                self._sheets[part] = self.sheet(part)
            except ParseFailed:
                # Layouts give positions and bullets; a slide's words do not depend on them.
                self._sheets[part] = None
        return self._sheets[part]


def _slide_order(package: Package, main: Sheet) -> list[str | None]:
    listed: list[str | None] = []
    for entry in main.root.iterfind(f"{P}sldIdLst/{P}sldId"):
        kind, target = main.relations.get(entry.get(f"{R}id", ""), ("", ""))
        listed.append(target if kind == "slide" else None)
    if any(listed):
        return listed
    # The list is damaged: the names of the parts show the order of their creation.
    parts = [(m, name) for name in package.names if (m := _NUMBERED_SLIDE.fullmatch(name))]
    return [posixpath.normpath(name) for _, name in sorted(parts, key=lambda x: int(x[0][1]))]


def _points(size: Any, name: str) -> float | None:
    value = None if size is None else integer(size.get(name))
    return value / EMU_PER_POINT if value and value > 0 else None


MAX_DEPTH = 20
"""Groups nested deeper are omitted."""

TITLES = frozenset({"title", "ctrTitle"})
FEET = frozenset({"dt", "ftr", "sldNum"})
_LAYOUT_KINDS = {"ctrTitle": "title", "subTitle": "body", "dt": "dt", "ftr": "ftr"} | {
    "title": "title",
    "sldNum": "sldNum",
}
_ROW_EMU = 36 * 12700
"""Upper edges further apart than half an inch are not in one row."""
_WIDEST_ROW = 200
"""Maximum shapes in a row, which limits the time for a slide with very many."""
_PAIRED_LAYOUT = "twoTxTwoObj"


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape with its position and the placeholder of its layout, if any."""

    element: Any
    placeholder: str | None
    top: int
    left: int
    height: int
    style: ListStyle
    width: int = 0

    @property
    def is_title(self) -> bool:
        """Whether it is the slide's title."""
        return self.placeholder in TITLES


@dataclass(frozen=True, slots=True)
class Place:
    """Upper left corner, height and width, in English Metric Units."""

    top: int
    left: int
    height: int
    width: int = 0


def elements(tree: Any, depth: int = 0, /) -> Iterator[Any]:
    """Yield the shape elements of a tree or a group; alternatives count once."""
    for child in tree:
        if child.tag == f"{MC}AlternateContent":
            if depth < MAX_DEPTH:
                yield from elements(branch(child), depth + 1)
        else:
            yield child


def placeholder_of(element: Any, /) -> Any:
    """Return the ``p:ph`` of a shape, or ``None``."""
    for name in ("nvSpPr", "nvPicPr", "nvGraphicFramePr"):
        mark = element.find(f"{P}{name}/{P}nvPr/{P}ph")
        if mark is not None:
            return mark
    return None


def in_reading_order(shapes: Iterable[Shape], /, *, paired: bool = False) -> list[Shape]:
    """Sort shapes: titles, rows from the top and left; *paired* keeps a heading with its body."""
    titles, units, last = [], list[list[Shape]](), None
    for shape in shapes:
        if shape.is_title:
            titles.append(shape)
        elif paired and shape.placeholder == "obj" and last is not None:
            last.append(shape)
            last = None
        else:
            units.append([shape])
            last = units[-1] if shape.placeholder == "body" else None
    units.sort(key=lambda unit: unit[0].top)
    ordered: list[Shape] = []
    while units:
        first, near = units[0][0], units[:_WIDEST_ROW]
        row = [unit for unit in near if _in_row(first, unit[0])]
        units[:_WIDEST_ROW] = [unit for unit in near if not _in_row(first, unit[0])]
        for unit in sorted(row, key=lambda unit: unit[0].left):
            ordered += unit
    return titles + ordered


def _in_row(first: Shape, other: Shape) -> bool:
    return other.top - first.top <= min(first.height // 2, other.height // 2, _ROW_EMU)


class Inheritance:
    """Finds properties of shapes that layout and master define."""

    def __init__(self, parts: SlideParts) -> None:
        sheets = (sheet for sheet in (parts.layout, parts.master) if sheet is not None)
        self._layers = [_placeholders(sheet.shapes) for sheet in sheets]
        self._texts = None if parts.master is None else parts.master.root.find(f"{P}txStyles")
        self._defaults = parts.defaults
        layout = None if parts.layout is None else parts.layout.root.get("type")
        self.is_paired = layout == _PAIRED_LAYOUT

    def shape(self, element: Any, /) -> Shape | None:
        """Return a shape with its position and styles; ``None`` for other elements."""
        if element.tag not in _PLACES:
            return None
        mark = placeholder_of(element)
        behind = [] if mark is None else self._behind(mark)
        kind = None if mark is None else _kind(mark, behind)
        places = (place_of(e) for e in (element, *behind))
        place = next((p for p in places if p is not None), Place(0, 0, 0))
        return Shape(
            element,
            kind,
            place.top,
            place.left,
            place.height,
            self._style(element, kind, behind),
            place.width,
        )

    def _behind(self, mark: Any) -> list[Any]:
        """Return the placeholders of layout and master that *mark* fills."""
        placeholders = []
        wanted = mark
        for layer in self._layers:
            match = _match(wanted, layer)
            if match is not None:
                placeholders.append(match)
                wanted = placeholder_of(match)
        return placeholders

    def _style(self, element: Any, kind: str | None, behind: list[Any]) -> ListStyle:
        lists = (e.find(f"{P}txBody/{A}lstStyle") for e in (element, *behind))
        layers = [layer for layer in lists if layer is not None]
        if kind is None:
            name = "otherStyle"
        else:
            name = "titleStyle" if kind in TITLES else "otherStyle" if kind in FEET else "bodyStyle"
        common = None if self._texts is None else self._texts.find(f"{P}{name}")
        layers += [x for x in (common, self._defaults if kind is None else None) if x is not None]
        return ListStyle(layers)


_PLACES = {
    f"{P}sp": f"{P}spPr/{A}xfrm",
    f"{P}pic": f"{P}spPr/{A}xfrm",
    f"{P}cxnSp": f"{P}spPr/{A}xfrm",
    f"{P}grpSp": f"{P}grpSpPr/{A}xfrm",
    f"{P}graphicFrame": f"{P}xfrm",
}


def place_of(element: Any, /) -> Place | None:
    """Return the position that a shape itself specifies."""
    path = _PLACES.get(element.tag)
    frame = None if path is None else element.find(path)
    offset = None if frame is None else frame.find(f"{A}off")
    if frame is None or offset is None:
        return None
    left, top = _pair(offset, "x", "y")
    width, height = _pair(frame.find(f"{A}ext"), "cx", "cy")
    return Place(top, left, max(height, 0), max(width, 0))


def _pair(element: Any, *names: str) -> tuple[int, int]:
    one, other = (0 if element is None else integer(element.get(n), 0) or 0 for n in names)
    return one, other


class Transform(NamedTuple):
    """Transformation from coordinates of a group to those of the slide: factors, then offsets."""

    across: float = 1.0
    down: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def into(self, group: Any, /) -> Transform:
        """Return the transformation from the coordinates in a group of shapes."""
        frame, place = group.find(_PLACES[f"{P}grpSp"]), place_of(group)
        if frame is None or place is None:
            return self
        left, top = _pair(frame.find(f"{A}chOff"), "x", "y")
        wide, high = _pair(frame.find(f"{A}chExt"), "cx", "cy")
        across, down = place.width / wide if wide else 1.0, place.height / high if high else 1.0
        x, y = place.left - left * across, place.top - top * down
        return Transform(
            self.across * across, self.down * down, self.x + x * self.across, self.y + y * self.down
        )

    def is_outside(self, shape: Shape, width: float | None, height: float | None, /) -> bool:
        """Return whether a shape is completely off a slide of that size in points."""
        frame = shape.element.find(_PLACES[shape.element.tag])
        turned = frame is not None and integer(frame.get("rot"), 0)
        wide, high = shape.width * self.across, shape.height * self.down
        around = math.hypot(wide, high) / 2 if turned else 0.0
        left, top = shape.left * self.across + self.x, shape.top * self.down + self.y
        return is_off_page(left, top, wide, high, around, width, height)


def is_off_page(
    left: float,
    top: float,
    wide: float,
    high: float,
    around: float,
    width: float | None,
    height: float | None,
    /,
) -> bool:
    """Return whether a rectangle (EMU) with a margin is off a page of that size in points."""
    return any(
        size is not None and (start + length + around < 0 or start - around > size * EMU_PER_POINT)
        for start, length, size in ((left, wide, width), (top, high, height))
    )


def _placeholders(tree: Any) -> list[tuple[str, str, Any]]:
    placeholders = []
    for element in elements(tree):
        mark = placeholder_of(element)
        if mark is not None:
            placeholders.append((mark.get("type", "obj"), mark.get("idx", "0"), element))
    return placeholders


def _match(mark: Any, layer: list[tuple[str, str, Any]]) -> Any:
    kind, index = mark.get("type", "obj"), mark.get("idx", "0")
    for _, other, element in layer:
        if index != "0" and other == index:
            return element
    wanted = _LAYOUT_KINDS.get(kind, "body")
    exact = [e for k, _, e in layer if k == kind]
    alike = [e for k, _, e in layer if _LAYOUT_KINDS.get(k, "body") == wanted]
    return next(iter(exact + alike), None)


def _kind(mark: Any, behind: list[Any]) -> str:
    kind = mark.get("type")
    if kind is None and behind:
        kind = placeholder_of(behind[0]).get("type")
    return str(kind or "obj")
