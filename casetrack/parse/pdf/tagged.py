"""Structure of a tagged PDF: block and table cell of each line (ISO 32000-2, 14.7 and 14.8).

MuPDF gives the lines of a page below their structure elements. Cells need the whole table, because
empty cells, spans and rows of earlier pages count for their columns.
"""

from __future__ import annotations

import bisect
import json
from collections.abc import Iterator, Sequence
from typing import Any

from casetrack.base.provenance import Box
from casetrack.parse.layout.segments import Role, Segment, Tag, TaggedCell
from casetrack.parse.pdf.open import check_memory, failures, silenced
from casetrack.parse.pdf.rules import Word, moved, segment_of
from casetrack.parse.pdf.values import entry_of, items_of, name_of, number_of

_SCALE = 100.0
_MIN_TAGGED = 0.6
_MOST_CELLS, _MOST_SPAN = 50_000, 500
_ROLES: dict[str, Role] = {
    "Title": "heading", "H": "heading", "H1": "heading", "H2": "heading", "H3": "heading",
    "H4": "heading", "H5": "heading", "H6": "heading", "LI": "list", "BlockQuote": "quote",
    "Note": "footnote", "FENote": "footnote", "Caption": "caption", "TOCI": "contents",
}  # fmt: skip
_GROUPS = frozenset({"THead", "TBody", "TFoot"})

_Path = tuple[int, ...]


class PageTags:
    """The tagged lines of one page, by their rectangles on the displayed page."""

    def __init__(self, lines: Sequence[tuple[Box, Tag]] = (), /) -> None:
        self._lines = sorted(lines, key=lambda line: line[0].y0)
        self._high = max((box.y1 - box.y0 for box, _ in lines), default=0.0)

    def divide(self, segment: Segment, words: Sequence[Word], /) -> list[Segment]:
        """Give a segment its tag; divide it at its *words* if it contains several blocks."""
        lines = list(self._near(segment.box))
        tags = {tag for _, tag in lines}
        if len(tags) < 2:
            segment.tag = tags.pop() if tags else None
            return [segment]
        groups: list[tuple[Tag | None, list[Word]]] = []
        for word in words:
            x, y = (word.box.x0 + word.box.x1) / 2, (word.box.y0 + word.box.y1) / 2
            tag = next((t for b, t in lines if b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1), None)
            if groups and (tag is None or groups[-1][0] in {tag, None}):
                groups[-1] = groups[-1][0] or tag, [*groups[-1][1], word]
            else:
                groups.append((tag, [word]))
        if "".join(w.text for w in words) != "".join(segment.text.split()):
            groups = groups[:1]
        if len(groups) < 2:
            segment.tag = groups[0][0] if groups else None
            return [segment]
        parts = []
        for tag, group in groups:
            part = segment_of(segment, group)
            part.tag, part.is_placed = tag, True
            parts.append(part)
        return parts

    def are_several(self, box: Box, /) -> bool:
        """Return whether a rectangle contains lines of several blocks."""
        return len({tag for _, tag in self._near(box)}) > 1

    def _near(self, box: Box) -> Iterator[tuple[Box, Tag]]:
        first = bisect.bisect(self._lines, box.y0 - self._high, key=lambda line: line[0].y0)
        for line in self._lines[first:]:
            other = line[0]
            if other.y0 >= box.y1:
                break
            wide = min(box.x1, other.x1) - max(box.x0, other.x0)
            high = min(box.y1, other.y1) - max(box.y0, other.y0)
            if wide > 0 and 2 * high > min(box.y1 - box.y0, other.y1 - other.y0):
                yield line


class Structure:
    """The structure tree of one document."""

    def __init__(self, document: Any, /) -> None:
        pdf = silenced()._as_pdf_document(document)
        self._root = silenced().mupdf.pdf_dict_getp(
            silenced().mupdf.pdf_trailer(pdf), "Root/StructTreeRoot"
        )
        self._tables: dict[_Path, dict[_Path, TaggedCell]] = {}

    def on(self, page: Any, flags: int, clip: Any, /) -> PageTags:
        """Return the tags of a page; none if they do not cover most of its text."""
        if not self._root.m_internal:
            return PageTags()
        try:
            pymupdf = silenced()
            text = page.get_textpage(flags=flags | pymupdf.TEXT_COLLECT_STRUCTURE, clip=clip)
            buffer = pymupdf.mupdf.fz_new_buffer(4096)
            output = pymupdf.mupdf.FzOutput(buffer)
            pymupdf.mupdf.fz_print_stext_page_as_json(output, text.this, _SCALE)
            output.fz_close_output()
            data = pymupdf.JM_BinFromBuffer(buffer).decode("utf-8", "replace")
            blocks = json.loads(data, strict=False)["blocks"]
            turn = tuple(page.rotation_matrix)
            lines = list(self._lines(blocks, turn, (), None, ()))
        except failures() as error:
            check_memory(error)
            return PageTags()
        tagged = sum(count for _, tag, count in lines if tag is not None)
        if tagged < _MIN_TAGGED * sum(count for _, _, count in lines):
            return PageTags()
        return PageTags([(box, tag) for box, tag, _ in lines if tag is not None])

    def _lines(
        self,
        blocks: list[dict[str, Any]],
        turn: tuple[float, ...],
        path: _Path,
        tag: Tag | None,
        table: _Path,
    ) -> Iterator[tuple[Box, Tag | None, int]]:
        """Yield the lines with text: their rectangles, blocks and numbers of visible characters."""
        for block in blocks:
            if block["type"] == "structure":
                here = (*path, block["index"])
                around = here if block["std"] == "Table" else table
                own = self._tag(block["std"], here, tag, around)
                yield from self._lines(block.get("contents") or [], turn, here, own, around)
            for line in block.get("lines", ()):
                if count := len("".join(line["text"].split())):
                    x0, y0, wide, high = (line["bbox"][key] / _SCALE for key in "xywh")
                    yield Box(*moved((x0, y0, x0 + wide, y0 + high), turn)), tag, count

    def _tag(self, kind: str, path: _Path, tag: Tag | None, table: _Path) -> Tag:
        """Return the block of an element, which can be that of its parent."""
        if kind in {"TD", "TH"} and table:
            return Tag(cell=self._cells(table).get(path[len(table) :]))
        cell = tag.cell if tag is not None else None
        if kind in _ROLES:
            level = int(kind[1:]) if kind[1:].isdigit() else 1
            return Tag(_ROLES[kind], level, cell)
        is_new = tag is None or (kind == "P" and tag.role == "text")
        return Tag(cell=cell) if is_new or tag is None else tag

    def _cells(self, table: _Path) -> dict[_Path, TaggedCell]:
        """Return the cells of a table by their paths below it, with columns after all spans."""
        if table not in self._tables:
            cells = self._tables[table] = {}
            taken: set[tuple[int, int]] = set()
            for row, (path, element, is_head) in enumerate(self._rows(table)):
                column = 0
                for index, (kind, cell) in enumerate(self._kids(element)):
                    if kind not in {"TD", "TH"}:
                        continue
                    while (row, column) in taken:
                        column += 1
                    wide, high, scope = _attributes(cell)
                    if wide * high > 1:
                        around = range(row, row + high), range(column, column + wide)
                        taken.update((r, c) for r in around[0] for c in around[1])
                    is_name = is_head or (kind == "TH" and scope != "Row")
                    cells[(*path, index)] = TaggedCell(table, row, column, high, wide, is_name)
                    column += wide
                if len(cells) + len(taken) > _MOST_CELLS:
                    break
        return self._tables[table]

    def _rows(self, table: _Path) -> Iterator[tuple[_Path, Any, bool]]:
        """Yield the rows of a table, with or without groups: path below it, element, in a head."""
        element = self._root
        for index in table:
            element = _kid(element, index)
        for i, (kind, kid) in enumerate(self._kids(element)):
            if kind == "TR":
                yield (i,), kid, False
            elif kind in _GROUPS:
                for j, (inner, row) in enumerate(self._kids(kid)):
                    if inner == "TR":
                        yield (i, j), row, kind == "THead"

    def _kids(self, element: Any) -> Iterator[tuple[str, Any]]:
        """Yield the parts of an element with their standard types."""
        mupdf = silenced().mupdf
        roles = entry_of(self._root, "RoleMap")
        for kid in items_of(entry_of(element, "K"), _MOST_CELLS):
            kind = entry_of(kid, "S")
            if kind.m_internal:
                kind = mupdf.fz_structure_to_string(mupdf.pdf_structure_type(roles, kind))
            yield kind or "", kid


def _kid(element: Any, index: int) -> Any:
    kids = entry_of(element, "K")
    return (
        silenced().mupdf.pdf_array_get(kids, index) if silenced().mupdf.pdf_is_array(kids) else kids
    )


def _attributes(cell: Any) -> tuple[int, int, str]:
    """Return the numbers of columns and rows of a cell, and what it is the header of."""
    wide, high, scope = 1, 1, ""
    for entry in items_of(entry_of(cell, "A")):
        wide = max(wide, min(number_of(entry_of(entry, "ColSpan")), _MOST_SPAN))
        high = max(high, min(number_of(entry_of(entry, "RowSpan")), _MOST_SPAN))
        scope = name_of(entry_of(entry, "Scope")) or scope
    return wide, high, scope
