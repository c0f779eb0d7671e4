"""Whose signature counts, and whether one fits.

Public keys come from ``public_keys.txt`` beside this file. Several lines are several keys, so that
an old one can stay while a new one takes over. A build for development, and no other, also takes
those of the file that ``CASETRACK_LICENSE_PUBLIC_KEYS`` names: whoever may set a variable could
otherwise sign a license for themselves.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.license.key import MalformedKey, base32_bytes

if TYPE_CHECKING:
    from casetrack.base.license.key import LicenseKey

ENV_PUBLIC_KEYS = "CASETRACK_LICENSE_PUBLIC_KEYS"
PACKAGED = Path(__file__).with_name("public_keys.txt")
DEVELOPMENT = Path(__file__).with_name("development.txt")
"""Lies in checkouts; wheels and bundles are built without it."""
_KEY_BYTES = 32
_HEX_DIGITS = 64
_MAX_BYTES = 1 << 20


class CannotVerify(Exception):
    """A signature cannot be checked here; says why, and what to do."""


def is_development() -> bool:
    """Return whether this build is one for development, which trusts what its user names."""
    return DEVELOPMENT.is_file()


def unread_signers() -> str:
    """Return why signers that the environment names do not count here; empty where none are."""
    if is_development() or not os.environ.get(ENV_PUBLIC_KEYS, "").strip():
        return ""
    return f"{ENV_PUBLIC_KEYS} is not read: this is a build for release"


def public_keys(text: str, /) -> tuple[bytes, ...]:
    """Return the Ed25519 keys of a text: one per line, hexadecimal or base32, ``#`` for comments.

    Raises
    ------
    ValueError
        A line holds something else.
    """
    keys = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        try:
            key = bytes.fromhex(word) if len(word) == _HEX_DIGITS else base32_bytes(word)
        except (ValueError, MalformedKey) as error:
            raise ValueError(f"line {number} holds no public key") from error
        if len(key) != _KEY_BYTES:
            raise ValueError(f"line {number} holds no public key")
        keys.append(key)
    return tuple(keys)


def is_genuine(key: LicenseKey, /) -> bool:
    """Return whether a trusted key signed this one.

    Raises
    ------
    CannotVerify
        pynacl is not installed; or the key is not of the packaged signers, and the file of further
        ones cannot be read.
    """
    if _signed(key, public_keys(PACKAGED.read_text(encoding="utf-8"))):
        return True
    return _signed(key, _further_keys())


def _further_keys() -> tuple[bytes, ...]:
    name = os.environ.get(ENV_PUBLIC_KEYS, "").strip()
    if not name or not is_development():
        return ()
    try:
        with Path(name).expanduser().open("rb") as file:
            return public_keys(file.read(_MAX_BYTES).decode("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CannotVerify(f"{ENV_PUBLIC_KEYS} names {name}: {reason}") from error
    except ValueError as error:
        reason = "it is no text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise CannotVerify(f"{ENV_PUBLIC_KEYS} names {name}: {reason}") from error


def _signed(key: LicenseKey, signers: tuple[bytes, ...]) -> bool:
    if not signers:
        return False
    try:
        from nacl.bindings import crypto_sign_open
        from nacl.exceptions import BadSignatureError
    except ImportError as error:
        raise CannotVerify(
            "the package pynacl is not installed; run `pip install pynacl`"
        ) from error
    message = key.signature + key.signed_text().encode("ascii")
    for signer in signers:
        try:
            crypto_sign_open(message, signer)
        except BadSignatureError:
            continue
        return True
    return False
