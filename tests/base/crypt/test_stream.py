"""Encrypted files: the original content returns, and no other content ever does."""

from __future__ import annotations

import hashlib
import io
import json
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.crypt import stream
from casetrack.base.crypt.secret import Cost, Secret
from casetrack.base.crypt.stream import DecryptingReader, EncryptingWriter, is_encrypted, read_head
from casetrack.base.errors import CaseTrackError, EncryptedFileDamaged, PassphraseWrong, UsageError

BLOCK = 64
KEY = Secret.of("correct horse battery")
PLAIN = bytes(range(200))


@pytest.fixture(scope="module", autouse=True)
def cheap() -> object:
    """Make key derivation cheap, because these tests need no protection against guessing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "COST", Cost(1, 8192))
        yield


def encrypted(*pieces: bytes, secret: Secret = KEY) -> bytes:
    sink = io.BytesIO()
    with EncryptingWriter(sink, secret, {"what": "test", "name": "Ä"}, block=BLOCK) as writer:
        for piece in pieces:
            writer.write(piece)
    return sink.getvalue()


def opened(data: bytes, secret: Secret = KEY) -> bytes:
    return DecryptingReader(io.BytesIO(data), secret, "x.ctsealed").read()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=3 * BLOCK), max_size=5))
def test_what_was_written_comes_back_in_whatever_pieces(pieces: list[bytes]) -> None:
    data = encrypted(*pieces)
    assert opened(data) == b"".join(pieces)
    reader = DecryptingReader(io.BytesIO(data), KEY, "x")
    assert reader.facts == {"what": "test", "name": "Ä"}
    begin = reader.read(3) or b""
    assert begin + b"".join(reader.blocks()) == b"".join(pieces)


def test_nothing_can_be_changed_cut_or_added() -> None:
    data = encrypted(PLAIN)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << (at % 8)
        with pytest.raises((EncryptedFileDamaged, PassphraseWrong)):
            opened(bytes(changed))
        with pytest.raises(EncryptedFileDamaged):
            opened(data[:at])
    for whole in (data, encrypted(bytes(BLOCK))):
        with pytest.raises(EncryptedFileDamaged, match=r"x\.ctsealed"):
            opened(whole + b"x")
    assert opened(data) == PLAIN


def blocks_of(data: bytes) -> tuple[bytes, list[bytes]]:
    size = read_head(io.BytesIO(data), "x").size
    return data[:size], [data[i : i + BLOCK + 17] for i in range(size, len(data), BLOCK + 17)]


@pytest.mark.parametrize("order", [(1, 0, 2, 3), (0, 2, 3), (0, 1, 1, 2, 3), (0, 1, 2), (3,), ()])
def test_blocks_open_in_their_order_only(order: tuple[int, ...]) -> None:
    start, blocks = blocks_of(encrypted(PLAIN))
    assert len(blocks) == 4
    with pytest.raises(EncryptedFileDamaged):
        opened(start + b"".join(blocks[i] for i in order))


def test_blocks_of_another_file_of_the_same_key_do_not_open() -> None:
    one, other = encrypted(PLAIN), encrypted(PLAIN)
    start, blocks = blocks_of(one)
    with pytest.raises(EncryptedFileDamaged, match=r"x\.ctsealed"):
        opened(start + blocks[0] + b"".join(blocks_of(other)[1][1:]))
    with pytest.raises((EncryptedFileDamaged, PassphraseWrong)):
        opened(blocks_of(other)[0] + b"".join(blocks))


def test_who_changes_the_facts_and_their_digest_is_found_out() -> None:
    data = encrypted(PLAIN)
    with pytest.raises(PassphraseWrong):
        opened(forged_head(data, name="B") + data[len(read_head(io.BytesIO(data), "x").data) :])


def forged_head(data: bytes, **changes: object) -> bytes:
    """Return the head of a file with other facts, and the digest that fits them."""
    facts = json.loads(read_head(io.BytesIO(data), "x").data[12:-16]) | changes
    forged = json.dumps(facts).encode()
    plain = b"CTSEALED" + struct.pack(">I", len(forged)) + forged
    return plain + hashlib.blake2b(plain, digest_size=16).digest()


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"memory": 1 << 40},
        {"operations": 10**9},
        {"block": 1 << 40},
        {"cipher": "rot13"},
        {"operations": True},
        {"salt": "zz"},
        {"salt": None},
    ],
    ids=str,
)
def test_a_hostile_head_is_refused_before_any_work(
    changes: dict[str, object], messages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = forged_head(encrypted(b""), **changes)
    monkeypatch.setattr("nacl.pwhash.argon2id.kdf", None)  # no key is derived
    with pytest.raises(EncryptedFileDamaged) as caught:
        read_head(io.BytesIO(data + bytes(100)), "x.ctsealed")
    messages(caught.value.message)


def test_another_secret_does_not_open_it(tmp_path: Path) -> None:
    file = tmp_path / "my.key"
    file.write_bytes(b"correct horse battery")
    data = encrypted(PLAIN)
    for other in (Secret.of("Correct horse battery"), Secret.from_file(file)):
        with pytest.raises(PassphraseWrong, match=r"x\.ctsealed"):
            opened(data, other)
    kept = encrypted(PLAIN, secret=Secret.from_file(file))
    assert opened(kept, Secret.from_file(file)) == PLAIN


def test_one_passphrase_however_it_is_typed() -> None:
    assert opened(encrypted(PLAIN, secret=Secret.of("Caf\u00e9")), Secret.of("Cafe\u0301")) == PLAIN


def test_what_can_be_no_secret_is_reported(tmp_path: Path) -> None:
    short = tmp_path / "short.key"
    short.write_bytes(b"x" * 15)
    for wrong, messages in (
        (lambda: Secret.of(""), ""),
        (lambda: Secret.from_file(short), "15"),
        (lambda: Secret.from_file(tmp_path / "none"), str(tmp_path / "none")),
        (lambda: Secret.from_file(tmp_path), str(tmp_path)),
    ):
        with pytest.raises(UsageError) as caught:
            wrong()
        assert messages in caught.value.message
        assert caught.value.hint
    assert "horse" not in repr(KEY)


def test_a_file_is_recognised_by_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(encrypted(b""))
    assert is_encrypted(path)
    assert not is_encrypted(tmp_path / "none")
    path.write_bytes(b"PK")
    assert not is_encrypted(path)
    with pytest.raises(CaseTrackError, match=r"x\.ctsealed"):
        opened(b"PK")


def test_what_was_abandoned_is_no_whole_file() -> None:
    sink = io.BytesIO()
    writer = EncryptingWriter(sink, KEY, {}, block=BLOCK)
    writer.write(PLAIN)
    writer.abandon()
    writer.close()
    with pytest.raises(EncryptedFileDamaged, match=r"x\.ctsealed"):
        opened(sink.getvalue())


def test_the_usual_cost_is_what_libsodium_calls_moderate() -> None:
    from nacl.pwhash import argon2id

    from casetrack.base.crypt.secret import COST

    moderate = (argon2id.OPSLIMIT_MODERATE, argon2id.MEMLIMIT_MODERATE)
    assert (COST.operations, COST.memory) == moderate
