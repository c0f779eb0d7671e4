"""Decrypt password-protected Office files into a temporary private copy.

The only importer of ``msoffcrypto``, which supports DOC, XLS and PPT (RC4, RC4 CryptoAPI, XOR for
workbooks) and most Office Open XML files; agile encryption and AES keys of further lengths are
implemented here.
"""

from __future__ import annotations

import base64
import hashlib
import os
import struct
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse.detect import OLE_MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.base import ReadOptions

# AES blocks and chains of protected files.

BLOCK = 16
KEYS = frozenset({16, 24, 32})
"""Lengths of keys in bytes."""


def decrypt_blocks(data: bytes, key: bytes, /) -> bytes:
    """Decrypt independent blocks (ECB); raise ``ValueError`` for an invalid length."""
    from cryptography.hazmat.primitives.ciphers import modes

    # The writer of the file chose the mode.
    return _opened(data, key, modes.ECB())  # noqa: S305


def decrypt_chain(data: bytes, key: bytes, vector: bytes, /) -> bytes:
    """Decrypt chained blocks (CBC) and keep padding; ``ValueError`` for an invalid length."""
    from cryptography.hazmat.primitives.ciphers import modes

    return _opened(data, key, modes.CBC(vector))


def decrypt_chains(data: bytes, key: bytes, vectors: list[bytes], size: int, /) -> bytes:
    """Decrypt chains of *size* bytes (the last may be shorter), each with its vector."""
    before = bytearray(BLOCK) + bytearray(data[:-BLOCK])
    for number, vector in enumerate(vectors):
        before[number * size : number * size + BLOCK] = vector
    return _xored(decrypt_blocks(data, key), bytes(before))


def _opened(data: bytes, key: bytes, mode: Any) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

    opened = Cipher(algorithms.AES(key), mode).decryptor()
    return bytes(opened.update(data) + opened.finalize())


def _xored(one: bytes, other: bytes) -> bytes:
    import numpy as np

    return (np.frombuffer(one, np.uint8) ^ np.frombuffer(other, np.uint8)).tobytes()


# Office Open XML files with agile password protection.

_HEAD = 8
_KEY_ELEMENT = "{http://schemas.microsoft.com/office/2006/keyEncryptor/password}encryptedKey"
_HASHES = ("sha1", "sha256", "sha384", "sha512", "md5")
_MOST_ROUNDS = 10_000_000
_SEGMENT, _SEGMENTS_AT_ONCE = 4096, 256
_OF_INPUT, _OF_HASH, _OF_KEY = (
    bytes.fromhex(code) for code in ("fea7d2763b4b9e79", "d7aa0f6d3061344e", "146e0be7abacd0d6")
)
"""Block keys that derive three keys from one password."""


class UnknownProtection(ValueError):
    """A file has an unsupported protection; the text describes it for the user."""


@dataclass(frozen=True, slots=True)
class _Cipher:
    hash: str
    key_bytes: int
    salt: bytes

    @classmethod
    def of(cls, element: Any, /) -> _Cipher:
        """Read an encryption element; raise ``UnknownProtection`` for unsupported values."""
        cipher = element.get("cipherAlgorithm", "AES")
        chaining = element.get("cipherChaining", "ChainingModeCBC")
        name = element.get("hashAlgorithm", "").replace("-", "").lower()
        bits = int(element.get("keyBits"))
        if cipher != "AES" or chaining != "ChainingModeCBC":
            raise UnknownProtection(f"the cipher {cipher} ({chaining}) is not supported")
        if bits % 8 or bits // 8 not in KEYS or int(element.get("blockSize")) != BLOCK:
            raise UnknownProtection(f"AES with keys of {bits} bits is not supported")
        if name not in _HASHES:
            raise UnknownProtection(f"the hash {element.get('hashAlgorithm')} is not supported")
        return cls(name, bits // 8, base64.b64decode(element.get("saltValue")))

    def digest(self, data: bytes, /) -> bytes:
        return hashlib.new(self.hash, data, usedforsecurity=False).digest()

    def vector(self, block: bytes = b"", /) -> bytes:
        """Return the initialization vector of a chain, from the salt and the chain's key."""
        return _fitted(self.digest(self.salt + block) if block else self.salt, BLOCK)


@dataclass(frozen=True, slots=True)
class Agile:
    """Agile protection of a file."""

    package: _Cipher
    password: _Cipher
    rounds: int
    sealed_input: bytes
    sealed_hash: bytes
    sealed_key: bytes

    @classmethod
    def of(cls, info: bytes, /) -> Agile:
        """Read the stream ``EncryptionInfo``; may raise ``UnknownProtection``."""
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        root = etree.fromstring(info[_HEAD:], parser)
        key = next(root.iter(_KEY_ELEMENT), None)
        if key is None:
            raise UnknownProtection("it opens with a certificate, not with a password")
        rounds = int(key.get("spinCount"))
        if not 0 <= rounds <= _MOST_ROUNDS:
            raise UnknownProtection(f"its key takes {rounds:,} rounds")
        package = next(e for e in root if etree.QName(e).localname == "keyData")
        names = ("encryptedVerifierHashInput", "encryptedVerifierHashValue", "encryptedKeyValue")
        sealed = (base64.b64decode(key.get(name)) for name in names)
        return cls(_Cipher.of(package), _Cipher.of(key), rounds, *sealed)

    def key(self, password: str, /) -> bytes | None:
        """Return the key of the content, ``None`` for a wrong password."""
        cipher = self.password
        digest = cipher.digest(cipher.salt + password.encode("utf-16-le"))
        for number in range(self.rounds):
            digest = cipher.digest(struct.pack("<I", number) + digest)

        def opened(sealed: bytes, block: bytes) -> bytes:
            key = _fitted(cipher.digest(digest + block), cipher.key_bytes)
            return decrypt_chain(sealed, key, cipher.vector())

        given = opened(self.sealed_input, _OF_INPUT)
        size = len(cipher.digest(b""))
        expected = opened(self.sealed_hash, _OF_HASH)[:size]
        if expected not in {cipher.digest(given), cipher.digest(given[: len(cipher.salt)])}:
            return None
        return opened(self.sealed_key, _OF_KEY)[: self.package.key_bytes]

    def content(self, package: IO[bytes], key: bytes, /) -> Iterator[bytes]:
        """Yield the content of the stream ``EncryptedPackage``, part by part."""
        (left,) = struct.unpack("<Q", package.read(8))
        number = 0
        while left > 0 and (data := package.read(_SEGMENT * _SEGMENTS_AT_ONCE)):
            data = data[: len(data) // BLOCK * BLOCK]
            count = -(-len(data) // _SEGMENT)
            vectors = [
                self.package.vector(struct.pack("<I", n)) for n in range(number, number + count)
            ]
            plain = decrypt_chains(data, key, vectors, _SEGMENT)[:left]
            yield plain
            left -= len(plain)
            number += count


def _fitted(data: bytes, size: int) -> bytes:
    return data[:size].ljust(size, b"\x36")


DEFAULT_PASSWORDS = ("VelvetSweatshop", "/01Hannes Ruescher/01")
"""Passwords that Excel and PowerPoint use for files that are locked but not secret."""
_OPEN_FILES = Path("/proc/self/fd")
"""Linux paths of a process's open files, even of those without a name."""
_INFO, _PACKAGE = "EncryptionInfo", "EncryptedPackage"
_AGILE = b"\x04\x00\x04\x00"
_STANDARD_AES = {0x660E: 128, 0x660F: 192, 0x6610: 256}
_SIZE_BYTES = 8


@contextmanager
def decrypted(path: Path, options: ReadOptions, kind: str, /) -> Iterator[Path]:
    """Yield the path of a file's readable content: the file itself, or a decrypted copy.

    The copy is removed when the context ends; on Linux it has no name, so it disappears even if the
    process is killed. Raises ``FileEncrypted`` (no password fits, or unsupported cipher) or
    ``ParseFailed`` (damaged, or larger than ``limits.unpacked_mb``).
    """
    with ExitStack() as stack:
        source = stack.enter_context(path.open("rb"))
        opener = _opener(path, source, kind)
        if opener is None:
            source.close()
            yield path
            return
        target, copy = stack.enter_context(_private_file(options))
        bounded = _Bounded(target, path, kind, options.limits.unpacked_mb)
        _decrypt(opener, bounded, path, kind, options.passwords)
        target.flush()
        source.close()
        yield copy


class _Opener(Protocol):
    def open(self, password: str, target: _Bounded, /) -> bool:
        """Write the content; return whether the password fits."""


def _opener(path: Path, source: IO[bytes], kind: str) -> _Opener | None:
    """Return the decryption of a protected file, ``None`` for other or damaged files."""
    if source.read(len(OLE_MAGIC)) != OLE_MAGIC:
        return None
    import msoffcrypto  # type: ignore[import-untyped]
    import olefile  # type: ignore[import-untyped]
    from msoffcrypto.exceptions import DecryptionError  # type: ignore[import-untyped]

    try:
        container = olefile.OleFileIO(source)
        if container.exists(_INFO) and container.exists(_PACKAGE):
            info = container.openstream(_INFO).read()
            if info.startswith(_AGILE):
                return _AgileFile(Agile.of(info), container)
        office = msoffcrypto.OfficeFile(source)
        if not office.is_encrypted():
            return None
        is_standard = office.format == "ooxml" and office.type == "standard"
        return _StandardFile(office) if is_standard else _OldFile(office)
    except (DecryptionError, UnknownProtection) as error:
        raise _unsupported(path, kind, error) from error
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - damage raises anything; the reader of the format says more
        return None


def _decrypt(
    opener: _Opener, target: _Bounded, path: Path, kind: str, passwords: tuple[str, ...]
) -> None:
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError

    given = [password for password in passwords if password]
    try:
        for password in (*given, *DEFAULT_PASSWORDS):
            target.restart()
            try:
                if opener.open(password, target):
                    return
            except InvalidKeyError:
                continue
    except (DecryptionError, UnknownProtection) as error:
        raise _unsupported(path, kind, error) from error
    except (MemoryError, ParseFailed):
        raise
    except Exception as error:
        # Damage raises any exception.
        reason = f"its protected content is damaged ({type(error).__name__})"
        raise ParseFailed(path, kind, reason) from error
    raise FileEncrypted(path, tried=len(given))


def _unsupported(path: Path, kind: str, error: Exception) -> ParseFailed:
    return ParseFailed(path, kind, f"its encryption is not supported: {error}")


@dataclass(frozen=True, slots=True)
class _AgileFile:
    agile: Agile
    container: Any

    def open(self, password: str, target: _Bounded, /) -> bool:
        key = self.agile.key(password)
        if key is None:
            return False
        for part in self.agile.content(self.container.openstream(_PACKAGE), key):
            target.write(part)
        return True


@dataclass(frozen=True, slots=True)
class _StandardFile:
    """Office Open XML, standard: AES only, with SHA-1 keys."""

    office: Any

    def open(self, password: str, target: _Bounded, /) -> bool:
        from msoffcrypto.method.ecma376_standard import ECMA376Standard  # type: ignore[import-untyped]

        header, verifier = self.office.info["header"], self.office.info["verifier"]
        bits = header["keySize"] or _STANDARD_AES.get(header["algId"], 0)
        if header["algId"] not in {0, *_STANDARD_AES} or bits // 8 not in KEYS:
            raise UnknownProtection(f"cipher {header['algId']:#06x} with keys of {bits} bits")
        facts = (header["algId"], header["algIdHash"], header["providerType"], bits)
        key = bytes(
            ECMA376Standard.makekey_from_password(
                password, *facts, verifier["saltSize"], verifier["salt"]
            )
        )
        given = decrypt_blocks(verifier["encryptedVerifier"], key)
        digest = hashlib.sha1(given, usedforsecurity=False).digest()
        if decrypt_blocks(verifier["encryptedVerifierHash"], key)[: len(digest)] != digest:
            return False
        with self.office.file.openstream(_PACKAGE) as stream:
            data = stream.read()
        size = int.from_bytes(data[:4], "little")
        # Some programs pad the stream to a whole sector; the content ends with a whole block.
        whole = len(data[_SIZE_BYTES:]) // BLOCK * BLOCK
        target.write(decrypt_blocks(data[_SIZE_BYTES : _SIZE_BYTES + whole], key)[:size])
        return True


@dataclass(frozen=True, slots=True)
class _OldFile:
    """DOC, XLS and PPT; the library always verifies their password."""

    office: Any

    def open(self, password: str, target: _Bounded, /) -> bool:
        self.office.load_key(password=password)
        if self.office.format == "ppt97":
            _write_slides(self.office, target)
        else:
            self.office.decrypt(target)
        return True


def _write_slides(office: Any, target: _Bounded) -> None:
    """Decrypt a presentation, with its objects in the order of their offsets."""
    # The library lets an object end where the next one begins.
    from msoffcrypto.format import ppt97  # type: ignore[import-untyped]

    by_number = ppt97.construct_persistobjectdirectory
    ppt97.construct_persistobjectdirectory = lambda data: dict(
        sorted(by_number(data).items(), key=lambda item: item[1])
    )
    try:
        office.decrypt(target)
    finally:
        ppt97.construct_persistobjectdirectory = by_number


class _Bounded:
    def __init__(self, target: IO[bytes], path: Path, kind: str, most_mb: int) -> None:
        self._target, self._path, self._kind, self._most_mb = target, path, kind, most_mb

    def restart(self) -> None:
        self._target.seek(0)
        self._target.truncate()

    def write(self, data: bytes, /) -> int:
        if self._target.tell() + len(data) > self._most_mb << 20:
            raise ParseFailed(
                self._path,
                self._kind,
                f"its protected content is larger than {self._most_mb:,} MB (unpacked_mb)",
            )
        return self._target.write(data)


@contextmanager
def _private_file(options: ReadOptions) -> Iterator[tuple[IO[bytes], Path]]:
    """Yield the path of a temporary file that only this user can read (mode 0600)."""
    if _OPEN_FILES.is_dir():
        with tempfile.TemporaryFile(dir=options.spool) as file:
            yield file, _OPEN_FILES / str(file.fileno())
        return
    handle, name = tempfile.mkstemp(prefix="casetrack-", dir=options.spool)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file, Path(name)
    finally:
        Path(name).unlink()
