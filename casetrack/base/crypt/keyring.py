"""Keys that the keyring of the system keeps: Keychain, Credential Manager, Secret Service.

Nobody has to remember such a key, and whoever is logged in as its owner has it. It is gone with the
keyring; no other machine has it.
"""

from __future__ import annotations

import contextlib
import importlib
import secrets
from typing import TYPE_CHECKING, Any

from casetrack.base.crypt.secret import Secret
from casetrack.base.errors import PackageMissing, PassphraseMissing, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
