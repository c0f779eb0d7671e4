"""Readers of OpenDocument texts, presentations and drawings, as containers or flat XML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.detect import ZIP_MAGIC
from casetrack.parse.opendocument.container import FlatFile, OdfPackage
from casetrack.parse.opendocument.document import OpenDocument
from casetrack.parse.opendocument.names import DC, META, OFFICE
from casetrack.parse.opendocument.slide_pages import SlidePages
from casetrack.parse.opendocument.text_pages import TextPages
from casetrack.parse.package import moment
from casetrack.parse.page_builder import clean_title

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import PageKind
    from casetrack.parse.opendocument.container import Container

# What an OpenDocument file says about itself.

_PROPERTIES = {
    "subject": f"{DC}subject",
    "description": f"{DC}description",
    "keywords": f"{META}keyword",
    "language": f"{DC}language",
    "last_modified_by": f"{DC}creator",
}


def read_facts(container: Container, kind: str, count: int, warnings: list[str], /) -> DocumentInfo:
    """Return the document's facts; damaged ones are named in *warnings*."""
    try:
        root = container.root("meta.xml")
    except ParseFailed as error:
        warnings.append(f"The document's properties cannot be read: {error.message}")
        root = None
    meta = None if root is None else root.find(f"{OFFICE}meta")
    found = ((name, _texts(meta, tag)) for name, tag in _PROPERTIES.items())
    return DocumentInfo(
        kind,
        count,
        title=clean_title(_texts(meta, f"{DC}title")),
        author=clean_title(_texts(meta, f"{META}initial-creator") or _texts(meta, f"{DC}creator")),
        created_at=moment(_texts(meta, f"{META}creation-date")),
        modified_at=moment(_texts(meta, f"{DC}date")),
        properties=tuple((name, text) for name, t in found if (text := clean_title(t))),
    )


def _texts(meta: Any, tag: str) -> str:
    """Return all values of a fact: keywords stand in an element each."""
    texts = () if meta is None else ((e.text or "").strip() for e in meta.iterfind(tag))
    return ", ".join(text for text in texts if text)


_MIMETYPE = b"application/vnd.oasis.opendocument."
_MIMETYPE_WITHIN = 256


class OdtReader:
    """OpenDocument texts: body in order, lists with their numbers, tables as rows, notes."""

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
    """OpenDocument presentations: each slide is a page, notes after its text."""

    name = "ODP"
    extensions: tuple[str, ...] = (".odp", ".otp", ".fodp")
    media_type = b"presentation"
    """How the file calls its kind."""
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
    """Yield the slides, and close the file that embedded charts are read from."""
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
