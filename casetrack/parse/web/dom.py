"""HTML text to a light tree: visible text, hidden text, and the facts of the head.

Built from the events of ``lxml``'s parser (with an HTML5 tokenizer), so that no nesting depth needs
recursion or loses text. Hidden elements become their text; scripts and the like are not stored.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from lxml import etree

from casetrack.parse.web.styles import Styles

MAX_DEPTH = 400
"""Elements nested deeper become siblings in the tree."""

LOST_END = "lost-end"
"""Tag of an element after each end of a block: the parser does not report unmatched end tags."""
_MARK = f"<{LOST_END}></{LOST_END}>"
_BLOCK_END = re.compile(
    r"</(?:p|h[1-6]|div|li|d[dt]|t[dhr]|pre|[uod]l|blockquote|center|section|article|address"
    r"|header|footer|nav|main|aside|form|figure|fieldset)\s*>",
    re.IGNORECASE,
)
_SHOWN_ATTRIBUTES = frozenset({"alt", "value", "placeholder"})
_CHUNK = 1 << 20
_VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track"
    " wbr".split()
)
_UNSEEN = frozenset(
    "annotation annotation-xml applet audio canvas datalist desc embed ix:references ix:resources"
    " metadata noembed other:references other:resources param script style template video".split()
)
"""Never displayed, such as contexts of XBRL, or a fallback for content that browsers display."""
_NO_FRAME = frozenset({"frameset", "noframes"})
_BLOCKY = frozenset(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hr li listing main menu nav ol p plaintext pre"
    " search section summary table tbody td tfoot th thead tr ul xmp".split()
)
_HOLDS_BLOCKS = frozenset(
    "blockquote dl fieldset form h1 h2 h3 h4 h5 h6 hr listing ol pre section article ul".split()
)
_GONE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|mso-hide\s*:\s*all"
    r"|opacity\s*:\s*0?(?:\.0+)?%?\s*(?:!|;|$)|(?:text-indent|left|top)\s*:\s*-\d{4,}px"
    r"|clip\s*:\s*rect\((?:[01](?:px)?[\s,]*){4}\)|clip-path\s*:\s*inset\((?:50|100)%\)"
    r"|transform\s*:\s*scale\(0\))",
    re.IGNORECASE,
)
"""Styles that hide an element with its content."""
_FLAT = re.compile(r"(?:^|;)\s*(?:max-)?height\s*:\s*0(?:px)?\s*(?:;|$)", re.IGNORECASE)
_CUT = re.compile(r"(?:^|;)\s*overflow\s*:\s*(?:hidden|clip)", re.IGNORECASE)
_DISPLAYED = re.compile(r"(?:^|;)\s*display\s*:", re.IGNORECASE)
"""Styles that show an element despite its attribute ``hidden``, which is a style of browsers."""
_LOOKS = re.compile(
    r"(?:^|;)\s*(visibility|font-size|color|background)(?:-color|-image)?\s*:([^;!]*)",
    re.IGNORECASE,
)
_LOOK_ATTRIBUTES = (("color", "color"), ("bgcolor", "background"), ("background", "background"))
_LOOK_NAMES = frozenset(name for name, _ in _LOOK_ATTRIBUTES)
_NO_SIZE = re.compile(r"0*\.?0+(?:[a-z]+|%)?|0*1?(?:\.\d+)?p[xt]")
_RELATIVE = re.compile(r"[\d.]+(?:em|%)|smaller|larger")
_AS_BEFORE = frozenset({"", "inherit", "currentcolor", "unset", "none", "transparent", "initial"})
_WHITE = re.compile(r"white|transparent|#fff|#(?:f[a-f]){3}|rgb\((?:25[0-5],?){3}\)")
CONCEALED = "concealed"
"""Tag of an empty element for hidden text: its attributes are ``kind`` and ``text``."""
_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})
_XHTML = re.compile(
    r"\s*+(?:<\?xml\b|(?:<!--[^-]*+(?:-(?!->)[^-]*+)*-->|<!DOCTYPE[^>]*>|\s)*<html\b[^>]*\bxmlns\s*=)",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
_SAYS = re.compile(r"(?!\s*(?:\[(?:if|endif)|(?:Start|End)Fragment))\W*\w")
_PROLOG = re.compile(r"\A\s*+(?:<\?xml[^>]*\?>)?", re.IGNORECASE)
_MAX_PROLOG = 16384
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{0,31});")
_KEPT_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_OWN_SPACES = (
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1998/Math/MathML",
)


class Node:
    """An element: its lower-case tag, its attributes, its child elements and texts in order.

    *layout* marks a table that contains tables, *blocks* one with headings, lists etc. in cells.
    """

    __slots__ = ("attributes", "blocks", "children", "layout", "tag")

    def __init__(self, tag: str, attributes: Mapping[str, str] | None = None) -> None:
        self.tag = tag
        self.attributes = attributes or _NO_ATTRIBUTES
        self.children: list[Node | str] = []
        self.layout = False
        self.blocks = False

    def get(self, name: str, default: str = "", /) -> str:
        """Return an attribute's value."""
        return self.attributes.get(name) or default


_LOST = Node(LOST_END)


class _Look(NamedTuple):
    """The inherited style of an element: invisible, without size, white; on a ground not white."""

    is_invisible: bool = False
    is_empty: bool = False
    is_white: bool = False
    has_ground: bool = False

    @property
    def kind(self) -> str:
        """The kind of its hidden text, empty for visible text."""
        if self is _PLAIN:
            return ""
        if self.is_invisible or self.is_empty:
            return "hidden"
        return "background" if self.is_white and not self.has_ground else ""


_PLAIN = _Look()


class _Open(NamedTuple):
    """An open element: its tag, its node, its look, its classes and id."""

    tag: str
    node: Node
    look: _Look = _PLAIN
    marks: frozenset[str] = frozenset()


@dataclass(slots=True)
class Dom:
    """A parsed document.

    *root* has all displayed content, *meta* the first content of each meta element by lower-case
    name; *left_out* counts comments with text, and templates.
    """

    root: Node = field(default_factory=lambda: Node("html"))
    title: str | None = None
    language: str | None = None
    meta: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def parse(text: str, linked: str | None = None, /) -> Dom:
    """Parse a document or a part of one; any input results in a tree.

    Well-formed XHTML is parsed as XML, since in HTML an empty ``<script/>`` swallows the following
    content. Document types are removed first. *linked* are style sheets in the same file.
    """
    if _XHTML.match(text[:4096]):
        with suppress(etree.XMLSyntaxError):
            return parse_xml(text, linked)
    builder = _Builder(Styles.of(text, linked))
    _feed(_html_parser(builder), _html_parts(text))
    return builder.dom


def parse_xml(text: str, linked: str | None = None, /) -> Dom:
    """Parse XHTML or a drawing; *linked* is as for :func:`parse`; may raise ``SyntaxError``."""
    builder = _Builder(Styles.of(text, linked))
    _feed(_xml_parser(builder), _xml_parts(text))
    return builder.dom


class Parsing:
    """Parses a large document in parts, as :func:`parse` does; *dom* is the tree so far."""

    def __init__(self, text: str, /) -> None:
        self._builder = _Builder(Styles.of(text))
        self.dom = self._builder.dom
        self._parser, self._parts = _html_parser(self._builder), _html_parts(text)
        if _XHTML.match(text[:4096]) and _is_well_formed(text):
            self._parser, self._parts = _xml_parser(self._builder), _xml_parts(text)

    def __iter__(self) -> Iterator[frozenset[int]]:
        """Parse the next part; yield the identities of elements that may get more children."""
        for part in self._parts:
            self._parser.feed(part)
            yield frozenset(id(one.node) for one in self._builder.opened)
        self._parser.close()
        yield frozenset()


def _feed(parser: Any, parts: Iterator[bytes]) -> None:
    for part in parts:
        parser.feed(part)
    parser.close()


def _html_parser(builder: Any) -> Any:
    return etree.HTMLParser(target=builder, encoding="utf-8", huge_tree=True)


def _xml_parser(builder: Any) -> Any:
    return etree.XMLParser(
        target=builder,
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
    )


def _html_parts(text: str) -> Iterator[bytes]:
    for part in _cut(text):
        yield _bytes(_BLOCK_END.sub(lambda match: match[0] + _MARK, part))


def _xml_parts(text: str) -> Iterator[bytes]:
    for number, part in enumerate(_cut(text)):
        body = part if number else _PROLOG.sub("", part, count=1)
        yield _bytes(_ENTITY.sub(_entity, body))


def _is_well_formed(text: str) -> bool:
    try:
        _feed(_xml_parser(_NullTarget()), _xml_parts(text))
    except etree.XMLSyntaxError:
        return False
    return True


def _cut(text: str) -> Iterator[str]:
    """Yield the text in parts that end before a tag, without the document type."""
    start, before = 0, ""
    doctype = _DOCTYPE.search(text, 0, _MAX_PROLOG)
    if doctype:
        before, start = text[: doctype.start()], doctype.end()
    while True:
        stop = start + _CHUNK
        if stop >= len(text):
            yield before + text[start:]
            return
        end = text.rfind("<", start + 1, stop)
        end = end if end > 0 else stop
        yield before + text[start:end]
        start, before = end, ""


def _bytes(text: str) -> bytes:
    """Encode as UTF-8: with a string, the parser would use the encoding that the text declares."""
    return text.encode("utf-8", "replace")


def _entity(match: re.Match[str]) -> str:
    if match[1] in _KEPT_ENTITIES:
        return match[0]
    text = html.unescape(match[0])
    return match[0].replace("&", "&amp;") if text == match[0] else html.escape(text)


class _Builder:
    """Receives the parser's events and builds the tree of visible content."""

    def __init__(self, styles: Styles) -> None:
        self.dom = Dom()
        self.opened: list[_Open] = [_Open("", self.dom.root)]
        self._styles = styles
        self._look, self._marks = _PLAIN, frozenset[str]()
        self._tables: list[Node] = []
        self._unseen = self._muted = 0
        self._concealed: list[str] | None = None
        self._kind = ""
        self._invisible: list[str] = []
        self._invisible_kind = ""
        self._title: list[str] | None = None
        self._drawings = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: PLR0912
        if tag == LOST_END:
            if not self._unseen:
                self.opened[-1].node.children.append(_LOST)
            return
        tag = _local(tag)
        if self._unseen:
            self._unseen += tag not in _VOID
            if self._concealed is not None:
                self._concealed += [" "] if tag in _BLOCKY or tag == "br" else []
                if tag in _UNSEEN and tag not in _VOID:
                    self._muted = self._muted or self._unseen
            return
        if tag == "html":
            self.dom.language = _language(attributes) or self.dom.language
        elif tag == "meta":
            self._note_meta(attributes)
        if tag in {"svg", "math"}:
            self._drawings += 1
        # A drawing that is a whole file has these; within a page they are seen only on pointing.
        is_shown = tag in {"title", "desc"} and any(one.tag == "svg" for one in self.opened[1:2])
        if tag == "title" and not is_shown:
            if self.dom.title is None and not self._drawings:
                self._title = []
            self._unseen = 1
        elif tag in _UNSEEN and not is_shown:
            self.dom.left_out["template"] += tag == "template"
            self._unseen = int(tag not in _VOID)
        elif tag == "noscript":
            self._unseen, self._concealed, self._kind = 1, [], "hidden"
        elif not self._styled(tag, attributes) or (tag == "dialog" and "open" not in attributes):
            if tag not in _VOID:
                self._unseen, self._concealed, self._kind = 1, [], "hidden"
        elif tag == "iframe":
            self._frame(attributes)
            self._unseen = 1
        elif tag not in _NO_FRAME:
            self._push(tag, attributes)

    def _styled(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Set the look of an element; return whether it is displayed at all."""
        self._look = self.opened[-1].look
        style = attributes.get("style", "")
        if style or self._styles.has_rules:
            self._marks = self._styles.marks(attributes)
            self.opened.append(_Open(tag, self.dom.root, self._look, self._marks))
            style = self._styles.style(style, self.opened)
            self.opened.pop()
        if not attributes and not style:
            return True
        if _is_hidden(attributes, style):
            return False
        self._look = _look(self._look, attributes, style, is_whole=self._styles.is_whole)
        return True

    def _push(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._look.kind:
            self._invisible += [" "] if tag in _BLOCKY or tag == "br" else []
            if tag in _VOID:
                return
        node = Node(tag, _clean(attributes) if attributes else None)
        parent = self.opened[-1].node
        if tag == "table":
            if self._tables:
                self._tables[-1].layout = True
            self._tables.append(node)
        elif self._tables and tag in _HOLDS_BLOCKS:
            self._tables[-1].blocks = True
        if len(self.opened) < MAX_DEPTH or tag in _VOID:
            parent.children.append(node)
        else:
            if tag in _BLOCKY:
                parent.children.append(Node("div"))
            node = parent
        if tag not in _VOID:
            self.opened.append(_Open(tag, node, self._look, self._marks))

    def end(self, tag: str) -> None:
        """Process an end tag, also one that the parser inserted."""
        if tag == LOST_END:
            return
        tag = _local(tag)
        if self._unseen:
            self._unseen -= tag not in _VOID
            if self._unseen < self._muted:
                self._muted = 0
            if not self._unseen and self._title is not None:
                self.dom.title = "".join(self._title)
                self._title = None
            if not self._unseen:
                self._conceal()
            return
        if tag in {"svg", "math"}:
            self._drawings = max(0, self._drawings - 1)
        if self.opened[-1].tag != tag:
            return
        node = self.opened.pop().node
        if self._invisible:
            self._invisible.append(" " if tag in _BLOCKY else "")
            if not self.opened[-1].look.kind:
                self._add_invisible()
        if len(self.opened) >= MAX_DEPTH and tag in _BLOCKY:
            node.children.append(Node("div"))
        if tag == "table":
            self._tables.pop()

    def data(self, text: str) -> None:
        if "<" in text:
            text = text.replace(_MARK, "")
        if self._title is not None:
            self._title.append(text)
        elif not self._unseen:
            kind = self.opened[-1].look.kind
            if self._invisible and kind != self._invisible_kind and text.strip():
                self._add_invisible()
            if kind:
                self._invisible_kind = kind
                self._invisible.append(text)
            else:
                self.opened[-1].node.children.append(text)
        elif self._concealed is not None and not self._muted:
            self._concealed.append(text)

    def _conceal(self) -> None:
        self._add_hidden(self._kind, self._concealed or ())
        self._concealed = None

    def _add_invisible(self) -> None:
        """Add the text that the style of its elements hides to the tree."""
        self._add_hidden(self._invisible_kind, self._invisible)
        self._invisible = []

    def _add_hidden(self, kind: str, parts: Iterable[str]) -> None:
        """Add hidden text after the enclosing tables."""
        text = " ".join("".join(parts).split())
        if text:
            first = next((n for n, one in enumerate(self.opened) if one.tag == "table"), 0)
            node = Node(CONCEALED, {"kind": kind, "text": text})
            self.opened[first - 1].node.children.append(node)

    def comment(self, text: str) -> None:
        """Count a comment, except conditions of Office programs."""
        self.dom.left_out["comment"] += _SAYS.match(_TAG.sub("", text)) is not None

    def pi(self, target: str, data: str | None = None) -> None:
        """Ignore a processing instruction."""

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """Ignore a document type."""

    def close(self) -> None:
        """End a title that is still open."""
        if self._title is not None and self.dom.title is None:
            self.dom.title = "".join(self._title)
        self._conceal()
        self._add_invisible()

    def _note_meta(self, attributes: Mapping[str, str]) -> None:
        name = (
            attributes.get("name")
            or attributes.get("property")
            or attributes.get("http-equiv")
            or attributes.get("itemprop")
        )
        content = attributes.get("content")
        if name and content and content.strip():
            self.dom.meta.setdefault(name.strip().lower(), content.strip())

    def _frame(self, attributes: Mapping[str, str]) -> None:
        """Store the source of a frame whose document is in the file itself."""
        source = attributes.get("srcdoc")
        if source:
            node = Node("iframe")
            node.children.append(source)
            self.opened[-1].node.children.append(node)


class _NullTarget:
    """Receives the parser's events and stores nothing."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Ignore a start tag."""

    def close(self) -> None:
        """Ignore the end."""


def _local(tag: str) -> str:
    """Return a tag without the namespace of HTML, SVG or MathML; others become unknown tags."""
    if not tag.startswith("{"):
        return tag.lower()
    space, _, name = tag[1:].partition("}")
    return name.lower() if space in _OWN_SPACES else f"other:{name.lower()}"


def _clean(attributes: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value.replace(_MARK, "") if name in _SHOWN_ATTRIBUTES else value
        for name, value in attributes.items()
    }


def _language(attributes: Mapping[str, str]) -> str | None:
    value = attributes.get("lang") or attributes.get("{http://www.w3.org/XML/1998/namespace}lang")
    return (value or attributes.get("xml:lang") or "").strip() or None


def _is_hidden(attributes: Mapping[str, str], style: str) -> bool:
    if _GONE.search(style) or (_FLAT.search(style) and _CUT.search(style)):
        return True
    hidden = attributes.get("hidden", "until-found")
    return hidden.strip().lower() != "until-found" and not _DISPLAYED.search(style)


def _look(above: _Look, attributes: Mapping[str, str], style: str, *, is_whole: bool) -> _Look:
    """Return the look of an element within *above*; *is_whole* means all style sheets are known."""
    if not style and _LOOK_NAMES.isdisjoint(attributes):
        is_any = not is_whole and ("class" in attributes or "id" in attributes)
        return above._replace(has_ground=True) if is_any and not above.has_ground else above
    invisible, empty, white, ground = above
    ground |= not is_whole and ("class" in attributes or "id" in attributes)
    declared = [
        ("color", attributes.get("color", "")),
        ("background", attributes.get("bgcolor", "")),
    ]
    declared.append(("background", attributes.get("background", "")))
    for name, text in declared + _LOOKS.findall(style):
        value = "".join(text.lower().split())
        if value in _AS_BEFORE and (name.lower(), value) != ("color", "transparent"):
            continue
        if name.lower() == "visibility":
            invisible = value in {"hidden", "collapse"}
        elif name.lower() == "color":
            white = _WHITE.fullmatch(value) is not None
        elif name.lower() == "background":
            ground = _WHITE.fullmatch(value) is None
        elif not (empty and _RELATIVE.fullmatch(value)):
            empty = _NO_SIZE.fullmatch(value) is not None
    return _Look(invisible, empty, white, ground)
