"""Reads EPUB books: each part of the reading order is a page."""

from __future__ import annotations

import posixpath
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from casetrack.base.errors import FileEncrypted
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.dates import parse_date
from casetrack.parse.detect import ZIP_MAGIC
from casetrack.parse.encoding import NotText
from casetrack.parse.package import Package
from casetrack.parse.page_builder import PageBuilder, clean_text, clean_title
from casetrack.parse.web.epub_package import CONTAINER, normal, open_book
from casetrack.parse.web.html_blocks import HtmlBlock, html_blocks
from casetrack.parse.web.reader import add_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import Page
    from casetrack.parse.web.epub_package import Book, Item

KIND = "EPUB"
_PROPERTIES = ("language", "identifier", "publisher", "description", "rights", "contributor")
_MAX_PROPERTY = 2000


class EpubReader:
    """EPUB 2 and 3."""

    name = KIND
    extensions: tuple[str, ...] = (".epub",)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a container with a book in it, also a damaged one."""
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
            warnings.append(f"The book's order names sections again ({times}); they are read once.")
        pages = _Pages(package, book, warnings, missing)
        return Reading(_info(book), iter(pages), warnings, missing)


def _protected(path: Path) -> FileEncrypted:
    """Return the error of a book whose rights management no password opens."""
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
    return DocumentInfo(
        "epub",
        len(book.spine),
        title=clean_title(next(iter(facts.get("title", ())), None)),
        author=clean_title(", ".join(facts.get("creator", ()))),
        created_at=parse_date(next(iter(facts.get("date", ())), None)),
        modified_at=parse_date(book.modified),
        properties=tuple((name, clean_text(text)[:_MAX_PROPERTY]) for name, text in properties),
    )


class _Pages:
    """Produces the pages of a book."""

    def __init__(
        self, package: Package, book: Book, warnings: list[str], missing: list[str]
    ) -> None:
        self._package, self._book = package, book
        self._warnings, self._missing = warnings, missing

    def __iter__(self) -> Iterator[Page]:
        with self._package:
            for number, item in enumerate(self._book.spine, start=1):
                builder = PageBuilder(number, kind="section", keep_indent=True)
                data = self._data(number, item)
                if data is not None:
                    self._fill(builder, item, data)
                yield builder.build()

    def _data(self, number: int, item: Item) -> bytes | None:
        """Return a part's bytes; where it cannot be read, say why."""
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
            document = html_blocks(data, sheet=partial(self._sheet, posixpath.dirname(item.path)))
        except NotText as error:
            self._missing.append(f"Section {builder.number} ({item.path}) cannot be read: {error}.")
            return
        self._warnings += [f"Section {builder.number}: {text}" for text in document.warnings]
        title = self._book.titles.get(normal(item.path))
        add_blocks(builder, _titled(document.blocks, title))


def _titled(blocks: tuple[HtmlBlock, ...], title: str | None) -> tuple[HtmlBlock, ...]:
    """Give a section without headings its title in the table of contents as one."""
    if not title or not blocks or any(block.kind == "heading" for block in blocks):
        return blocks
    first = " ".join(" ".join(blocks[0].lines).split())
    if first.casefold() == title.casefold():
        return (HtmlBlock("heading", 1, blocks[0].lines), *blocks[1:])
    return (HtmlBlock("heading", 1, (title,)), *blocks)
