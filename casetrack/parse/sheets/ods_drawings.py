"""What lies over the cells of an ODS sheet: text boxes, shapes, charts, pictures."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.text import Block, picture_block
from casetrack.parse.opendocument.names import DRAW, OFFICE, SVG, TEXT, XLINK
from casetrack.parse.opendocument.objects import object_blocks
from casetrack.parse.sheets.model import drawn_over
from casetrack.parse.sheets.ods_grid import Box, box_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.parse.package import Package
    from casetrack.parse.sheets.model import Drawn

    Words = Callable[[Any], str]

_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_ASIDE = f"{OFFICE}annotation"


class OdsDrawings:
    """Reads the drawings of a workbook; embedded charts stand in parts of their own.

    Parameters
    ----------
    package
        The open workbook.
    words
        Gives the text of a paragraph.
    missing
        Takes what cannot be read, as sentences.
    """

    def __init__(self, package: Package, words: Words, missing: list[str]) -> None:
        self._package, self._words, self._missing = package, words, missing

    def of(self, holder: Any, row: int, column: int, /) -> Iterator[Drawn]:
        """Yield what is anchored to a cell."""
        for child in _shapes(holder):
            yield from drawn_over(row, column, column, self._blocks(child))

    def floating(self, holder: Any, /) -> Iterator[tuple[Box, Drawn]]:
        """Yield what is anchored to the sheet, with its place; in the first cell without one."""
        for child in _shapes(holder):
            for drawn in drawn_over(1, 1, 1, self._blocks(child)):
                yield box_of(child) or Box(0.0, 0.0, 0.0), drawn

    def _blocks(self, shape: Any) -> Iterator[Block]:
        for element in shape.iter(*_PARAGRAPHS, f"{DRAW}object", f"{DRAW}frame"):
            if any(above.tag in {_ASIDE, *_PARAGRAPHS} for above in element.iterancestors()):
                continue
            if element.tag == f"{DRAW}object":
                yield from self._object(element.get(f"{XLINK}href", ""))
            elif element.tag != f"{DRAW}frame":
                yield Block((self._words(element),))
            elif element.find(f"{DRAW}image") is not None:
                words = element.findtext(f"{SVG}desc") or element.findtext(f"{SVG}title")
                picture = picture_block(words, element.get(f"{DRAW}name"))
                yield from () if picture is None else (picture,)

    def _object(self, name: str) -> Iterator[Block]:
        """Yield the names in a chart; its values are cells of the workbook."""
        part = posixpath.join(name.removeprefix("./"), "content.xml")
        try:
            root = self._package.xml(part)
        except ParseFailed as error:
            self._missing.append(f"An embedded object cannot be read: {error.message}")
            return
        yield from object_blocks(root, values=False)


def _shapes(holder: Any) -> Iterator[Any]:
    return (e for e in holder if isinstance(e.tag, str) and e.tag.startswith(DRAW))
