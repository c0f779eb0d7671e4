"""Open ZIP containers of Office documents safely: bounded sizes, no entities, no network.

The only importer of ``lxml``.
"""

from __future__ import annotations

import codecs
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from casetrack.base.config import ParseLimits
from casetrack.base.errors import ParseFailed
from casetrack.base.years import recorded
from casetrack.parse.detect import OLE_MAGIC
from casetrack.parse.page_builder import clean_title

MAX_PART_BYTES = 1 << 30
"""Maximum unpacked size of a part."""
_SUSPECT_BYTES, _SUSPECT_RATIO = 32 << 20, 250
"""A larger part that shrank more than this is a bomb: Office XML shrinks 10 to 100 times."""

_RELATIONSHIP = "http://schemas.openxmlformats.org/package/2006/relationships"
_STRICT_ROOT = b"http://purl.oclc.org/ooxml/"
_STRICT = tuple(
    (_STRICT_ROOT + name, b"http://schemas.openxmlformats.org/" + usual)
    for name, usual in (
        (b"wordprocessingml/main", b"wordprocessingml/2006/main"),
        (b"spreadsheetml/main", b"spreadsheetml/2006/main"),
        (b"presentationml/main", b"presentationml/2006/main"),
        (b"officeDocument/relationships", b"officeDocument/2006/relationships"),
        (b"officeDocument/math", b"officeDocument/2006/math"),
        *(
            (b"drawingml/" + part, b"drawingml/2006/" + part)
            for part in (
                b"main",
                b"chart",
                b"diagram",
                b"picture",
                b"spreadsheetDrawing",
                b"wordprocessingDrawing",
            )
        ),
    )
)
"""Namespaces of strict Office files, and the usual ones."""
_DOCTYPES = (b"<!DOCTYPE", "<!DOCTYPE".encode("utf-16-le"), "<!DOCTYPE".encode("utf-16-be"))
MAX_PARTS = 65_535
"""Maximum number of parts: that of a ZIP container without extensions."""

_DC, _TERMS = "{http://purl.org/dc/elements/1.1/}", "{http://purl.org/dc/terms/}"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_APP = "{http://schemas.openxmlformats.org/officeDocument/2006/extended-properties}"
_STRICT_APP = "{http://purl.oclc.org/ooxml/officeDocument/extendedProperties}"
CUSTOM = "custom: "
"""Prefix of the names of properties that the author of a document defined."""
_FURTHER = (
    (f"{_DC}subject", "subject"),
    (f"{_DC}description", "description"),
    (f"{_CORE}keywords", "keywords"),
    (f"{_CORE}category", "category"),
    (f"{_CORE}lastModifiedBy", "last_modified_by"),
    (f"{_APP}Company", "company"),
    (f"{_APP}Manager", "manager"),
)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that an Office document states about itself, with the names of ``DocumentInfo``."""

    title: str | None = None
    author: str | None = None
    created_at: datetime | None = None
    modified_at: datetime | None = None
    properties: tuple[tuple[str, str], ...] = ()


class Package:
    """A ZIP container whose parts are read by name, regardless of case or slashes.

    Nothing is unpacked to disk, so a part's name is never used as a path. *content* is the file to
    read if not *path*; *limits* bound all parts together. Raises ``ParseFailed`` if the container
    is damaged or exceeds the limits.
    """

    def __init__(
        self,
        path: Path,
        kind: str,
        *,
        content: Path | None = None,
        limits: ParseLimits | None = None,
    ) -> None:
        self._path, self._kind = path, kind
        self._most = (limits or ParseLimits()).unpacked_mb << 20
        self._unpacked: dict[str, int] = {}
        try:
            self._zip = zipfile.ZipFile(content or path)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
            raise self.failed(f"the container is damaged: {error}") from error
        if len(self._zip.infolist()) > MAX_PARTS:
            self._zip.close()
            raise self.failed(f"it has more than {MAX_PARTS:,} parts")
        self._names = {_normal(i.filename): i for i in self._zip.infolist() if not i.is_dir()}

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def failed(self, reason: str, /) -> ParseFailed:
        """Return the error with this *reason* for the file."""
        return ParseFailed(self._path, self._kind, reason)

    def __contains__(self, name: str) -> bool:
        return _normal(name) in self._names

    @property
    def names(self) -> list[str]:
        """Names of all parts, lower case, sorted."""
        return sorted(self._names)

    @contextmanager
    def open(self, name: str, /) -> Iterator[BoundedStream]:
        """Open a part as a stream that raises an error at the size limit."""
        info = self._names.get(_normal(name))
        if info is None:
            raise self.failed(f"the part {name} is missing")
        if info.file_size > _SUSPECT_BYTES and info.file_size > _SUSPECT_RATIO * info.compress_size:
            raise self.failed(
                f"the part {name} unpacks to {info.file_size >> 20} MB from "
                f"{info.compress_size >> 10} KB, as only a decompression bomb does"
            )
        self._count(_normal(name), info.file_size)
        try:
            with self._zip.open(info) as raw:
                yield BoundedStream(raw, info.file_size, self, name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise self.failed(f"the part {name} is damaged: {error}") from error
        except RuntimeError as error:
            # zipfile has no separate exception class for passwords.
            raise self.failed(f"the part {name} cannot be unpacked: {error}") from error

    def _count(self, key: str, size: int) -> None:
        if sum(self._unpacked.values()) - self._unpacked.get(key, 0) + size > self._most:
            raise self.failed(
                f"its parts unpack to more than {self._most >> 20:,} MB together (unpacked_mb)"
            )
        self._unpacked[key] = size

    def read(self, name: str, /) -> bytes:
        """Return a whole part."""
        with self.open(name) as stream:
            return stream.read()

    def xml(self, name: str, /) -> Any:
        """Return the root element of a part with the usual namespaces; refuse document types."""
        return xml_root(self.read(name), f"the part {name}", self.failed)

    def events(self, stream: BoundedStream, name: str, /, *tags: str) -> Iterator[Any]:
        """Parse a part and yield each element of *tags*, to be cleared by :func:`forget`."""
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
                parser.feed(_with_usual_names(head))
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
        targets = {}
        for relation in self.xml(source).iter(f"{{{_RELATIONSHIP}}}Relationship"):
            if relation.get("TargetMode") == "External":
                continue
            target = relation.get("Target", "").replace("\\", "/")
            target = target[1:] if target.startswith("/") else posixpath.join(folder, target)
            kind = relation.get("Type", "").rsplit("/", 1)[-1]
            targets[relation.get("Id", "")] = (kind, posixpath.normpath(target))
        return targets

    def links(self, part: str, /) -> dict[str, str]:
        """Return the external targets of the hyperlinks of *part* by the id of their relation."""
        folder, name = posixpath.split(part)
        source = posixpath.join(folder, "_rels", f"{name}.rels")
        relations = (
            () if source not in self else self.xml(source).iter(f"{{{_RELATIONSHIP}}}Relationship")
        )
        return {
            relation.get("Id", ""): relation.get("Target", "")
            for relation in relations
            if relation.get("TargetMode") == "External"
            and relation.get("Type", "").endswith("/hyperlink")
        }

    def facts(self, warnings: list[str], /) -> Facts:
        """Return title, author, dates and further properties; damage is reported in *warnings*."""
        related = dict(self.relations("").values())
        texts = self._texts(related.get("core-properties", "docProps/core.xml"), warnings)
        texts |= self._texts(related.get("extended-properties", "docProps/app.xml"), warnings)
        texts |= self._texts(related.get("custom-properties", "docProps/custom.xml"), warnings)
        own = [(name, name) for name in texts if name.startswith(CUSTOM)]
        further = ((name, clean_title(texts.get(tag))) for tag, name in (*_FURTHER, *own))
        return Facts(
            clean_title(texts.get(f"{_DC}title")),
            clean_title(texts.get(f"{_DC}creator")),
            moment(texts.get(f"{_TERMS}created")),
            moment(texts.get(f"{_TERMS}modified")),
            tuple((name, text) for name, text in further if text),
        )

    def _texts(self, part: str, warnings: list[str]) -> dict[str, str]:
        """Return ``tag -> text`` of the elements below a part's root; the first of each tag."""
        if part not in self:
            return {}
        try:
            root = self.xml(part)
        except ParseFailed as error:
            warnings.append(f"The document's properties cannot be read: {error.message}")
            return {}
        texts: dict[str, str] = {}
        for child in root:
            name = child.get("name")
            tag = f"{CUSTOM}{name}" if name else child.tag.replace(_STRICT_APP, _APP)
            text = "".join(child.itertext()) if name else child.text
            if text and text.strip():
                texts.setdefault(tag, text)
        return texts


def xml_root(data: bytes, what: str, failed: Callable[[str], ParseFailed], /) -> Any:
    """Return the root element of XML with the usual namespaces; refuse document types."""
    from lxml import etree

    if any(mark in data for mark in _DOCTYPES):
        raise failed(f"{what} declares a document type, which is not allowed")
    safe: dict[str, bool] = {"resolve_entities": False, "no_network": True, "load_dtd": False}
    parser = etree.XMLParser(**safe, huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(_with_usual_names(data), parser)
    except etree.XMLSyntaxError as error:
        raise failed(f"{what} is not well-formed: {error}") from error


def _with_usual_names(data: bytes) -> bytes:
    if _STRICT_ROOT in data:
        for strict, usual in _STRICT:
            data = data.replace(strict, usual)
    return data


def moment(text: str | None, /) -> datetime | None:
    """Return a date in a file as UTC (the default zone); ``None`` if it is not valid."""
    try:
        parsed = datetime.fromisoformat((text or "").strip())
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return recorded(aware.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


class BoundedStream:
    """Limits the unpacked size of a part to its declared size."""

    def __init__(self, raw: IO[bytes], declared: int, package: Package, name: str) -> None:
        self._raw, self._package, self._name = raw, package, name
        self._declared = declared
        self._count = 0

    def read(self, size: int = -1, /) -> bytes:
        """Return up to *size* bytes, all by default."""
        # Without a size, zipfile would unpack everything first and truncate it afterwards.
        most = min(self._declared, MAX_PART_BYTES) - self._count + 1
        data = self._raw.read(most if size < 0 else min(size, most))
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


# Facts of an OLE document (DOC, XLS, PPT), from its summary streams.

_SUMMARY, _DOCUMENT = "\x05SummaryInformation", "\x05DocumentSummaryInformation"
# Numbers of the properties in their streams ([MS-OLEPS] 2.25).
_CODE_PAGE, _TITLE, _AUTHOR, _CREATED, _SAVED = 1, 2, 4, 12, 13
_OLE_FACTS_FURTHER = ((3, "subject"), (6, "description"), (5, "keywords"), (8, "last_modified_by"))
_DOCUMENT_FURTHER = ((2, "category"), (15, "company"), (14, "manager"))
_FIRST_SET = 44
_SHORT, _BYTES, _UTF_16, _TIME = 2, 30, 31, 64
"""Types of values ([MS-OLEPS] 2.15)."""
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_CODECS = {1200: "utf-16-le", 10000: "mac-roman", 65001: "utf-8"}


def ole_facts(path: Path, warnings: list[str], /) -> Facts:
    """Return the facts of an OLE container, none of other files; report damage in *warnings*."""
    with path.open("rb") as file:
        if file.read(len(OLE_MAGIC)) != OLE_MAGIC:
            return Facts()
    import olefile  # type: ignore[import-untyped]

    try:
        with olefile.OleFileIO(path) as ole:
            summary, document = (
                _properties(ole.openstream(name).read()) if ole.exists(name) else {}
                for name in (_SUMMARY, _DOCUMENT)
            )
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - damage makes olefile raise anything
        reason = type(error).__name__
        warnings.append(f"The document's properties cannot be read: they are damaged ({reason}).")
        return Facts()
    further = [(name, _text(summary, number)) for number, name in _OLE_FACTS_FURTHER]
    further += [(name, _text(document, number)) for number, name in _DOCUMENT_FURTHER]
    return Facts(
        _text(summary, _TITLE),
        _text(summary, _AUTHOR),
        _moment(summary.get(_CREATED)),
        _moment(summary.get(_SAVED)),
        tuple((name, text) for name, text in further if text),
    )


def _properties(data: bytes) -> dict[int, object]:
    """Return numbers, texts and times of a stream's first property set ([MS-OLEPS] 2.21)."""

    def number(at: int, size: int = 4) -> int:
        return int.from_bytes(data[at : at + size], "little")

    values = dict[int, object]()
    start = number(_FIRST_SET)
    for entry in range(start + 8, min(start + 8 + 8 * number(start + 4), len(data)), 8):
        name, at = number(entry), start + number(entry + 4)
        kind, length, text = number(at), number(at + 4), at + 8
        if kind == _SHORT:
            values[name] = length & 0xFFFF
        elif kind == _BYTES:
            values[name] = data[text : text + length].replace(b"\0", b"")
        elif kind == _UTF_16:
            values[name] = data[text : text + 2 * length].decode("utf-16-le", "replace")
        elif kind == _TIME:
            with suppress(OverflowError):
                values[name] = _EPOCH + timedelta(microseconds=number(at + 4, 8) // 10)
    return values


def _text(properties: dict[int, object], number: int) -> str | None:
    value = properties.get(number)
    if isinstance(value, bytes):
        value = value.decode(_codec(properties.get(_CODE_PAGE)), "replace")
    # Bytes after the end of the string are leftovers of the program's memory.
    return clean_title(value.partition("\0")[0]) if isinstance(value, str) else None


def _codec(code_page: object) -> str:
    """Return the codec of a code page, which the file stores as a signed 16-bit number."""
    number = code_page & 0xFFFF if isinstance(code_page, int) else 1252
    name = _CODECS.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def _moment(value: object) -> datetime | None:
    return recorded(value) if isinstance(value, datetime) else None
