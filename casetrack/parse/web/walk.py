"""Walks the tree of an HTML document and writes its blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.parse.links import LinkTargets
from casetrack.parse.page_builder import hidden_mark, star_mark
from casetrack.parse.text.plain import PART_CHARS
from casetrack.parse.web import inline, tables
from casetrack.parse.web.dom import CONCEALED, LOST_END, Node, parse
from casetrack.parse.web.inline import LineMaker, ListState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.base import ParagraphKind

# Marks of star pages in court opinions: pages of a reporter within the text of another print.

_CLASSES = frozenset(
    "star-pagination star_pagination star-page starpage page-label page-number gsl_pagenum"
    " gsl_pagenum2".split()
)
_STARRED = re.compile(r"\[?\*{1,3}\s?(\d{1,5})\]?")
_BARE = re.compile(r"\[?(\d{1,5})\]?")


def star_page(node: Node, /) -> str | None:
    """Return the page number of an inline element that marks a star page; ``None`` for others."""
    if node.tag != "page-number" and not node.attributes:
        return None
    classes = set(node.get("class").lower().split())
    if node.tag == "page-number":
        classes.add(node.tag)
    if not classes & _CLASSES:
        return None
    text = "".join(inline.texts(node)).strip()
    match = _STARRED.fullmatch(text)
    if match is None and any("star" in name or name.startswith("gsl") for name in classes):
        match = _BARE.fullmatch(text)
    return match[1] if match else None


_HEADING = re.compile(r"h([1-6])")
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form frame h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing"
    " main menu nav ol optgroup option p plaintext pre search section summary table tbody td tfoot"
    " th thead tr ul xmp".split()
)
_CODE = frozenset({"pre", "listing", "plaintext", "xmp"})
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_APART = frozenset({"button", "label", "meter", "object", "output", "progress", "text", "tspan"})
"""Inline elements that browsers show with space around them."""
_BLOCK_STYLE = re.compile(
    r"(?:^|;)\s*display\s*:\s*(?:block|flex|grid|list-item|table)", re.IGNORECASE
)
_APART_STYLE = re.compile(
    r"(?:^|;)\s*display\s*:\s*inline-(?:block|flex|grid|table)", re.IGNORECASE
)
_KEEPS_SPACE = re.compile(r"(?:^|;)\s*white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_NOTE_TYPES = frozenset(
    "doc-endnote doc-footnote doc-rearnote endnote footnote note rearnote".split()
)
_NOTE_ID = re.compile(
    r"(?:user-content-)?(?:cite_note|foot-?note|end-?note|_?ftn|_?edn|fn)(?:[-_:.].*)?\d+",
    re.IGNORECASE,
)
"""Ids of notes from Pandoc, MediaWiki, Word, GitHub and others."""
_FRAME_DEPTH = 2


@dataclass(slots=True)
class Block:
    """A block of the document."""

    kind: ParagraphKind
    level: int | None
    lines: list[str]


@dataclass(slots=True)
class _OpenElement:
    """An open element: its children, how many of them were read, and state that ends with it."""

    node: Node
    children: list[Node | str]
    read: int = 0
    is_block: bool = False
    kind: ParagraphKind | None = None
    level: int | None = None
    keeps_space: bool | None = None
    list_state: ListState | None = None
    marker: bool = False
    after: str = ""
    apart: bool = False


@dataclass(slots=True)
class Walker:
    """Writes the blocks of one tree; *is_cell* leaves hidden text and link targets to the table."""

    depth: int = 0
    targets: LinkTargets = field(default_factory=LinkTargets)
    is_cell: bool = False
    _out: list[Block] = field(default_factory=list)
    _line: LineMaker = field(default_factory=LineMaker)
    _kinds: list[tuple[ParagraphKind, int | None]] = field(default_factory=list)
    _keeps: list[bool] = field(default_factory=list)
    _lists: list[ListState] = field(default_factory=list)
    _markers: list[str] = field(default_factory=list)
    _asides: list[str] = field(default_factory=list)
    _link_ended: bool = False
    _stack: list[_OpenElement] = field(default_factory=list)
    _is_begun: bool = False

    def walk(self, root: Node, /) -> list[Block]:
        """Return the blocks of everything in *root*."""
        return self.walk_further(root, frozenset())

    def walk_further(self, root: Node, opened: frozenset[int], /) -> list[Block]:
        """Return the new blocks of a tree, unfinished while elements are *opened*; release them."""
        stack = self._stack
        if not stack and not self._is_begun:
            self._is_begun = True
            stack.append(_OpenElement(root, root.children))
        while stack:
            element = stack[-1]
            if element.read == len(element.children):
                if id(element.node) in opened:
                    break
                self._leave(stack.pop())
                continue
            child = element.children[element.read]
            if isinstance(child, Node) and id(child) in opened and not _reads_on(child):
                break
            element.read += 1
            if isinstance(child, str):
                self._link_ended = False
                self._line.text(child, keeps_space=bool(self._keeps) and self._keeps[-1])
                if self._line.length > PART_CHARS:
                    self._flush()
            else:
                entered = self._enter(child)
                if entered is not None:
                    stack.append(entered)
        if opened:
            for element in stack:
                del element.children[: element.read]
                element.read = 0
        else:
            self._flush()
        blocks, self._out = self._out, []
        return blocks

    def _enter(self, node: Node) -> _OpenElement | None:
        """Begin an element; return it, or ``None`` if nothing in it needs reading."""
        tag = node.tag
        if tag == "br":
            self._break()
            return None
        if tag == LOST_END:
            self._flush()
            return None
        if tag == CONCEALED:
            self._asides.append(hidden_mark(node.get("kind"), node.get("text")))
            return None
        if tag == "table":
            return self._table(node)
        if tag in _BLOCKS or (node.attributes and _BLOCK_STYLE.search(node.get("style"))):
            return self._block(node)
        if tag == "iframe":
            self._inner_document(node)
            return None
        if inline.is_control(node):
            self._control(node)
            return None
        page = star_page(node)
        if page is not None:
            self._line.mark(star_mark(page))
            return None
        return self._inline(node)

    def _break(self) -> None:
        """Process a line break; a second one in a row separates paragraphs."""
        if self._line.is_empty and not (self._keeps and self._keeps[-1]):
            self._flush()
        else:
            self._line.new_line()

    def _block(self, node: Node) -> _OpenElement:
        self._flush()
        element = _OpenElement(node, node.children, is_block=True)
        tag = node.tag
        level = _heading_level(node)
        if level:
            element.kind, element.level = "heading", level
        elif tag in _CODE:
            element.kind, element.keeps_space = "code", True
        elif tag == "blockquote":
            element.kind = "quote"
        elif tag in _LISTS:
            element.list_state = ListState.of(node)
        elif _is_note(node):
            element.kind = "footnote"
        elif tag == "li":
            element.kind, element.level = "list", max(1, len(self._lists))
        if tag == "li":
            element.marker = True
            self._markers.append(self._lists[-1].marker(node) if self._lists else "•")
        if element.keeps_space is None and node.attributes:
            element.keeps_space = True if _KEEPS_SPACE.search(node.get("style")) else None
        self._open(element)
        return element

    def _open(self, element: _OpenElement) -> None:
        if element.kind:
            self._kinds.append((element.kind, element.level))
        if element.keeps_space is not None:
            self._keeps.append(element.keeps_space)
        if element.list_state:
            self._lists.append(element.list_state)

    def _leave(self, element: _OpenElement) -> None:
        if element.node.tag == "a":
            self._take_link(element.node)
        if element.is_block:
            self._flush()
        if element.after:
            self._line.text(element.after)
        if element.apart:
            self._line.space()
        self._link_ended = element.node.tag == "a"
        if element.node.tag in {"sub", "sup"}:
            self._line.close_script()
        if element.marker:
            self._markers.pop()
        if element.kind:
            self._kinds.pop()
        if element.keeps_space is not None:
            self._keeps.pop()
        if element.list_state:
            self._lists.pop()

    def _inline(self, node: Node) -> _OpenElement:
        tag = node.tag
        element = _OpenElement(node, node.children)
        style = node.get("style")
        if tag in _APART or (style and _APART_STYLE.search(style)):
            element.apart = True
            self._line.space()
        if style and _KEEPS_SPACE.search(style):
            element.keeps_space = True
            self._keeps.append(True)
        if tag == "q":
            self._line.text("“")
            element.after = "”"
        elif tag in {"sub", "sup"}:
            opening, element.after = _script_marks(node)
            self._line.open_script(opening or tag)
        elif tag == "ruby":
            element.children = _ruby(node)
        elif tag in inline.PARTED:
            element.children = inline.parts(node)
        elif tag == "a" and self._link_ended:
            # Adjacent links are separate words, as in menus.
            self._line.space()
        return element

    def _take_link(self, node: Node) -> None:
        shown = node.get("alt") if node.tag == "area" else "".join(inline.texts(node)).strip()
        if node.get("href") and (shown or any(map(_is_picture, within(node)))):
            self._asides += filter(None, [self.targets.line(shown, node.get("href"))])

    def _control(self, node: Node) -> None:
        text = inline.shown(node)
        if text:
            self._line.space()
            self._line.text(text, keeps_space="\n" in text)
            self._line.space()
        if node.tag == "area":
            self._take_link(node)

    def _table(self, node: Node) -> _OpenElement | None:
        self._flush()
        rows = tables.rows(node, self.inner_text)
        if rows is None:
            return self._block(node)
        for row in rows:
            if row.is_caption:
                self._write("body", None, [row.text])
            else:
                self._write("table", None, [row.text])
        self._flush()
        return None

    def inner_text(self, node: Node, /) -> str:
        """Return the text of a cell on one line."""
        if all(isinstance(child, str) for child in node.children):
            return " ".join("".join(map(str, node.children)).split())
        walker = Walker(self.depth + 1, self.targets, is_cell=True)
        blocks = walker.walk(node)
        self._asides += walker._asides
        return " ".join(line.strip() for block in blocks for line in block.lines)

    def _inner_document(self, node: Node) -> None:
        """Read the document of a frame that is in the file itself."""
        self._flush()
        if self.depth < _FRAME_DEPTH:
            source = "".join(part for part in node.children if isinstance(part, str))
            self._out += Walker(self.depth + 1, self.targets).walk(parse(source).root)

    def _flush(self) -> None:
        lines = self._line.take()
        keeps = bool(self._keeps) and self._keeps[-1]
        kind, level = self._kinds[-1] if self._kinds else ("body", None)
        for has_text, group in groupby(lines, lambda line: bool(line.strip())):
            if has_text:
                shown = [line.rstrip() if keeps else line.strip() for line in group]
                self._write(kind, level, shown)
        if not self.is_cell:
            self._out += [Block("quote", None, [text]) for text in self._asides]
            self._asides = []

    def _write(self, kind: ParagraphKind, level: int | None, lines: list[str]) -> None:
        marker = self._take_marker(numbers_only=kind == "heading")
        if marker:
            lines[0] = f"{marker} {lines[0].lstrip()}"
        self._out.append(Block(kind, level, lines))

    def _take_marker(self, *, numbers_only: bool) -> str:
        """Return the bullets and numbers before the first block of their item."""
        if not any(self._markers):
            return ""
        markers = [m for m in self._markers if m and not (numbers_only and m == "•")]
        self._markers = [""] * len(self._markers)
        return " ".join(markers)


def _reads_on(node: Node) -> bool:
    """Return whether a block can be entered before its content is complete."""
    if "reversed" in node.attributes or _NOTE_ID.fullmatch(node.get("id")):
        return False
    return node.tag in _BLOCKS - {"table"}


def _heading_level(node: Node) -> int | None:
    match = _HEADING.fullmatch(node.tag)
    if match:
        return int(match[1])
    if node.get("role") == "heading":
        level = node.get("aria-level", "2")
        return int(level) if level in set("123456") else 2
    return None


def _roles(node: Node) -> list[str]:
    if not node.attributes:
        return []
    kind = node.get("epub:type") or node.get("{http://www.idpf.org/2007/ops}type")
    return f"{node.get('role')} {kind}".lower().split()


def _is_note(node: Node) -> bool:
    """Return whether an element is a footnote: by its role, or by its id and a backlink."""
    if not node.attributes:
        return False
    if not _NOTE_TYPES.isdisjoint(_roles(node)):
        return True
    return _NOTE_ID.fullmatch(node.get("id")) is not None and _links_within(node)


def _links_within(node: Node) -> bool:
    """Return whether an element contains a link to another position of the same page."""
    return any(one.tag == "a" and one.get("href").startswith("#") for one in within(node))


def _is_picture(node: Node) -> bool:
    return node.tag == "svg" or inline.is_control(node)


def within(node: Node, /) -> Iterator[Node]:
    """Yield an element and all elements in it."""
    rest = [node]
    while rest:
        element = rest.pop()
        yield element
        rest += [child for child in element.children if isinstance(child, Node)]


def _script_marks(node: Node) -> tuple[str, str]:
    """Return brackets around a note's mark, which separate it from the word before."""
    if node.tag == "sup" and _is_note_mark(node):
        text = "".join(inline.texts(node)).strip()
        if text and text[0] not in "[(":
            return "[", "]"
    return "", ""


def _is_note_mark(node: Node) -> bool:
    """Return whether an element is a footnote's mark: a short raised link."""
    links = [c for c in node.children if isinstance(c, Node) and c.tag == "a" and c.get("href")]
    return bool(links) and len("".join(inline.texts(node)).strip()) <= 5


def _ruby(node: Node) -> list[Node | str]:
    """Return the content of a ruby element, with its readings in parentheses."""
    if any(isinstance(c, Node) and c.tag == "rp" for c in node.children):
        return node.children
    parts: list[Node | str] = []
    for child in node.children:
        if isinstance(child, Node) and child.tag in {"rt", "rtc"}:
            parts += ["(", child, ")"]
        else:
            parts.append(child)
    return parts
