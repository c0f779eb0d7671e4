"""AES with keys of lengths that the standard left out: 160 and 224 bits, as Rijndael has them.

Old programs used them, and libraries know 128, 192 and 256 bits alone. The rounds are those of
J. Daemen and V. Rijmen, "AES proposal: Rijndael" (1999), for blocks of 128 bits; all blocks go
through them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

BLOCK = 16
_BLOCKS_AT_ONCE = 1 << 16
_POLYNOMIAL = 0x11B


def _times(value: int, factor: int) -> int:
    """Multiply in the field of 256 elements that Rijndael counts in."""
    product = 0
    while factor:
        product ^= value if factor & 1 else 0
        value = value << 1 ^ (_POLYNOMIAL if value & 0x80 else 0)
        factor >>= 1
    return product


def _substitutions() -> list[int]:
    """Return the table of substitutions: the inverse in the field, then a turn of its bits."""
    inverse = {a: b for a in range(1, 256) for b in range(1, 256) if _times(a, b) == 1}
    found = []
    for value in range(256):
        bits = inverse.get(value, 0)
        turned = bits
        for shift in range(1, 5):
            turned ^= (bits << shift | bits >> 8 - shift) & 0xFF
        found.append(turned ^ 0x63)
    return found


def cbc_decrypt(data: bytes, key: bytes, vector: bytes, /) -> bytes:
    """Decrypt whole blocks that were chained (CBC); padding stays.

    Parameters
    ----------
    data
        Whole blocks.
    key, vector
        A key of 16, 20, 24, 28 or 32 bytes, and 16 bytes that stood before the first block.

    Raises
    ------
    ValueError
        A length is not one of those.
    """
    if len(key) not in range(16, 33, 4) or len(vector) != BLOCK or len(data) % BLOCK:
        raise ValueError("the key, the vector or the data have a length that is not known")
    cipher = _Rijndael(key)
    blocks = np.frombuffer(vector + data, dtype=np.uint8).reshape(-1, BLOCK)
    parts = []
    for start in range(1, len(blocks), _BLOCKS_AT_ONCE):
        end = min(start + _BLOCKS_AT_ONCE, len(blocks))
        parts.append((cipher.decrypt(blocks[start:end]) ^ blocks[start - 1 : end - 1]).tobytes())
    return b"".join(parts)


class _Rijndael:
    """One key, ready to decrypt."""

    def __init__(self, key: bytes) -> None:
        table = _substitutions()
        self._inverse = np.argsort(np.array(table, dtype=np.uint8)).astype(np.uint8)
        self._factors = {
            factor: np.array([_times(value, factor) for value in range(256)], dtype=np.uint8)
            for factor in (9, 11, 13, 14)
        }
        self._keys = _round_keys(key, table)
        # Row r of the state, its bytes r, r + 4, r + 8, r + 12, is turned by r places.
        self._order = [(c - r) % 4 * 4 + r for c in range(4) for r in range(4)]

    def decrypt(self, blocks: Bytes, /) -> Bytes:
        """Return the blocks, one a row, as they were before."""
        state = blocks ^ self._keys[-1]
        for key in self._keys[-2:0:-1]:
            state = self._mixed(self._inverse[state[:, self._order]] ^ key)
        last: Bytes = self._inverse[state[:, self._order]] ^ self._keys[0]
        return last

    def _mixed(self, state: Bytes) -> Bytes:
        columns = state.reshape(-1, 4, 4)
        mixed = np.zeros_like(columns)
        for row in range(4):
            for at, factor in enumerate((14, 11, 13, 9)):
                mixed[:, :, row] ^= self._factors[factor][columns[:, :, (row + at) % 4]]
        return mixed.reshape(-1, BLOCK)


def _round_keys(key: bytes, table: list[int]) -> Bytes:
    size = len(key) // 4
    words = [list(key[at : at + 4]) for at in range(0, len(key), 4)]
    power = 1
    while len(words) < 4 * (size + 7):
        word = list(words[-1])
        if len(words) % size == 0:
            word = [table[b] for b in (*word[1:], word[0])]
            word[0] ^= power
            power = _times(power, 2)
        elif size > 6 and len(words) % size == 4:
            word = [table[b] for b in word]
        words.append([a ^ b for a, b in zip(words[-size], word, strict=True)])
    return np.array(words, dtype=np.uint8).reshape(-1, BLOCK)
