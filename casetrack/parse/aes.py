"""AES blocks and chains of protected files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

BLOCK = 16
KEYS = frozenset({16, 24, 32})
"""Lengths of keys in bytes."""


def decrypt_blocks(data: bytes, key: bytes, /) -> bytes:
    """Decrypt whole blocks that were sealed one by one (ECB).

    Raises
    ------
    ValueError
        A length is not one that there is.
    """
    from cryptography.hazmat.primitives.ciphers import modes

    # The writer of the file chose it.
    return _opened(data, key, modes.ECB())  # noqa: S305


def decrypt_chain(data: bytes, key: bytes, vector: bytes, /) -> bytes:
    """Decrypt whole blocks that were chained (CBC); padding stays.

    Raises
    ------
    ValueError
        A length is not one that there is.
    """
    from cryptography.hazmat.primitives.ciphers import modes

    return _opened(data, key, modes.CBC(vector))


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
