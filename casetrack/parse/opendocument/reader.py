"""Readers of OpenDocument texts, presentations and drawings, as containers or flat XML."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.detect import ZIP_MAGIC
from casetrack.parse.drawn.text import Block, ListStyle, concealed, link_blocks
from casetrack.parse.opendocument.document import FlatFile, OdfPackage, OpenDocument
from casetrack.parse.opendocument.flow import Flow
from casetrack.parse.opendocument.styles import (
    DC,
    DRAW,
    META,
    MOVED,
    OFFICE,
    PRESENTATION,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    XLINK,
    Break,
    BreakKind,
    Foot,
    points,
)
from casetrack.parse.package import CUSTOM, moment
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title, whole_hidden
from casetrack.parse.slides.content import TOO_DEEP, Feet, hidden_warning
from casetrack.parse.slides.shapes import (
    EMU_PER_POINT,
    MAX_DEPTH,
    Shape,
    in_reading_order,
    is_off_page,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from casetrack.parse.base import PageKind
    from casetrack.parse.opendocument.document import Container
    from casetrack.parse.opendocument.styles import Item

# Pages of a presentation: each slide with its text in reading order, notes and running feet.

_FEET = {"footer": "ftr", "header": "hdr", "date-time": "dt", "page-number": "sldNum"}
_NOTES_LEFT_OUT = frozenset((*_FEET, "page"))


class SlidePages:
    """Reads the slides of a presentation, or the pages of a drawing, with equal structure."""

    def __init__(self, document: OpenDocument, kind: PageKind = "slide") -> None:
        self._document, self._kind = document, kind
        self._slides = list(document.body.iterfind(f"{DRAW}page"))
        self._feet = Feet()
        self._size: tuple[float | None, float | None] = (None, None)
        self._declared = {
            (e.tag, e.get(f"{PRESENTATION}name")): " ".join("".join(e.itertext()).split())
            for e in document.body
            if str(e.tag).endswith("-decl")
        }

    @property
    def count(self) -> int:
        """Number of slides."""
        return len(self._slides)

    def pages(self) -> Iterator[Page]:
        """Yield the slides one by one."""
        hidden = []
        for number, slide in enumerate(self._slides, start=1):
            style = slide.get(f"{DRAW}style-name")
            is_hidden = self._document.styles.page_property(style, "visibility") == "hidden"
            hidden += [number] if is_hidden else []
            if number == len(self._slides) and hidden:
                self._document.warn(hidden_warning(hidden))
            page = self._page(number, slide)
            yield replace(page, hidden=whole_hidden(page.text)) if is_hidden else page

    def _page(self, number: int, slide: Any) -> Page:
        master = self._document.masters.get(slide.get(f"{DRAW}master-page-name", ""))
        width, height = self._size = self._document.page_size(master)
        fields = self._fields(number, slide)
        blocks: list[Block] = []
        late: list[tuple[str, Block]] = []
        for shape in _ordered(slide):
            content = self._shape(shape, Flow(self._document.styles, self._document, fields))
            foot = _FEET.get(_class(shape.element))
            if foot is None:
                blocks += content
            else:
                late += [(foot, block) for block in content]
        late += self._fixed(slide, master, fields)
        feet = []
        for kind, block in late:
            if self._feet.is_new(kind, block.text):
                blocks.append(block)
            else:
                feet.append(block.text)
        builder = PageBuilder(
            number, width=width, height=height, kind=self._kind, footer=" | ".join(feet)
        )
        for block in (*blocks, *self._notes(slide, fields), *self._comments(slide)):
            lines = [SourceLine(line) for line in block.lines]
            builder.paragraph(lines, kind=block.kind, level=block.level)
        return builder.build()

    def _fields(self, number: int, slide: Any) -> dict[str, str]:
        """Return the values of fields on a slide: its number, and texts that the file declares."""
        shown = {f"{TEXT}page-number": str(number)}
        for name in ("footer", "header", "date-time"):
            used = slide.get(f"{PRESENTATION}use-{name}-name")
            declared = self._declared.get((f"{PRESENTATION}{name}-decl", used), "")
            shown[f"{PRESENTATION}{name}"] = declared
        return shown

    def _shape(self, shape: Shape, flow: Flow, depth: int = 0) -> list[Block]:
        element = shape.element
        if element.tag in {f"{DRAW}g", f"{DRAW}a"}:
            if depth >= MAX_DEPTH:
                self._document.add_missing(TOO_DEEP)
                return []
            blocks = [b for inner in _ordered(element) for b in self._shape(inner, flow, depth + 1)]
            return [*blocks, *link_blocks([element.get(f"{XLINK}href", "")], blocks)]
        blocks = list(_blocks(flow.shape(element)))
        if shape.is_title and blocks:
            lines = tuple(line for block in blocks for line in block.lines)
            blocks = [Block(lines, "heading", 1)]
        is_off = element.get(f"{DRAW}layer") in self._document.layers_off
        if is_off or _is_outside(element, *self._size):
            return [concealed(block, "layer" if is_off else "outside") for block in blocks]
        return blocks

    def _fixed(
        self, slide: Any, master: Any, fields: dict[str, str]
    ) -> Iterator[tuple[str, Block]]:
        """Yield the elements of the master page that the slide shows."""
        style = slide.get(f"{DRAW}style-name")
        styles = self._document.styles
        if master is None or styles.page_property(style, "background-objects-visible") == "false":
            return
        flow = Flow(self._document.master_styles, self._document, fields)
        for shape in _ordered(master):
            name = _class(shape.element)
            if name and name not in _FEET:
                continue
            if name and styles.page_property(style, f"display-{name}") == "false":
                continue
            for block in self._shape(shape, flow):
                yield _FEET.get(name, "fixed"), block

    def _notes(self, slide: Any, fields: dict[str, str]) -> list[Block]:
        blocks: list[Block] = []
        self._size = None, None  # Pages of notes have another size.
        for notes in slide.iterfind(f"{PRESENTATION}notes"):
            for shape in _ordered(notes):
                if _class(shape.element) not in _NOTES_LEFT_OUT:
                    flow = Flow(self._document.styles, self._document, fields)
                    blocks += self._shape(shape, flow)
        return [Block(("Notes:",)), *blocks] if blocks else []

    def _comments(self, slide: Any) -> Iterator[Block]:
        flow = Flow(self._document.styles, self._document)
        comments = [e for e in slide if e.tag == f"{OFFICE}annotation"]
        yield from _blocks(flow.walk(comments))


def _is_outside(element: Any, width: float | None, height: float | None) -> bool:
    """Return whether nothing of a shape is on a slide of that size in points."""
    left, top = (points(element.get(f"{SVG}{name}")) for name in "xy")
    sizes = (points(element.get(f"{SVG}{name}")) or 0.0 for name in ("width", "height"))
    wide, high = (size * EMU_PER_POINT for size in sizes)
    around = 0.0
    if moved := MOVED.search(element.get(f"{DRAW}transform", "")):
        left, top, around = points(moved[1]), points(moved[2]), math.hypot(wide, high)
    if left is None or top is None:
        return False
    x, y = left * EMU_PER_POINT, top * EMU_PER_POINT
    return is_off_page(x, y, wide, high, around, width, height)


def _blocks(items: Iterable[Item]) -> Iterator[Block]:
    """Yield paragraphs with text; page breaks in text boxes of a slide are ignored."""
    for item in items:
        if isinstance(item, Block):
            if item.text:
                yield item
        elif isinstance(item, Foot):
            yield from item.blocks


def _class(element: Any) -> str:
    return str(element.get(f"{PRESENTATION}class", ""))


def _ordered(holder: Any) -> list[Shape]:
    shapes = []
    for element in holder:
        if not isinstance(element.tag, str) or not element.tag.startswith(DRAW):
            continue
        top, left, height = _place(element)
        kind = "title" if _class(element) == "title" else None
        shapes.append(Shape(element, kind, top, left, height, ListStyle()))
    return in_reading_order(shapes)


def _place(element: Any) -> tuple[int, int, int]:
    """Return top, left and height; a group has the position of its first shape."""
    for one in element.iter():
        y, x = points(one.get(f"{SVG}y")), points(one.get(f"{SVG}x"))
        if y is not None and x is not None:
            height = points(one.get(f"{SVG}height")) or 0.0
            return int(y * EMU_PER_POINT), int(x * EMU_PER_POINT), int(height * EMU_PER_POINT)
    return 0, 0, 0


# Pages of a text document: breaks of the author and those stored by the program.

# Headers and footers of text documents: those of each page, and the first page with each.

DEFAULT_MASTER = "Standard"


@dataclass(slots=True)
class Masters:
    """Tracks the master page from page to page; *name* is that of the current page."""

    document: OpenDocument
    name: str
    _seen: set[str] = field(default_factory=set)
    _is_first: bool = True

    def turn(self, chosen: str | None, /) -> None:
        """Advance to the next page, with the master that its author *chose*, if any."""
        following = self.current
        after = None if following is None else following.get(f"{STYLE}next-style-name")
        self._is_first = chosen is not None or bool(after and after != self.name)
        self.name = chosen or after or self.name

    @property
    def current(self) -> Any:
        """The current master page, ``None`` if the file lacks it."""
        return self.document.masters.get(self.name)

    def running(self, what: str, number: int, /) -> tuple[list[Block], str | None]:
        """Return a page's header or footer (*what*): paragraphs if new, else only the text."""
        element = self._element(what, number)
        if element is None:
            return [], None
        flow = Flow(
            self.document.master_styles,
            self.document,
            {f"{TEXT}page-number": str(number)},
            self.document.paper,
        )
        blocks = [item for item in flow.walk(element) if isinstance(item, Block) and item.text]
        text = " | ".join(block.text for block in blocks)
        key = re.sub(r"\d+", "#", text)
        if not text or key in self._seen:
            return [], text or None
        self._seen.add(key)
        return [Block(block.lines, _plain(block)) for block in blocks], None

    def _element(self, what: str, number: int) -> Any:
        master = self.current
        if master is None:
            return None
        kinds = [what]
        if number % 2 == 0:
            kinds.insert(0, f"{what}-left")
        if self._is_first:
            kinds.insert(0, f"{what}-first")
        for kind in kinds:
            # Files of older versions have first pages in a separate namespace.
            element = next((e for e in master if str(e.tag).rpartition("}")[2] == kind), None)
            if element is not None:
                return None if element.get(f"{STYLE}display") == "false" else element
        return None


def _plain(block: Block) -> Any:
    return "table" if block.kind == "table" else "body"


class TextPages:
    """Fills pages with the content of a document; without breaks, it is page 1, as a guess.

    Notes are at the end of their page; headers and footers are in the text of the first page that
    has them, later in separate fields.
    """

    def __init__(self, document: OpenDocument) -> None:
        self._document = document
        self._masters = Masters(document, self._first_master())
        self._notes: list[Block] = []
        self._last_break: BreakKind | None = None
        self._has_text = self._has_content = False
        self._footer: list[Block] = []
        self._builder = self._new(1)

    def _first_master(self) -> str:
        for element in self._document.body.iter(f"{TEXT}p", f"{TEXT}h", f"{TABLE}table"):
            is_table = element.tag == f"{TABLE}table"
            family, space = ("table", TABLE) if is_table else ("paragraph", TEXT)
            name = self._document.styles.begins_page(family, element.get(f"{space}style-name"))[1]
            return name or DEFAULT_MASTER
        return DEFAULT_MASTER

    def _new(self, number: int) -> PageBuilder:
        head, header = self._masters.running("header", number)
        self._footer, footer = self._masters.running("footer", number)
        width, height = self._document.page_size(self._masters.current)
        builder = PageBuilder(number, width=width, height=height, header=header, footer=footer)
        for block in head:
            _add(builder, block)
        return builder

    def pages(self) -> Iterator[Page]:
        """Yield the pages one by one, except a last one without text."""
        has_breaks = False
        flow = Flow(self._document.styles, self._document, paper=self._document.paper)
        for item in flow.walk(self._document.body):
            if isinstance(item, Block):
                self._has_content = True
                self._has_text = self._has_text or bool(item.text)
                self._last_break = None
                if item.text:
                    _add(self._builder, item)
            elif isinstance(item, Foot):
                self._notes += item.blocks
            elif self._begins(item):
                has_breaks = True
                yield self._end()
                self._masters.turn(item.master)
                self._builder = self._new(self._builder.number + 1)
                self._has_text = self._has_content = False
        if self._has_text or self._notes or not has_breaks:
            self._builder.is_estimated = not has_breaks
            yield self._end()

    def _begins(self, item: Break) -> bool:
        """Return whether a page begins, not at the very start, nor twice at the same position."""
        last, self._last_break = self._last_break, item.kind
        if self._builder.number == 1 and not self._has_content and last is None:
            self._last_break = None
            return False
        # A soft break at the position of the author's break is the same break.
        return last is None or (last is BreakKind.HARD and item.kind is BreakKind.HARD)

    def _end(self) -> Page:
        for block in (*self._notes, *self._footer):
            _add(self._builder, block)
        self._notes = []
        return self._builder.build()


def _add(builder: PageBuilder, block: Block) -> None:
    lines = [SourceLine(line) for line in block.lines]
    builder.paragraph(lines, kind=block.kind, level=block.level)


# Facts that an OpenDocument file states about itself.

_PROPERTIES = {
    "subject": f"{DC}subject",
    "description": f"{DC}description",
    "keywords": f"{META}keyword",
    "language": f"{DC}language",
    "last_modified_by": f"{DC}creator",
}


def read_facts(container: Container, kind: str, count: int, warnings: list[str], /) -> DocumentInfo:
    """Return the document's facts; damage is reported in *warnings*."""
    try:
        root = container.root("meta.xml")
    except ParseFailed as error:
        warnings.append(f"The document's properties cannot be read: {error.message}")
        root = None
    meta = None if root is None else root.find(f"{OFFICE}meta")
    values = [(name, _texts(meta, tag)) for name, tag in _PROPERTIES.items()]
    own = () if meta is None else meta.iterfind(f"{META}user-defined")
    values += [(f"{CUSTOM}{e.get(f'{META}name', '')}", e.text or "") for e in own]
    return DocumentInfo(
        kind,
        count,
        title=clean_title(_texts(meta, f"{DC}title")),
        author=clean_title(_texts(meta, f"{META}initial-creator") or _texts(meta, f"{DC}creator")),
        created_at=moment(_texts(meta, f"{META}creation-date")),
        modified_at=moment(_texts(meta, f"{DC}date")),
        properties=tuple((name, text) for name, t in values if (text := clean_title(t))),
    )


def _texts(meta: Any, tag: str) -> str:
    """Return all values of a fact: each keyword is a separate element."""
    texts = () if meta is None else ((e.text or "").strip() for e in meta.iterfind(tag))
    return ", ".join(text for text in texts if text)


_MIMETYPE = b"application/vnd.oasis.opendocument."
_MIMETYPE_WITHIN = 256


class OdtReader:
    """OpenDocument texts: paragraphs, lists with their numbers, tables as rows, notes."""

    name = "ODT"
    extensions: tuple[str, ...] = (".odt", ".ott", ".fodt")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept an OpenDocument text, or a damaged container."""
        return _accepts(file, b"text")

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the file; see :class:`casetrack.parse.base.Reader`."""
        container = _open(path, self.name, options)
        try:
            document = OpenDocument.of(container, "text")
            pages = list(TextPages(document).pages())
            info = read_facts(container, "odt", len(pages), document.warnings)
        finally:
            container.close()
        return Reading(info, iter(pages), document.warnings, document.missing)


class OdpReader:
    """OpenDocument presentations: each slide is a page, with its notes after its text."""

    name = "ODP"
    extensions: tuple[str, ...] = (".odp", ".otp", ".fodp")
    media_type = b"presentation"
    """Media type of the file's format."""
    body = "presentation"
    page_kind: PageKind = "slide"

    def accepts(self, file: FileHead, /) -> bool:
        """Accept an OpenDocument file of this kind, or a damaged container."""
        return _accepts(file, self.media_type)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the file; see :class:`casetrack.parse.base.Reader`."""
        container = _open(path, self.name, options)
        try:
            document = OpenDocument.of(container, self.body)
            slides = SlidePages(document, self.page_kind)
            info = read_facts(container, self.name.lower(), slides.count, document.warnings)
        except BaseException:
            container.close()
            raise
        return Reading(info, _closing(slides, container), document.warnings, document.missing)


class OdgReader(OdpReader):
    """OpenDocument drawings: each page with the text of its shapes in reading order."""

    name = "ODG"
    extensions: tuple[str, ...] = (".odg", ".otg", ".fodg")
    media_type = b"graphics"
    body = "drawing"
    page_kind = "page"


def _closing(slides: SlidePages, container: Container) -> Iterator[Page]:
    """Yield the slides, then close the file that contains embedded charts."""
    try:
        yield from slides.pages()
    finally:
        container.close()


def _accepts(file: FileHead, kind: bytes) -> bool:
    if file.head.startswith(ZIP_MAGIC):
        start = file.head[:_MIMETYPE_WITHIN]
        if _MIMETYPE in start:
            return _MIMETYPE + kind in start
        return not file.members or "content.xml" in file.members
    # The flat form names its type in the root element, before any content.
    return b"<office:document" in file.head and _MIMETYPE + kind in file.head


def _open(path: Path, kind: str, options: ReadOptions) -> Container:
    with path.open("rb") as file:
        is_package = file.read(2) == ZIP_MAGIC[:2]
    return OdfPackage(path, kind, options) if is_package else FlatFile(path, kind)
