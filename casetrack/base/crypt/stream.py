"""A stream of encrypted blocks, written and read once from start to end.

libsodium's secretstream (XChaCha20-Poly1305) chains the blocks: it detects a changed, missing,
moved or foreign block and a missing end. Use the decrypted data only after the end was reached.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import secrets
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from casetrack.base.crypt.secret import COST, Cost, Secret
from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import EncryptedFileDamaged, PassphraseWrong

# Header of an encrypted file:
#
#     8 bytes   CTSEALED
#     4 bytes   length of the facts, big-endian
#     n bytes   facts: a JSON object, UTF-8
#     16 bytes  BLAKE2b of the bytes above: detects damage without the passphrase
#     32 bytes  keyed BLAKE2b of the bytes above: detects a wrong passphrase or a changed header
#     24 bytes  header of the secretstream
#
# The facts are readable, because a program must recognise the file before it opens it; the keyed
# digest protects them. Every block of the stream is bound to the digest of the whole header.

MAGIC = b"CTSEALED"
VERSION = 1
BLOCK = 1 << 20
"""Bytes of the plain text in each block but the last one."""
KEYRING = "keyring"
"""Fact with the account of the key in the system's keyring."""
_MOST_FACTS = 1 << 16
_MOST_BLOCK = 16 << 20
_SALT, _CHECK, _PROOF, _START = 16, 16, 32, 24
_OURS = {"version", "kdf", "operations", "memory", "salt", "cipher", "block"}
_KDF, _CIPHER = "argon2id", "xchacha20-poly1305-secretstream"


@dataclass(frozen=True, slots=True)
class Head:
    """The header of one file."""

    facts: dict[str, Any]  # JSON facts of the writer; not verified before `opened_by`
    salt: bytes
    cost: Cost
    block: int  # plain-text bytes in each block except the last
    data: bytes = field(repr=False)  # the header's bytes without *proof* and *start*
    # proof, start: the keyed digest, and the header of the secretstream.
    proof: bytes = field(repr=False)
    start: bytes = field(repr=False)

    @property
    def size(self) -> int:
        """Length of the header in bytes."""
        return len(self.data) + _PROOF + _START

    def bound(self) -> bytes:
        """Return the digest that every block is bound to."""
        return hashlib.blake2b(self.data + self.proof + self.start, digest_size=32).digest()

    def opened_by(self, secret: Secret, source: str, /) -> bytes:
        """Return the key of the stream.

        Raises ``PassphraseWrong``: the secret does not open this file.
        """
        stream, proof = _keys(secret.key(self.salt, self.cost))
        if not hmac.compare_digest(_proof(proof, self.data), self.proof):
            raise PassphraseWrong(source)
        return stream


def new_head(facts: dict[str, Any], secret: Secret, block: int, /) -> tuple[bytes, bytes]:
    """Return the header of a new file, without the part of the secretstream, and the key.

    *facts* stay readable; *block* is the number of plain-text bytes in each block except the last.
    """
    # Read when it is called: a test need not wait for the cost that an attacker shall pay.
    cost, salt = COST, secrets.token_bytes(_SALT)
    kept = {KEYRING: secret.account} if secret.account else {}
    content = (
        facts
        | kept
        | {
            "version": VERSION,
            "kdf": _KDF,
            "operations": cost.operations,
            "memory": cost.memory,
            "salt": salt.hex(),
            "cipher": _CIPHER,
            "block": block,
        }
    )
    text = json.dumps(content, ensure_ascii=True, sort_keys=True).encode()
    data = MAGIC + struct.pack(">I", len(text)) + text
    data += hashlib.blake2b(data, digest_size=_CHECK).digest()
    stream, proof = _keys(secret.key(salt, cost))
    return data + _proof(proof, data), stream


def is_encrypted(path: Path, /) -> bool:
    """Return whether a file begins as an encrypted one does; one that cannot be read does not."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read_head(file: IO[bytes], source: str, /) -> Head:
    """Read the header of an untrusted file, from its start to the first block.

    *source* is the name of the file, for messages. Raises ``EncryptedFileDamaged``: the header is
    missing or was changed.
    """
    begin = file.read(len(MAGIC) + 4)
    if begin[: len(MAGIC)] != MAGIC or len(begin) < len(MAGIC) + 4:
        raise EncryptedFileDamaged(source, "it is not an encrypted file of CaseTrack")
    length = struct.unpack(">I", begin[len(MAGIC) :])[0]
    if length > _MOST_FACTS:
        raise EncryptedFileDamaged(source, "its header is damaged")
    text = file.read(length)
    check, proof, start = file.read(_CHECK), file.read(_PROOF), file.read(_START)
    if len(start) < _START:
        raise EncryptedFileDamaged(source, "it is cut short")
    plain = begin + text
    if hashlib.blake2b(plain, digest_size=_CHECK).digest() != check:
        raise EncryptedFileDamaged(source, "its header is damaged or was changed")
    facts, salt, cost, block = _parsed(text, source)
    return Head(facts, salt, cost, block, plain + check, proof, start)


def _parsed(text: bytes, source: str) -> tuple[dict[str, Any], bytes, Cost, int]:
    try:
        content = json.loads(text)
        version = content["version"]
        if isinstance(version, int) and version > VERSION:
            raise EncryptedFileDamaged(
                source,
                f"it was written by a newer CaseTrack (file format {version}; this version reads "
                f"format {VERSION}); install the newest version",
            )
        salt, block = bytes.fromhex(content["salt"]), content["block"]
        cost = Cost(content["operations"], content["memory"])
        known = (version, content["kdf"], content["cipher"]) == (VERSION, _KDF, _CIPHER)
        numbers = all(type(n) is int for n in (cost.operations, cost.memory, block))
        fits = known and numbers and cost.is_acceptable and len(salt) == _SALT
        fits = fits and 0 < block <= _MOST_BLOCK
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise EncryptedFileDamaged(source, "its header is invalid") from error
    if not fits:
        raise EncryptedFileDamaged(source, "its header has unsupported values")
    return {k: v for k, v in content.items() if k not in _OURS}, salt, cost, block


def _keys(key: bytes) -> tuple[bytes, bytes]:
    """Return the key of the stream, and that of the head's proof."""
    made = [
        hashlib.blake2b(what, key=key, digest_size=32).digest() for what in (b"stream", b"head")
    ]
    return made[0], made[1]


def _proof(key: bytes, data: bytes) -> bytes:
    return hashlib.blake2b(data, key=key, digest_size=_PROOF).digest()


_MORE = 17
"""Bytes by which a block is longer than its plain text."""


class EncryptingWriter(io.RawIOBase):
    """A writer that encrypts; :meth:`close` writes the final block and leaves *sink* open.

    *facts* stay readable in the header; *block* is the number of plain-text bytes in each block
    except the last.
    """

    def __init__(
        self, sink: IO[bytes], secret: Secret, facts: dict[str, Any], /, *, block: int = BLOCK
    ) -> None:
        super().__init__()
        from nacl import bindings

        self._nacl: Any = bindings
        self._sink, self._block = sink, block
        head, key = new_head(facts, secret, block)
        self._state = bindings.crypto_secretstream_xchacha20poly1305_state()
        start = bindings.crypto_secretstream_xchacha20poly1305_init_push(self._state, key)
        self._bound = _bound(head + start)
        sink.write(head + start)
        self._waiting = bytearray()
        self._written = 0
        self._is_abandoned = False

    def writable(self) -> bool:
        """Return ``True``."""
        return True

    def tell(self) -> int:
        """Return how many bytes of plain text were written."""
        return self._written

    def write(self, data: Any, /) -> int:
        """Encrypt *data*; keep the bytes of an incomplete block for the next call."""
        view = memoryview(data).cast("B")
        size, at = len(view), 0
        self._written += size
        while at < size:
            # One block always waits: the last one is marked.
            if len(self._waiting) == self._block:
                self._push(bytes(self._waiting))
                self._waiting.clear()
            if not self._waiting and size - at > self._block:
                self._push(bytes(view[at : at + self._block]))
                at += self._block
            else:
                taken = view[at : at + self._block - len(self._waiting)]
                self._waiting += taken
                at += len(taken)
        return size

    def abandon(self) -> None:
        """Mark the file as unusable: :meth:`close` writes no final block."""
        self._is_abandoned = True

    def close(self) -> None:
        """Write the end, once."""
        if not self.closed and not self._is_abandoned:
            self._push(bytes(self._waiting), last=True)
        super().close()

    def _push(self, block: bytes, *, last: bool = False) -> None:
        stream = "crypto_secretstream_xchacha20poly1305"
        tag = getattr(self._nacl, f"{stream}_TAG_{'FINAL' if last else 'MESSAGE'}")
        push = self._nacl.crypto_secretstream_xchacha20poly1305_push
        self._sink.write(push(self._state, block, self._bound, tag))


class DecryptingReader(io.RawIOBase):
    """A reader that decrypts from start to end and leaves *source* open.

    *facts* come from the header and are verified by the secret; *name* is for messages. Raises
    ``PassphraseWrong``: the secret does not open this file; ``EncryptedFileDamaged``: the file was
    changed; also raised while reading.
    """

    def __init__(self, source: IO[bytes], secret: Secret, name: str, /) -> None:
        super().__init__()
        from nacl import bindings

        self._nacl: Any = bindings
        self._source, self._name = source, name
        head = read_head(source, name)
        self.facts = head.facts
        key = head.opened_by(secret, name)
        self._bound, self._block = head.bound(), head.block
        self._state = bindings.crypto_secretstream_xchacha20poly1305_state()
        bindings.crypto_secretstream_xchacha20poly1305_init_pull(self._state, head.start, key)
        self._left = memoryview(b"")
        self._is_whole = False

    def readable(self) -> bool:
        """Return ``True``."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill *buffer* as far as the block at hand goes; 0 at the marked end."""
        while not self._left:
            if self._is_whole:
                return 0
            self._left = memoryview(self._pull())
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._left))
        target[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    def blocks(self) -> Iterator[bytes]:
        """Yield the remaining plain text block by block.

        Raises ``EncryptedFileDamaged``: the file was changed.
        """
        rest, self._left = bytes(self._left), memoryview(b"")
        yield rest
        while not self._is_whole:
            yield self._pull()

    def _pull(self) -> bytes:
        sealed = self._source.read(self._block + _MORE)
        if not sealed:
            raise EncryptedFileDamaged(self._name, "it is cut short, so its end is missing")
        try:
            pull = self._nacl.crypto_secretstream_xchacha20poly1305_pull
            plain, tag = pull(self._state, sealed, self._bound)
        except (RuntimeError, ValueError) as error:
            is_last = len(sealed) < self._block + _MORE
            what = "it is cut short, or its end is damaged" if is_last else "it is damaged"
            raise EncryptedFileDamaged(self._name, f"{what} or was changed") from error
        if tag == self._nacl.crypto_secretstream_xchacha20poly1305_TAG_FINAL:
            if self._source.read(1):
                raise EncryptedFileDamaged(self._name, "data was added after its end")
            self._is_whole = True
        return plain  # type: ignore[no-any-return]


def _bound(head: bytes) -> bytes:
    return hashlib.blake2b(head, digest_size=32).digest()
