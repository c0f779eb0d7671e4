"""HTML to blocks of text, in reading order: what a person sees in a browser without any style.

Headings, lists with their bullets and numbers, quotes, tables as rows, code and notes keep their
kind; hidden text follows its paragraph. Nothing is fetched.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from casetrack.base.words import WordLists
from casetrack.parse.dates import parse_date
from casetrack.parse.links import LinkTargets
from casetrack.parse.page_builder import clean_title
from casetrack.parse.text.plain import PART_CHARS
from casetrack.parse.web.charset import decode_html
from casetrack.parse.web.dom import Parsing, parse
from casetrack.parse.web.styles import linked
from casetrack.parse.web.walk import Walker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from casetrack.parse.base import ParagraphKind
    from casetrack.parse.web.dom import Dom
    from casetrack.parse.web.walk import Block

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
    """What an HTML text shows and what it says about itself.

    Attributes
    ----------
    created_at, modified_at
        As its meta elements say, in UTC.
    properties
        Description, keywords, publisher, generator and language, where given.
    warnings
        What was guessed about the encoding.
    targets
        The targets of its links, complete after its last block.
    """

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
    """A document that may be too large to be held whole.

    Attributes
    ----------
    document
        What it says about itself; its own blocks only where it *is_whole*.
    blocks
        All blocks, made as they are asked for.
    is_whole
        Whether it is small enough to have been read before.
    """

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
    found = (walker.walk_on(parsing.dom.root, opened) for opened in parsing)
    # What stands in its head is known when the first block is.
    first = next(filter(None, found), [])
    document = _document(parsing.dom, (), warnings, walker.targets)
    blocks = itertools.chain(_shown(first), itertools.chain.from_iterable(map(_shown, found)))
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
    """Read an HTML or XHTML text.

    Parameters
    ----------
    source
        A whole document or a part of one, such as the body of a mail.
    encoding
        Of bytes, where something outside says it (a mail's header); a byte order mark and clear
        evidence in the bytes count more. Without it, the document's own words count.
    sheet
        Returns a style sheet that the document links to.
    targets
        Takes the targets of links.

    Raises
    ------
    casetrack.parse.encoding.NotText
        The bytes are binary.
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
    language = dom.language or _first(dom, _LANGUAGE)
    properties = [
        (name, text[:_MAX_PROPERTY]) for name, keys in _PROPERTIES if (text := _first(dom, keys))
    ]
    if language:
        properties.append(("language", language))
    return HtmlDocument(
        title=clean_title(dom.title) or clean_title(_first(dom, _TITLE)),
        author=clean_title(_first(dom, _AUTHOR)),
        language=clean_title(language, limit=35),
        blocks=blocks,
        created_at=parse_date(_first(dom, _CREATED)),
        modified_at=parse_date(_first(dom, _MODIFIED)),
        properties=tuple(properties),
        warnings=warnings,
        targets=targets,
    )


def _first(dom: Dom, names: tuple[str, ...]) -> str | None:
    return next((dom.meta[name] for name in names if name in dom.meta), None)
