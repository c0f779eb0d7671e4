"""Secrets that open encrypted files: a passphrase, a key file, or a key of the system's keyring."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import secrets
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import PackageMissing, PassphraseMissing, UsageError

SHORT = 12
"""Passphrases of fewer characters are worth a warning: Argon2id makes guessing slow, not futile."""
_LEAST_KEY, _MOST_KEY = 16, 1 << 20
_TEXT, _FILE = b"passphrase\0", b"key file\0"


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one Argon2id guess: passes over the memory, and memory in bytes."""

    operations: int
    memory: int

    @property
    def is_acceptable(self) -> bool:
        """Whether a file that asks for so much is opened; a hostile one may ask for anything."""
        return 1 <= self.operations <= 20 and 8192 <= self.memory <= 1 << 30


COST = Cost(operations=3, memory=256 << 20)
"""libsodium's "moderate": about 0.6 s and 256 MiB for each guess."""


class Secret:
    """A passphrase or the content of a key file; never written or shown.

    The object caches derived keys, because a derivation takes half a second. *account* is the entry
    of the system's keyring; the header of the encrypted file stores it.
    """

    def __init__(self, value: bytes, /, *, account: str | None = None) -> None:
        self._value = value
        self.account = account
        self._derived: dict[tuple[bytes, Cost], bytes] = {}

    @classmethod
    def of(cls, given: str | Secret, /) -> Secret:
        """Return the secret of a passphrase, or *given* if it is a secret.

        The passphrase is normalised to NFC, because keyboards encode the same text differently.
        Raises ``UsageError``: the passphrase is empty.
        """
        if isinstance(given, Secret):
            return given
        if not given:
            raise UsageError(
                "The passphrase is empty.", hint="Choose several words that are hard to guess."
            )
        return cls(_TEXT + unicodedata.normalize("NFC", given).encode("utf-8", "surrogatepass"))

    @classmethod
    def from_file(cls, path: Path, /) -> Secret:
        """Return the secret of a key file; all its bytes count.

        Raises ``UsageError``: the file is unreadable, too short or too long.
        """
        try:
            with path.open("rb") as file:
                value = file.read(_MOST_KEY + 1)
        except OSError as error:
            raise UsageError(
                f"The key file {path} cannot be read: {error.strerror}.",
                hint="Pass the path of the key file.",
            ) from error
        if not _LEAST_KEY <= len(value) <= _MOST_KEY:
            raise UsageError(
                f"{path} cannot be a key file: it has {len(value):,} bytes or more."
                if len(value) > _MOST_KEY
                else f"{path} cannot be a key file: it has {len(value)} bytes.",
                hint=f"A key file has {_LEAST_KEY} bytes to 1 MiB of random data. "
                "Create one with: head -c 32 /dev/urandom > my.key",
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
        """Hide the secret."""
        return "Secret(...)"


# Keys in the system's keyring: Keychain, Credential Manager, Secret Service. The user need not
# remember such a key, but it exists on this machine only and is lost with the keyring.

SERVICE = "casetrack"
_KEY_BYTES = 32


def new_key() -> Secret:
    """Create a key and store it in the keyring.

    Raises ``PackageMissing`` or ``UsageError``: no keyring is available.
    """
    account, value = secrets.token_hex(8), secrets.token_hex(_KEY_BYTES)
    ring = _ring()
    with _keyring_errors():
        ring.set_password(SERVICE, account, value)
        is_kept = ring.get_password(SERVICE, account) == value
    if not is_kept:
        raise UsageError(
            "The system keyring did not return the stored key.",
            hint="Use a passphrase or a key file.",
        )
    return _secret(account, value)


def find_key(account: str, source: str, /) -> Secret:
    """Return a key from the keyring.

    *account* comes from the header of the file; *source* is the name of the file, for messages.
    Raises ``PackageMissing`` or ``UsageError``: no keyring is available; ``PassphraseMissing``: the
    keyring does not contain the key.
    """
    ring = _ring()
    with _keyring_errors():
        value = ring.get_password(SERVICE, account)
    if value is None:
        raise PassphraseMissing(
            f"The key of {source} is not in the system keyring of this user "
            f"({SERVICE}, {account}).",
            hint="Open it on the machine and as the user that encrypted it.",
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
        "keyring", "the system keyring cannot be used", "Or use a passphrase or a key file."
    )
    return importlib.import_module("keyring")


@contextlib.contextmanager
def _keyring_errors() -> Iterator[None]:
    """Convert errors of the keyring, whose classes differ per system, to ``UsageError``."""
    try:
        yield
    except Exception as error:
        reason = str(error).strip() or type(error).__name__
        raise UsageError(
            f"The system keyring cannot be used: {reason}",
            hint="Unlock it, or use a passphrase or a key file.",
        ) from error
