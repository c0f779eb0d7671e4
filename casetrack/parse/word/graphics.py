"""Drawings in Word documents: pictures by their description, charts and diagrams by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.parse.drawn.frame import frame_blocks
from casetrack.parse.drawn.names import A
from casetrack.parse.drawn.text import picture_block

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.parse.drawn.text import Block
    from casetrack.parse.word.text import Graphic

_PLACED = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic"


def graphic_blocks(graphic: Graphic, graphics: Mapping[str, Any], /) -> Iterator[Block]:
    """Yield what a drawing shows; text boxes in it are paragraphs of the document and not of here.

    Parameters
    ----------
    graphics
        Charts and diagrams by the name of their part.
    """
    element = graphic.element
    if next(element.iter(_PICTURE), None) is not None:
        for facts in element.iter(f"{_PLACED}docPr"):
            block = picture_block(facts.get("descr"), facts.get("name"))
            if block is not None:
                yield block
    for frame in element.iter(f"{A}graphic"):
        yield from frame_blocks(frame.getparent(), lambda key, _: graphics.get(key or ""))
