"""Whose signature on a release counts, and whether one fits.

The format is that of minisign (https://jedisct1.github.io/minisign): Ed25519 over the BLAKE2b-512
of a file, and once more over that signature with its comment. So a release can be checked by that
tool, too. The public keys stand in ``release_keys.txt`` beside this file, one a line; several are
several signers, so that an old one can stay while a new one takes over.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PACKAGED = Path(__file__).with_name("release_keys.txt")
HASHED = b"ED"
"""Marks a signature over the BLAKE2b-512 of the file."""
KEY = b"Ed"
"""Marks a public key."""
ID_BYTES, KEY_BYTES, SIGNATURE_BYTES = 8, 32, 64
UNTRUSTED, TRUSTED = "untrusted comment: ", "trusted comment: "


class NotSigned(Exception):
    """A text is not signed by anybody who is trusted; says why."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Whoever may sign.

    Attributes
    ----------
    id
        Eight bytes that tell keys apart.
    key
        The Ed25519 public key, 32 bytes.
    """

    id: bytes
    key: bytes

    def text(self) -> str:
        """Return it on one line, as minisign takes it after ``-P``."""
        return base64.b64encode(KEY + self.id + self.key).decode("ascii")


def public_keys(text: str, /) -> tuple[PublicKey, ...]:
    """Return the keys of a text, one a line; comments (``#``, ``untrusted comment``) are passed by.

    Raises
    ------
    ValueError
        A line holds something else.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if not word or line.startswith(UNTRUSTED):
            continue
        raw = _decoded(word)
        if len(raw) != len(KEY) + ID_BYTES + KEY_BYTES or not raw.startswith(KEY):
            raise ValueError(f"line {number} holds no public key")
        found.append(PublicKey(raw[2 : 2 + ID_BYTES], raw[2 + ID_BYTES :]))
    return tuple(found)


def check(data: bytes, signature: str, keys: Iterable[PublicKey], /) -> PublicKey:
    """Return the key that signed *data*.

    Parameters
    ----------
    signature
        The text of a ``.minisig`` file.
    keys
        Whose signature counts.

    Raises
    ------
    NotSigned
        Nobody of them did.
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
        raise NotSigned(f"it is signed by a key that is not trusted here ({signer[::-1].hex()})")
    made = raw[2 + ID_BYTES :]
    comment = lines[2].removeprefix(TRUSTED).encode()
    try:
        crypto_sign_open(made + hashlib.blake2b(data).digest(), key.key)
        crypto_sign_open(again + made + comment, key.key)
    except BadSignatureError:
        raise NotSigned("its signature does not fit its content") from None
    return key


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
