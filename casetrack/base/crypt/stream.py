"""A stream of encrypted blocks, written and read once from its beginning to its end.

libsodium's secretstream (XChaCha20-Poly1305) chains the blocks: one that was changed, left out, put
elsewhere or taken from another file does not open, and neither does a file whose last block is not
the one that was marked as such. Nothing that was read may be used before the end was reached.
"""

from __future__ import annotations

import hashlib
import io
from typing import IO, TYPE_CHECKING, Any

from casetrack.base.crypt.head import BLOCK, new_head, read_head
from casetrack.base.errors import EncryptedFileDamaged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.crypt.secret import Secret

_MORE = 17
"""Bytes by which a block is longer than its plain text."""


class EncryptingWriter(io.RawIOBase):
    """Writes a file whose content is encrypted; :meth:`close` writes its end.

    Parameters
    ----------
    sink
        Where the encrypted file goes; it stays open.
    secret
        What opens it.
    facts
        What stands in its head, in the clear.
    block
        Bytes of the plain text in each block but the last one.
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
        """Encrypt *data*; what does not fill a block waits for more."""
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
        """Write no end: the file is of no use, and nobody shall take it for a whole one."""
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
    """Reads an encrypted file from its beginning to its end.

    Parameters
    ----------
    source
        The encrypted file, opened at its beginning; it stays open.
    secret
        What opens it.
    name
        What the file is called in messages.

    Attributes
    ----------
    facts
        What stands in its head; the secret has proved that nobody changed it.

    Raises
    ------
    PassphraseWrong
        It is not the secret of this file.
    EncryptedFileDamaged
        It is not as it was written; while reading as well.
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
        """Yield what is left, block by block: the whole file is as it was written, or this raises.

        Raises
        ------
        EncryptedFileDamaged
            It is not as it was written.
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
                raise EncryptedFileDamaged(self._name, "something was added behind its end")
            self._is_whole = True
        return plain  # type: ignore[no-any-return]


def _bound(head: bytes) -> bytes:
    return hashlib.blake2b(head, digest_size=32).digest()
