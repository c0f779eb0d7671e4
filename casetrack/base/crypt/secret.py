"""What opens an encrypted file: a passphrase, or the content of a key file."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import secrets
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import PackageMissing, PassphraseMissing, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
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
        What it is kept under in the keyring of the system, see :mod:`casetrack.base.crypt.secret`;
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


# Keys that the keyring of the system keeps: Keychain, Credential Manager, Secret Service.
#
# Nobody has to remember such a key, and whoever is logged in as its owner has it. It is gone with
# the keyring; no other machine has it.

SERVICE = "casetrack"
_KEY_BYTES = 32


def new_key() -> Secret:
    """Make a key, and give it to the keyring to keep.

    Raises
    ------
    PackageMissing, UsageError
        There is no keyring that can be used.
    """
    account, value = secrets.token_hex(8), secrets.token_hex(_KEY_BYTES)
    ring = _ring()
    with _telling():
        ring.set_password(SERVICE, account, value)
        is_kept = ring.get_password(SERVICE, account) == value
    if not is_kept:
        raise UsageError(
            "The keyring of the system does not give back what it was given to keep.",
            hint="Use a passphrase or a key file.",
        )
    return _secret(account, value)


def find_key(account: str, source: str, /) -> Secret:
    """Return the key that the keyring keeps.

    Parameters
    ----------
    account
        What stands in the head of the file.
    source
        The name of the file, for messages.

    Raises
    ------
    PackageMissing, UsageError
        There is no keyring that can be used.
    PassphraseMissing
        It has no such key.
    """
    ring = _ring()
    with _telling():
        value = ring.get_password(SERVICE, account)
    if value is None:
        raise PassphraseMissing(
            f"The key of {source} is not in the keyring of this system and user "
            f"({SERVICE}, {account}).",
            hint="Open it as the user, and on the machine, that it was encrypted by.",
        )
    return _secret(account, value)


def forget_key(account: str, /) -> None:
    """Remove a key that opens nothing any more; one that cannot be removed does no harm."""
    with contextlib.suppress(Exception):
        _ring().delete_password(SERVICE, account)


def _secret(account: str, value: str) -> Secret:
    return Secret(b"keyring\0" + value.encode(), account=account)


def _ring() -> Any:
    PackageMissing.check(
        "keyring", "the keyring of the system cannot be used", "Or use a passphrase or a key file."
    )
    return importlib.import_module("keyring")


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    """Turn what a keyring says into words; each system has errors of its own."""
    try:
        yield
    except Exception as error:
        said = str(error).strip() or type(error).__name__
        raise UsageError(
            f"The keyring of the system cannot be used: {said}",
            hint="Unlock it, or use a passphrase or a key file.",
        ) from error
