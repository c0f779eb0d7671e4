"""Office Open XML protected by other programs than Office: any hash and key length of AES."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import struct
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from msoffcrypto.method.container.ecma376_encrypted import ECMA376Encrypted

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse.base import ReadOptions
from casetrack.parse.passwords import decrypted
from casetrack.parse.word.reader import DocxReader

PASSWORD = "sésame 1"
CONTENT = bytes(n * 7 % 251 for n in range(4096 + 700))
"""Longer than a segment, and no whole number of blocks."""
INPUT, HASH, KEY = (
    bytes.fromhex(code) for code in ("fea7d2763b4b9e79", "d7aa0f6d3061344e", "146e0be7abacd0d6")
)


def seal(data: bytes, key: bytes, vector: bytes) -> bytes:
    data += bytes(-len(data) % 16)
    sealer = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    return sealer.update(data) + sealer.finalize()


def fitted(data: bytes, size: int) -> bytes:
    return data[:size] + b"\x36" * (size - len(data))


def container(path: Path, info: bytes, package: bytes) -> Path:
    out = io.BytesIO()
    ECMA376Encrypted(package, info).write_to(out)
    path.write_bytes(out.getvalue())
    return path


def agile(
    path: Path,
    *,
    bits: int = 256,
    name: str = "SHA1",
    salt_bytes: int = 16,
    content: bytes = CONTENT,
    rename: Callable[[str], str] = str,
) -> Path:
    """Write a protected file by [MS-OFFCRYPTO] 2.3.4.10 to 2.3.4.15."""

    def digest(data: bytes) -> bytes:
        return hashlib.new(name.replace("-", "").lower(), data, usedforsecurity=False).digest()

    def b64(data: bytes) -> str:
        return base64.b64encode(data).decode()

    salt, package_salt, secret = (os.urandom(n) for n in (salt_bytes, 16, bits // 8))
    made = digest(salt + PASSWORD.encode("utf-16-le"))
    for number in range(5):
        made = digest(struct.pack("<I", number) + made)
    given = os.urandom(salt_bytes)
    sealed = [
        b64(seal(data, fitted(digest(made + block), bits // 8), fitted(salt, 16)))
        for data, block in ((given, INPUT), (digest(given), HASH), (secret, KEY))
    ]
    package = struct.pack("<Q", len(content))
    for number, at in zip(count(), range(0, len(content), 4096), strict=False):
        vector = fitted(digest(package_salt + struct.pack("<I", number)), 16)
        package += seal(content[at : at + 4096], secret, vector)
    how = (
        f'blockSize="16" keyBits="{bits}" hashSize="{len(made)}" cipherAlgorithm="AES" '
        f'cipherChaining="ChainingModeCBC" hashAlgorithm="{name}"'
    )
    office = "http://schemas.microsoft.com/office/2006"
    xml = (
        f'<encryption xmlns="{office}/encryption" xmlns:p="{office}/keyEncryptor/password">'
        f'<keyData saltSize="16" saltValue="{b64(package_salt)}" {how}/><keyEncryptors>'
        f'<keyEncryptor uri="{office}/keyEncryptor/password"><p:encryptedKey spinCount="5" '
        f'saltSize="{salt_bytes}" saltValue="{b64(salt)}" encryptedVerifierHashInput="{sealed[0]}" '
        f'encryptedVerifierHashValue="{sealed[1]}" encryptedKeyValue="{sealed[2]}" {how}/>'
        "</keyEncryptor></keyEncryptors></encryption>"
    )
    return container(path, struct.pack("<HHI", 4, 4, 0x40) + rename(xml).encode(), package)


@pytest.mark.parametrize(
    "how",
    [
        {"bits": 128},
        {"bits": 256},  # longer than the hash
        {"bits": 192, "name": "SHA-256"},
        {"bits": 256, "name": "SHA512", "salt_bytes": 20},
        {"bits": 128, "name": "SHA384", "salt_bytes": 8},
    ],
    ids=str,
)
def test_agile_files_of_every_kind_open(tmp_path: Path, how: dict[str, Any]) -> None:
    path = agile(tmp_path / "a.docx", **how)
    with decrypted(path, ReadOptions(passwords=("no", PASSWORD)), "DOCX") as copy:
        assert copy.read_bytes() == CONTENT
    with pytest.raises(FileEncrypted), decrypted(path, ReadOptions(passwords=("no",)), "DOCX"):
        pass


def standard(path: Path, *, bits: int, algorithm: int = 0x660E) -> Path:
    """Write a protected file by [MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.9."""

    def sha1(data: bytes) -> bytes:
        return hashlib.sha1(data, usedforsecurity=False).digest()

    salt = os.urandom(16)
    made = sha1(salt + PASSWORD.encode("utf-16-le"))
    for number in range(50_000):
        made = sha1(struct.pack("<I", number) + made)
    made = sha1(made + bytes(4))
    halves = (bytes(a ^ pad for a in made.ljust(64, b"\0")) for pad in (0x36, 0x5C))
    key = b"".join(map(sha1, halves))[: bits // 8]

    def sealed(data: bytes) -> bytes:
        data += bytes(-len(data) % 16)
        sealer = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        return sealer.update(data) + sealer.finalize()

    given = os.urandom(16)
    provider = "Microsoft Enhanced RSA and AES Cryptographic Provider\0".encode("utf-16-le")
    header = struct.pack("<8I", 0x24, 0, algorithm, 0x8004, bits, 0x18, 0, 0) + provider
    verifier = struct.pack("<I", 16) + salt + sealed(given) + struct.pack("<I", 20)
    info = struct.pack("<HHII", 4, 2, 0x24, len(header)) + header + verifier + sealed(sha1(given))
    return container(path, info, struct.pack("<Q", len(CONTENT)) + sealed(CONTENT))


@pytest.mark.parametrize("bits", [128, 192])
def test_standard_files_of_every_length_of_key_open(tmp_path: Path, bits: int) -> None:
    path = standard(tmp_path / "a.docx", bits=bits)
    with decrypted(path, ReadOptions(passwords=(PASSWORD,)), "DOCX") as copy:
        assert copy.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"AES"', '"3DES"', "3DES"),
        ("ModeCBC", "ModeCFB", "ChainingModeCFB"),
        ('"SHA1"', '"WHIRLPOOL"', "WHIRLPOOL"),
        ('"256"', '"160"', "160"),
        ("p:encryptedKey", "encryptedKey", ""),
        ('"5"', '"4000000000"', "4,000,000,000"),
    ],
)
def test_what_cannot_be_opened_says_why(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = agile(tmp_path / "a.docx", rename=lambda xml: xml.replace(old, new))
    with pytest.raises(ParseFailed, match=rf"a\.docx.*{words}"):
        DocxReader().read(path, ReadOptions(passwords=(PASSWORD,)))


@pytest.mark.parametrize("version", [(3, 3), (4, 3), (9, 9)])
def test_a_form_of_protection_that_is_not_known(tmp_path: Path, version: tuple[int, int]) -> None:
    path = container(tmp_path / "a.docx", struct.pack("<HHI", *version, 0) + b"?" * 80, CONTENT)
    with pytest.raises(ParseFailed, match=r"a\.docx"):
        DocxReader().read(path, ReadOptions(passwords=(PASSWORD,)))


def test_another_cipher_in_the_standard_form(tmp_path: Path) -> None:
    path = standard(tmp_path / "a.docx", bits=128, algorithm=0x6801)
    with pytest.raises(ParseFailed, match=r"0x6801.*128"):
        DocxReader().read(path, ReadOptions(passwords=(PASSWORD,)))
