"""Walks the content of a document and yields its paragraphs, page breaks and notes in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from casetrack.parse.drawn.text import Block, concealed, picture_block
from casetrack.parse.labels import BULLET, number_text
from casetrack.parse.opendocument.inline import (
    MAX_DEPTH,
    Aside,
    CellContent,
    Hidden,
    Inline,
    Mark,
    frame_cells,
    is_frame,
    object_blocks,
    table_items,
)
from casetrack.parse.opendocument.styles import (
    DC,
    DRAW,
    MATH,
    MAX_LEVEL,
    OFFICE,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    XLINK,
    XML,
    Break,
    BreakKind,
    Foot,
    Item,
    ListLevel,
    count,
)
from casetrack.parse.page_builder import hidden_mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from casetrack.parse.base import ParagraphKind
    from casetrack.parse.opendocument.styles import Styles

# Numbers and bullets of lists and headings, as the program displays them.

_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "": "none",
}
_UNKNOWN = ListLevel(is_number=False)
Counts = dict[int, int]
"""Number reached at each level."""


@dataclass(slots=True)
class ListPlace:
    """An open ``text:list``: its style, its level from 1, and the numbers counted so far."""

    style: str | None
    level: int
    counts: Counts
    is_item: bool = False
    has_label: bool = False
    start: int | None = None


@dataclass(slots=True)
class Lists:
    """Counts the list items and headings of one document."""

    styles: Styles
    _by_style: dict[str | None, Counts] = field(default_factory=dict)
    _by_id: dict[str, Counts] = field(default_factory=dict)
    _outline: Counts = field(default_factory=dict)

    def enter(self, element: Any, outer: ListPlace | None, /) -> ListPlace:
        """Open a list inside another one or none."""
        style = element.get(f"{TEXT}style-name") or (None if outer is None else outer.style)
        goes_on = element.get(f"{TEXT}continue-numbering") == "true"
        if outer is not None:
            level = min(outer.level + 1, MAX_LEVEL)
            if not goes_on:
                outer.counts.pop(level, None)
            return ListPlace(style, level, outer.counts)
        other = element.get(f"{TEXT}continue-list")
        if other is not None:
            counts = self._by_id.get(other, {})
        else:
            counts = self._by_style.get(style, {}) if goes_on else {}
        self._by_style[style] = counts
        identity = element.get(f"{XML}id")
        if identity:
            self._by_id[identity] = counts
        return ListPlace(style, 1, counts)

    def item(self, place: ListPlace, element: Any, /) -> None:
        """Open an item; its number is counted when its first paragraph comes."""
        place.is_item = place.has_label = element.tag == f"{TEXT}list-item"
        has_start = f"{TEXT}start-value" in element.attrib
        start = count(element, f"{TEXT}start-value", most=10**8, least=0)
        place.start = start if has_start else None

    def label(self, place: ListPlace, /) -> str:
        """Return the label of a paragraph; only the first paragraph of an item has one."""
        if not place.has_label:
            return ""
        place.has_label = False
        levels = self.styles.list_levels(place.style)
        return self._count(levels, place.counts, place.level, place.start)

    def heading(self, level: int, /, *, start: int | None = None) -> str:
        """Count a heading and return its number, if headings are numbered."""
        if level not in self.styles.outline:
            return ""
        return self._count(self.styles.outline, self._outline, min(level, MAX_LEVEL), start)

    def _count(
        self, levels: dict[int, ListLevel], counts: Counts, level: int, start: int | None
    ) -> str:
        how = levels.get(level, _UNKNOWN)
        for deeper in [d for d in counts if d > level]:
            del counts[deeper]
        if not how.is_number:
            return BULLET if how.has_sign else ""
        counts[level] = counts.get(level, how.start - 1) + 1 if start is None else start
        if not how.form:
            return f"{how.prefix}{how.suffix}".strip()
        numbers = []
        for at in range(max(1, level - how.shown + 1), level + 1):
            inner = levels.get(at, _UNKNOWN)
            if inner.is_number and inner.form:
                form = _FORMS.get(inner.form, "decimal")
                numbers.append(number_text(counts.get(at, inner.start), form))
        return f"{how.prefix}{'.'.join(numbers)}{how.suffix}".strip()


_THROUGH = frozenset(
    (
        *(f"{TEXT}{n}" for n in ("numbered-paragraph", "index-body", "index-title", "a")),
        *(f"{TEXT}{n}" for n in ("table-of-content", "illustration-index", "table-index")),
        *(f"{TEXT}{n}" for n in ("object-index", "user-index", "alphabetical-index")),
        f"{TEXT}bibliography",
        *(f"{STYLE}region-{n}" for n in ("left", "center", "right")),
    )
)
_SHAPELESS = frozenset(
    (
        *(f"{DRAW}{n}" for n in ("control", "glue-point", "enhanced-geometry", "image-map")),
        *(f"{DRAW}{n}" for n in ("page-thumbnail", "layer-set", "contour-polygon")),
    )
)
_IS_HIDDEN = f"{TEXT}is-hidden"
_UNSEEN = frozenset({"hidden", "background"})
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
EMPTY = Block(())
"""A paragraph without text, or a following table: it counts as content of its page."""
_TITLES = {"Title": 1, "Subtitle": 2}


class Notices(Protocol):
    """Collects messages about the reading."""

    def warn(self, text: str, /) -> None:
        """Add a warning, once."""

    def add_missing(self, text: str, /) -> None:
        """Add unreadable content, once."""

    def embedded(self, name: str, /) -> Any:
        """Return the root of an embedded object, ``None`` if it cannot be read."""


class Flow:
    """Reads a sequence of blocks.

    *fields* has values by tag, which replace the stored text of fields; *paper* is the page's
    colour.
    """

    def __init__(
        self,
        styles: Styles,
        notices: Notices,
        fields: Mapping[str, str] | None = None,
        paper: str | None = None,
    ) -> None:
        self._styles, self._notices, self._fields = styles, notices, fields or {}
        self._paper = paper
        self._lists = Lists(styles)
        self._deletions: dict[str, tuple[str, str]] = {}

    def walk(
        self, container: Any, depth: int = 0, /, place: ListPlace | None = None
    ) -> Iterator[Item]:
        """Yield the blocks of an element with paragraphs, lists, tables or shapes."""
        if depth > MAX_DEPTH:
            self._cut()
            return
        for child in container:
            if isinstance(child.tag, str):
                yield from self._block(child, depth, place)

    def _cut(self) -> None:
        self._notices.add_missing(f"Content nested more than {MAX_DEPTH} levels deep was left out.")

    def _block(self, child: Any, depth: int, place: ListPlace | None) -> Iterator[Item]:
        tag = child.tag
        if tag in {f"{TEXT}p", f"{TEXT}h"}:
            yield from self._paragraph(child, depth, place)
        elif tag == f"{TEXT}list":
            yield from self._list(child, depth, place)
        elif tag == f"{TABLE}table":
            yield from self._table(child, depth)
        elif tag == f"{TEXT}soft-page-break":
            yield Break(BreakKind.SOFT)
        elif tag == f"{TEXT}section":
            items = self.walk(child, depth + 1)
            is_off = child.get(f"{TEXT}display") == "none" or child.get(_IS_HIDDEN) == "true"
            yield from map(_hide, items) if is_off else items
        elif tag == f"{TEXT}tracked-changes":
            self._read_deletions(child)
        elif tag == f"{TEXT}change":
            yield from self._asides([Hidden("deleted", child.get(f"{TEXT}change-id", ""))], ())
        elif tag == f"{OFFICE}annotation":
            yield from self._comment(child)
        elif tag in _THROUGH:
            yield from self.walk(child, depth + 1, place)
        elif tag.startswith(DRAW) and tag not in _SHAPELESS:
            yield from self.shape(child, depth)

    # --- shapes ----------------------------------------------------------------------------

    def shape(self, element: Any, depth: int = 0, /) -> Iterator[Item]:
        """Yield the content of a shape: text, tables, objects, a picture's description."""
        if element.tag in {f"{DRAW}object", f"{DRAW}object-ole"}:
            yield from self._object(element)
        elif element.tag == f"{DRAW}frame":
            yield from self._description(element)
            yield from self._unpaged(element, depth)
        else:
            yield from self._unpaged(element, depth)

    def _unpaged(self, element: Any, depth: int) -> Iterator[Item]:
        """Walk content that belongs to one page; its breaks do not begin a page."""
        items = self.walk(element, depth + 1)
        return (item for item in items if not isinstance(item, Break))

    def _object(self, element: Any) -> Iterator[Block]:
        inner = next((e for e in element if e.tag in {f"{MATH}math", f"{OFFICE}document"}), None)
        name = element.get(f"{XLINK}href", "")
        if inner is None and element.tag == f"{DRAW}object" and name:
            inner = self._notices.embedded(name)
        if inner is not None:
            yield from object_blocks(inner)

    @staticmethod
    def _description(frame: Any) -> Iterator[Block]:
        what = "Alternative text" if frame.find(f"{DRAW}image") is None else "Picture"
        desc, title = map(frame.findtext, (f"{SVG}desc", f"{SVG}title"))
        block = picture_block(desc, frame.get(f"{DRAW}name"), title, what=what)
        yield from () if block is None else (block,)

    # --- lists and tables ------------------------------------------------------------------

    def _list(self, element: Any, depth: int, outer: ListPlace | None) -> Iterator[Item]:
        place = self._lists.enter(element, outer)
        for child in element:
            if child.tag in {f"{TEXT}list-item", f"{TEXT}list-header"}:
                self._lists.item(place, child)
                yield from self.walk(child, depth + 1, place)
            elif child.tag == f"{TEXT}soft-page-break":
                yield Break(BreakKind.SOFT)

    def _table(self, element: Any, depth: int) -> Iterator[Item]:
        begins, master = self._styles.begins_page("table", element.get(f"{TABLE}style-name"))
        if begins:
            yield Break(BreakKind.HARD, master)
        yield EMPTY
        if is_frame(element):
            for cell, is_off in frame_cells(element):
                items = self.walk(cell, depth + 1)
                yield from map(_hide, items) if is_off else items
        else:
            yield from table_items(element, lambda cell: self._cell(cell, depth + 1))
        if self._styles.ends_page("table", element.get(f"{TABLE}style-name")):
            yield Break(BreakKind.HARD)

    def _cell(self, cell: Any, depth: int) -> CellContent:
        texts: list[str] = []
        rest: list[Item] = []
        for item in self.walk(cell, depth + 1):
            if isinstance(item, Block) and item.kind not in {"table", "quote"}:
                texts.append(item.text)
            else:
                rest.append(item)
        paragraphs = list(cell.iterfind(f"{TEXT}p"))
        bold = bool(paragraphs) and all(self._is_bold(p) for p in paragraphs)
        return CellContent(" ".join(t for t in texts if t), bold, rest)

    def _is_bold(self, paragraph: Any) -> bool:
        name = paragraph.get(f"{TEXT}style-name")
        if self._styles.is_named(name, "Table_20_Heading", "Table Heading"):
            return True
        spans = list(paragraph.iterfind(f"{TEXT}span"))
        if spans and not (paragraph.text or "").strip():
            return all(self._styles.is_bold("text", s.get(f"{TEXT}style-name")) for s in spans)
        return self._styles.is_bold("paragraph", name)

    # --- paragraphs ------------------------------------------------------------------------

    def _paragraph(self, element: Any, depth: int, place: ListPlace | None) -> Iterator[Item]:
        name = element.get(f"{TEXT}style-name")
        begins, master = self._styles.begins_page("paragraph", name)
        if begins:
            yield Break(BreakKind.HARD, master)
        yield from self._parts(element, depth, place)
        if self._styles.ends_page("paragraph", name):
            yield Break(BreakKind.HARD)

    def _parts(self, element: Any, depth: int, place: ListPlace | None) -> Iterator[Item]:  # noqa: PLR0912
        """Yield a paragraph, split at page breaks within it, then its anchored content."""
        kind, level = self._kind(element, place)
        lines = [""]
        feet: list[Foot] = []
        anchored: list[Any] = []
        hidden: list[Hidden] = []
        inline = Inline(self._styles, self._fields, self._paper)
        is_first = True
        for piece in inline.pieces(element):
            if isinstance(piece, str):
                lines[-1] += piece
            elif piece is Mark.LINE:
                lines.append("")
            elif isinstance(piece, Aside):
                if piece.element.tag == f"{TEXT}note":
                    sign, foot = self._note(piece.element, depth)
                    lines[-1] += sign
                    feet.append(foot)
                else:
                    anchored.append(piece.element)
            elif isinstance(piece, Hidden):
                if hidden and hidden[-1].kind == piece.kind in _UNSEEN:
                    piece = Hidden(piece.kind, hidden.pop().text + piece.text)  # noqa: PLW2901
                hidden.append(piece)
            else:
                if any(line.strip() for line in lines):
                    label = self._label(element, kind, place) if is_first else ""
                    yield _block(lines, kind, level, label)
                    is_first = False
                    kind, level = ("body" if kind == "heading" else kind), None
                yield from feet
                yield Break(BreakKind.SOFT)
                lines, feet = [""], []
        if any(line.strip() for line in lines):
            yield _block(lines, kind, level, self._label(element, kind, place) if is_first else "")
        else:
            yield EMPTY
        if inline.is_cut:
            self._cut()
        yield from feet
        yield from self._asides(hidden, lines)
        for thing in anchored:
            yield from self._block(thing, depth + 1, None)

    def _asides(self, hidden: Iterable[Hidden], lines: Iterable[str]) -> Iterator[Block]:
        """Yield hidden text, deleted text by the id of its change, and targets of links."""
        for piece in dict.fromkeys(hidden):
            text, by = piece.text, ""
            if piece.kind == "deleted":
                text, by = self._deletions.pop(piece.text, ("", ""))
            words = " ".join(text.split())
            if piece.kind == "link":
                shown = words.removeprefix("mailto:")
                if ":" in words and not any(shown in line for line in lines):
                    yield Block((f"Link: {words}",), "quote")
            elif words:
                yield Block((hidden_mark(piece.kind, words, by),), "quote")

    def _read_deletions(self, changes: Any) -> None:
        for region in changes.iterfind(f"{TEXT}changed-region"):
            deletion = region.find(f"{TEXT}deletion")
            if deletion is not None:
                paragraphs = deletion.iter(f"{TEXT}p", f"{TEXT}h")
                text = " ".join("".join(p.itertext()) for p in paragraphs)
                by = deletion.findtext(f"{OFFICE}change-info/{DC}creator") or ""
                key = region.get(_XML_ID) or region.get(f"{TEXT}id", "")
                self._deletions[key] = text, by

    def _kind(self, element: Any, place: ListPlace | None) -> tuple[ParagraphKind, int | None]:
        name = element.get(f"{TEXT}style-name")
        if element.tag == f"{TEXT}h":
            return "heading", count(element, f"{TEXT}outline-level", most=10)
        for title, level in _TITLES.items():
            if self._styles.is_named(name, title):
                return "heading", level
        if place is not None and place.is_item:
            return "list", None
        if self._styles.is_named(name, "Quotations"):
            return "quote", None
        if self._styles.is_named(name, "Preformatted_20_Text"):
            return "code", None
        return "body", None

    def _label(self, element: Any, kind: ParagraphKind, place: ListPlace | None) -> str:
        """Count the paragraph and return its number or bullet; empty paragraphs are not counted."""
        if place is not None:
            return self._lists.label(place)
        if element.tag != f"{TEXT}h" or element.get(f"{TEXT}is-list-header") == "true":
            return ""
        level = count(element, f"{TEXT}outline-level", most=10)
        restarts = element.get(f"{TEXT}restart-numbering") == "true"
        start = count(element, f"{TEXT}start-value", most=10**8) if restarts else None
        return self._lists.heading(level, start=start)

    # --- notes and comments ----------------------------------------------------------------

    def _note(self, note: Any, depth: int) -> tuple[str, Foot]:
        """Return a note's mark in the text, and the note's text."""
        citation = note.find(f"{TEXT}note-citation")
        words = "" if citation is None else " ".join("".join(citation.itertext()).split())
        sign = f"[{words or '*'}]"
        body = note.find(f"{TEXT}note-body")
        items = () if body is None else self._unpaged(body, depth + 1)
        blocks = [item for item in _flat(items) if item.text]
        if not blocks:
            return sign, Foot(())
        first = blocks[0]
        lines = (f"{sign} {first.lines[0].lstrip()}", *first.lines[1:])
        return sign, Foot([Block(b, "footnote") for b in (lines, *(b.lines for b in blocks[1:]))])

    def _comment(self, annotation: Any) -> Iterator[Block]:
        author = " ".join((annotation.findtext(f"{DC}creator") or "").split())
        texts = [item.text for item in _flat(self._unpaged(annotation, 1)) if item.text]
        if texts:
            name = f"Comment by {author}" if author else "Comment"
            yield Block((f"{name}: {' '.join(texts)}",), "quote")


def _flat(items: Iterable[Item]) -> Iterator[Block]:
    """Yield paragraphs, with those of nested notes in their place."""
    for item in items:
        if isinstance(item, Block):
            yield item
        elif isinstance(item, Foot):
            yield from item.blocks


def _hide(item: Item) -> Item:
    return concealed(item, "hidden") if isinstance(item, Block) else item


def _block(lines: list[str], kind: ParagraphKind, level: int | None, label: str) -> Block:
    if label:
        first = next(i for i, line in enumerate(lines) if line.strip())
        lines[first] = f"{label} {lines[first].lstrip()}"
    return Block(tuple(lines), kind, level)
