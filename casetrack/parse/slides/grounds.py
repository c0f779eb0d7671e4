"""The colours behind the texts of a slide, as far as its file specifies them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from casetrack.parse.drawn.text import A, integer
from casetrack.parse.slides.shapes import P, elements, place_of, placeholder_of
from casetrack.parse.unseen import WHITE, Look, hex_color

if TYPE_CHECKING:
    from casetrack.parse.slides.shapes import Place, Shape, SlideParts

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
