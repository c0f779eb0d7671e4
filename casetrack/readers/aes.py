"""AES with keys of any length that it was ever used with: 128 to 256 bits in steps of 32."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

BLOCK = 16
KEYS = frozenset({16, 20, 24, 28, 32})
"""Lengths of keys in bytes."""
_LIBRARY_KEYS = frozenset({16, 24, 32})
"""Those that the library knows; the others are left to this house."""


def decrypt_blocks(data: bytes, key: bytes, /) -> bytes:
    """Decrypt whole blocks that were sealed one by one (ECB).

    Raises
    ------
    ValueError
        A length is not one that there is.
    """
    if len(key) in _LIBRARY_KEYS:
        from cryptography.hazmat.primitives.ciphers import modes

        # The writer of the file chose it.
        return _opened(data, key, modes.ECB())  # noqa: S305
    from casetrack.readers.rijndael import cbc_decrypt

    # Each block is chained with the one before it, which is taken off again.
    before = bytes(BLOCK) + data[:-BLOCK]
    return _xored(cbc_decrypt(data, key, bytes(BLOCK)), before)


def decrypt_chain(data: bytes, key: bytes, vector: bytes, /) -> bytes:
    """Decrypt whole blocks that were chained (CBC); padding stays.

    Raises
    ------
    ValueError
        A length is not one that there is.
    """
    if len(key) in _LIBRARY_KEYS:
        from cryptography.hazmat.primitives.ciphers import modes

        return _opened(data, key, modes.CBC(vector))
    from casetrack.readers.rijndael import cbc_decrypt

    return cbc_decrypt(data, key, vector)


def decrypt_chains(data: bytes, key: bytes, vectors: list[bytes], size: int, /) -> bytes:
    """Decrypt chains of *size* bytes, the last of which may be shorter, each with its vector.

    Raises
    ------
    ValueError
        A length is not one that there is.
    """
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
