"""Opens OpenDocument files: ZIP containers, plain or with a password, and flat XML."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse.opendocument.encryption import Encryption, WrongPassword, decrypt
from casetrack.parse.opendocument.names import local
from casetrack.parse.package import MAX_PART_BYTES, BoundedStream, Package

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import ReadOptions

_MANIFEST = "META-INF/manifest.xml"
_WHOLE = "encrypted-package"
# Files of the first programs name a DTD that nobody has; one without an inner part says nothing.
_PLAIN_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[<>]*>")
_DOCTYPE_WITHIN = 4096


class Container(Protocol):
    """Where the parts of a document are."""

    def root(self, part: str, /) -> Any:
        """Return the root element of a part, ``None`` where there is none.

        Raises
        ------
        ParseFailed
            The part is damaged.
        """

    def failed(self, reason: str, /) -> ParseFailed:
        """Return the error that says *reason* about the file."""

    def close(self) -> None:
        """Close the file."""


class OdfPackage(Package):
    """A container whose encrypted parts are decrypted as they are read.

    Parameters
    ----------
    path, kind
        The file, and what to call it.
    options
        Passwords to try, and how far to go.

    Raises
    ------
    FileEncrypted
        None of the passwords opens it.
    """

    def __init__(self, path: Path, kind: str, options: ReadOptions) -> None:
        super().__init__(path, kind, limits=options.limits)
        self._room = min(MAX_PART_BYTES, options.limits.unpacked_mb << 20)
        self._password = ""
        self._encrypted: dict[str, Encryption] = {}
        try:
            self._unlock(path, tuple(p for p in options.passwords if p))
        except BaseException:
            self.close()
            raise

    def _unlock(self, path: Path, passwords: tuple[str, ...]) -> None:
        if _MANIFEST not in self:
            return
        manifest = self.read(_MANIFEST)
        if b"encryption-data" not in manifest and b"keyinfo" not in manifest:
            return
        found = _encryptions(self.xml(_MANIFEST))
        name = next((n for n in (_WHOLE, "content.xml") if n in found), next(iter(found), None))
        if name is None:
            raise FileEncrypted(path)
        data = self.read(name)
        for password in passwords:
            try:
                plain = decrypt(data, found[name], password, self._room)
            except WrongPassword:
                continue
            except ValueError as error:
                raise self.failed(f"the part {name} cannot be decrypted: {error}") from error
            self._password, self._encrypted = password, found
            if name == _WHOLE:
                self._enter(plain)
            return
        raise FileEncrypted(path, tried=len(passwords))

    def _enter(self, inner: bytes) -> None:
        """Go on in the package that was encrypted as a whole."""
        try:
            archive = zipfile.ZipFile(io.BytesIO(inner))
        except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
            raise self.failed(f"the encrypted package is damaged: {error}") from error
        self.close()
        self._zip, self._encrypted, self._unpacked = archive, {}, {}
        entries = (i for i in archive.infolist() if not i.is_dir())
        self._names = {i.filename.replace("\\", "/").lstrip("/").lower(): i for i in entries}

    @contextmanager
    def open(self, name: str, /) -> Iterator[BoundedStream]:
        """Open a part as a stream, decrypted."""
        how = self._encrypted.get(name)
        with super().open(name) as stream:
            if how is None:
                yield stream
                return
            data = stream.read()
        try:
            plain = decrypt(data, how, self._password, self._room)
        except (WrongPassword, ValueError) as error:
            raise self.failed(f"the part {name} cannot be decrypted: {error}") from error
        self._count(name.lower(), len(plain))
        yield BoundedStream(io.BytesIO(plain), len(plain), self, name)

    def read(self, name: str, /) -> bytes:
        """Return a whole part, decrypted, without the document type of the first programs."""
        data = super().read(name)
        return _PLAIN_DOCTYPE.sub(b"", data[:_DOCTYPE_WITHIN], count=1) + data[_DOCTYPE_WITHIN:]

    def root(self, part: str, /) -> Any:
        """Return the root element of a part, ``None`` where there is none."""
        part = posixpath.normpath(part)
        return self.xml(part) if part in self else None


def _encryptions(manifest: Any) -> dict[str, Encryption]:
    """Return how each encrypted part is encrypted; keys of certificates open none."""
    found = {}
    for entry in manifest.iter():
        if local(entry) != "file-entry":
            continue
        facts = {name.rpartition("}")[2]: value for name, value in entry.attrib.items()}
        data = next((e for e in entry if local(e) == "encryption-data"), None)
        encryption = None if data is None else Encryption.of(data)
        if encryption is not None:
            found[facts.get("full-path", "")] = encryption
    return found


class FlatFile:
    """A document that is one XML file; each part is the same root."""

    def __init__(self, path: Path, kind: str) -> None:
        from lxml import etree

        self._path, self._kind = path, kind
        data = path.read_bytes()
        if any("<!DOCTYPE".encode(code) in data for code in ("ascii", "utf-16-le", "utf-16-be")):
            raise self.failed("it declares a document type, which is not allowed")
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            self._root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise self.failed(f"it is not well-formed: {error}") from error

    def root(self, part: str, /) -> Any:
        """Return the root for the parts that a container would have."""
        return self._root if part in {"content.xml", "styles.xml", "meta.xml"} else None

    def failed(self, reason: str, /) -> ParseFailed:
        """Return the error that says *reason* about the file."""
        return ParseFailed(self._path, self._kind, reason)

    def close(self) -> None:
        """Do nothing: the file is closed already."""
