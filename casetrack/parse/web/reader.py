"""Read HTML and XHTML files, and web archives (MHTML): one page, in the order of the text.

A text longer than :data:`casetrack.parse.text.plain.PART_CHARS` is divided into several pages
between paragraphs, so that pages read before a limit are kept.

Resources of a page are not fetched: no pictures, frames, styles or scripts.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.errors import ParseFailed
from casetrack.base.words import WordLists
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, Reading, ReadOptions
from casetrack.parse.dates import parse_date, written_date
from casetrack.parse.encoding import Decoded, NotText, TextFormat, codec_of, decode
from casetrack.parse.links import LinkTargets
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_text, clean_title
from casetrack.parse.text.plain import PART_CHARS
from casetrack.parse.web import inline
from casetrack.parse.web.dom import CONCEALED, Node, Parsing, parse, parse_xml
from casetrack.parse.web.styles import linked
from casetrack.parse.web.walk import Walker, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from casetrack.parse.base import Page, ParagraphKind
    from casetrack.parse.web.dom import Dom
    from casetrack.parse.web.walk import Block

# HTML to blocks of text, in reading order: the content that a browser shows without styles.
# Headings, lists with their bullets and numbers, quotes, tables as rows, code and notes keep their
# kind; hidden text follows its paragraph. Nothing is fetched.

# Encodings declared by HTML and XML bytes.

_META = re.compile(
    rb"<meta\b[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9][\w:.+-]{1,40})", re.IGNORECASE
)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']", re.IGNORECASE)
_SEARCHED = 65536


def decode_html(data: bytes, /, *, encoding: str | None = None) -> Decoded:
    """Decode HTML bytes; *encoding*, declared outside, comes first; may raise ``NotText``."""
    known = encoding if codec_of(encoding) else None
    return decode(data, declared=known or declared_encoding(data))


def declared_encoding(data: bytes, /) -> str | None:
    """Return the encoding that the first bytes declare, or ``None``; UTF-16 means UTF-8 then."""
    head = data[:_SEARCHED]
    match = _XML.match(head) or _META.search(_without_comments(head))
    label = match[1].decode("ascii") if match else None
    return "utf-8" if (codec_of(label) or "").startswith(("utf-16", "utf-32")) else label


def _without_comments(head: bytes) -> bytes:
    first, *parts = head.split(b"<!--")
    return first + b"".join(part.partition(b"-->")[2] for part in parts)


_LISTS = WordLists(__file__)

_AUTHOR = ("author", "dc.creator", "dcterms.creator", "article:author", "byl", "creator")
_TITLE = ("og:title", "dc.title", "dcterms.title", "twitter:title")
_CREATED = _LISTS.words("created")
_MODIFIED = _LISTS.words("modified")
_PROPERTIES = (
    ("description", ("description", "dc.description", "dcterms.description", "og:description")),
    ("keywords", ("keywords", "dc.subject", "dcterms.subject", "news_keywords")),
    ("publisher", ("dc.publisher", "dcterms.publisher", "publisher", "og:site_name")),
    ("generator", ("generator",)),
)
_LANGUAGE = ("content-language", "dc.language", "dcterms.language", "language")
_MAX_PROPERTY = 2000


@dataclass(frozen=True, slots=True)
class HtmlBlock:
    """A paragraph: its kind, its lines, a heading's level or the depth of a list, else ``None``."""

    kind: ParagraphKind
    level: int | None
    lines: tuple[str, ...]
    header: str | None = None


@dataclass(frozen=True, slots=True)
class HtmlDocument:
    """Content and facts of an HTML text; *targets* are complete after the last block."""

    title: str | None
    author: str | None
    language: str | None
    blocks: tuple[HtmlBlock, ...]
    created_at: datetime | None = None
    modified_at: datetime | None = None
    properties: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    targets: LinkTargets = field(default_factory=LinkTargets)


class HtmlParts(NamedTuple):
    """A document that may be too large for memory; *document* has the blocks only if *is_whole*."""

    document: HtmlDocument
    blocks: Iterator[HtmlBlock]
    is_whole: bool


def html_parts(data: bytes, /, *, encoding: str | None = None) -> HtmlParts:
    """Read an HTML or XHTML document of any size; see :func:`html_blocks`."""
    decoded = decode_html(data, encoding=encoding)
    warnings, walker = (decoded.warning,) if decoded.warning else (), Walker()
    if len(decoded.text) <= PART_CHARS:
        dom = parse(decoded.text)
        document = _document(dom, tuple(_shown(walker.walk(dom.root))), warnings, walker.targets)
        return HtmlParts(document, iter(document.blocks), is_whole=True)
    parsing = Parsing(decoded.text)
    parts = (walker.walk_further(parsing.dom.root, opened) for opened in parsing)
    # The head is complete when the first block is.
    first = next(filter(None, parts), [])
    document = _document(parsing.dom, (), warnings, walker.targets)
    blocks = itertools.chain(_shown(first), itertools.chain.from_iterable(map(_shown, parts)))
    return HtmlParts(document, blocks, is_whole=False)


def _shown(blocks: Iterable[Block]) -> Iterator[HtmlBlock]:
    return (HtmlBlock(block.kind, block.level, tuple(block.lines)) for block in blocks)


def html_blocks(
    source: str | bytes,
    /,
    *,
    encoding: str | None = None,
    sheet: Callable[[str], str | None] = lambda _: None,
    targets: LinkTargets | None = None,
) -> HtmlDocument:
    """Read an HTML or XHTML text, or a part of one, such as the body of a mail.

    *encoding* is declared outside, such as by a mail's header; a byte order mark and clear evidence
    in the bytes override it. *sheet* returns a linked style sheet. May raise ``NotText``.
    """
    warnings: tuple[str, ...] = ()
    if isinstance(source, bytes):
        decoded = decode_html(source, encoding=encoding)
        source = decoded.text
        warnings = (decoded.warning,) if decoded.warning else ()
    dom = parse(source, linked(source, sheet))
    walker = Walker(targets=targets or LinkTargets())
    blocks = tuple(_shown(walker.walk(dom.root)))
    return _document(dom, blocks, warnings, walker.targets)


def _document(
    dom: Dom, blocks: tuple[HtmlBlock, ...], warnings: tuple[str, ...], targets: LinkTargets
) -> HtmlDocument:
    targets.left_out.append(dom.left_out)
    language = dom.language or _first(dom, _LANGUAGE)
    properties = [
        (name, text[:_MAX_PROPERTY]) for name, keys in _PROPERTIES if (text := _first(dom, keys))
    ]
    if language:
        properties.append(("language", language))
    created = _first(dom, _CREATED)
    properties += written_date(created)
    return HtmlDocument(
        title=clean_title(dom.title) or clean_title(_first(dom, _TITLE)),
        author=clean_title(_first(dom, _AUTHOR)),
        language=clean_title(language, limit=35),
        blocks=blocks,
        created_at=parse_date(created),
        modified_at=parse_date(_first(dom, _MODIFIED)),
        properties=tuple(properties),
        warnings=warnings,
        targets=targets,
    )


def _first(dom: Dom, names: tuple[str, ...]) -> str | None:
    return next((dom.meta[name] for name in names if name in dom.meta), None)


_ARCHIVES = (".mht", ".mhtml")
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class HtmlReader(TextFormat):
    """HTML, XHTML and MHTML; line numbers are those of the displayed text, not of its source."""

    name = "HTML"
    extensions: tuple[str, ...] = (".html", ".htm", ".xhtml", ".xht", *_ARCHIVES)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode and parse the file; see :class:`casetrack.parse.base.Reader`."""
        data, encoding = path.read_bytes(), None
        if path.suffix.lower() in _ARCHIVES:
            data, encoding = _archived_page(data, path)
        try:
            document, blocks, is_whole = html_parts(data, encoding=encoding)
        except NotText as error:
            raise ParseFailed(path, self.name, str(error)) from error
        info = _info(document, pages=1 if is_whole else 0)
        warnings = list(document.warnings)
        return Reading(info, _pages(blocks, document.targets, warnings), warnings)


def _info(document: HtmlDocument, *, pages: int) -> DocumentInfo:
    return DocumentInfo(
        "html",
        pages,
        title=document.title,
        author=document.author,
        created_at=document.created_at,
        modified_at=document.modified_at,
        properties=tuple((k, " ".join(clean_text(v).split())) for k, v in document.properties),
    )


def _pages(
    blocks: Iterator[HtmlBlock], targets: LinkTargets, warnings: list[str]
) -> Iterator[Page]:
    builder = PageBuilder(1, keep_indent=True)
    for block in blocks:
        if builder.length and builder.length + sum(map(len, block.lines)) > PART_CHARS:
            yield builder.build()
            # The division of long texts into pages is a guess.
            builder = PageBuilder(builder.number + 1, keep_indent=True, is_estimated=True)
        add_blocks(builder, [block])
    warnings += targets.warnings()
    yield builder.build()


def add_blocks(builder: PageBuilder, blocks: Iterable[HtmlBlock], /) -> None:
    """Add blocks to a page; its builder should keep indents."""
    for block in blocks:
        lines = [SourceLine(line) for line in block.lines]
        builder.paragraph(lines, kind=block.kind, level=block.level, header=block.header)


def _archived_page(data: bytes, path: Path) -> tuple[bytes, str | None]:
    """Return the first page in a web archive (RFC 2557), and its declared encoding."""
    import email
    import email.policy

    message = email.message_from_bytes(data, policy=email.policy.compat32)
    for part in message.walk():
        if part.get_content_type() in _PAGE_TYPES:
            body = part.get_payload(decode=True)
            if isinstance(body, bytes) and body:
                return body, part.get_content_charset()
    if not message.is_multipart() and not message.get("content-type"):
        # Some browsers use this extension for a plain page.
        return data, None
    raise ParseFailed(path, "Web archive", "it contains no page")


_ENTITY_NAMESPACE = re.compile(r"""\sxmlns=(["'])&[\w.-]+;\1""")
_USED = re.compile(r"""href\s*=\s*["']#([\w-]+)["']""")
_SHEET = (
    "symbol,clippath,mask,pattern,marker,defs>*{display:none}[display=none]{display:none}[visibility=hidden],[visibility=collapse]{visibility:hidden}"
    '[opacity="0"]{opacity:0}[font-size="0"]{font-size:0}'
)
"""Rules for templates, and for attributes that set a style (SVG 2, section 6.6)."""


class SvgReader(TextFormat):
    """Drawings: titles, descriptions and texts, each a paragraph, in the order of the file.

    Hidden text is that of styles and attributes, of templates that nothing uses, and of
    alternatives after the first. Line numbers are those of the displayed text.
    """

    name = "SVG"
    extensions: tuple[str, ...] = (".svg",)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode and parse the file; see :class:`casetrack.parse.base.Reader`."""
        try:
            decoded = decode_html(path.read_bytes())
            text = _ENTITY_NAMESPACE.sub("", decoded.text)
            used = "".join(f"#{name}{{display:inline}}" for name in set(_USED.findall(text)))
            root = parse_xml(text, _SHEET + used).root
        except (NotText, SyntaxError) as error:
            raise ParseFailed(path, self.name, str(error)) from error
        drawing = next((node for node in root.children if isinstance(node, Node)), root)
        if drawing.tag not in {"svg", CONCEALED}:
            raise ParseFailed(path, self.name, "its outermost element is not <svg>")
        titles = (n for n in drawing.children if isinstance(n, Node) and n.tag == "title")
        title = clean_title("".join(map("".join, map(inline.texts, titles))))
        builder = PageBuilder(1)
        for node in list(within(drawing)):
            _divide(node)
        add_blocks(builder, _shown(Walker().walk(root)))
        warnings = [decoded.warning] if decoded.warning else []
        return Reading(DocumentInfo("svg", 1, title), iter([builder.build()]), warnings)


def _divide(node: Node) -> None:
    """Turn texts into paragraphs, their positioned parts into lines, alternatives into hidden."""
    children = list[Node | str]()
    for child in node.children:
        if isinstance(child, Node) and child.tag == "tspan":
            if child.get("x") and (child.get("y") or child.get("dy")):
                children.append(Node("br"))
            child.tag = "span"
        elif isinstance(child, Node) and child.tag in {"title", "desc", "text", "flowpara"}:
            child.tag = "p"
        is_other = node.tag == "switch" and any(isinstance(one, Node) for one in children)
        if is_other and isinstance(child, Node):
            text = " ".join("".join(inline.texts(child)).split())
            children.append(Node(CONCEALED, {"kind": "hidden", "text": text}))
        else:
            children.append(child)
    node.children = children
