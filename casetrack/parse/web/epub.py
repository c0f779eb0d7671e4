"""Read EPUB books: each part of the reading order is a page."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from casetrack.base.errors import FileEncrypted
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.dates import parse_date, written_date
from casetrack.parse.detect import ZIP_MAGIC
from casetrack.parse.encoding import NotText
from casetrack.parse.links import LinkTargets
from casetrack.parse.package import Package
from casetrack.parse.page_builder import PageBuilder, clean_text, clean_title
from casetrack.parse.web.dom import Node, parse
from casetrack.parse.web.reader import HtmlBlock, add_blocks, html_blocks

# The package document of an EPUB book: facts, reading order, table of contents, encryption.

CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_MAX_PROLOG = 16384
_FONT_METHODS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_TEXT_TYPES = frozenset(
    "application/xhtml+xml application/x-dtbook+xml application/xml image/svg+xml text/html"
    " text/x-oeb1-document text/xml".split()
)
_FACTS = frozenset(
    "contributor creator date description identifier language publisher rights subject"
    " title".split()
)


_MAX_FALLBACKS = 20
"""Maximum number of fallbacks from a part that is not text; real books use one."""


@dataclass(frozen=True, slots=True)
class Item:
    """A part of the reading order; *reason* explains why it cannot be read, if so."""

    path: str
    reason: str | None = None


@dataclass(slots=True)
class Book:
    """Content of the package document.

    *spine* has distinct parts in reading order, *repeats* counts repeated ones, *titles* are from
    the table of contents; paths are normal ones. *encrypted* omits fonts.
    """

    facts: dict[str, list[str]] = field(default_factory=dict)
    modified: str | None = None
    spine: list[Item] = field(default_factory=list)
    repeats: int = 0
    titles: dict[str, str] = field(default_factory=dict)
    encrypted: frozenset[str] = frozenset()


def open_book(package: Package, /) -> Book:
    """Read the package document of a book; raise ``ParseFailed`` if it is missing or damaged."""
    name = _package_name(package)
    root = _xml(package, name)
    folder = posixpath.dirname(name)
    book = Book(encrypted=frozenset(_encrypted(package)))
    _read_facts(root, book)
    manifest = {
        item.get("id", ""): item for item in _named(root, "item") if item.get("href") is not None
    }
    seen = set[str]()
    for reference in _named(root, "itemref"):
        item = manifest.get(reference.get("idref", ""))
        if item is None:
            continue
        part = _item(item, manifest, folder)
        if normal(part.path) in seen:
            book.repeats += 1
        else:
            seen.add(normal(part.path))
            book.spine.append(part)
    if not book.spine:
        # Without a reading order, the order of the manifest is used.
        texts = [i for i in manifest.values() if i.get("media-type") == "application/xhtml+xml"]
        book.spine = [_item(item, manifest, folder) for item in texts]
    # Several entries may name the same table of contents, which is read once.
    for item in {
        _path(folder, item): item for item in manifest.values() if _is_contents(item)
    }.values():
        _read_titles(package, item, folder, book)
    return book


def normal(path: str, /) -> str:
    """Return a normal path: lower case, without ``..``."""
    return posixpath.normpath(path.replace("\\", "/")).lstrip("/").lower()


def _xml(package: Package, name: str) -> Any:
    """Parse a part without its document type: OPF and NCX files may have one."""
    from lxml import etree

    data = package.read(name)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=True
    )
    try:
        root = etree.fromstring(_without_doctype(data), parser)
    except etree.XMLSyntaxError as error:
        raise package.failed(f"the part {name} is not well-formed: {error}") from error
    if root is None:
        raise package.failed(f"the part {name} is not well-formed")
    return root


def _without_doctype(data: bytes) -> bytes:
    match = _DOCTYPE.search(data, 0, _MAX_PROLOG)
    return data[: match.start()] + data[match.end() :] if match else data


def _named(root: Any, name: str) -> Iterator[Any]:
    yield from root.iter(f"{{*}}{name}")


def _package_name(package: Package) -> str:
    if CONTAINER in package:
        for file in _named(_xml(package, CONTAINER), "rootfile"):
            path = unquote(file.get("full-path", ""))
            if path in package:
                return path
    candidate = next((name for name in package.names if name.endswith(".opf")), None)
    if candidate is None:
        raise package.failed("it contains no package document, so it is not an EPUB book")
    return candidate


def _read_facts(root: Any, book: Book) -> None:
    for element in root.iter("{http://purl.org/dc/elements/1.1/}*", "{*}meta"):
        name = element.tag.rpartition("}")[2]
        text = " ".join("".join(element.itertext()).split())
        if name == "meta" and element.get("property") == "dcterms:modified":
            book.modified = book.modified or text
        elif name.lower() in _FACTS and text:
            known = book.facts.setdefault(name.lower(), [])
            if text not in known:
                known.append(text)


def _item(item: Any, manifest: dict[str, Any], folder: str) -> Item:
    """Return a part, or its fallback if it is not text."""
    seen = set()
    while item.get("media-type", "") not in _TEXT_TYPES:
        seen.add(item.get("id"))
        other = manifest.get(item.get("fallback", ""))
        if other is None or other.get("id") in seen or len(seen) > _MAX_FALLBACKS:
            return Item(_path(folder, item), f"is of the type {item.get('media-type') or 'none'}")
        item = other
    return Item(_path(folder, item))


def _path(folder: str, item: Any) -> str:
    return _joined(folder, item.get("href", ""))


def _joined(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(reference.partition("#")[0])))


def _encrypted(package: Package) -> Iterator[str]:
    if _ENCRYPTION not in package:
        return
    for data in _named(_xml(package, _ENCRYPTION), "EncryptedData"):
        method = next(_named(data, "EncryptionMethod"), None)
        if method is not None and method.get("Algorithm") in _FONT_METHODS:
            continue
        for reference in _named(data, "CipherReference"):
            yield normal(unquote(reference.get("URI", "")))


def _read_titles(package: Package, item: Any, folder: str, book: Book) -> None:
    """Read the titles of parts from the table of contents, old or new."""
    path = _path(folder, item)
    if path not in package or normal(path) in book.encrypted:
        return
    entries = _nav_entries(package, path) if _is_nav(item) else _ncx_entries(package, path)
    for reference, title in entries:
        if title:
            book.titles.setdefault(normal(_joined(posixpath.dirname(path), reference)), title)


def _is_nav(item: Any) -> bool:
    return "nav" in item.get("properties", "").split()


def _is_contents(item: Any) -> bool:
    return _is_nav(item) or item.get("media-type") == "application/x-dtbncx+xml"


def _ncx_entries(package: Package, path: str) -> Iterator[tuple[str, str]]:
    for point in _named(_xml(package, path), "navPoint"):
        content = point.find("{*}content")
        label = point.find("{*}navLabel")
        if content is not None and label is not None:
            yield content.get("src", ""), " ".join("".join(label.itertext()).split())


def _nav_entries(package: Package, path: str) -> Iterator[tuple[str, str]]:
    from casetrack.parse.web.inline import texts
    from casetrack.parse.web.reader import decode_html

    stack: list[Node | str] = [parse(decode_html(package.read(path)).text).root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            continue
        if node.tag == "nav" and {"page-list", "landmarks"} & set(_types(node)):
            continue
        if node.tag == "a":
            yield node.get("href"), " ".join("".join(texts(node)).split())
        else:
            stack.extend(reversed(node.children))


def _types(node: Node) -> list[str]:
    kind = node.get("epub:type") or node.get("{http://www.idpf.org/2007/ops}type")
    return kind.lower().split()


KIND = "EPUB"
_PROPERTIES = ("language", "identifier", "publisher", "description", "rights", "contributor")
_MAX_PROPERTY = 2000


class EpubReader:
    """EPUB 2 and 3."""

    name = KIND
    extensions: tuple[str, ...] = (".epub",)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a container with a book, even if damaged."""
        if not file.head.startswith(ZIP_MAGIC):
            return False
        if not file.members:
            return True
        return CONTAINER.lower() in file.members or any(n.endswith(".opf") for n in file.members)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the book; see :class:`casetrack.parse.base.Reader`."""
        package = Package(path, KIND, limits=options.limits)
        try:
            book = open_book(package)
            if book.spine and all(normal(item.path) in book.encrypted for item in book.spine):
                raise _protected(path)
        except BaseException:
            package.close()
            raise
        warnings: list[str] = []
        missing: list[str] = []
        if book.repeats:
            times = "once" if book.repeats == 1 else f"{book.repeats:,} times"
            warnings.append(f"The book's order repeats sections ({times}); they are read once.")
        pages = _Pages(package, book, warnings, missing)
        return Reading(_info(book), iter(pages), warnings, missing)


def _protected(path: Path) -> FileEncrypted:
    error = FileEncrypted(path)
    error.message = f"The book is encrypted (DRM), and its text cannot be read: {path}"
    error.hint = "Get a copy without copy protection from where the book was bought."
    error.args = (f"{error.message}\n\n{error.hint}",)
    return error


def _info(book: Book) -> DocumentInfo:
    facts = book.facts
    properties = [(name, facts[name][0]) for name in _PROPERTIES if name in facts]
    if "subject" in facts:
        properties.append(("keywords", ", ".join(facts["subject"])))
    date = next(iter(facts.get("date", ())), None)
    properties += written_date(date)
    return DocumentInfo(
        "epub",
        len(book.spine),
        title=clean_title(next(iter(facts.get("title", ())), None)),
        author=clean_title(", ".join(facts.get("creator", ()))),
        created_at=parse_date(date),
        modified_at=parse_date(book.modified),
        properties=tuple((name, clean_text(text)[:_MAX_PROPERTY]) for name, text in properties),
    )


class _Pages:
    def __init__(
        self, package: Package, book: Book, warnings: list[str], missing: list[str]
    ) -> None:
        self._package, self._book = package, book
        self._warnings, self._missing = warnings, missing
        self._targets = LinkTargets(is_part=True)

    def __iter__(self) -> Iterator[Page]:
        with self._package:
            for number, item in enumerate(self._book.spine, start=1):
                builder = PageBuilder(number, kind="section", keep_indent=True)
                self._targets.remaining = LinkTargets.MOST
                data = self._data(number, item)
                if data is not None:
                    self._fill(builder, item, data)
                if number == len(self._book.spine):
                    self._warnings += self._targets.warnings()
                yield builder.build()

    def _data(self, number: int, item: Item) -> bytes | None:
        """Return a part's bytes; report one that cannot be read."""
        reason = item.reason
        if normal(item.path) in self._book.encrypted:
            reason = "is encrypted (DRM)"
        elif reason is None and item.path not in self._package:
            reason = "is missing in the file"
        if reason:
            self._missing.append(f"Section {number} ({item.path}) {reason}.")
            return None
        return self._package.read(item.path)

    def _sheet(self, folder: str, name: str) -> str | None:
        path = posixpath.normpath(posixpath.join(folder, unquote(name)))
        is_read = path in self._package and normal(path) not in self._book.encrypted
        return self._package.read(path).decode("utf-8", "replace") if is_read else None

    def _fill(self, builder: PageBuilder, item: Item, data: bytes) -> None:
        try:
            sheet = partial(self._sheet, posixpath.dirname(item.path))
            document = html_blocks(data, sheet=sheet, targets=self._targets)
        except NotText as error:
            self._missing.append(f"Section {builder.number} ({item.path}) cannot be read: {error}.")
            return
        self._warnings += [f"Section {builder.number}: {text}" for text in document.warnings]
        title = self._book.titles.get(normal(item.path))
        add_blocks(builder, _titled(document.blocks, title))


def _titled(blocks: tuple[HtmlBlock, ...], title: str | None) -> tuple[HtmlBlock, ...]:
    """Add the title in the table of contents as a heading to a section without headings."""
    if not title or not blocks or any(block.kind == "heading" for block in blocks):
        return blocks
    first = " ".join(" ".join(blocks[0].lines).split())
    if first.casefold() == title.casefold():
        return (HtmlBlock("heading", 1, blocks[0].lines), *blocks[1:])
    return (HtmlBlock("heading", 1, (title,)), *blocks)
