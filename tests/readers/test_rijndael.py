"""AES with keys of any length that Rijndael has: published vectors, and the library beside it."""

from __future__ import annotations

import os

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from casetrack.readers.rijndael import cbc_decrypt

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe")
PLAIN = bytes.fromhex("3243f6a8885a308d313198a2e0370734")


@pytest.mark.parametrize(
    ("size", "sealed"),
    [
        (16, "3925841d02dc09fbdc118597196a0b32"),
        (20, "231d844639b31b412211cfe93712b880"),
        (24, "f9fb29aefc384a250340d833b87ebc00"),
        (28, "8faa8fe4dee9eb17caa4797502fc9d3f"),
        (32, "1a6e6c2c662e7da6501ffb62bc9e93f3"),
    ],
)
def test_published_vectors(size: int, sealed: str) -> None:
    """B. Gladman's extended vectors; that of 16 bytes is the example of FIPS 197."""
    assert cbc_decrypt(bytes.fromhex(sealed), KEY[:size], bytes(16)) == PLAIN


@pytest.mark.parametrize("size", [16, 24, 32])
def test_chained_blocks_as_the_library_seals_them(size: int) -> None:
    key, vector, data = os.urandom(size), os.urandom(16), os.urandom(16 * 300)
    sealer = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    assert cbc_decrypt(sealer.update(data) + sealer.finalize(), key, vector) == data


@pytest.mark.parametrize(("data", "key", "vector"), [(15, 20, 16), (16, 21, 16), (16, 20, 8)])
def test_lengths_that_fit_nothing_are_refused(data: int, key: int, vector: int) -> None:
    with pytest.raises(ValueError, match="length that is not known"):
        cbc_decrypt(bytes(data), bytes(key), bytes(vector))
