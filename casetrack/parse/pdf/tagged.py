"""Structure of a tagged PDF: block and table cell of each line (ISO 32000-2, 14.7 and 14.8).

PDFium gives the number of marked content for each piece of text; MuPDF gives later text without one
the number of the text before it. Cells need the whole table, because empty cells, spans and rows of
earlier pages count for their columns.
"""

from __future__ import annotations

import bisect
import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.base.provenance import Box
from casetrack.parse.layout.segments import Role, Segment, Tag, TaggedCell
from casetrack.parse.pdf.open import check_memory, failures, open_in_pdfium, silenced
from casetrack.parse.pdf.rules import Word, moved, segment_of, union
from casetrack.parse.pdf.values import entry_of, items_of, name_of, number_of, object_number

if TYPE_CHECKING:
    from pathlib import Path

_MIN_TAGGED, _MOST_HEADS = 0.6, 8
_MOST_CELLS, _MOST_SPAN, _DEEPEST = 50_000, 500, 64
_ROLES: dict[str, Role] = {
    "Title": "heading", "H": "heading", "H1": "heading", "H2": "heading", "H3": "heading",
    "H4": "heading", "H5": "heading", "H6": "heading", "LI": "list", "BlockQuote": "quote",
    "Note": "footnote", "FENote": "footnote", "Caption": "caption", "TOCI": "contents",
}  # fmt: skip
_GROUPS = frozenset({"THead", "TBody", "TFoot"})


class PageTags:
    """The tagged lines of one page, by their rectangles on the displayed page."""

    def __init__(self, lines: Sequence[tuple[Box, Tag]] = (), /) -> None:
        self._lines = sorted(lines, key=lambda line: line[0].y0)
        self._tops = [box.y0 for box, _ in self._lines]
        self._high = max((box.y1 - box.y0 for box, _ in lines), default=0.0)

    def divide(self, segment: Segment, words_of: Callable[[], list[Word]], /) -> list[Segment]:
        """Give a segment its tag; divide it at its words if it contains several blocks."""
        lines = self._near(segment.box)
        tags = {tag for _, tag in lines}
        if len(tags) < 2:
            segment.tag = tags.pop() if tags else None
            return [segment]
        words = words_of()
        groups: list[tuple[Tag | None, list[Word]]] = []
        for word in words:
            x, y = (word.box.x0 + word.box.x1) / 2, (word.box.y0 + word.box.y1) / 2
            tag = next((t for b, t in lines if b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1), None)
            if groups and (tag is None or groups[-1][0] in {tag, None}):
                groups[-1] = groups[-1][0] or tag, [*groups[-1][1], word]
            else:
                groups.append((tag, [word]))
        if len(groups) < 2 or "".join(w.text for w in words) != "".join(segment.text.split()):
            segment.tag = groups[0][0] if groups else None
            return [segment]
        parts = []
        for tag, group in groups:
            part = segment_of(segment, group)
            part.tag, part.is_placed = tag, True
            parts.append(part)
        return parts

    def _near(self, box: Box) -> list[tuple[Box, Tag]]:
        """Return the lines that share height with a rectangle and overlap it."""
        first = bisect.bisect(self._tops, box.y0 - self._high)
        last = bisect.bisect_left(self._tops, box.y1, first)
        return [
            (other, tag)
            for other, tag in self._lines[first:last]
            if other.x0 < box.x1 and other.x1 > box.x0
            and 2 * (min(box.y1, other.y1) - max(box.y0, other.y0))
            > min(box.y1 - box.y0, other.y1 - other.y0)
        ]  # fmt: skip


class Structure:
    """The structure tree of one document."""

    def __init__(self, document: Any, path: Path, passwords: Sequence[str], /) -> None:
        mupdf = silenced().mupdf
        trailer = mupdf.pdf_trailer(silenced()._as_pdf_document(document))
        self._root = mupdf.pdf_dict_getp(trailer, "Root/StructTreeRoot")
        self._blocks: dict[int, tuple[Tag, Any]] = {}
        self._cells: dict[int, dict[int, TaggedCell]] = {}
        self._pages: Any = None
        if entry_of(self._root, "ParentTree").m_internal:
            with contextlib.suppress(ParseFailed):
                self._pages = open_in_pdfium(path, passwords)

    def on(self, page: Any, /) -> PageTags:
        """Return the tags of a page; none if they do not cover most of its text."""
        if self._pages is None:
            return PageTags()
        try:
            lines = list(self._lines(page))
        except failures() as error:
            check_memory(error)
            return PageTags()
        widths = [(box.x1 - box.x0 + box.y1 - box.y0, tag) for box, tag in lines]
        total = sum(w for w, _ in widths)
        heads = [(w, tag) for w, tag in widths if tag and tag.role == "heading"]
        # Entries of contents, or text of one style, that are tagged as headings.
        are_text = (
            len({tag for _, tag in heads}) > _MOST_HEADS and 2 * sum(w for w, _ in heads) > total
        )
        if are_text or sum(w for w, tag in widths if tag) < _MIN_TAGGED * total:
            return PageTags()
        return PageTags([(box, tag) for box, tag in lines if tag is not None])

    def _lines(self, page: Any) -> Iterator[tuple[Box, Tag | None]]:
        """Yield the displayed rectangles of the pieces of text of a page, and their tags."""
        mupdf, number = silenced().mupdf, page.number
        entry = mupdf.pdf_lookup_page_obj(silenced()._as_pdf_document(page.parent), number)
        key = entry_of(entry, "StructParents")
        if not key.m_internal:
            return
        parents = mupdf.pdf_lookup_number(entry_of(self._root, "ParentTree"), number_of(key))
        turn = tuple(page.transformation_matrix * page.rotation_matrix)
        tags: dict[int, Tag | None] = {-1: None}
        for mark, box in _texts(self._pages, number):
            if mark not in tags:
                element = mupdf.pdf_array_get(parents, mark)
                tags[mark] = self._block(element)[0] if element.m_internal else None
            yield Box(*moved(box, turn)), tags[mark]

    def _block(self, element: Any, depth: int = 0) -> tuple[Tag, Any]:
        """Return the block that contains an element, and the table around it."""
        number = object_number(element)
        if number not in self._blocks:
            kind, above = self._kind(element), entry_of(element, "P")
            tag, table = Tag(), None
            is_top = not above.m_internal or object_number(above) == object_number(self._root)
            if not is_top and depth < _DEEPEST:
                tag, table = self._block(above, depth + 1)
            if kind == "Table":
                table = element
            elif kind in {"TD", "TH"} and table is not None:
                tag = Tag(cell=self._table(table).get(number))
            elif kind in _ROLES:
                level = int(kind[1:]) if kind[1:].isdigit() else 1
                tag = Tag(_ROLES[kind], level, tag.cell)
            elif kind == "P" and tag.role == "text":
                tag = Tag(cell=tag.cell)
            self._blocks[number] = tag, table
        return self._blocks[number]

    def _kind(self, element: Any) -> str:
        """Return the standard type of an element."""
        mupdf, kind = silenced().mupdf, entry_of(element, "S")
        if not kind.m_internal:
            return ""
        roles = entry_of(self._root, "RoleMap")
        return str(mupdf.fz_structure_to_string(mupdf.pdf_structure_type(roles, kind)))

    def _table(self, table: Any) -> dict[int, TaggedCell]:
        """Return the cells of a table by object number, with columns after all spans."""
        key = object_number(table)
        if key not in self._cells:
            cells = self._cells[key] = {}
            taken: set[tuple[int, int]] = set()
            for row, (element, is_head) in enumerate(self._rows(table)):
                column = 0
                for kind, cell in self._kids(element):
                    if kind not in {"TD", "TH"}:
                        continue
                    while (row, column) in taken:
                        column += 1
                    wide, high, scope = _attributes(cell)
                    if high > 1:
                        across = range(column, column + wide)
                        taken.update((r, c) for r in range(row, row + high) for c in across)
                    is_name = is_head or (kind == "TH" and scope != "Row")
                    place = TaggedCell(key, row, column, high, wide, is_name)
                    cells[object_number(cell)] = place
                    column += wide
                if len(cells) + len(taken) > _MOST_CELLS:
                    break
        return self._cells[key]

    def _rows(self, table: Any) -> Iterator[tuple[Any, bool]]:
        """Yield the rows of a table, and whether each is in its head."""
        for kind, kid in self._kids(table):
            if kind == "TR":
                yield kid, False
            elif kind in _GROUPS:
                for inner, row in self._kids(kid):
                    if inner == "TR":
                        yield row, kind == "THead"

    def _kids(self, element: Any) -> Iterator[tuple[str, Any]]:
        """Yield the parts of an element with their standard types."""
        for kid in items_of(entry_of(element, "K"), _MOST_CELLS):
            yield self._kind(kid), kid


def _texts(pages: Any, number: int) -> Iterator[tuple[int, tuple[float, float, float, float]]]:
    """Yield the mark of each line of text, -1 without one, and its rectangle in PDF points."""
    from pypdfium2 import raw

    page = raw.FPDF_LoadPage(pages.raw, number)
    sides = [ctypes.c_float() for _ in range(4)]
    last: tuple[int, tuple[float, float, float, float]] = -1, (0.0, 0.0, 0.0, 0.0)
    try:
        for at in range(raw.FPDFPage_CountObjects(page)):
            item = raw.FPDFPage_GetObject(page, at)
            if raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_TEXT:
                continue
            raw.FPDFPageObj_GetBounds(item, *sides)
            x0, y0, x1, y1 = (side.value for side in sides)
            if x1 <= x0 or y1 <= y0:
                continue
            mark = raw.FPDFPageObj_GetMarkedContentID(item)
            if last[0] == mark and last[1][1] < (y0 + y1) / 2 < last[1][3]:
                last = mark, union([last[1], (x0, y0, x1, y1)])
            else:
                yield last
                last = mark, (x0, y0, x1, y1)
        yield last
    finally:
        raw.FPDF_ClosePage(page)


def _attributes(cell: Any) -> tuple[int, int, str]:
    """Return the numbers of columns and rows of a cell, and the scope of a header."""
    wide, high, scope = 1, 1, ""
    for entry in items_of(entry_of(cell, "A")):
        wide = max(wide, min(number_of(entry_of(entry, "ColSpan")), _MOST_SPAN))
        high = max(high, min(number_of(entry_of(entry, "RowSpan")), _MOST_SPAN))
        scope = name_of(entry_of(entry, "Scope")) or scope
    return wide, high, scope
