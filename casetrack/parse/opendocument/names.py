"""Namespaces of OpenDocument, its lengths and counts, and what its content is read into."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from casetrack.parse.drawn.text import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, TEXT, TABLE = f"{{{_NS}office:1.0}}", f"{{{_NS}text:1.0}}", f"{{{_NS}table:1.0}}"
STYLE, DRAW, META = f"{{{_NS}style:1.0}}", f"{{{_NS}drawing:1.0}}", f"{{{_NS}meta:1.0}}"
PRESENTATION, CHART = f"{{{_NS}presentation:1.0}}", f"{{{_NS}chart:1.0}}"
FO, SVG = f"{{{_NS}xsl-fo-compatible:1.0}}", f"{{{_NS}svg-compatible:1.0}}"
DC, XLINK = "{http://purl.org/dc/elements/1.1/}", "{http://www.w3.org/1999/xlink}"
XML = "{http://www.w3.org/XML/1998/namespace}"
MATH = "{http://www.w3.org/1998/Math/MathML}"

MOVED = re.compile(r"translate\s*\(\s*(\S+)[\s,]+(\S+?)\s*\)")
"""The place in the transformation of a shape."""
_LENGTH = re.compile(r"(-?[0-9]{0,9}\.?[0-9]{0,9})(cm|mm|in|pt|pc|px)")
_POINTS = {"cm": 72 / 2.54, "mm": 7.2 / 2.54, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}


def points(text: str | None, /) -> float | None:
    """Return a length such as ``2.5cm`` in points."""
    found = _LENGTH.fullmatch(text or "")
    if found is None:
        return None
    try:
        return float(found[1]) * _POINTS[found[2]]
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
    """Who put a page break there."""

    HARD = "the author"
    SOFT = "the program, where the page was full"


@dataclass(frozen=True, slots=True)
class Break:
    """A page begins; *master* names its page style where the author chose one."""

    kind: BreakKind
    master: str | None = None


@dataclass(frozen=True, slots=True)
class Foot:
    """A footnote or endnote that the text before refers to."""

    blocks: Sequence[Block]


Item = Block | Break | Foot
"""What content is made of, in order."""
