"""Office Open XML files that are protected with a password, in the form called agile.

The stream ``EncryptionInfo`` says in XML which hash, which key length and how many rounds make a
key of the password ([MS-OFFCRYPTO] 2.3.4.10 to 2.3.4.15). Programs other than Office combine them
freely: a key may be longer than its hash, and of 160 or 224 bits.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from casetrack.parse import aes

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = 8
_KEY_ELEMENT = "{http://schemas.microsoft.com/office/2006/keyEncryptor/password}encryptedKey"
_HASHES = ("sha1", "sha256", "sha384", "sha512", "md5")
_MOST_ROUNDS = 10_000_000
_SEGMENT, _SEGMENTS_AT_ONCE = 4096, 256
_OF_INPUT, _OF_HASH, _OF_KEY = (
    bytes.fromhex(code) for code in ("fea7d2763b4b9e79", "d7aa0f6d3061344e", "146e0be7abacd0d6")
)
"""What parts the three keys that one password gives."""


class UnknownProtection(ValueError):
    """A file is protected in a way that is not known; the text says which, for people."""


@dataclass(frozen=True, slots=True)
class _Cipher:
    """A hash, a length of keys in bytes, and a salt."""

    hash: str
    key_bytes: int
    salt: bytes

    @classmethod
    def of(cls, element: Any, /) -> _Cipher:
        """Read an element that says how something is encrypted.

        Raises
        ------
        UnknownProtection
            It is a cipher, a way of chaining, a hash or a length that is not known.
        """
        cipher = element.get("cipherAlgorithm", "AES")
        chaining = element.get("cipherChaining", "ChainingModeCBC")
        name = element.get("hashAlgorithm", "").replace("-", "").lower()
        bits = int(element.get("keyBits"))
        if cipher != "AES" or chaining != "ChainingModeCBC":
            raise UnknownProtection(f"the cipher {cipher} ({chaining}) is not known")
        if bits % 8 or bits // 8 not in aes.KEYS or int(element.get("blockSize")) != aes.BLOCK:
            raise UnknownProtection(f"AES with keys of {bits} bits is not known")
        if name not in _HASHES:
            raise UnknownProtection(f"the hash {element.get('hashAlgorithm')} is not known")
        return cls(name, bits // 8, base64.b64decode(element.get("saltValue")))

    def digest(self, data: bytes, /) -> bytes:
        """Return the hash of *data*."""
        return hashlib.new(self.hash, data, usedforsecurity=False).digest()

    def vector(self, block: bytes = b"", /) -> bytes:
        """Return the vector of a chain: of the salt, and of what tells the chain from others."""
        return _fitted(self.digest(self.salt + block) if block else self.salt, aes.BLOCK)


@dataclass(frozen=True, slots=True)
class Agile:
    """How a file is protected."""

    package: _Cipher
    password: _Cipher
    rounds: int
    sealed_input: bytes
    sealed_hash: bytes
    sealed_key: bytes

    @classmethod
    def of(cls, info: bytes, /) -> Agile:
        """Read the stream ``EncryptionInfo``.

        Raises
        ------
        UnknownProtection
            It is protected otherwise than with a password, or in a way that is not known.
        """
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
        """Return the key of the content, ``None`` where the password is not the one."""
        cipher = self.password
        digest = cipher.digest(cipher.salt + password.encode("utf-16-le"))
        for number in range(self.rounds):
            digest = cipher.digest(struct.pack("<I", number) + digest)

        def opened(sealed: bytes, block: bytes) -> bytes:
            key = _fitted(cipher.digest(digest + block), cipher.key_bytes)
            return aes.decrypt_chain(sealed, key, cipher.vector())

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
            data = data[: len(data) // aes.BLOCK * aes.BLOCK]
            count = -(-len(data) // _SEGMENT)
            vectors = [
                self.package.vector(struct.pack("<I", n)) for n in range(number, number + count)
            ]
            plain = aes.decrypt_chains(data, key, vectors, _SEGMENT)[:left]
            yield plain
            left -= len(plain)
            number += count


def _fitted(data: bytes, size: int) -> bytes:
    return data[:size].ljust(size, b"\x36")
