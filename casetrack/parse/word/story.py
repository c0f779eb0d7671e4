"""Walks a story of a Word document (body, header, note) and yields paragraphs in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.extract.tables.header import table_lines
from casetrack.extract.tables.model import Cell, Row
from casetrack.parse.drawn.frame import frame_blocks
from casetrack.parse.drawn.text import A, Block, picture_block
from casetrack.parse.page_builder import hidden_mark
from casetrack.parse.word.parts import Parts, W, attribute, is_on
from casetrack.parse.word.text import (
    PLACED,
    VML,
    Aside,
    Comment,
    FieldState,
    Graphic,
    Item,
    Mark,
    Note,
    PageNumber,
    TextBox,
    paragraph_items,
    removed_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from casetrack.parse.base import ParagraphKind

    CellText = Callable[[Any], "CellPart"]

# Tables of Word documents as rows of text, merged cells once.

_THROUGH = frozenset(
    f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")
)


@dataclass(slots=True)
class CellPart:
    """Content of a cell: text, page breaks before and within it, text boxes, inner tables."""

    text: str = ""
    starts_page: Mark | None = None
    ends_page: Mark | None = None
    boxes: list[Any] = field(default_factory=list)
    nested: list[Any] = field(default_factory=list)

    def add(self, other: CellPart, /) -> None:
        """Append the following content of the same cell or row."""
        if self.text:
            self.ends_page = self.ends_page or other.starts_page or other.ends_page
        else:
            self.starts_page = self.starts_page or other.starts_page
            self.ends_page = self.ends_page or other.ends_page
        self.text = f"{self.text} {' '.join(other.text.split())}".strip()
        self.nested += other.nested


@dataclass(slots=True)
class TableRow:
    """One row: its line of text, page breaks before and after it, and tables inside its cells."""

    text: str
    starts_page: Mark | None = None
    ends_page: Mark | None = None
    nested: list[Any] = field(default_factory=list)


def _children(element: Any, name: str) -> Iterator[Any]:
    """Yield children called *name*, also those inside content controls and insertions."""
    for child in element:
        if child.tag == f"{W}{name}":
            yield child
        elif child.tag in _THROUGH:
            yield from _children(child, name)


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 0


class TableRows:
    """Converts a ``w:tbl`` into rows; *cell_text* returns the content of a paragraph."""

    def __init__(self, element: Any, cell_text: CellText) -> None:
        rows = list(_children(element, "tr"))
        self.unseen = {row: kind for row in rows if (kind := _row_kind(row))}
        self._rows = [row for row in rows if row not in self.unseen]
        self._cell_text = cell_text

    @property
    def is_single_column(self) -> bool:
        """Whether every row has one cell: a frame around text, not a table."""
        return all(sum(1 for _ in _children(row, "tc")) <= 1 for row in self._rows)

    def cells(self) -> Iterator[Any]:
        """Yield the cells of a table of one column."""
        for row in self._rows:
            yield from _children(row, "tc")

    def rows(self) -> Iterator[TableRow]:
        """Yield the rows; rows under a header repeat its names."""
        parsed = [self._parse(row) for row in self._rows]
        for text, (_, part) in zip(table_lines([row for row, _ in parsed]), parsed, strict=True):
            yield TableRow(text, part.starts_page, part.ends_page, part.nested)

    def _parse(self, row: Any) -> tuple[Row, CellPart]:
        cells: list[Cell] = []
        whole = CellPart()
        column = 1 + _number(attribute(row, "trPr/gridBefore"))
        for element in _children(row, "tc"):
            span = max(1, _number(attribute(element, "tcPr/gridSpan")))
            if (gone := element.find(f"{W}tcPr/{W}cellDel")) is not None:
                by = gone.get(f"{W}author", "")
                whole.nested.append(Aside("deleted", removed_text(element), by))
                column += span
                continue
            part = self._cell(element)
            whole.add(part)
            merged = element.find(f"{W}tcPr/{W}vMerge")
            is_below = merged is not None and merged.get(f"{W}val") != "restart"
            if part.text and not is_below:
                cells.append(Cell(part.text, column, span, _is_bold(element)))
            column += span
        is_marked = is_on(row.find(f"{W}trPr"), "tblHeader")
        return Row(tuple(cells), is_marked), whole

    def _cell(self, element: Any) -> CellPart:
        """Return a cell's text on one line; nested tables are returned for separate rows."""
        cell = CellPart()
        for child in element:
            if child.tag == f"{W}p":
                part = self._cell_text(child)
                cell.add(part)
                for box in part.boxes:
                    cell.add(self._cell(box))
            elif child.tag == f"{W}tbl":
                cell.nested.append(child)
            elif child.tag in _THROUGH:
                cell.add(self._cell(child))
        return cell


def _row_kind(row: Any) -> str:
    """Return the hidden kind of a row, empty for a visible one."""
    properties = row.find(f"{W}trPr")
    if properties is None or not is_on(properties, "hidden"):
        return "" if properties is None or properties.find(f"{W}del") is None else "deleted"
    return "hidden"


def _is_bold(cell: Any) -> bool:
    has_text = False
    for run in cell.iter(f"{W}r"):
        if run.find(f"{W}t") is not None:
            if not is_on(run.find(f"{W}rPr"), "b"):
                return False
            has_text = True
    return has_text


# Drawings in Word documents: pictures by their description, charts and diagrams by their text.

_PICTURES = ("{http://schemas.openxmlformats.org/drawingml/2006/picture}pic", f"{VML}imagedata")
_VML_SHAPES = tuple(
    f"{VML}{name}" for name in ("shape", "rect", "roundrect", "oval", "line", "group")
)


def graphic_blocks(graphic: Graphic, graphics: Mapping[str, Any], /) -> Iterator[Block]:
    """Yield the content of a drawing, without text boxes, which are paragraphs of the document."""
    element = graphic.element
    what = "Alternative text" if next(element.iter(*_PICTURES), None) is None else "Picture"
    for facts in element.iter(f"{PLACED}docPr", *_VML_SHAPES):
        texts = (facts.get(key) for key in ("descr", "name", "title", "alt"))
        block = picture_block(*texts, what=what)
        if block is not None:
            yield block
    for frame in element.iter(f"{A}graphic"):
        yield from frame_blocks(frame.getparent(), lambda key, _: graphics.get(key or ""))


_MAX_DEPTH = 40


@dataclass(slots=True)
class _Pending:
    kind: ParagraphKind
    level: int | None
    lines: list[str]
    boxes: list[TextBox | Graphic | Aside] = field(default_factory=list)

    @property
    def is_blank(self) -> bool:
        return not any(line.strip() for line in self.lines)


class Story:
    """Walks one story; subclasses process its content."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._fields = FieldState(parts.unstable_fields, parts.left_out_fields)
        self._joined: _Pending | None = None

    # --- methods of a kind of story ----------------------------------------------------------

    def _add(self, block: Block) -> None:
        """Add a paragraph."""
        raise NotImplementedError

    def _break(self, mark: Mark) -> None:
        """Process a page break; most stories are on one page."""

    def _note(self, note: Note) -> str:
        """Return a note's sign."""
        return ""

    def _comment(self, identity: str) -> None:
        """Process a comment's position."""

    def _number(self, shown: PageNumber) -> str:
        """Return the text of a page number field."""
        return shown.shown

    def _target(self, relation: str) -> str:
        """Return the target of a link by the id of its relation."""
        return ""

    def _end_section(self, section: Any) -> None:
        """Process a section's end."""

    def _heading_level(self, paragraph: Any, text: str) -> int | None:
        """Return the level of a paragraph that only looks like a heading."""
        return None

    # --- blocks ----------------------------------------------------------------------------

    def _walk(self, container: Any, depth: int) -> None:
        if depth > _MAX_DEPTH:
            text = "Content nested more than 40 levels deep was left out."
            if text not in self._parts.missing:
                self._parts.missing.append(text)
            return
        for child in container:
            tag = child.tag
            if tag == f"{W}p":
                self._paragraph(child, depth)
            elif tag == f"{W}tbl":
                self._close_joined()
                self._table(child, depth)
            elif tag in _THROUGH:
                self._walk(child, depth + 1)
            elif isinstance(tag, str) and tag.endswith("}AlternateContent") and len(child):
                self._walk(child[0], depth + 1)

    def _paragraph(self, element: Any, depth: int) -> None:
        properties = element.find(f"{W}pPr")
        if is_on(properties, "pageBreakBefore"):
            self._close_joined()
            self._break(Mark.PAGE)
        pending = self._joined or self._new_paragraph(properties)
        self._joined = None
        pending = self._fill(pending, paragraph_items(element, self._fields, self._parts.styles))
        if properties is not None and properties.find(f"{W}rPr/{W}del") is not None:
            # The paragraph mark is deleted: the next paragraph continues this one.
            self._joined = pending
            return
        if pending.kind == "body" and not depth and len(pending.lines) == 1:
            pending.level = self._heading_level(element, pending.lines[0].strip())
            pending.kind = "heading" if pending.level else "body"
        self._close(pending, depth)
        section = None if properties is None else properties.find(f"{W}sectPr")
        if section is not None:
            self._end_section(section)

    def _new_paragraph(self, properties: Any) -> _Pending:
        styles = self._parts.styles
        level = styles.heading_level(properties)
        place = styles.list_place(properties)
        label = self._parts.numbering.label(place) if place else ""
        kind: ParagraphKind = "body"
        if level is not None:
            kind = "heading"
        elif place and label:
            kind = "list"
        elif styles.is_quote(properties):
            kind = "quote"
        return _Pending(kind, level, [f"{label} " if label else ""])

    def _fill(self, pending: _Pending, items: Iterable[Item]) -> _Pending:
        """Add items to a paragraph; a page break within it closes it and opens another."""
        label = pending.lines[0] if len(pending.lines) == 1 else ""
        for item in items:
            if item is Mark.LINE:
                pending.lines.append("")
            elif isinstance(item, Mark):
                if pending.is_blank or pending.lines == [label]:
                    self._break(item)
                    continue
                self._close(pending, 0)
                self._break(item)
                kind: ParagraphKind = "body" if pending.kind == "heading" else pending.kind
                pending = _Pending(kind, None, [""])
                label = ""
            elif isinstance(item, (TextBox, Graphic, Aside)):
                pending.boxes.append(item)
            else:
                pending.lines[-1] += self._shown(item)
        return pending

    def _shown(self, item: str | Note | Comment | PageNumber) -> str:
        if isinstance(item, str):
            return item
        if isinstance(item, Note):
            return self._note(item)
        if isinstance(item, PageNumber):
            return self._number(item)
        self._comment(item.identity)
        return ""

    def _close(self, pending: _Pending, depth: int) -> None:
        if not pending.is_blank:
            self._add(Block(tuple(pending.lines), pending.kind, pending.level))
        for box in _joined(pending.boxes):
            if isinstance(box, TextBox):
                self._walk(box.content, depth + 1)
            elif isinstance(box, Aside):
                self._aside(box, pending.lines)
            else:
                self._graphic(box)

    def _add_link(self, target: str, shown: Sequence[str]) -> None:
        if target and not any(target.removeprefix("mailto:") in line for line in shown):
            self._add(Block((f"Link: {target}",), "quote"))

    def _aside(self, aside: Aside, shown: Sequence[str]) -> None:
        """Add hidden text, or a link's target unless the paragraph shows it."""
        text = " ".join(aside.text.split())
        if aside.kind == "relation":
            text = self._target(aside.text)
        if aside.kind in {"link", "relation"}:
            self._add_link(text, shown)
        elif text:
            self._add(Block((hidden_mark(aside.kind, text, aside.by),), "quote"))

    def _graphic(self, graphic: Graphic) -> None:
        """Add the content of a drawing: description of a picture, text of charts and diagrams."""
        for block in graphic_blocks(graphic, self._parts.graphics):
            self._add(block)

    def _close_joined(self) -> None:
        pending, self._joined = self._joined, None
        if pending is not None:
            self._close(pending, 0)

    def _table(self, element: Any, depth: int) -> None:
        table = TableRows(element, self._cell_text)
        is_frame = table.is_single_column
        for cell in table.cells() if is_frame else ():
            self._walk(cell, depth + 1)
        for row in () if is_frame else table.rows():
            if row.starts_page:
                self._break(row.starts_page)
            if row.text:
                self._add(Block((row.text,), "table"))
            for nested in row.nested:
                if isinstance(nested, Graphic):
                    self._graphic(nested)
                elif isinstance(nested, Aside):
                    self._aside(nested, (row.text,))
                elif depth < _MAX_DEPTH:
                    self._table(nested, depth + 1)
            if row.ends_page:
                self._break(row.ends_page)
        for row, kind in table.unseen.items():
            change = row.find(f"{W}trPr/{W}del")
            author = "" if change is None else change.get(f"{W}author", "")
            self._aside(Aside(kind, removed_text(row), author), ())

    def _cell_text(self, paragraph: Any) -> CellPart:
        """Return the visible content of a paragraph in a cell, on one line."""
        part = CellPart(self._new_paragraph(paragraph.find(f"{W}pPr")).lines[0])
        for item in paragraph_items(paragraph, self._fields, self._parts.styles):
            if isinstance(item, TextBox):
                part.boxes.append(item.content)
            elif isinstance(item, (Graphic, Aside)):
                part.nested.append(item)
            elif item is Mark.LINE:
                part.text += " "
            elif not isinstance(item, Mark):
                part.text += self._shown(item)
            elif part.text.strip():
                part.ends_page = item
            else:
                part.starts_page = item
        return part


def _joined(boxes: Iterable[TextBox | Graphic | Aside]) -> Iterator[TextBox | Graphic | Aside]:
    for (kind, by), group in groupby(
        boxes, lambda b: (b.kind, b.by) if isinstance(b, Aside) else (None, None)
    ):
        if kind in {None, "link", "relation"}:
            yield from dict.fromkeys(group)
        else:
            texts = [b.text for b in group if isinstance(b, Aside)]
            yield Aside(kind or "", "".join(texts), by or "")


class SideStory(Story):
    """The paragraphs of a header, footer, note or comment; *page_number* replaces its fields."""

    def __init__(self, parts: Parts, page_number: str | None = None) -> None:
        super().__init__(parts)
        self._page_number = page_number
        self._blocks: list[Block] = []

    def blocks(self, root: Any, /) -> list[Block]:
        """Return the paragraphs of the story in *root*."""
        self._walk(root, 0)
        self._close_joined()
        return self._blocks

    def lines(self, root: Any, /) -> list[str]:
        """Return the nonempty lines of the story."""
        stripped = (line.strip() for block in self.blocks(root) for line in block.lines)
        return [line for line in stripped if line]

    def _add(self, block: Block) -> None:
        self._blocks.append(block)

    def _number(self, shown: PageNumber) -> str:
        return shown.shown if self._page_number is None else self._page_number


def section_starts_page(section: Any, /) -> bool:
    """Return whether a section begins on a new page, by its own type."""
    return attribute(section, "type") in {None, "nextPage", "oddPage", "evenPage"}
