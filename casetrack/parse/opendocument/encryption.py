"""Decrypts parts of OpenDocument packages with a password.

A digest of the password is the start key; a key derivation makes the key of each part from it;
what comes out of the cipher is deflated (OpenDocument 1.3, part 2, 4; the whole-package form with
Argon2id and AES-GCM is that of LibreOffice since 24.8).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.parse import aes
from casetrack.parse.opendocument.names import local

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        """Read the element; ``None`` where it is incomplete or needs a certificate."""
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
    """Return the plain bytes of a part.

    Parameters
    ----------
    data
        As it stands in the container.
    how
        What the manifest says about it.
    password
        As the user gave it.
    most
        Bytes it may unpack to.

    Raises
    ------
    WrongPassword
        The password is not that of the part.
    ValueError
        The part is damaged, or encrypted in a way that is not known.
    """
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
        raise ValueError(f"it does not unpack: {error}") from error
    if len(plain) > most:
        raise ValueError(f"it unpacks to more than {most >> 20} MB")
    if not unpacker.eof:
        raise ValueError("it ends too early")
    return plain


def _key(how: Encryption, password: str) -> bytes:
    digest = hashlib.sha256 if "sha256" in how.start_key else hashlib.sha1
    start = digest(password.encode("utf-8", "surrogatepass")).digest()
    known = _BLOWFISH_KEYS if "blowfish" in how.cipher else aes.KEYS
    if how.key_size not in known:
        raise ValueError(f"a key of {how.key_size} bytes is not known")
    if how.derivation.endswith("pbkdf2"):
        if not 0 < how.rounds <= _MAX_ROUNDS:
            raise ValueError(f"its key takes {how.rounds} rounds")
        return hashlib.pbkdf2_hmac("sha1", start, how.salt, how.rounds, how.key_size)
    if not how.derivation.endswith("argon2id"):
        raise ValueError(f"the key derivation {how.derivation} is not known")
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
    """Decrypt nonce, text and tag; the nonce stands in the manifest too and must be the same."""
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
    if len(data) % aes.BLOCK or not data or len(how.vector) != aes.BLOCK:
        raise ValueError("its length is not that of whole blocks")
    plain = aes.decrypt_chain(data, key, how.vector)
    # Without a sound end it is the checksum that tells a wrong password from damage.
    padding = plain[-1] if 1 <= plain[-1] <= aes.BLOCK else 0
    return plain[: len(plain) - padding]


def _blowfish(data: bytes, how: Encryption, key: bytes) -> bytes:
    """Decrypt what programs wrote before OpenDocument 1.2."""
    from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
    from cryptography.hazmat.decrepit.ciphers.modes import CFB
    from cryptography.hazmat.primitives.ciphers import Cipher

    if "blowfish" not in how.cipher:
        raise ValueError(f"the cipher {how.cipher} is not known")
    opened = Cipher(Blowfish(key), CFB(how.vector)).decryptor()
    return opened.update(data) + opened.finalize()
