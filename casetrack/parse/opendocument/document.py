"""An open OpenDocument file: its parts, styles and embedded objects."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import io
import posixpath
import re
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse import passwords
from casetrack.parse.opendocument.styles import DRAW, FO, OFFICE, STYLE, Styles, local, points
from casetrack.parse.package import MAX_PART_BYTES, BoundedStream, Package, xml_root
from casetrack.parse.unseen import WHITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from casetrack.parse.base import ReadOptions

# Opens OpenDocument files: ZIP containers, plain or with a password, and flat XML.

# Decrypts parts of OpenDocument packages with a password.

_CHECKED_BYTES = 1024
_TAG_BYTES, _NONCE_BYTES = 16, 12
_MAX_ROUNDS = 10_000_000
_MAX_ARGON = {"rounds": 64, "kilobytes": 1 << 20, "lanes": 64}
_BLOWFISH_KEYS = range(4, 57)


class WrongPassword(Exception):
    """The password does not open the part."""


@dataclass(frozen=True, slots=True)
class Encryption:
    """How a part is encrypted, from its ``manifest:encryption-data``."""

    cipher: str
    vector: bytes
    checksum: bytes
    checksum_kind: str
    start_key: str
    derivation: str
    salt: bytes
    key_size: int
    rounds: int
    kilobytes: int
    lanes: int

    @classmethod
    def of(cls, element: Any, /) -> Encryption | None:
        """Read the element; ``None`` if it is incomplete or needs a certificate."""
        facts = {local(e): _attributes(e) for e in element if isinstance(e.tag, str)}
        own, start = _attributes(element), facts.get("start-key-generation", {})
        cipher, derivation = facts.get("algorithm", {}), facts.get("key-derivation", {})
        try:
            return cls(
                cipher=cipher["algorithm-name"].lower(),
                vector=base64.b64decode(cipher["initialisation-vector"]),
                checksum=base64.b64decode(own.get("checksum", "")),
                checksum_kind=own.get("checksum-type", "").lower(),
                start_key=start.get("start-key-generation-name", "sha1").lower(),
                derivation=derivation["key-derivation-name"].lower(),
                salt=base64.b64decode(derivation["salt"]),
                key_size=int(derivation.get("key-size", "16")),
                rounds=int(derivation.get("iteration-count") or derivation["argon2-iterations"]),
                kilobytes=int(derivation.get("argon2-memory", "0")),
                lanes=int(derivation.get("argon2-lanes", "0")),
            )
        except (KeyError, ValueError, binascii.Error):
            return None


def _attributes(element: Any) -> Mapping[str, str]:
    return {name.rpartition("}")[2]: value for name, value in element.attrib.items()}


def decrypt(data: bytes, how: Encryption, password: str, most: int, /) -> bytes:
    """Return the plain bytes of a part; raise ``WrongPassword`` or ``ValueError``."""
    key = _key(how, password)
    if "gcm" in how.cipher:
        packed = _gcm(data, how, key)
    else:
        packed = _cbc(data, how, key) if "aes" in how.cipher else _blowfish(data, how, key)
        digest = hashlib.sha256 if "sha256" in how.checksum_kind else hashlib.sha1
        if not hmac.compare_digest(digest(packed[:_CHECKED_BYTES]).digest(), how.checksum):
            raise WrongPassword("the password is wrong")
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        plain = unpacker.decompress(packed, most + 1)
    except zlib.error as error:
        raise ValueError(f"it cannot be decompressed: {error}") from error
    if len(plain) > most:
        raise ValueError(f"it unpacks to more than {most >> 20} MB")
    if not unpacker.eof:
        raise ValueError("it ends too early")
    return plain


def _key(how: Encryption, password: str) -> bytes:
    digest = hashlib.sha256 if "sha256" in how.start_key else hashlib.sha1
    start = digest(password.encode("utf-8", "surrogatepass")).digest()
    known = _BLOWFISH_KEYS if "blowfish" in how.cipher else passwords.KEYS
    if how.key_size not in known:
        raise ValueError(f"a key of {how.key_size} bytes is not supported")
    if how.derivation.endswith("pbkdf2"):
        if not 0 < how.rounds <= _MAX_ROUNDS:
            raise ValueError(f"its key takes {how.rounds} rounds")
        return hashlib.pbkdf2_hmac("sha1", start, how.salt, how.rounds, how.key_size)
    if not how.derivation.endswith("argon2id"):
        raise ValueError(f"the key derivation {how.derivation} is not supported")
    if any(not 0 < getattr(how, name) <= limit for name, limit in _MAX_ARGON.items()):
        raise ValueError("its key takes more time or memory than is allowed")
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    return Argon2id(
        salt=how.salt,
        length=how.key_size,
        iterations=how.rounds,
        lanes=how.lanes,
        memory_cost=how.kilobytes,
    ).derive(start)


def _gcm(data: bytes, how: Encryption, key: bytes) -> bytes:
    """Decrypt nonce, text and tag; the nonce must equal the one in the manifest."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce, sealed = data[:_NONCE_BYTES], data[_NONCE_BYTES:]
    if len(sealed) < _TAG_BYTES or nonce != how.vector:
        raise ValueError("its beginning is damaged")
    try:
        return AESGCM(key).decrypt(nonce, sealed, None)
    except InvalidTag as error:
        raise WrongPassword("the password is wrong") from error


def _cbc(data: bytes, how: Encryption, key: bytes) -> bytes:
    if len(data) % passwords.BLOCK or not data or len(how.vector) != passwords.BLOCK:
        raise ValueError("its length is not a multiple of the block size")
    plain = passwords.decrypt_chain(data, key, how.vector)
    # Without valid padding, the checksum distinguishes a wrong password from damage.
    padding = plain[-1] if 1 <= plain[-1] <= passwords.BLOCK else 0
    return plain[: len(plain) - padding]


def _blowfish(data: bytes, how: Encryption, key: bytes) -> bytes:
    """Decrypt parts of programs older than OpenDocument 1.2."""
    from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
    from cryptography.hazmat.decrepit.ciphers.modes import CFB
    from cryptography.hazmat.primitives.ciphers import Cipher

    if "blowfish" not in how.cipher:
        raise ValueError(f"the cipher {how.cipher} is not supported")
    opened = Cipher(Blowfish(key), CFB(how.vector)).decryptor()
    return opened.update(data) + opened.finalize()


_MANIFEST = "META-INF/manifest.xml"
_WHOLE = "encrypted-package"
# Files of the first programs name a DTD that is not available; one without an internal subset has
# no effect.
_PLAIN_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[<>]*>")
_DOCTYPE_WITHIN = 4096


class Container(Protocol):
    """Provides the parts of a document."""

    def root(self, part: str, /) -> Any:
        """Return the root element of a part, ``None`` if missing; ``ParseFailed`` if damaged."""

    def failed(self, reason: str, /) -> ParseFailed:
        """Return the error with this *reason* for the file."""

    def close(self) -> None:
        """Close the file."""


class OdfPackage(Package):
    """A container that decrypts encrypted parts when they are read; may raise ``FileEncrypted``."""

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
        parts = _encryptions(self.xml(_MANIFEST))
        name = next((n for n in (_WHOLE, "content.xml") if n in parts), next(iter(parts), None))
        if name is None:
            raise FileEncrypted(path)
        data = self.read(name)
        for password in passwords:
            try:
                plain = decrypt(data, parts[name], password, self._room)
            except WrongPassword:
                continue
            except ValueError as error:
                raise self.failed(f"the part {name} cannot be decrypted: {error}") from error
            self._password, self._encrypted = password, parts
            if name == _WHOLE:
                self._enter(plain)
            return
        raise FileEncrypted(path, tried=len(passwords))

    def _enter(self, inner: bytes) -> None:
        """Continue with the package that was encrypted as a whole."""
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
        """Return a whole decrypted part without document type."""
        data = super().read(name)
        return _PLAIN_DOCTYPE.sub(b"", data[:_DOCTYPE_WITHIN], count=1) + data[_DOCTYPE_WITHIN:]

    def root(self, part: str, /) -> Any:
        """Return the root element of a part, ``None`` if it is missing."""
        part = posixpath.normpath(part)
        return self.xml(part) if part in self else None


def _encryptions(manifest: Any) -> dict[str, Encryption]:
    """Return the encryption of each encrypted part; keys of certificates are ignored."""
    encryptions = {}
    for entry in manifest.iter():
        if local(entry) != "file-entry":
            continue
        facts = {name.rpartition("}")[2]: value for name, value in entry.attrib.items()}
        data = next((e for e in entry if local(e) == "encryption-data"), None)
        encryption = None if data is None else Encryption.of(data)
        if encryption is not None:
            encryptions[facts.get("full-path", "")] = encryption
    return encryptions


class FlatFile:
    """A document in one XML file; each part has the same root."""

    def __init__(self, path: Path, kind: str) -> None:
        self._path, self._kind = path, kind
        self._root = xml_root(path.read_bytes(), "it", self.failed)

    def root(self, part: str, /) -> Any:
        """Return the root for every part of a container."""
        return self._root if part in {"content.xml", "styles.xml", "meta.xml"} else None

    def failed(self, reason: str, /) -> ParseFailed:
        """Return the error with this *reason* for the file."""
        return ParseFailed(self._path, self._kind, reason)

    def close(self) -> None:
        """Do nothing, since the file is closed already."""


_PAPER = (f"{FO}background-color", f"{DRAW}fill", f"{DRAW}fill-color")
_UNSEEN = frozenset({"none", "printer"})


@dataclass(slots=True)
class OpenDocument:
    """The parts of a document.

    *body* contains the text or the slides; *styles* are those of the content, *master_styles* those
    of headers, footers and master pages. *layers_off* names drawing layers that are hidden on
    screen.
    """

    container: Container
    body: Any
    styles: Styles
    master_styles: Styles
    masters: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    layers_off: frozenset[str] = frozenset()
    _layouts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, container: Container, kind: str, /) -> OpenDocument:
        """Read the parts; *kind* is the body's element: ``text``, ``presentation``, ``drawing``."""
        content = container.root("content.xml")
        if content is None:
            raise container.failed("the part content.xml is missing")
        body = content.find(f"{OFFICE}body/{OFFICE}{kind}")
        if body is None:
            raise container.failed(f"it contains no {kind}")
        warnings: list[str] = []
        try:
            common = container.root("styles.xml")
        except ParseFailed as error:
            # Styles affect headings and breaks; the text is readable without them.
            warnings.append(f"The document's styles cannot be read: {error.message}")
            common = None
        doc = cls(container, body, Styles(content, common), Styles(common, common), {}, warnings)
        if common is not None:
            for master in common.iterfind(f"{OFFICE}master-styles/{STYLE}master-page"):
                doc.masters[master.get(f"{STYLE}name", "")] = master
            layers = common.iterfind(f"{OFFICE}master-styles/{DRAW}layer-set/{DRAW}layer")
            off = (e.get(f"{DRAW}name") for e in layers if e.get(f"{DRAW}display") in _UNSEEN)
            doc.layers_off = frozenset(filter(None, off))
            for layout in common.iterfind(f"{OFFICE}automatic-styles/{STYLE}page-layout"):
                doc._layouts[layout.get(f"{STYLE}name", "")] = layout
        return doc

    @property
    def paper(self) -> str | None:
        """The colour of its pages, ``None`` if unknown."""
        sheets = (
            layout.find(f"{STYLE}page-layout-properties") for layout in self._layouts.values()
        )
        values = {p.get(name) for p in sheets if p is not None for name in _PAPER}
        return WHITE if values <= {None, "none", "transparent", "#ffffff", "solid"} else None

    def page_size(self, master: Any, /) -> tuple[float | None, float | None]:
        """Return width and height in points of a master's pages."""
        name = "" if master is None else master.get(f"{STYLE}page-layout-name", "")
        layout = self._layouts.get(name)
        facts = None if layout is None else layout.find(f"{STYLE}page-layout-properties")
        if facts is None:
            return None, None
        sizes = {key.rpartition("}")[2]: value for key, value in facts.attrib.items()}
        return points(sizes.get("page-width")), points(sizes.get("page-height"))

    def warn(self, text: str, /) -> None:
        """Add a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def add_missing(self, text: str, /) -> None:
        """Add unreadable content, once."""
        if text not in self.missing:
            self.missing.append(text)

    def embedded(self, name: str, /) -> Any:
        """Return the root of an embedded object, ``None`` if it cannot be read."""
        part = posixpath.join(name.removeprefix("./"), "content.xml")
        try:
            return self.container.root(part)
        except ParseFailed as error:
            self.add_missing(f"An embedded object cannot be read: {error.message}")
            return None
