"""Opens ZIP containers of Office documents safely: bounded sizes, no entities, no network.

The only importer of ``lxml``.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from casetrack.errors import ParseFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

MAX_PART_BYTES = 1 << 30
"""No part of a document may unpack to more."""
_SUSPECT_BYTES, _SUSPECT_RATIO = 32 << 20, 250
"""A larger part that shrank more than this is a bomb: Office XML shrinks 10 to 100 times."""

_RELATIONSHIP = "http://schemas.openxmlformats.org/package/2006/relationships"
_STRICT = (
    (
        b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    ),
    (
        b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    ),
    (
        b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    ),
)
_DOCTYPES = (b"<!DOCTYPE", "<!DOCTYPE".encode("utf-16-le"), "<!DOCTYPE".encode("utf-16-be"))
_CORE = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{http://purl.org/dc/elements/1.1/}creator",
}


class Package:
    """A ZIP container whose parts are read by name, whatever their case or slashes.

    Raises
    ------
    ParseFailed
        On opening or reading: the container is damaged, or it is made to overload programs.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self._path, self._kind = path, kind
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
            raise self.failed(f"the container is damaged: {error}") from error
        self._names = {_normal(i.filename): i for i in self._zip.infolist() if not i.is_dir()}

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def failed(self, reason: str, /) -> ParseFailed:
        """Return the error that says *reason* about this file."""
        return ParseFailed(self._path, self._kind, reason)

    def __contains__(self, name: str) -> bool:
        return _normal(name) in self._names

    @property
    def names(self) -> list[str]:
        """Names of all parts, lower case, sorted."""
        return sorted(self._names)

    @contextmanager
    def open(self, name: str, /) -> Iterator[BoundedStream]:
        """Open a part as a stream that ends with an error at the size limit."""
        info = self._names.get(_normal(name))
        if info is None:
            raise self.failed(f"the part {name} is missing")
        if info.file_size > _SUSPECT_BYTES and info.file_size > _SUSPECT_RATIO * info.compress_size:
            raise self.failed(
                f"the part {name} unpacks to {info.file_size >> 20} MB from "
                f"{info.compress_size >> 10} KB, which only a file made to overload programs does"
            )
        try:
            with self._zip.open(info) as raw:
                yield BoundedStream(raw, self, name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise self.failed(f"the part {name} is damaged: {error}") from error
        except RuntimeError as error:
            # zipfile has no class of its own for a password.
            raise self.failed(f"the part {name} cannot be unpacked: {error}") from error

    def read(self, name: str, /) -> bytes:
        """Return a whole part."""
        with self.open(name) as stream:
            return stream.read()

    def xml(self, name: str, /) -> Any:
        """Parse a part; returns the root element.

        Document types are refused, so there are no entities to expand or fetch. Namespaces of
        strict Office files become the usual ones.
        """
        from lxml import etree

        data = self.read(name)
        if any(mark in data for mark in _DOCTYPES):
            raise self.failed(f"the part {name} declares a document type, which is not allowed")
        for strict, usual in _STRICT:
            data = data.replace(strict, usual)
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            return etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise self.failed(f"the part {name} is not well-formed: {error}") from error

    def events(self, stream: BoundedStream, name: str, /, *tags: str) -> Iterator[Any]:
        """Parse a part bit by bit; yields each element of *tags* when it is complete.

        The caller clears what it does not need any more; see :func:`forget`.
        """
        from lxml import etree

        head = stream.read(65536)
        if any(mark in head for mark in _DOCTYPES):
            raise self.failed(f"the part {name} declares a document type, which is not allowed")
        parser = etree.XMLPullParser(
            ("end",),
            tag=tags,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
        )
        try:
            while head:
                for strict, usual in _STRICT:
                    head = head.replace(strict, usual)
                parser.feed(head)
                for _, element in parser.read_events():
                    yield element
                head = stream.read(262144)
            parser.close()
        except etree.XMLSyntaxError as error:
            raise self.failed(f"the part {name} is not well-formed: {error}") from error

    def relations(self, part: str, /) -> dict[str, tuple[str, str]]:
        """Return ``id -> (last word of the type, target part)`` of the relations of *part*."""
        folder, name = posixpath.split(part)
        source = posixpath.join(folder, "_rels", f"{name}.rels")
        if source not in self:
            return {}
        found = {}
        for relation in self.xml(source).iter(f"{{{_RELATIONSHIP}}}Relationship"):
            if relation.get("TargetMode") == "External":
                continue
            target = relation.get("Target", "").replace("\\", "/")
            target = target[1:] if target.startswith("/") else posixpath.join(folder, target)
            kind = relation.get("Type", "").rsplit("/", 1)[-1]
            found[relation.get("Id", "")] = (kind, posixpath.normpath(target))
        return found

    def core(self) -> dict[str, str | None]:
        """Return title and author from the document's properties."""
        name = "docProps/core.xml"
        if name not in self:
            return dict.fromkeys(_CORE)
        root = self.xml(name)
        return {key: root.findtext(tag) for key, tag in _CORE.items()}


class BoundedStream:
    """Stops a part that unpacks to more than it declared or than is allowed."""

    def __init__(self, raw: IO[bytes], package: Package, name: str) -> None:
        self._raw, self._package, self._name = raw, package, name
        self._count = 0

    def read(self, size: int = -1, /) -> bytes:
        """Return up to *size* bytes, all by default."""
        data = self._raw.read(MAX_PART_BYTES + 1 if size < 0 else size)
        self._count += len(data)
        if self._count > MAX_PART_BYTES:
            raise self._package.failed(
                f"the part {self._name} unpacks to more than {MAX_PART_BYTES >> 20} MB"
            )
        return data


def _normal(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def forget(element: Any, /) -> None:
    """Free an element of a stream and those before it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]
