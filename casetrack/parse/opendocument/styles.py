"""Styles of an OpenDocument file: breaks, lists, headings, visibility."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from casetrack.parse.drawn.text import Block
from casetrack.parse.unseen import Look, hex_color

# Namespaces of OpenDocument, lengths and counts, and the items of its content.

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, TEXT, TABLE = f"{{{_NS}office:1.0}}", f"{{{_NS}text:1.0}}", f"{{{_NS}table:1.0}}"
STYLE, DRAW, META = f"{{{_NS}style:1.0}}", f"{{{_NS}drawing:1.0}}", f"{{{_NS}meta:1.0}}"
PRESENTATION, CHART = f"{{{_NS}presentation:1.0}}", f"{{{_NS}chart:1.0}}"
FO, SVG = f"{{{_NS}xsl-fo-compatible:1.0}}", f"{{{_NS}svg-compatible:1.0}}"
DC, XLINK = "{http://purl.org/dc/elements/1.1/}", "{http://www.w3.org/1999/xlink}"
XML = "{http://www.w3.org/XML/1998/namespace}"
MATH = "{http://www.w3.org/1998/Math/MathML}"

MOVED = re.compile(r"translate\s*\(\s*(\S+)[\s,]+(\S+?)\s*\)")
"""The position in the transformation of a shape."""
_LENGTH = re.compile(r"(-?[0-9]{0,9}\.?[0-9]{0,9})(cm|mm|in|pt|pc|px)")
_POINTS = {"cm": 72 / 2.54, "mm": 7.2 / 2.54, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}


def points(text: str | None, /) -> float | None:
    """Return a length such as ``2.5cm`` in points."""
    match = _LENGTH.fullmatch(text or "")
    if match is None:
        return None
    try:
        return float(match[1]) * _POINTS[match[2]]
    except ValueError:
        return None


def count(element: Any, name: str, /, *, most: int, least: int = 1) -> int:
    """Return a number attribute between *least*, which is also the default, and *most*."""
    text = element.get(name, "")
    return min(max(int(text), least), most) if re.fullmatch("[0-9]{1,9}", text) else least


def local(element: Any, /) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


class BreakKind(Enum):
    """Origin of a page break."""

    HARD = "the author"
    SOFT = "the program, where the page was full"


@dataclass(frozen=True, slots=True)
class Break:
    """The start of a page; *master* is the page style that the author chose, if any."""

    kind: BreakKind
    master: str | None = None


@dataclass(frozen=True, slots=True)
class Foot:
    """A footnote or endnote that the text before refers to."""

    blocks: Sequence[Block]


Item = Block | Break | Foot
"""An item of content, in order."""


_LONGEST_CHAIN = 32
MAX_LEVEL = 10
"""Lists and outlines have ten levels."""


@dataclass(frozen=True, slots=True)
class StyleFacts:
    """One ``style:style``; ``None`` means that it does not set the attribute."""

    name: str
    parent: str | None
    master: str | None
    break_before: str | None
    break_after: str | None
    look: Look
    page: dict[str, str]
    """Properties of a drawing page."""


@dataclass(frozen=True, slots=True)
class ListLevel:
    """Labels of one level of a list or an outline."""

    is_number: bool
    form: str = ""
    prefix: str = ""
    suffix: str = ""
    shown: int = 1
    start: int = 1
    has_sign: bool = True


class Styles:
    """Looks up styles by family and name.

    *automatic* is the root of the part with the automatic styles, whose names are unique within a
    part; *common* that of the part with the named styles, list styles and the outline.
    """

    def __init__(self, automatic: Any, common: Any) -> None:
        self._styles: dict[tuple[str, str], StyleFacts] = {}
        self._looks: dict[tuple[str, str | None], Look] = {}
        self._lists: dict[str, dict[int, ListLevel]] = {}
        self.outline: dict[int, ListLevel] = {}
        for root, place in ((common, "styles"), (automatic, "automatic-styles")):
            for holder in () if root is None else root.iterfind(f"{OFFICE}{place}"):
                self._add(holder)

    def _add(self, holder: Any) -> None:
        for element in holder:
            if element.tag == f"{STYLE}style":
                self.add(element)
            elif element.tag == f"{TEXT}list-style":
                self._lists[element.get(f"{STYLE}name", "")] = _levels(element)
            elif element.tag == f"{TEXT}outline-style":
                self.outline = _levels(element)

    def add(self, style: Any, /) -> None:
        """Add a ``style:style``."""
        key = (style.get(f"{STYLE}family", ""), style.get(f"{STYLE}name", ""))
        self._styles[key] = _facts(style)

    def chain(self, family: str, name: str | None, /) -> Iterator[StyleFacts]:
        """Yield a style and its ancestors."""
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get((family, name or ""))
            if style is None:
                return
            yield style
            name = style.parent

    def list_levels(self, name: str | None, /) -> dict[int, ListLevel]:
        """Return the levels of a list style; empty if unknown."""
        return self._lists.get(name or "", {})

    def begins_page(self, family: str, name: str | None, /) -> tuple[bool, str | None]:
        """Return whether a page begins before content of this style, and its master page."""
        chain = list(self.chain(family, name))
        master = next((s.master for s in chain if s.master is not None), "")
        before = next((s.break_before for s in chain if s.break_before is not None), "")
        return before == "page" or bool(master), master or None

    def ends_page(self, family: str, name: str | None, /) -> bool:
        """Return whether a page begins after content of this style."""
        after = (s.break_after for s in self.chain(family, name) if s.break_after is not None)
        return next(after, "") == "page"

    def is_named(self, name: str | None, *names: str) -> bool:
        """Return whether a paragraph style is one of *names* or based on one."""
        chain = self.chain("paragraph", name)
        return name in names or any(s.name in names or s.parent in names for s in chain)

    def look(self, family: str, name: str | None, /) -> Look:
        """Return the look of text of this style, as far as it is specified."""
        look = self._looks.get((family, name))
        if look is None:
            look = Look()
            for style in self.chain(family, name):
                look = look.over(style.look)
            self._looks[family, name] = look
        return look

    def is_bold(self, family: str, name: str | None, /) -> bool:
        """Return whether text of this style is bold."""
        return bool(self.look(family, name).is_bold)

    def page_property(self, name: str | None, key: str, /) -> str | None:
        """Return a property of a drawing page such as ``display-footer``."""
        known = (s.page[key] for s in self.chain("drawing-page", name) if key in s.page)
        return next(known, None)


def _facts(element: Any) -> StyleFacts:
    breaks: dict[str, Any] = {}
    page: dict[str, str] = {}
    look = Look()
    for properties in element:
        tag = properties.tag
        if (ground := properties.get(f"{FO}background-color")) not in {None, "transparent"}:
            look = replace(look, ground=hex_color(ground))
        if tag in {f"{STYLE}paragraph-properties", f"{STYLE}table-properties"}:
            breaks["before"] = properties.get(f"{FO}break-before")
            breaks["after"] = properties.get(f"{FO}break-after")
        elif tag == f"{STYLE}text-properties":
            look = _look(properties).over(look)
        elif tag == f"{STYLE}drawing-page-properties":
            page = {
                name.removeprefix(PRESENTATION): value
                for name, value in properties.attrib.items()
                if name.startswith(PRESENTATION)
            }
    return StyleFacts(
        element.get(f"{STYLE}name", ""),
        element.get(f"{STYLE}parent-style-name"),
        element.get(f"{STYLE}master-page-name"),
        breaks.get("before"),
        breaks.get("after"),
        look,
        page,
    )


def _look(properties: Any) -> Look:
    """Return the look of text from ``style:text-properties``, without its ground."""
    weight, display = properties.get(f"{FO}font-weight"), properties.get(f"{TEXT}display")
    is_automatic = properties.get(f"{STYLE}use-window-font-color") == "true"
    return Look(
        points(properties.get(f"{FO}font-size")),
        None if weight is None else weight in {"bold", "700", "800", "900"},
        None if display is None else display == "none",
        "" if is_automatic else hex_color(properties.get(f"{FO}color")),
    )


def _levels(element: Any) -> dict[int, ListLevel]:
    levels = {}
    for level in element:
        number = count(level, f"{TEXT}level", most=MAX_LEVEL)
        if level.tag in {f"{TEXT}list-level-style-number", f"{TEXT}outline-level-style"}:
            levels[number] = ListLevel(
                is_number=True,
                form=level.get(f"{STYLE}num-format", ""),
                prefix=level.get(f"{STYLE}num-prefix", ""),
                suffix=level.get(f"{STYLE}num-suffix", ""),
                shown=count(level, f"{TEXT}display-levels", most=MAX_LEVEL),
                start=_start(level),
            )
        elif level.tag == f"{TEXT}list-level-style-bullet":
            sign = level.get(f"{TEXT}bullet-char", "")
            levels[number] = ListLevel(is_number=False, has_sign=bool(sign.strip()))
        elif level.tag == f"{TEXT}list-level-style-image":
            levels[number] = ListLevel(is_number=False)
    return levels


def _start(level: Any) -> int:
    return (
        count(level, f"{TEXT}start-value", most=10**8, least=0)
        if (f"{TEXT}start-value" in level.attrib)
        else 1
    )
