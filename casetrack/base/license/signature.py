"""Verification of signatures with trusted public keys.

``public_keys.txt`` may have several keys, so that a new one can replace an old one gradually. Only
a development build also trusts the file of ``CASETRACK_LICENSE_PUBLIC_KEYS``: otherwise users could
sign licenses for themselves.
"""

from __future__ import annotations

import os
from pathlib import Path

from casetrack.base.license.key import LicenseKey, MalformedKey, base32_bytes

ENV_PUBLIC_KEYS = "CASETRACK_LICENSE_PUBLIC_KEYS"
PACKAGED = Path(__file__).with_name("public_keys.txt")
DEVELOPMENT = Path(__file__).with_name("development.txt")
"""A file of checkouts that wheels and bundles do not contain."""
_KEY_BYTES = 32
_HEX_DIGITS = 64
_MAX_BYTES = 1 << 20


class CannotVerify(Exception):
    """A signature cannot be checked; the text is the reason and the next step."""


def is_development() -> bool:
    """Return whether this is a development build, which trusts keys that the user names."""
    return DEVELOPMENT.is_file()


def unread_signers() -> str:
    """Return why the environment's public keys are ignored; empty without any."""
    if is_development() or not os.environ.get(ENV_PUBLIC_KEYS, "").strip():
        return ""
    return f"{ENV_PUBLIC_KEYS} is not read: this is a build for release"


def public_keys(text: str, /) -> tuple[bytes, ...]:
    """Parse Ed25519 keys: one per line, hexadecimal or base32, ``#`` for comments.

    Raises ``ValueError``: a line is not a key.
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
    """Return whether a trusted key signed *key*.

    Raises ``CannotVerify``: pynacl is not installed, or the file of additional keys is unreadable.
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
