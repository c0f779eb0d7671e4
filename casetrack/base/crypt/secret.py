"""What opens an encrypted file: a passphrase, or the content of a key file."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

SHORT = 12
"""Passphrases of fewer characters are worth a warning: Argon2id makes guessing slow, not futile."""
_LEAST_KEY, _MOST_KEY = 16, 1 << 20
_TEXT, _FILE = b"passphrase\0", b"key file\0"


@dataclass(frozen=True, slots=True)
class Cost:
    """What it costs to try one passphrase with Argon2id.

    Attributes
    ----------
    operations
        Passes over the memory.
    memory
        Bytes.
    """

    operations: int
    memory: int

    @property
    def is_bearable(self) -> bool:
        """Whether a file that asks for so much is opened; a hostile one may ask for anything."""
        return 1 <= self.operations <= 20 and 8192 <= self.memory <= 1 << 30


COST = Cost(operations=3, memory=256 << 20)
"""libsodium's "moderate": about 0.6 s and 256 MiB for each guess."""


class Secret:
    """A passphrase, or the content of a key file. It is never written or shown.

    A key that was derived is kept in it, since that takes half a second by intention.

    Parameters
    ----------
    value
        What the keys are derived from.
    account
        What it is kept under in the keyring of the system, see :mod:`casetrack.base.crypt.keyring`;
        stands in the head of what it encrypts.
    """

    def __init__(self, value: bytes, /, *, account: str | None = None) -> None:
        self._value = value
        self.account = account
        self._derived: dict[tuple[bytes, Cost], bytes] = {}

    @classmethod
    def of(cls, given: str | Secret, /) -> Secret:
        """Return the secret of a passphrase; a secret as it is.

        One text may be written in several ways in Unicode, and keyboards differ in that; so it is
        brought to one form first (NFC).

        Raises
        ------
        UsageError
            It is empty.
        """
        if isinstance(given, Secret):
            return given
        if not given:
            raise UsageError(
                "The passphrase is empty.", hint="Choose several words that nobody can guess."
            )
        return cls(_TEXT + unicodedata.normalize("NFC", given).encode("utf-8", "surrogatepass"))

    @classmethod
    def from_file(cls, path: Path, /) -> Secret:
        """Return the secret of a key file: all its bytes, as they are.

        Raises
        ------
        UsageError
            It cannot be read, is too short to be a key, or too long.
        """
        try:
            with path.open("rb") as file:
                value = file.read(_MOST_KEY + 1)
        except OSError as error:
            raise UsageError(
                f"The key file {path} cannot be read: {error.strerror}.",
                hint="Name the file that holds the key.",
            ) from error
        if not _LEAST_KEY <= len(value) <= _MOST_KEY:
            raise UsageError(
                f"{path} cannot be a key file: it has {len(value):,} bytes or more."
                if len(value) > _MOST_KEY
                else f"{path} cannot be a key file: it has {len(value)} bytes.",
                hint=f"A key file has {_LEAST_KEY} bytes to 1 MiB, of which nobody can guess any. "
                "Make one with: head -c 32 /dev/urandom > my.key",
            )
        return cls(_FILE + value)

    def key(self, salt: bytes, cost: Cost, /) -> bytes:
        """Return the 32 bytes that Argon2id makes of this secret; the same ones every time."""
        made = self._derived.get((salt, cost))
        if made is None:
            from nacl.pwhash import argon2id

            # Argon2id takes a passphrase of any length; a digest keeps a long key file cheap.
            value = hashlib.sha256(self._value).digest()
            made = argon2id.kdf(32, value, salt, cost.operations, cost.memory)
            self._derived[salt, cost] = made
        return made

    def __repr__(self) -> str:
        """Return what says nothing of it."""
        return "Secret(...)"
