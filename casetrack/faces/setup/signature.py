"""Verification of the signature of a release.

The format is that of minisign (https://jedisct1.github.io/minisign): Ed25519 over the BLAKE2b-512
of a file, and a second signature over the first one and its comment. ``release_keys.txt`` in this
folder contains the public keys, one per line; several allow the change of a key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PACKAGED = Path(__file__).with_name("release_keys.txt")
HASHED = b"ED"
"""Algorithm id of a signature over the BLAKE2b-512 of the file."""
KEY = b"Ed"
"""Algorithm id of a public key."""
ID_BYTES, KEY_BYTES, SIGNATURE_BYTES = 8, 32, 64
UNTRUSTED, TRUSTED = "untrusted comment: ", "trusted comment: "


class NotSigned(Exception):
    """A text has no valid signature of a trusted key; contains the reason."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A trusted key: its 8-byte id, and the Ed25519 public key of 32 bytes."""

    id: bytes
    key: bytes

    def text(self) -> str:
        """Return the key on one line, in the form of minisign's option ``-P``."""
        return base64.b64encode(KEY + self.id + self.key).decode("ascii")


def public_keys(text: str, /) -> tuple[PublicKey, ...]:
    """Return the keys of a text, one per line, without comments (``#``, ``untrusted comment``).

    Raises
    ------
    ValueError
        A line is not a key.
    """
    keys = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if not word or line.startswith(UNTRUSTED):
            continue
        raw = _decoded(word)
        if len(raw) != len(KEY) + ID_BYTES + KEY_BYTES or not raw.startswith(KEY):
            raise ValueError(f"line {number} contains no public key")
        keys.append(PublicKey(raw[2 : 2 + ID_BYTES], raw[2 + ID_BYTES :]))
    return tuple(keys)


def check(data: bytes, signature: str, keys: Iterable[PublicKey], /) -> PublicKey:
    """Return the trusted key that signed *data*; *signature* is the text of a ``.minisig`` file.

    Raises
    ------
    NotSigned
        None of *keys* signed it.
    """
    from nacl.bindings import crypto_sign_open
    from nacl.exceptions import BadSignatureError

    lines = signature.splitlines()
    if len(lines) != 4 or not lines[2].startswith(TRUSTED):
        raise NotSigned("its signature is cut or damaged")
    raw, again = _decoded(lines[1]), _decoded(lines[3])
    whole = len(HASHED) + ID_BYTES + SIGNATURE_BYTES
    if len(raw) != whole or not raw.startswith(HASHED) or len(again) != SIGNATURE_BYTES:
        raise NotSigned("its signature is cut or damaged")
    signer = raw[2 : 2 + ID_BYTES]
    key = next((each for each in keys if each.id == signer), None)
    if key is None:
        raise NotSigned(f"it is signed by an untrusted key ({signer[::-1].hex()})")
    made = raw[2 + ID_BYTES :]
    comment = lines[2].removeprefix(TRUSTED).encode()
    try:
        crypto_sign_open(made + hashlib.blake2b(data).digest(), key.key)
        crypto_sign_open(again + made + comment, key.key)
    except BadSignatureError:
        raise NotSigned("its signature does not match its content") from None
    return key


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
